//! The steps of several key streams side by side.

use super::key::State;
use crate::cpu::Cpu;
use crate::report::KernelInfo;

/// The most lanes any kernel has.
pub(crate) const MAX_LANES: usize = 4;

/// Bytes of a group.
pub(crate) const GROUP: usize = 16;

/// The state that kernels advance. All key streams are at the same byte.
pub(crate) struct Streams {
    pub states: [State; MAX_LANES],
    /// The places that go by the key: `j`.
    pub places: [usize; MAX_LANES],
    /// Where the byte numbered 0 is.
    pub src: [*const u8; MAX_LANES],
    pub dst: [*mut u8; MAX_LANES],
}

/// RC4 on several buffers.
///
/// # Safety
///
/// The caller promises that each source can be read and each destination written for the bytes of
/// the groups.
pub(crate) struct Kernel {
    /// The name shown to users.
    pub name: &'static str,
    pub lanes: usize,
    /// By the number of lanes less one: ciphers groups of bytes, in lanes `0..=n`. The first byte's
    /// number and 1 are a multiple of [`GROUP`], so that no group goes past the end of a state.
    pub groups: &'static [unsafe fn(streams: &mut Streams, first: usize, groups: usize)],
}

/// The kernel of RC4 on this CPU.
pub(crate) fn kernel_info(cpu: &Cpu) -> KernelInfo {
    let Kernel { name, lanes, .. } = *cpu.kernels().rc4;
    KernelInfo {
        algorithm: "rc4",
        kernel: name,
        lanes,
        single: name,
        few: 0,
        reason: "one buffer waits for itself: several side by side, each with its state",
    }
}

/// Two lanes: with more, compilers run out of registers.
pub(crate) static PORTABLE: Kernel =
    Kernel { name: "portable", lanes: 2, groups: &[portable::<1>, portable::<2>] };

/// [`Kernel::groups`], with its contract.
unsafe fn portable<const N: usize>(streams: &mut Streams, first: usize, groups: usize) {
    let Streams { states, places, src, dst } = streams;
    let mut place: [usize; N] = core::array::from_fn(|lane| places[lane]);
    for at in (first..first + GROUP * groups).step_by(8) {
        let mut stream = [0_u64; N];
        for byte in 0..8 {
            for lane in 0..N {
                let next = step(&mut states[lane], at + byte, &mut place[lane]);
                stream[lane] |= u64::from(next) << (8 * byte);
            }
        }
        for lane in 0..N {
            // SAFETY: the contract: a group can be read and written, so half of it can.
            unsafe {
                let text = src[lane].add(at).cast::<u64>().read_unaligned();
                dst[lane].add(at).cast::<u64>().write_unaligned(text ^ stream[lane].to_le());
            }
        }
    }
    places[..N].copy_from_slice(&place);
}

/// Ciphers any number of bytes, whatever the first one's number, in lanes `0..N`.
///
/// # Safety
/// So many bytes can be read and written.
pub(crate) unsafe fn bytes<const N: usize>(streams: &mut Streams, first: usize, count: usize) {
    let Streams { states, places, src, dst } = streams;
    for at in first..first + count {
        for lane in 0..N {
            let stream = step(&mut states[lane], at, &mut places[lane]);
            // SAFETY: the caller's.
            unsafe { dst[lane].add(at).write(src[lane].add(at).read() ^ stream) };
        }
    }
}

/// The keystream's byte of a number.
#[inline(always)]
fn step(state: &mut State, number: usize, place: &mut usize) -> u8 {
    let i = (number + 1) % 256;
    let a = state[i];
    let j = (*place + a as usize) % 256;
    let b = state[j];
    (state[i], state[j]) = (b, a);
    *place = j;
    state[(a + b) as usize % 256] as u8
}
