//! What is the same for every kind of session: how its operations become loans, and what is done
//! with tags.

use std::sync::Arc;

use broadloom_engine::MAX_TAG;
use broadloom_engine::provider::{
    Last, Operation, PlainJobs, Portion, ProviderError, ProviderSession, ProviderStream, Text,
};
use broadloom_lanes::{Buffers, Cpu, KernelInfo, Lanes, Loan, Occupancy, Planner, prefetch};

use crate::kinds::Numbered;
use crate::names;

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

    /// A message that comes in pieces; `None` if the lanes take whole messages only.
    fn begin(&self) -> Option<ProviderStream> {
        None
    }

    /// Takes portions of such messages. Without this, no message begins.
    fn absorb<'p, 'd: 'p>(
        planner: &mut Planner<Self::Lanes>,
        portions: impl Iterator<Item = &'p mut Portion<'d>>,
    ) {
        let _ = (planner, portions);
    }

    /// Does what [`ProviderSession::encrypt_block`] does.
    #[inline(always)]
    fn encrypt_block(&self, block: &mut [u8; 16]) -> bool {
        let _ = block;
        false
    }

    /// Asks for what most operations need of this.
    fn touch(&self) {
        prefetch(self);
    }

    /// A session that holds this, and names its kernel.
    fn session(self, kernel: String) -> Opened {
        Ok(Box::new(Session { kind: self, kernel: names::shared(kernel) }))
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

/// Why lanes take every portion that is not the last.
pub(crate) const WHOLE_BLOCKS: &str = "the engine cuts messages at whole blocks";

/// A session that was opened, or why there is none.
pub(crate) type Opened = Result<Box<dyn ProviderSession>, ProviderError>;

/// A session of this provider.
// In this order, and with the beginning of a cache line, keys are on as few lines as they can be.
#[repr(C, align(64))]
pub(crate) struct Session<K> {
    kind: K,
    kernel: Arc<str>,
}

impl<K: Kind> ProviderSession for Session<K> {
    fn kernel(&self) -> String {
        self.kernel.to_string()
    }

    fn instruction_set(&self) -> String {
        instruction_set(&self.kernel)
    }

    fn class(&self) -> u8 {
        K::CLASS
    }

    fn begin(&self) -> Option<ProviderStream> {
        self.kind.begin()
    }

    fn touch(&self) {
        self.kind.touch();
    }

    fn encrypt_block(&self, block: &mut [u8; 16]) -> bool {
        self.kind.encrypt_block(block)
    }
}

/// One class's part of a queue.
pub(crate) trait Class: Send {
    /// Completes the operations of this class, and leaves the others. Says how many they were.
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize;

    /// Completes the plain jobs of this class, and leaves the others. Says how many they were. A
    /// class whose operations are never plain has none.
    fn run_plain(&mut self, jobs: &mut PlainJobs<'_, '_>) -> usize {
        let _ = jobs;
        0
    }

    /// Completes an operation of this class.
    fn run_one(&mut self, operation: &mut Operation<'_>) {
        self.run(&mut [operation]);
    }

    /// Takes the portions of this class, and leaves the others. A class of which no session begins
    /// a message has none.
    fn absorb(&mut self, portions: &mut [Portion<'_>]) {
        let _ = portions;
    }

    /// Returns the number of buffers that advance at once.
    fn lanes(&self) -> usize;

    fn occupancy(&self) -> Occupancy;
}

/// The lanes of one kind, and room for tags that are made to be compared.
pub(crate) struct KindLanes<K: Kind> {
    planner: Planner<K::Lanes>,
    tags: Vec<[u8; MAX_TAG]>,
}

impl<K: Kind> KindLanes<K> {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(KindLanes::<K> { planner: Planner::new(cpu), tags: Vec::new() })
    }
}

impl<K: Kind> Class for KindLanes<K> {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let KindLanes { planner, tags } = self;
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

    fn run_plain(&mut self, jobs: &mut PlainJobs<'_, '_>) -> usize {
        let KindLanes { planner, tags } = self;
        if tags.len() < jobs.len() {
            tags.resize(jobs.len(), [0; MAX_TAG]);
        }
        let (mut own, mut last) = (0, Last::default());
        let mut gathering = planner.gather();
        for (job, made) in jobs.of_class(K::CLASS).zip(&mut *tags) {
            if let Some(parts) = job.commit::<Session<K>>(&mut last, made, K::TAG_LEN) {
                own += 1;
                gathering.push(parts.session.kind.lend(parts));
            }
        }
        gathering.finish();
        for (job, made) in jobs.of_class(K::CLASS).zip(tags) {
            job.complete(made, K::TAG_LEN);
        }
        own
    }

    fn run_one(&mut self, operation: &mut Operation<'_>) {
        let KindLanes { planner, tags } = self;
        if K::TAG_LEN > 0 && tags.is_empty() {
            tags.push([0; MAX_TAG]);
        }
        let mut count = Count { own: 0, checking: 0, room: tags.iter_mut() };
        // Each has a call of its own, as in `run`.
        if operation.is_common() {
            let mut last = Last::default();
            let Some(parts) = operation.commit::<Session<K>>(&mut last) else { return };
            planner.process_one(count.lend(parts));
        } else {
            let Some(parts) = operation.commit_otherwise::<Session<K>>() else { return };
            planner.process_one(count.lend(parts));
        }
        if count.checking > 0 {
            operation.complete_with_mac(&tags[0]);
            tags[0][..K::TAG_LEN].fill(0);
        }
    }

    fn absorb(&mut self, portions: &mut [Portion<'_>]) {
        let own = portions.iter_mut().filter(|portion| portion.class() == K::CLASS);
        K::absorb(&mut self.planner, own);
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

/// Returns the name of a kernel that has a lane for each buffer.
pub(crate) fn laned(info: KernelInfo) -> String {
    format!("{} x{}", info.kernel, info.lanes)
}

/// What is said of a kernel that works on the blocks of one buffer side by side.
const PIPELINED: &str = "pipelined";

/// Returns the name of a kernel that works on the blocks of one buffer side by side.
pub(crate) fn pipelined(info: KernelInfo) -> String {
    format!("{}, {PIPELINED}", info.kernel)
}

/// Returns the instruction sets of kernels that [`laned`] and [`pipelined`] named, each once.
pub(crate) fn instruction_set(kernels: &str) -> String {
    let mut sets = Vec::new();
    for part in kernels.split(", ").filter(|part| *part != PIPELINED) {
        let set = part.split_once(" x").map_or(part, |(set, _)| set);
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets.join(", ")
}

/// An error of lanes' as the engine has it.
pub(crate) fn refused(error: impl std::error::Error) -> ProviderError {
    ProviderError::new(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_set_is_named_without_lanes_and_once() {
        let named = ["avx512 x16", "vaes-512, pipelined", "sha-ni, avx512 x8", "avx2 x8, avx2 x4"];
        let sets = named.map(instruction_set);
        assert_eq!(sets, ["avx512", "vaes-512", "sha-ni, avx512", "avx2"]);
    }
}
