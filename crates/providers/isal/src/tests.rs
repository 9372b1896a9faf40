//! Tests of this provider alone: what it says in its own words. The conformance suite tests the
//! properties of all providers.

use std::sync::Arc;

use broadloom_conformance::compressor;
use broadloom_conformance::own::Compressor;
use broadloom_engine::provider::Provider;
use broadloom_engine::{Compression, CompressionAlgorithm, Huffman, JobError};

use crate::{Isal, LoadError, factory};

fn provider() -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(Isal::load(&[])?))
}

fn own() -> Compressor {
    let plain = Compression::default();
    Compressor {
        factory: factory(),
        wrong_options: &[(
            &[("level", "1")],
            "the isal provider takes no level=1: it takes no options",
        )],
        algorithm: CompressionAlgorithm::Deflate,
        levels: 0..=3,
        refused: vec![
            (Compression { level: 4, ..plain }, "isal has no level 4; valid: 0 to 3"),
            (
                Compression { huffman: Huffman::Static, ..plain },
                "isal makes codes of its own at level 1; valid: level 0 for static codes, or \
                 dynamic",
            ),
        ],
        streams: &[
            (&[7], Err(JobError::Malformed)),
            (&[3], Err(JobError::Truncated)),
            (&[], Err(JobError::Truncated)),
            (&[3, 0], Ok(())),
        ],
    }
}

compressor!(provider(), own());
