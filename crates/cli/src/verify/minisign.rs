//! The files of minisign: public keys, which are those of signify too, and signatures.

use std::fmt;

use base64ct::{Base64, Encoding};

/// What a file of minisign begins with.
const UNTRUSTED: &[u8] = b"untrusted comment:";
const TRUSTED: &[u8] = b"trusted comment: ";

/// What the comment of a key says that minisign made.
const MINISIGN: &[u8] = b"minisign";

/// The number that says which key made a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyId([u8; 8]);

impl KeyId {
    /// That of a blob, behind its algorithm.
    pub fn of(blob: &[u8]) -> KeyId {
        KeyId(part(blob, 2))
    }
}

impl fmt::Display for KeyId {
    /// As minisign prints it: in little-endian order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016X}", u64::from_le_bytes(self.0))
    }
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinisignKey {
    /// Its number.
    pub id: KeyId,
    /// The key of Ed25519.
    pub bytes: [u8; 32],
    /// It verifies nothing but signatures of minisign.
    pub is_of_minisign: bool,
}

/// A signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinisignSignature {
    /// The number of the key.
    pub id: KeyId,
    /// It is over the BLAKE2b-512 digest of the file, not over the file.
    pub is_prehashed: bool,
    /// The signature, and the trusted comment behind it: the message of `global`.
    signed: Vec<u8>,
    /// The signature over the signature and the trusted comment.
    pub global: [u8; 64],
}

/// Bytes of a signature of Ed25519.
const SIGNATURE: usize = 64;

impl MinisignSignature {
    /// The signature of Ed25519 over the file or its digest.
    pub fn signature(&self) -> &[u8] {
        &self.signed[..SIGNATURE]
    }

    /// The trusted comment.
    pub fn comment(&self) -> &[u8] {
        &self.signed[SIGNATURE..]
    }

    /// The signature and the trusted comment, which `global` signs.
    pub fn signed(&self) -> &[u8] {
        &self.signed
    }
}

/// Returns `true` if bytes are a file of minisign.
pub fn is_minisign(bytes: &[u8]) -> bool {
    bytes.starts_with(UNTRUSTED)
}

/// Reads a public key of minisign: the base64 line of its file.
///
/// # Errors
/// What is wrong, in words.
pub fn key_line(line: &[u8]) -> Result<MinisignKey, String> {
    let blob: [u8; 42] = decoded(line, "public key of minisign")?;
    if !blob.starts_with(b"Ed") {
        return Err(wrong_algorithm(&blob, "Ed"));
    }
    Ok(MinisignKey { id: KeyId::of(&blob), bytes: part(&blob, 10), is_of_minisign: true })
}

/// Reads the file of a public key. minisign and signify write the same; the former says in the
/// comment who it is.
///
/// # Errors
/// What is wrong, in words.
pub fn key_file(bytes: &[u8]) -> Result<MinisignKey, String> {
    let mut lines = Lines(bytes);
    let comment = lines.next("untrusted comment")?.to_ascii_lowercase();
    let is_of_minisign = comment.windows(MINISIGN.len()).any(|word| word == MINISIGN);
    let key = key_line(lines.next("public key")?)?;
    lines.end()?;
    Ok(MinisignKey { is_of_minisign, ..key })
}

/// Reads the file of a signature.
///
/// # Errors
/// What is wrong, in words.
pub fn signature_file(bytes: &[u8]) -> Result<MinisignSignature, String> {
    let mut lines = Lines(bytes);
    lines.next("untrusted comment")?;
    let blob: [u8; 74] = decoded(lines.next("signature")?, "signature of minisign")?;
    let is_prehashed = match &blob[..2] {
        b"ED" => true,
        b"Ed" => false,
        _ => return Err(wrong_algorithm(&blob, "Ed, ED")),
    };
    let comment = lines.next("trusted comment")?;
    let comment = comment.strip_prefix(TRUSTED).ok_or(
        "line 3 is no trusted comment; a signature of signify that holds its message (-e) is not \
         read",
    )?;
    let global = lines.next("signature of the trusted comment")?;
    let global = decoded(global, "signature of a trusted comment")?;
    lines.end()?;
    let signed = [&blob[10..], comment].concat();
    Ok(MinisignSignature { id: KeyId::of(&blob), is_prehashed, signed, global })
}

/// Bytes from a place in a longer array.
pub(super) fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("the slice has that length")
}

/// A blob of so many bytes, from base64.
pub(super) fn decoded<const N: usize>(line: &[u8], what: &str) -> Result<[u8; N], String> {
    let mut blob = [0; N];
    match Base64::decode(line, &mut blob) {
        Ok(bytes) if bytes.len() == N => Ok(blob),
        _ => Err(format!("a {what} is {} characters of base64", N.div_ceil(3) * 4)),
    }
}

fn wrong_algorithm(blob: &[u8], valid: &str) -> String {
    format!("the algorithm {:?} is unknown; valid: {valid}", blob[..2].escape_ascii().to_string())
}

/// The lines of a file that are not read yet.
pub(super) struct Lines<'l>(pub &'l [u8]);

impl<'l> Lines<'l> {
    pub(super) fn next(&mut self, what: &str) -> Result<&'l [u8], String> {
        if self.0.is_empty() {
            return Err(format!("the file ends before the {what}"));
        }
        let len = self.0.iter().position(|&byte| byte == b'\n');
        let (line, rest) = match len {
            Some(len) => (&self.0[..len], &self.0[len + 1..]),
            None => (self.0, &[][..]),
        };
        self.0 = rest;
        Ok(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Refuses what follows, save for empty lines.
    pub(super) fn end(&self) -> Result<(), String> {
        match self.0.iter().all(|byte| matches!(byte, b'\n' | b'\r')) {
            true => Ok(()),
            false => Err("there is more behind the last line".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(algorithm: &[u8; 2], comment: &str) -> String {
        let blob = [algorithm.as_slice(), &[1, 2, 3, 4, 5, 6, 7, 8], &[9; 64]].concat();
        let (blob, global) = (Base64::encode_string(&blob), Base64::encode_string(&[7; 64]));
        format!("untrusted comment: x\n{blob}\ntrusted comment: {comment}\n{global}\n")
    }

    #[test]
    fn signatures_are_read_with_either_end_of_line() {
        for prehashed in [true, false] {
            let text = file(if prehashed { b"ED" } else { b"Ed" }, "a b ");
            for text in [text.replace('\n', "\r\n"), text.trim_end().to_owned(), text] {
                let read = signature_file(text.as_bytes()).expect("it has the form");
                assert_eq!((read.is_prehashed, read.comment()), (prehashed, b"a b ".as_slice()));
                assert_eq!((read.signature(), read.global), ([9; 64].as_slice(), [7; 64]));
                assert_eq!(read.id.to_string(), "0807060504030201");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let good = file(b"ED", "c");
        let error = |text: &str| signature_file(text.as_bytes()).expect_err(text);
        assert_eq!(error(&file(b"EX", "c")), "the algorithm \"EX\" is unknown; valid: Ed, ED");
        let lines: Vec<&str> = good.lines().collect();
        assert_eq!(error(lines[0]), "the file ends before the signature");
        assert_eq!(error(&lines[..2].join("\n")), "the file ends before the trusted comment");
        assert_eq!(
            error(&lines[..3].join("\n")),
            "the file ends before the signature of the trusted comment"
        );
        let message = error(&good.replace("\ntrusted", "\nx"));
        assert!(message.starts_with("line 3 is no trusted comment; a signature of signify"));
        assert_eq!(error(&format!("{good}more")), "there is more behind the last line");
        let short = format!("{}\n{}\n", lines[0], &lines[1][4..]);
        assert_eq!(error(&short), "a signature of minisign is 100 characters of base64");
        let key = |line: &[u8]| key_line(line).expect_err("it is no key");
        assert_eq!(key(b"RWS"), "a public key of minisign is 56 characters of base64");
        assert_eq!(key(&[b'A'; 56]), "the algorithm \"\\\\x00\\\\x00\" is unknown; valid: Ed");
    }

    #[test]
    fn the_comment_of_a_key_says_whether_it_is_of_minisign() {
        let line = Base64::encode_string(&[b"Ed".as_slice(), &[7; 40]].concat());
        let read =
            |comment: &str| key_file(format!("untrusted comment:{comment}\n{line}\n").as_bytes());
        for (comment, is_of_minisign) in [
            (" minisign public key 0707070707070707", true),
            (" our Minisign key", true),
            (" signify public key", false),
            ("", false),
        ] {
            let key = read(comment).expect("it has the form");
            assert_eq!(key.is_of_minisign, is_of_minisign, "{comment:?}");
        }
        assert!(key_line(line.as_bytes()).expect("it has the form").is_of_minisign);
    }

    proptest! {
        #[test]
        fn any_file_is_read_or_refused(bytes: Vec<u8>) {
            let _ = (key_file(&bytes), signature_file(&bytes), key_line(&bytes));
        }

        #[test]
        fn a_file_like_a_real_one_is_read_or_refused(
            text in "untrusted comment:[ a\r]{0,3}\n[RUVQ+/=A]{98,102}\n\
                     (trusted comment: x)?\n[A=]{86,90}\n?",
        ) {
            let _ = (key_file(text.as_bytes()), signature_file(text.as_bytes()));
        }
    }
}
