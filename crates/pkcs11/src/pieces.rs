//! Hashes and HMACs of messages that come in pieces, in a bounded amount of memory.

use broadloom::HashAlgorithm;
use broadloom::lanes::{Cpu, Planner};
use broadloom_hashing::function::Function;
use broadloom_hashing::{Algorithm, Visitor};
use zeroize::Zeroizing;

/// What streams take pieces in, but for the last.
const BLOCK: usize = 128;

/// A hash or an HMAC of a message of which some has come.
pub struct Pieces(Box<dyn Stream>);

trait Stream: Send {
    fn update(&mut self, data: &[u8]);
    fn finish(&mut self) -> Zeroizing<Vec<u8>>;
}

struct Of<A: Function> {
    stream: A::Stream,
    /// Less than a block.
    partial: Zeroizing<Vec<u8>>,
}

impl<A: Function> Of<A> {
    fn absorb(&mut self, blocks: &[u8]) {
        let mut jobs = [A::more(&mut self.stream, blocks)];
        Planner::<A::Lanes>::new(&Cpu::detect()).process_many(&mut jobs);
    }
}

impl<A: Function> Stream for Of<A> {
    fn update(&mut self, data: &[u8]) {
        let room = (BLOCK - self.partial.len()).min(data.len());
        let (first, rest) = data.split_at(room);
        self.partial.extend_from_slice(first);
        if self.partial.len() < BLOCK {
            return;
        }
        let block = std::mem::replace(&mut self.partial, empty());
        self.absorb(&block);
        let (blocks, rest) = rest.split_at(rest.len() / BLOCK * BLOCK);
        if !blocks.is_empty() {
            self.absorb(blocks);
        }
        self.partial.extend_from_slice(rest);
    }

    fn finish(&mut self) -> Zeroizing<Vec<u8>> {
        let mut jobs = [A::last(&mut self.stream, &self.partial)];
        Planner::<A::Lanes>::new(&Cpu::detect()).process_many(&mut jobs);
        Zeroizing::new(A::output(&jobs[0]).unwrap_or_default().to_vec())
    }
}

fn empty() -> Zeroizing<Vec<u8>> {
    Zeroizing::new(Vec::with_capacity(BLOCK))
}

impl Pieces {
    /// Begins a hash; with a key, an HMAC. `None` where there is none.
    pub fn new(hash: HashAlgorithm, key: Option<&[u8]>) -> Option<Pieces> {
        struct Begin<'k>(Option<&'k [u8]>);
        impl Visitor for Begin<'_> {
            type Output = Option<Pieces>;
            fn visit<A: Function>(self) -> Option<Pieces> {
                let stream = match self.0 {
                    Some(key) => A::stream(Some(&A::key(key)?)),
                    None => A::stream(None),
                };
                Some(Pieces(Box::new(Of::<A> { stream, partial: empty() })))
            }
        }
        let algorithm = match hash {
            HashAlgorithm::Md5 => Algorithm::Md5,
            HashAlgorithm::Sha1 => Algorithm::Sha1,
            HashAlgorithm::Sha224 => Algorithm::Sha224,
            HashAlgorithm::Sha256 => Algorithm::Sha256,
            HashAlgorithm::Sha384 => Algorithm::Sha384,
            HashAlgorithm::Sha512 => Algorithm::Sha512,
            HashAlgorithm::Sha3_224 => Algorithm::Sha3_224,
            HashAlgorithm::Sha3_256 => Algorithm::Sha3_256,
            HashAlgorithm::Sha3_384 => Algorithm::Sha3_384,
            HashAlgorithm::Sha3_512 => Algorithm::Sha3_512,
            _ => return None,
        };
        algorithm.visit(Begin(key))
    }

    /// Takes the next piece.
    pub fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    /// The digest or the tag.
    pub fn finish(&mut self) -> Zeroizing<Vec<u8>> {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use broadloom::{Job, MacAlgorithm, Processor, Transform};

    use super::*;

    #[test]
    fn pieces_come_to_what_the_whole_does() {
        let registry = broadloom::registry();
        let text: Vec<u8> = (0..1000).map(|at| (at * 7) as u8).collect();
        for hash in [HashAlgorithm::Sha1, HashAlgorithm::Sha512, HashAlgorithm::Sha3_256] {
            let hmac = Transform::mac(MacAlgorithm::Hmac(hash), b"key").generate().expect("a key");
            for (transform, key) in [(Transform::hash(hash), None), (hmac, Some(&b"key"[..]))] {
                let session = registry.open(&transform).expect("native has it");
                for step in [1, 64, 127, 128, 129, 300, 1000] {
                    let mut pieces = Pieces::new(hash, key).expect("it is there");
                    text.chunks(step).for_each(|piece| pieces.update(piece));
                    let mut jobs = [Job::new(&session, &text)];
                    Processor::new().process_many(&mut jobs);
                    assert_eq!(Some(pieces.finish().as_slice()), jobs[0].tag(), "{hash} {step}");
                }
            }
        }
    }
}
