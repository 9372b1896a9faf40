//! SLH-DSA: how many blocks its hashes take. Those of the message itself, a few, are left out.

use broadloom_engine::SlhDsaSet;

/// Blocks that an operation takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HashBlocks {
    /// Of SHA-256, or of SHAKE256.
    pub short: f64,
    /// Of SHA-512.
    pub long: f64,
}

/// The numbers of a set (FIPS 205, table 2).
struct Params {
    n: usize,
    layers: usize,
    /// The height of a tree of the hypertree.
    height: usize,
    /// The height of a tree of FORS.
    fors_height: usize,
    fors_trees: usize,
}

/// Steps of a chain, with the beginning.
const CHAIN: usize = 16;

/// Steps that are left of a chain on average, where digits are random.
const LEFT: f64 = 7.5;

impl Params {
    fn new(set: SlhDsaSet) -> Params {
        use SlhDsaSet::*;
        let [layers, height, fors_height, fors_trees] = match set {
            Sha2_128s | Shake128s => [7, 9, 12, 14],
            Sha2_128f | Shake128f => [22, 3, 6, 33],
            Sha2_192s | Shake192s => [7, 9, 14, 17],
            Sha2_192f | Shake192f => [22, 3, 8, 33],
            Sha2_256s | Shake256s => [8, 8, 14, 22],
            Sha2_256f | Shake256f => [17, 4, 9, 35],
        };
        Params { n: set.node_len(), layers, height, fors_height, fors_trees }
    }

    fn chains(&self) -> usize {
        2 * self.n + 3
    }
}

/// Blocks of a signature: of all leaves and nodes of the trees that it touches.
pub fn signature_blocks(set: SlhDsaSet) -> HashBlocks {
    let params = Params::new(set);
    let leaves = params.layers << params.height;
    let fors = params.fors_trees << params.fors_height;
    let chained = leaves * params.chains() * CHAIN + 2 * fors;
    let nodes = leaves - params.layers + fors - params.fors_trees;
    blocks(set, chained as f64, nodes, leaves)
}

/// Blocks of a verification: of the paths, and of what is left of the chains.
pub fn verification_blocks(set: SlhDsaSet) -> HashBlocks {
    let params = Params::new(set);
    let chained = (params.layers * params.chains()) as f64 * LEFT + params.fors_trees as f64;
    let nodes = params.fors_trees * params.fors_height + params.layers * params.height;
    blocks(set, chained, nodes, params.layers)
}

/// Blocks of steps of chains, nodes, leaves, and the roots of FORS.
fn blocks(set: SlhDsaSet, chained: f64, nodes: usize, leaves: usize) -> HashBlocks {
    let Params { n, fors_trees, .. } = Params::new(set);
    let chains = Params::new(set).chains();
    let is_shake = set.name().contains("shake");
    // What is hashed beside nodes, and the padding at least.
    let (beside, padding, block) = match (is_shake, n) {
        (true, _) => (n + 32, 1, 136),
        (_, 16) => (22, 9, 64),
        _ => (22, 17, 128),
    };
    let of = |count: usize| (beside + count * n + padding).div_ceil(block);
    let others = (nodes * of(2) + leaves * of(chains) + of(fors_trees)) as f64;
    match is_shake || n == 16 {
        true => HashBlocks { short: chained + others, long: 0.0 },
        false => HashBlocks { short: chained, long: others },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_a_count_by_hand() {
        // 176 leaves of 35 chains and 10 blocks, 2112 leaves of FORS, 154 and 2079 nodes, and 9
        // blocks of roots.
        let chains = 176 * 35 * 16 + 2 * 2112;
        let sign = signature_blocks(SlhDsaSet::Sha2_128f);
        assert_eq!(sign.short, f64::from(chains + 154 + 2079 + 176 * 10 + 9));
        assert_eq!(sign.long, 0.0);
        // 22 layers of 35 chains, 33 paths of 6, 22 of 3.
        let verify = verification_blocks(SlhDsaSet::Sha2_128f);
        assert_eq!(verify.short, 22.0 * 35.0 * 7.5 + 33.0 + 198.0 + 66.0 + 220.0 + 9.0);
        let longer = signature_blocks(SlhDsaSet::Sha2_192f);
        assert_eq!(longer.short, f64::from(176 * 51 * 16 + 2 * 33 * 256));
        assert_eq!(longer.long, f64::from(154 + 33 * 255 + 176 * 10 + 7));
        assert!(signature_blocks(SlhDsaSet::Shake256s).long == 0.0);
    }
}
