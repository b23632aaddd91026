// There is no permit by default.
use regate::policy::Permit;

fn forge() -> Permit {
    Permit::default()
}

fn main() {
    let _ = forge;
}
