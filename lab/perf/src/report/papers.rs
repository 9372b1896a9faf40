//! The tables of sources 002 and 004.

/// One table of source 002: DPDK's OpenSSL driver before and after its patches, on an Ampere Altra
/// Max with OpenSSL 3.3.0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpliftTable {
    /// The algorithm, by our name.
    pub algorithm: &'static str,
    /// The direction, by our name.
    pub direction: &'static str,
    /// Cores at work.
    pub cores: usize,
    /// A line for each size.
    pub points: &'static [UpliftPoint],
}

/// A line of such a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpliftPoint {
    /// Bytes of a buffer.
    pub size: usize,
    /// Before, in Gbit/s.
    pub before: f64,
    /// With all patches, in Gbit/s.
    pub after: f64,
    /// The gain that the source states, in per cent.
    pub uplift: f64,
    /// With a context cloned for every buffer, in Gbit/s, where that is not `before`: AES-GCM had
    /// shared its context between threads, which is wrong, and patch 1 cloned it.
    pub cloned: Option<f64>,
}

impl UpliftPoint {
    /// The gain over contexts cloned for every buffer, in per cent: what `contexts=per-queue-pair`
    /// gains over `contexts=per-job`. Nothing where the source does not have both figures.
    pub fn over_cloning(&self, table: &UpliftTable) -> Option<f64> {
        match (self.cloned, table.algorithm) {
            (Some(cloned), _) => Some((self.after / cloned - 1.0) * 100.0),
            (None, "aes-128-gcm") => None,
            (None, _) => Some(self.uplift),
        }
    }
}

/// A line of a table whose `before` cloned a context for every buffer.
const fn point(size: usize, before: f64, after: f64, uplift: f64) -> UpliftPoint {
    UpliftPoint { size, before, after, uplift, cloned: None }
}

/// A line of a table whose `before` shared one context.
const fn shared(size: usize, before: f64, after: f64, uplift: f64, cloned: f64) -> UpliftPoint {
    UpliftPoint { size, before, after, uplift, cloned: Some(cloned) }
}

/// Source 002's table for an algorithm, of one core or, where `several` are at work, of eight.
/// Nothing where the source prints none.
pub fn uplift(algorithm: &str, direction: &str, several: bool) -> Option<&'static UpliftTable> {
    let cores = if several { 8 } else { 1 };
    UPLIFTS.iter().find(|t| (t.algorithm, t.direction, t.cores) == (algorithm, direction, cores))
}

/// The tables that source 002 prints.
pub const UPLIFTS: &[UpliftTable] = &[
    UpliftTable {
        algorithm: "aes-128-cbc",
        direction: "encrypt",
        cores: 1,
        points: &[
            point(32, 0.84, 2.04, 144.6),
            point(64, 1.61, 3.72, 131.3),
            point(128, 2.97, 6.24, 110.2),
            point(256, 5.14, 9.42, 83.2),
            point(512, 8.10, 12.62, 55.7),
            point(1024, 11.37, 15.18, 33.5),
            point(2048, 14.26, 16.93, 18.7),
            point(4096, 16.35, 17.97, 9.9),
            point(8192, 17.61, 18.51, 5.1),
        ],
    },
    UpliftTable {
        algorithm: "aes-128-cbc",
        direction: "encrypt",
        cores: 8,
        points: &[
            point(32, 1.53, 16.49, 974.8),
            point(64, 3.04, 29.85, 881.3),
            point(128, 5.96, 50.07, 739.8),
            point(256, 10.54, 75.53, 616.5),
            point(512, 21.60, 101.14, 368.2),
            point(1024, 41.27, 121.56, 194.6),
            point(2048, 72.99, 135.40, 85.5),
            point(4096, 103.39, 143.76, 39.0),
            point(8192, 125.48, 148.06, 18.0),
        ],
    },
    UpliftTable {
        algorithm: "hmac-sha1",
        direction: "generate",
        cores: 1,
        points: &[
            point(32, 0.32, 0.76, 135.9),
            point(64, 0.63, 1.43, 126.9),
            point(128, 1.21, 2.60, 115.4),
            point(256, 2.23, 4.42, 98.1),
            point(512, 3.88, 6.80, 75.5),
            point(1024, 6.13, 9.30, 51.8),
            point(2048, 8.65, 11.39, 31.7),
            point(4096, 10.90, 12.85, 17.9),
            point(8192, 12.54, 13.74, 9.5),
        ],
    },
    UpliftTable {
        algorithm: "hmac-sha1",
        direction: "generate",
        cores: 8,
        points: &[
            point(32, 0.49, 5.99, 1110.3),
            point(64, 0.98, 11.30, 1051.8),
            point(128, 1.95, 20.67, 960.3),
            point(256, 3.90, 35.18, 802.4),
            point(512, 7.83, 54.13, 590.9),
            point(1024, 15.80, 74.11, 369.2),
            point(2048, 31.30, 90.97, 190.6),
            point(4096, 58.59, 102.70, 75.3),
            point(8192, 85.93, 109.88, 27.9),
        ],
    },
    UpliftTable {
        algorithm: "aes-128-gcm",
        direction: "seal",
        cores: 1,
        points: &[
            point(32, 1.39, 1.28, -7.8),
            shared(64, 2.60, 2.44, -6.2, 1.31),
            point(128, 4.77, 4.45, -6.8),
            shared(256, 7.69, 7.22, -6.1, 4.45),
            point(512, 11.31, 10.97, -3.0),
            shared(1024, 15.33, 15.07, -1.7, 11.30),
            shared(2048, 18.74, 18.51, -1.2, 15.37),
            shared(4096, 21.11, 20.96, -0.7, 18.80),
            point(8192, 22.55, 22.50, -0.2),
        ],
    },
    UpliftTable {
        algorithm: "aes-128-gcm",
        direction: "seal",
        cores: 8,
        points: &[
            point(32, 10.59, 10.35, -2.3),
            shared(64, 19.94, 19.46, -2.4, 2.83),
            point(128, 36.32, 35.64, -1.9),
            shared(256, 58.84, 57.80, -1.8, 11.00),
            point(512, 87.38, 87.37, 0.0),
            shared(1024, 119.71, 120.22, 0.4, 42.46),
            shared(2048, 147.69, 147.93, 0.2, 80.91),
            shared(4096, 167.39, 167.48, 0.1, 121.25),
            point(8192, 179.80, 179.87, 0.0),
        ],
    },
    UpliftTable {
        algorithm: "3des-ctr",
        direction: "encrypt",
        cores: 1,
        points: &[
            point(32, 0.12, 0.22, 89.7),
            point(64, 0.16, 0.22, 43.6),
            point(128, 0.18, 0.23, 22.3),
            point(256, 0.20, 0.23, 10.8),
            point(512, 0.21, 0.23, 5.1),
            point(1024, 0.22, 0.23, 2.7),
            point(2048, 0.22, 0.23, 1.3),
            point(4096, 0.23, 0.23, 0.4),
            point(8192, 0.23, 0.23, 0.4),
        ],
    },
    UpliftTable {
        algorithm: "3des-ctr",
        direction: "encrypt",
        cores: 8,
        points: &[
            point(32, 0.68, 1.77, 160.1),
            point(64, 1.00, 1.78, 78.3),
            point(128, 1.29, 1.80, 39.6),
            point(256, 1.50, 1.80, 19.8),
            point(512, 1.64, 1.80, 10.0),
            point(1024, 1.72, 1.81, 5.1),
            point(2048, 1.76, 1.81, 2.7),
            point(4096, 1.78, 1.81, 1.5),
            point(8192, 1.80, 1.81, 0.7),
        ],
    },
];

/// Source 002: bytes of DPDK's session structure before the patches, and with room for two contexts
/// for each of 8 queue pairs. The contexts come on top.
pub const SESSION_BYTES: (usize, usize) = (152, 280);

/// Source 004: how many times the throughput of synchronous calls asynchronous ones have on one
/// thread, by the operations outstanding: 3DES and MD5 over 8 KB on an UltraSPARC T2's accelerator.
pub const ASYNC_OVER_SYNC: &[(usize, f64)] = &[(1, 0.77), (2, 1.97), (4, 3.1), (8, 4.74)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_gains_follow_from_the_stated_throughputs() {
        for table in UPLIFTS {
            assert!(table.points.is_sorted_by_key(|point| point.size));
            for point in table.points {
                // Both throughputs are rounded to a hundredth.
                let low = (point.after - 0.005) / (point.before + 0.005);
                let high = (point.after + 0.005) / (point.before - 0.005);
                let stated = 1.0 + point.uplift / 100.0;
                assert!(low - 0.001 < stated && stated < high + 0.001, "{table:?} {point:?}");
            }
        }
    }

    #[test]
    fn the_gain_over_cloning_is_known_where_both_were_measured() {
        let gcm = uplift("aes-128-gcm", "seal", false).unwrap();
        assert_eq!(gcm.points[1].over_cloning(gcm).map(f64::round), Some(86.0));
        assert_eq!(gcm.points[0].over_cloning(gcm), None);
        let cbc = uplift("aes-128-cbc", "encrypt", true).unwrap();
        assert_eq!(cbc.points[0].over_cloning(cbc), Some(974.8));
        assert_eq!(uplift("aes-128-cmac", "generate", false), None);
    }
}
