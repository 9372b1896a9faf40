//! Selects the kernels of a hash for a CPU, and the number of buffers below which the kernel for
//! few takes over.

use super::compression::Compression;
use super::kernel::{self, HashKernel, LoneRun, Messages, Shape, SingleKernel};
use crate::features::Choice;
use crate::plain::Plain;
use crate::vector::{MAX_LANES, Vector, Word};

/// The kernels of one hash on one CPU.
#[derive(Clone, Copy)]
pub struct HashChoice<W> {
    /// For many buffers.
    pub wide: HashKernel<W>,
    /// For fewer, where the CPU has such kernels beside the wide one: the fewest lanes first.
    pub(crate) middle: [Option<Middle<W>>; 2],
    /// For few.
    pub single: SingleKernel<W>,
    /// With this number of buffers or fewer, `single` is faster: `docs/performance.md`,
    /// «Crossover».
    pub few: usize,
    /// For one message in a call of its own, where the CPU has a kernel that takes it to its end.
    pub(crate) alone: Option<LoneRun<W>>,
}

/// A kernel of fewer lanes than the wide one.
#[derive(Clone, Copy)]
pub(crate) struct Middle<W> {
    pub(crate) kernel: HashKernel<W>,
    /// With this number of buffers or fewer it is faster than the wide kernel, even if it is called
    /// several times.
    pub(crate) up_to: usize,
}

/// The kernels of many lanes: the wide kernel and, if there is one, a kernel of fewer lanes.
pub(crate) type Many<W> = (HashKernel<W>, Option<Middle<W>>);

impl<W: Word> HashChoice<W> {
    /// Finds the crossover: a wide kernel takes as long for one buffer as for all its lanes.
    /// Measured (docs/performance.md, «Crossover»), it is slower than one buffer alone, and slower
    /// than two by the kernel that interleaves two, unless it takes no more than two itself; three
    /// buffers fill it well enough.
    pub(crate) const fn new((wide, middle): Many<W>, single: SingleKernel<W>) -> Self {
        let few = if single.two.is_some() && wide.lanes > 2 { 2 } else { 1 };
        HashChoice { wide, middle: [middle, None], single, few, alone: None }
    }

    /// Adds a kernel for up to half the lanes, for a wide kernel that takes as long for half as for
    /// all.
    #[allow(dead_code, reason = "not every architecture has such kernels")]
    pub(crate) const fn with_half(self, kernel: HashKernel<W>) -> Self {
        let half = Some(Middle { up_to: kernel.lanes, kernel });
        HashChoice { middle: [self.middle[0], half], ..self }
    }

    /// Adds a kernel for a message in a call of its own.
    #[allow(dead_code, reason = "not every architecture has such kernels")]
    pub(crate) const fn with_alone(self, kernel: LoneRun<W>) -> Self {
        HashChoice { alone: Some(kernel), ..self }
    }
}

impl<W> HashChoice<W> {
    /// Returns the lanes of the kernel for half of them, if there is one.
    #[inline(always)]
    pub(crate) fn half(&self) -> Option<usize> {
        self.middle[1].as_ref().map(|half| half.up_to)
    }

    /// Returns the number of lanes that a call for `count` buffers touches, in use or not.
    #[inline(always)]
    pub fn room(&self, count: usize) -> usize {
        count.next_multiple_of(self.kernel(count).lanes)
    }

    /// Returns `true` if the kernel for `count` lanes pads messages itself.
    #[inline(always)]
    pub(crate) fn pads(&self, count: usize) -> bool {
        self.kernel(count).pads && count > self.few
    }

    /// Returns the kernel for `count` lanes, which may have to be called several times for them.
    #[inline(always)]
    fn kernel(&self, count: usize) -> &HashKernel<W> {
        let middle = self.middle.iter().flatten().find(|middle| count <= middle.up_to);
        middle.map_or(&self.wide, |middle| &middle.kernel)
    }

    /// Advances lanes `0..count` by `blocks` blocks.
    ///
    /// # Safety
    /// The conditions of [`WideRun`](super::kernel::WideRun), for lanes `0..room(count)`
    /// ([`room`](Self::room)).
    #[inline(always)]
    pub unsafe fn run(
        &self,
        states: &[*mut W; MAX_LANES],
        data: &[*const u8; MAX_LANES],
        count: usize,
        blocks: usize,
    ) {
        // SAFETY: `each` calls with lanes `first..first + kernel.lanes` that lie below
        // `room(count)`, and for these the contract of `WideRun` holds by this function's own
        // contract.
        self.each(count, |kernel, first| unsafe {
            (kernel.run)(states[first..].as_ptr(), data[first..].as_ptr(), blocks);
        });
    }

    /// Takes lanes `0..count` to their ends.
    ///
    /// # Safety
    /// The conditions of [`WideFinish`](super::kernel::WideFinish), for lanes `0..room(count)`
    /// ([`room`](Self::room)).
    #[inline(always)]
    pub(crate) unsafe fn finish(&self, messages: &Messages<W>, count: usize, shape: Shape) {
        // SAFETY: `each` calls with lanes `first..first + kernel.lanes` that lie below
        // `room(count)`, and for these the contract of `WideFinish` holds by this function's own
        // contract.
        self.each(count, |kernel, first| unsafe { (kernel.finish)(messages, first, shape) });
    }

    /// Calls `call` with the kernel for `count` lanes, as often as it needs, and with the first
    /// lane of each call.
    #[inline(always)]
    fn each(&self, count: usize, call: impl Fn(&HashKernel<W>, usize)) {
        let kernel = self.kernel(count);
        (0..count).step_by(kernel.lanes).for_each(|first| call(kernel, first));
    }
}

/// The kernels of all hashes in one instruction set.
pub struct HashKernels {
    pub(crate) md5: Choice<HashChoice<u32>>,
    pub(crate) sha1: Choice<HashChoice<u32>>,
    pub(crate) sha224: Choice<HashChoice<u32>>,
    pub(crate) sha256: Choice<HashChoice<u32>>,
    pub(crate) sha384: Choice<HashChoice<u64>>,
    pub(crate) sha512: Choice<HashChoice<u64>>,
    pub(crate) sm3: Choice<HashChoice<u32>>,
}

/// Returns the kernel for one buffer that every machine has.
pub(crate) const fn plain<C: Compression>() -> SingleKernel<C::Word>
where
    Plain<C::Word>: Vector<Word = C::Word>,
{
    SingleKernel { name: "integers", one: single::<C>, two: None }
}

/// Hashes one buffer, in plain integers.
///
/// # Safety
/// The conditions of [`SingleRun`](super::kernel::SingleRun).
unsafe fn single<C>(state: *mut C::Word, data: *const u8, blocks: usize)
where
    C: Compression,
    Plain<C::Word>: Vector<Word = C::Word>,
{
    // SAFETY: a list of one lane is a pointer to one pointer; `state` and `data` fulfil the
    // contract of `SingleRun`, which is that of `WideRun` for one lane, and plain integers need no
    // instruction set.
    unsafe { kernel::run::<Plain<C::Word>, C>(&raw const state, &raw const data, blocks) }
}
