//! Tests of this provider alone: options, and what it says in its own words. The conformance suite
//! tests the properties of all providers.

use std::sync::Arc;

use broadloom_conformance::compressor;
use broadloom_conformance::own::Compressor;
use broadloom_engine::provider::Provider;
use broadloom_engine::{Compression, CompressionAlgorithm, JobError, Session, Transform};

use crate::{LoadError, Zlib, factory};

fn provider(library: &str) -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(Zlib::load(&[("library", library)])?))
}

fn own() -> Compressor {
    let plain = Compression::default();
    Compressor {
        factory: factory(),
        wrong_options: &[
            (
                &[("library", "miniz")],
                "the zlib provider takes no library=miniz: library is system or zlib-rs",
            ),
            (&[("level", "1")], "the zlib provider takes no level=1: its option is library"),
            (
                &[("library", "zlib-rs"), ("library", "zlib-rs")],
                "the zlib provider takes no library=zlib-rs: an option is given once",
            ),
        ],
        algorithm: CompressionAlgorithm::Deflate,
        levels: 0..=9,
        refused: vec![
            (Compression { level: 10, ..plain }, "zlib has no level 10; valid: 0 to 9"),
            (
                Compression { window: 8, ..plain },
                "zlib has no window of 2^8 bytes for raw deflate; valid: 2^9 to 2^15",
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

compressor!(system: provider("system"), own());
compressor!(built_in: provider("zlib-rs"), own());

#[test]
fn options_choose_the_library() {
    let libraries = ["system", "zlib-rs"].into_iter();
    let there = libraries.filter_map(|library| {
        broadloom_testing::present(&format!("the library {library}"), provider(library))
    });
    for provider in there {
        let described = provider.description();
        let transform = Transform::compress(CompressionAlgorithm::Deflate, Compression::default());
        let transform = transform.expect("deflate has it");
        let session = Session::open(Arc::clone(&provider), &transform).expect("zlib has it");
        assert!(described.starts_with(session.kernel().as_str()), "{described}");
    }
    let built_in = Zlib::load(&[("library", "zlib-rs")]).expect("it is built in");
    assert_eq!(built_in.description(), "zlib-rs, built in, as library=zlib-rs says");
    assert!(Zlib::load(&[]).is_ok(), "one of them is always there");
}
