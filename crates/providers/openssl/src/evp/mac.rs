//! `EVP_MAC`.

use std::ffi::{CStr, c_uint};
use std::ptr;

use super::ffi::Param;
use super::library::{EvpError, Libcrypto, Owned};

/// A kind of MAC, fetched.
pub struct Mac {
    object: Owned,
    library: &'static Libcrypto,
}

/// A MAC with its key.
pub struct MacContext {
    context: Owned,
    len: usize,
    library: &'static Libcrypto,
}

impl Mac {
    /// Fetches a kind of MAC by libcrypto's name for it: `HMAC`, `CMAC`.
    ///
    /// # Errors
    /// This libcrypto has none of that name.
    pub fn fetch(library: &'static Libcrypto, name: &CStr) -> Result<Mac, EvpError> {
        let f = &library.functions;
        // SAFETY: null stands for the default library context and properties; the name is a C
        // string.
        let object = unsafe { (f.mac_fetch)(ptr::null_mut(), name.as_ptr(), ptr::null()) };
        let object = library.own(object, f.mac_free, "EVP_MAC_fetch")?;
        Ok(Mac { object, library })
    }
}

impl MacContext {
    /// HMAC over a hash, with a key of any length up to 2^31 - 1 bytes; started.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn hmac(hmac: &Mac, digest: &CStr, key: &[u8]) -> Result<MacContext, EvpError> {
        MacContext::new(hmac, Param::utf8(c"digest", digest), key)
    }

    /// CMAC over a cipher in CBC mode, with a key of the cipher's; started.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn cmac(cmac: &Mac, cipher: &CStr, key: &[u8]) -> Result<MacContext, EvpError> {
        MacContext::new(cmac, Param::utf8(c"cipher", cipher), key)
    }

    /// KMAC without a customization string, with a key of 4 to 512 bytes and tags of `len` bytes;
    /// started.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn kmac(kmac: &Mac, key: &[u8], len: c_uint) -> Result<MacContext, EvpError> {
        MacContext::new(kmac, Param::uint(c"size", &mut { len }), key)
    }

    /// A MAC, given what it has beside its key.
    fn new(mac: &Mac, of: Param, key: &[u8]) -> Result<MacContext, EvpError> {
        let library = mac.library;
        let f = &library.functions;
        // SAFETY: the MAC is alive; the context takes its own reference to it.
        let context = unsafe { (f.mac_ctx_new)(mac.object.object) };
        let context = library.own(context, f.mac_ctx_free, "EVP_MAC_CTX_new")?;
        let params = [of, Param::END];
        // SAFETY: context and key are alive; the parameters are a terminated list of values that
        // are alive and only read.
        let result =
            unsafe { (f.mac_init)(context.object, key.as_ptr(), key.len(), params.as_ptr()) };
        library.check(result, "EVP_MAC_init")?;
        // SAFETY: the context is alive and initialised.
        let len = unsafe { (f.mac_len)(context.object) };
        Ok(MacContext { context, len, library })
    }

    /// Begins a message under the same key, whatever came before. Where
    /// [`Libcrypto::restarts_macs`] says no, this works only for a context that is new or a
    /// duplicate of a new one.
    ///
    /// # Errors
    /// libcrypto fails.
    #[inline]
    pub fn restart(&mut self) -> Result<(), EvpError> {
        let init = self.library.functions.mac_init;
        // SAFETY: the context is alive and has its key, which null keeps.
        let result = unsafe { init(self.context.object, ptr::null(), 0, ptr::null()) };
        self.library.check(result, "EVP_MAC_init")
    }

    /// Absorbs bytes.
    ///
    /// # Errors
    /// libcrypto fails.
    #[inline]
    pub fn update(&mut self, data: &[u8]) -> Result<(), EvpError> {
        let update = self.library.functions.mac_update;
        // SAFETY: the context is alive; pointer and length come from a slice.
        let result = unsafe { update(self.context.object, data.as_ptr(), data.len()) };
        self.library.check(result, "EVP_MAC_update")
    }

    /// Ends the message: the MAC is at the start of `mac`.
    ///
    /// # Errors
    /// libcrypto fails.
    ///
    /// # Panics
    /// If `mac` is shorter than a MAC.
    #[inline]
    pub fn finish(&mut self, mac: &mut [u8]) -> Result<(), EvpError> {
        assert!(mac.len() >= self.len, "{} bytes for a MAC of {}", mac.len(), self.len);
        let finish = self.library.functions.mac_final;
        let mut written = 0;
        // SAFETY: the context is alive; pointer and length come from a slice.
        let result =
            unsafe { finish(self.context.object, mac.as_mut_ptr(), &mut written, mac.len()) };
        self.library.check(result, "EVP_MAC_final")
    }

    /// A context in the same state, with the same key.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn duplicate(&self) -> Result<MacContext, EvpError> {
        let f = &self.library.functions;
        // SAFETY: the context is alive, and is not changed.
        let context = unsafe { (f.mac_ctx_dup)(self.context.object) };
        let context = self.library.own(context, f.mac_ctx_free, "EVP_MAC_CTX_dup")?;
        Ok(MacContext { context, len: self.len, library: self.library })
    }
}
