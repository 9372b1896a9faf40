//! New keys, and keys in DER.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use zeroize::Zeroizing;

use super::ffi::Object;
use super::library::{EvpError, Libcrypto, Owned};
use super::pkey::Key;

impl Key {
    /// A new key of RSA, with a modulus of so many bits and a public exponent in big-endian order.
    ///
    /// # Errors
    /// libcrypto refuses the size or the exponent, or fails.
    pub fn generate_rsa(
        library: &'static Libcrypto,
        bits: usize,
        exponent: &[u8],
    ) -> Result<Key, EvpError> {
        let f = &library.functions;
        let context = start(library, c"RSA")?;
        let bits = c_int::try_from(bits).unwrap_or(c_int::MAX);
        // SAFETY: the context is started, for keys of RSA.
        let result = unsafe { (f.rsa_bits)(context.object, bits) };
        library.check(result, "EVP_PKEY_CTX_set_rsa_keygen_bits")?;
        let len = c_int::try_from(exponent.len()).unwrap_or(c_int::MAX);
        // SAFETY: pointer and length come from a slice; null asks for a new number.
        let number = unsafe { (f.number_from)(exponent.as_ptr(), len, ptr::null_mut()) };
        let number = library.own(number, f.number_free, "BN_bin2bn")?;
        // SAFETY: the context is started, for keys of RSA, and copies the number, which is alive.
        let result = unsafe { (f.rsa_exponent)(context.object, number.object) };
        library.check(result, "EVP_PKEY_CTX_set1_rsa_keygen_pubexp")?;
        finish(library, &context)
    }

    /// A new key on a curve, by the name that libcrypto has for the curve.
    ///
    /// # Errors
    /// libcrypto lacks the curve, or fails.
    pub fn generate_ec(library: &'static Libcrypto, curve: &CStr) -> Result<Key, EvpError> {
        let context = start(library, c"EC")?;
        // SAFETY: the context is started, for keys on curves; the name is a C string.
        let result = unsafe { (library.functions.key_group)(context.object, curve.as_ptr()) };
        library.check(result, "EVP_PKEY_CTX_set_group_name")?;
        finish(library, &context)
    }

    /// A number of a key, in big-endian order without zeros in front, by libcrypto's name for it.
    /// Private keys are read in this way: the encoders of libcrypto leave copies in freed memory.
    ///
    /// # Errors
    /// The key has no such number, or libcrypto fails.
    pub fn number(&self, name: &CStr) -> Result<Zeroizing<Vec<u8>>, EvpError> {
        const CALL: &str = "EVP_PKEY_get_bn_param";
        let f = &self.library.functions;
        let mut number: Object = ptr::null_mut();
        // SAFETY: the key is alive and is only read; the name is a C string; null asks for a new
        // number.
        let result = unsafe { (f.key_number)(self.object.object, name.as_ptr(), &mut number) };
        self.library.check(result, CALL)?;
        let number = self.library.own(number, f.number_clear_free, CALL)?;
        // SAFETY: the number is alive and is only read.
        let bits = unsafe { (f.number_bits)(number.object) };
        let len = usize::try_from(bits).unwrap_or_default().div_ceil(8);
        let mut bytes = Zeroizing::new(vec![0; len]);
        // SAFETY: there is room for as many bytes as the number has.
        unsafe { (f.number_to)(number.object, bytes.as_mut_ptr()) };
        Ok(bytes)
    }

    /// The public key as SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn public_der(&self) -> Result<Zeroizing<Vec<u8>>, EvpError> {
        let encode = self.library.functions.key_to_public;
        encoded(self.library, &self.object, encode, "i2d_PUBKEY")
    }
}

/// A context that makes keys of a kind.
fn start(library: &'static Libcrypto, kind: &CStr) -> Result<Owned, EvpError> {
    let f = &library.functions;
    // SAFETY: the nulls stand for the default library; the name is a C string.
    let context = unsafe { (f.key_ctx_of_name)(ptr::null_mut(), kind.as_ptr(), ptr::null()) };
    let context = library.own(context, f.key_ctx_free, "EVP_PKEY_CTX_new_from_name")?;
    // SAFETY: the context is alive.
    let result = unsafe { (f.key_generate_init)(context.object) };
    library.check(result, "EVP_PKEY_keygen_init")?;
    Ok(context)
}

fn finish(library: &'static Libcrypto, context: &Owned) -> Result<Key, EvpError> {
    let f = &library.functions;
    let mut key: Object = ptr::null_mut();
    // SAFETY: the context is started; null asks for a new key.
    let result = unsafe { (f.key_generate)(context.object, &mut key) };
    library.check(result, "EVP_PKEY_generate")?;
    Ok(Key { object: library.own(key, f.key_free, "EVP_PKEY_generate")?, library })
}

fn encoded(
    library: &'static Libcrypto,
    object: &Owned,
    encode: unsafe extern "C" fn(*const c_void, *mut *mut u8) -> c_int,
    call: &'static str,
) -> Result<Zeroizing<Vec<u8>>, EvpError> {
    // SAFETY: the object is alive and is only read; null asks for the length.
    let len = unsafe { encode(object.object, ptr::null_mut()) };
    let len = usize::try_from(len).ok().filter(|&len| len > 0);
    let len = len.ok_or_else(|| library.failure(call))?;
    let mut der = Zeroizing::new(vec![0; len]);
    let mut at = der.as_mut_ptr();
    // SAFETY: there is room for as many bytes as were asked for, and the pointer that is moved on
    // is local.
    let written = unsafe { encode(object.object, &mut at) };
    if usize::try_from(written) == Ok(len) { Ok(der) } else { Err(library.failure(call)) }
}
