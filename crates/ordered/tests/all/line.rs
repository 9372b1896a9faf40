//! A line: any thread reads, and any thread writes.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use broadloom_ordered::{Line, Next, Sink, Turn, side_by_side};

/// Takes results in order, up to the first that is an error.
#[derive(Default)]
struct Seen {
    numbers: Vec<u64>,
    flushes: usize,
}

impl Sink<Result<u64, u64>> for Seen {
    type Error = u64;

    fn take(&mut self, result: Result<u64, u64>) -> Result<(), u64> {
        self.numbers.push(result?);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), u64> {
        self.flushes += 1;
        Ok(())
    }
}

/// Lets threads with lower numbers be overtaken.
fn take_time(number: u64) {
    for _ in 0..number * 7 % 5 {
        thread::yield_now();
    }
}

#[test]
fn results_come_in_the_order_of_the_items() {
    for (threads, window) in [(1, 1), (2, 1), (3, 2), (8, 64)] {
        let line = Line::new(0..500_u64, Seen::default(), window);
        side_by_side(threads, "worker", |_| {
            while let Next::Item(turn, number) = line.next(true, Iterator::next) {
                assert_eq!(turn.number(), number);
                take_time(number);
                line.put([(turn, Ok(number))]);
            }
        });
        let (_, seen, error) = line.into_parts();
        assert_eq!(error, None);
        assert!(seen.numbers.into_iter().eq(0..500), "{threads} threads, {window} ahead");
        assert!((1..=500).contains(&seen.flushes));
    }
}

#[test]
fn no_item_is_begun_while_a_window_of_results_is_missing() {
    let line = Line::new(0.., Seen::default(), 3);
    let next = || line.next(false, Iterator::next);
    let Next::Item(first, 0) = next() else { panic!("there is room") };
    let Next::Item(second, 1) = next() else { panic!("there is room") };
    assert!(matches!(next(), Next::Item(_, 2)));
    assert_eq!(next(), Next::Later);
    // It waits for the first.
    line.put([(second, Ok(1))]);
    assert_eq!(next(), Next::Later);
    line.put([(first, Ok(0))]);
    assert!(matches!(next(), Next::Item(_, 3)));
    assert!(matches!(next(), Next::Item(_, 4)));
    assert_eq!(next(), Next::Later);
}

#[test]
fn of_several_errors_the_first_in_order_is_told_and_nothing_behind_it_is_taken() {
    for threads in [1, 4] {
        let line = Line::new(0.., Seen::default(), 16);
        side_by_side(threads, "worker", |_| {
            while let Next::Item(turn, number) = line.next(true, Iterator::next) {
                take_time(number);
                let fails = [17, 18, 30].contains(&number);
                line.put([(turn, if fails { Err(number) } else { Ok(number) })]);
            }
        });
        let (_, seen, error) = line.into_parts();
        assert_eq!(error, Some(17));
        assert!(seen.numbers.into_iter().eq(0..17));
    }
}

#[test]
fn what_is_written_in_turn_comes_before_the_result_and_behind_all_others() {
    let line = Line::new(0..100_u64, Seen::default(), 8);
    side_by_side(3, "worker", |_| {
        while let Next::Item(turn, number) = line.next(true, Iterator::next) {
            take_time(number);
            let written = line.in_turn(turn, |seen| {
                seen.numbers.push(1000 + number);
                Ok(())
            });
            assert!(written.is_some());
            line.put([(turn, Ok(number))]);
        }
    });
    let (_, seen, _) = line.into_parts();
    assert!(seen.numbers.into_iter().eq((0..100).flat_map(|number| [1000 + number, number])));
}

#[test]
fn an_error_in_turn_ends_everything() {
    let line = Line::new(0.., Seen::default(), 4);
    side_by_side(3, "worker", |_| {
        while let Next::Item(turn, number) = line.next(true, Iterator::next) {
            let write = |_: &mut Seen| if number == 5 { Err(number) } else { Ok(()) };
            match line.in_turn(turn, write) {
                Some(()) => line.put([(turn, Ok(number))]),
                None => assert!(number >= 5),
            }
        }
    });
    let (_, seen, error) = line.into_parts();
    assert_eq!((seen.numbers, error), ((0..5).collect(), Some(5)));
}

#[test]
fn a_panic_of_a_source_a_sink_or_the_work_ends_everything() {
    struct Panics(u64);

    impl Sink<u64> for Panics {
        type Error = Infallible;

        fn take(&mut self, number: u64) -> Result<(), Infallible> {
            assert_ne!(number, self.0, "the sink");
            Ok(())
        }
    }

    const NEVER: u64 = u64::MAX;
    for (source, work, sink) in [(9, NEVER, NEVER), (NEVER, 9, NEVER), (NEVER, NEVER, 9)] {
        let run = || {
            let line = Line::new(0.., Panics(sink), 2);
            side_by_side(3, "worker", |_| {
                let _guard = line.stop_in_panic();
                let take = |numbers: &mut std::ops::RangeFrom<u64>| {
                    numbers.next().inspect(|&number| assert_ne!(number, source, "the source"))
                };
                while let Next::Item(turn, number) = line.next(true, take) {
                    assert_ne!(number, work, "the work");
                    line.put([(turn, number)]);
                }
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }
}

#[test]
fn who_stops_has_nothing_more_taken() {
    let line = Line::new(0.., Seen::default(), 4);
    assert!(
        matches!(line.next(true, Iterator::next), Next::Item(turn, 0) if turn == Turn::default())
    );
    line.stop();
    assert!(line.is_stopped());
    assert_eq!(line.next(true, Iterator::next), Next::End);
    line.put([(Turn::default(), Ok(0))]);
    line.fail(7);
    line.fail(8);
    let (_, seen, error) = line.into_parts();
    assert_eq!((seen.numbers, error), (vec![], Some(7)));
}

#[test]
fn an_ended_source_is_not_asked_again() {
    let asked = AtomicU64::new(0);
    let line = Line::new((), Seen::default(), 4);
    for _ in 0..3 {
        let next = line.next(true, |()| {
            asked.fetch_add(1, Ordering::Relaxed);
            None::<u64>
        });
        assert_eq!(next, Next::End);
    }
    assert_eq!(asked.into_inner(), 1);
}
