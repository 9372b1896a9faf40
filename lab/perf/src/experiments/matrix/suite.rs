//! Experiments of the sources, by name.

use broadloom::provider::ProviderSpec;
use broadloom_engine::{Algorithm, Direction};

use crate::measure::workload::Workload;
use crate::names::Kind;
use crate::report::states::STATES;

/// An experiment of one of the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    /// Source 002: what DPDK's OpenSSL driver gains from contexts kept for each queue pair.
    DpdkOpenssl,
    /// The same by the states that the source's patches go through, with the memory of a session in
    /// each.
    DpdkOpensslStates,
}

crate::names::named!(Suite, "suite", {
    DpdkOpenssl => "dpdk-openssl",
    DpdkOpensslStates => "dpdk-openssl-states",
});

/// A name of ours.
fn known<T: std::str::FromStr<Err: std::fmt::Debug>>(name: &str) -> T {
    name.parse().expect("a name that a suite has is known")
}

impl Suite {
    /// Returns what it does to buffers.
    pub fn operations(self) -> Vec<(Algorithm, Direction)> {
        let operations = [
            ("aes-128-cbc", Direction::Encrypt),
            ("aes-128-cbc", Direction::Decrypt),
            ("3des-ctr", Direction::Encrypt),
            ("hmac-sha1", Direction::Generate),
            ("aes-128-cmac", Direction::Generate),
            ("aes-128-gcm", Direction::Seal),
            ("aes-128-gcm", Direction::Open),
            ("aes-128-cbc+hmac-sha1", Direction::Encrypt),
        ];
        operations.map(|(name, direction)| (known(name), direction)).to_vec()
    }

    /// Returns the lengths of its buffers.
    pub fn sizes(self) -> Vec<Workload> {
        (5..=13).map(|power| Workload::Size(1 << power)).collect()
    }

    /// The numbers of cores that the suite runs on, up to this machine's.
    pub fn cores(self, available: usize) -> Vec<usize> {
        [1, 2, 4, 8].into_iter().filter(|&cores| cores <= available.max(1)).collect()
    }

    /// Returns what it measures.
    pub fn kinds(self) -> &'static [Kind] {
        match self {
            Suite::DpdkOpenssl => &[Kind::Throughput],
            Suite::DpdkOpensslStates => &[Kind::Throughput, Kind::Memory],
        }
    }

    /// Returns the providers that take part. If `asked` names providers, these take part; `openssl`
    /// without a word on its contexts then stands for both kinds, or for all states.
    pub fn providers(self, asked: &[ProviderSpec]) -> Vec<ProviderSpec> {
        let both = |spec: &ProviderSpec| {
            let told = spec.options.iter().any(|(name, _)| name == "contexts");
            if spec.name != "openssl" || told {
                return vec![spec.clone()];
            }
            if self == Suite::DpdkOpensslStates && spec.options.is_empty() {
                return STATES.iter().map(|state| known(&state.provider())).collect();
            }
            let with = |contexts: &str| {
                let mut spec = spec.clone();
                spec.options.push(("contexts".to_owned(), contexts.to_owned()));
                spec
            };
            vec![with("per-job"), with("per-queue-pair")]
        };
        let usual = ["openssl", "native"].map(known);
        let asked = if asked.is_empty() { &usual } else { asked };
        asked.iter().flat_map(both).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_is_the_papers_matrix() {
        let suite: Suite = "dpdk-openssl".parse().unwrap();
        assert_eq!(suite.operations().len(), 8);
        assert_eq!(suite.sizes().len(), 9);
        assert_eq!((suite.cores(1), suite.cores(6)), (vec![1], vec![1, 2, 4]));
        let names = |asked: &[ProviderSpec]| -> Vec<String> {
            suite.providers(asked).iter().map(ToString::to_string).collect()
        };
        let both = ["openssl:contexts=per-job", "openssl:contexts=per-queue-pair"];
        assert_eq!(names(&[]), [both[0], both[1], "native"]);
        assert_eq!(names(&[known("openssl")]), both);
        assert_eq!(names(&[known(both[0]), known("ipsec-mb")]), [both[0], "ipsec-mb"]);
    }

    #[test]
    fn the_states_stand_for_openssl() {
        let suite = Suite::DpdkOpensslStates;
        assert_eq!(suite.operations(), Suite::DpdkOpenssl.operations());
        assert_eq!(suite.providers(&[]).len(), STATES.len() + 1);
        assert_eq!(suite.providers(&[known("openssl:contexts=locked")]).len(), 1);
        assert_eq!(suite.providers(&[known("openssl:queue-pairs=4"), known("native")]).len(), 3);
    }

    #[test]
    fn every_operation_has_its_direction() {
        for (algorithm, direction) in Suite::DpdkOpenssl.operations() {
            assert!(algorithm.directions().contains(&direction), "{algorithm} {direction}");
        }
    }
}
