//! What is the same for every kind of session: how its operations become loans, and what is done
//! with tags.

use broadloom_engine::MAX_TAG;
use broadloom_engine::provider::{Last, Operation, ProviderError, ProviderSession, Text};
use broadloom_lanes::{Buffers, Cpu, Lanes, Loan, Occupancy, Planner, kernels};

use crate::kinds::Numbered;

/// What sessions of one kind hold, expanded keys above all, and how their operations are lent to
/// lanes.
pub(crate) trait Kind: Numbered + Send + Sync + Sized + 'static {
    /// Bytes of tag that its lanes write, at most; 0 if it makes none, as the cipher of a chain
    /// does not, whatever its chain checks.
    const TAG_LEN: usize;

    /// What does the work.
    type Lanes: Lanes;

    /// An operation's work. The engine has checked all lengths.
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, Self::Lanes>;

    /// A session that holds this, and names its kernel.
    fn session(self, kernel: String) -> Opened {
        Ok(Box::new(Session { kind: self, kernel }))
    }
}

/// What the engine hands over of an operation, whose session is of this kind.
pub(crate) type Parts<'v, K> = broadloom_engine::provider::Parts<'v, Session<K>>;

/// A nonce of the one length that the kind has.
#[inline(always)]
pub(crate) fn nonce<const N: usize>(nonce: &[u8]) -> &[u8; N] {
    nonce.try_into().expect("the engine checks the length of nonces")
}

/// The buffers of a cipher.
#[inline(always)]
pub(crate) fn buffers(text: Text<'_>) -> Buffers<'_> {
    match text {
        Text::Write(buffers) => buffers,
        Text::Read(_) => unreachable!("the engine gives ciphers buffers that can be written"),
    }
}

/// A session that was opened, or why there is none.
pub(crate) type Opened = Result<Box<dyn ProviderSession>, ProviderError>;

/// A session of this provider.
pub(crate) struct Session<K> {
    kind: K,
    kernel: String,
}

impl<K: Kind> ProviderSession for Session<K> {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn class(&self) -> u8 {
        K::CLASS
    }
}

/// One class's part of a queue.
pub(crate) trait Class: Send {
    /// Completes the operations of this class, and leaves the others. Says how many they were.
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize;

    /// How many of them advance at once.
    fn lanes(&self) -> usize;

    fn occupancy(&self) -> Occupancy;
}

/// The lanes of one kind, and room for tags that are made to be compared.
pub(crate) struct Work<K: Kind> {
    planner: Planner<K::Lanes>,
    tags: Vec<[u8; MAX_TAG]>,
}

impl<K: Kind> Work<K> {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(Work::<K> { planner: Planner::new(cpu), tags: Vec::new() })
    }
}

impl<K: Kind> Class for Work<K> {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let Work { planner, tags } = self;
        if K::TAG_LEN > 0 && tags.len() < operations.len() {
            tags.resize(operations.len(), [0; MAX_TAG]);
        }
        let mut count = Count { own: 0, checking: 0, room: tags.iter_mut() };
        let mut last = Last::default();
        planner.process_each(operations.iter_mut().filter_map(|operation| {
            if operation.is_common() {
                let parts = operation.commit::<Session<K>>(&mut last)?;
                return Some(count.lend(parts));
            }
            let parts = operation.commit_otherwise::<Session<K>>()?;
            Some(count.lend(parts))
        }));
        let Count { own, checking, .. } = count;
        if checking == 0 {
            return own;
        }
        let to_check = operations.iter_mut().filter(|operation| {
            operation.is_open() && operation.class() == K::CLASS && operation.checks_tag()
        });
        for (operation, made) in to_check.zip(tags) {
            operation.complete_with_mac(made);
            // It stays in memory that is used again, so that this is done; `zeroize` would do it
            // byte by byte.
            made[..K::TAG_LEN].fill(0);
        }
        own
    }

    fn lanes(&self) -> usize {
        self.planner.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.planner.occupancy()
    }
}

/// How many operations there were, and where tags go that are made to be compared.
struct Count<'v> {
    own: usize,
    checking: usize,
    room: std::slice::IterMut<'v, [u8; MAX_TAG]>,
}

impl<'v> Count<'v> {
    /// An operation's work.
    #[inline(always)]
    fn lend<K: Kind>(&mut self, mut parts: Parts<'v, K>) -> Loan<'v, K::Lanes> {
        self.own += 1;
        let checks = K::TAG_LEN > 0 && parts.checks_tag;
        if let Some(made) = checks.then(|| self.room.next()).flatten() {
            self.checking += 1;
            parts.tag = made;
        }
        parts.session.kind.lend(parts)
    }
}

/// What a kernel is called that has a lane for each buffer.
pub(crate) fn laned(cpu: &Cpu, algorithm: &str) -> String {
    let (kernel, lanes) = kernel(cpu, algorithm);
    format!("{kernel} x{lanes}")
}

/// What a kernel is called that works on the blocks of one buffer side by side.
pub(crate) fn pipelined(cpu: &Cpu, algorithm: &str) -> String {
    format!("{}, pipelined", kernel(cpu, algorithm).0)
}

/// The kernel for many buffers and its lanes, as [`kernels`] names them.
fn kernel(cpu: &Cpu, algorithm: &str) -> (&'static str, usize) {
    let kernels = kernels(cpu);
    let info = kernels.iter().find(|info| info.algorithm == algorithm);
    info.map_or(("", 0), |info| (info.kernel, info.lanes))
}

/// An error of lanes' as the engine has it.
pub(crate) fn refused(error: impl std::error::Error) -> ProviderError {
    ProviderError::new(error.to_string())
}
