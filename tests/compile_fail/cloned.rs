// A permit has no copy.
use regate::policy::Permit;

fn copy(permit: &Permit) -> Permit {
    permit.clone()
}

fn main() {
    let _ = copy;
}
