//! The last bits of a message: a whole block, or fewer.

/// Returns the first bits of a message, as the highest of an integer, and zeros.
///
/// # Safety
/// `src` is readable for the bytes of `bits` bits, and there are 64 bits at most.
pub(super) unsafe fn load_bits(src: *const u8, bits: usize) -> u64 {
    let mut bytes = [0; 8];
    for (i, byte) in bytes.iter_mut().enumerate().take(bits.div_ceil(8)) {
        // SAFETY: `i` is below the number of bytes, which are readable by this function's contract.
        *byte = unsafe { src.add(i).read() };
    }
    u64::from_be_bytes(bytes) & highest(bits)
}

/// Writes the sum of a message's first bits and of a keystream's; other bits stay unchanged.
///
/// # Safety
/// `src` is readable, and `dst` is readable and writable, for the bytes of `bits` bits, and there
/// are 64 bits at most. They are equal or apart.
pub(super) unsafe fn add_bits(stream: u64, src: *const u8, dst: *mut u8, bits: usize) {
    let mask = highest(bits).to_be_bytes();
    for (i, (stream, mask)) in stream.to_be_bytes().into_iter().zip(mask).enumerate() {
        if mask == 0 {
            break;
        }
        // SAFETY: the byte has one of the bits, because its mask is not zero, so it is valid at
        // both places by this function's contract.
        unsafe {
            let (from, to) = (src.add(i).read(), dst.add(i).read());
            dst.add(i).write((from ^ stream) & mask | to & !mask);
        }
    }
}

/// Returns ones in the highest bits.
fn highest(bits: usize) -> u64 {
    u64::MAX.checked_shr(bits as u32).map_or(u64::MAX, |others| !others)
}
