//! What the device needs of a parameter set: work items, and room.

use broadloom_public_key::SlhDsaParams;

use crate::cl::GROUP;

/// The most bytes of a node.
pub(super) const MAX_N: usize = 32;

/// The height of the trees of FORS that a work item makes.
pub(crate) const FORS_PART: usize = 3;

/// The items of the kernels that sign, as far as these have several.
pub(super) struct Items {
    pub chains: usize,
    pub leaves: usize,
    pub fors: usize,
    pub climb: usize,
    pub values: usize,
}

impl Items {
    pub fn of(params: &SlhDsaParams) -> Items {
        Items {
            chains: (params.d << params.height) * params.chains(),
            leaves: params.d << params.height,
            fors: params.k << (params.a - FORS_PART),
            climb: (params.k + params.d) * GROUP,
            values: params.d * params.chains(),
        }
    }
}

/// Bytes of a signature's intermediate results: see `tree_nodes` in `slh_dsa.cl`.
pub(super) fn sign_memory(params: &SlhDsaParams) -> usize {
    let trees = (params.d << params.height) * (params.chains() + 2);
    let fors = 2 * (params.k << params.a);
    params.n * (trees + fors + params.k + 1)
}

/// The same of a verification: see `slh_dsa_verify`.
pub(super) fn verify_memory(params: &SlhDsaParams) -> usize {
    params.n * (2 * GROUP + 1 + params.chains().max(params.k))
}

#[cfg(test)]
mod tests {
    use broadloom_engine::SlhDsaSet;

    use super::*;

    #[test]
    fn every_set_fits_the_kernels_and_has_the_lengths_of_the_engine() {
        let digests = [30, 34, 39, 42, 47, 49];
        for (index, set) in SlhDsaSet::ALL.into_iter().enumerate() {
            let params = set.params();
            assert_eq!(params.signature_len(), set.signature_len(), "{}", set.name());
            assert_eq!(params.digest_len(), digests[index % 6], "{}", set.name());
            assert_eq!(params.n, set.node_len(), "{}", set.name());
            assert_eq!(params.is_shake, set.name().contains("shake"), "{}", set.name());
            assert!(params.a > FORS_PART && params.n <= MAX_N, "{}", set.name());
        }
    }
}
