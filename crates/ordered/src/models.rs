//! Models: loom tries all orders in which the threads' steps may come, and finds a thread that
//! nobody wakes.

use std::sync::Arc;

use loom::thread::{self, JoinHandle};

use crate::{Belt, Line, Next, Sink, Turn};

/// Tries all orders with up to so many preemptions.
fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// Takes the numbers in order, up to one that it refuses.
struct Seen {
    numbers: Vec<u64>,
    refused: u64,
}

impl Sink<u64> for Seen {
    type Error = u64;

    fn take(&mut self, number: u64) -> Result<(), u64> {
        if number == self.refused {
            return Err(number);
        }
        self.numbers.push(number);
        Ok(())
    }
}

type Numbers = Line<std::ops::Range<u64>, u64, Seen>;

fn line(end: u64, refused: u64, window: u64) -> Arc<Numbers> {
    Arc::new(Line::new(0..end, Seen { numbers: Vec::new(), refused }, window))
}

/// Runs a worker's loop on two threads, and returns what came to the sink.
fn on_two(line: Arc<Numbers>, work: fn(&Numbers)) -> (Vec<u64>, Option<u64>) {
    let other = thread::spawn({
        let line = Arc::clone(&line);
        move || work(&line)
    });
    work(&line);
    other.join().expect("it ended");
    let line = Arc::into_inner(line).expect("the other thread has ended");
    let (_, seen, error) = line.into_parts();
    (seen.numbers, error)
}

/// Works on one item at a time.
fn one_by_one(line: &Numbers) {
    while let Next::Item(turn, number) = line.next(true, Iterator::next) {
        line.put([(turn, number)]);
    }
}

/// Gives results in another order than it took the items.
fn two_at_a_time(line: &Numbers) {
    while let Next::Item(first, number) = line.next(true, Iterator::next) {
        let mut results = vec![(first, number)];
        if let Next::Item(second, number) = line.next(false, Iterator::next) {
            results.insert(0, (second, number));
        }
        for result in results {
            line.put([result]);
        }
    }
}

/// Writes each item itself, in its turn.
fn by_turns(line: &Numbers) {
    while let Next::Item(turn, number) = line.next(true, Iterator::next) {
        let written = line.in_turn(turn, |seen| {
            seen.numbers.push(number + 10);
            Ok(())
        });
        if written.is_some() {
            line.put([(turn, number)]);
        }
    }
}

#[test]
fn results_come_in_order_and_nobody_sleeps_on() {
    check(3, || {
        assert_eq!(on_two(line(3, 9, 1), one_by_one), (vec![0, 1, 2], None));
    });
    check(3, || {
        assert_eq!(on_two(line(3, 9, 2), two_at_a_time), (vec![0, 1, 2], None));
    });
}

#[test]
fn an_error_of_the_sink_ends_those_who_wait_for_room() {
    check(3, || {
        let (seen, error) = on_two(line(4, 1, 1), one_by_one);
        assert_eq!((seen, error), (vec![0], Some(1)));
    });
}

#[test]
fn each_writes_in_its_turn() {
    check(3, || {
        let (seen, error) = on_two(line(2, 9, 2), by_turns);
        assert_eq!((seen, error), (vec![10, 0, 11, 1], None));
    });
    check(3, || {
        let (seen, error) = on_two(line(3, 0, 3), by_turns);
        assert_eq!((seen, error), (vec![10], Some(0)));
    });
}

type Tens = Belt<u64, u64>;

fn worker(belt: &Arc<Tens>) -> JoinHandle<()> {
    let belt = Arc::clone(belt);
    thread::spawn(move || {
        while let Next::Item(turn, number) = belt.next(true) {
            belt.put(turn, 10 * number);
        }
    })
}

#[test]
fn a_belt_goes_round_with_a_reader_a_worker_and_a_writer() {
    for (window, batch, items) in [(1, 1, 2), (2, 2, 3)] {
        // Three threads: with a third preemption, it takes minutes.
        check(2, move || {
            let belt = Arc::new(Belt::new(window, batch));
            let worker = worker(&belt);
            let reader = thread::spawn({
                let belt = Arc::clone(&belt);
                move || {
                    for number in 0..items {
                        assert!(belt.wait_for_room());
                        belt.give(number);
                    }
                    belt.end();
                }
            });
            let results: Vec<u64> = std::iter::from_fn(|| belt.result(true)).collect();
            assert_eq!(results, [0, 10, 20][..items as usize]);
            reader.join().expect("it ended");
            worker.join().expect("it ended");
        });
    }
}

#[test]
fn two_workers_share_a_belt() {
    check(3, || {
        let belt = Arc::new(Belt::new(2, 1));
        let workers = [worker(&belt), worker(&belt)];
        belt.give(0);
        belt.give(1);
        assert_eq!((belt.result(true), belt.result(true)), (Some(0), Some(10)));
        belt.end();
        assert_eq!(belt.result(true), None);
        for worker in workers {
            worker.join().expect("it ended");
        }
    });
}

#[test]
fn a_stop_wakes_everybody() {
    check(3, || {
        let belt: Arc<Tens> = Arc::new(Belt::new(1, 1));
        belt.give(0);
        let reader = thread::spawn({
            let belt = Arc::clone(&belt);
            move || belt.wait_for_room()
        });
        let writer = thread::spawn({
            let belt = Arc::clone(&belt);
            move || belt.result(true)
        });
        belt.stop();
        assert!(!reader.join().expect("it ended"));
        assert_eq!(writer.join().expect("it ended"), None);
        assert_eq!(belt.next(true), Next::End);
    });
    check(3, || {
        let belt: Arc<Tens> = Arc::new(Belt::new(1, 1));
        let worker = worker(&belt);
        belt.stop();
        worker.join().expect("it ended");
    });
    // A thread that waits for its turn behind one that never comes.
    check(3, || {
        let line = line(2, 9, 2);
        assert_eq!(line.next(true, Iterator::next), Next::Item(Turn(0), 0));
        let other = thread::spawn({
            let line = Arc::clone(&line);
            move || by_turns(&line)
        });
        line.stop();
        other.join().expect("it ended");
    });
}
