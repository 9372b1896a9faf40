//! What source 001 printed of TCP's transmit path.

/// Who printed the lines.
pub(super) const SOURCE: &str = "Sun Fire X4440";

/// A line of the source: a Sun Fire X4440 with sixteen cores and a 10 Gbit/s card, which transmits
/// to fifteen clients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Printed {
    /// Bytes of a write.
    pub write: usize,
    /// Connections.
    pub connections: usize,
    /// User, system, interrupt and idle time of all cores, in per cent.
    pub times: [u8; 4],
    /// Cycles for each 1024 bytes.
    pub cycles: f64,
    /// Throughput, in Gbit/s.
    pub gbps: f64,
}

/// Connections, times, cycles, and Mbit/s.
type Line = (usize, [u8; 4], f64, f64);

const LARGE: [Line; 10] = [
    (1, [0, 3, 0, 96], 11792.0, 928.11),
    (4, [0, 4, 0, 95], 3365.0, 3710.0),
    (8, [0, 7, 1, 92], 2815.0, 7420.0),
    (32, [0, 8, 1, 91], 2793.0, 9220.0),
    (100, [0, 9, 1, 90], 3161.0, 9240.0),
    (400, [0, 24, 3, 74], 8392.0, 8930.0),
    (1000, [0, 24, 3, 74], 8406.0, 8800.0),
    (2000, [0, 31, 4, 68], 12869.0, 7010.0),
    (4000, [0, 32, 5, 67], 14418.0, 6440.0),
    (6000, [0, 35, 5, 63], 17053.0, 6370.0),
];

const MIDDLE: [Line; 10] = [
    (1, [0, 4, 0, 95], 14259.0, 896.23),
    (4, [0, 5, 0, 93], 4276.0, 3720.0),
    (8, [0, 10, 1, 89], 4385.0, 7130.0),
    (32, [0, 14, 2, 85], 4951.0, 8460.0),
    (100, [0, 16, 2, 83], 5515.0, 8110.0),
    (400, [0, 29, 3, 69], 10738.0, 7460.0),
    (1000, [0, 31, 4, 68], 11388.0, 7310.0),
    (2000, [0, 36, 6, 62], 16818.0, 6440.0),
    (4000, [0, 37, 7, 61], 14951.0, 6280.0),
    (6000, [1, 34, 5, 64], 18752.0, 6190.0),
];

const SMALL: [Line; 10] = [
    (1, [0, 4, 1, 95], 13450.0, 915.02),
    (4, [0, 21, 4, 77], 19239.0, 3530.0),
    (8, [0, 38, 6, 60], 20890.0, 5420.0),
    (32, [0, 46, 8, 52], 18792.0, 5970.0),
    (100, [0, 48, 8, 50], 21831.0, 5770.0),
    (400, [1, 58, 9, 40], 24547.0, 5810.0),
    (1000, [1, 53, 9, 45], 31557.0, 4730.0),
    (2000, [1, 51, 9, 47], 38520.0, 3890.0),
    (4000, [1, 58, 11, 40], 40116.0, 3980.0),
    (6000, [1, 53, 9, 45], 40209.0, 3970.0),
];

/// Bytes of the source's writes, with their lines.
const ALL: [(usize, [Line; 10]); 3] = [(1 << 10, SMALL), (8 << 10, MIDDLE), (64 << 10, LARGE)];

/// Returns all lines of the source, those of the shortest writes first.
pub(super) fn lines() -> impl Iterator<Item = Printed> {
    ALL.into_iter().flat_map(|(write, lines)| {
        lines.into_iter().map(move |(connections, times, cycles, mbps)| Printed {
            write,
            connections,
            times,
            cycles,
            gbps: mbps / 1000.0,
        })
    })
}

/// The source's numbers of connections.
pub(super) const CONNECTIONS: [usize; 10] = [1, 4, 8, 32, 100, 400, 1000, 2000, 4000, 6000];

/// The source's writes, in bytes.
pub(super) const WRITES: [usize; 3] = [1 << 10, 8 << 10, 64 << 10];

/// Connections and bytes of a write of the two cases of which the source has shares of functions:
/// the one that costs more first.
pub(super) const PROFILED: [(usize, usize); 2] = [(4000, 8 << 10), (100, 64 << 10)];

/// What the source says of a function: its shares in the cases of [`PROFILED`], in per cent with
/// those that it calls, and the ratio of the two after they are divided by the throughputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    /// The function's name in Solaris.
    pub name: &'static str,
    /// The two shares.
    pub shares: [f64; 2],
    /// The ratio.
    pub ratio: f64,
}

/// The source's four functions: the system call, TCP's output, the card's driver, TCP's input.
pub(super) const FUNCTIONS: [Share; 4] = [
    Share { name: "write()", shares: [5.28, 4.62], ratio: 1.68 },
    Share { name: "tcp_wput_data()", shares: [4.88, 1.82], ratio: 3.94 },
    Share { name: "myri10ge_onetrack()", shares: [6.3, 1.01], ratio: 9.17 },
    Share { name: "tcp_rput_data()", shares: [7.0, 2.02], ratio: 5.09 },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_has_thirty_lines() {
        let lines: Vec<Printed> = lines().collect();
        assert_eq!(lines.len(), 30);
        for write in WRITES {
            let of = lines.iter().filter(|line| line.write == write);
            let connections: Vec<usize> = of.clone().map(|line| line.connections).collect();
            assert_eq!(connections, CONNECTIONS);
            // The source measured the parts by two tools, which do not agree to the per cent.
            for line in of {
                let sum: u8 = line.times.iter().sum();
                assert!((98..=110).contains(&sum), "{line:?}");
            }
        }
    }

    #[test]
    fn the_ratios_follow_from_the_shares_and_the_throughputs() {
        let gbps = PROFILED.map(|(connections, write)| {
            let is_it = |line: &Printed| (line.connections, line.write) == (connections, write);
            lines().find(is_it).unwrap().gbps
        });
        for function in FUNCTIONS {
            let [costly, cheap] = [0, 1].map(|case| function.shares[case] / gbps[case]);
            let ratio = costly / cheap;
            assert!((ratio / function.ratio - 1.0).abs() < 0.01, "{function:?}: {ratio}");
        }
    }
}
