//! Source 003, *Programming Intel QuickAssist Technology Hardware Accelerators for Optimal
//! Performance*: the numbers that its text states. Its graphs are pictures, and nothing was read
//! off them.
//!
//! Measured on an Intel Xeon E5-2680 at 2.7 GHz with an 8955 chipset, over the Calgary corpus
//! repeated to 1 GB at level 1; its throughput of 11.7 Gbit/s in 0.73 s makes that 2^30 bytes.

/// What has to be known of it, and of figures beside it.
pub const NOTE: &str = "The paper is Intel's \"Programming Intel QuickAssist Technology Hardware \
    Accelerators for Optimal Performance\" (2015). Seconds are for 1 GiB of input.";

/// Seconds by a number of threads or of jobs outstanding.
pub type Points = &'static [(usize, f64)];

/// Figure 3: output as a part of the input, by the chunk's bytes. Chunks of 64 KB at the device,
/// and the input as one chunk with zlib 1.2.8.
pub const RATIO_DEVICE: (usize, f64) = (64 << 10, 0.385);
/// See [`RATIO_DEVICE`].
pub const RATIO_ZLIB: (usize, f64) = (1 << 30, 0.381);

/// Figure 5: elapsed time of zlib by threads, a single chunk for each.
pub const THREADS_ELAPSED: Points = &[(1, 19.18), (16, 1.41)];

/// Section 6.1: what two hardware threads of a core do to the elapsed time of software, and to its
/// CPU time, over one thread a core: about 20 % less, and 50 % more.
pub const HYPER_THREADING: (f64, f64) = (0.8, 1.5);

/// Figure 7: elapsed time of zlib in one thread, with one chunk.
pub const SOFTWARE_ELAPSED: f64 = 19.6;
/// Figure 7: elapsed time of the device, called synchronously from one thread.
pub const SYNC_ELAPSED: f64 = 6.3;

/// Figure 9: elapsed time of the device by threads that call it synchronously.
pub const SYNC_THREADS_ELAPSED: Points = &[(1, 6.4), (16, 0.9)];
/// Figure 9: CPU time; it says "nearly 10 seconds" at 11 threads.
pub const SYNC_THREADS_CPU: Points = &[(1, 6.9), (11, 10.0)];

/// Figure 10: elapsed time of the device by jobs outstanding in one thread.
pub const OUTSTANDING_ELAPSED: Points = &[(1, 6.3), (24, 0.73)];
/// Figure 10: CPU time.
pub const OUTSTANDING_CPU: Points = &[(1, 6.8), (24, 1.7)];
/// Jobs that fill the device: six engines with three jobs each.
pub const FULL: usize = 18;

/// Section 7: cycles of a 2.7 GHz core for each byte of input that copying to and from pinned
/// buffers took, from and to.
pub const COPY_CYCLES_PER_BYTE: (f64, f64) = (0.4, 0.5);
/// Section 2: below how many bytes offloading a cipher may cost more than it saves: "less than a
/// few hundred".
pub const CIPHER_BREAK_EVEN: &str = "a few hundred bytes";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::pass::BYTES;

    /// Section 7: seconds for all of it, from and to.
    const COPY_SECONDS: (f64, f64) = (0.2, 0.25);

    #[test]
    fn the_stated_throughput_and_time_agree_on_what_a_gigabyte_is() {
        let gbps = BYTES * 8.0 / OUTSTANDING_ELAPSED[1].1 / 1e9;
        assert!((gbps - 11.7).abs() < 0.1, "{gbps}");
    }

    #[test]
    fn the_stated_copying_takes_the_stated_cycles() {
        let of = |seconds: f64, cycles: f64| (seconds * 2.694e9 / BYTES - cycles).abs() < 0.15;
        assert!(of(COPY_SECONDS.0, COPY_CYCLES_PER_BYTE.0));
        assert!(of(COPY_SECONDS.1, COPY_CYCLES_PER_BYTE.1));
    }
}
