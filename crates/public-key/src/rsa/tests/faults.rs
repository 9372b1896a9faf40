//! Mistakes of the machine.

use std::vec::Vec;

use broadloom_lanes::inside::Source;
use broadloom_lanes::{Job, Lanes, OutOfPlace};

use super::{cpus, vectors};
use crate::rsa::lanes::RsaTask;
use crate::rsa::{RsaError, RsaJob, RsaLanes};

/// One job after the other.
struct Jobs<'a, J>(&'a mut [J], usize);

impl<J: Job<Lanes = RsaLanes>> Source<RsaTask> for Jobs<'_, J> {
    fn next<R>(&mut self, take: impl FnOnce(u32, &RsaTask) -> R) -> Option<R> {
        let job = self.0.get_mut(self.1)?;
        self.1 += 1;
        Some(take(self.1 as u32 - 1, &job.task()))
    }

    fn done(&mut self, id: u32) {
        self.0[id as usize].complete();
    }
}

#[test]
fn no_wrong_result_comes_out() {
    let vectors = vectors();
    for cpu in cpus() {
        let mut lanes = RsaLanes::new(&cpu);
        for fault in [Some(0), Some(1), None] {
            lanes.lanes.fault = fault;
            let mut jobs: Vec<_> = vectors
                .iter()
                .map(|vector| {
                    let room = std::vec![0xaa; vector.key.size()];
                    let pair = OutOfPlace::new(vector.get("text"), room).expect("as long");
                    RsaJob::private(&vector.key, vector.blind(), pair, ())
                        .expect("below the modulus")
                })
                .collect();
            // SAFETY: the jobs stay where they are until the call returns.
            unsafe { lanes.run(&mut Jobs(&mut jobs, 0)) };
            for (job, vector) in jobs.into_iter().zip(&vectors) {
                let output = job.output().expect("complete").map(Vec::from);
                let (_, room) = job.into_parts().0.into_parts();
                if fault.is_some() {
                    assert_eq!(output, Err(RsaError), "{}", vector.name);
                    assert!(room.iter().all(|byte| *byte == 0), "{}", vector.name);
                } else {
                    assert_eq!(output.as_deref(), Ok(vector.get("result")), "{}", vector.name);
                }
            }
        }
    }
}
