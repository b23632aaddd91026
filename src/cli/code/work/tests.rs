use super::*;

#[test]
fn answers_are_told_once_and_in_order() {
    for count in [0, 1, 2, BATCH, BATCH + 1, 3 * BATCH + 7] {
        let inputs: Vec<usize> = (0..count).collect();
        let mut told = Vec::new();
        over(&inputs, |input| input * 2, |answer| told.push(answer)).unwrap();
        let wanted: Vec<usize> = inputs.iter().map(|input| input * 2).collect();
        assert_eq!(told, wanted, "{count}");
    }
}
