// A permit that a decision yields is spent on one effect: the harmless twin of the others.
use regate::policy::{Permit, Ruling};

fn effect(_permit: Permit) {}

fn spend(ruling: Ruling) {
    if let Ruling::Permitted(permit) = ruling {
        effect(permit);
    }
}

fn main() {
    let _ = spend;
}
