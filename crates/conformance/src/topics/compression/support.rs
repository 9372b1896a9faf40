//! Which compressions a provider supports, and which ones it refuses.

use std::sync::Arc;

use broadloom_engine::provider::{Provider, ProviderError};
use broadloom_engine::{
    Algorithm, Compression, CompressionAlgorithm, Direction, Ending, Huffman, Session,
};

use crate::candidate::say;
use crate::chunk::{CHECKSUMS, compressions, levels, open, wishes};

/// Compressions that a provider does not have are refused, with a reason; those that it has, it
/// says at which levels. Returns the names of the former.
pub(in crate::topics) fn missing(provider: &Arc<dyn Provider>) -> Vec<String> {
    let name = provider.name();
    let mut missing = Vec::new();
    for algorithm in CompressionAlgorithm::all() {
        let levels = provider.levels(algorithm);
        let supported = provider.supports(Algorithm::Compression(algorithm));
        assert_eq!(
            levels.is_some(),
            supported,
            "{name} has levels of {algorithm:?} if it supports it"
        );
        if let Some(levels) = levels {
            assert!(!levels.is_empty(), "{name} has no level of {algorithm:?}");
            continue;
        }
        missing.push(algorithm.name().to_owned());
        for direction in [Direction::Compress, Direction::Decompress] {
            let refused = open(provider, algorithm, direction, Compression::default());
            reason(
                provider,
                refused,
                &format!("{algorithm:?} {direction}, which it does not support"),
            );
        }
    }
    missing
}

/// Every level opens with every checksum, and so does decompression. What a provider does not have
/// of levels, windows, codes and endings it refuses, and says what would be valid.
pub fn refusals(provider: &Arc<dyn Provider>) {
    let name = provider.name();
    for algorithm in compressions(provider) {
        let opens = |how| open(provider, algorithm, Direction::Compress, how);
        let levels = levels(provider, algorithm);
        for (how, checksum) in
            levels.iter().flat_map(|how| CHECKSUMS.map(|checksum| (how, checksum)))
        {
            let how = Compression { checksum, ..*how };
            let opened = [opens(how), open(provider, algorithm, Direction::Decompress, how)];
            for session in opened {
                let session =
                    session.unwrap_or_else(|error| panic!("{name} refuses {how:?}: {error}"));
                assert_eq!(session.provider(), name);
                assert!(!session.kernel().is_empty(), "{name} names no kernel for {session:?}");
            }
        }
        let (first, last) = (levels[0].level, levels[levels.len() - 1].level);
        let beyond =
            [first.checked_sub(1), last.checked_add(1), Some(u8::MAX)].into_iter().flatten();
        for level in beyond.filter(|level| !(first..=last).contains(level)) {
            let refused = opens(Compression { level, ..Compression::default() });
            let reason = reason(provider, refused, &format!("{algorithm:?} at level {level}"));
            for valid in [first, last] {
                let found = reason.contains(&valid.to_string());
                assert!(
                    found,
                    "{name} refuses level {level} and does not say that {valid} is valid: {reason}"
                );
            }
        }
        let mut lacks = Vec::new();
        for how in levels.iter().flat_map(|how| wishes(how.level)) {
            let opened = opens(how);
            if opened.is_err() {
                let reason = reason(provider, opened, &format!("{algorithm:?}, {how:?}"));
                assert!(
                    reason.contains("valid"),
                    "{name} refuses {how:?} and does not say what is valid: {reason}"
                );
                lacks.push(how);
            } else {
                assert_eq!(
                    algorithm,
                    CompressionAlgorithm::Deflate,
                    "LZ4 has nothing like {how:?}"
                );
            }
        }
        let deflate = algorithm == CompressionAlgorithm::Deflate;
        if let Some(summary) = summary(&lacks).filter(|_| deflate) {
            say(format_args!("{name} does not do all of {}: {summary}", algorithm.name()));
        }
    }
}

fn reason(
    provider: &Arc<dyn Provider>,
    opened: Result<Session, ProviderError>,
    what: &str,
) -> String {
    let name = provider.name();
    let Err(error) = opened else { panic!("{name} opens a session for {what}") };
    assert!(!error.reason.is_empty(), "{name} refuses {what} without a reason");
    error.reason
}

/// The refusals in words, each kind with the number of levels; `None` without a refusal.
fn summary(lacks: &[Compression]) -> Option<String> {
    let mut words: Vec<(String, usize)> = Vec::new();
    for how in lacks {
        let what = match (how.huffman, how.ending) {
            (Huffman::Dynamic, Ending::Final) => format!("a window of 2^{}", how.window),
            (Huffman::Static, Ending::Final) => "static codes".to_owned(),
            (Huffman::Dynamic, Ending::Open) => "open endings".to_owned(),
            (Huffman::Static, Ending::Open) => continue,
        };
        match words.iter_mut().find(|(known, _)| *known == what) {
            Some((_, count)) => *count += 1,
            None => words.push((what, 1)),
        }
    }
    let words: Vec<_> =
        words.iter().map(|(what, count)| format!("{what} (at {count} levels)")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}
