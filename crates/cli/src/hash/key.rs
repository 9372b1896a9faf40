//! The keys of `--hmac-key-file` and `--keyed`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use zeroize::Zeroizing;

/// Longest key that is read, in bytes. RFC 2104 advises no more than the digest's length.
const MAX_KEY: usize = 64 * 1024;

/// Bytes of a key of BLAKE3's keyed hash.
const KEYED: usize = 32;

/// Reads a key: all the bytes of the file, a newline at its end included.
///
/// # Errors
/// What the system says, and that the key is empty or too long.
pub fn read(path: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    // Room for all of it at once: a vector that grew would leave copies of the key behind.
    let mut key = Zeroizing::new(Vec::with_capacity(MAX_KEY + 1));
    File::open(path)?.take(MAX_KEY as u64 + 1).read_to_end(&mut key)?;
    match key.len() {
        0 => Err(io::Error::other("the key file is empty; expected 1 to 65536 bytes")),
        len if len > MAX_KEY => {
            Err(io::Error::other("the key file is too long; expected 1 to 65536 bytes"))
        }
        _ => Ok(key),
    }
}

/// Reads a key of BLAKE3's keyed hash: exactly 32 bytes.
///
/// # Errors
/// What the system says, and that there are fewer or more bytes.
pub fn read_keyed(from: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut key = Zeroizing::new(Vec::with_capacity(KEYED + 1));
    from.take(KEYED as u64 + 1).read_to_end(&mut key)?;
    match key.len() {
        KEYED => Ok(key),
        len if len > KEYED => Err(io::Error::other("the key has more than 32 bytes")),
        len => Err(io::Error::other(format!("the key has {len} bytes; expected 32"))),
    }
}
