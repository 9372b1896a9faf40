//! The functions of libcrypto in use, after the headers of OpenSSL 3.0.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::ptr;

use broadloom_loader::{Library, find};

/// One of libcrypto's own objects.
pub(super) type Object = *mut c_void;

/// `OSSL_PARAM`: a value under a name; lists of them end with [`Param::END`].
#[repr(C)]
pub(super) struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: usize,
    return_size: usize,
}

impl Param {
    /// The end of a list.
    pub(super) const END: Param = Param {
        key: ptr::null(),
        data_type: 0,
        data: ptr::null_mut(),
        data_size: 0,
        return_size: 0,
    };

    /// `OSSL_PARAM_UNSIGNED_INTEGER`.
    pub(super) fn uint(key: &'static CStr, value: &mut c_uint) -> Param {
        Param::new(key, 2, ptr::from_mut(value).cast(), size_of::<c_uint>())
    }

    /// `OSSL_PARAM_UTF8_STRING`, to be read.
    pub(super) fn utf8(key: &'static CStr, value: &CStr) -> Param {
        Param::new(key, 4, value.as_ptr().cast_mut().cast(), value.count_bytes())
    }

    /// `OSSL_PARAM_OCTET_STRING`.
    pub(super) fn octets(key: &'static CStr, data: *mut u8, len: usize) -> Param {
        Param::new(key, 5, data.cast(), len)
    }

    /// The return size is `OSSL_PARAM_UNMODIFIED`.
    fn new(key: &'static CStr, data_type: c_uint, data: *mut c_void, data_size: usize) -> Param {
        Param { key: key.as_ptr(), data_type, data, data_size, return_size: usize::MAX }
    }
}

/// `EVP_EncryptUpdate`, and whatever has its form.
pub(super) type CipherUpdate =
    unsafe extern "C" fn(Object, *mut u8, *mut c_int, *const u8, c_int) -> c_int;

/// A function that frees an object.
pub(super) type Free = unsafe extern "C" fn(Object);

/// A function that starts a context for an operation with a key.
pub(super) type KeyOperation = unsafe extern "C" fn(Object) -> c_int;

/// A function that makes bytes of bytes with a key.
pub(super) type KeyTransform =
    unsafe extern "C" fn(Object, *mut u8, *mut usize, *const u8, usize) -> c_int;

/// `RSA_PKCS1_PADDING`.
pub(super) const OSSL_RSA_PKCS1: c_int = 1;
/// `RSA_NO_PADDING`.
pub(super) const OSSL_RSA_NO_PADDING: c_int = 3;
/// `RSA_PKCS1_OAEP_PADDING`.
pub(super) const OSSL_RSA_OAEP: c_int = 4;
/// `RSA_PKCS1_PSS_PADDING`.
pub(super) const OSSL_RSA_PSS: c_int = 6;
pub(super) const OSSL_RSA_PSS_SALTLEN_AUTO: c_int = -2;

/// `EVP_CTRL_AEAD_SET_IVLEN`.
pub(super) const SET_IV_LEN: c_int = 0x9;
/// `OSSL_CIPHER_PARAM_AEAD_TAG`.
pub(super) const TAG: &CStr = c"tag";
/// `EVP_CTRL_AEAD_SET_TAG`.
pub(super) const SET_TAG: c_int = 0x11;
/// `EVP_CIPH_CCM_MODE`.
pub(super) const MODE_CCM: c_int = 7;
/// `EVP_CIPH_FLAG_AEAD_CIPHER`.
pub(super) const FLAG_AEAD: c_ulong = 0x20_0000;
/// `EVP_MAX_BLOCK_LENGTH`.
pub(super) const MAX_BLOCK: usize = 32;
/// `EVP_MAX_MD_SIZE`.
pub(super) const MAX_DIGEST: usize = 64;

/// Declares a struct of function pointers, and how to find them all in a library.
macro_rules! functions {
    (
        $(#[$doc:meta])* $name:ident {
            $($(#[$only:meta])* $field:ident = $symbol:literal: $type:ty),+ $(,)?
        }
    ) => {
        $(#[$doc])*
        pub(super) struct $name {
            $($(#[$only])* pub(super) $field: $type),+
        }

        impl $name {
            /// Finds them all, or names the first that the library lacks.
            pub(super) fn find(library: &Library) -> Result<$name, &'static str> {
                Ok($name {
                    $($(#[$only])* $field: {
                        // SAFETY: the type matches the function in the headers of version 3.0,
                        // which later versions keep.
                        unsafe { find::<$type>(library, $symbol) }?
                    }),+
                })
            }
        }
    };
}

functions! {
    /// The functions that tell the version, present in every version.
    Versions {
        text = "OpenSSL_version": unsafe extern "C" fn(c_int) -> *const c_char,
        number = "OpenSSL_version_num": unsafe extern "C" fn() -> c_ulong,
    }
}

functions! {
    /// The functions that compute.
    Functions {
        get_error = "ERR_get_error": unsafe extern "C" fn() -> c_ulong,
        clear_error = "ERR_clear_error": unsafe extern "C" fn(),
        md_fetch = "EVP_MD_fetch":
            unsafe extern "C" fn(Object, *const c_char, *const c_char) -> Object,
        md_free = "EVP_MD_free": Free,
        md_size = "EVP_MD_get_size": unsafe extern "C" fn(*const c_void) -> c_int,
        md_ctx_new = "EVP_MD_CTX_new": unsafe extern "C" fn() -> Object,
        md_ctx_free = "EVP_MD_CTX_free": Free,
        md_ctx_copy = "EVP_MD_CTX_copy_ex": unsafe extern "C" fn(Object, *const c_void) -> c_int,
        digest_init = "EVP_DigestInit_ex2":
            unsafe extern "C" fn(Object, *const c_void, *const Param) -> c_int,
        digest_update = "EVP_DigestUpdate":
            unsafe extern "C" fn(Object, *const u8, usize) -> c_int,
        digest_final = "EVP_DigestFinal_ex":
            unsafe extern "C" fn(Object, *mut u8, *mut c_uint) -> c_int,
        digest_final_xof = "EVP_DigestFinalXOF":
            unsafe extern "C" fn(Object, *mut u8, usize) -> c_int,
        mac_fetch = "EVP_MAC_fetch":
            unsafe extern "C" fn(Object, *const c_char, *const c_char) -> Object,
        mac_free = "EVP_MAC_free": Free,
        mac_ctx_new = "EVP_MAC_CTX_new": unsafe extern "C" fn(Object) -> Object,
        mac_ctx_free = "EVP_MAC_CTX_free": Free,
        mac_ctx_dup = "EVP_MAC_CTX_dup": unsafe extern "C" fn(*const c_void) -> Object,
        mac_init = "EVP_MAC_init":
            unsafe extern "C" fn(Object, *const u8, usize, *const Param) -> c_int,
        mac_len = "EVP_MAC_CTX_get_mac_size": unsafe extern "C" fn(Object) -> usize,
        mac_update = "EVP_MAC_update": unsafe extern "C" fn(Object, *const u8, usize) -> c_int,
        mac_final = "EVP_MAC_final":
            unsafe extern "C" fn(Object, *mut u8, *mut usize, usize) -> c_int,
        context_new = "OSSL_LIB_CTX_new": unsafe extern "C" fn() -> Object,
        context_free = "OSSL_LIB_CTX_free": Free,
        provider_load = "OSSL_PROVIDER_load":
            unsafe extern "C" fn(Object, *const c_char) -> Object,
        cipher_fetch = "EVP_CIPHER_fetch":
            unsafe extern "C" fn(Object, *const c_char, *const c_char) -> Object,
        cipher_free = "EVP_CIPHER_free": Free,
        cipher_key_len = "EVP_CIPHER_get_key_length": unsafe extern "C" fn(*const c_void) -> c_int,
        cipher_block_len = "EVP_CIPHER_get_block_size":
            unsafe extern "C" fn(*const c_void) -> c_int,
        cipher_mode = "EVP_CIPHER_get_mode": unsafe extern "C" fn(*const c_void) -> c_int,
        cipher_flags = "EVP_CIPHER_get_flags": unsafe extern "C" fn(*const c_void) -> c_ulong,
        cipher_ctx_new = "EVP_CIPHER_CTX_new": unsafe extern "C" fn() -> Object,
        cipher_ctx_free = "EVP_CIPHER_CTX_free": Free,
        cipher_ctx_copy = "EVP_CIPHER_CTX_copy":
            unsafe extern "C" fn(Object, *const c_void) -> c_int,
        cipher_ctx_cipher = "EVP_CIPHER_CTX_get0_cipher":
            unsafe extern "C" fn(*const c_void) -> *const c_void,
        cipher_ctx_key_len = "EVP_CIPHER_CTX_get_key_length":
            unsafe extern "C" fn(*const c_void) -> c_int,
        cipher_ctx_iv_len = "EVP_CIPHER_CTX_get_iv_length":
            unsafe extern "C" fn(*const c_void) -> c_int,
        cipher_ctx_set = "EVP_CIPHER_CTX_set_params":
            unsafe extern "C" fn(Object, *const Param) -> c_int,
        cipher_ctx_get = "EVP_CIPHER_CTX_get_params":
            unsafe extern "C" fn(Object, *mut Param) -> c_int,
        cipher_padding = "EVP_CIPHER_CTX_set_padding":
            unsafe extern "C" fn(Object, c_int) -> c_int,
        cipher_ctrl = "EVP_CIPHER_CTX_ctrl":
            unsafe extern "C" fn(Object, c_int, c_int, *mut c_void) -> c_int,
        cipher_init = "EVP_CipherInit_ex2": unsafe extern "C" fn(
            Object, *const c_void, *const u8, *const u8, c_int, *const Param,
        ) -> c_int,
        cipher_final = "EVP_CipherFinal_ex":
            unsafe extern "C" fn(Object, *mut u8, *mut c_int) -> c_int,
        key_from_private = "d2i_AutoPrivateKey":
            unsafe extern "C" fn(*mut Object, *mut *const u8, c_long) -> Object,
        key_from_public = "d2i_PUBKEY":
            unsafe extern "C" fn(*mut Object, *mut *const u8, c_long) -> Object,
        key_from_raw = "EVP_PKEY_new_raw_public_key":
            unsafe extern "C" fn(c_int, Object, *const u8, usize) -> Object,
        key_free = "EVP_PKEY_free": Free,
        key_size = "EVP_PKEY_get_size": unsafe extern "C" fn(*const c_void) -> c_int,
        key_check = "EVP_PKEY_check": KeyOperation,
        key_ctx_new = "EVP_PKEY_CTX_new": unsafe extern "C" fn(Object, Object) -> Object,
        key_ctx_dup = "EVP_PKEY_CTX_dup": unsafe extern "C" fn(*const c_void) -> Object,
        key_ctx_free = "EVP_PKEY_CTX_free": Free,
        key_sign_init = "EVP_PKEY_sign_init": KeyOperation,
        key_sign = "EVP_PKEY_sign": KeyTransform,
        key_verify_init = "EVP_PKEY_verify_init": KeyOperation,
        key_verify = "EVP_PKEY_verify":
            unsafe extern "C" fn(Object, *const u8, usize, *const u8, usize) -> c_int,
        key_encrypt_init = "EVP_PKEY_encrypt_init": KeyOperation,
        key_encrypt = "EVP_PKEY_encrypt": KeyTransform,
        key_decrypt_init = "EVP_PKEY_decrypt_init": KeyOperation,
        key_decrypt = "EVP_PKEY_decrypt": KeyTransform,
        key_derive_init = "EVP_PKEY_derive_init": KeyOperation,
        key_derive_peer = "EVP_PKEY_derive_set_peer":
            unsafe extern "C" fn(Object, Object) -> c_int,
        key_derive = "EVP_PKEY_derive": unsafe extern "C" fn(Object, *mut u8, *mut usize) -> c_int,
        key_ctx_of_name = "EVP_PKEY_CTX_new_from_name":
            unsafe extern "C" fn(Object, *const c_char, *const c_char) -> Object,
        key_generate_init = "EVP_PKEY_keygen_init": KeyOperation,
        key_generate = "EVP_PKEY_generate": unsafe extern "C" fn(Object, *mut Object) -> c_int,
        key_group = "EVP_PKEY_CTX_set_group_name":
            unsafe extern "C" fn(Object, *const c_char) -> c_int,
        key_number = "EVP_PKEY_get_bn_param":
            unsafe extern "C" fn(*const c_void, *const c_char, *mut Object) -> c_int,
        key_to_public = "i2d_PUBKEY": unsafe extern "C" fn(*const c_void, *mut *mut u8) -> c_int,
        rsa_bits = "EVP_PKEY_CTX_set_rsa_keygen_bits":
            unsafe extern "C" fn(Object, c_int) -> c_int,
        rsa_exponent = "EVP_PKEY_CTX_set1_rsa_keygen_pubexp":
            unsafe extern "C" fn(Object, Object) -> c_int,
        number_from = "BN_bin2bn": unsafe extern "C" fn(*const u8, c_int, Object) -> Object,
        number_free = "BN_free": Free,
        number_clear_free = "BN_clear_free": Free,
        number_bits = "BN_num_bits": unsafe extern "C" fn(*const c_void) -> c_int,
        number_to = "BN_bn2bin": unsafe extern "C" fn(*const c_void, *mut u8) -> c_int,
        rsa_padding = "EVP_PKEY_CTX_set_rsa_padding":
            unsafe extern "C" fn(Object, c_int) -> c_int,
        signature_md = "EVP_PKEY_CTX_set_signature_md":
            unsafe extern "C" fn(Object, *const c_void) -> c_int,
        pss_salt_len = "EVP_PKEY_CTX_set_rsa_pss_saltlen":
            unsafe extern "C" fn(Object, c_int) -> c_int,
        oaep_md = "EVP_PKEY_CTX_set_rsa_oaep_md":
            unsafe extern "C" fn(Object, *const c_void) -> c_int,
        sign_init = "EVP_DigestSignInit": unsafe extern "C" fn(
            Object, *mut Object, *const c_void, Object, Object,
        ) -> c_int,
        sign_message = "EVP_DigestSign": KeyTransform,
        verify_init = "EVP_DigestVerifyInit": unsafe extern "C" fn(
            Object, *mut Object, *const c_void, Object, Object,
        ) -> c_int,
        verify_message = "EVP_DigestVerify":
            unsafe extern "C" fn(Object, *const u8, usize, *const u8, usize) -> c_int,
        encrypt_update = "EVP_EncryptUpdate": CipherUpdate,
        decrypt_update = "EVP_DecryptUpdate": CipherUpdate,
    }
}
