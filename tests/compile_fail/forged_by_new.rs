// Only a decision makes a permit.
use regate::call::CallId;
use regate::policy::{Obligations, Permit};

fn forge() -> Permit {
    Permit::new(CallId::new("call"), "digest".into(), Obligations::default())
}

fn main() {
    let _ = forge;
}
