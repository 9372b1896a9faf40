//! CFB buffers, and their tasks.

use super::lanes::{CfbLanes, CfbTask};
use crate::aes::key::{AesKey, Block, BlockWords};
use crate::aes::lanes::{CbcTask, Direction};
use crate::buffer::{CipherBuffer, Span};
use crate::job::{Cipher, CipherJob};

/// CFB under a key, one way, from an IV on.
#[derive(Clone, Copy)]
pub struct Cfb<'a> {
    key: &'a AesKey,
    iv: BlockWords,
    direction: Direction,
}

impl<'a> Cfb<'a> {
    #[inline(always)]
    pub(super) fn new(direction: Direction, key: &'a AesKey, iv: &Block) -> Self {
        Cfb { key, iv: BlockWords::of(iv), direction }
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the text.
unsafe impl Cipher for Cfb<'_> {
    type Lanes = CfbLanes;

    #[inline(always)]
    fn task(&self, Span { src, dst, len }: Span) -> CfbTask {
        let Cfb { key, iv, direction } = *self;
        CfbTask {
            whole: CbcTask { key, iv, src, dst, blocks: len / 16, direction },
            part: len % 16,
        }
    }

    #[inline(always)]
    fn cost(&self, len: usize) -> usize {
        match self.direction {
            Direction::Encrypt => len / 16,
            Direction::Decrypt => 0,
        }
    }
}

/// A buffer of any length to be encrypted or decrypted with AES in CFB mode, with segments of 128
/// bits (SP 800-38A, section 6.3); the last may be shorter.
///
/// For each message under one key, the IV must be unpredictable (SP 800-38A, appendix C). Two
/// messages under one IV reveal the difference of their first segments, and how far the texts are
/// equal.
///
/// ```
/// use broadloom_lanes::{AesKey, CfbJob, CfbLanes, Cpu, Planner};
///
/// let key = AesKey::new(&[7; 32])?;
/// let mut jobs = [CfbJob::encrypt(&key, [1; 16], vec![0; 20], ())];
/// Planner::<CfbLanes>::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), Some([0; 20].as_slice()));
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
pub type CfbJob<'a, B, T = ()> = CipherJob<Cfb<'a>, B, T>;

impl<'a, B: CipherBuffer, T> CfbJob<'a, B, T> {
    /// Encrypts a buffer.
    pub fn encrypt(key: &'a AesKey, iv: [u8; 16], buffer: B, user: T) -> Self {
        Self::cipher(Cfb::new(Direction::Encrypt, key, &iv), buffer, user)
    }

    /// Decrypts a buffer.
    pub fn decrypt(key: &'a AesKey, iv: [u8; 16], buffer: B, user: T) -> Self {
        Self::cipher(Cfb::new(Direction::Decrypt, key, &iv), buffer, user)
    }
}
