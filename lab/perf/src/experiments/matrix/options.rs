//! What is asked for, and what follows from it.

use broadloom::provider::ProviderSpec;
use broadloom_engine::{Algorithm, Direction, Placement, allowed_cores};

use super::case::{Case, Pace};
use super::dpdk::Driver;
use super::suite::Suite;
use crate::error::PerfError;
use crate::experiments::options::{check_jobs, or_usual};
use crate::measure::workload::Workload;
use crate::names::{Cache, Call, Kind, Peer, Sharing};
use crate::report::baseline::Baseline;

/// What to measure. An empty list stands for the usual values.
#[derive(Debug, Clone, Default)]
pub struct MatrixOptions {
    /// An experiment to run: the lists below then narrow it.
    pub suite: Option<Suite>,
    /// What is done to the buffers; empty: HMAC-SHA1 and AES-128-CBC.
    pub algorithms: Vec<Algorithm>,
    /// In which direction; empty: each algorithm's first. Those that an algorithm does not have are
    /// left out for it, and all of them are an error.
    pub directions: Vec<Direction>,
    /// How long buffers are; empty: 64, 256, 1024 and 4096 bytes.
    pub sizes: Vec<Workload>,
    /// Cores at work; empty: 1.
    pub cores: Vec<usize>,
    /// Where threads run; `None`: on cores of their own first, hardware threads of one core last.
    pub placement: Option<Placement>,
    /// The sides; empty: `native` and `openssl`. One that is absent is a note in the report.
    pub providers: Vec<ProviderSpec>,
    /// Libraries whose bare calls are measured beside the providers. One that is absent is a note
    /// in the report.
    pub peers: Vec<Peer>,
    /// Crypto drivers of DPDK that its own tool measures beside the providers. One that takes no
    /// part is a note in the report.
    pub dpdk: Vec<Driver>,
    /// Jobs of a burst, 1 to 1024; empty: 32.
    pub bursts: Vec<usize>,
    /// What is measured; empty: throughput.
    pub kinds: Vec<Kind>,
    /// Whether cores share a session; empty: they do.
    pub sharings: Vec<Sharing>,
    /// Cache states; empty: warm.
    pub caches: Vec<Cache>,
    /// The engine's interfaces that bursts go through; empty: queue pairs.
    pub calls: Vec<Call>,
    /// Jobs that one thread has outstanding, 1 to 1024, to be set against synchronous calls: in
    /// place of bursts, unless `bursts` or `calls` are asked for too.
    pub outstanding: Vec<usize>,
    /// An earlier report to compare with.
    pub baseline: Option<Baseline>,
    /// The command line, for the report.
    pub command: Option<String>,
    /// `true` to spend some seconds on the whole instead of a tenth of one on every figure.
    pub quick: bool,
}

/// All of it, with the usual values filled in and everything checked.
pub struct Plan {
    /// What is done to buffers.
    pub operations: Vec<(Algorithm, Direction)>,
    /// The providers.
    pub providers: Vec<ProviderSpec>,
    /// The peers, which are called without the engine.
    pub peers: Vec<Peer>,
    /// Drivers of DPDK.
    pub dpdk: Vec<Driver>,
    /// The numbers of the cores that threads run on, in this order; none where threads cannot be
    /// pinned.
    pub pins: Vec<usize>,
    kinds: Vec<Kind>,
    loads: Vec<Workload>,
    cores: Vec<usize>,
    paces: Vec<Pace>,
    sharings: Vec<Sharing>,
    caches: Vec<Cache>,
}

/// The list without what it says twice.
fn unique<T: PartialEq>(list: Vec<T>) -> Vec<T> {
    let mut unique = Vec::new();
    for value in list {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    unique
}

/// The cores for so many threads, in the order in which they are taken; none if threads run
/// anywhere.
fn pins(placement: &Placement, threads: usize) -> Vec<usize> {
    placement.assign(threads).unwrap_or_default().into_iter().flatten().collect()
}

/// Returns the number of cores that this process may use.
pub fn available_cores() -> usize {
    let threads = || std::thread::available_parallelism().map_or(1, usize::from);
    allowed_cores().map_or_else(|_| threads(), |cores| cores.len())
}

/// The values, comma-separated.
fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

impl MatrixOptions {
    /// Fills in what is usual, and checks everything.
    ///
    /// # Errors
    /// A value is out of its range, or not part of the suite; or an algorithm has none of the
    /// directions.
    pub fn plan(&self) -> Result<Plan, PerfError> {
        let placement = self.placement.as_ref().unwrap_or(&Placement::Spread);
        let pins = allowed_cores().map_or(Vec::new(), |cores| pins(placement, cores.len()));
        let available = available_cores();
        let providers = match self.suite {
            Some(suite) => suite.providers(&self.providers),
            None => or_usual(
                &self.providers,
                &["native", "openssl"].map(|name| name.parse().expect("it is a provider")),
            ),
        };
        Ok(Plan {
            operations: self.operations()?,
            providers: unique(providers),
            peers: unique(self.peers.clone()),
            dpdk: unique(self.dpdk.clone()),
            kinds: unique(or_usual(
                &self.kinds,
                self.suite.map_or(&[Kind::Throughput], Suite::kinds),
            )),
            loads: self.loads()?,
            cores: self.cores(available)?,
            paces: self.paces()?,
            sharings: unique(or_usual(&self.sharings, &[Sharing::Shared])),
            caches: unique(or_usual(&self.caches, &[Cache::Warm])),
            pins,
        })
    }

    fn operations(&self) -> Result<Vec<(Algorithm, Direction)>, PerfError> {
        let Some(suite) = self.suite else { return self.free_operations() };
        let all = suite.operations();
        let not_in = |what, value: String, valid| {
            Err(PerfError::NotInSuite { suite: suite.name(), what, value, valid })
        };
        for algorithm in &self.algorithms {
            if !all.iter().any(|(own, _)| own == algorithm) {
                let valid = list(unique(all.iter().map(|(own, _)| own).collect()));
                return not_in("algorithm", algorithm.to_string(), valid);
            }
        }
        let asked = |(algorithm, direction): &(Algorithm, Direction)| {
            (self.algorithms.is_empty() || self.algorithms.contains(algorithm))
                && (self.directions.is_empty() || self.directions.contains(direction))
        };
        let some: Vec<_> = all.iter().copied().filter(asked).collect();
        if some.is_empty() {
            let valid = list(unique(all.iter().map(|(_, own)| own).collect()));
            return not_in("direction", list(&self.directions), valid);
        }
        Ok(some)
    }

    fn free_operations(&self) -> Result<Vec<(Algorithm, Direction)>, PerfError> {
        let usual = ["hmac-sha1", "aes-128-cbc"].map(|name| name.parse().expect("it is known"));
        let mut operations = Vec::new();
        for algorithm in unique(or_usual(&self.algorithms, &usual)) {
            if matches!(algorithm, Algorithm::Compression(_)) {
                return Err(PerfError::Compression { algorithm });
            }
            // Bare RSA is measured as what signatures are made of.
            let is_measured = |direction: &&Direction| {
                !matches!(direction, Direction::Encrypt | Direction::Decrypt)
            };
            let all: Vec<Direction> = match algorithm {
                Algorithm::PublicKey(_) => {
                    algorithm.directions().iter().filter(is_measured).copied().collect()
                }
                _ => algorithm.directions().to_vec(),
            };
            let Some(&wanted) = self.directions.first() else {
                operations.push((algorithm, all[0]));
                continue;
            };
            let fitting = unique(self.directions.clone());
            let fitting: Vec<_> = fitting.into_iter().filter(|one| all.contains(one)).collect();
            if fitting.is_empty() {
                return Err(PerfError::Direction {
                    algorithm,
                    direction: wanted.into(),
                    valid: list(&all),
                });
            }
            operations.extend(fitting.into_iter().map(|direction| (algorithm, direction)));
        }
        Ok(operations)
    }

    fn loads(&self) -> Result<Vec<Workload>, PerfError> {
        let Some(suite) = self.suite else {
            let usual = [64, 256, 1024, 4096].map(Workload::Size);
            return Ok(unique(or_usual(&self.sizes, &usual)));
        };
        let all = suite.sizes();
        match self.sizes.iter().find(|size| !all.contains(size)) {
            Some(size) => Err(PerfError::NotInSuite {
                suite: suite.name(),
                what: "size",
                value: size.to_string(),
                valid: list(all),
            }),
            None => Ok(unique(or_usual(&self.sizes, &all))),
        }
    }

    fn cores(&self, available: usize) -> Result<Vec<usize>, PerfError> {
        if let Some(&value) = self.cores.iter().find(|cores| !(1..=available).contains(*cores)) {
            let valid = format!("1 to {available}, the cores that this process may use");
            return Err(PerfError::Range { what: "cores", value, valid });
        }
        let usual = self.suite.map_or(vec![1], |suite| suite.cores(available));
        Ok(unique(or_usual(&self.cores, &usual)))
    }

    fn paces(&self) -> Result<Vec<Pace>, PerfError> {
        let (bursts, calls) =
            (or_usual(&self.bursts, &[32]), or_usual(&self.calls, &[Call::QueuePair]));
        check_jobs("burst", &bursts)?;
        check_jobs("outstanding", &self.outstanding)?;
        let mut paces = Vec::new();
        if self.outstanding.is_empty() || !self.bursts.is_empty() || !self.calls.is_empty() {
            for &burst in &bursts {
                paces.extend(calls.iter().map(|&call| Pace::Burst(burst, call)));
            }
        }
        if !self.outstanding.is_empty() {
            paces.push(Pace::Sync);
            paces.extend(self.outstanding.iter().map(|&count| Pace::Async(count)));
        }
        Ok(unique(paces))
    }
}

impl Plan {
    /// The comparisons of one operation.
    pub fn cases(&self, algorithm: Algorithm, direction: Direction) -> Vec<Case> {
        let mut cases = Vec::new();
        for &kind in &self.kinds {
            for &cache in &self.caches {
                for &sharing in &self.sharings {
                    for load in &self.loads {
                        for &pace in &self.paces {
                            cases.extend(self.cores.iter().map(|&cores| Case {
                                kind,
                                algorithm,
                                direction,
                                load: load.clone(),
                                cores,
                                pace,
                                sharing,
                                cache,
                            }));
                        }
                    }
                }
            }
        }
        // The memory of a session depends on nothing but the operation.
        let mut told = false;
        cases.retain(|case| {
            let is_memory = case.kind == Kind::Memory;
            !is_memory || !std::mem::replace(&mut told, true)
        });
        // A verification is of results, which do not depend on who shares what: once will do.
        let mut verified: Vec<(Workload, Pace)> = Vec::new();
        cases.retain(|case| {
            let key = (case.load.clone(), case.pace);
            let again = case.kind == Kind::Verify && verified.contains(&key);
            if case.kind == Kind::Verify && !again {
                verified.push(key);
            }
            !again
        });
        cases
    }

    /// Number of all comparisons.
    pub fn comparisons(&self) -> usize {
        self.operations
            .iter()
            .map(|&(algorithm, direction)| self.cases(algorithm, direction).len())
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::sizes::Imix;

    fn plan(options: MatrixOptions) -> Plan {
        options.plan().unwrap()
    }

    fn error(options: MatrixOptions) -> String {
        options.plan().err().unwrap().to_string()
    }

    fn suite() -> MatrixOptions {
        MatrixOptions { suite: Some(Suite::DpdkOpenssl), ..MatrixOptions::default() }
    }

    #[test]
    fn nothing_asked_for_is_a_small_matrix() {
        let plan = plan(MatrixOptions::default());
        let names: Vec<String> = plan.operations.iter().map(|(a, d)| format!("{a} {d}")).collect();
        assert_eq!(names, ["hmac-sha1 generate", "aes-128-cbc encrypt"]);
        assert_eq!((plan.comparisons(), plan.providers.len()), (8, 2));
        let case = &plan.cases(plan.operations[0].0, plan.operations[0].1)[0];
        assert_eq!((case.kind, case.cores), (Kind::Throughput, 1));
        assert_eq!(case.pace, Pace::Burst(32, Call::QueuePair));
    }

    #[test]
    fn threads_are_pinned_unless_they_run_anywhere() {
        let pins = |placement| plan(MatrixOptions { placement, ..MatrixOptions::default() }).pins;
        assert_eq!(pins(Some(Placement::Anywhere)), Vec::<usize>::new());
        if cfg!(target_os = "linux") {
            let mut packed = pins(Some(Placement::Packed));
            let mut spread = pins(None);
            assert_eq!((packed.len(), spread.len()), (available_cores(), available_cores()));
            packed.sort_unstable();
            spread.sort_unstable();
            assert_eq!(packed, spread, "the same cores in another order");
        }
    }

    #[test]
    fn lists_multiply_and_repeats_count_once() {
        let plan = plan(MatrixOptions {
            algorithms: vec!["md5".parse().unwrap()],
            sizes: vec![Workload::Size(64), Workload::Imix(Imix::default()), Workload::Size(64)],
            bursts: vec![8, 32],
            calls: vec![Call::QueuePair, Call::ProcessMany],
            caches: vec![Cache::Warm, Cache::Cold],
            kinds: vec![Kind::Latency, Kind::Throughput],
            ..MatrixOptions::default()
        });
        assert_eq!(plan.comparisons(), 2 * 2 * 2 * 2 * 2);
    }

    #[test]
    fn outstanding_jobs_are_set_against_synchronous_calls() {
        let outstanding = vec![1, 8];
        let alone = MatrixOptions { outstanding: outstanding.clone(), ..MatrixOptions::default() };
        assert_eq!(plan(alone).paces, [Pace::Sync, Pace::Async(1), Pace::Async(8)]);
        let both = MatrixOptions { outstanding, bursts: vec![16], ..MatrixOptions::default() };
        assert_eq!(plan(both).paces.len(), 4);
    }

    #[test]
    fn options_narrow_a_suite() {
        assert_eq!(plan(suite()).operations.len(), 8);
        let narrow = plan(MatrixOptions {
            algorithms: vec!["aes-128-cbc".parse().unwrap()],
            directions: vec![Direction::Decrypt],
            sizes: vec![Workload::Size(8192), Workload::Size(32)],
            cores: vec![1],
            ..suite()
        });
        assert_eq!((narrow.operations.len(), narrow.comparisons()), (1, 2));
        assert_eq!(narrow.providers.len(), 3);
    }

    #[test]
    fn what_a_suite_does_not_have_is_named() {
        let wrong = error(MatrixOptions { sizes: vec![Workload::Size(100)], ..suite() });
        assert!(
            wrong.contains("dpdk-openssl has no size 100 B") && wrong.contains("8192 B"),
            "{wrong}"
        );
        let wrong = error(MatrixOptions { algorithms: vec!["md5".parse().unwrap()], ..suite() });
        assert!(wrong.contains("no algorithm md5") && wrong.contains("aes-128-cmac"), "{wrong}");
        let wrong = error(MatrixOptions { directions: vec![Direction::Digest], ..suite() });
        assert!(wrong.contains("no direction digest") && wrong.contains("seal"), "{wrong}");
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        let wrong = error(MatrixOptions { cores: vec![1, 100_000], ..MatrixOptions::default() });
        assert!(wrong.contains("cores 100000") && wrong.contains("1 to "), "{wrong}");
        let wrong = error(MatrixOptions { cores: vec![0], ..suite() });
        assert!(wrong.contains("cores 0"), "{wrong}");
        let wrong = error(MatrixOptions { bursts: vec![1025], ..MatrixOptions::default() });
        assert!(wrong.contains("burst 1025"), "{wrong}");
        let wrong = error(MatrixOptions { outstanding: vec![0], ..MatrixOptions::default() });
        assert!(wrong.contains("outstanding 0"), "{wrong}");
    }

    #[test]
    fn compressions_are_measured_elsewhere() {
        let algorithms = vec!["deflate".parse().unwrap()];
        let options = MatrixOptions { algorithms, ..MatrixOptions::default() };
        assert!(error(options).contains("perf compress"));
    }

    #[test]
    fn directions_that_an_algorithm_lacks_are_left_out_or_an_error() {
        let options = MatrixOptions {
            algorithms: vec!["aes-128-gcm".parse().unwrap(), "hmac-md5".parse().unwrap()],
            directions: vec![Direction::Open, Direction::Verify],
            ..MatrixOptions::default()
        };
        let kept: Vec<_> = plan(options.clone()).operations.iter().map(|(_, d)| *d).collect();
        assert_eq!(kept, [Direction::Open, Direction::Verify]);
        let wrong = error(MatrixOptions { algorithms: vec!["md5".parse().unwrap()], ..options });
        assert!(wrong.contains("md5 has no direction open; valid: digest"), "{wrong}");
    }

    #[test]
    fn memory_is_measured_once_for_each_operation() {
        let suite = Some(Suite::DpdkOpensslStates);
        let plan = plan(MatrixOptions { suite, cores: vec![1], ..MatrixOptions::default() });
        assert_eq!(plan.comparisons(), 8 * (9 + 1));
    }

    #[test]
    fn a_verification_is_made_once() {
        let plan = plan(MatrixOptions {
            algorithms: vec!["md5".parse().unwrap()],
            sizes: vec![Workload::Size(64), Workload::Size(65)],
            kinds: vec![Kind::Verify],
            caches: vec![Cache::Warm, Cache::Cold],
            sharings: vec![Sharing::Shared, Sharing::PerCore],
            ..MatrixOptions::default()
        });
        assert_eq!(plan.comparisons(), 2);
    }
}
