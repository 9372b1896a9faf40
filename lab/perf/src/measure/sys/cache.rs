//! Buffers pushed out of every cache, for cold measurements.

use super::arch::{fence, flush_line};

/// The shortest cache line of the supported CPUs, in bytes: flushing by it reaches every line.
const LINE: usize = 64;

/// Writes back and evicts every cache line that `bytes` touches, from all levels, and waits for it.
pub fn evict(bytes: &[u8]) {
    let Some(last) = bytes.len().checked_sub(1) else {
        return;
    };
    let mut offset = 0;
    while offset < last {
        flush_line(&bytes[offset]);
        offset += LINE;
    }
    flush_line(&bytes[last]);
    fence();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evicted_bytes_keep_their_values() {
        let bytes: Vec<u8> = (0..1000).map(|i| i as u8).collect();
        for len in [0, 1, 63, 64, 65, 1000] {
            evict(&bytes[..len]);
        }
        assert!(bytes.iter().enumerate().all(|(i, &b)| b == i as u8));
    }
}
