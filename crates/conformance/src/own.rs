//! Error messages of a provider that has only one compression.

use std::ops::RangeInclusive;
use std::sync::Arc;

use broadloom_engine::provider::{Factory, FactoryError, Provider};
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, HashAlgorithm, Job, JobError,
    Processor, Registry, Session, Transform,
};

use crate::Candidate;

/// Options, by name and value.
pub type Options<'o> = &'o [(&'o str, &'o str)];

/// The error messages of a provider that has only one compression, for
/// [`compressor!`](crate::compressor!).
pub struct Compressor {
    /// How the provider is opened.
    pub factory: Factory,
    /// Wrong options, and what the factory says of them.
    pub wrong_options: &'static [(Options<'static>, &'static str)],
    /// The compression that it has.
    pub algorithm: CompressionAlgorithm,
    /// Its levels.
    pub levels: RangeInclusive<u8>,
    /// Compressions that it refuses, and its words.
    pub refused: Vec<(Compression, &'static str)>,
    /// Streams, and how their decompression ends.
    pub streams: &'static [(&'static [u8], Result<(), JobError>)],
}

impl Compressor {
    /// Checks that the error for a wrong option names the valid ones.
    ///
    /// # Panics
    /// If the factory takes them, or uses other words.
    pub fn options(&self) {
        for (options, said) in self.wrong_options {
            match self.factory.open(options, &Registry::new()) {
                Err(FactoryError::Option(reason)) => assert_eq!(reason, *said),
                Err(error) => panic!("{options:?} is no reason to be absent: {error}"),
                Ok(_) => panic!("{} takes {options:?}", self.factory.name()),
            }
        }
    }

    /// Checks that a refusal says what the provider has.
    ///
    /// # Panics
    /// If the provider takes it, or uses other words.
    pub fn refusals(&self, provider: &Arc<dyn Provider>) {
        assert_eq!(provider.levels(self.algorithm), Some(self.levels.clone()));
        let refused = |transform: &Transform| {
            let opened = provider.open_session(transform);
            opened.err().unwrap_or_else(|| panic!("it opens {transform:?}")).to_string()
        };
        for (how, said) in &self.refused {
            let transform = Transform::compress(self.algorithm, *how).expect("there is such a way");
            assert_eq!(refused(&transform), *said, "{how:?}");
        }
        let (name, own) = (self.factory.name(), self.algorithm);
        let says = |what: Algorithm| format!("{name} has no {what}; it has {own}");
        for other in CompressionAlgorithm::all().filter(|other| *other != self.algorithm) {
            let any = Algorithm::Compression(other);
            assert_eq!(provider.levels(other), None, "{other:?}");
            assert!(!provider.supports(any), "{other:?}");
            let both = [
                Transform::compress(other, Compression::default()),
                Transform::decompress(other, Checksum::None),
            ];
            for transform in both {
                assert_eq!(refused(&transform.expect("there is such a way")), says(any));
            }
        }
        let hash = HashAlgorithm::Sha256;
        assert_eq!(refused(&Transform::hash(hash)), says(Algorithm::Hash(hash)));
    }

    /// Wrong streams fail as what they are to this provider.
    ///
    /// # Panics
    /// If they fail otherwise.
    pub fn streams(&self, provider: &Arc<dyn Provider>) {
        let transform = Transform::decompress(self.algorithm, Checksum::Crc32);
        let transform = transform.expect("it has no parameters");
        let session = Session::open(Arc::clone(provider), &transform).expect("it decompresses");
        let mut processor = Processor::new();
        for (stream, expected) in self.streams {
            let mut job = Job::new(&session, *stream);
            processor.process_many(std::slice::from_mut(&mut job));
            assert_eq!(job.status(), Some(*expected), "{stream:x?}");
        }
    }
}

/// Runs a check of what a provider says in its own words.
///
/// # Panics
/// If the provider does not pass; or is absent, where the environment has `CI=true`.
#[doc(hidden)]
pub fn run_own(
    topic: &str,
    candidate: impl Candidate,
    own: &Compressor,
    test: fn(&Compressor, &Arc<dyn Provider>),
) {
    if let Some(provider) = broadloom_testing::present(topic, candidate.candidate()) {
        test(own, &provider);
    }
}
