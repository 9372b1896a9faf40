//! Sessions.

use std::ops::RangeInclusive;

use broadloom_engine::provider::{ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Compression, CompressionAlgorithm, Direction, Ending, Huffman, Transform,
};

use crate::codec;

/// The one level that there is.
pub(crate) const LEVELS: RangeInclusive<u8> = 1..=1;

/// A session of the provider.
pub(crate) struct Lz4Session {
    pub compresses: bool,
}

impl Lz4Session {
    pub(crate) fn open(transform: &Transform) -> Result<Lz4Session, ProviderError> {
        let algorithm = transform.algorithm();
        let (Algorithm::Compression(CompressionAlgorithm::Lz4), Some(compression)) =
            (algorithm, transform.compression())
        else {
            return Err(ProviderError::new(format!("lz4 has no {algorithm}; it has lz4")));
        };
        let compresses = transform.direction() == Direction::Compress;
        if compresses {
            check(compression)?;
        }
        Ok(Lz4Session { compresses })
    }
}

fn check(compression: Compression) -> Result<(), ProviderError> {
    let Compression { level, window, huffman, ending, .. } = compression;
    if !LEVELS.contains(&level) {
        return Err(ProviderError::new(format!("lz4 has no level {level}; valid: 1")));
    }
    if window != Compression::default().window {
        return Err(ProviderError::new(format!(
            "an lz4 block's window is 2^16 bytes and cannot be 2^{window}; valid: the default"
        )));
    }
    if huffman == Huffman::Static {
        return Err(ProviderError::new(
            "lz4 has no Huffman codes to be static; valid: the default",
        ));
    }
    if ending == Ending::Open {
        return Err(ProviderError::new("nothing can follow an lz4 block; valid: Ending::Final"));
    }
    Ok(())
}

impl ProviderSession for Lz4Session {
    fn kernel(&self) -> String {
        "lz4_flex".to_owned()
    }

    fn instruction_set(&self) -> String {
        self.kernel()
    }

    fn bound(&self, len: usize) -> usize {
        codec::bound(len)
    }
}
