//! What one thread needs: a planner for each class of sessions, made when it is first used.

use broadloom_engine::{Occupancy, Operation, Queue};
use broadloom_lanes::Cpu;

use crate::kind::Class;
use crate::kinds::{self, CLASSES};

/// Jobs that are worth waiting for: enough to keep the widest lanes full to the end of a burst of mixed
/// lengths.
const BATCH: usize = 64;

/// One thread's planners, by class.
pub(crate) struct NativeQueue {
    cpu: Cpu,
    classes: [Option<Box<dyn Class>>; CLASSES],
}

impl NativeQueue {
    pub(crate) fn new(cpu: &Cpu) -> Self {
        NativeQueue { cpu: cpu.clone(), classes: [const { None }; _] }
    }
}

impl Queue for NativeQueue {
    fn batch(&self) -> usize {
        BATCH
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        let classes =
            operations.iter().fold(0u32, |classes, operation| classes | 1 << operation.class());
        for (index, class) in self.classes.iter_mut().enumerate() {
            if classes & (1 << index) != 0 {
                class.get_or_insert_with(|| kinds::class(index as u8, &self.cpu)).run(operations);
            }
        }
    }

    fn occupancy(&self) -> Option<Occupancy> {
        let all = self.classes.iter().flatten().map(|class| class.occupancy());
        Some(all.fold(Occupancy::default(), |sum, class| Occupancy {
            used: sum.used + class.used,
            offered: sum.offered + class.offered,
        }))
    }
}
