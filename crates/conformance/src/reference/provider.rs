//! The reference behind the provider traits.

use std::ops::RangeInclusive;
use std::sync::Arc;

use broadloom_engine::provider::{
    AnyQueue, Operation, Parts, Portion, PortionParts, Provider, ProviderError, ProviderSession,
    ProviderStream, Queue,
};
use broadloom_engine::{Algorithm, CompressionAlgorithm, Direction, Transform};
use zeroize::Zeroizing;

use super::compression::{self, Packing};
use super::{Input, compute};

/// A provider of every algorithm, slow and plain: to try the suite on, and to compare others with.
pub fn reference_provider() -> Arc<dyn Provider> {
    Arc::new(Reference)
}

struct Reference;

struct Session {
    algorithm: Algorithm,
    direction: Direction,
    key: Zeroizing<Vec<u8>>,
    tag_len: usize,
}

struct Worker;

impl Provider for Reference {
    fn name(&self) -> &str {
        "reference"
    }

    fn description(&self) -> String {
        "the RustCrypto crates, miniz_oxide and lz4_flex, one buffer after another".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        match algorithm {
            Algorithm::Chain(_, mac, _) => mac.nonce_lens().is_none(),
            // The suite has keys and vectors for these.
            Algorithm::PublicKey(_) => false,
            _ => true,
        }
    }

    fn levels(&self, algorithm: CompressionAlgorithm) -> Option<RangeInclusive<u8>> {
        Some(compression::levels(algorithm))
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        if let Some(packing) = Packing::open(transform) {
            return Ok(Box::new(packing?));
        }
        let (algorithm, direction) = (transform.algorithm(), transform.direction());
        if let Algorithm::Chain(..) = algorithm {
            return Err(ProviderError::new(format!("{algorithm} is for the engine to take apart")));
        }
        let key = Zeroizing::new(transform.key().to_vec());
        Ok(Box::new(Session { algorithm, direction, key, tag_len: transform.tag_len() }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(Worker))
    }
}

impl ProviderSession for Session {
    fn kernel(&self) -> String {
        "RustCrypto".to_owned()
    }

    /// Hashes come in pieces, and MACs as a whole: whoever tries the suite on this has both.
    fn begin(&self) -> Option<ProviderStream> {
        let Algorithm::Hash(hash) = self.algorithm else { return None };
        let message =
            Message { algorithm: self.algorithm, tag_len: self.tag_len, data: Vec::new() };
        Some(ProviderStream::new(message, hash.block_len()))
    }
}

/// A message of a hash that comes in pieces.
#[derive(Clone)]
struct Message {
    algorithm: Algorithm,
    tag_len: usize,
    data: Vec<u8>,
}

impl Queue for Worker {
    fn batch(&mut self, _: u8) -> usize {
        8
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            if operation.attempt(compression::work) {
                continue;
            }
            let Some(parts) = operation.parts::<Session>() else { continue };
            let direction = parts.session.direction;
            match (direction, work(parts)) {
                (Direction::Verify | Direction::Open, tag) => operation.complete_with_mac(&tag),
                _ => operation.complete(Ok(())),
            }
        }
    }

    fn absorb(&mut self, portions: &mut [Portion<'_>]) {
        for portion in portions {
            let Some(PortionParts { stream, data, tag }) = portion.commit::<Message>() else {
                continue;
            };
            stream.data.extend_from_slice(data);
            if let Some(tag) = tag {
                let Message { algorithm, tag_len, ref data } = *stream;
                let (_, digest) = compute(&Input {
                    algorithm,
                    direction: Direction::Digest,
                    key: &[],
                    mac_key: &[],
                    nonce: &[],
                    associated: &[],
                    tag_len,
                    bits: None,
                    data,
                });
                tag[..digest.len()].copy_from_slice(&digest);
            }
        }
    }
}

/// Does an operation's work. The tag to be compared with is returned; one to be made is put in its
/// place.
fn work(parts: Parts<'_, Session>) -> Vec<u8> {
    let Parts { session, text, nonce, associated, tag: place, bits, .. } = parts;
    let (output, tag) = compute(&Input {
        algorithm: session.algorithm,
        direction: session.direction,
        key: &session.key,
        mac_key: &[],
        nonce,
        associated,
        tag_len: session.tag_len,
        bits,
        data: text.input(),
    });
    if !matches!(session.algorithm, Algorithm::Hash(_) | Algorithm::Mac(_))
        && let Some(bytes) = text.into_output()
    {
        bytes.copy_from_slice(&output);
    }
    if !session.direction.checks() {
        place[..tag.len()].copy_from_slice(&tag);
    }
    tag
}
