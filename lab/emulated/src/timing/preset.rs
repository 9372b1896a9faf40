//! Devices with known or chosen figures.

use super::{ByRatio, Engines, Timing, Way};

/// The properties of a device.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Preset {
    pub name: &'static str,
    /// `None`: responses are visible as soon as they are computed.
    pub timing: Option<Timing>,
    /// Nanoseconds that the host spends to ring the doorbell.
    pub doorbell: u64,
    /// Nanoseconds that the host spends to take an interrupt.
    pub interrupt: u64,
    /// Descriptors in a ring, and slots.
    pub ring: usize,
}

/// Six engines with three requests each. Alone, a request for 64 KiB takes 375 µs, 9 of them for
/// the transfer and 5 for the Huffman codes: 6.2 s for a GiB, and 6.3 with the host's part. Three
/// together take 803 µs each before the codes: 0.73 s with 18 or more outstanding. The source has
/// 6.3 and 0.73.
const COMPRESSION: Engines =
    Engines { engines: 6, depth: 3, request_time: 11_000.0, byte_time: 5.33, sharing: 0.602 };

/// The source says that Huffman codes for the data add to the latency of a request, and hardly to
/// the time of many; how much it does not say. This is a part of the 375 µs.
const TRANSLATOR: Way = Way { request_time: 2_000.0, byte_time: 0.05 };

/// The source compresses its corpus to 38.5 % at 11.7 Gbit/s, and copies of 4 KiB of it to 13.7 %
/// at 22.8 Gbit/s. The line leads through both.
const DATA: ByRatio = ByRatio { usual: 0.385, slope: (1.0 - 11.7 / 22.8) / (0.385 - 0.137) };

/// The number of engines is the source's. Their speed is chosen so that together they cipher 6 GB/s
/// of long buffers.
const SYMMETRIC: Engines =
    Engines { engines: 12, depth: 3, request_time: 1_000.0, byte_time: 2.6, sharing: 0.6 };

/// Thirty engines, which together do the source's 41,000 RSA-2048 decryptions a second: one takes
/// 732 µs.
const PUBLIC_KEY: Engines =
    Engines { engines: 30, depth: 1, request_time: 732_000.0, byte_time: 0.0, sharing: 0.0 };

const TIMING: Timing = Timing {
    compression: COMPRESSION,
    symmetric: SYMMETRIC,
    public_key: PUBLIC_KEY,
    way: Way { request_time: 0.0, byte_time: 0.14 },
    remote: None,
    translator: TRANSLATOR,
    data: DATA,
};

/// The cost of another socket's memory: crossings for the descriptors, and a slower transfer.
pub(crate) const REMOTE: Way = Way { request_time: 1_200.0, byte_time: 0.09 };

const CHIPSET_8955: Preset =
    Preset { name: "8955", timing: Some(TIMING), doorbell: 250, interrupt: 4_000, ring: 512 };

/// All presets.
pub(crate) const PRESETS: [Preset; 4] = [
    CHIPSET_8955,
    Preset {
        name: "8955-remote",
        timing: Some(Timing { remote: Some(REMOTE), ..TIMING }),
        ..CHIPSET_8955
    },
    // For requests so small that the doorbell counts: engines that keep up with any host.
    Preset {
        name: "doorbell-100ns",
        timing: Some(Timing {
            symmetric: Engines { request_time: 500.0, byte_time: 1.0, sharing: 0.1, ..SYMMETRIC },
            ..TIMING
        }),
        doorbell: 100,
        ..CHIPSET_8955
    },
    Preset { name: "instant", timing: None, doorbell: 0, interrupt: 0, ..CHIPSET_8955 },
];

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::super::{Model, Service, TimedRequest};
    use super::*;

    /// Seconds that so many requests take where the driver keeps so many outstanding, and spends so
    /// many nanoseconds on each.
    fn seconds(requests: usize, work: TimedRequest, outstanding: usize, host: u64) -> f64 {
        let mut model = Model::new(&TIMING);
        let mut ready = BinaryHeap::<Reverse<u64>>::new();
        let (mut now, mut last) = (0, 0);
        for _ in 0..requests {
            if ready.len() == outstanding {
                let Reverse(first) = ready.pop().expect("something is outstanding");
                now = first.max(now);
            }
            now += host;
            let done = model.schedule(TimedRequest { arrival: now, ..work });
            ready.push(Reverse(done));
            last = last.max(done);
        }
        last as f64 / 1e9
    }

    #[test]
    fn the_8955_compresses_as_its_source_says() {
        // A GiB in chunks of 64 KiB.
        let service = Service::Compression;
        let chunk = TimedRequest {
            service,
            arrival: 0,
            bytes: 65_536,
            cost: DATA.cost(1000, 385),
            slower: 1,
            translated: true,
        };
        let at = |outstanding| seconds(16_384, chunk, outstanding, 9_000);
        assert!((6.2..6.4).contains(&at(1)), "{}", at(1));
        assert!((0.72..0.75).contains(&at(18)), "{}", at(18));
        assert!((0.72..0.75).contains(&at(24)), "{}", at(24));
        assert!(at(1) / at(24) > 8.0, "{}", at(1) / at(24));
        for more in 2..=18 {
            assert!(at(more) < at(more - 1), "{more} outstanding take {}", at(more));
        }
        // Data of the source that compress to 13.7 %, at 22.8 Gbit/s, and not at 11.7.
        let gbps = |work| 8.0 * f64::from(1 << 30) / seconds(16_384, work, 24, 9_000) / 1e9;
        let copies = TimedRequest { cost: DATA.cost(1000, 137), ..chunk };
        assert!((11.5..12.0).contains(&gbps(chunk)), "{}", gbps(chunk));
        assert!((22.0..23.5).contains(&gbps(copies)), "{}", gbps(copies));
        // Codes for the data cost one request some time, and many requests hardly any.
        let fixed = TimedRequest { translated: false, ..chunk };
        let at = |work, outstanding| seconds(16_384, work, outstanding, 9_000);
        assert!(at(chunk, 1) > 1.01 * at(fixed, 1));
        assert!(at(chunk, 24) < 1.001 * at(fixed, 24));
    }

    /// The source has no figures of decompression: a compressed byte takes as long as one that is
    /// to be compressed. These are a GiB in chunks of 64 KiB, which were compressed to 38.5 %.
    #[test]
    fn the_8955_decompresses_by_the_bytes_that_it_reads() {
        let chunk = TimedRequest {
            service: Service::Compression,
            arrival: 0,
            bytes: 25_231,
            cost: 1.0,
            slower: 1,
            translated: false,
        };
        let at = |outstanding| seconds(16_384, chunk, outstanding, 9_000);
        assert!((2.5..2.7).contains(&at(1)), "{}", at(1));
        assert!((0.29..0.31).contains(&at(18)), "{}", at(18));
        assert!((0.29..0.31).contains(&at(24)), "{}", at(24));
    }

    /// Approximately 41,000 RSA-2048 decryptions a second, with all thirty engines busy.
    #[test]
    fn the_8955_decrypts_as_its_source_says() {
        let service = Service::PublicKey;
        let decryption = TimedRequest {
            service,
            arrival: 0,
            bytes: 256,
            cost: 1.0,
            slower: 1,
            translated: false,
        };
        let rate = |outstanding| 41_000.0 / seconds(41_000, decryption, outstanding, 500);
        assert!((40_500.0..41_500.0).contains(&rate(30)), "{}", rate(30));
        assert!((40_500.0..41_500.0).contains(&rate(64)), "{}", rate(64));
        assert!((1_300.0..1_400.0).contains(&rate(1)), "{}", rate(1));
        assert!((20_000.0..20_800.0).contains(&rate(15)), "{}", rate(15));
    }
}
