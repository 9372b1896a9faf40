//! The last bits of a message: a whole block, or fewer.

/// The first bits of a message, as the highest of an integer, and zeros.
///
/// # Safety
/// The bytes of so many bits can be read. There are 64 bits at most.
pub(super) unsafe fn load_bits(src: *const u8, bits: usize) -> u64 {
    let mut bytes = [0; 8];
    for (i, byte) in bytes.iter_mut().enumerate().take(bits.div_ceil(8)) {
        // SAFETY: the caller's.
        *byte = unsafe { src.add(i).read() };
    }
    u64::from_be_bytes(bytes) & highest(bits)
}

/// Writes the sum of a message's first bits and of a keystream's; other bits stay unchanged.
///
/// # Safety
/// The bytes of so many bits can be read and written. There are 64 bits at most.
pub(super) unsafe fn add_bits(stream: u64, src: *const u8, dst: *mut u8, bits: usize) {
    let mask = highest(bits).to_be_bytes();
    for (i, (stream, mask)) in stream.to_be_bytes().into_iter().zip(mask).enumerate() {
        if mask == 0 {
            break;
        }
        // SAFETY: the caller's: the byte has one of the bits.
        unsafe {
            let (from, to) = (src.add(i).read(), dst.add(i).read());
            dst.add(i).write((from ^ stream) & mask | to & !mask);
        }
    }
}

/// Ones in the highest bits.
fn highest(bits: usize) -> u64 {
    u64::MAX.checked_shr(bits as u32).map_or(u64::MAX, |others| !others)
}
