//! Whether what was compressed is what it was.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use broadloom::compression::Format;
use broadloom::compression::decompress::{Decompressor, Settings};
use broadloom_engine::{Checksum, CompressionAlgorithm, Session, Transform};
use broadloom_libdeflate::Libdeflate;

use crate::error::PerfError;

/// Decompresses the outputs of all sides with a library of its own, and compares the result with
/// the input. An output that equals a checked output is not checked again.
#[derive(Default)]
pub struct Checker {
    right: HashSet<u64>,
    /// Memory for what is decompressed.
    data: Vec<u8>,
}

impl Checker {
    /// One that has seen nothing.
    pub fn new() -> Checker {
        Checker::default()
    }

    /// Checks what somebody made of an input.
    ///
    /// # Errors
    /// It is something else, or no compressed data.
    pub fn check(
        &mut self,
        who: &str,
        format: Format,
        compressed: &[u8],
        input: &[u8],
    ) -> Result<(), PerfError> {
        let mut hasher = DefaultHasher::new();
        (format.to_string(), compressed, input.as_ptr() as usize, input.len()).hash(&mut hasher);
        let seen = hasher.finish();
        if self.right.contains(&seen) {
            return Ok(());
        }
        let refuse = |reason: String| PerfError::Provider { spec: who.to_owned(), reason };
        let session = Libdeflate::load(&[]).map_err(|error| refuse(error.to_string())).and_then(
            |library| {
                let transform =
                    Transform::decompress(CompressionAlgorithm::Deflate, Checksum::Crc32);
                let transform = transform.map_err(|error| refuse(error.to_string()))?;
                Session::open(Arc::new(library), &transform)
                    .map_err(|error| refuse(error.to_string()))
            },
        )?;
        let settings = Settings {
            format: Some(format),
            limit: Some(input.len() as u64),
            ..Settings::default()
        };
        let decompressor =
            Decompressor::new(session, settings).map_err(|error| refuse(error.to_string()))?;
        self.data.clear();
        match decompressor.decompress(compressed, &mut self.data) {
            Ok(_) if self.data == input => {
                self.right.insert(seen);
                Ok(())
            }
            Ok(_) => Err(refuse("what it compressed is something else than its input".to_owned())),
            Err(error) => Err(refuse(format!("what it compressed is wrong: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_found() {
        let input = b"heald and reed ".repeat(100);
        let mut output = vec![0; 4096];
        let mut bare = Libdeflate::load(&[]).unwrap().bare(1).unwrap();
        let len = bare.compress(&input, &mut output[4..]).unwrap();
        output[..4].copy_from_slice(&(len as u32).to_le_bytes());
        output.truncate(4 + len);
        let mut checker = Checker::new();
        let mut check = |compressed: &[u8], input: &[u8]| {
            let checked = checker.check("somebody", Format::Parcomp, compressed, input);
            checked.map_err(|error| error.to_string())
        };
        for _ in 0..2 {
            assert_eq!(check(&output, &input), Ok(()));
        }
        let mut other = input.clone();
        other[700] ^= 1;
        assert!(check(&output, &other).unwrap_err().contains("somebody"));
        assert!(check(&output[..len], &input).is_err());
    }
}
