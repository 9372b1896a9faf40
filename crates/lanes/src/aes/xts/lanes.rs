//! The scheduler of XTS data units. It gathers units, so that their tweaks are computed side by
//! side.

use core::fmt;

use zeroize::Zeroize;

use super::XtsKey;
use crate::aes::lanes::Direction;
use crate::aes::select;
use crate::cpu::Cpu;
use crate::kernels::aes::blocks::{BlocksKernel, next_tweak};
use crate::kernels::aes::key::{Block, BlockWords};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;

/// Data units that are gathered.
const GATHERED: usize = 16;

/// One data unit, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if the key is readable, `src` is readable and
/// `dst` writable for `len` bytes, at least a block, and the two are equal or apart.
#[derive(Clone, Copy)]
pub struct XtsTask {
    pub(super) key: *const XtsKey,
    pub(super) tweak: BlockWords,
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    /// At least a block.
    pub(super) len: usize,
    pub(super) direction: Direction,
}

/// The scheduler of XTS data units: one after the other, each ciphered at once.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{Cpu, Planner, XtsJob, XtsKey, XtsLanes};
///
/// let mut planner: Planner<XtsLanes> = Planner::new(&Cpu::detect());
/// let key: Vec<u8> = (0..32).collect();
/// let key = XtsKey::new(&key).expect("two halves that differ");
/// let mut jobs = [XtsJob::encrypt(&key, [1; 16], vec![0; 512], ()).expect("a block or more")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct XtsLanes {
    kernel: &'static BlocksKernel,
    tasks: [XtsTask; GATHERED],
    ids: [u32; GATHERED],
}

// SAFETY: the pointers in `tasks` are only used during a call, which writes them first.
unsafe impl Send for XtsLanes {}

impl Lanes for XtsLanes {
    type Task = XtsTask;

    fn new(cpu: &Cpu) -> Self {
        let none = XtsTask {
            key: core::ptr::null(),
            tweak: BlockWords::ZERO,
            src: core::ptr::null(),
            dst: core::ptr::null_mut(),
            len: 0,
            direction: Direction::Encrypt,
        };
        XtsLanes { kernel: select::blocks(cpu), tasks: [none; _], ids: [0; _] }
    }

    fn lanes(&self) -> usize {
        1
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy::default()
    }

    unsafe fn run(&mut self, source: &mut impl Source<XtsTask>) {
        let XtsLanes { kernel, tasks, ids } = self;
        loop {
            let mut count = 0;
            for (place, number) in tasks.iter_mut().zip(&mut *ids) {
                let taken = source.next(|id, task| {
                    *place = *task;
                    *number = id;
                    // From where it was made, not from the copy, which is not in the cache yet.
                    // SAFETY: the task is good by the contract of `run`, so its key is readable; a
                    // tweak is a block, and the two tweaks are different places. The kernel is for
                    // this CPU.
                    unsafe {
                        let (from, to) =
                            (task.tweak.block().as_ptr(), place.tweak.block_mut().as_mut_ptr());
                        (kernel.encrypt)((*task.key).tweak(), from, to, 1);
                    }
                });
                if taken.is_none() {
                    break;
                }
                count += 1;
            }
            for (task, id) in tasks.iter_mut().zip(&*ids).take(count) {
                // SAFETY: the task is good until it is reported done, by the contract of `run`, and
                // its tweak was just made ready; the kernel is for this CPU.
                unsafe { process(kernel, task) };
                source.done(*id);
            }
            if count < GATHERED {
                return;
            }
        }
    }
}

/// Ciphers a data unit whose tweak is ready, and wipes the tweak.
///
/// # Safety
/// The task is good, as [`Lanes::Task`] defines it, and the kernel is for this CPU.
#[inline(always)]
unsafe fn process(kernel: &BlocksKernel, task: &mut XtsTask) {
    let XtsTask { key, ref mut tweak, src, dst, len, direction } = *task;
    let tweak = tweak.block_mut();
    let cipher = match direction {
        Direction::Encrypt => kernel.xts_encrypt,
        Direction::Decrypt => kernel.xts_decrypt,
    };
    let part = len % 16;
    // The last whole block goes with the part behind it, if there is one.
    let alone = len / 16 - usize::from(part > 0);
    // SAFETY: `src` and `dst` are valid for `len` bytes, by this function's contract. `alone`
    // blocks and, if there is a part, one more block and `part` bytes make up `len`; all of these
    // last bytes are read before any of them is written.
    unsafe {
        let key = (*key).text();
        cipher(key, tweak, src, dst, alone);
        if part > 0 {
            let (src, dst) = (src.add(16 * alone), dst.add(16 * alone));
            let mut whole = src.cast::<Block>().read();
            let mut short = [0; 16];
            core::ptr::copy_nonoverlapping(src.add(16), short.as_mut_ptr(), part);
            // Going back, the two tweaks change places.
            let mut other = next_tweak(u128::from_le_bytes(*tweak)).to_le_bytes();
            if direction == Direction::Decrypt {
                core::mem::swap(tweak, &mut other);
            }
            let block = whole.as_mut_ptr();
            cipher(key, tweak, block.cast_const(), block, 1);
            short[part..].copy_from_slice(&whole[part..]);
            let block = short.as_mut_ptr();
            cipher(key, &mut other, block.cast_const(), block, 1);
            dst.cast::<Block>().write(short);
            core::ptr::copy_nonoverlapping(whole.as_ptr(), dst.add(16), part);
            [whole, short, other].iter_mut().for_each(Zeroize::zeroize);
        }
    }
    tweak.zeroize();
}

/// The fewest bytes of a data unit: a block.
const MIN_LEN: usize = 16;

/// The most bytes of a data unit (SP 800-38E, section 4): 2^20 blocks.
const MAX_LEN: usize = 16 << 20;

/// The cost of a data unit, the same for all, because no order of them has fewer steps.
pub(super) const COST: usize = 1;

/// A data unit is too short or too long for XTS.
///
/// ```
/// use broadloom_lanes::{XtsJob, XtsKey};
///
/// let error = {
///     let key: Vec<u8> = (0..32).collect();
///     let key = XtsKey::new(&key).expect("two halves that differ");
///     XtsJob::encrypt(&key, [1; 16], vec![0; 15], ()).err().expect("less than a block")
/// };
/// assert_eq!(error.to_string(), "a data unit of AES-XTS has 16 to 16777216 bytes, not 15");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XtsLengthError {
    /// Its length, in bytes.
    pub len: usize,
}

impl XtsLengthError {
    pub(super) fn check(len: usize) -> Result<(), XtsLengthError> {
        match (MIN_LEN..=MAX_LEN).contains(&len) {
            true => Ok(()),
            false => Err(XtsLengthError { len }),
        }
    }
}

impl fmt::Display for XtsLengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.len;
        write!(f, "a data unit of AES-XTS has {MIN_LEN} to {MAX_LEN} bytes, not {len}")
    }
}

impl core::error::Error for XtsLengthError {}
