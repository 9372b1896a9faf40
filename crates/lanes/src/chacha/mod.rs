//! ChaCha20 and ChaCha20-Poly1305 (RFC 8439), and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03).
//!
//! Blocks of key stream are independent, so every lane takes a block: the blocks of one text, or
//! those of several short texts. `block` is the block function, `stream` deals blocks to lanes,
//! `poly` is Poly1305, and `aead` combines both. All are written once over
//! [`Vector`](crate::vector::Vector), and `arch` compiles them for each instruction set.

pub(crate) mod aead;
pub(crate) mod block;
mod job;
mod key;
mod lanes;
pub(crate) mod poly;
pub(crate) mod stream;

pub use job::{ChaChaJob, ChaChaPolyJob, XChaChaPolyJob};
pub use key::ChaChaKey;
pub use lanes::{ChaChaLanes, ChaChaPolyLanes, XChaChaPolyLanes};
pub(crate) use poly::NoVectors;

use crate::cpu::Cpu;
use crate::report::KernelInfo;
use aead::Workspace;

/// Bytes that a block of keystream has.
pub(crate) const BLOCK: usize = 64;

/// ChaCha20 and ChaCha20-Poly1305 in one instruction set.
///
/// # Safety
///
/// The caller promises that
///
/// - the CPU has the instructions of the kernel;
/// - all keys are valid, and all that is read is readable for its length, at any alignment;
/// - destinations are writable for the length of their text, and tags for 16 bytes. Source and
///   destination are the same, or do not overlap; nothing else that is written overlaps anything
///   that is read or written;
/// - there are at most [`GATHERED`](aead::GATHERED) messages.
pub(crate) struct ChaChaKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// Blocks of keystream that it makes at once.
    pub lanes: usize,
    /// Ciphers texts to their end.
    pub cipher: Cipher,
    /// Ciphers messages to their end, and writes the tag of each. Nobody has compared it with
    /// another.
    pub process: unsafe fn(messages: &[Message], workspace: &mut Workspace),
    /// Makes the keys that HChaCha20 derives for the first messages.
    pub subkeys:
        unsafe fn(messages: &[Extended], lanes: &mut stream::Lanes, keys: &mut [ChaChaKey]),
}

/// [`ChaChaKernel::cipher`].
pub(crate) type Cipher = unsafe fn(texts: &[Text], lanes: &mut stream::Lanes);

/// Text under one key and nonce.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    pub key: *const ChaChaKey,
    /// The last row of the state that the first block is made of: the counter, and the nonce.
    pub row: [u32; 4],
    pub src: *const u8,
    pub dst: *mut u8,
    pub len: usize,
}

/// One message of ChaCha20-Poly1305. The counter of its text is 1.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    text: Text,
    associated: (*const u8, usize),
    tag: *mut u8,
    /// Plaintext to ciphertext, not back.
    seals: bool,
}

/// One message of XChaCha20-Poly1305, whose text still has the key that another is derived from.
#[derive(Clone, Copy)]
pub(crate) struct Extended {
    /// The last row of the state that HChaCha20 starts from: the first 16 bytes of the nonce.
    row: [u32; 4],
    message: Message,
}

impl Text {
    /// In no place.
    const NONE: Text = Text {
        key: core::ptr::null(),
        row: [0; 4],
        src: core::ptr::null(),
        dst: core::ptr::null_mut(),
        len: 0,
    };
}

impl Message {
    /// In no place.
    const NONE: Message = Message {
        text: Text::NONE,
        associated: (core::ptr::null(), 0),
        tag: core::ptr::null_mut(),
        seals: true,
    };
}

impl AsRef<Text> for Text {
    #[inline(always)]
    fn as_ref(&self) -> &Text {
        self
    }
}

impl Extended {
    /// In no place.
    const NONE: Extended = Extended { row: [0; 4], message: Message::NONE };
}

impl AsRef<Text> for Extended {
    #[inline(always)]
    fn as_ref(&self) -> &Text {
        &self.message.text
    }
}

impl AsRef<Text> for Message {
    #[inline(always)]
    fn as_ref(&self) -> &Text {
        &self.text
    }
}

/// The kernels of all algorithms here on this CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 3] {
    let ChaChaKernel { name, lanes, .. } = *cpu.pick(&cpu.kernels().chacha);
    let reason = match lanes {
        1 => "no vectors that this program knows, or none allowed",
        _ => {
            "the widest vectors that the CPU and the operating system offer: a block of any buffer \
             a lane"
        }
    };
    ["chacha20", "chacha20-poly1305", "xchacha20-poly1305"].map(|algorithm| KernelInfo {
        algorithm,
        kernel: name,
        lanes,
        single: name,
        few: 0,
        reason,
    })
}
