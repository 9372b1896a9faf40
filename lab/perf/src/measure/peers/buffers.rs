//! What a peer works on: the buffers of a comparison with their keys and nonces, and where results
//! go.

use std::ops::Range;

use broadloom_engine::{Algorithm, Direction};
use broadloom_ipsec_mb::bare::Places;

use crate::measure::course::Course;
use crate::measure::workset::{Copies, Outputs, Workset};

/// Bytes of a nonce where the algorithm leaves a choice.
pub(crate) const NONCE: usize = 12;

/// Bytes of an AEAD's tag.
const TAG: usize = 16;

/// Buffers with keys and nonces, and places for the results of one peer.
///
/// They are either *apart*, each with a key of its own and read where they are; or *in place*, all
/// with one key, and ciphered where a copy of them is.
pub struct Buffers<'a> {
    algorithm: Algorithm,
    course: Course,
    keys: Vec<&'a [u8]>,
    nonces: Vec<&'a [u8]>,
    associated: &'a [u8],
    inputs: Vec<&'a [u8]>,
    /// The tags of messages that are to be opened.
    expected: Vec<&'a [u8]>,
    /// Digests, tags of MACs, and texts.
    outputs: Outputs,
    /// Tags of AEADs.
    tags: Vec<Tag>,
    in_place: bool,
}

/// Room for a tag, as libraries want it aligned.
#[derive(Clone)]
#[repr(align(64))]
struct Tag([u8; 64]);

/// One buffer, for a peer that is called with slices.
pub struct Message<'m> {
    /// What is read.
    pub input: &'m [u8],
    /// Where the digest, the tag of a MAC or the text goes. In place, the text is there already.
    pub output: &'m mut [u8],
    /// `true` if the text is in `output` already.
    pub in_place: bool,
    /// The nonce.
    pub nonce: &'m [u8],
    /// Associated data of an AEAD.
    pub associated: &'m [u8],
    /// Where the tag of an AEAD goes.
    pub tag: &'m mut [u8],
    /// The tag of a message that is to be opened, or the signature to verify.
    pub expected: &'m [u8],
}

impl<'a> Buffers<'a> {
    /// The buffers of a set, apart. There is no associated data, and no direction that checks tags.
    pub fn apart(workset: &'a Workset, course: Course) -> Buffers<'a> {
        let algorithm = workset.algorithm();
        let lens = algorithm.nonce_lens();
        let nonce = |index| &workset.nonce(index)[..NONCE.clamp(lens.min(), lens.max())];
        let each = || 0..workset.len();
        Buffers {
            algorithm,
            course,
            keys: each().map(|index| workset.key(index)).collect(),
            nonces: each().map(nonce).collect(),
            associated: &[],
            inputs: each().map(|index| workset.buffer(index)).collect(),
            expected: Vec::new(),
            outputs: Outputs::new(workset),
            tags: tags(algorithm, workset.len()),
            in_place: false,
        }
    }

    /// Buffers in place: of the lengths of a set and with its first key. `expected` has the tag of
    /// each message that is to be opened.
    pub fn in_place(
        workset: &'a Workset,
        direction: Direction,
        inputs: &'a Copies,
        nonces: &'a [Vec<u8>],
        associated: &'a [u8],
        expected: &'a [Vec<u8>],
    ) -> Buffers<'a> {
        let verifies = direction == Direction::Verify
            && matches!(workset.algorithm(), Algorithm::PublicKey(_));
        let checks = direction == Direction::Open || verifies;
        let mut buffers = Buffers {
            algorithm: workset.algorithm(),
            course: direction.into(),
            keys: vec![workset.key(0)],
            nonces: nonces.iter().map(Vec::as_slice).collect(),
            associated,
            inputs: (0..workset.len()).map(|index| inputs.get(index)).collect(),
            expected: expected.iter().filter(|_| checks).map(Vec::as_slice).collect(),
            outputs: Outputs::new(workset),
            tags: tags(workset.algorithm(), workset.len()),
            in_place: true,
        };
        buffers.restore();
        buffers
    }

    /// Returns the algorithm that is applied to the buffers.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the direction of all buffers, or of a mix the direction of the first.
    pub fn direction(&self) -> Direction {
        self.course.of(0)
    }

    /// The keys, each with the way that its buffers go.
    pub fn keys_and_directions(&self) -> impl Iterator<Item = (&'a [u8], Direction)> {
        self.keys.iter().enumerate().map(|(index, key)| (*key, self.course.of(index)))
    }

    /// The number of buffers.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Returns `true` if there are no buffers.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// The length of the longest buffer in bytes.
    pub fn longest(&self) -> usize {
        self.inputs.iter().map(|input| input.len()).max().unwrap_or(0)
    }

    /// The length of a result of the first buffer in bytes: of all, where the results are digests.
    pub fn output_len(&self) -> usize {
        if self.is_empty() { 0 } else { self.outputs.get(0).len() }
    }

    /// The lengths of the nonces and of the associated data in bytes.
    pub fn nonce_and_associated_len(&self) -> (usize, usize) {
        (self.nonces.first().map_or(0, |nonce| nonce.len()), self.associated.len())
    }

    /// One key for all buffers, or one for each; empty for plain digests.
    pub fn keys(&self) -> &[&'a [u8]] {
        &self.keys
    }

    /// The place among the [keys](Buffers::keys) of a buffer's key.
    #[inline(always)]
    pub fn key_of(&self, index: usize) -> usize {
        index.min(self.keys.len() - 1)
    }

    /// Returns `true` if results are texts that lie where the input was.
    fn ciphers_in_place(&self) -> bool {
        let makes_apart = matches!(
            self.algorithm,
            Algorithm::Hash(_) | Algorithm::Mac(_) | Algorithm::PublicKey(_)
        );
        self.in_place && !makes_apart
    }

    /// A buffer for a peer that is called with slices.
    #[inline]
    pub fn message(&mut self, index: usize) -> Message<'_> {
        let in_place = self.ciphers_in_place();
        Message {
            input: self.inputs[index],
            output: self.outputs.get_mut(index),
            in_place,
            nonce: self.nonces[index],
            associated: self.associated,
            tag: self.tags.get_mut(index).map_or(&mut [], |tag| &mut tag.0[..TAG]),
            expected: self.expected.get(index).copied().unwrap_or_default(),
        }
    }

    /// A buffer for a library that keeps addresses: asking for another one leaves them valid,
    /// reading, restoring or clearing results does not.
    #[inline(always)]
    pub fn places(&mut self, index: usize) -> Places<'a> {
        let input = self.inputs[index];
        let (output, output_len) = self.outputs.address(index);
        let tag = match self.tags.get_mut(index) {
            Some(tag) => tag.0.as_mut_ptr(),
            None => output,
        };
        Places {
            source: if self.ciphers_in_place() { output } else { input.as_ptr() },
            destination: output,
            len: input.len(),
            nonce: self.nonces[index],
            associated: self.associated,
            tag,
            bits: None,
            tag_len: if self.tags.is_empty() { output_len } else { TAG },
        }
    }

    /// Returns `true` if the tags of some buffers are those that they should be, if there are such
    /// tags.
    #[inline]
    pub fn are_authentic(&self, mut range: Range<usize>) -> bool {
        let is_right = |index: usize| self.expected[index] == &self.tags[index].0[..TAG];
        self.expected.is_empty() || range.all(is_right)
    }

    /// Returns the input of a buffer.
    pub fn source(&self, index: usize) -> &[u8] {
        match self.ciphers_in_place() {
            true => self.outputs.get(index),
            false => self.inputs[index],
        }
    }

    /// Puts the inputs back to where they are ciphered in place.
    pub fn restore(&mut self) {
        if self.ciphers_in_place() {
            for (index, input) in self.inputs.iter().enumerate() {
                self.outputs.get_mut(index).copy_from_slice(input);
            }
        }
    }

    /// A buffer's digest, tag of a MAC, or text.
    pub fn output(&self, index: usize) -> &[u8] {
        self.outputs.get(index)
    }

    /// A buffer's tag that an AEAD has made.
    pub fn tag(&self, index: usize) -> &[u8] {
        match self.direction() {
            Direction::Seal => self.tags.get(index).map_or(&[], |tag| &tag.0[..TAG]),
            _ => &[],
        }
    }

    /// Overwrites all results; in place, with the inputs.
    pub fn clear(&mut self) {
        self.outputs.clear();
        self.tags.iter_mut().for_each(|tag| tag.0.fill(0));
        self.restore();
    }
}

/// Places for tags, where the algorithm makes them beside a text.
fn tags(algorithm: Algorithm, count: usize) -> Vec<Tag> {
    match algorithm {
        Algorithm::Aead(_) => vec![Tag([0; 64]); count],
        _ => Vec::new(),
    }
}
