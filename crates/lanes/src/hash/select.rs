//! Which kernels a hash gets on a CPU, and when the narrow one takes over.

use super::kernel::{HashKernel, Messages, Shape, SingleKernel};
use super::{Compression, Hash};
use crate::cpu::{Cpu, Isa};
use crate::isa;
use crate::isa::portable::Plain;
use crate::vector::{MAX_LANES, Vector};

/// The kernels of one hash on one CPU.
#[derive(Clone, Copy)]
pub struct Kernels<W> {
    /// For many buffers.
    pub(crate) wide: HashKernel<W>,
    /// For fewer, where the CPU has such a kernel beside the wide one.
    pub(crate) middle: Option<Middle<W>>,
    /// For few.
    pub(crate) single: SingleKernel<W>,
    /// With so many buffers or fewer `single` is the faster: `docs/performance.md`, «Crossover».
    pub(crate) few: usize,
}

/// A kernel of fewer lanes than the wide one.
#[derive(Clone, Copy)]
pub(crate) struct Middle<W> {
    pub(crate) kernel: HashKernel<W>,
    /// With so many buffers or fewer it is faster than the wide one, taking as many times as it needs.
    pub(crate) up_to: usize,
}

/// The kernels of many lanes: the wide one and, if there is one, that between it and the single buffer.
pub(crate) type Many<W> = (HashKernel<W>, Option<Middle<W>>);

impl<W> Kernels<W> {
    /// Finds the crossover: a wide kernel takes as long for one buffer as for all its lanes. Measured
    /// (docs/performance.md, «Crossover»), it is slower than one buffer alone, and slower than two by
    /// the kernel that interleaves two, unless it takes no more than two itself; three buffers fill it
    /// well enough.
    pub(crate) fn new((wide, middle): Many<W>, single: SingleKernel<W>) -> Self {
        let few = if single.two.is_some() && wide.lanes > 2 { 2 } else { 1 };
        Kernels { wide, middle, single, few }
    }
}

impl<W> Kernels<W> {
    /// The lanes that a call for so many touches, in use or not.
    #[inline(always)]
    pub(crate) fn room(&self, count: usize) -> usize {
        match &self.middle {
            Some(middle) if count <= middle.up_to => count.next_multiple_of(middle.kernel.lanes),
            _ => self.wide.lanes,
        }
    }

    /// Whether the kernel for so many lanes pads messages itself.
    #[inline(always)]
    pub(crate) fn pads(&self, count: usize) -> bool {
        let kernel = match &self.middle {
            Some(middle) if count <= middle.up_to => &middle.kernel,
            _ => &self.wide,
        };
        kernel.pads && count > self.few
    }

    /// Advances lanes `0..count` by `blocks` blocks.
    ///
    /// # Safety
    /// As for [`WideRun`](super::kernel::WideRun), of [`room`](Self::room) lanes.
    #[inline(always)]
    pub(crate) unsafe fn run(
        &self,
        states: &[*mut W; MAX_LANES],
        data: &[*const u8; MAX_LANES],
        count: usize,
        blocks: usize,
    ) {
        // SAFETY: the caller's, of these lanes.
        self.each(count, |kernel, first| unsafe {
            (kernel.run)(states[first..].as_ptr(), data[first..].as_ptr(), blocks);
        });
    }

    /// Takes lanes `0..count` to their ends.
    ///
    /// # Safety
    /// As for [`WideFinish`](super::kernel::WideFinish), of [`room`](Self::room) lanes.
    #[inline(always)]
    pub(crate) unsafe fn finish(&self, messages: &Messages<W>, count: usize, shape: Shape) {
        // SAFETY: the caller's, of these lanes.
        self.each(count, |kernel, first| unsafe { (kernel.finish)(messages, first, shape) });
    }

    /// The calls that so many lanes take: the kernel, and the first lane of each.
    #[inline(always)]
    fn each(&self, count: usize, call: impl Fn(&HashKernel<W>, usize)) {
        match &self.middle {
            Some(Middle { kernel, up_to }) if count <= *up_to => {
                (0..count).step_by(kernel.lanes).for_each(|first| call(kernel, first));
            }
            _ => call(&self.wide, 0),
        }
    }
}

/// The kernels of SHA-1 for many buffers. Four by the SHA instructions take three eighths of the time of sixteen on
/// 512-bit vectors.
pub(crate) fn many_sha1<A: Hash<Word = u32>>(cpu: &Cpu) -> Many<u32> {
    #[cfg(target_arch = "x86_64")]
    if cpu.has("sha") {
        return by_sha_instructions(cpu, isa::x86_sha::wide_sha1::<A>(), vectors_of_sha1::<A>, 8);
    }
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha2") {
        return (isa::arm_sha::wide_sha1::<A>(), None);
    }
    (vectors_of_sha1::<A>(cpu), None)
}

/// The kernel of SHA-1 on vectors.
fn vectors_of_sha1<A: Hash<Word = u32>>(cpu: &Cpu) -> HashKernel<u32> {
    #[cfg(target_arch = "x86_64")]
    if cpu.isa() == Isa::Avx512 && cpu.has("fp256") {
        return isa::x86_sha1x16::kernel::<A>();
    }
    wide32::<A>(cpu)
}

/// The kernel of the SHA instructions: the wide one where it is faster than vectors, else between those and a single
/// buffer.
#[cfg(target_arch = "x86_64")]
fn by_sha_instructions(
    cpu: &Cpu,
    kernel: HashKernel<u32>,
    vectors: fn(&Cpu) -> HashKernel<u32>,
    up_to: usize,
) -> Many<u32> {
    match cpu.isa() {
        Isa::Avx512 => (vectors(cpu), Some(Middle { kernel, up_to })),
        _ => (kernel, None),
    }
}

/// The kernels of SHA-224 and SHA-256 for many buffers. Four by the SHA instructions take a quarter of the time of
/// sixteen on 512-bit vectors, or little more.
///
/// Where an operation on 512 bits is two of 256 (AMD Zen 4), SHA instructions and 256-bit vectors at once take three quarters
/// of the time of 512-bit vectors. Where it is one, or where SHA instructions start only every other cycle (Intel's cores),
/// 512-bit vectors are the faster.
pub(crate) fn many_sha256<A: Hash<Word = u32>>(cpu: &Cpu) -> Many<u32> {
    #[cfg(target_arch = "x86_64")]
    if cpu.has("sha") {
        if cpu.isa() == Isa::Avx512 && cpu.has("fp256") {
            let kernel = isa::x86_sha::wide_sha256_avx512::<A>();
            return (isa::x86_sha256x8::kernel::<A>(), Some(Middle { kernel, up_to: 4 }));
        }
        return by_sha_instructions(cpu, isa::x86_sha::wide_sha256::<A>(), wide32::<A>, 12);
    }
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha2") {
        return (isa::arm_sha::wide_sha256::<A>(), None);
    }
    many32::<A>(cpu)
}

/// The kernel of SHA-384 and SHA-512 for many buffers.
pub(crate) fn many_sha512<A: Hash<Word = u64>>(cpu: &Cpu) -> Many<u64> {
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha512") {
        return (isa::arm_sha::wide_sha512::<A>(), None);
    }
    (wide64::<A>(cpu), None)
}

/// The kernel for many buffers of a hash that no CPU has instructions for.
pub(crate) fn many32<A: Hash<Word = u32>>(cpu: &Cpu) -> Many<u32> {
    (wide32::<A>(cpu), None)
}

/// The wide kernel of a hash with 32-bit words.
fn wide32<A: Hash<Word = u32>>(cpu: &Cpu) -> HashKernel<u32> {
    match cpu.isa() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => isa::avx512::kernel32::<A>(),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => isa::avx2::kernel32::<A>(),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => isa::neon::kernel32::<A>(),
        _ => isa::portable::kernel32::<A>(),
    }
}

/// The wide kernel of a hash with 64-bit words.
fn wide64<A: Hash<Word = u64>>(cpu: &Cpu) -> HashKernel<u64> {
    match cpu.isa() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => isa::avx512::kernel64::<A>(),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => isa::avx2::kernel64::<A>(),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => isa::neon::kernel64::<A>(),
        _ => isa::portable::kernel64::<A>(),
    }
}

/// SHA-1 for one buffer.
pub(crate) fn single_sha1(cpu: &Cpu) -> SingleKernel<u32> {
    #[cfg(target_arch = "x86_64")]
    if cpu.has("sha") {
        return isa::x86_sha::SHA1;
    }
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha2") {
        return isa::arm_sha::SHA1;
    }
    integers::<super::sha1::Core>(cpu)
}

/// SHA-256 for one buffer.
pub(crate) fn single_sha256(cpu: &Cpu) -> SingleKernel<u32> {
    #[cfg(target_arch = "x86_64")]
    if cpu.has("sha") {
        return isa::x86_sha::SHA256;
    }
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha2") {
        return isa::arm_sha::SHA256;
    }
    integers::<super::sha256::Core>(cpu)
}

/// SHA-384 and SHA-512 for few buffers.
pub(crate) fn single_sha512(cpu: &Cpu) -> SingleKernel<u64> {
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha512") {
        return isa::arm_sha::SHA512;
    }
    integers::<super::sha512::Core>(cpu)
}

/// The kernel for one buffer in plain integers, with this CPU's instructions for rotation.
pub(crate) fn integers<C: Compression>(cpu: &Cpu) -> SingleKernel<C::Word>
where
    Plain<C::Word>: Vector<Word = C::Word>,
{
    #[cfg(target_arch = "x86_64")]
    if cpu.has("bmi1") && cpu.has("bmi2") {
        return SingleKernel { name: "integers, bmi2", one: isa::avx2::single::<C>, two: None };
    }
    let _ = cpu;
    plain::<C>()
}

/// The kernel for one buffer that every machine has.
pub(crate) fn plain<C: Compression>() -> SingleKernel<C::Word>
where
    Plain<C::Word>: Vector<Word = C::Word>,
{
    SingleKernel { name: "integers", one: isa::portable::single::<C>, two: None }
}
