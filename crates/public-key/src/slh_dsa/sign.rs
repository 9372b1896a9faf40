//! Signatures and keys: all trees of FORS and of the hypertree that a signature touches.
//!
//! No tree of the hypertree waits for another: only which values of its chains are given out
//! depends on the root below. So the leaves of all trees are made together, and for the leaves that
//! sign, the values of all places are kept. A signature by itself fills all lanes.

use alloc::boxed::Box;
use alloc::vec;

use broadloom_lanes::inside::publish;
use zeroize::Zeroize;

use super::hasher::{Hasher, ROWS};
use super::key::SlhDsaPrivateKey;
use super::params::{LAST, MAX_CHAINS, MAX_FORS, MAX_LAYERS, MAX_N, SlhDsaParams, SlhDsaSet};
use super::places::{SlhDsaPlaces, digits};
use crate::kernels::slh_dsa::address::{Address, Kind};

/// The height of the part of FORS that is made at once, and its leaves.
const PART: usize = 10;

/// Trees, and the nodes of one level of them.
pub(super) struct Signer {
    /// The nodes of the level that was made last.
    nodes: Box<[u8]>,
    /// The nodes of FORS at the height of a part, of which the others are made.
    upper: Box<[u8]>,
}

/// The trees of the hypertree that are made together: their layers and numbers, and the leaf of
/// each whose path is wanted.
struct Trees<'t> {
    first_layer: usize,
    places: &'t [(u64, u32)],
}

/// Whose nodes are made.
struct SigningWork<'w> {
    hasher: &'w mut Hasher,
    key: &'w SlhDsaPrivateKey,
    params: SlhDsaParams,
}

impl Signer {
    pub fn new() -> Self {
        let most = |bytes: fn(SlhDsaParams) -> usize| {
            let all = SlhDsaSet::ALL.into_iter().map(|set| bytes(set.params()));
            vec![0; all.max().unwrap_or(0)].into_boxed_slice()
        };
        Signer {
            nodes: most(|params| ((params.d << params.height).max(1 << PART)) * params.n),
            upper: most(|params| ((params.k << params.a) >> PART.min(params.a)) * params.n),
        }
    }

    /// Makes a signature, of which the randomizer is there already.
    pub fn sign(
        &mut self,
        hasher: &mut Hasher,
        key: &SlhDsaPrivateKey,
        places: &SlhDsaPlaces,
        signature: &mut [u8],
    ) {
        let params = key.public().params();
        let n = params.n;
        let mut work = SigningWork { hasher, key, params };
        let (fors, layers) = signature[n..].split_at_mut(params.fors_len());
        // Nodes that follow from a signature are public, and choose what is given out.
        let mut message = self.sign_fors(&mut work, places, fors);
        publish(&mut message);
        let trees = Trees { first_layer: 0, places: &places.layers[..params.d] };
        self.leaves(&mut work, &trees, true);
        let chains = params.chains() * n;
        let path = |tree: usize, level: usize| tree * params.layer_len() + chains + level * n;
        self.climb_trees(&mut work, &trees, |tree, level, node| {
            layers[path(tree, level)..][..n].copy_from_slice(node);
        });
        for (layer, part) in layers.chunks_exact_mut(params.layer_len()).enumerate() {
            let digits = digits(&params, &message);
            for (chain, value) in part[..chains].chunks_exact_mut(n).enumerate() {
                let number = layer * params.chains() + chain;
                work.hasher.traced(&params, number, digits[chain].into(), value);
            }
            message[..n].copy_from_slice(&self.nodes[layer * n..][..n]);
            publish(&mut message);
        }
    }

    /// Makes PK.root: the root of the highest tree.
    pub fn root(&mut self, hasher: &mut Hasher, key: &SlhDsaPrivateKey, root: &mut [u8]) {
        let params = key.public().params();
        let mut work = SigningWork { hasher, key, params };
        let trees = Trees { first_layer: params.d - 1, places: &[(0, 0)] };
        self.leaves(&mut work, &trees, false);
        self.climb_trees(&mut work, &trees, |_, _, _| ());
        root.copy_from_slice(&self.nodes[..params.n]);
    }

    /// Wipes what secrets went through.
    pub fn wipe(&mut self) {
        self.nodes.zeroize();
        self.upper.zeroize();
    }

    /// Computes the leaves of trees; those that sign first, and traced, where that is asked.
    fn leaves(&mut self, work: &mut SigningWork<'_>, trees: &Trees<'_>, signs: bool) {
        let height = work.params.height;
        let all =
            (0..trees.places.len()).flat_map(|tree| (0..1 << height).map(move |leaf| (tree, leaf)));
        let is_chosen = |(tree, leaf): &(usize, u32)| signs && trees.places[*tree].1 == *leaf;
        let chosen = trees.places.iter().enumerate().map(|(tree, (_, leaf))| (tree, *leaf));
        let mut made = 0;
        for batch in batches(chosen.filter(|_| signs)) {
            self.batch(work, trees, batch.get(), Some(made));
            made += batch.get().len();
        }
        for batch in batches(all.filter(|leaf| !is_chosen(leaf))) {
            self.batch(work, trees, batch.get(), None);
        }
    }

    /// Computes the leaves of a batch (FIPS 205, algorithm 6), of which the first is the leaf of
    /// this number among all that are traced.
    fn batch(
        &mut self,
        work: &mut SigningWork<'_>,
        trees: &Trees<'_>,
        batch: &[(usize, u32)],
        traced: Option<usize>,
    ) {
        let SigningWork { hasher, key, params } = work;
        let (n, chains) = (params.n, params.chains());
        let address = |kind, (tree, leaf): (usize, u32), chain: usize| Address {
            layer: (trees.first_layer + tree) as u32,
            tree: trees.places[tree].0,
            kind,
            words: [leaf, chain as u32, 0],
        };
        let (lanes, offset) = (hasher.chain_lanes(params), Hasher::offset(params));
        let total = batch.len() * chains;
        for (group, first) in (0..total).step_by(lanes).enumerate() {
            let count = lanes.min(total - first);
            for lane in 0..count {
                let (leaf, chain) = ((first + lane) / chains, (first + lane) % chains);
                let address = address(Kind::Chain, batch[leaf], chain);
                hasher.put(lane, key.public(), &address, key.seed());
            }
            let traced = traced.map(|leaf| leaf * chains / lanes + group);
            hasher.run(params, count, (Some(Kind::ChainSecret), LAST), traced);
            for lane in 0..count {
                let (leaf, chain) = ((first + lane) / chains, (first + lane) % chains);
                let mut value = [0; MAX_N];
                hasher.value(params, lane, &mut value[..n]);
                hasher.rows[leaf].0[offset + chain * n..][..n].copy_from_slice(&value[..n]);
            }
        }
        let of = |row: usize| (key.public(), address(Kind::ChainEnds, batch[row], 0));
        hasher.hash(params, (batch.len(), chains * n), of, |row, node| {
            let (tree, leaf) = batch[row];
            let at = (tree << params.height) + leaf as usize;
            self.nodes[at * n..][..n].copy_from_slice(node);
        });
    }

    /// Climbs from the leaves of trees to the roots, and reports the nodes of the paths.
    fn climb_trees(
        &mut self,
        work: &mut SigningWork<'_>,
        trees: &Trees<'_>,
        mut path: impl FnMut(usize, usize, &[u8]),
    ) {
        let SlhDsaParams { n, height, .. } = work.params;
        for level in 0..height {
            for (tree, (_, leaf)) in trees.places.iter().enumerate() {
                let at = (tree << (height - level)) + (*leaf >> level ^ 1) as usize;
                path(tree, level, &self.nodes[at * n..][..n]);
            }
            let below = height - level - 1;
            self.climb(work, trees.places.len() << below, |node| {
                let tree = node >> below;
                let index = node & ((1 << below) - 1);
                Address {
                    layer: (trees.first_layer + tree) as u32,
                    tree: trees.places[tree].0,
                    kind: Kind::Tree,
                    words: [0, level as u32 + 1, index as u32],
                }
            });
        }
    }

    /// Returns the nodes above twice as many.
    fn climb(
        &mut self,
        work: &mut SigningWork<'_>,
        count: usize,
        address: impl Fn(usize) -> Address,
    ) {
        let SigningWork { hasher, key, params } = work;
        let n = params.n;
        for first in (0..count).step_by(ROWS) {
            let rows = ROWS.min(count - first);
            for row in 0..rows {
                let pair = &self.nodes[2 * (first + row) * n..][..2 * n];
                hasher.row(params, row)[..2 * n].copy_from_slice(pair);
            }
            let of = |row: usize| (key.public(), address(first + row));
            hasher.hash(params, (rows, 2 * n), of, |row, node| {
                self.nodes[(first + row) * n..][..n].copy_from_slice(node);
            });
        }
    }

    /// Returns the signature of FORS (FIPS 205, algorithms 16 and 17), and its public key.
    fn sign_fors(
        &mut self,
        work: &mut SigningWork<'_>,
        places: &SlhDsaPlaces,
        signature: &mut [u8],
    ) -> [u8; MAX_N] {
        let params = work.params;
        let SlhDsaParams { n, a, k, .. } = params;
        let (tree, leaf) = places.layers[0];
        let address = |kind, height: usize, index: usize| {
            let words = [leaf, height as u32, index as u32];
            Address { layer: 0, tree, kind, words }
        };
        self.reveal(work, places, address, signature);
        // The trees side by side are one forest, whose nodes are numbered through.
        let inner = a.min(PART);
        let mut path = |nodes: &[u8], level: usize, first: usize, count: usize| {
            for (tree, leaf) in places.fors[..k].iter().enumerate() {
                let at = (tree << (a - level)) + (*leaf >> level ^ 1) as usize;
                if (first..first + count).contains(&at) {
                    let to = tree * params.fors_part() + (1 + level) * n;
                    signature[to..][..n].copy_from_slice(&nodes[(at - first) * n..][..n]);
                }
            }
        };
        for first in (0..k << a).step_by(1 << PART) {
            let count = ((k << a) - first).min(1 << PART);
            self.fors_leaves(work, (first, count), address);
            for level in 0..inner {
                path(&self.nodes, level, first >> level, count >> level);
                let begin = first >> (level + 1);
                self.climb(work, count >> (level + 1), |node| {
                    address(Kind::Fors, level + 1, begin + node)
                });
            }
            let (to, len) = ((first >> inner) * n, (count >> inner) * n);
            self.upper[to..][..len].copy_from_slice(&self.nodes[..len]);
        }
        let len = (k << (a - inner)) * n;
        self.nodes[..len].copy_from_slice(&self.upper[..len]);
        for level in inner..a {
            path(&self.nodes, level, 0, k << (a - level));
            self.climb(work, k << (a - level - 1), |node| address(Kind::Fors, level + 1, node));
        }
        let SigningWork { hasher, key, .. } = work;
        hasher.row(&params, 0)[..k * n].copy_from_slice(&self.nodes[..k * n]);
        let mut public = [0; MAX_N];
        let of = |_| (key.public(), address(Kind::ForsRoots, 0, 0));
        hasher.hash(&params, (1, k * n), of, |_, node| public[..n].copy_from_slice(node));
        public
    }

    /// Gives out the secrets of the chosen leaves of FORS.
    fn reveal(
        &mut self,
        work: &mut SigningWork<'_>,
        places: &SlhDsaPlaces,
        address: impl Fn(Kind, usize, usize) -> Address,
        signature: &mut [u8],
    ) {
        let SigningWork { hasher, key, params } = work;
        let lanes = hasher.chain_lanes(params);
        for first in (0..params.k).step_by(lanes) {
            let count = lanes.min(params.k - first);
            for lane in 0..count {
                let tree = first + lane;
                let index = (tree << params.a) + places.fors[tree] as usize;
                hasher.put(lane, key.public(), &address(Kind::Fors, 0, index), key.seed());
            }
            hasher.run(params, count, (Some(Kind::ForsSecret), 0), None);
            for lane in 0..count {
                let to = (first + lane) * params.fors_part();
                hasher.value(params, lane, &mut signature[to..][..params.n]);
            }
        }
    }

    /// Leaves of FORS.
    fn fors_leaves(
        &mut self,
        work: &mut SigningWork<'_>,
        (first, count): (usize, usize),
        address: impl Fn(Kind, usize, usize) -> Address,
    ) {
        let SigningWork { hasher, key, params } = work;
        let (n, lanes) = (params.n, hasher.chain_lanes(params));
        for begin in (0..count).step_by(lanes) {
            let count = lanes.min(count - begin);
            for lane in 0..count {
                let address = address(Kind::Fors, 0, first + begin + lane);
                hasher.put(lane, key.public(), &address, key.seed());
            }
            hasher.run(params, count, (Some(Kind::ForsSecret), 1), None);
            for lane in 0..count {
                hasher.value(params, lane, &mut self.nodes[(begin + lane) * n..][..n]);
            }
        }
    }
}

/// Up to [`ROWS`] leaves.
struct ChainBatch([(usize, u32); ROWS], usize);

impl ChainBatch {
    fn get(&self) -> &[(usize, u32)] {
        &self.0[..self.1]
    }
}

/// Leaves in batches.
fn batches(mut leaves: impl Iterator<Item = (usize, u32)>) -> impl Iterator<Item = ChainBatch> {
    core::iter::from_fn(move || {
        let mut batch = ChainBatch([(0, 0); ROWS], 0);
        while batch.1 < ROWS
            && let Some(leaf) = leaves.next()
        {
            batch.0[batch.1] = leaf;
            batch.1 += 1;
        }
        (batch.1 > 0).then_some(batch)
    })
}

const _: () = assert!(MAX_CHAINS <= 256 && MAX_FORS <= 256 && MAX_LAYERS <= 256, "words hold them");
