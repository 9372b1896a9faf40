//! What the managers promise about order, bounds, waiting, deadlines and closing, for hashes and
//! ciphers.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::thread;

use crate::common::{Kind, Manager, Numbered, cpus, every_kind, everywhere};
use broadloom_lanes::{Cpu, InOrder, OutOfOrder, Planner};

/// Calls a generic check with every kind of job, on every CPU.
macro_rules! on_every_cpu {
    ($check:ident) => {
        for cpu in cpus() {
            every_kind!($check(&cpu));
        }
    };
}

/// A manager that drops what it holds.
fn build<J: 'static, M: Manager<J>>(cpu: &Cpu, depth: usize) -> M {
    M::build(cpu, depth, drop)
}

fn assert_right<K: Kind>(job: &K::Job, len: usize) {
    let expected = K::expected(job.number(), len);
    assert_eq!(job.result().as_ref(), Some(&expected), "{} job {}", K::NAME, job.number());
}

#[test]
fn one_long_job_before_thousands_of_short_ones() {
    fn check<K: Kind>(cpu: &Cpu) {
        let (long, count) = if cfg!(miri) { (4096, 100) } else { (1 << 20, 3000) };
        let len = |number: usize| match number {
            0 => long,
            _ => 16 * (number / 3 % 2),
        };
        let lens: Vec<_> = (0..count).map(len).collect();
        let expected: Vec<_> = (0..count).map(|number| K::expected(number, len(number))).collect();
        for depth in [7, 100] {
            everywhere(
                cpu,
                count,
                depth,
                |number| K::job(number, lens[number]),
                |job| assert_eq!(job.result().as_ref(), Some(&expected[job.number()])),
            );
        }
    }
    on_every_cpu!(check);
}

/// However the short ones use the lanes: not at all, for a step or for several, all in one class or
/// not.
#[test]
fn a_long_job_does_not_wait_for_ever() {
    fn check<K: Kind>(cpu: &Cpu) {
        let lanes = OutOfOrder::<K::Job>::new(cpu, 1).lanes();
        let long = 4096;
        for depth in [lanes, 4 * lanes] {
            // The long jobs have even numbers; the short ones are even, odd or both.
            for (longs, first, step, short) in [
                (1, 1, 2, 0),
                (1, 2, 2, 0),
                (1, 1, 2, 16),
                (1, 2, 2, 16),
                (2, 5, 1, 64),
                (3, 7, 1, 200),
            ] {
                let mut manager = OutOfOrder::new(cpu, depth);
                let mut waiting = BTreeSet::new();
                for number in (0..longs).map(|i| 2 * i) {
                    waiting.insert(number);
                    let job = manager.submit(K::job(number, long));
                    job.into_iter().for_each(|job| assert!(waiting.remove(&job.number())));
                }
                // All jobs of a window are complete when the last one has come, and each later call
                // gives one of them back.
                let bound = 2 * depth;
                for calls in 0.. {
                    if waiting.is_empty() {
                        break;
                    }
                    assert!(calls < bound, "{} {}: {waiting:?} wait", K::NAME, cpu.isa());
                    if let Some(job) = manager.submit(K::job(1000 + first + calls * step, short)) {
                        waiting.remove(&job.number());
                    }
                }
            }
        }
    }
    on_every_cpu!(check);
}

#[test]
fn out_of_order_gives_nothing_until_it_is_full_and_then_one_for_each() {
    fn check<K: Kind>(cpu: &Cpu) {
        let lanes = OutOfOrder::<K::Job>::new(cpu, 1).lanes();
        for depth in [1, 2, lanes, 4 * lanes] {
            let mut manager = OutOfOrder::new(cpu, depth);
            assert_eq!((manager.capacity(), manager.in_flight()), (depth, 0));
            for number in 0..depth + 200 {
                let job = manager.submit(K::job(number, number * 37 % 300));
                assert_eq!(job.is_some(), number + 1 >= depth);
                assert_eq!(manager.in_flight(), (number + 1).min(depth - 1));
            }
        }
    }
    on_every_cpu!(check);
}

/// However long one of them is: nothing of a window is left to the calls that come after it.
#[test]
fn a_full_window_is_complete() {
    fn check<K: Kind>(cpu: &Cpu) {
        managed::<K, OutOfOrder<K::Job>>(cpu);
        managed::<K, InOrder<K::Job>>(cpu);
    }
    fn managed<K: Kind, M: Manager<K::Job>>(cpu: &Cpu) {
        for depth in [1, 5, 70] {
            let len = |number: usize| if number == depth / 2 { 5008 } else { number * 16 % 160 };
            let mut manager: M = build(cpu, depth);
            let mut jobs = Vec::new();
            (0..depth).for_each(|number| jobs.extend(manager.submit(K::job(number, len(number)))));
            assert_eq!(jobs.len(), 1, "the last one of a window gives one back");
            jobs.extend(manager.close());
            assert_eq!(jobs.len(), depth);
            jobs.iter().for_each(|job| assert_right::<K>(job, len(job.number())));
        }
    }
    on_every_cpu!(check);
}

/// Equal lengths: all lanes are done in the same step. Zero: before the first.
#[test]
fn jobs_that_end_together() {
    fn check<K: Kind>(cpu: &Cpu) {
        let lanes = Planner::<<K::Job as broadloom_lanes::Job>::Lanes>::new(cpu).lanes();
        for len in [0, 16, 64, 128, 1024] {
            for count in [0, 1, 2, lanes - 1, lanes, lanes + 1, 3 * lanes] {
                let job = |number| K::job(number, len);
                for depth in [1, lanes, 2 * lanes] {
                    everywhere(cpu, count, depth, job, |job| assert_right::<K>(job, len));
                }
            }
        }
    }
    on_every_cpu!(check);
}

#[test]
fn the_same_jobs_complete_in_the_same_order() {
    fn check<K: Kind>(cpu: &Cpu) {
        let order = || {
            let mut manager = OutOfOrder::new(cpu, 50);
            let mut order = Vec::new();
            for number in 0..400 {
                let job = manager.submit(K::job(number, number * number * 13 % 700));
                order.extend(job.map(|job| job.number()));
            }
            order.extend(core::iter::from_fn(|| manager.flush()).map(|job| job.number()));
            order
        };
        assert_eq!(order(), order());
    }
    on_every_cpu!(check);
}

#[test]
fn a_planner_leaves_complete_jobs_alone() {
    fn check<K: Kind>(cpu: &Cpu) {
        let len = |number: usize| number * 53 % 500;
        let mut planner = Planner::new(cpu);
        // More than it plans at a time, and some of them complete from before.
        let mut jobs: Vec<_> = (0..700).map(|number| K::job(number, len(number))).collect();
        planner.process_many(&mut jobs[100..130]);
        planner.process_many(&mut jobs);
        planner.process_many(&mut jobs);
        jobs.iter().for_each(|job| assert_right::<K>(job, len(job.number())));
    }
    on_every_cpu!(check);
}

/// The deadlines of the jobs in order of number.
const DEADLINES: [Option<u64>; 6] = [Some(30), Some(10), None, Some(20), Some(10), None];

#[test]
fn jobs_come_back_when_their_time_has_come() {
    fn check<K: Kind>(cpu: &Cpu) {
        managed::<K, OutOfOrder<K::Job>>(cpu);
        managed::<K, InOrder<K::Job>>(cpu);
    }
    fn managed<K: Kind, M: Manager<K::Job>>(cpu: &Cpu) {
        let mut manager: M = build(cpu, 64);
        // Longer ones come later, so that no job must wait for a longer one.
        let len = |number: usize| 100 * (number + 1);
        let mut held = BTreeSet::new();
        for (number, deadline) in DEADLINES.iter().enumerate() {
            let job = K::job(number, len(number));
            let job = match deadline {
                Some(ticks) => job.due(*ticks),
                None => job,
            };
            assert!(manager.submit(job).is_none());
            held.insert(number);
        }
        for now in [0, 9, 10, 15, 20, 29, 30, 1000] {
            let due = |number: &usize| DEADLINES[*number].is_some_and(|ticks| ticks <= now);
            let any_due = held.iter().any(due);
            let before = held.len();
            while let Some(job) = manager.flush_expired(now) {
                assert_right::<K>(&job, len(job.number()));
                assert!(held.remove(&job.number()));
            }
            assert!(!held.iter().any(due), "{now}: {held:?}");
            assert!(
                any_due || held.len() == before,
                "{now}: nothing was due, and {held:?} are left"
            );
            assert_eq!(manager.in_flight(), held.len());
        }
    }
    on_every_cpu!(check);
}

/// A complete job whose time has come takes the earlier ones with it, however long they are.
#[test]
fn a_job_in_order_is_not_late_because_of_an_earlier_one() {
    fn check<K: Kind>(cpu: &Cpu) {
        let lanes = InOrder::<K::Job>::new(cpu, 1).lanes();
        let mut manager = InOrder::new(cpu, 16 * lanes);
        // Jobs enough to make the lanes run: the second one completes, the first one does not.
        let len = |number: usize| if number == 0 { 8192 } else { 0 };
        let mut next = 0;
        for number in 0..5 * lanes {
            let job = K::job(number, len(number));
            let job = if number == 1 { job.due(5) } else { job };
            if let Some(job) = manager.submit(job) {
                assert_eq!(job.number(), next);
                next += 1;
            }
        }
        while let Some(job) = manager.flush_expired(5) {
            assert_right::<K>(&job, len(job.number()));
            assert_eq!(job.number(), next);
            next += 1;
        }
        assert!(next > 1, "{} {}: job 1 was due", K::NAME, cpu.isa());
    }
    on_every_cpu!(check);
}

/// The last tick there is: jobs without a deadline are not due even then.
#[test]
fn jobs_without_a_deadline_stay_to_the_end_of_time() {
    fn check<K: Kind>(cpu: &Cpu) {
        managed::<K, OutOfOrder<K::Job>>(cpu);
        managed::<K, InOrder<K::Job>>(cpu);
    }
    fn managed<K: Kind, M: Manager<K::Job>>(cpu: &Cpu) {
        let mut manager: M = build(cpu, 16);
        assert!(manager.flush_expired(u64::MAX).is_none());
        assert!(manager.submit(K::job(0, 100)).is_none());
        assert!(manager.submit(K::job(1, 200)).is_none());
        assert!(manager.flush_expired(u64::MAX).is_none());
        assert_eq!(manager.in_flight(), 2);
        let mut flushed = [manager.flush(), manager.flush()].map(|job| job.expect("held").number());
        flushed.sort_unstable();
        assert_eq!(flushed, [0, 1]);
    }
    on_every_cpu!(check);
}

/// Fills a manager with jobs of mixed lengths, some of them complete. Gives those that it holds.
fn fill<K: Kind, M: Manager<K::Job>>(manager: &mut M) -> BTreeSet<usize> {
    let mut held = BTreeSet::new();
    for number in 0..manager.capacity() - 1 {
        held.insert(number);
        let job = manager.submit(K::job(number, fill_len(number)));
        job.into_iter().for_each(|job| assert!(held.remove(&job.number())));
    }
    let job = manager.flush().expect("it holds jobs");
    assert!(held.remove(&job.number()));
    // The jobs so far are complete, and this one waits.
    let last = manager.capacity() - 1;
    held.insert(last);
    let job = manager.submit(K::job(last, fill_len(last))).expect("complete ones are left");
    assert!(held.remove(&job.number()));
    assert_eq!(manager.in_flight(), held.len());
    held
}

fn fill_len(number: usize) -> usize {
    if number == 190 { 20_000 } else { number * 41 % 400 }
}

/// Checks what came back from a manager that ended: what it held, and the complete ones are right.
fn assert_returned<K: Kind>(jobs: &[K::Job], held: &BTreeSet<usize>) {
    assert_eq!(jobs.len(), held.len());
    assert_eq!(&jobs.iter().map(Numbered::number).collect::<BTreeSet<_>>(), held);
    for job in jobs {
        if job.is_complete() {
            assert_right::<K>(job, fill_len(job.number()));
        } else {
            assert_eq!(job.result(), None);
        }
    }
}

#[test]
fn a_manager_that_ends_gives_every_job_back() {
    fn check<K: Kind>(cpu: &Cpu) {
        managed::<K, OutOfOrder<K::Job>>(cpu);
        managed::<K, InOrder<K::Job>>(cpu);
    }
    fn managed<K: Kind, M: Manager<K::Job>>(cpu: &Cpu) {
        let mut manager: M = build(cpu, 200);
        let held = fill::<K, M>(&mut manager);
        let jobs: Vec<_> = manager.close().collect();
        assert_returned::<K>(&jobs, &held);
        assert!(jobs.iter().any(|job| job.is_complete()), "{}", K::NAME);
        assert!(jobs.iter().any(|job| !job.is_complete()), "{}", K::NAME);
        if M::KEEPS_ORDER {
            assert!(jobs.is_sorted_by_key(Numbered::number));
        }

        // Dropped, and closed but not asked for all of them.
        for taken in [None, Some(5)] {
            let (sender, receiver) = mpsc::channel();
            let mut manager = M::build(cpu, 200, move |job| sender.send(job).expect("a receiver"));
            let held = fill::<K, M>(&mut manager);
            let mut jobs: Vec<_> = match taken {
                Some(count) => manager.close().take(count).collect(),
                None => {
                    drop(manager);
                    Vec::new()
                }
            };
            jobs.extend(receiver);
            assert_returned::<K>(&jobs, &held);
        }
    }
    on_every_cpu!(check);
}

#[test]
fn a_manager_may_move_to_another_thread() {
    fn check<K: Kind>(cpu: &Cpu) {
        managed::<K, OutOfOrder<K::Job>>(cpu);
        managed::<K, InOrder<K::Job>>(cpu);
    }
    fn managed<K: Kind, M: Manager<K::Job> + Send + 'static>(cpu: &Cpu) {
        let mut manager: M = build(cpu, 200);
        let held = fill::<K, M>(&mut manager);
        let there = move || core::iter::from_fn(|| manager.flush()).collect::<Vec<_>>();
        let jobs = thread::spawn(there).join().expect("no panic");
        assert!(jobs.iter().all(Numbered::is_complete));
        assert_returned::<K>(&jobs, &held);
    }
    on_every_cpu!(check);
}

#[test]
fn a_manager_without_room_is_refused() {
    fn check<K: Kind>(cpu: &Cpu) {
        let refused = |build: fn(&Cpu)| {
            let cpu = cpu.clone();
            thread::spawn(move || build(&cpu)).join().is_err()
        };
        assert!(refused(|cpu| drop(OutOfOrder::<K::Job>::new(cpu, 0))));
        assert!(refused(|cpu| drop(InOrder::<K::Job>::new(cpu, 0))));
    }
    every_kind!(check(&Cpu::detect()));
}
