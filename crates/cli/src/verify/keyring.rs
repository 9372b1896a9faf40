//! The keys of a command line, each with its session.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use broadloom::public_key::{Padding, PublicKey, PublicKeyAlgorithm, Scheme};
use broadloom::{Registry, Session, Transform, registry_on};
use broadloom_lanes::Cpu;
use broadloom_program::message::{USAGE, reason};
use broadloom_program::quote::shown;

use super::args::{RsaPadding, SaltLength, VerifyArgs};
use super::minisign::{self, KeyId, MinisignKey};
use super::signature::{self, Signature};

/// Most bytes of a key file.
const MAX_FILE: u64 = 1024 * 1024;

/// All keys, in the order of the command line.
pub struct Keyring {
    keys: Vec<OpenKey>,
}

/// A key that is ready to verify.
pub struct OpenKey {
    /// Where it comes from, as messages have it.
    pub name: String,
    /// The session that verifies with it.
    pub session: Session,
    /// The same with a salt of any length, where `session` demands one length.
    pub any_salt: Option<Session>,
    /// Its number, if it is a key of minisign or signify.
    id: Option<KeyId>,
    /// It verifies nothing but signatures of minisign.
    is_of_minisign: bool,
    algorithm: PublicKeyAlgorithm,
    padding: Padding,
}

/// Why there is no keyring: a message, and the exit status.
pub type Failure = (String, u8);

impl Keyring {
    /// Reads all keys of a command line, and opens their sessions.
    ///
    /// # Errors
    /// The first key that cannot be read or used.
    pub fn open(args: &VerifyArgs, cpu: &Cpu) -> Result<Keyring, Failure> {
        if args.salt_length.is_some() && args.padding != RsaPadding::Pss {
            return Err(("--salt-length is of use for --padding pss only".to_owned(), USAGE));
        }
        let mut registry = registry_on(cpu);
        if let Some(spec) = &args.provider {
            registry.configure(spec).map_err(|error| (error.to_string(), USAGE))?;
        }
        let files = args.key.iter().map(|path| {
            let key = read_file(path).map_err(|error| (format!("{}: {error}", shown(path)), 1))?;
            Ok((shown(path), key))
        });
        let lines = args.minisign_key.iter().map(|line| {
            let key = minisign::key_line(line.trim().as_bytes());
            let key = key.map_err(|error| (format!("--minisign-key: {error}"), USAGE))?;
            Ok((line.trim().to_owned(), Key::Minisign(key)))
        });
        let keys: Result<_, Failure> = files
            .chain(lines)
            .map(|key| key.and_then(|(name, key)| OpenKey::new(name, key, args, &registry)))
            .collect();
        Ok(Keyring { keys: keys? })
    }

    /// A key by its place.
    pub fn get(&self, index: usize) -> &OpenKey {
        &self.keys[index]
    }

    /// The places of the keys that may have made a signature.
    ///
    /// # Errors
    /// There is none: why, in words.
    pub fn candidates(&self, signature: &Signature) -> Result<Vec<usize>, String> {
        let all = self.keys.iter().enumerate();
        let fitting: Vec<usize> =
            all.filter(|(_, key)| key.fits(signature)).map(|(index, _)| index).collect();
        if !fitting.is_empty() {
            return Ok(fitting);
        }
        Err(match signature {
            Signature::Minisign(signature) => not_given(signature.id),
            Signature::Signify(signature) => {
                let has_id = |key: &&OpenKey| key.id == Some(signature.id);
                match self.keys.iter().find(has_id) {
                    Some(key) => format!(
                        "it is of signify, and the key {} of minisign, which verifies signatures \
                         of minisign alone",
                        key.name
                    ),
                    None => not_given(signature.id),
                }
            }
            Signature::Bytes(bytes) => {
                let valid: Vec<String> = self.keys.iter().map(OpenKey::expects).collect();
                format!(
                    "these {} bytes are no signature of any key that is given; expected: {}",
                    bytes.len(),
                    valid.join(", or ")
                )
            }
        })
    }

    /// Returns `true` if a signature is over the file itself, and not over a digest.
    pub fn is_pure(&self, candidates: &[usize]) -> bool {
        candidates.iter().any(|&index| is_pure(self.keys[index].algorithm))
    }
}

/// Returns `true` if an algorithm signs messages themselves, and not their digests.
fn is_pure(algorithm: PublicKeyAlgorithm) -> bool {
    matches!(
        algorithm,
        PublicKeyAlgorithm::Ed25519 | PublicKeyAlgorithm::MlDsa(_) | PublicKeyAlgorithm::SlhDsa(_)
    )
}

/// A key as its file has it.
enum Key {
    Minisign(MinisignKey),
    Pem(PublicKey),
}

fn read_file(path: &Path) -> Result<Key, String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes));
    read.map_err(|error: io::Error| reason(&error))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("the file has more than {MAX_FILE} bytes and is no public key"));
    }
    if minisign::is_minisign(&bytes) {
        return minisign::key_file(&bytes).map(Key::Minisign);
    }
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| "it is neither PEM nor a public key file of minisign or signify".to_owned())?;
    PublicKey::from_pem(text).map(Key::Pem).map_err(|error| error.to_string())
}

/// That the key with this number made a signature, and is not there.
fn not_given(id: KeyId) -> String {
    format!("it was made with the key {id}, which is not given")
}

impl OpenKey {
    fn new(
        name: String,
        key: Key,
        args: &VerifyArgs,
        registry: &Registry,
    ) -> Result<OpenKey, Failure> {
        let (key, id, is_of_minisign) = match key {
            Key::Minisign(MinisignKey { id, bytes, is_of_minisign }) => {
                (PublicKey::Ed25519(bytes), Some(id), is_of_minisign)
            }
            Key::Pem(key) => (key, None, false),
        };
        let algorithm = key.signature_algorithm();
        let hash = args.hash.algorithm();
        let scheme = match is_pure(algorithm) {
            true => Scheme::default(),
            false => Scheme::new(hash).prehashed(),
        };
        let padding = match (args.padding, algorithm) {
            (RsaPadding::Pss, PublicKeyAlgorithm::Rsa(size)) => {
                let salt = args.salt_length.unwrap_or(SaltLength::Digest);
                salt.padding(size.modulus_len(), hash.digest_len())
            }
            _ => Padding::Pkcs1v15,
        };
        let open = |padding| -> Result<Session, Failure> {
            let transform = Transform::verify(&key, scheme.padding(padding))
                .map_err(|error| (format!("{name}: {error}"), USAGE))?;
            let session = match &args.provider {
                Some(spec) => registry.open_at(&spec.name, &transform),
                None => registry.open(&transform),
            };
            session.map_err(|error| (format!("{name}: {error}"), 1))
        };
        let session = open(padding)?;
        let any_salt = match padding {
            // A provider may lack it: it only tells more of what is wrong.
            Padding::Pss { .. } => open(Padding::PssAnySalt).ok(),
            _ => None,
        };
        Ok(OpenKey { name, session, any_salt, id, is_of_minisign, algorithm, padding })
    }

    /// Bytes of the salt of the key's signatures.
    pub fn salt_len(&self) -> usize {
        match self.padding {
            Padding::Pss { salt_len } => salt_len,
            _ => 0,
        }
    }

    /// Returns `true` if the key may have made a signature. A key of minisign verifies nothing
    /// else: the signature of a trusted comment would pass for the signature of a file. A key of
    /// signify may have made a signature of minisign: both have the same keys.
    fn fits(&self, signature: &Signature) -> bool {
        match (signature, self.algorithm) {
            (Signature::Minisign(signature), _) => self.id == Some(signature.id),
            (Signature::Signify(signature), _) => {
                self.id == Some(signature.id) && !self.is_of_minisign
            }
            (Signature::Bytes(_), _) if self.id.is_some() => false,
            (Signature::Bytes(bytes), PublicKeyAlgorithm::Ed25519) => {
                bytes.len() == 64 && !signature::is_ecdsa(bytes)
            }
            (Signature::Bytes(bytes), PublicKeyAlgorithm::Ecdsa(_)) => signature::is_ecdsa(bytes),
            (Signature::Bytes(bytes), PublicKeyAlgorithm::Rsa(size)) => {
                bytes.len() == size.modulus_len()
            }
            (Signature::Bytes(bytes), PublicKeyAlgorithm::MlDsa(set)) => {
                bytes.len() == set.signature_len()
            }
            (Signature::Bytes(bytes), PublicKeyAlgorithm::SlhDsa(set)) => {
                bytes.len() == set.signature_len()
            }
            _ => false,
        }
    }

    /// Describes in words what a signature of the key looks like.
    fn expects(&self) -> String {
        match (self.id, self.algorithm) {
            (Some(id), _) if self.is_of_minisign => format!("a minisign file for the key {id}"),
            (Some(id), _) => format!("a file of signify or minisign for the key {id}"),
            (None, PublicKeyAlgorithm::Ed25519) => "64 bytes for Ed25519".to_owned(),
            (None, PublicKeyAlgorithm::Rsa(size)) => {
                format!("{} bytes for {}", size.modulus_len(), self.algorithm)
            }
            (None, PublicKeyAlgorithm::MlDsa(set)) => {
                format!("{} bytes for {}", set.signature_len(), self.algorithm)
            }
            (None, PublicKeyAlgorithm::SlhDsa(set)) => {
                format!("{} bytes for {}", set.signature_len(), self.algorithm)
            }
            (None, algorithm) => format!("two integers in DER for {algorithm}"),
        }
    }
}
