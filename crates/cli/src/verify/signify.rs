//! The signature files of signify, of OpenBSD: a comment, and a line of base64. Its files of public
//! keys are those of [minisign](super::minisign).

use super::minisign::{KeyId, Lines, decoded, is_minisign, part};

/// A signature over the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignifySignature {
    /// The number of the key.
    pub id: KeyId,
    /// The signature of Ed25519.
    pub bytes: [u8; 64],
}

/// Reads the file of a signature; `None` where it is none of signify. One of minisign goes on.
pub fn signature_file(bytes: &[u8]) -> Option<SignifySignature> {
    if !is_minisign(bytes) {
        return None;
    }
    let mut lines = Lines(bytes);
    lines.next("untrusted comment").ok()?;
    let line = lines.next("signature").ok()?;
    lines.end().ok()?;
    let blob: [u8; 74] = decoded(line, "signature of signify").ok()?;
    blob.starts_with(b"Ed").then(|| SignifySignature::of(&blob))
}

impl SignifySignature {
    fn of(blob: &[u8; 74]) -> SignifySignature {
        SignifySignature { id: KeyId::of(blob), bytes: part(blob, 10) }
    }
}

#[cfg(test)]
mod tests {
    use base64ct::{Base64, Encoding};
    use proptest::prelude::*;

    use super::*;

    fn file(algorithm: &[u8; 2]) -> String {
        let blob = [algorithm.as_slice(), &[1, 2, 3, 4, 5, 6, 7, 8], &[9; 64]].concat();
        format!("untrusted comment: x\n{}\n", Base64::encode_string(&blob))
    }

    #[test]
    fn a_comment_and_a_line_are_a_signature() {
        let text = file(b"Ed");
        for text in [text.replace('\n', "\r\n"), text.trim_end().to_owned(), text] {
            let read = signature_file(text.as_bytes()).expect("it has the form");
            assert_eq!((read.id.to_string().as_str(), read.bytes), ("0807060504030201", [9; 64]));
        }
    }

    #[test]
    fn anything_else_is_none() {
        let good = file(b"Ed");
        for text in [
            file(b"ED"),
            format!("{good}trusted comment: x\n"),
            format!("{good}a message\n"),
            good.replace("untrusted", "trusted"),
            good.replace("RW", "R"),
            "untrusted comment: x\n".to_owned(),
        ] {
            assert_eq!(signature_file(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_file_is_read_or_refused(bytes: Vec<u8>) {
            signature_file(&bytes);
        }
    }
}
