use super::shelf::Shelf;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_oneof, proptest};
use tokio::sync::oneshot::Receiver;

type Numbers = Shelf<u32, &'static str>;

fn heard(receiver: &mut Receiver<Result<u32, &'static str>>) -> Option<Result<u32, &'static str>> {
    receiver.try_recv().ok()
}

#[test]
fn all_that_is_waited_for_is_ordered_at_once_and_stock_by_and_by() {
    let mut shelf = Numbers::default();
    assert_eq!(shelf.order(5, 2), 2);
    assert_eq!(shelf.order(5, 2), 0);
    let _waiting: Vec<_> = (0..4).map(|_| shelf.wait()).collect();
    assert_eq!(shelf.order(5, 2), 2);
    assert_eq!(shelf.coming(), 4);
    for number in 0..4 {
        shelf.arrive(Ok(number)).unwrap();
        assert_eq!(shelf.order(5, 2), usize::from(number > 1));
    }
}

#[test]
fn as_many_are_ordered_as_are_lacking() {
    let mut shelf = Numbers::default();
    assert_eq!(shelf.order(3, 9), 3);
    assert_eq!(shelf.order(3, 9), 0);
    shelf.arrive(Ok(1)).unwrap();
    assert_eq!(shelf.order(4, 9), 1);
    let _waiting = shelf.wait();
    assert_eq!(shelf.order(4, 9), 1);
    assert_eq!(shelf.order(0, 9), 0);
}

#[test]
fn who_no_longer_waits_is_not_made_one() {
    let mut shelf = Numbers::default();
    drop(shelf.wait());
    assert_eq!(shelf.order(0, 9), 0);
    assert!(shelf.is_idle());
}

#[test]
fn what_comes_goes_to_who_has_waited_longest_and_then_into_stock() {
    let mut shelf = Numbers::default();
    let (mut first, second, mut third) = (shelf.wait(), shelf.wait(), shelf.wait());
    shelf.arrive(Ok(1)).unwrap();
    drop(second);
    shelf.arrive(Ok(2)).unwrap();
    shelf.arrive(Ok(3)).unwrap();
    assert_eq!((heard(&mut first), heard(&mut third)), (Some(Ok(1)), Some(Ok(2))));
    assert_eq!((shelf.take(), shelf.take()), (Some(3), None));
}

#[test]
fn an_error_is_heard_by_one_or_handed_back() {
    let mut shelf = Numbers::default();
    let (mut first, mut second) = (shelf.wait(), shelf.wait());
    shelf.arrive(Err("no engine")).unwrap();
    assert_eq!((heard(&mut first), heard(&mut second)), (Some(Err("no engine")), None));
    shelf.arrive(Ok(1)).unwrap();
    assert_eq!(heard(&mut second), Some(Ok(1)));
    assert_eq!(shelf.arrive(Err("no engine")), Err("no engine"));
    assert_eq!(shelf.in_stock(), 0);
}

#[derive(Debug, Clone)]
enum Event {
    Taken,
    GivenUp,
    Ordered(usize, usize),
    Arrived,
    Failed,
    Aged,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => Just(Event::Taken),
        1 => Just(Event::GivenUp),
        4 => ((0..5_usize), (0..5_usize)).prop_map(|(target, hands)| Event::Ordered(target, hands)),
        4 => Just(Event::Arrived),
        1 => Just(Event::Failed),
        1 => Just(Event::Aged),
    ]
}

proptest! {
    /// Nothing that is made is given to two or lost, nobody waits while there is stock, and
    /// whoever waits has one on its way once all that is wanted was ordered.
    #[test]
    fn each_that_is_made_is_somewhere_once(events in vec(event(), 0..60)) {
        let mut shelf = Numbers::default();
        let (mut waiting, mut made, mut gone, mut coming) = (Vec::new(), 0, Vec::new(), 0_usize);
        for event in events {
            match event {
                Event::Taken => match shelf.take() {
                    Some(number) => gone.push(number),
                    None => waiting.push(shelf.wait()),
                },
                Event::GivenUp => drop(waiting.pop()),
                Event::Ordered(target, hands) => coming += shelf.order(target, hands),
                Event::Arrived if coming > 0 => {
                    shelf.arrive(Ok(made)).unwrap();
                    made += 1;
                    coming -= 1;
                }
                Event::Failed if coming > 0 => {
                    let _ = shelf.arrive(Err("no engine"));
                    coming -= 1;
                }
                Event::Arrived | Event::Failed => {}
                Event::Aged => shelf.keep(|number| {
                    let old = *number % 2 == 0;
                    if old {
                        gone.push(*number);
                    }
                    !old
                }),
            }
            waiting.retain_mut(|receiver| match receiver.try_recv() {
                Ok(Ok(number)) => {
                    gone.push(number);
                    false
                }
                Ok(Err(_)) => false,
                Err(_) => true,
            });
            assert!(waiting.is_empty() || shelf.in_stock() == 0);
        }
        coming += shelf.order(0, 9);
        assert!(coming >= waiting.len());
        gone.extend(std::iter::from_fn(|| shelf.take()));
        gone.sort_unstable();
        assert_eq!(gone, (0..made).collect::<Vec<_>>());
    }
}
