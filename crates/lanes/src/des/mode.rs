//! What each mode of operation does to the block of one lane (SP 800-38A).

/// Bytes in a block of DES.
pub(super) const BLOCK: usize = 8;

/// A mode, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    EcbEncrypt,
    EcbDecrypt,
    CbcEncrypt,
    CbcDecrypt,
    Counter,
}

impl Mode {
    /// Whether the cipher runs backwards.
    #[inline(always)]
    pub fn decrypts(self) -> bool {
        matches!(self, Mode::EcbDecrypt | Mode::CbcDecrypt)
    }

    /// Whether each block needs what became of the one before.
    #[inline(always)]
    pub fn is_serial(self) -> bool {
        self == Mode::CbcEncrypt
    }
}

/// Blocks that one lane ciphers one after the other: a buffer, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub mode: Mode,
    /// Bytes of the last block, if that is not whole; else 0.
    pub tail: u8,
    pub src: *const u8,
    pub dst: *mut u8,
    /// Blocks.
    pub left: usize,
    /// For CBC the last block of ciphertext, at first the IV, as a little-endian integer; in counter
    /// mode the next counter.
    pub chain: u64,
}

impl Run {
    /// What the cipher gets next.
    ///
    /// # Safety
    /// A block is left, and the source is readable.
    #[inline(always)]
    pub unsafe fn input(&self) -> u64 {
        // SAFETY: the caller's; every mode but the counter's has whole blocks.
        unsafe {
            match self.mode {
                Mode::EcbEncrypt | Mode::EcbDecrypt | Mode::CbcDecrypt => read(self.src),
                Mode::CbcEncrypt => read(self.src) ^ self.chain,
                Mode::Counter => self.chain.swap_bytes(),
            }
        }
    }

    /// Takes what the cipher gave, and goes on to the next block.
    ///
    /// # Safety
    /// A block is left, the source is readable and the destination writable.
    #[inline(always)]
    pub unsafe fn output(&mut self, block: u64) {
        // SAFETY: the caller's; every mode but the counter's has whole blocks.
        unsafe {
            match self.mode {
                Mode::EcbEncrypt | Mode::EcbDecrypt => write(self.dst, block),
                Mode::CbcEncrypt => {
                    self.chain = block;
                    write(self.dst, block);
                }
                Mode::CbcDecrypt => {
                    let ciphertext = read(self.src);
                    write(self.dst, block ^ self.chain);
                    self.chain = ciphertext;
                }
                Mode::Counter => {
                    self.chain = self.chain.wrapping_add(1);
                    if self.left == 1 && self.tail > 0 {
                        for (i, byte) in
                            block.to_le_bytes().into_iter().enumerate().take(self.tail.into())
                        {
                            self.dst.add(i).write(self.src.add(i).read() ^ byte);
                        }
                        self.left = 0;
                        return;
                    }
                    write(self.dst, read(self.src) ^ block);
                }
            }
            self.left -= 1;
            self.src = self.src.add(BLOCK);
            self.dst = self.dst.add(BLOCK);
        }
    }
}

/// A block as a little-endian integer.
///
/// # Safety
/// Eight bytes are readable.
#[inline(always)]
pub(super) unsafe fn read(from: *const u8) -> u64 {
    // SAFETY: the caller's.
    u64::from_le_bytes(unsafe { from.cast::<[u8; BLOCK]>().read() })
}

/// # Safety
/// Eight bytes are writable.
#[inline(always)]
unsafe fn write(to: *mut u8, block: u64) {
    // SAFETY: the caller's.
    unsafe { to.cast::<[u8; BLOCK]>().write(block.to_le_bytes()) }
}
