//! The steps of several key streams side by side.

use super::key::Rc4State;

/// The most lanes any kernel has.
pub(crate) const MAX_LANES: usize = 4;

/// Bytes of a group.
pub(crate) const GROUP: usize = 16;

/// The state of one lane, and room that keeps the next lane's apart.
///
/// All lanes are at the same byte, and with states one behind another their entries were 1024 bytes
/// apart. On AMD Zen 4 a buffer of 1 KiB then took 12,025 cycles in four lanes (9030 in three, 2132
/// in two), and with a cache line between the states it takes 1631. Presumably the CPU compares
/// only some low bits of addresses when it looks for the store that a load must wait for.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct LaneState {
    pub state: Rc4State,
    apart: [u32; 16],
}

impl LaneState {
    /// Bytes from one lane's state to the next.
    pub const SIZE: usize = 1088;

    /// No state: all zeros.
    pub const NONE: LaneState = LaneState { state: [0; 256], apart: [0; 16] };
}

const _: () = assert!(size_of::<LaneState>() == LaneState::SIZE);

/// The state that kernels advance. All key streams are at the same byte.
pub(crate) struct Streams {
    pub states: [LaneState; MAX_LANES],
    /// The places that depend on the key: `j`.
    pub places: [usize; MAX_LANES],
    /// The address of the byte numbered 0.
    pub src: [*const u8; MAX_LANES],
    pub dst: [*mut u8; MAX_LANES],
}

/// RC4 on several buffers.
///
/// # Safety
///
/// - Each source is readable and each destination writable for the bytes of the groups, and the two
///   are equal or apart.
/// - `first + 1` is a multiple of [`GROUP`], so that no group passes the end of a state.
pub(crate) struct Rc4Kernel {
    /// The name shown to users.
    pub name: &'static str,
    pub lanes: usize,
    /// By the number of lanes less one: each function ciphers `groups` groups of bytes, from byte
    /// `first` on, in lanes `0..=n`.
    pub groups: &'static [unsafe fn(streams: &mut Streams, first: usize, groups: usize)],
}

/// Two lanes: with more, compilers run out of registers.
pub(crate) static PORTABLE: Rc4Kernel =
    Rc4Kernel { name: "portable", lanes: 2, groups: &[portable::<1>, portable::<2>] };

/// Does what [`Rc4Kernel::groups`] does, with its contract.
unsafe fn portable<const N: usize>(streams: &mut Streams, first: usize, groups: usize) {
    let Streams { states, places, src, dst } = streams;
    let mut place: [usize; N] = core::array::from_fn(|lane| places[lane]);
    for at in (first..first + GROUP * groups).step_by(8) {
        let mut stream = [0_u64; N];
        for byte in 0..8 {
            for lane in 0..N {
                let next = step(&mut states[lane].state, at + byte, &mut place[lane]);
                stream[lane] |= u64::from(next) << (8 * byte);
            }
        }
        for lane in 0..N {
            // SAFETY: `src` is readable and `dst` writable for a group, by the contract of
            // `groups`, and so for the half of it at `at`.
            unsafe {
                let text = src[lane].add(at).cast::<u64>().read_unaligned();
                dst[lane].add(at).cast::<u64>().write_unaligned(text ^ stream[lane].to_le());
            }
        }
    }
    places[..N].copy_from_slice(&place);
}

/// Ciphers `count` bytes in lanes `0..N`, whatever the number of the first.
///
/// # Safety
/// In each of these lanes, `src` is readable and `dst` writable for `count` bytes from byte `first`
/// on, and the two are equal or apart.
pub(crate) unsafe fn bytes<const N: usize>(streams: &mut Streams, first: usize, count: usize) {
    let Streams { states, places, src, dst } = streams;
    for at in first..first + count {
        for lane in 0..N {
            let stream = step(&mut states[lane].state, at, &mut places[lane]);
            // SAFETY: byte `at` is one of the `count` bytes from `first` on, by this function's
            // contract.
            unsafe { dst[lane].add(at).write(src[lane].add(at).read() ^ stream) };
        }
    }
}

/// Returns the byte of the keystream with this number, and advances the state.
#[inline(always)]
fn step(state: &mut Rc4State, number: usize, place: &mut usize) -> u8 {
    let i = (number + 1) % 256;
    let a = state[i];
    let j = (*place + a as usize) % 256;
    let b = state[j];
    (state[i], state[j]) = (b, a);
    *place = j;
    state[(a + b) as usize % 256] as u8
}
