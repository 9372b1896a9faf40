//! How a file key is wrapped for recipients: X25519 and scrypt.

use base64ct::{Base64Unpadded, Encoding};
use broadloom_engine::{AeadAlgorithm, Job, JobError, Processor, Registry, Transform};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use x25519_dalek::{X25519_BASEPOINT_BYTES, x25519};
use zeroize::Zeroizing;

use super::header::{HeaderError, Stanza, decode};
use super::keys::{Identity, Recipient};
use crate::error::EncryptionError;
use crate::random;

/// The types of stanzas.
const X25519: &str = "X25519";
const SCRYPT: &str = "scrypt";

/// What keys are derived for.
const X25519_LABEL: &[u8] = b"age-encryption.org/v1/X25519";
const SCRYPT_LABEL: &[u8] = b"age-encryption.org/v1/scrypt";

/// Bytes of a wrapped file key: its own 16, and a tag.
const WRAPPED: usize = 32;

/// The logarithm of the work that a passphrase takes: about a second, and 256 MiB of memory.
pub const WORK_FACTOR: u8 = 18;

/// The largest that is accepted: 4 GiB of memory.
pub const MOST_WORK: u8 = 22;

/// The key of a file.
pub(super) type FileKey = Zeroizing<[u8; 16]>;

/// A passphrase. Wiped when dropped.
#[derive(Clone)]
pub struct Passphrase(Zeroizing<Vec<u8>>);

impl Passphrase {
    /// A passphrase of these bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Passphrase {
        Passphrase(Zeroizing::new(bytes.into()))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Passphrase")
    }
}

/// A new file key.
pub(super) fn file_key() -> Result<FileKey, EncryptionError> {
    let mut key = FileKey::default();
    random::fill(&mut *key)?;
    Ok(key)
}

/// Derives a key (RFC 5869, SHA-256).
pub(super) fn derive(secret: &[u8], salt: &[u8], label: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut key = Zeroizing::new([0; 32]);
    let expanded = Hkdf::<Sha256>::new(Some(salt), secret).expand(label, &mut *key);
    expanded.expect("32 bytes can be derived");
    key
}

/// The authentication code of a header.
pub(super) fn header_mac(key: &FileKey, bytes: &[u8]) -> Hmac<Sha256> {
    let key = derive(&**key, b"", b"header");
    let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&*key);
    mac.expect("a key of any length will do").chain_update(bytes)
}

/// Wraps a file key for a recipient.
pub(super) fn for_recipient(
    registry: &Registry,
    recipient: &Recipient,
    key: &FileKey,
) -> Result<Stanza, EncryptionError> {
    let mut ephemeral = Zeroizing::new([0; 32]);
    random::fill(&mut *ephemeral)?;
    let share = x25519(*ephemeral, X25519_BASEPOINT_BYTES);
    let shared = Zeroizing::new(x25519(*ephemeral, recipient.public));
    if is_zero(&shared) {
        return Err(EncryptionError::LowOrder(*recipient));
    }
    let wrapping = x25519_key(&shared, &share, &recipient.public);
    let body = wrap(registry, &*wrapping, key)?;
    let args = vec![X25519.to_owned(), Base64Unpadded::encode_string(&share)];
    Ok(Stanza { args, body })
}

/// Wraps a file key for a passphrase.
pub(super) fn for_passphrase(
    registry: &Registry,
    (passphrase, work_factor): (&Passphrase, u8),
    key: &FileKey,
) -> Result<Stanza, EncryptionError> {
    let mut salt = [0; 16];
    random::fill(&mut salt)?;
    let wrapping = scrypt_key(passphrase, &salt, work_factor);
    let body = wrap(registry, &*wrapping, key)?;
    let args =
        vec![SCRYPT.to_owned(), Base64Unpadded::encode_string(&salt), work_factor.to_string()];
    Ok(Stanza { args, body })
}

/// Returns `true` if a point of low order made nothing of a secret (RFC 7748, 6.1).
fn is_zero(shared: &[u8; 32]) -> bool {
    shared.iter().fold(0, |all, byte| all | byte) == 0
}

fn x25519_key(shared: &[u8; 32], share: &[u8; 32], public: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    derive(shared, &[&share[..], public].concat(), X25519_LABEL)
}

fn scrypt_key(passphrase: &Passphrase, salt: &[u8; 16], work_factor: u8) -> Zeroizing<[u8; 32]> {
    let salt = [SCRYPT_LABEL, salt].concat();
    let params = scrypt::Params::new(work_factor, 8, 1).expect("the work factor is 1 to 22");
    let mut key = Zeroizing::new([0; 32]);
    scrypt::scrypt(passphrase.as_bytes(), &salt, &params, &mut *key).expect("32 bytes will do");
    key
}

fn wrap(registry: &Registry, wrapping: &[u8], key: &FileKey) -> Result<Vec<u8>, EncryptionError> {
    let seal = Transform::aead(AeadAlgorithm::ChaCha20Poly1305, wrapping).seal()?;
    let session = registry.open(&seal)?;
    let mut body = Zeroizing::new(vec![0; WRAPPED]);
    body[..16].copy_from_slice(&**key);
    let job = Job::new(&session, &mut *body).nonce(&[0; 12]).cipher_range(0..16).tag_at(16);
    process(job).map_err(|error| EncryptionError::Job { offset: 0, error })?;
    Ok(std::mem::take(&mut *body))
}

fn process(job: Job<'_>) -> Result<(), JobError> {
    let mut jobs = [job];
    Processor::new().process_many(&mut jobs);
    jobs[0].status().expect("a job that was processed is complete")
}

/// The file key, if a wrapping key is the right one.
fn unwrap(
    registry: &Registry,
    wrapping: &[u8],
    body: &[u8; WRAPPED],
) -> Result<Option<FileKey>, EncryptionError> {
    let open = Transform::aead(AeadAlgorithm::ChaCha20Poly1305, wrapping).open()?;
    let session = registry.open(&open)?;
    let mut opened = Zeroizing::new(*body);
    let job = Job::new(&session, &mut *opened).nonce(&[0; 12]).cipher_range(0..16).tag_at(16);
    match process(job) {
        Ok(()) => {
            let mut key = FileKey::default();
            key.copy_from_slice(&opened[..16]);
            Ok(Some(key))
        }
        Err(JobError::TagMismatch) => Ok(None),
        Err(error) => Err(EncryptionError::Job { offset: 0, error }),
    }
}

/// A stanza of a type that is known, with what it says checked.
pub(super) enum Known {
    /// For an X25519 key.
    X25519 { number: usize, share: [u8; 32], body: [u8; WRAPPED] },
    /// For a passphrase.
    Scrypt { salt: [u8; 16], work_factor: u8, body: [u8; WRAPPED] },
}

/// The stanzas of known types in a header, each with what it says checked.
pub(super) fn known(stanzas: &[Stanza]) -> Result<Vec<Known>, HeaderError> {
    let mut all = Vec::new();
    for (index, stanza) in stanzas.iter().enumerate() {
        let wrong = |kind, cause| HeaderError::Stanza { number: index + 1, kind, cause };
        let body = || stanza.body.as_slice().try_into().ok();
        match stanza.args[0].as_str() {
            X25519 => {
                let wrong = |cause| wrong(X25519, cause);
                let [_, share] = stanza.args.as_slice() else {
                    return Err(wrong("it has another number of arguments than one"));
                };
                let share = decode(share.as_bytes()).and_then(|share| share.try_into().ok());
                let share = share.ok_or(wrong("the share is not 32 bytes in canonical base64"))?;
                let body = body().ok_or(wrong("the body has not 32 bytes"))?;
                all.push(Known::X25519 { number: index + 1, share, body });
            }
            SCRYPT => {
                let wrong = |cause| wrong(SCRYPT, cause);
                let [_, salt, work] = stanza.args.as_slice() else {
                    return Err(wrong("it has another number of arguments than two"));
                };
                if stanzas.len() > 1 {
                    return Err(wrong("a passphrase is no recipient beside others"));
                }
                let salt = decode(salt.as_bytes()).and_then(|salt| salt.try_into().ok());
                let salt = salt.ok_or(wrong("the salt is not 16 bytes in canonical base64"))?;
                let digits = work.bytes().all(|byte| byte.is_ascii_digit());
                let plain = digits && !work.starts_with('0');
                let work_factor = work.parse().ok().filter(|&work: &u8| plain && work < 64);
                let work_factor =
                    work_factor.ok_or(wrong("the work factor is no number from 1 to 63"))?;
                let body = body().ok_or(wrong("the body has not 32 bytes"))?;
                all.push(Known::Scrypt { salt, work_factor, body });
            }
            _ => {}
        }
    }
    Ok(all)
}

impl Known {
    /// The file key, if an identity is the right one.
    pub(super) fn unwrap_with(
        &self,
        registry: &Registry,
        identity: &Identity,
    ) -> Result<Option<FileKey>, EncryptionError> {
        let Known::X25519 { number, share, body } = self else { return Ok(None) };
        let shared = Zeroizing::new(x25519(*identity.secret, *share));
        if is_zero(&shared) {
            let cause = "the share is a point of low order";
            return Err(HeaderError::Stanza { number: *number, kind: X25519, cause }.into());
        }
        let wrapping = x25519_key(&shared, share, &identity.recipient().public);
        unwrap(registry, &*wrapping, body)
    }

    /// The file key, if a passphrase is the right one.
    pub(super) fn unwrap_with_passphrase(
        &self,
        registry: &Registry,
        passphrase: &Passphrase,
    ) -> Result<Option<FileKey>, EncryptionError> {
        let Known::Scrypt { salt, work_factor, body } = self else { return Ok(None) };
        if *work_factor > MOST_WORK {
            let (work_factor, most) = (*work_factor, MOST_WORK);
            return Err(EncryptionError::WorkFactor { work_factor, most });
        }
        let wrapping = scrypt_key(passphrase, salt, *work_factor);
        unwrap(registry, &*wrapping, body)
    }
}

#[cfg(test)]
mod tests {
    use broadloom_lanes::Cpu;

    use super::*;

    /// Points of which every multiple that X25519 makes is zero: the prime is 2^255 - 19.
    #[test]
    fn nothing_is_encrypted_to_a_point_of_low_order() {
        let near = |last: u8| {
            let mut point = [0xff; 32];
            (point[0], point[31]) = (last, 0x7f);
            point
        };
        let small = |first: u8| {
            let mut point = [0; 32];
            point[0] = first;
            point
        };
        let of_order_8 = [
            *b"\xe0\xeb\x7a\x7c\x3b\x41\xb8\xae\x16\x56\xe3\xfa\xf1\x9f\xc4\x6a\
                \xda\x09\x8d\xeb\x9c\x32\xb1\xfd\x86\x62\x05\x16\x5f\x49\xb8\x00",
            *b"\x5f\x9c\x95\xbc\xa3\x50\x8c\x24\xb1\xd0\xb1\x55\x9c\x83\xef\x5b\
                \x04\x44\x5c\xc4\x58\x1c\x8e\x86\xd8\x22\x4e\xdd\xd0\x9f\x11\x57",
        ];
        let points = [small(0), small(1), near(0xec), near(0xed), near(0xee)];
        let mut registry = Registry::new();
        registry.add_factory(broadloom_native::factory(&Cpu::detect()));
        for public in points.into_iter().chain(of_order_8) {
            let outcome = for_recipient(&registry, &Recipient { public }, &FileKey::default());
            let Err(EncryptionError::LowOrder(refused)) = outcome else {
                panic!("{public:x?} was taken");
            };
            assert_eq!(refused, Recipient { public });
        }
        let fine = Identity::generate().expect("random bytes").recipient();
        assert!(for_recipient(&registry, &fine, &FileKey::default()).is_ok());
    }
}
