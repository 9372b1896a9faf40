//! `EVP_PKEY`: keys of public-key algorithms, and what is done with them.

use std::ffi::{c_int, c_long};
use std::ptr;

use super::digest::Digest;
use super::ffi::{
    KeyOperation, KeyTransform, OSSL_RSA_NO_PADDING, OSSL_RSA_OAEP, OSSL_RSA_PKCS1, OSSL_RSA_PSS,
    OSSL_RSA_PSS_SALTLEN_AUTO, Object,
};
use super::library::{EvpError, Libcrypto, Owned};

/// A private or a public key.
pub struct Key {
    pub(super) object: Owned,
    pub(super) library: &'static Libcrypto,
}

/// What a [`KeyContext`] does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// Signs digests, or with Ed25519 messages.
    Sign,
    /// Verifies signatures of digests, or with Ed25519 of messages.
    Verify,
    /// Encrypts.
    Encrypt,
    /// Decrypts.
    Decrypt,
    /// Agrees on a secret.
    Agree,
}

/// The padding of RSA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RsaPadding {
    /// PKCS #1 v1.5.
    Pkcs1v15,
    /// PSS, with a salt of so many bytes, or to verify one of any length.
    Pss(Option<usize>),
    /// OAEP.
    Oaep,
    /// None.
    None,
}

/// A key at work. It is started once, and used any number of times.
pub struct KeyContext {
    context: Owned,
    library: &'static Libcrypto,
}

/// Overwrites memory that was freed a moment ago: libcrypto's decoder frees its copy of a private
/// key's DER as it is, and takes what it allocates next from there. An allocator gives the rest to
/// whoever asks for a block that fits, so that blocks of all such sizes are asked for at once.
fn overwrite_freed() {
    let sizes = [4096, 2048, 1024, 512, 256, 128, 64];
    let blocks = sizes.iter().flat_map(|size| (0..16).map(|_| vec![0u8; *size]));
    std::hint::black_box(&mut blocks.collect::<Vec<_>>());
}

impl Key {
    /// A private key, from PKCS #8 in DER.
    ///
    /// # Errors
    /// libcrypto refuses the key.
    pub fn private(library: &'static Libcrypto, der: &[u8]) -> Result<Key, EvpError> {
        let f = &library.functions;
        let key = Key::decoded(library, der, f.key_from_private, "d2i_AutoPrivateKey");
        overwrite_freed();
        key
    }

    /// A public key, from SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    /// libcrypto refuses the key: a point is not on its curve, for instance.
    pub fn public(library: &'static Libcrypto, der: &[u8]) -> Result<Key, EvpError> {
        Key::decoded(library, der, library.functions.key_from_public, "d2i_PUBKEY")
    }

    fn decoded(
        library: &'static Libcrypto,
        der: &[u8],
        decode: unsafe extern "C" fn(*mut Object, *mut *const u8, c_long) -> Object,
        call: &'static str,
    ) -> Result<Key, EvpError> {
        let len = c_long::try_from(der.len()).map_err(|_| library.failure(call))?;
        let mut at = der.as_ptr();
        // SAFETY: null asks for a new object; pointer and length come from a slice, and the pointer
        // that is moved on is local.
        let object = unsafe { decode(ptr::null_mut(), &mut at, len) };
        Ok(Key { object: library.own(object, library.functions.key_free, call)?, library })
    }

    /// A public key of X25519 of 32 bytes.
    ///
    /// # Errors
    /// libcrypto refuses the key.
    pub fn x25519(library: &'static Libcrypto, bytes: &[u8; 32]) -> Result<Key, EvpError> {
        /// `EVP_PKEY_X25519`.
        const X25519: c_int = 1034;
        let f = &library.functions;
        // SAFETY: null stands for the default library; pointer and length come from an array.
        let object =
            unsafe { (f.key_from_raw)(X25519, ptr::null_mut(), bytes.as_ptr(), bytes.len()) };
        let object = library.own(object, f.key_free, "EVP_PKEY_new_raw_public_key")?;
        Ok(Key { object, library })
    }

    /// Whether the numbers of a private key belong together.
    ///
    /// # Errors
    /// They do not.
    pub fn check(&self) -> Result<(), EvpError> {
        let f = &self.library.functions;
        let context = new_context(self)?;
        // SAFETY: the context is alive.
        let result = unsafe { (f.key_check)(context.object) };
        self.library.check(result, "EVP_PKEY_check")
    }

    /// Room, in bytes, for everything that is made with the key.
    pub fn output_len(&self) -> usize {
        // SAFETY: the key is alive and is only read.
        let len = unsafe { (self.library.functions.key_size)(self.object.object) };
        usize::try_from(len).unwrap_or(0)
    }

    /// Signs a message with Ed25519, which hashes it itself.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn sign_message(&self, message: &[u8], signature: &mut [u8; 64]) -> Result<(), EvpError> {
        let f = &self.library.functions;
        let context = self.message_context()?;
        // SAFETY: context and key are alive; nulls stand for what Ed25519 has no choice of.
        let result = unsafe {
            (f.sign_init)(
                context.object,
                ptr::null_mut(),
                ptr::null(),
                ptr::null_mut(),
                self.object.object,
            )
        };
        self.library.check(result, "EVP_DigestSignInit")?;
        let mut len = signature.len();
        // SAFETY: the context is started; the lengths are those of the slices.
        let result = unsafe {
            let (to, from) = (signature.as_mut_ptr(), message.as_ptr());
            (f.sign_message)(context.object, to, &mut len, from, message.len())
        };
        self.library.check(result, "EVP_DigestSign")
    }

    /// Whether a signature of Ed25519 is that of a message.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn verify_message(&self, message: &[u8], signature: &[u8]) -> Result<bool, EvpError> {
        let f = &self.library.functions;
        let context = self.message_context()?;
        // SAFETY: as in `sign_message`.
        let result = unsafe {
            (f.verify_init)(
                context.object,
                ptr::null_mut(),
                ptr::null(),
                ptr::null_mut(),
                self.object.object,
            )
        };
        self.library.check(result, "EVP_DigestVerifyInit")?;
        // SAFETY: the context is started; pointers and lengths come from slices.
        let result = unsafe {
            let (one, other) = (signature.as_ptr(), message.as_ptr());
            (f.verify_message)(context.object, one, signature.len(), other, message.len())
        };
        Ok(self.is_verified(result, "EVP_DigestVerify"))
    }

    fn message_context(&self) -> Result<Owned, EvpError> {
        let f = &self.library.functions;
        // SAFETY: the constructor takes nothing.
        let context = unsafe { (f.md_ctx_new)() };
        self.library.own(context, f.md_ctx_free, "EVP_MD_CTX_new")
    }

    fn is_verified(&self, result: c_int, call: &'static str) -> bool {
        // What a wrong signature leaves in the thread's queue of errors is taken out.
        self.library.check(result, call).is_ok()
    }
}

impl KeyContext {
    /// A context that is started, with the padding and the digest of RSA where there are some; the
    /// digest of a curve is only that of the caller.
    ///
    /// # Errors
    /// libcrypto refuses the key or the padding.
    pub fn new(
        key: &Key,
        what: KeyUse,
        padding: Option<(RsaPadding, &Digest)>,
    ) -> Result<KeyContext, EvpError> {
        let library = key.library;
        let f = &library.functions;
        let context = new_context(key)?;
        let (init, call): (KeyOperation, _) = match what {
            KeyUse::Sign => (f.key_sign_init, "EVP_PKEY_sign_init"),
            KeyUse::Verify => (f.key_verify_init, "EVP_PKEY_verify_init"),
            KeyUse::Encrypt => (f.key_encrypt_init, "EVP_PKEY_encrypt_init"),
            KeyUse::Decrypt => (f.key_decrypt_init, "EVP_PKEY_decrypt_init"),
            KeyUse::Agree => (f.key_derive_init, "EVP_PKEY_derive_init"),
        };
        // SAFETY: the context is alive.
        library.check(unsafe { init(context.object) }, call)?;
        let started = KeyContext { context, library };
        if let Some((padding, digest)) = padding {
            started.set_padding(what, padding, digest)?;
        }
        Ok(started)
    }

    fn set_padding(
        &self,
        what: KeyUse,
        padding: RsaPadding,
        digest: &Digest,
    ) -> Result<(), EvpError> {
        let (f, context) = (&self.library.functions, self.context.object);
        let number = match padding {
            RsaPadding::Pkcs1v15 => OSSL_RSA_PKCS1,
            RsaPadding::Pss(_) => OSSL_RSA_PSS,
            RsaPadding::Oaep => OSSL_RSA_OAEP,
            RsaPadding::None => OSSL_RSA_NO_PADDING,
        };
        // SAFETY: the context is started, for a key of RSA.
        let result = unsafe { (f.rsa_padding)(context, number) };
        self.library.check(result, "EVP_PKEY_CTX_set_rsa_padding")?;
        if matches!(what, KeyUse::Sign | KeyUse::Verify) {
            // SAFETY: context and digest are alive.
            let result = unsafe { (f.signature_md)(context, digest.object()) };
            self.library.check(result, "EVP_PKEY_CTX_set_signature_md")?;
        }
        if let RsaPadding::Pss(salt_len) = padding {
            let salt_len = match salt_len {
                Some(len) => c_int::try_from(len).unwrap_or(c_int::MAX),
                None => OSSL_RSA_PSS_SALTLEN_AUTO,
            };
            // SAFETY: the context is started, with the padding PSS.
            let result = unsafe { (f.pss_salt_len)(context, salt_len) };
            self.library.check(result, "EVP_PKEY_CTX_set_rsa_pss_saltlen")?;
        }
        if padding == RsaPadding::Oaep {
            // SAFETY: the context is started, with the padding OAEP; the digest is alive.
            let result = unsafe { (f.oaep_md)(context, digest.object()) };
            self.library.check(result, "EVP_PKEY_CTX_set_rsa_oaep_md")?;
        }
        Ok(())
    }

    /// Signs a digest. Returns the length of the signature.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn sign(&mut self, digest: &[u8], signature: &mut [u8]) -> Result<usize, EvpError> {
        self.transform(self.library.functions.key_sign, "EVP_PKEY_sign", digest, signature)
    }

    /// Encrypts. Returns the length of the ciphertext.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn encrypt(&mut self, data: &[u8], output: &mut [u8]) -> Result<usize, EvpError> {
        self.transform(self.library.functions.key_encrypt, "EVP_PKEY_encrypt", data, output)
    }

    /// Decrypts. Returns the length of what comes out.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn decrypt(&mut self, data: &[u8], output: &mut [u8]) -> Result<usize, EvpError> {
        self.transform(self.library.functions.key_decrypt, "EVP_PKEY_decrypt", data, output)
    }

    fn transform(
        &mut self,
        function: KeyTransform,
        call: &'static str,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, EvpError> {
        let mut len = output.len();
        // SAFETY: the context is started for this function; pointers and lengths come from slices.
        let result = unsafe {
            let (to, from) = (output.as_mut_ptr(), input.as_ptr());
            function(self.context.object, to, &mut len, from, input.len())
        };
        self.library.check(result, call)?;
        Ok(len.min(output.len()))
    }

    /// Returns `true` if a signature is that of a digest.
    pub fn verify(&mut self, digest: &[u8], signature: &[u8]) -> bool {
        let verify = self.library.functions.key_verify;
        // SAFETY: the context is started for this; pointers and lengths come from slices.
        let result = unsafe {
            let (one, other) = (signature.as_ptr(), digest.as_ptr());
            verify(self.context.object, one, signature.len(), other, digest.len())
        };
        self.library.check(result, "EVP_PKEY_verify").is_ok()
    }

    /// Agrees on a secret with the other side's public key. Returns the length of the secret.
    ///
    /// # Errors
    /// The public key does not fit, or libcrypto fails.
    pub fn agree(&mut self, other: &Key, secret: &mut [u8]) -> Result<usize, EvpError> {
        let f = &self.library.functions;
        // SAFETY: context and key are alive; the context keeps a reference of its own.
        let result = unsafe { (f.key_derive_peer)(self.context.object, other.object.object) };
        self.library.check(result, "EVP_PKEY_derive_set_peer")?;
        let mut len = secret.len();
        // SAFETY: the context is started, with the other side's key; the length is the slice's.
        let result = unsafe { (f.key_derive)(self.context.object, secret.as_mut_ptr(), &mut len) };
        self.library.check(result, "EVP_PKEY_derive")?;
        Ok(len.min(secret.len()))
    }

    /// A context in the same state.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn duplicate(&self) -> Result<KeyContext, EvpError> {
        let f = &self.library.functions;
        // SAFETY: the context is alive and is not changed.
        let context = unsafe { (f.key_ctx_dup)(self.context.object) };
        let context = self.library.own(context, f.key_ctx_free, "EVP_PKEY_CTX_dup")?;
        Ok(KeyContext { context, library: self.library })
    }
}

fn new_context(key: &Key) -> Result<Owned, EvpError> {
    let f = &key.library.functions;
    // SAFETY: the key is alive, and the context keeps a reference of its own; null stands for no
    // engine.
    let context = unsafe { (f.key_ctx_new)(key.object.object, ptr::null_mut()) };
    key.library.own(context, f.key_ctx_free, "EVP_PKEY_CTX_new")
}
