//! Tests of this provider alone: what it says in its own words. The conformance suite tests the
//! properties of all providers.

use std::sync::Arc;

use broadloom_conformance::compressor;
use broadloom_conformance::own::Compressor;
use broadloom_engine::provider::Provider;
use broadloom_engine::{Compression, CompressionAlgorithm, Huffman, JobError};

use crate::{Libdeflate, LoadError, factory};

fn provider() -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(Libdeflate::load(&[])?))
}

fn own() -> Compressor {
    let plain = Compression::default();
    Compressor {
        factory: factory(),
        wrong_options: &[(
            &[("level", "1")],
            "the libdeflate provider takes no level=1: it takes no options",
        )],
        algorithm: CompressionAlgorithm::Deflate,
        levels: 0..=12,
        refused: vec![
            (Compression { level: 13, ..plain }, "libdeflate has no level 13; valid: 0 to 12"),
            (
                Compression { window: 14, ..plain },
                "libdeflate has no window of 2^14 bytes; valid: 2^15",
            ),
            (
                Compression { huffman: Huffman::Static, ..plain },
                "libdeflate cannot be held to static codes: it chooses each block's itself; \
                 valid: dynamic",
            ),
        ],
        // It does not tell what ends too early from what is wrong.
        streams: &[
            (&[7], Err(JobError::Malformed)),
            (&[3], Err(JobError::Malformed)),
            (&[], Err(JobError::Malformed)),
            (&[3, 0], Ok(())),
        ],
    }
}

compressor!(provider(), own());
