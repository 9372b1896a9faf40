//! The structures that say what a session does, and the transform that they stand for.

use std::ffi::{c_char, c_int};

use broadloom::algorithm::{Checksum, Ending, Huffman, Lengths};
use broadloom::error::TransformError;
use broadloom::public_key::{Kem, Padding, PrivateKey, PublicKey, PublicKeyAlgorithm, Scheme};
use broadloom::{Algorithm, Compression, Direction, HashAlgorithm, Transform};

use crate::fault::{Fault, bytes, optional_text, structure, text};
use crate::status::{BL_E_KEY, BL_E_TRANSFORM};

/// How a public-key algorithm makes a number of a message.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_scheme {
    /// sizeof(bl_scheme)
    pub size: usize,
    /// The hash: "sha256"; null: SHA-256.
    pub hash: *const c_char,
    /// The padding of RSA: "pkcs1" (null is the same), "pss", "oaep", or "none" for the bare
    /// operation.
    pub padding: *const c_char,
    /// Bytes of the salt of PSS.
    pub salt_len: usize,
    /// Not 0: the data are digests of messages. Of ML-DSA and SLH-DSA, these are HashML-DSA and
    /// HashSLH-DSA.
    pub prehashed: c_int,
    /// Not 0: signatures of ML-DSA, SLH-DSA and ECDSA are made with fresh randomness, so that a
    /// message has another one each time.
    pub hedged: c_int,
    /// The context string of ML-DSA and SLH-DSA, which names a use of the key: a signature is right
    /// only under the one that it was made under.
    pub context: *const u8,
    /// Bytes of the context string: up to 255.
    pub context_len: usize,
    /// Not 0: the data are mu of ML-DSA, 64 bytes that are hashed of the public key, the context
    /// string and a message (FIPS 204, algorithm 7, line 6). No context string may be given then.
    pub external_mu: c_int,
}

/// `bl_compression.level` and `bl_stream_options.level`: level 0 of the provider.
pub const BL_LEVEL_ZERO: i32 = -1;

/// How to compress.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_compression {
    /// sizeof(bl_compression)
    pub size: usize,
    /// The provider's level; 0: level 1, and `BL_LEVEL_ZERO`: level 0.
    pub level: i32,
    /// How far back matches may lie: the logarithm, to base 2, of a number of bytes, 8 to 15; 0:
    /// 15.
    pub window: u32,
    /// The Huffman codes of DEFLATE: "dynamic" (null is the same) or "static".
    pub huffman: *const c_char,
    /// The checksum of the uncompressed bytes: "none" (null is the same), "crc32" or "adler32".
    pub checksum: *const c_char,
    /// "final" (null is the same): a whole stream; "open": ends on a byte boundary, without a final
    /// block.
    pub ending: *const c_char,
}

/// `bl_transform.flags`: takes a key of triple DES that is as weak as DES.
pub const BL_ALLOW_WEAK_KEYS: u32 = 1;

/// What a session does. Set all members to zero but those that are needed; `size` always is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_transform {
    /// sizeof(bl_transform)
    pub size: usize,
    /// The algorithm: "sha256", "hmac-sha1", "aes-128-gcm", "aes-128-cbc+hmac-sha1", "deflate".
    /// Null for a key of a public-key algorithm, which says it itself. `bl_algorithm_name` lists
    /// all.
    pub algorithm: *const c_char,
    /// The direction: "digest", "generate", "verify", "encrypt", "decrypt", "seal", "open",
    /// "compress", "decompress", "sign", "agree", "encapsulate", "decapsulate". Null is the
    /// algorithm's first: what makes something, not what checks or undoes it.
    pub direction: *const c_char,
    /// The key, of a chain the cipher's. Of a public-key algorithm PEM or DER: a private key to
    /// sign, decrypt, agree and decapsulate, a public one to verify and encrypt. With the algorithm
    /// "ml-kem-768", say, "generate" and "encapsulate" take no key, and "decapsulate" takes bytes:
    /// a seed of 64 bytes, or an expanded decapsulation key.
    ///
    /// ML-KEM: a job to generate has a seed as its source, or nothing; its output is an expanded
    /// key. A job to encapsulate has the encapsulation key as its source, with or without 32 random
    /// bytes behind it; its output is the ciphertext and then the secret of 32 bytes. What is left
    /// out is drawn at random.
    ///
    /// "x25519-ml-kem-768" and "p256-ml-kem-768", X25519MLKEM768 and SecP256r1MLKEM768 of TLS 1.3,
    /// go the same way: a seed of 96 bytes or a private key of 2432, shares and secrets as TLS has
    /// them, and 64 random bytes. A new key's public share stands behind it.
    ///
    /// With the algorithm "ml-dsa-65", say, "generate" takes no key: a job has a seed of 32 bytes
    /// as its source, or nothing, and its output is the private key, and then the public key. To
    /// sign and to verify, the key is DER, which `bl_key_from_parts` makes of these, and the
    /// algorithm is null.
    pub key: *const u8,
    /// Bytes of the key.
    pub key_len: usize,
    /// The key of a chain's MAC.
    pub mac_key: *const u8,
    /// Bytes of that key.
    pub mac_key_len: usize,
    /// Bytes of the digest or tag; 0: all.
    pub tag_len: usize,
    /// `BL_ALLOW_WEAK_KEYS`, or 0.
    pub flags: u32,
    /// The provider, perhaps with options: "native", "openssl", "native:isa=avx2". Null: the first
    /// that can.
    pub provider: *const c_char,
    /// Of a public-key algorithm: hash and padding. Null: SHA-256, and PKCS #1 v1.5 for RSA.
    pub scheme: *const bl_scheme,
    /// Of a compression: level and more; of a decompression, the checksum alone counts. Null: level
    /// 1, no checksum.
    pub compression: *const bl_compression,
}

impl bl_transform {
    /// One with nothing set.
    pub(crate) const NOTHING: bl_transform = bl_transform {
        size: size_of::<bl_transform>(),
        algorithm: std::ptr::null(),
        direction: std::ptr::null(),
        key: std::ptr::null(),
        key_len: 0,
        mac_key: std::ptr::null(),
        mac_key_len: 0,
        tag_len: 0,
        flags: 0,
        provider: std::ptr::null(),
        scheme: std::ptr::null(),
        compression: std::ptr::null(),
    };

    /// The transform that it stands for.
    ///
    /// # Safety
    /// The [conditions](crate#what-c-vouches-for) *texts*, *bytes* and *structures* hold for its
    /// members.
    pub(crate) unsafe fn read(&self) -> Result<Transform, Fault> {
        if self.flags & !BL_ALLOW_WEAK_KEYS != 0 {
            let flags = self.flags;
            return Err(Fault::argument(format_args!(
                "bl_transform.flags is {flags:#x}; valid: 0 or BL_ALLOW_WEAK_KEYS"
            )));
        }
        // SAFETY: the conditions *texts*, *bytes* and *structures* hold.
        unsafe {
            match optional_text(self.algorithm, "algorithm")? {
                Some(name) => self.of_bytes(name),
                None => self.of_key_pair(),
            }
        }
    }

    /// The transform of an algorithm that takes bytes as its key, or none.
    ///
    /// # Safety
    /// As [`read`](bl_transform::read).
    unsafe fn of_bytes(&self, name: &str) -> Result<Transform, Fault> {
        let algorithm: Algorithm = name.parse().map_err(Fault::name)?;
        let (mac_lens, part) = match algorithm {
            Algorithm::Chain(_, mac, _) => (mac.key_lens(), "cipher key"),
            Algorithm::PublicKey(algorithm) => {
                if let Some(kem) = Kem::of(algorithm) {
                    // SAFETY: the conditions *texts* and *bytes* hold.
                    return unsafe { self.of_kem(kem) };
                }
                // SAFETY: the condition *texts* holds.
                let direction = unsafe { optional_text(self.direction, "direction") }?;
                if direction == Some(Direction::Generate.name()) {
                    return self.of_new_keys(algorithm);
                }
                return Err(Fault::new(BL_E_TRANSFORM, TransformError::NoKeyPair { algorithm }));
            }
            _ => (Lengths::NONE, "key"),
        };
        check_key_len(algorithm, part, self.key_len, algorithm.key_lens())?;
        check_key_len(algorithm, "MAC key", self.mac_key_len, mac_lens)?;
        // SAFETY: the conditions *texts* and *bytes* hold.
        let (direction, key, mac_key) = unsafe {
            (
                optional_text(self.direction, "direction")?,
                bytes(self.key, self.key_len, "key")?,
                bytes(self.mac_key, self.mac_key_len, "MAC key")?,
            )
        };
        let direction: Direction = match direction {
            Some(name) => name.parse().map_err(Fault::name)?,
            None => algorithm.directions()[0],
        };
        let misfit = |member: &str| {
            Fault::argument(format_args!("{algorithm} takes no {member}; right is a null pointer"))
        };
        if !self.scheme.is_null() {
            return Err(misfit("scheme"));
        }
        let mut builder = Transform::new(algorithm, direction, key, mac_key);
        if self.tag_len != 0 {
            builder = builder.tag_len(self.tag_len);
        }
        if self.flags & BL_ALLOW_WEAK_KEYS != 0 {
            builder = builder.allow_weak_keys();
        }
        if !self.compression.is_null() {
            if !matches!(algorithm, Algorithm::Compression(_)) {
                return Err(misfit("compression"));
            }
            // SAFETY: the conditions *structures* and *texts* hold.
            builder = builder.compression(unsafe { compression(self.compression) }?);
        }
        builder.build().map_err(|error| Fault::new(BL_E_TRANSFORM, error))
    }

    /// The transform of ML-KEM or a hybrid, whose private keys are bytes here.
    ///
    /// # Safety
    /// As [`read`](bl_transform::read).
    unsafe fn of_kem(&self, kem: Kem) -> Result<Transform, Fault> {
        self.has_only_a_key()?;
        let algorithm = kem.algorithm();
        if !self.scheme.is_null() {
            return Err(Fault::argument(format_args!(
                "{algorithm} takes no scheme; right is a null pointer"
            )));
        }
        // SAFETY: the condition *texts* holds.
        let direction: Direction = match unsafe { optional_text(self.direction, "direction") }? {
            Some(name) => name.parse().map_err(Fault::name)?,
            None => Direction::Generate,
        };
        let (any, len) = (Algorithm::PublicKey(algorithm), self.key_len);
        let transform = match direction {
            Direction::Decapsulate => {
                let (seed, expanded) = (kem.seed_len(), kem.private_key_len());
                if ![seed, expanded].contains(&len) {
                    let text = format!(
                        "a key of {len} bytes does not fit {any}; valid: {seed}, a seed, or \
                         {expanded}, expanded"
                    );
                    return Err(Fault::new(BL_E_KEY, text));
                }
                // SAFETY: the condition *bytes* holds.
                let key = unsafe { bytes(self.key, len, "key") }?;
                let transform = Transform::decapsulate_bytes(kem, key);
                Ok(transform.map_err(|error| Fault::new(BL_E_KEY, error))?)
            }
            _ if len != 0 => {
                let valid = Lengths::NONE;
                Err(TransformError::KeyLength { algorithm: any, part: "key", len, valid })
            }
            Direction::Generate => Transform::generate_key(algorithm),
            Direction::Encapsulate => Transform::encapsulate(algorithm),
            direction => Err(TransformError::Direction { algorithm: any, direction }),
        };
        transform.map_err(|error| Fault::new(BL_E_TRANSFORM, error))
    }

    /// The transform that makes keys of an algorithm that signs.
    fn of_new_keys(&self, algorithm: PublicKeyAlgorithm) -> Result<Transform, Fault> {
        self.has_only_a_key()?;
        let (any, len, valid) = (Algorithm::PublicKey(algorithm), self.key_len, Lengths::NONE);
        if !self.scheme.is_null() {
            return Err(Fault::argument(format_args!(
                "{algorithm} generate takes no scheme; right is a null pointer"
            )));
        }
        let transform = match len {
            0 => Transform::generate_key(algorithm),
            _ => Err(TransformError::KeyLength { algorithm: any, part: "key", len, valid }),
        };
        transform.map_err(|error| Fault::new(BL_E_TRANSFORM, error))
    }

    /// Refuses members that no public-key algorithm takes.
    fn has_only_a_key(&self) -> Result<(), Fault> {
        if self.mac_key_len != 0 || self.tag_len != 0 || self.flags != 0 {
            return Err(Fault::argument(
                "a public-key algorithm takes no mac_key_len, tag_len and flags; right is 0",
            ));
        }
        if !self.compression.is_null() {
            return Err(Fault::argument("a public-key algorithm takes no compression"));
        }
        Ok(())
    }

    /// The transform of a private or a public key.
    ///
    /// # Safety
    /// As [`read`](bl_transform::read).
    unsafe fn of_key_pair(&self) -> Result<Transform, Fault> {
        // SAFETY: the conditions *texts*, *bytes* and *structures* hold.
        let (direction, key, (scheme, context)) = unsafe {
            (
                text(self.direction, "direction")?,
                bytes(self.key, self.key_len, "key")?,
                scheme(self.scheme)?,
            )
        };
        let direction: Direction = direction.parse().map_err(Fault::name)?;
        self.has_only_a_key()?;
        let transform = match direction {
            Direction::Sign => Transform::sign(&private_key(key)?, scheme),
            Direction::Verify => Transform::verify(&public_key(key)?, scheme),
            Direction::Encrypt => Transform::rsa_encrypt(&public_key(key)?, scheme),
            Direction::Decrypt => Transform::rsa_decrypt(&private_key(key)?, scheme),
            Direction::Agree => Transform::agree(&private_key(key)?),
            Direction::Decapsulate => Transform::decapsulate(&private_key(key)?),
            other => {
                return Err(Fault::argument(format_args!(
                    "without an algorithm the direction is sign, verify, encrypt, decrypt, agree \
                     or decapsulate, not {other}"
                )));
            }
        };
        let under_context = |transform: Transform| match context {
            [] => Ok(transform),
            _ => transform.context(context),
        };
        transform.and_then(under_context).map_err(|error| Fault::new(BL_E_TRANSFORM, error))
    }
}

/// Refuses a key of a length that the algorithm does not have, before the key is read.
fn check_key_len(
    algorithm: Algorithm,
    part: &'static str,
    len: usize,
    valid: Lengths,
) -> Result<(), Fault> {
    if valid.contains(len) {
        return Ok(());
    }
    Err(Fault::new(BL_E_TRANSFORM, TransformError::KeyLength { algorithm, part, len, valid }))
}

/// Whether a key is written as PEM.
fn pem(key: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(key).ok()?;
    text.contains("-----BEGIN ").then_some(text)
}

fn private_key(key: &[u8]) -> Result<PrivateKey, Fault> {
    let read = match pem(key) {
        Some(text) => PrivateKey::from_pem(text),
        None => PrivateKey::from_der(key),
    };
    read.map_err(|error| Fault::new(BL_E_KEY, error))
}

fn public_key(key: &[u8]) -> Result<PublicKey, Fault> {
    let read = match pem(key) {
        Some(text) => PublicKey::from_pem(text),
        None => PublicKey::from_der(key),
    };
    read.map_err(|error| Fault::new(BL_E_KEY, error))
}

/// The scheme that a structure stands for, and its context string.
///
/// # Safety
/// The [condition](crate#what-c-vouches-for) *structures* holds, and *texts* and *bytes* for the
/// members, during `'a`.
unsafe fn scheme<'a>(given: *const bl_scheme) -> Result<(Scheme, &'a [u8]), Fault> {
    if given.is_null() {
        return Ok((Scheme::default(), &[]));
    }
    // SAFETY: the conditions *structures*, *texts* and *bytes* hold.
    let (given, hash, padding, context) = unsafe {
        let given = structure(given, "bl_scheme")?;
        (
            given,
            optional_text(given.hash, "hash")?,
            optional_text(given.padding, "padding")?,
            bytes(given.context, given.context_len, "context string")?,
        )
    };
    let hash = hash.map_or(Ok(HashAlgorithm::Sha256), hash_of)?;
    let padding = match padding {
        None | Some("pkcs1") => Padding::Pkcs1v15,
        Some("pss") => Padding::Pss { salt_len: given.salt_len },
        Some("oaep") => Padding::Oaep,
        Some("none") => Padding::None,
        Some(other) => {
            let text = format!("{other:?} is no padding; valid: pkcs1, pss, oaep, none");
            return Err(Fault::name(text));
        }
    };
    let mut scheme = Scheme::new(hash).padding(padding);
    if given.prehashed != 0 {
        scheme = scheme.prehashed();
    }
    if given.external_mu != 0 {
        if given.prehashed != 0 {
            return Err(Fault::argument("data are digests or mu, and not both"));
        }
        scheme = scheme.external_mu();
    }
    if given.hedged != 0 {
        scheme = scheme.hedged();
    }
    Ok((scheme, context))
}

/// The hash of a name.
pub(crate) fn hash_of(name: &str) -> Result<HashAlgorithm, Fault> {
    match name.parse() {
        Ok(Algorithm::Hash(hash)) => Ok(hash),
        _ => {
            let valid: Vec<_> = HashAlgorithm::all().map(HashAlgorithm::name).collect();
            Err(Fault::name(format_args!("{name:?} is no hash; valid: {}", valid.join(", "))))
        }
    }
}

/// The level that a caller means.
pub(crate) fn level(given: i32) -> Result<u8, Fault> {
    match given {
        0 => Ok(Compression::default().level),
        BL_LEVEL_ZERO => Ok(0),
        _ => u8::try_from(given).map_err(|_| {
            Fault::argument(format_args!("level {given} is none; valid: 1 to 255, BL_LEVEL_ZERO"))
        }),
    }
}

/// Reads a compression from a structure.
///
/// # Safety
/// The [condition](crate#what-c-vouches-for) *structures* holds, and *texts* for the members.
unsafe fn compression(given: *const bl_compression) -> Result<Compression, Fault> {
    // SAFETY: the conditions *structures* and *texts* hold.
    let (given, huffman, checksum, ending) = unsafe {
        let given = structure(given, "bl_compression")?;
        (
            given,
            optional_text(given.huffman, "kind of Huffman codes")?,
            optional_text(given.checksum, "checksum")?,
            optional_text(given.ending, "ending")?,
        )
    };
    let none = |name: &str, what: &str, valid: &str| {
        Err(Fault::name(format_args!("{name:?} is no {what}; valid: {valid}")))
    };
    let window = match given.window {
        0 => Compression::default().window,
        window => u8::try_from(window).unwrap_or(u8::MAX),
    };
    Ok(Compression {
        level: level(given.level)?,
        window,
        huffman: match huffman {
            None | Some("dynamic") => Huffman::Dynamic,
            Some("static") => Huffman::Static,
            Some(other) => return none(other, "kind of Huffman codes", "dynamic, static"),
        },
        checksum: match checksum {
            None | Some("none") => Checksum::None,
            Some("crc32") => Checksum::Crc32,
            Some("adler32") => Checksum::Adler32,
            Some(other) => return none(other, "checksum", "none, crc32, adler32"),
        },
        ending: match ending {
            None | Some("final") => Ending::Final,
            Some("open") => Ending::Open,
            Some(other) => return none(other, "ending", "final, open"),
        },
    })
}
