// An effect takes its permit by value, so that one permit buys one effect.
use regate::policy::Permit;

fn effect(_permit: Permit) {}

fn spend_twice(permit: Permit) {
    effect(permit);
    effect(permit);
}

fn main() {
    let _ = spend_twice;
}
