// A permit's parts are nobody's to fill in.
use regate::call::CallId;
use regate::policy::{Obligations, Permit};

fn forge() -> Permit {
    Permit {
        call: CallId::new("call"),
        policy: "digest".into(),
        obligations: Obligations::default(),
    }
}

fn main() {
    let _ = forge;
}
