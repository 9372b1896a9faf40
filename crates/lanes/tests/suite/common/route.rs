//! The same jobs through every manager.

use broadloom_lanes::{
    Aead, AeadJob, ChainCipher, ChainJob, Cipher, CipherBuffer, CipherJob, Cpu, Hash, HashJob,
    InOrder, Input, Job, Mac, MacJob, OutOfOrder, Planner, Sha3, Sha3Job, Xof, XofJob,
};

/// What a job whose tag was wrong gives.
pub const REFUSED: &[u8] = b"refused";

/// A job whose caller's value is its number, from 0.
pub trait Numbered: Job + Sized {
    fn number(&self) -> usize;
    fn is_complete(&self) -> bool;
    /// The digest or tag, the processed buffer, or both; or [`REFUSED`].
    fn result(&self) -> Option<Vec<u8>>;
    /// The same job with a deadline.
    fn due(self, ticks: u64) -> Self;
}

macro_rules! numbered {
    ($(($($generics:tt)*) $job:ty: |$this:ident| $result:expr;)*) => { $(
        impl<$($generics)*> Numbered for $job {
            fn number(&self) -> usize {
                *self.user()
            }
            fn is_complete(&self) -> bool {
                <$job>::is_complete(self)
            }
            fn result(&self) -> Option<Vec<u8>> {
                let $this = self;
                $result
            }
            fn due(self, ticks: u64) -> Self {
                self.by(ticks)
            }
        }
    )* };
}

numbered! {
    (A: Hash, B: Input) HashJob<'_, A, B, usize>: |job| Some(job.output()?.as_ref().to_vec());
    (A: Sha3, B: Input) Sha3Job<'_, A, B, usize>: |job| Some(job.output()?.as_ref().to_vec());
    (A: Xof, B: Input, O: CipherBuffer) XofJob<'_, A, B, O, usize>: |job| {
        Some(job.output()?.to_vec())
    };
    (M: Cipher, B: CipherBuffer) CipherJob<M, B, usize>: |job| Some(job.output()?.to_vec());
    (M: Mac, D: Input) MacJob<M, D, usize>: |job| Some(job.output()?.as_ref().to_vec());
    (C: ChainCipher, A: Hash, B: CipherBuffer) ChainJob<'_, C, A, B, usize>: |job| {
        Some(match job.output()? {
            Ok(packet) => [packet, job.tag().map(AsRef::as_ref).unwrap_or_default()].concat(),
            Err(_) => REFUSED.to_vec(),
        })
    };
    (M: Aead, A: Input, B: CipherBuffer) AeadJob<M, A, B, usize>: |job| Some(match job.output()? {
        Ok(text) => [text, job.tag().unwrap_or_default()].concat(),
        Err(_) => REFUSED.to_vec(),
    });
}

/// Sends jobs `0..count` through every manager, those that take jobs singly with room for `depth`,
/// and checks each one that comes back: every job once, complete, and from [`InOrder`] in its turn;
/// never more in flight than there is room for.
pub fn everywhere<J: Numbered>(
    cpu: &Cpu,
    count: usize,
    depth: usize,
    mut job: impl FnMut(usize) -> J,
    mut check: impl FnMut(&J),
) {
    let mut jobs: Vec<J> = (0..count).map(&mut job).collect();
    Planner::new(cpu).process_many(&mut jobs);
    jobs.iter().for_each(&mut check);
    drop(jobs);

    let mut manager = OutOfOrder::new(cpu, depth);
    let mut seen = vec![0; count];
    let mut back = |job: J| {
        check(&job);
        seen[job.number()] += 1;
    };
    for number in 0..count {
        manager.submit(job(number)).into_iter().for_each(&mut back);
        assert!(manager.in_flight() < depth);
    }
    core::iter::from_fn(|| manager.flush()).for_each(&mut back);
    assert!(seen.iter().all(|times| *times == 1), "times each job came back: {seen:?}");

    let mut manager = InOrder::new(cpu, depth);
    let mut next = 0;
    let mut back = |job: J| {
        check(&job);
        assert_eq!(job.number(), next);
        next += 1;
    };
    for number in 0..count {
        manager.submit(job(number)).into_iter().for_each(&mut back);
        assert!(manager.in_flight() < depth);
    }
    core::iter::from_fn(|| manager.flush()).for_each(&mut back);
    assert_eq!(next, count);
}

/// What both managers that take jobs singly can do.
pub trait Manager<J>: Sized {
    const KEEPS_ORDER: bool;
    fn build(cpu: &Cpu, depth: usize, on_drop: impl FnMut(J) + Send + 'static) -> Self;
    fn submit(&mut self, job: J) -> Option<J>;
    fn flush(&mut self) -> Option<J>;
    fn flush_expired(&mut self, now: u64) -> Option<J>;
    fn in_flight(&self) -> usize;
    fn capacity(&self) -> usize;
    fn close(self) -> impl Iterator<Item = J>;
}

macro_rules! manager {
    ($($manager:ident keeps order: $order:literal),*) => { $(
        impl<J: Job + 'static> Manager<J> for $manager<J> {
            const KEEPS_ORDER: bool = $order;
            fn build(cpu: &Cpu, depth: usize, on_drop: impl FnMut(J) + Send + 'static) -> Self {
                $manager::new(cpu, depth).on_drop(on_drop)
            }
            fn submit(&mut self, job: J) -> Option<J> {
                self.submit(job)
            }
            fn flush(&mut self) -> Option<J> {
                self.flush()
            }
            fn flush_expired(&mut self, now: u64) -> Option<J> {
                self.flush_expired(now)
            }
            fn in_flight(&self) -> usize {
                self.in_flight()
            }
            fn capacity(&self) -> usize {
                self.capacity()
            }
            fn close(self) -> impl Iterator<Item = J> {
                self.close()
            }
        }
    )* };
}

manager!(OutOfOrder keeps order: false, InOrder keeps order: true);
