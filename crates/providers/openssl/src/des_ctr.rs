//! DES and triple DES in CTR mode, which EVP lacks: ECB over counters.

use std::ffi::CStr;

use broadloom_engine::provider::{Buffers, Text};
use broadloom_engine::{JobError, Lengths};
use zeroize::{Zeroize, Zeroizing};

use crate::contexts::{Contexts, Held, job_error};
use crate::evp::{CipherContext, EvpError};
use crate::slots::Number;

/// Bytes of a block.
const BLOCK: usize = 8;

/// Blocks of key stream that are made in one call.
const BLOCKS: usize = 256;

pub(crate) struct DesCtr {
    pub contexts: Contexts<CipherContext>,
    /// The name of the cipher and the key, where every job looks up the one and sets the other.
    pub again: Option<(&'static CStr, Zeroizing<Vec<u8>>)>,
}

/// Room for key stream.
pub(crate) struct KeyStream(Box<[u8; BLOCK * BLOCKS]>);

impl KeyStream {
    pub(crate) fn new() -> KeyStream {
        KeyStream(Box::new([0; BLOCK * BLOCKS]))
    }
}

impl DesCtr {
    /// ECB has no state between calls, so that there is nothing to be restarted.
    pub(crate) fn run(
        &self,
        number: &mut Number,
        nonce: &[u8],
        text: Text<'_>,
        stream: &mut KeyStream,
    ) -> Result<(), JobError> {
        let first = nonce.try_into().map(u64::from_be_bytes);
        let valid = Lengths::exactly(BLOCK);
        let first = first.map_err(|_| JobError::NonceLength { len: nonce.len(), valid })?;
        let data = match text {
            Text::Write(Buffers::InPlace(data)) => data,
            Text::Write(Buffers::Apart(source, destination)) => {
                destination.copy_from_slice(source);
                destination
            }
            Text::Read(_) => return Err(JobError::ReadOnly),
        };
        let mut held = Held::Nothing;
        let context = self.contexts.get(number, &mut held).map_err(job_error)?;
        if let Some((name, key)) = &self.again {
            context.renew(name, key).map_err(job_error)?;
        }
        apply(context, first, data, stream).map_err(job_error)
    }
}

/// Adds the key stream of the counters from `counter` on.
fn apply(
    context: &mut CipherContext,
    mut counter: u64,
    data: &mut [u8],
    stream: &mut KeyStream,
) -> Result<(), EvpError> {
    for piece in data.chunks_mut(BLOCK * BLOCKS) {
        let used = piece.len().next_multiple_of(BLOCK);
        let stream = &mut stream.0[..used];
        for block in stream.chunks_exact_mut(BLOCK) {
            block.copy_from_slice(&counter.to_be_bytes());
            counter = counter.wrapping_add(1);
        }
        context.update((&mut *stream).into())?;
        for (byte, key) in piece.iter_mut().zip(&*stream) {
            *byte ^= key;
        }
        stream.zeroize();
    }
    Ok(())
}
