//! What one thread needs: a planner for each class of sessions, made when it is first used.

use broadloom_engine::provider::{Occupancy, Operation, Queue};
use broadloom_lanes::Cpu;

use crate::kind::Class;
use crate::kinds::{self, CLASSES};

/// Jobs that are worth waiting for: enough to keep lanes full to the end of a burst of mixed
/// lengths. Of what has more lanes (one for each bit of a register) as many as those.
const BATCH: usize = 64;

/// Bytes of the stack that a class may take while it is made. The largest has less than 60,000.
const STACK: usize = 64 << 10;

/// The classes that had their turn in a call, a bit for each.
type Turns = u32;

const _: () = assert!(CLASSES <= Turns::BITS as usize, "every class has a bit");

/// One thread's planners, by class.
pub(crate) struct NativeQueue {
    cpu: Cpu,
    /// Those that were made, and where each class's is.
    classes: Vec<Box<dyn Class>>,
    places: [Option<u8>; CLASSES],
}

impl NativeQueue {
    pub(crate) fn new(cpu: &Cpu) -> Self {
        NativeQueue { cpu: cpu.clone(), classes: Vec::new(), places: [None; _] }
    }

    fn class(&mut self, class: u8) -> &mut dyn Class {
        let NativeQueue { cpu, classes, places } = self;
        let place = *places[usize::from(class)].get_or_insert_with(|| {
            // A class is made on the stack and moved into its box: what is not written yet takes
            // along what the stack has there, such as keys of functions that have returned.
            zeroize::zeroize_stack::<STACK>();
            classes.push(kinds::class(class, cpu));
            classes.len() as u8 - 1
        });
        &mut *classes[usize::from(place)]
    }
}

impl Queue for NativeQueue {
    fn batch(&mut self, class: u8) -> usize {
        BATCH.max(self.class(class).lanes())
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        let (mut left, mut ran): (_, Turns) = (operations.len(), 0);
        for at in 0..operations.len() {
            let class = operations[at].class();
            if ran & (1 << class) == 0 {
                ran |= 1 << class;
                left -= self.class(class).run(operations);
            }
            if left == 0 {
                break;
            }
        }
    }

    fn occupancy(&self) -> Option<Occupancy> {
        let all = self.classes.iter().map(|class| class.occupancy());
        Some(all.fold(Occupancy::default(), |sum, class| Occupancy {
            used: sum.used + class.used,
            offered: sum.offered + class.offered,
        }))
    }
}
