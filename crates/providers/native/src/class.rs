//! The classes of sessions: what makes loans of operations, and has lanes do the work.

use broadloom_engine::{MAX_TAG, Operation, Parts, Text};
use broadloom_lanes::{
    CbcLanes, CcmLanes, CmacLanes, Cpu, CtrLanes, GcmLanes, Hash, HashLanes, Lanes, Loan, Md5,
    Occupancy, Planner, Sha1, Sha224, Sha256, Sha384, Sha512,
};
use zeroize::Zeroize;

use crate::ciphers::{Cfb, Ciphering, Ecb, Xts};
use crate::session::{
    CBC, CCM, CFB, CMAC, CTR, CbcSession, CcmSession, ChainKey, CmacSession, CtrSession, ECB, GCM,
    GcmSession, GcmTask, HashSession, XTS,
};

/// What does the work of one class of sessions.
pub(crate) trait Class: Send {
    /// Completes the operations of this class, and leaves the others.
    fn run(&mut self, operations: &mut [&mut Operation<'_>]);

    fn occupancy(&self) -> Occupancy;
}

/// The class of a number.
pub(crate) fn open(class: u8, cpu: &Cpu) -> Box<dyn Class> {
    match class {
        0 => Box::new(HashClass::<Md5>(Tagging::new(class, cpu))),
        1 => Box::new(HashClass::<Sha1>(Tagging::new(class, cpu))),
        2 => Box::new(HashClass::<Sha224>(Tagging::new(class, cpu))),
        3 => Box::new(HashClass::<Sha256>(Tagging::new(class, cpu))),
        4 => Box::new(HashClass::<Sha384>(Tagging::new(class, cpu))),
        5 => Box::new(HashClass::<Sha512>(Tagging::new(class, cpu))),
        CBC => Box::new(CbcClass(Planner::new(cpu))),
        CTR => Box::new(CtrClass(Planner::new(cpu))),
        GCM => Box::new(GcmClass(Tagging::new(class, cpu))),
        CCM => Box::new(CcmClass(Tagging::new(class, cpu))),
        CMAC => Box::new(CmacClass(Tagging::new(class, cpu))),
        ECB => Box::new(Ciphering::<Ecb>(Planner::new(cpu))),
        CFB => Box::new(Ciphering::<Cfb>(Planner::new(cpu))),
        XTS => Box::new(Ciphering::<Xts>(Planner::new(cpu))),
        _ => unreachable!("no session has the class {class}"),
    }
}

struct HashClass<A: Hash>(Tagging<HashLanes<A>>);

impl<A: Hash> Class for HashClass<A> {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        self.0.run(operations, |session: &HashSession<A>, Message { text, tag, .. }| {
            let data = text.into_input();
            match &session.key {
                Some(key) => Loan::hmac(key, data, tag),
                None => Loan::digest(data, tag),
            }
        });
    }

    fn occupancy(&self) -> Occupancy {
        self.0.planner.occupancy()
    }
}

struct GcmClass(Tagging<GcmLanes>);

impl Class for GcmClass {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        type Lent<'a> = Loan<'a, GcmLanes>;
        self.0.run(operations, |session: &GcmSession, Message { text, nonce, associated, tag }| {
            let GcmSession { key, task, .. } = session;
            let tag = tag.first_chunk_mut().expect("a tag has room for 16 bytes");
            match (task, text) {
                (GcmTask::Authenticate, text) => Loan::gmac(key, nonce, text.into_input(), tag),
                (GcmTask::Seal, Text::InPlace(bytes)) => Lent::seal(key, nonce, associated, bytes, tag),
                (GcmTask::Open, Text::InPlace(bytes)) => Lent::open(key, nonce, associated, bytes, tag),
                (GcmTask::Seal, Text::Apart(source, bytes)) => {
                    Lent::seal_to(key, nonce, associated, source, bytes, tag)
                }
                (GcmTask::Open, Text::Apart(source, bytes)) => {
                    Lent::open_to(key, nonce, associated, source, bytes, tag)
                }
                (_, Text::Read(_)) => unreachable!("the engine gives ciphers what can be written"),
            }
        });
    }

    fn occupancy(&self) -> Occupancy {
        self.0.planner.occupancy()
    }
}

struct CcmClass(Tagging<CcmLanes>);

impl Class for CcmClass {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        type Lent<'a> = Loan<'a, CcmLanes>;
        self.0.run(operations, |session: &CcmSession, Message { text, nonce, associated, tag }| {
            let CcmSession { key, seals, tag_len, .. } = session;
            let tag = &mut tag[..*tag_len];
            let loan = match (seals, text) {
                (true, Text::InPlace(bytes)) => Lent::seal(key, nonce, associated, bytes, tag),
                (false, Text::InPlace(bytes)) => Lent::open(key, nonce, associated, bytes, tag),
                (true, Text::Apart(source, bytes)) => {
                    Lent::seal_to(key, nonce, associated, source, bytes, tag)
                }
                (false, Text::Apart(source, bytes)) => {
                    Lent::open_to(key, nonce, associated, source, bytes, tag)
                }
                (_, Text::Read(_)) => unreachable!("the engine gives ciphers what can be written"),
            };
            loan.expect("the engine checks the lengths of nonces, tags and texts")
        });
    }

    fn occupancy(&self) -> Occupancy {
        self.0.planner.occupancy()
    }
}

struct CmacClass(Tagging<CmacLanes>);

impl Class for CmacClass {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        self.0.run(operations, |CmacSession { key, .. }: &CmacSession, Message { text, tag, .. }| {
            let tag = tag.first_chunk_mut().expect("a tag has room for 16 bytes");
            match key {
                ChainKey::Cmac(key) => Loan::cmac(key, text.into_input(), tag),
                ChainKey::Xcbc(key) => Loan::xcbc(key, text.into_input(), tag),
            }
        });
    }

    fn occupancy(&self) -> Occupancy {
        self.0.planner.occupancy()
    }
}

/// What makes tags, and compares those that operations bring along.
struct Tagging<L: Lanes> {
    class: u8,
    planner: Planner<L>,
    /// Tags to be compared with what the operations bring along.
    tags: Vec<[u8; MAX_TAG]>,
}

/// [`Parts`] without the session, and with a tag that can be written to.
struct Message<'v> {
    text: Text<'v>,
    nonce: &'v [u8],
    associated: &'v [u8],
    tag: &'v mut [u8; MAX_TAG],
}

impl<L: Lanes> Tagging<L> {
    fn new(class: u8, cpu: &Cpu) -> Self {
        Tagging { class, planner: Planner::new(cpu), tags: Vec::new() }
    }

    /// Completes the operations of this class, whose sessions are `S`, by the loans that `lend` makes.
    #[inline(always)]
    fn run<S: 'static>(
        &mut self,
        operations: &mut [&mut Operation<'_>],
        lend: impl for<'v> Fn(&'v S, Message<'v>) -> Loan<'v, L>,
    ) {
        let class = self.class;
        if self.tags.len() < operations.len() {
            self.tags.resize(operations.len(), [0; MAX_TAG]);
        }
        let mut checking = 0;
        let mut tags = self.tags.iter_mut();
        self.planner.process_each(operations.iter_mut().filter_map(|operation| {
            let checks = operation.checks_tag();
            if operation.class() == class && !checks {
                // As good as done: nothing here can fail, and nobody looks before this returns.
                operation.complete(Ok(()));
            }
            let Parts { session, text, nonce, associated, tag, .. } = operation.parts::<S>()?;
            let tag = match checks.then(|| tags.next()).flatten() {
                Some(made) => {
                    checking += 1;
                    made
                }
                None => tag,
            };
            Some(lend(session, Message { text, nonce, associated, tag }))
        }));
        if checking == 0 {
            return;
        }
        let to_check = operations.iter_mut().filter(|operation| {
            operation.is_open() && operation.class() == class && operation.checks_tag()
        });
        for (operation, made) in to_check.zip(&mut self.tags) {
            operation.complete_with_mac(made);
            made.zeroize();
        }
    }
}

struct CbcClass(Planner<CbcLanes>);

impl Class for CbcClass {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        self.0.process_each(operations.iter_mut().filter_map(|operation| {
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

    fn occupancy(&self) -> Occupancy {
        self.0.occupancy()
    }
}

struct CtrClass(Planner<CtrLanes>);

impl Class for CtrClass {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        self.0.process_each(operations.iter_mut().filter_map(|operation| {
            if operation.class() == CTR {
                // As good as done: nothing here can fail, and nobody looks before this returns.
                operation.complete(Ok(()));
            }
            let parts = operation.parts::<CtrSession>()?;
            let CtrSession { key, .. } = parts.session;
            let counter = parts.nonce.try_into().expect("the engine checks the length of nonces");
            Some(match parts.text {
                Text::InPlace(bytes) => Loan::ctr(key, counter, bytes),
                Text::Apart(source, bytes) => Loan::ctr_to(key, counter, source, bytes),
                Text::Read(_) => unreachable!("the engine gives ciphers what can be written"),
            })
        }));
    }

    fn occupancy(&self) -> Occupancy {
        self.0.occupancy()
    }
}
