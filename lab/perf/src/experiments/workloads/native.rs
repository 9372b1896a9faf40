//! Broadloom's own lanes as a contender.
//!
//! A burst goes through [`Planner::process_many`], a stream through [`OutOfOrder`] or [`InOrder`].
//! Making the jobs is part of what is timed, as filling in its jobs is for a library in C. Results
//! lie in the jobs that come back: those of a stream are copied out within the timed part, as the
//! job is gone afterwards; those of a burst are still with the caller, who reads them there.

use std::any::Any;
use std::ops::Range;

use broadloom_engine::{Direction, HashAlgorithm};
use broadloom_lanes::{
    AesKey, CbcJob, CbcLanes, Cpu, Hash, HashJob, HashLanes, HmacKey, InOrder, Job, KernelInfo,
    OutOfOrder, OutOfPlace, Planner, STREAM_DEPTH, for_each_hash,
};

use super::direct::Direct;
use crate::error::PerfError;
use crate::measure::contender::Contender;
use crate::measure::course::Course;
use crate::measure::workset::{Outputs, Workset};
use crate::names::{Order, Provider};

/// Evaluates `$body` with `$hash` naming the type of a [`HashAlgorithm`].
macro_rules! with_hash {
    ($name:expr, $hash:ident => $body:expr) => {
        for_each_hash!(with_hash!(@ ($name) $hash ($body);))
    };
    (@ ($name:expr) $hash:ident ($body:expr); $($type:ident),+) => {
        match $name {
            $( HashAlgorithm::$type => {
                type $hash = broadloom_lanes::$type;
                $body
            } )+
            other => unreachable!("{other} has no lanes of its own"),
        }
    };
}

/// The keys of a set, expanded: what jobs borrow.
pub struct Keys(Box<dyn Any>);

impl Keys {
    /// Expands every key of the set.
    ///
    /// # Errors
    /// The lanes do not have the set's algorithm.
    pub fn expand(workset: &Workset) -> Result<Keys, PerfError> {
        let each = (0..workset.len()).map(|index| workset.key(index));
        Ok(Keys(match Direct::try_from(workset.algorithm())? {
            Direct::Digest(_) => Box::new(()),
            Direct::Hmac(hash) => with_hash!(hash, A => {
                Box::new(each.map(HmacKey::<A>::new).collect::<Vec<_>>())
            }),
            Direct::AesCbc(_) => {
                let keys = each.map(|key| AesKey::new(key).expect("an AES key's length"));
                Box::new(keys.collect::<Vec<_>>())
            }
        }))
    }

    fn of<K: 'static>(&self) -> &[K] {
        self.0.downcast_ref::<Vec<K>>().expect("keys expanded for this algorithm")
    }
}

/// Broadloom at work on a set of buffers that go this way, with the kernels of `cpu`, in this
/// order.
///
/// # Errors
/// The lanes do not have the set's algorithm.
///
/// # Panics
/// `keys` or `outputs` were made for another set.
pub fn contender<'a>(
    cpu: &Cpu,
    workset: &'a Workset,
    keys: &'a Keys,
    outputs: &'a mut Outputs,
    course: Course,
    order: Order,
) -> Result<Box<dyn Contender + 'a>, PerfError> {
    let outputs = outputs.split_mut();
    assert_eq!(outputs.len(), workset.len(), "one output for each buffer");
    Ok(match Direct::try_from(workset.algorithm())? {
        Direct::Digest(hash) => with_hash!(hash, A => {
            let make = |index: usize| HashJob::<A, _, _>::digest(workset.buffer(index), index);
            let info = HashLanes::<A>::kernel_info(cpu);
            Box::new(Native::new(cpu, info, Hashing { make, outputs }, workset, order))
        }),
        Direct::Hmac(hash) => with_hash!(hash, A => {
            let keys = keys.of::<HmacKey<A>>();
            let make = |index: usize| HashJob::hmac(&keys[index], workset.buffer(index), index);
            let info = HashLanes::<A>::kernel_info(cpu);
            Box::new(Native::new(cpu, info, Hashing { make, outputs }, workset, order))
        }),
        Direct::AesCbc(_) => {
            let keys = keys.of::<AesKey>();
            let work = Ciphering { workset, keys, course, outputs };
            Box::new(Native::new(cpu, CbcLanes::kernel_info(cpu), work, workset, order))
        }
    })
}

/// How jobs are made from buffers, and what is done with those that come back.
trait JobMaker {
    type Job: Job;

    fn make(&mut self, index: usize) -> Self::Job;
    fn accept(&mut self, job: Self::Job);
    fn output(&self, index: usize) -> &[u8];
    fn clear(&mut self);
}

/// Digests and HMACs: the result lies in the job.
struct Hashing<'a, F> {
    make: F,
    outputs: Vec<&'a mut [u8]>,
}

impl<'a, A, F> JobMaker for Hashing<'a, F>
where
    A: Hash,
    F: Fn(usize) -> HashJob<'a, A, &'a [u8], usize>,
{
    type Job = HashJob<'a, A, &'a [u8], usize>;

    #[inline(always)]
    fn make(&mut self, index: usize) -> Self::Job {
        (self.make)(index)
    }

    #[inline(always)]
    fn accept(&mut self, job: Self::Job) {
        let digest = job.output().expect("a job that came back is complete");
        self.outputs[*job.user()].copy_from_slice(digest.as_ref());
    }

    fn output(&self, index: usize) -> &[u8] {
        self.outputs[index]
    }

    fn clear(&mut self) {
        self.outputs.iter_mut().for_each(|output| output.fill(0));
    }
}

/// AES-CBC from a shared input to an output of our own, which the job has while it is in flight.
struct Ciphering<'a> {
    workset: &'a Workset,
    keys: &'a [AesKey],
    course: Course,
    outputs: Vec<&'a mut [u8]>,
}

impl<'a> JobMaker for Ciphering<'a> {
    type Job = CbcJob<'a, OutOfPlace<&'a [u8], &'a mut [u8]>, usize>;

    #[inline(always)]
    fn make(&mut self, index: usize) -> Self::Job {
        let (key, iv) = (&self.keys[index], *self.workset.iv(index));
        let output = std::mem::take(&mut self.outputs[index]);
        let buffer = OutOfPlace::new(self.workset.buffer(index), output).expect("equal lengths");
        let job = match self.course.of(index) {
            Direction::Decrypt => CbcJob::decrypt(key, iv, buffer, index),
            _ => CbcJob::encrypt(key, iv, buffer, index),
        };
        job.expect("whole blocks")
    }

    #[inline(always)]
    fn accept(&mut self, job: Self::Job) {
        let (buffer, index) = job.into_parts();
        self.outputs[index] = buffer.into_parts().1;
    }

    fn output(&self, index: usize) -> &[u8] {
        self.outputs[index]
    }

    fn clear(&mut self) {
        self.outputs.iter_mut().for_each(|output| output.fill(0));
    }
}

/// The manager that a stream goes through.
enum Manager<J: Job> {
    OutOfOrder(OutOfOrder<J>),
    InOrder(InOrder<J>),
}

struct Native<W: JobMaker> {
    planner: Planner<<W::Job as Job>::Lanes>,
    manager: Manager<W::Job>,
    jobs: Vec<W::Job>,
    work: W,
    kernel: String,
}

impl<W: JobMaker> Native<W> {
    fn new(cpu: &Cpu, info: KernelInfo, work: W, workset: &Workset, order: Order) -> Native<W> {
        let planner = Planner::new(cpu);
        let lanes = planner.lanes();
        let manager = match order {
            Order::OutOfOrder => Manager::OutOfOrder(OutOfOrder::new(cpu, STREAM_DEPTH)),
            Order::InOrder => Manager::InOrder(InOrder::new(cpu, STREAM_DEPTH)),
        };
        let kernel = format!("{} x{lanes}", info.kernel);
        Native { planner, manager, jobs: Vec::with_capacity(workset.len()), work, kernel }
    }
}

impl<W: JobMaker> Contender for Native<W> {
    fn provider(&self) -> Provider {
        Provider::Native
    }

    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        self.jobs.extend(range.map(|index| self.work.make(index)));
        self.planner.process_many(&mut self.jobs);
        Ok(())
    }

    fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        match &mut self.manager {
            Manager::OutOfOrder(manager) => {
                for index in range {
                    let job = self.work.make(index);
                    if let Some(done) = manager.submit(job) {
                        self.work.accept(done);
                    }
                }
            }
            Manager::InOrder(manager) => {
                for index in range {
                    let job = self.work.make(index);
                    if let Some(done) = manager.submit(job) {
                        self.work.accept(done);
                    }
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), PerfError> {
        match &mut self.manager {
            Manager::OutOfOrder(manager) => {
                while let Some(done) = manager.flush() {
                    self.work.accept(done);
                }
            }
            Manager::InOrder(manager) => {
                while let Some(done) = manager.flush() {
                    self.work.accept(done);
                }
            }
        }
        Ok(())
    }

    fn collect(&mut self) {
        for job in self.jobs.drain(..) {
            self.work.accept(job);
        }
    }

    fn output(&self, index: usize) -> &[u8] {
        self.work.output(index)
    }

    fn clear(&mut self) {
        self.work.clear();
    }
}
