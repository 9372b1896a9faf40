//! What one thread needs: a planner for each class of sessions, made when it is first used.

use broadloom_engine::{MAX_TAG, Occupancy, Operation, Queue, Text};
use broadloom_lanes::{
    CbcLanes, Cpu, Hash, HashLanes, Loan, Md5, Planner, Sha1, Sha224, Sha256, Sha384, Sha512,
};
use zeroize::Zeroize;

use crate::session::{CBC, CbcSession, HashSession};

/// Jobs that are worth waiting for: enough to keep the widest lanes full to the end of a burst of mixed
/// lengths.
const BATCH: usize = 64;

/// One thread's planners, by class.
pub(crate) struct NativeQueue {
    cpu: Cpu,
    classes: [Option<Box<dyn Class>>; CBC as usize + 1],
}

/// What does the work of one class of sessions.
trait Class: Send {
    /// Completes the operations of this class, and leaves the others.
    fn run(&mut self, operations: &mut [&mut Operation<'_>]);

    fn occupancy(&self) -> broadloom_lanes::Occupancy;
}

struct HashClass<A: Hash> {
    class: u8,
    planner: Planner<HashLanes<A>>,
    /// MACs to be compared with what the operations bring along.
    macs: Vec<[u8; MAX_TAG]>,
}

struct CbcClass {
    planner: Planner<CbcLanes>,
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
                class.get_or_insert_with(|| open(index as u8, &self.cpu)).run(operations);
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

fn open(class: u8, cpu: &Cpu) -> Box<dyn Class> {
    match class {
        0 => HashClass::<Md5>::open(class, cpu),
        1 => HashClass::<Sha1>::open(class, cpu),
        2 => HashClass::<Sha224>::open(class, cpu),
        3 => HashClass::<Sha256>::open(class, cpu),
        4 => HashClass::<Sha384>::open(class, cpu),
        5 => HashClass::<Sha512>::open(class, cpu),
        _ => Box::new(CbcClass { planner: Planner::new(cpu) }),
    }
}

impl<A: Hash> HashClass<A> {
    fn open(class: u8, cpu: &Cpu) -> Box<dyn Class> {
        Box::new(HashClass::<A> { class, planner: Planner::new(cpu), macs: Vec::new() })
    }
}

impl<A: Hash> Class for HashClass<A> {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        let class = self.class;
        if self.macs.len() < operations.len() {
            self.macs.resize(operations.len(), [0; MAX_TAG]);
        }
        let mut verifying = 0;
        let mut macs = self.macs.iter_mut();
        self.planner.process_each(operations.iter_mut().filter_map(|operation| {
            let verifies = operation.checks_tag();
            if operation.class() == class && !verifies {
                // As good as done: nothing here can fail, and nobody looks before this returns.
                operation.complete(Ok(()));
            }
            let parts = operation.parts::<HashSession<A>>()?;
            let tag = match verifies.then(|| macs.next()).flatten() {
                Some(mac) => {
                    verifying += 1;
                    mac
                }
                None => parts.tag,
            };
            let data = parts.text.into_input();
            Some(match &parts.session.key {
                Some(key) => Loan::hmac(key, data, tag),
                None => Loan::digest(data, tag),
            })
        }));
        if verifying == 0 {
            return;
        }
        let to_verify = operations.iter_mut().filter(|operation| {
            operation.is_open() && operation.class() == class && operation.checks_tag()
        });
        for (operation, mac) in to_verify.zip(&mut self.macs) {
            operation.complete_with_mac(mac);
            mac.zeroize();
        }
    }

    fn occupancy(&self) -> broadloom_lanes::Occupancy {
        self.planner.occupancy()
    }
}

impl Class for CbcClass {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        self.planner.process_each(operations.iter_mut().filter_map(|operation| {
            if operation.class() == CBC {
                // As good as done: nothing here can fail, and nobody looks before this returns.
                operation.complete(Ok(()));
            }
            let parts = operation.parts::<CbcSession>()?;
            let CbcSession { key, encrypt, .. } = parts.session;
            let iv = parts.nonce.try_into().expect("the engine checks the length of nonces");
            Some(match (parts.text, encrypt) {
                (Text::InPlace(bytes), true) => Loan::encrypt(key, iv, bytes),
                (Text::InPlace(bytes), false) => Loan::decrypt(key, iv, bytes),
                (Text::Apart(source, bytes), true) => Loan::encrypt_to(key, iv, source, bytes),
                (Text::Apart(source, bytes), false) => Loan::decrypt_to(key, iv, source, bytes),
                (Text::Read(_), _) => unreachable!("the engine gives ciphers what can be written"),
            })
        }));
    }

    fn occupancy(&self) -> broadloom_lanes::Occupancy {
        self.planner.occupancy()
    }
}
