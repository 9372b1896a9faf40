//! The loop around a queue pair: every job goes once through it, however the feed gives jobs.

use std::sync::Arc;

use broadloom_engine::{Doorbell, Driver, Feed, Job, Next, QueueConfig, QueuePair, Session};

use crate::common::{Toy, hash, is_summed, job};

/// More than the queue pair holds.
const COUNT: usize = 100;
const CAPACITY: usize = 12;

type Numbered = Box<Job<'static, usize>>;

/// Gives numbered jobs, so many in one answer, and notes which came back.
struct Numbers {
    session: Session,
    given: usize,
    burst: usize,
    /// What a burst is to the driver.
    next: Next,
    /// After how many jobs the feed says [`Next::Later`] once.
    pauses_at: Option<usize>,
    /// The job that goes through the queue pair a second time.
    again: Option<usize>,
    /// The job over which the feed fails.
    fails_at: Option<usize>,
    back: Vec<usize>,
}

impl Numbers {
    fn new(burst: usize, next: Next) -> Numbers {
        Numbers {
            session: hash(&Arc::new(Toy::default())),
            given: 0,
            burst,
            next,
            pauses_at: None,
            again: None,
            fails_at: None,
            back: Vec::new(),
        }
    }
}

impl Feed<'static, Numbered> for Numbers {
    type Error = usize;

    fn next(
        &mut self,
        pair: &mut QueuePair<'static, Numbered>,
        jobs: &mut Vec<Numbered>,
        room: usize,
    ) -> Result<Next, usize> {
        assert!(jobs.is_empty() && room == pair.capacity() - pair.in_flight());
        if self.given == COUNT {
            return Ok(Next::End);
        }
        if self.pauses_at.is_some_and(|pause| self.given >= pause) {
            self.pauses_at = None;
            return Ok(Next::Later);
        }
        let count = self.burst.min(room).min(COUNT - self.given);
        jobs.extend((self.given..self.given + count).map(|number| job(&self.session, number)));
        self.given += count;
        Ok(self.next)
    }

    fn done(
        &mut self,
        complete: &mut Vec<Numbered>,
        again: &mut Vec<Numbered>,
    ) -> Result<(), usize> {
        for mut job in complete.drain(..) {
            let number = *job.user_value();
            assert!(is_summed(&job));
            if self.again == Some(number) {
                self.again = None;
                job.data_mut();
                again.push(job);
                continue;
            }
            self.back.push(number);
        }
        match self.fails_at.filter(|number| self.back.contains(number)) {
            Some(number) => {
                self.fails_at = None;
                Err(number)
            }
            None => Ok(()),
        }
    }
}

fn driver(doorbell: Doorbell) -> Driver<'static, Numbered> {
    let config =
        QueueConfig { capacity: CAPACITY, doorbell, max_wait: None, ..QueueConfig::default() };
    Driver::new(config)
}

#[test]
fn every_job_comes_back_once_however_jobs_are_given() {
    for doorbell in [Doorbell::Immediate, Doorbell::Deferred] {
        for next in [Next::Jobs, Next::More] {
            // One by one, less than a batch, a batch of the provider, more than there is room for.
            for burst in [1, 5, 8, 40] {
                let mut feed = Numbers::new(burst, next);
                feed.pauses_at = Some(50);
                feed.again = Some(33);
                let mut driver = driver(doorbell);
                assert_eq!(driver.run(&mut feed), Ok(()));
                feed.back.sort_unstable();
                let all = feed.back.iter().copied().eq(0..COUNT);
                assert!(all, "{doorbell:?} {next:?} {burst}: {:?}", feed.back);
                assert_eq!(driver.queue_pair().in_flight(), 0);
            }
        }
    }
}

#[test]
fn a_feed_that_pauses_gets_what_waits_in_lanes() {
    let mut feed = Numbers::new(3, Next::Jobs);
    feed.pauses_at = Some(3);
    feed.fails_at = Some(2);
    // The third job is not the last: it is complete before the fourth is asked for.
    assert_eq!(driver(Doorbell::Immediate).run(&mut feed), Err(2));
    assert_eq!((feed.given, feed.back), (3, vec![0, 1, 2]));
}

#[test]
fn after_an_error_no_job_is_lost() {
    let mut feed = Numbers::new(5, Next::Jobs);
    feed.fails_at = Some(9);
    let mut driver = driver(Doorbell::Immediate);
    assert_eq!(driver.run(&mut feed), Err(9));
    assert!(feed.given < COUNT);
    assert_eq!(driver.run(&mut feed), Ok(()));
    feed.back.sort_unstable();
    assert!(feed.back.iter().copied().eq(0..COUNT));
    assert_eq!(driver.queue_pair().in_flight(), 0);
}
