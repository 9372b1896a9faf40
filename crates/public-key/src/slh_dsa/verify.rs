//! Verification, of up to [`ROWS`] signatures of one set at a time: a signature's layers wait for
//! each other, and its tree has one path, so that signatures fill the lanes together.

use alloc::boxed::Box;

use super::hasher::{Hasher, ROWS};
use super::key::SlhDsaPublicKey;
use super::params::{LAST, MAX_CHAINS, MAX_FORS, MAX_N, SlhDsaParams};
use super::places::{SlhDsaPlaces, digits};
use crate::kernels::slh_dsa::address::{Address, Kind};

/// One signature.
#[derive(Clone, Copy)]
pub(super) struct Claim<'c> {
    pub key: &'c SlhDsaPublicKey,
    pub signature: &'c [u8],
    pub places: &'c SlhDsaPlaces,
}

/// A node of each tree of each signature.
type Nodes = [[u8; MAX_N]; ROWS * MAX_FORS];

/// A chain to be completed: of which signature, which one, and its place.
type ChainPlace = (u8, u8, u8);

/// Room for what is verified at a time.
pub(super) struct Verifier {
    nodes: Box<Nodes>,
    chains: Box<[ChainPlace; ROWS * MAX_CHAINS]>,
}

impl Verifier {
    pub fn new() -> Self {
        Verifier { nodes: Box::new([[0; _]; _]), chains: Box::new([(0, 0, 0); _]) }
    }

    /// Returns the roots that signatures lead to: `true` where it is the key's.
    pub fn verify(&mut self, hasher: &mut Hasher, claims: &[Claim<'_>]) -> [bool; ROWS] {
        let mut right = [false; ROWS];
        let [Claim { key, .. }, ..] = claims else { return right };
        let params = key.params();
        let mut nodes = self.fors(hasher, &params, claims);
        for layer in 0..params.d {
            self.layer(hasher, &params, claims, layer, &mut nodes);
        }
        for ((right, claim), node) in right.iter_mut().zip(claims).zip(&nodes) {
            *right = claim.key.root() == &node[..params.n];
        }
        right
    }

    /// Returns the public keys of FORS that signatures lead to (FIPS 205, algorithm 17).
    fn fors(
        &mut self,
        hasher: &mut Hasher,
        params: &SlhDsaParams,
        claims: &[Claim<'_>],
    ) -> [[u8; MAX_N]; ROWS] {
        let SlhDsaParams { n, a, k, .. } = *params;
        let of = |item: usize, level: usize| {
            let (claim, tree) = (&claims[item / k], item % k);
            let leaf = (tree << a) + claim.places.fors[tree] as usize;
            let words = [claim.places.layers[0].1, level as u32, (leaf >> level) as u32];
            let tree = claim.places.layers[0].0;
            (claim.key, Address { layer: 0, tree, kind: Kind::Fors, words })
        };
        let part = |item: usize, level: usize| {
            let at = n + item % k * params.fors_part() + level * n;
            &claims[item / k].signature[at..][..n]
        };
        let (all, lanes) = (claims.len() * k, hasher.chain_lanes(params));
        for first in (0..all).step_by(lanes) {
            let count = lanes.min(all - first);
            for lane in 0..count {
                let (key, address) = of(first + lane, 0);
                hasher.put(lane, key, &address, part(first + lane, 0));
            }
            hasher.run(params, count, (None, 1), None);
            for lane in 0..count {
                hasher.value(params, lane, &mut self.nodes[first + lane][..n]);
            }
        }
        for level in 0..a {
            for first in (0..all).step_by(ROWS) {
                let count = ROWS.min(all - first);
                for row in 0..count {
                    let item = first + row;
                    let leaf = claims[item / k].places.fors[item % k];
                    let own = &self.nodes[item][..n];
                    pair(hasher.row(params, row), own, part(item, 1 + level), leaf >> level);
                }
                let of = |row: usize| of(first + row, level + 1);
                hasher.hash(params, (count, 2 * n), of, |row, node| {
                    self.nodes[first + row][..n].copy_from_slice(node);
                });
            }
        }
        for row in 0..claims.len() {
            let to = hasher.row(params, row)[..k * n].chunks_exact_mut(n);
            to.zip(&self.nodes[row * k..]).for_each(|(to, node)| to.copy_from_slice(&node[..n]));
        }
        let mut keys = [[0; MAX_N]; ROWS];
        let of = |row: usize| {
            let Claim { key, places, .. } = claims[row];
            let (tree, leaf) = places.layers[0];
            (key, Address { layer: 0, tree, kind: Kind::ForsRoots, words: [leaf, 0, 0] })
        };
        hasher.hash(params, (claims.len(), k * n), of, |row, node| {
            keys[row][..n].copy_from_slice(node);
        });
        keys
    }

    /// Computes the roots of a layer that the signatures of the nodes below lead to (FIPS 205,
    /// algorithms 8 and 11).
    fn layer(
        &mut self,
        hasher: &mut Hasher,
        params: &SlhDsaParams,
        claims: &[Claim<'_>],
        layer: usize,
        nodes: &mut [[u8; MAX_N]; ROWS],
    ) {
        let SlhDsaParams { n, height, .. } = *params;
        let address = |claim: &Claim<'_>, kind, words| Address {
            layer: layer as u32,
            tree: claim.places.layers[layer].0,
            kind,
            words,
        };
        let leaf = |claim: &Claim<'_>| claim.places.layers[layer].1;
        let part = |row: usize, number: usize| {
            let at = n + params.fors_len() + layer * params.layer_len() + number * n;
            &claims[row].signature[at..][..n]
        };
        let all = self.sort(params, &nodes[..claims.len()]);
        let (lanes, offset) = (hasher.chain_lanes(params), Hasher::offset(params));
        for chains in self.chains[..all].chunks(lanes) {
            for (lane, &(row, chain, place)) in chains.iter().enumerate() {
                let claim = &claims[usize::from(row)];
                let words = [leaf(claim), chain.into(), place.into()];
                let address = address(claim, Kind::Chain, words);
                hasher.put(lane, claim.key, &address, part(row.into(), chain.into()));
            }
            // The chains are sorted: the last one is complete first.
            let (mut begun, mut made) = (chains.len(), 0);
            while begun > 0 {
                let steps = LAST - usize::from(chains[begun - 1].2);
                if steps > made {
                    hasher.run(params, begun, (None, steps - made), None);
                    made = steps;
                }
                while begun > 0 && LAST - usize::from(chains[begun - 1].2) == made {
                    begun -= 1;
                    let (row, chain, _) = chains[begun];
                    let mut value = [0; MAX_N];
                    hasher.value(params, begun, &mut value[..n]);
                    let to = &mut hasher.rows[usize::from(row)].0;
                    to[offset + usize::from(chain) * n..][..n].copy_from_slice(&value[..n]);
                }
            }
        }
        let of = |row: usize| {
            let claim = &claims[row];
            (claim.key, address(claim, Kind::ChainEnds, [leaf(claim), 0, 0]))
        };
        hasher.hash(params, (claims.len(), params.chains() * n), of, |row, node| {
            nodes[row][..n].copy_from_slice(node);
        });
        for level in 0..height {
            for (row, claim) in claims.iter().enumerate() {
                let other = part(row, params.chains() + level);
                pair(hasher.row(params, row), &nodes[row][..n], other, leaf(claim) >> level);
            }
            let of = |row: usize| {
                let claim = &claims[row];
                let words = [0, level as u32 + 1, leaf(claim) >> (level + 1)];
                (claim.key, address(claim, Kind::Tree, words))
            };
            hasher.hash(params, (claims.len(), 2 * n), of, |row, node| {
                nodes[row][..n].copy_from_slice(node);
            });
        }
    }

    /// Lists the chains of the signatures of nodes, those with most steps left first. Says how many
    /// there are.
    fn sort(&mut self, params: &SlhDsaParams, nodes: &[[u8; MAX_N]]) -> usize {
        let chains = params.chains();
        let mut ends = [0; LAST + 1];
        let digits_of = |node: &[u8; MAX_N]| digits(params, node);
        for node in nodes {
            digits_of(node)[..chains].iter().for_each(|place| ends[usize::from(*place)] += 1);
        }
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        for (row, node) in nodes.iter().enumerate() {
            for (chain, place) in digits_of(node)[..chains].iter().enumerate() {
                let end = &mut ends[usize::from(*place)];
                self.chains[*end] = (row as u8, chain as u8, *place);
                *end += 1;
            }
        }
        sum
    }
}

/// Puts a node and its neighbour in order, by the lowest bit of the node's number.
fn pair(row: &mut [u8], own: &[u8], other: &[u8], number: u32) {
    let (left, right) = if number & 1 == 0 { (own, other) } else { (other, own) };
    row[..own.len()].copy_from_slice(left);
    row[own.len()..][..other.len()].copy_from_slice(right);
}
