//! The interface between libcrypto and its providers: structures and numbers of `core.h`,
//! `core_dispatch.h` and `core_names.h` of OpenSSL 3.0. `check-interface` compares them with the
//! installed headers.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::{mem, ptr, slice};

/// `OSSL_PARAM`: a value with its name, or room for one.
///
/// A list of parameters is *valid* if it is null, or ends with a parameter without a name, and
/// until then every name is a C string and every `data` is null or valid for `data_size` bytes: for
/// reads, or for writes where libcrypto asks for values.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// The name; null at the end of a list.
    pub key: *const c_char,
    /// One of the types below.
    pub data_type: c_uint,
    /// The value, or room for it.
    pub data: *mut c_void,
    /// Bytes of the value, or of room.
    pub data_size: usize,
    /// Bytes that were written.
    pub return_size: usize,
}

// SAFETY: a list in a static is never written to.
unsafe impl Sync for Param {}

/// `OSSL_PARAM_INTEGER`.
pub const INTEGER: c_uint = 1;
/// `OSSL_PARAM_UNSIGNED_INTEGER`.
pub const UNSIGNED: c_uint = 2;
/// `OSSL_PARAM_UTF8_STRING`.
pub const UTF8: c_uint = 4;
/// `OSSL_PARAM_OCTET_STRING`.
pub const OCTETS: c_uint = 5;
/// `OSSL_PARAM_UTF8_PTR`.
pub const UTF8_POINTER: c_uint = 6;
/// `OSSL_PARAM_OCTET_PTR`.
pub const OCTETS_POINTER: c_uint = 7;
/// `OSSL_PARAM_UNMODIFIED`.
pub const UNMODIFIED: usize = usize::MAX;

impl Param {
    /// The end of a list.
    pub const END: Param = Param::describe_as(ptr::null(), 0);

    /// The description of a parameter.
    pub const fn describe(name: &'static CStr, data_type: c_uint) -> Param {
        Param::describe_as(name.as_ptr(), data_type)
    }

    const fn describe_as(key: *const c_char, data_type: c_uint) -> Param {
        Param { key, data_type, data: ptr::null_mut(), data_size: 0, return_size: UNMODIFIED }
    }

    /// A parameter with room for, or with the value of, a number.
    pub fn number<T>(name: &'static CStr, data_type: c_uint, value: &mut T) -> Param {
        let data = ptr::from_mut(value).cast();
        let data_size = mem::size_of::<T>();
        Param { data, data_size, ..Param::describe(name, data_type) }
    }

    /// A parameter with a text, which libcrypto only reads.
    pub fn with_text(name: &'static CStr, text: &CStr) -> Param {
        let (data, data_size) = (text.as_ptr().cast_mut().cast(), text.count_bytes());
        Param { data, data_size, ..Param::describe(name, UTF8) }
    }

    /// A parameter with room for a text or for bytes.
    pub fn room(name: &'static CStr, data_type: c_uint, room: &mut [u8]) -> Param {
        let (data, data_size) = (room.as_mut_ptr().cast(), room.len());
        Param { data, data_size, ..Param::describe(name, data_type) }
    }

    /// The parameters of a list.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it, for the lifetime.
    pub unsafe fn each<'a>(mut list: *const Param) -> impl Iterator<Item = &'a Param> {
        std::iter::from_fn(move || {
            // SAFETY: the list is valid, by this function's contract for `'a`; no parameter behind
            // the end is read.
            unsafe {
                let param = list.as_ref().filter(|param| !param.key.is_null())?;
                list = list.add(1);
                Some(param)
            }
        })
    }

    /// Returns `true` if the parameter has this name.
    ///
    /// # Safety
    /// The parameter belongs to a valid list, as [`Param`] defines it.
    #[inline]
    pub unsafe fn is(&self, name: &CStr) -> bool {
        // SAFETY: the parameter has a name, by this function's contract.
        unsafe { self.begins_with(name.to_bytes_with_nul()) }
    }

    /// Returns `true` if the parameter's name, with the zero behind it, begins with bytes. Names
    /// differ early, so that this takes less time than to measure a name.
    ///
    /// # Safety
    /// The parameter belongs to a valid list, as [`Param`] defines it.
    #[inline]
    pub unsafe fn begins_with(&self, bytes: &[u8]) -> bool {
        // SAFETY: the parameter has a name, by this function's contract, and nothing behind its end
        // is read: the zero at its end ends the comparison.
        bytes.iter().enumerate().all(|(at, &byte)| unsafe { *self.key.add(at) as u8 } == byte)
    }

    /// The place of the parameter of this name in a list that ends as [`END`](Param::END); null
    /// where there is none.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    unsafe fn place(list: *const Param, name: &CStr) -> *const Param {
        // SAFETY: the list is valid, by this function's contract; no parameter behind the end is
        // read.
        unsafe {
            let mut at = list;
            while !at.is_null() && !(*at).key.is_null() {
                if (*at).is(name) {
                    return at;
                }
                at = at.add(1);
            }
        }
        ptr::null()
    }

    /// The parameter of this name in a list.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it, for the lifetime.
    pub unsafe fn find<'a>(list: *const Param, name: &CStr) -> Option<&'a Param> {
        // SAFETY: the list is valid, by this function's contract for `'a`.
        unsafe { Param::place(list, name).as_ref() }
    }

    /// The same, to be written to.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it, for the lifetime, and nobody else uses it.
    pub unsafe fn find_mut<'a>(list: *mut Param, name: &CStr) -> Option<&'a mut Param> {
        // SAFETY: the list is valid, by this function's contract for `'a`, and nobody else uses it.
        unsafe { Param::place(list, name).cast_mut().as_mut() }
    }

    /// The parameter of a list that has one parameter, of this name, and no other.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it, for the lifetime, and nobody else uses it.
    pub unsafe fn only<'a>(list: *const Param, name: &CStr) -> Option<&'a mut Param> {
        // SAFETY: the list is valid, by this function's contract; no parameter behind the end is
        // read.
        unsafe {
            let is_it = !list.is_null()
                && !(*list).key.is_null()
                && (*list.add(1)).key.is_null()
                && (*list).is(name);
            if is_it { list.cast_mut().as_mut() } else { None }
        }
    }

    /// The bytes of the value, as they are in memory.
    ///
    /// # Safety
    /// The parameter belongs to a valid list, as [`Param`] defines it, and has a value.
    pub unsafe fn bytes(&self) -> Option<&[u8]> {
        let (mut data, len) = (self.data.cast_const(), self.data_size);
        if matches!(self.data_type, UTF8_POINTER | OCTETS_POINTER) && !data.is_null() {
            // SAFETY: the value is a pointer.
            data = unsafe { data.cast::<*const c_void>().read_unaligned() };
        }
        match (data.is_null(), len) {
            (_, 0) => Some(&[]),
            (true, _) => None,
            // SAFETY: the parameter has a value of `len` bytes, by this function's contract.
            (false, len) => Some(unsafe { slice::from_raw_parts(data.cast(), len) }),
        }
    }

    /// The value as a text.
    ///
    /// # Safety
    /// The conditions of [`bytes`](Param::bytes).
    pub unsafe fn text(&self) -> Option<&str> {
        if !matches!(self.data_type, UTF8 | UTF8_POINTER) {
            return None;
        }
        // SAFETY: the parameter has a value, by this function's contract.
        let bytes = unsafe { self.bytes() }?;
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        std::str::from_utf8(&bytes[..end]).ok()
    }

    /// The value as a number that is not negative.
    ///
    /// # Safety
    /// The conditions of [`bytes`](Param::bytes).
    pub unsafe fn unsigned(&self) -> Option<u64> {
        if !matches!(self.data_type, INTEGER | UNSIGNED) {
            return None;
        }
        // SAFETY: the parameter has a value, by this function's contract.
        let bytes = unsafe { self.bytes() }?;
        let mut number = [0; 8];
        number.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let number = u64::from_le_bytes(number);
        let top = bytes.last().is_some_and(|&byte| byte >= 0x80);
        (self.data_type == UNSIGNED || !top).then_some(number)
    }

    /// Writes a number that is not negative.
    ///
    /// # Safety
    /// The parameter belongs to a valid list, as [`Param`] defines it, and has room for a value.
    pub unsafe fn put_unsigned(&mut self, number: u64) -> bool {
        let bytes = number.to_le_bytes();
        if self.data.is_null() {
            self.return_size = mem::size_of::<u64>();
            return true;
        }
        let len = self.data_size;
        let fits = matches!(self.data_type, INTEGER | UNSIGNED)
            && (1..=8).contains(&len)
            && bytes[len..].iter().all(|&byte| byte == 0);
        if fits {
            // SAFETY: there is room for so many bytes.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.data.cast(), len) };
            self.return_size = len;
        }
        fits
    }

    /// Writes bytes, or the pointer to them.
    ///
    /// # Safety
    /// As [`put_unsigned`](Param::put_unsigned); where the parameter takes a pointer, the bytes
    /// stay as long as libcrypto documents it.
    pub unsafe fn put_bytes(&mut self, bytes: &[u8]) -> bool {
        self.return_size = bytes.len();
        let points = matches!(self.data_type, OCTETS_POINTER | UTF8_POINTER);
        if self.data.is_null() {
            return true;
        }
        // SAFETY: there is room for a pointer, or for so many bytes.
        unsafe {
            if points {
                self.data.cast::<*const u8>().write_unaligned(bytes.as_ptr());
            } else if self.data_size >= bytes.len() {
                ptr::copy_nonoverlapping(bytes.as_ptr(), self.data.cast(), bytes.len());
            } else {
                return false;
            }
        }
        true
    }

    /// Writes a text, or the pointer to it.
    ///
    /// # Safety
    /// The conditions of [`put_unsigned`](Param::put_unsigned).
    pub unsafe fn put_text(&mut self, text: &'static CStr) -> bool {
        let bytes = text.to_bytes_with_nul();
        // SAFETY: the parameter has room as its type says, by this function's contract, and `text`
        // is static.
        let put = unsafe { self.put_bytes(bytes) };
        self.return_size = bytes.len() - 1;
        put
    }
}

/// `OSSL_DISPATCH`: a function with its number.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Dispatch {
    /// The number; 0 at the end of a table.
    pub id: c_int,
    /// The function.
    pub function: *const c_void,
}

// SAFETY: a table in a static is never written to.
unsafe impl Sync for Dispatch {}

impl Dispatch {
    /// The end of a table.
    pub const END: Dispatch = Dispatch { id: 0, function: ptr::null() };
}

/// `OSSL_ALGORITHM`: names with a table of functions.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    /// The names, with colons between; null at the end of a list.
    pub names: *const c_char,
    /// The properties.
    pub properties: *const c_char,
    /// The functions.
    pub functions: *const Dispatch,
    /// What it is, in words.
    pub description: *const c_char,
}

// SAFETY: a list is never written to.
unsafe impl Sync for Algorithm {}
// SAFETY: it points to statics.
unsafe impl Send for Algorithm {}

impl Algorithm {
    /// The end of a list.
    pub const END: Algorithm = Algorithm {
        names: ptr::null(),
        properties: ptr::null(),
        functions: ptr::null(),
        description: ptr::null(),
    };

    /// An algorithm of this provider.
    pub const fn new(names: &'static CStr, functions: &'static [Dispatch]) -> Algorithm {
        Algorithm {
            names: names.as_ptr(),
            properties: PROPERTIES.as_ptr(),
            functions: functions.as_ptr(),
            description: c"in Broadloom's lanes".as_ptr(),
        }
    }

    /// The names.
    pub fn names(&self) -> &'static str {
        // SAFETY: `new` had C strings that stay; none of the default provider's is another text.
        unsafe { CStr::from_ptr(self.names) }.to_str().unwrap_or_default()
    }
}

/// What all algorithms of this provider have in common.
const PROPERTIES: &CStr = c"provider=broadloom";

/// `OSSL_CALLBACK`.
pub type Callback = unsafe extern "C" fn(*const Param, *mut c_void) -> c_int;

/// Makes a table of functions: the number of each, and the function with its type.
macro_rules! dispatch {
    ($($id:expr => $function:expr),+ $(,)?) => {
        &[
            $(
                $crate::interface::Dispatch {
                    id: $id,
                    function: $function as *const ::std::ffi::c_void,
                },
            )+
            $crate::interface::Dispatch::END,
        ]
    };
}
pub(crate) use dispatch;

/// Numbers that the check compares with the headers, each by its name there without `OSSL_`.
macro_rules! numbers {
    ($($name:ident = $value:literal),+ $(,)?) => {
        $(
            #[doc = concat!("`OSSL_", stringify!($name), "`.")]
            pub const $name: c_int = $value;
        )+
    };
}

numbers! {
    FUNC_CORE_GET_PARAMS = 2,
    FUNC_CORE_NEW_ERROR = 5,
    FUNC_CORE_VSET_ERROR = 7,
    FUNC_PROVIDER_TEARDOWN = 1024,
    FUNC_PROVIDER_GETTABLE_PARAMS = 1025,
    FUNC_PROVIDER_GET_PARAMS = 1026,
    FUNC_PROVIDER_QUERY_OPERATION = 1027,
    FUNC_PROVIDER_GET_CAPABILITIES = 1030,
    FUNC_PROVIDER_SELF_TEST = 1031,

    OP_DIGEST = 1,
    OP_CIPHER = 2,
    OP_MAC = 3,
    OP_KEYMGMT = 10,
    OP_KEYEXCH = 11,
    OP_SIGNATURE = 12,
    OP_ASYM_CIPHER = 13,
    OP_KEM = 14,

    FUNC_DIGEST_NEWCTX = 1,
    FUNC_DIGEST_INIT = 2,
    FUNC_DIGEST_UPDATE = 3,
    FUNC_DIGEST_FINAL = 4,
    FUNC_DIGEST_FREECTX = 6,
    FUNC_DIGEST_DUPCTX = 7,
    FUNC_DIGEST_GET_PARAMS = 8,
    FUNC_DIGEST_GETTABLE_PARAMS = 11,

    FUNC_CIPHER_NEWCTX = 1,
    FUNC_CIPHER_ENCRYPT_INIT = 2,
    FUNC_CIPHER_DECRYPT_INIT = 3,
    FUNC_CIPHER_UPDATE = 4,
    FUNC_CIPHER_FINAL = 5,
    FUNC_CIPHER_CIPHER = 6,
    FUNC_CIPHER_FREECTX = 7,
    FUNC_CIPHER_DUPCTX = 8,
    FUNC_CIPHER_GET_PARAMS = 9,
    FUNC_CIPHER_GET_CTX_PARAMS = 10,
    FUNC_CIPHER_SET_CTX_PARAMS = 11,
    FUNC_CIPHER_GETTABLE_PARAMS = 12,
    FUNC_CIPHER_GETTABLE_CTX_PARAMS = 13,
    FUNC_CIPHER_SETTABLE_CTX_PARAMS = 14,

    FUNC_MAC_NEWCTX = 1,
    FUNC_MAC_DUPCTX = 2,
    FUNC_MAC_FREECTX = 3,
    FUNC_MAC_INIT = 4,
    FUNC_MAC_UPDATE = 5,
    FUNC_MAC_FINAL = 6,
    FUNC_MAC_GET_CTX_PARAMS = 8,
    FUNC_MAC_SET_CTX_PARAMS = 9,
    FUNC_MAC_GETTABLE_CTX_PARAMS = 11,
    FUNC_MAC_SETTABLE_CTX_PARAMS = 12,

    FUNC_KEYMGMT_NEW = 1,
    FUNC_KEYMGMT_GEN_INIT = 2,
    FUNC_KEYMGMT_GEN_SET_TEMPLATE = 3,
    FUNC_KEYMGMT_GEN_SET_PARAMS = 4,
    FUNC_KEYMGMT_GEN_SETTABLE_PARAMS = 5,
    FUNC_KEYMGMT_GEN = 6,
    FUNC_KEYMGMT_GEN_CLEANUP = 7,
    FUNC_KEYMGMT_FREE = 10,
    FUNC_KEYMGMT_GET_PARAMS = 11,
    FUNC_KEYMGMT_GETTABLE_PARAMS = 12,
    FUNC_KEYMGMT_SET_PARAMS = 13,
    FUNC_KEYMGMT_SETTABLE_PARAMS = 14,
    FUNC_KEYMGMT_QUERY_OPERATION_NAME = 20,
    FUNC_KEYMGMT_HAS = 21,
    FUNC_KEYMGMT_VALIDATE = 22,
    FUNC_KEYMGMT_MATCH = 23,
    FUNC_KEYMGMT_IMPORT = 40,
    FUNC_KEYMGMT_IMPORT_TYPES = 41,
    FUNC_KEYMGMT_EXPORT = 42,
    FUNC_KEYMGMT_EXPORT_TYPES = 43,
    FUNC_KEYMGMT_DUP = 44,

    FUNC_KEYEXCH_NEWCTX = 1,
    FUNC_KEYEXCH_INIT = 2,
    FUNC_KEYEXCH_DERIVE = 3,
    FUNC_KEYEXCH_SET_PEER = 4,
    FUNC_KEYEXCH_FREECTX = 5,
    FUNC_KEYEXCH_DUPCTX = 6,
    FUNC_KEYEXCH_SET_CTX_PARAMS = 7,
    FUNC_KEYEXCH_SETTABLE_CTX_PARAMS = 8,
    FUNC_KEYEXCH_GET_CTX_PARAMS = 9,
    FUNC_KEYEXCH_GETTABLE_CTX_PARAMS = 10,

    FUNC_SIGNATURE_NEWCTX = 1,
    FUNC_SIGNATURE_SIGN_INIT = 2,
    FUNC_SIGNATURE_SIGN = 3,
    FUNC_SIGNATURE_VERIFY_INIT = 4,
    FUNC_SIGNATURE_VERIFY = 5,
    FUNC_SIGNATURE_VERIFY_RECOVER_INIT = 6,
    FUNC_SIGNATURE_VERIFY_RECOVER = 7,
    FUNC_SIGNATURE_DIGEST_SIGN_INIT = 8,
    FUNC_SIGNATURE_DIGEST_SIGN_UPDATE = 9,
    FUNC_SIGNATURE_DIGEST_SIGN_FINAL = 10,
    FUNC_SIGNATURE_DIGEST_SIGN = 11,
    FUNC_SIGNATURE_DIGEST_VERIFY_INIT = 12,
    FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE = 13,
    FUNC_SIGNATURE_DIGEST_VERIFY_FINAL = 14,
    FUNC_SIGNATURE_DIGEST_VERIFY = 15,
    FUNC_SIGNATURE_FREECTX = 16,
    FUNC_SIGNATURE_DUPCTX = 17,
    FUNC_SIGNATURE_GET_CTX_PARAMS = 18,
    FUNC_SIGNATURE_GETTABLE_CTX_PARAMS = 19,
    FUNC_SIGNATURE_SET_CTX_PARAMS = 20,
    FUNC_SIGNATURE_SETTABLE_CTX_PARAMS = 21,

    FUNC_ASYM_CIPHER_NEWCTX = 1,
    FUNC_ASYM_CIPHER_ENCRYPT_INIT = 2,
    FUNC_ASYM_CIPHER_ENCRYPT = 3,
    FUNC_ASYM_CIPHER_DECRYPT_INIT = 4,
    FUNC_ASYM_CIPHER_DECRYPT = 5,
    FUNC_ASYM_CIPHER_FREECTX = 6,
    FUNC_ASYM_CIPHER_DUPCTX = 7,
    FUNC_ASYM_CIPHER_GET_CTX_PARAMS = 8,
    FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS = 9,
    FUNC_ASYM_CIPHER_SET_CTX_PARAMS = 10,
    FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS = 11,

    FUNC_KEM_NEWCTX = 1,
    FUNC_KEM_ENCAPSULATE_INIT = 2,
    FUNC_KEM_ENCAPSULATE = 3,
    FUNC_KEM_DECAPSULATE_INIT = 4,
    FUNC_KEM_DECAPSULATE = 5,
    FUNC_KEM_FREECTX = 6,
    FUNC_KEM_DUPCTX = 7,
    FUNC_KEM_SET_CTX_PARAMS = 10,
    FUNC_KEM_SETTABLE_CTX_PARAMS = 11,

    KEYMGMT_SELECT_PRIVATE_KEY = 0x01,
    KEYMGMT_SELECT_PUBLIC_KEY = 0x02,
    KEYMGMT_SELECT_KEYPAIR = 0x03,
}

/// `OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT`, which the headers have since OpenSSL 3.5.
pub const FUNC_CIPHER_PIPELINE_ENCRYPT_INIT: c_int = 15;
/// `OSSL_FUNC_CIPHER_PIPELINE_DECRYPT_INIT`, likewise.
pub const FUNC_CIPHER_PIPELINE_DECRYPT_INIT: c_int = 16;
/// `OSSL_FUNC_CIPHER_PIPELINE_UPDATE`, likewise.
pub const FUNC_CIPHER_PIPELINE_UPDATE: c_int = 17;
/// `OSSL_FUNC_CIPHER_PIPELINE_FINAL`, likewise.
pub const FUNC_CIPHER_PIPELINE_FINAL: c_int = 18;
/// `OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT`, which the headers have since OpenSSL 3.4.
pub const FUNC_SIGNATURE_SIGN_MESSAGE_INIT: c_int = 27;
/// `OSSL_FUNC_SIGNATURE_VERIFY_MESSAGE_INIT`, which the headers have since OpenSSL 3.4.
pub const FUNC_SIGNATURE_VERIFY_MESSAGE_INIT: c_int = 30;
