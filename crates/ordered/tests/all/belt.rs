//! A belt: one thread reads, and one writes.

use std::thread;

use broadloom_ordered::{Belt, Next, Turn};

#[test]
fn results_come_in_the_order_of_the_items() {
    for (workers, window, batch) in [(1, 1, 1), (2, 4, 1), (3, 8, 2), (7, 7, 7)] {
        let belt = Belt::new(window, batch);
        let results: Vec<u64> = thread::scope(|scope| {
            let belt = &belt;
            for _ in 0..workers {
                scope.spawn(move || {
                    while let Next::Item(turn, number) = belt.next(true) {
                        (0..number * 7 % 5).for_each(|_| thread::yield_now());
                        belt.put(turn, 10 * number);
                    }
                });
            }
            scope.spawn(move || {
                for number in 0..300_u64 {
                    assert!(belt.wait_for_room());
                    belt.give(number);
                }
                belt.end();
            });
            std::iter::from_fn(|| belt.result(true)).collect()
        });
        assert!(results.into_iter().eq((0..300).map(|number| 10 * number)));
    }
}

#[test]
fn nobody_waits_who_would_not() {
    let belt = Belt::new(2, 1);
    assert_eq!(belt.next(false), Next::Later);
    assert_eq!(belt.result(false), None);
    belt.give('a');
    belt.give('b');
    assert_eq!(belt.next(false), Next::Item(Turn::default(), 'a'));
    let Next::Item(second, 'b') = belt.next(false) else { panic!("it was given") };
    belt.put(second, 'B');
    assert_eq!(belt.result(false), None);
    belt.put(Turn::default(), 'A');
    assert_eq!((belt.result(false), belt.result(false)), (Some('A'), Some('B')));
    assert_eq!(belt.result(false), None);
    belt.end();
    assert_eq!((belt.next(true), belt.result(true)), (Next::End, None));
}

#[test]
fn a_worker_that_panics_stops_the_reader_and_the_writer() {
    let belt = Belt::<u64, u64>::new(1, 1);
    thread::scope(|scope| {
        let belt = &belt;
        let worker = scope.spawn(move || {
            let _guard = belt.stop_in_panic();
            let Next::Item(..) = belt.next(true) else { return };
            panic!("as asked for");
        });
        let reader = scope.spawn(move || {
            belt.give(0);
            belt.wait_for_room()
        });
        assert_eq!(belt.result(true), None);
        assert!(!reader.join().expect("it does not panic"));
        assert!(worker.join().is_err());
    });
}
