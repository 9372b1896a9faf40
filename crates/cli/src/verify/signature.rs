//! Signature files of any kind.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::minisign::{self, MinisignSignature};
use super::signify::{self, SignifySignature};

/// Most bytes of a signature file: far more than any signature with its comments has.
const MAX_FILE: u64 = 64 * 1024;

/// A signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    /// Of minisign.
    Minisign(MinisignSignature),
    /// Of signify.
    Signify(SignifySignature),
    /// The bytes of a signature alone, as OpenSSL writes them.
    Bytes(Vec<u8>),
}

/// Why there is no signature.
#[derive(Debug)]
pub enum Refusal {
    /// Its file cannot be read.
    Unreadable(io::Error),
    /// It cannot be right, whatever the file is.
    Wrong(String),
}

/// Reads a signature file.
///
/// # Errors
/// It cannot be read, or has no form of a signature.
pub fn read(path: &Path) -> Result<Signature, Refusal> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(Refusal::Unreadable)?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(Refusal::Unreadable)?;
    parse(bytes).map_err(Refusal::Wrong)
}

/// Reads the bytes of a signature file.
///
/// # Errors
/// What is wrong, in words.
pub fn parse(bytes: Vec<u8>) -> Result<Signature, String> {
    match bytes.len() as u64 {
        0 => Err("the signature file is empty".to_owned()),
        len if len > MAX_FILE => {
            Err(format!("the file has more than {MAX_FILE} bytes and is no signature"))
        }
        _ if minisign::is_minisign(&bytes) => match signify::signature_file(&bytes) {
            Some(signature) => Ok(Signature::Signify(signature)),
            None => minisign::signature_file(&bytes).map(Signature::Minisign),
        },
        _ => Ok(Signature::Bytes(bytes)),
    }
}

/// Returns `true` if bytes are a sequence of two integers in DER, as a signature of ECDSA is (RFC
/// 3279, 2.2.3). Those of the curves that are supported have less than 256 bytes.
pub fn is_ecdsa(bytes: &[u8]) -> bool {
    let integer = |bytes: &mut &[u8]| match **bytes {
        [0x02, len @ 1..0x80, ref rest @ ..] if rest.len() >= usize::from(len) => {
            *bytes = &rest[usize::from(len)..];
            true
        }
        _ => false,
    };
    match bytes {
        [0x30, len @ ..=0x7f, rest @ ..] | [0x30, 0x81, len @ 0x80..=0xff, rest @ ..]
            if rest.len() == usize::from(*len) =>
        {
            let mut rest = rest;
            integer(&mut rest) && integer(&mut rest) && rest.is_empty()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_integers_in_der_are_a_signature_of_ecdsa() {
        assert!(is_ecdsa(&[0x30, 6, 2, 1, 5, 2, 1, 7]));
        let long = [&[0x30, 0x81, 136, 2, 66][..], &[1; 66], &[2, 66], &[1; 66]].concat();
        assert!(is_ecdsa(&long) && !is_ecdsa(&long[..138]));
        for wrong in [
            &[][..],
            &[0x30],
            &[0x30, 0],
            &[0x30, 6, 2, 1, 5, 2, 1],
            &[0x30, 6, 2, 1, 5, 2, 1, 7, 0],
            &[0x30, 7, 2, 1, 5, 2, 1, 7, 0],
            &[0x30, 6, 2, 1, 5, 2, 2, 7],
            &[0x30, 6, 2, 0x81, 5, 2, 1, 7],
            &[0x30, 0x81, 6, 2, 1, 5, 2, 1, 7],
            &[0x30, 3, 2, 1, 5],
        ] {
            assert!(!is_ecdsa(wrong), "{wrong:x?}");
        }
    }

    #[test]
    fn files_of_impossible_lengths_are_refused() {
        assert_eq!(parse(Vec::new()).unwrap_err(), "the signature file is empty");
        assert!(parse(vec![1; MAX_FILE as usize + 1]).unwrap_err().contains("65536"));
        assert_eq!(parse(vec![1]), Ok(Signature::Bytes(vec![1])));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            is_ecdsa(&bytes);
            let _ = parse(bytes);
        }
    }
}
