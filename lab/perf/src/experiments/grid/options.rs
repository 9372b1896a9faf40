//! What `broadloom-perf grid` can be asked for.

use broadloom::provider::ProviderSpec;
use broadloom_engine::{Algorithm, Direction};

use crate::error::PerfError;
use crate::experiments::matrix::{MatrixOptions, Plan};
use crate::experiments::options::or_usual;
use crate::measure::workload::Workload;
use crate::names::{Call, Peer};

/// The algorithms that most users call.
const ALGORITHMS: [&str; 11] = [
    "sha1",
    "sha256",
    "sha512",
    "hmac-sha1",
    "hmac-sha256",
    "aes-128-cbc",
    "aes-128-ctr",
    "aes-128-cmac",
    "aes-128-gcm",
    "aes-256-gcm",
    "chacha20-poly1305",
];

/// The directions that are measured, of those that an algorithm has.
const DIRECTIONS: [Direction; 6] = [
    Direction::Digest,
    Direction::Generate,
    Direction::Encrypt,
    Direction::Decrypt,
    Direction::Seal,
    Direction::Open,
];

const SIZES: [usize; 7] = [16, 64, 256, 1024, 4096, 16_384, 65_536];
const QUICK_SIZES: [usize; 4] = [16, 64, 1024, 16_384];
const BURSTS: [usize; 7] = [1, 2, 4, 8, 16, 64, 256];
const QUICK_BURSTS: [usize; 4] = [1, 4, 16, 64];
const QUICK_CALLS: [Call; 1] = [Call::ProcessMany];

/// What to measure. An empty list stands for the usual values.
#[derive(Debug, Clone, Default)]
pub struct GridOptions {
    /// What is done to the buffers; empty: what most users do.
    pub algorithms: Vec<Algorithm>,
    /// In which direction; empty: both directions of each algorithm.
    pub directions: Vec<Direction>,
    /// How long buffers are; empty: 16 bytes to 64 KiB.
    pub sizes: Vec<Workload>,
    /// Jobs of a burst; empty: 1 to 256.
    pub bursts: Vec<usize>,
    /// The engine's calls; empty: all.
    pub calls: Vec<Call>,
    /// Our side; `None`: `native`.
    pub provider: Option<ProviderSpec>,
    /// The libraries that we are compared with; empty: all that this program was built with.
    pub peers: Vec<Peer>,
    /// The command line, for the report.
    pub command: Option<String>,
    /// `true` to measure fewer cells within two minutes.
    pub quick: bool,
}

impl GridOptions {
    /// Fills in what is usual, and checks everything.
    ///
    /// # Errors
    /// As of [`MatrixOptions::plan`].
    pub(super) fn plan(&self) -> Result<Plan, PerfError> {
        let known = |name: &&str| name.parse().expect("an algorithm that the grid has is known");
        let usual: Vec<Algorithm> = ALGORITHMS.iter().map(known).collect();
        let (sizes, bursts, calls) = match self.quick {
            true => (&QUICK_SIZES[..], &QUICK_BURSTS[..], &QUICK_CALLS[..]),
            false => (&SIZES[..], &BURSTS[..], &Call::ALL[..]),
        };
        let sizes: Vec<Workload> = sizes.iter().copied().map(Workload::Size).collect();
        let ours = || "native".parse().expect("it is a provider");
        MatrixOptions {
            algorithms: or_usual(&self.algorithms, &usual),
            directions: or_usual(&self.directions, &DIRECTIONS),
            sizes: or_usual(&self.sizes, &sizes),
            bursts: or_usual(&self.bursts, bursts),
            calls: or_usual(&self.calls, calls),
            providers: vec![self.provider.clone().unwrap_or_else(ours)],
            peers: or_usual(&self.peers, &Peer::built()),
            ..MatrixOptions::default()
        }
        .plan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_asked_for_is_the_whole_grid() {
        let plan = GridOptions::default().plan().unwrap();
        // Five hashes and MACs and CMAC have one direction, the ciphers and AEADs two.
        assert_eq!(plan.operations.len(), 6 + 2 * 5);
        assert_eq!(plan.comparisons(), plan.operations.len() * 7 * 7 * 3);
        let quick = GridOptions { quick: true, ..GridOptions::default() }.plan().unwrap();
        assert_eq!(quick.comparisons(), plan.operations.len() * 4 * 4);
    }

    #[test]
    fn lists_choose() {
        let options = GridOptions {
            algorithms: vec!["aes-128-gcm".parse().unwrap()],
            directions: vec![Direction::Open],
            sizes: vec![Workload::Size(64)],
            bursts: vec![3],
            calls: vec![Call::Stream],
            peers: vec![Peer::OpenSsl],
            ..GridOptions::default()
        };
        let plan = options.plan().unwrap();
        assert_eq!((plan.comparisons(), plan.peers.as_slice()), (1, &[Peer::OpenSsl][..]));
        let wrong = GridOptions { bursts: vec![0], ..GridOptions::default() };
        assert!(wrong.plan().err().unwrap().to_string().contains("burst"));
    }
}
