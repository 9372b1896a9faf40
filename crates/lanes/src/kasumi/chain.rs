//! What a lane does between two blocks.

/// A mode: a chain of blocks, and what is done between two of them.
pub(super) trait KasumiChain: Copy {
    type Task: Copy;
    /// A chain of no task.
    const IDLE: Self;

    /// Begins a task: returns the chain, and what it encrypts first.
    ///
    /// # Safety
    /// The task is good, as its type says, until the chain has ended.
    unsafe fn begin(task: &Self::Task) -> (Self, Stretch);

    /// Takes an encrypted block, and returns the block to encrypt after it, for all blocks of a
    /// stretch but the last.
    ///
    /// # Safety
    /// - The chain's task is good.
    /// - The stretch has a block after this one.
    unsafe fn advance(&mut self, block: u64) -> u64;

    /// Takes the last block of a stretch, and returns the next stretch; `None` if the task is
    /// complete.
    ///
    /// # Safety
    /// - The chain's task is good.
    /// - The block is the last of its stretch.
    unsafe fn turn(&mut self, block: u64) -> Option<Stretch>;

    /// Wipes all secrets.
    fn wipe(&mut self);
}

/// Blocks under one key.
pub(super) struct Stretch {
    /// The first block to encrypt.
    pub block: u64,
    /// The modifier of the key, for each half.
    pub modifier: u64,
    /// The blocks after the first.
    pub more: usize,
}
