//! OFB buffers, and their tasks.

use super::lanes::{OfbLanes, OfbTask};
use crate::aes::key::{AesKey, Block, BlockWords};
use crate::aes::lanes::{CbcTask, Direction};
use crate::buffer::{CipherBuffer, Span};
use crate::job::{Cipher, CipherJob};

/// OFB under a key, from an IV on.
#[derive(Clone, Copy)]
pub struct Ofb<'a> {
    key: &'a AesKey,
    iv: BlockWords,
}

impl<'a> Ofb<'a> {
    #[inline(always)]
    pub(super) fn new(key: &'a AesKey, iv: &Block) -> Self {
        Ofb { key, iv: BlockWords::of(iv) }
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the text.
unsafe impl Cipher for Ofb<'_> {
    type Lanes = OfbLanes;

    #[inline(always)]
    fn task(&self, Span { src, dst, len }: Span) -> OfbTask {
        let Ofb { key, iv } = *self;
        let direction = Direction::Encrypt;
        OfbTask {
            whole: CbcTask { key, iv, src, dst, blocks: len / 16, direction },
            part: len % 16,
            last: 0,
        }
    }

    #[inline(always)]
    fn cost(&self, len: usize) -> usize {
        len / 16
    }
}

/// A buffer of any length to be encrypted or decrypted with AES in OFB mode (SP 800-38A, section
/// 6.4), which are the same; the last block may be shorter.
///
/// No IV may be used twice under one key: two such ciphertexts reveal the difference of their
/// plaintexts.
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, OfbJob, OfbLanes, Planner};
///
/// let key = AesKey::new(&[7; 32])?;
/// let mut jobs = [OfbJob::ofb(&key, [1; 16], vec![0; 20], ())];
/// Planner::<OfbLanes>::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), Some([0; 20].as_slice()));
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
pub type OfbJob<'a, B, T = ()> = CipherJob<Ofb<'a>, B, T>;

impl<'a, B: CipherBuffer, T> OfbJob<'a, B, T> {
    /// Ciphers a buffer.
    pub fn ofb(key: &'a AesKey, iv: [u8; 16], buffer: B, user: T) -> Self {
        Self::cipher(Ofb::new(key, &iv), buffer, user)
    }
}
