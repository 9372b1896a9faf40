//! `EVP_MD`.

use std::ffi::CStr;
use std::ptr;

use super::ffi::{MAX_DIGEST, Object};
use super::library::{EvpError, Libcrypto, Owned};

/// A hash function, fetched.
pub struct Digest {
    object: Owned,
    len: usize,
    is_extendable: bool,
    library: &'static Libcrypto,
}

/// A hash at work.
pub struct DigestContext {
    context: Owned,
    len: usize,
    is_extendable: bool,
    library: &'static Libcrypto,
}

impl Digest {
    /// Fetches a hash function by libcrypto's name for it: `SHA256`.
    ///
    /// # Errors
    /// This libcrypto has none of that name.
    pub fn fetch(library: &'static Libcrypto, name: &CStr) -> Result<Digest, EvpError> {
        let object = Digest::fetch_object(library, name)?;
        // SAFETY: the object is a digest.
        let len = unsafe { (library.functions.md_size)(object.object) };
        match usize::try_from(len) {
            Ok(len @ 1..=MAX_DIGEST) => Ok(Digest { object, len, is_extendable: false, library }),
            _ => Err(library.failure("EVP_MD_get_size")),
        }
    }

    /// Fetches a function whose output has any length by libcrypto's name for it: `SHAKE128`.
    ///
    /// # Errors
    /// This libcrypto has none of that name.
    pub fn fetch_extendable(library: &'static Libcrypto, name: &CStr) -> Result<Digest, EvpError> {
        let object = Digest::fetch_object(library, name)?;
        Ok(Digest { object, len: 0, is_extendable: true, library })
    }

    /// libcrypto's own object.
    pub(super) fn object(&self) -> Object {
        self.object.object
    }

    fn fetch_object(library: &'static Libcrypto, name: &CStr) -> Result<Owned, EvpError> {
        let f = &library.functions;
        // SAFETY: null stands for the default library context and properties; the name is a C
        // string.
        let object = unsafe { (f.md_fetch)(ptr::null_mut(), name.as_ptr(), ptr::null()) };
        library.own(object, f.md_free, "EVP_MD_fetch")
    }
}

impl DigestContext {
    /// A context that is started.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn new(digest: &Digest) -> Result<DigestContext, EvpError> {
        let library = digest.library;
        let f = &library.functions;
        let context = empty(library)?;
        // SAFETY: context and digest are alive; null stands for no parameters.
        let result = unsafe { (f.digest_init)(context.object, digest.object.object, ptr::null()) };
        library.check(result, "EVP_DigestInit_ex2")?;
        let Digest { len, is_extendable, .. } = *digest;
        Ok(DigestContext { context, len, is_extendable, library })
    }

    /// The same for digests of so many bytes, where the function has output of any length.
    pub fn with_len(mut self, len: usize) -> DigestContext {
        if self.is_extendable {
            self.len = len;
        }
        self
    }

    /// Begins a message, whatever came before.
    ///
    /// # Errors
    /// libcrypto fails.
    #[inline]
    pub fn restart(&mut self) -> Result<(), EvpError> {
        // SAFETY: the context is alive and has its digest, which null keeps.
        let result = unsafe {
            (self.library.functions.digest_init)(self.context.object, ptr::null(), ptr::null())
        };
        self.library.check(result, "EVP_DigestInit_ex2")
    }

    /// Absorbs bytes.
    ///
    /// # Errors
    /// libcrypto fails.
    #[inline]
    pub fn update(&mut self, data: &[u8]) -> Result<(), EvpError> {
        let update = self.library.functions.digest_update;
        // SAFETY: the context is alive; pointer and length come from a slice.
        let result = unsafe { update(self.context.object, data.as_ptr(), data.len()) };
        self.library.check(result, "EVP_DigestUpdate")
    }

    /// Ends the message: the digest is at the start of `digest`.
    ///
    /// # Errors
    /// libcrypto fails.
    ///
    /// # Panics
    /// If `digest` is shorter than a digest.
    #[inline]
    pub fn finish(&mut self, digest: &mut [u8]) -> Result<(), EvpError> {
        assert!(digest.len() >= self.len, "{} bytes for a digest of {}", digest.len(), self.len);
        if self.is_extendable {
            let finish = self.library.functions.digest_final_xof;
            // SAFETY: the context is alive; the output has room for so many bytes.
            let result = unsafe { finish(self.context.object, digest.as_mut_ptr(), self.len) };
            return self.library.check(result, "EVP_DigestFinalXOF");
        }
        let finish = self.library.functions.digest_final;
        // SAFETY: the context is alive; the output has room for a digest; null stands for a length
        // not wanted.
        let result = unsafe { finish(self.context.object, digest.as_mut_ptr(), ptr::null_mut()) };
        self.library.check(result, "EVP_DigestFinal_ex")
    }

    /// A context in the same state.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn duplicate(&self) -> Result<DigestContext, EvpError> {
        let context = empty(self.library)?;
        // SAFETY: both contexts are alive, and the source is not changed.
        let result =
            unsafe { (self.library.functions.md_ctx_copy)(context.object, self.context.object) };
        self.library.check(result, "EVP_MD_CTX_copy_ex")?;
        let DigestContext { len, is_extendable, library, .. } = *self;
        Ok(DigestContext { context, len, is_extendable, library })
    }
}

fn empty(library: &'static Libcrypto) -> Result<Owned, EvpError> {
    let f = &library.functions;
    // SAFETY: the constructor takes nothing.
    let context = unsafe { (f.md_ctx_new)() };
    library.own(context, f.md_ctx_free, "EVP_MD_CTX_new")
}
