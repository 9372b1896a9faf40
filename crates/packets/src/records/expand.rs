//! Keys that are derived from traffic secrets (RFC 8446, 7.1).

use broadloom_engine::{HashAlgorithm, Job, MacAlgorithm, Processor, Registry, Transform};
use zeroize::Zeroizing;

use crate::error::FlowError;

/// Returns `HKDF-Expand-Label(secret, label, "", len)`, whose labels begin with `prefix`: `tls13 `
/// or `dtls13`.
///
/// # Errors
/// No provider opens HMAC with this hash.
///
/// # Panics
/// If `len` is more than one digest of the hash: no key of a record is longer.
pub(crate) fn expand_label(
    registry: &Registry,
    hash: HashAlgorithm,
    secret: &[u8],
    prefix: &str,
    label: &str,
    len: usize,
) -> Result<Zeroizing<Vec<u8>>, FlowError> {
    assert!(len <= hash.digest_len(), "{len} bytes are more than one digest of {hash}");
    // HkdfLabel: a length of 16 bits, the label and the empty context, each after its length in a
    // byte. HKDF's first block ends with its number, 1.
    let mut info = (len as u16).to_be_bytes().to_vec();
    info.push((prefix.len() + label.len()) as u8);
    info.extend_from_slice(prefix.as_bytes());
    info.extend_from_slice(label.as_bytes());
    info.extend_from_slice(&[0, 1]);
    let session = registry.open(&Transform::mac(MacAlgorithm::Hmac(hash), secret).generate()?)?;
    let mut jobs = [Job::new(&session, info.as_mut_slice())];
    Processor::new().process_many(&mut jobs);
    let block = jobs[0].tag().expect("HMAC of a few bytes succeeds");
    Ok(Zeroizing::new(block[..len].to_vec()))
}
