//! The header of an age file: stanzas for recipients, and an authentication code over them.

use base64ct::{Base64Unpadded, Encoding};

/// The first line.
const VERSION: &[u8] = b"age-encryption.org/v1\n";

/// What every version begins with.
const FAMILY: &[u8] = b"age-encryption.org/";

/// Columns of a full line of a stanza's body.
const COLUMNS: usize = 64;

/// Most bytes of a header that is read or written: some 30,000 recipients.
pub const MAX_HEADER: usize = 4 << 20;

/// One recipient's part of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stanza {
    /// The type of the recipient, and the arguments of that type.
    pub args: Vec<String>,
    /// The file key, as the recipient's type wraps it.
    pub body: Vec<u8>,
}

/// A header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The recipients' parts, in order.
    pub stanzas: Vec<Stanza>,
    /// The authentication code.
    pub mac: [u8; 32],
}

/// A header that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// It.
    pub header: Header,
    /// Its bytes up to the authentication code, which covers them.
    pub authenticated: usize,
    /// All its bytes.
    pub len: usize,
}

/// Why bytes are no header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// Something else.
    #[error("the file begins with {found:?}, not with \"age-encryption.org/v1\": not an age file")]
    NotAge {
        /// The first bytes, at most 24.
        found: String,
    },
    /// Another version.
    #[error("the file is of version {found:?}; valid: \"v1\"")]
    Version {
        /// The version, at most 24 bytes.
        found: String,
    },
    /// The input ends too early.
    #[error("at byte {offset}: the input ends within the header")]
    Truncated {
        /// Where it ends.
        offset: u64,
    },
    /// A header longer than any that is read.
    #[error("the header has more than {MAX_HEADER} bytes")]
    Long,
    /// A line that is none of a header.
    #[error("at byte {offset}: {cause}")]
    Line {
        /// Where the line begins.
        offset: u64,
        /// What is wrong.
        cause: &'static str,
    },
    /// A stanza of a known type that is not as its type has it.
    #[error("stanza {number} ({kind}): {cause}")]
    Stanza {
        /// Its number, from 1 on.
        number: usize,
        /// Its type.
        kind: &'static str,
        /// What is wrong.
        cause: &'static str,
    },
}

/// Bytes of a message, without what a terminal would obey.
pub(crate) fn printable(bytes: &[u8], most: usize) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(most)]).into_owned()
}

impl Header {
    /// Reads a header at the beginning of `bytes`; `None` where the bytes end within it.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(bytes: &[u8]) -> Result<Option<Parsed>, HeaderError> {
        let shared = bytes.len().min(VERSION.len());
        if bytes[..shared] != VERSION[..shared] {
            let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
            return Err(match line.strip_prefix(FAMILY) {
                Some(version) => HeaderError::Version { found: printable(version, 24) },
                None => HeaderError::NotAge { found: printable(line, 24) },
            });
        }
        let mut lines = Lines { bytes, at: shared };
        let mut stanzas = Vec::new();
        loop {
            let start = lines.at;
            let wrong = |cause| HeaderError::Line { offset: start as u64, cause };
            let Some(line) = lines.next() else { return Ok(None) };
            if let Some(mac) = line.strip_prefix(b"---") {
                let mac = mac.strip_prefix(b" ").and_then(decode);
                let mac = mac.and_then(|mac| mac.try_into().ok());
                let mac = mac.ok_or_else(|| {
                    wrong("the last line is not \"--- \" and 43 characters of canonical base64")
                })?;
                let (authenticated, len) = (start + b"---".len(), lines.at);
                let header = Header { stanzas, mac };
                return match header.stanzas.is_empty() {
                    true => Err(wrong("the header has no recipient")),
                    false => Ok(Some(Parsed { header, authenticated, len })),
                };
            }
            let args = line.strip_prefix(b"-> ").and_then(arguments);
            let args = args.ok_or_else(|| {
                wrong("a stanza begins with \"-> \" and words of visible ASCII, one space apart")
            })?;
            let mut body = Vec::new();
            loop {
                let start = lines.at;
                let Some(line) = lines.next() else { return Ok(None) };
                let piece = decode(line).filter(|_| line.len() <= COLUMNS);
                body.extend(piece.ok_or(HeaderError::Line {
                    offset: start as u64,
                    cause: "the body of a stanza is canonical base64 without padding, in lines of \
                            64 characters, the last one shorter",
                })?);
                if line.len() < COLUMNS {
                    break;
                }
            }
            stanzas.push(Stanza { args, body });
        }
    }

    /// The bytes that the authentication code covers.
    pub fn authenticated(stanzas: &[Stanza]) -> Vec<u8> {
        let mut bytes = VERSION.to_vec();
        for stanza in stanzas {
            bytes.extend_from_slice(b"-> ");
            bytes.extend_from_slice(stanza.args.join(" ").as_bytes());
            bytes.push(b'\n');
            let body = Base64Unpadded::encode_string(&stanza.body);
            let (lines, last) = body.as_bytes().as_chunks::<COLUMNS>();
            for line in lines {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            }
            bytes.extend_from_slice(last);
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(b"---");
        bytes
    }

    /// The header as it is written.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Header::authenticated(&self.stanzas);
        bytes.push(b' ');
        bytes.extend_from_slice(Base64Unpadded::encode_string(&self.mac).as_bytes());
        bytes.push(b'\n');
        bytes
    }
}

/// Lines, and where the next one begins.
struct Lines<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Lines<'b> {
    /// The next line, without its end; `None` where the bytes end before that.
    fn next(&mut self) -> Option<&'b [u8]> {
        let rest = &self.bytes[self.at..];
        let len = rest.iter().position(|&byte| byte == b'\n')?;
        self.at += len + 1;
        Some(&rest[..len])
    }
}

fn arguments(line: &[u8]) -> Option<Vec<String>> {
    let argument = |word: &[u8]| {
        let visible = !word.is_empty() && word.iter().all(u8::is_ascii_graphic);
        visible.then(|| String::from_utf8_lossy(word).into_owned())
    };
    line.split(|&byte| byte == b' ').map(argument).collect()
}

/// The bytes that canonical base64 without padding stands for.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    Base64Unpadded::decode_vec(str::from_utf8(text).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(body: usize) -> Header {
        let stanza = |args: &[&str], len: usize| Stanza {
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            body: (0..len).map(|byte| byte as u8).collect(),
        };
        let stanzas = vec![stanza(&["X25519", "abc"], 32), stanza(&["grease-~!"], body)];
        Header { stanzas, mac: [7; 32] }
    }

    #[test]
    fn headers_are_read_as_they_were_written() {
        for body in [0, 1, 47, 48, 49, 96, 1000] {
            let header = header(body);
            let bytes = header.to_bytes();
            let parsed = Header::parse(&[&bytes[..], b"payload"].concat());
            let parsed = parsed.expect("it is right").expect("it is whole");
            assert_eq!((&parsed.header, parsed.len), (&header, bytes.len()));
            assert_eq!(bytes[..parsed.authenticated], Header::authenticated(&header.stanzas));
            for cut in 0..bytes.len() {
                assert_eq!(Header::parse(&bytes[..cut]), Ok(None), "{cut}");
            }
        }
    }

    #[test]
    fn errors_say_where() {
        let bytes = [VERSION, b"-> X25519  a\n"].concat();
        let error = Header::parse(&bytes).expect_err("there are two spaces");
        assert!(error.to_string().starts_with("at byte 22: a stanza begins"), "{error}");
        let error = Header::parse(b"age-encryption.org/v2\n").expect_err("another version");
        assert_eq!(error.to_string(), "the file is of version \"v2\"; valid: \"v1\"");
        let error = Header::parse(b"\x1b[2J").expect_err("it is no header");
        assert!(!error.to_string().contains('\x1b'), "{error}");
    }
}
