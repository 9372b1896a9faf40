//! Functions of libcrypto's default provider, called directly: at once, nothing is faster.
//!
//! A context of a digest that is made outside of a job is libcrypto's own. One that is made inside
//! is ours, and its pointer has the lowest bit set.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::LazyLock;
use std::{mem, ptr};

use crate::interface::{Algorithm, Callback, Dispatch, Param};
use crate::libcrypto::{apart, default_provider, functions};

/// Makes a context that is ours.
pub fn ours<T>(context: T) -> *mut c_void {
    const { assert!(mem::align_of::<T>() > 1, "the lowest bit of a pointer is free") };
    Box::into_raw(Box::new(context)).cast::<c_void>().wrapping_byte_add(1)
}

/// A context, by its owner.
pub enum Owned<T> {
    /// Ours.
    Ours(*mut T),
    /// The default provider's.
    Theirs(*mut c_void),
}

/// Whose a context is.
pub fn owner<T>(context: *mut c_void) -> Owned<T> {
    match context.addr() & 1 {
        1 => Owned::Ours(context.wrapping_byte_sub(1).cast()),
        _ => Owned::Theirs(context),
    }
}

/// Makes functions of the default provider a structure. Those behind `or` may be missing.
macro_rules! table {
    ($(#[doc = $doc:literal])+ $name:ident {
        $($field:ident = $id:ident: fn($($argument:ty),*) $(-> $result:ty)?;)+
    } $(or {
        $($may:ident = $may_id:ident: fn($($may_arg:ty),*) $(-> $may_result:ty)?;)+
    })?) => {
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub struct $name {
            $( pub $field: unsafe extern "C" fn($($argument),*) $(-> $result)?, )+
            $($( pub $may: Option<unsafe extern "C" fn($($may_arg),*) $(-> $may_result)?>, )+)?
        }

        impl $name {
            /// The functions of an algorithm; `None` where the default provider lacks it.
            pub fn find(operation: c_int, name: &CStr) -> Option<$name> {
                let table = entry_of(operation, name)?.functions;
                Some($name {
                    $(
                        // SAFETY: the type is that of the header for this number.
                        $field: unsafe {
                            mem::transmute::<
                                *const c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(function_of(table, crate::interface::$id)?)
                        },
                    )+
                    $($(
                        // SAFETY: as above.
                        $may: function_of(table, crate::interface::$may_id).map(|found| unsafe {
                            mem::transmute::<
                                *const c_void,
                                unsafe extern "C" fn($($may_arg),*) $(-> $may_result)?,
                            >(found)
                        }),
                    )+)?
                })
            }
        }
    };
}

table! {
    /// A digest's functions.
    DigestFunctions {
        newctx = FUNC_DIGEST_NEWCTX: fn(*mut c_void) -> *mut c_void;
        freectx = FUNC_DIGEST_FREECTX: fn(*mut c_void);
        dupctx = FUNC_DIGEST_DUPCTX: fn(*mut c_void) -> *mut c_void;
        init = FUNC_DIGEST_INIT: fn(*mut c_void, *const Param) -> c_int;
        update = FUNC_DIGEST_UPDATE: fn(*mut c_void, *const u8, usize) -> c_int;
        last = FUNC_DIGEST_FINAL: fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
    }
}

table! {
    /// A MAC's functions.
    MacFunctions {
        newctx = FUNC_MAC_NEWCTX: fn(*mut c_void) -> *mut c_void;
        freectx = FUNC_MAC_FREECTX: fn(*mut c_void);
        dupctx = FUNC_MAC_DUPCTX: fn(*mut c_void) -> *mut c_void;
        init = FUNC_MAC_INIT: fn(*mut c_void, *const u8, usize, *const Param) -> c_int;
        update = FUNC_MAC_UPDATE: fn(*mut c_void, *const u8, usize) -> c_int;
        last = FUNC_MAC_FINAL: fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
        get = FUNC_MAC_GET_CTX_PARAMS: fn(*mut c_void, *mut Param) -> c_int;
        set = FUNC_MAC_SET_CTX_PARAMS: fn(*mut c_void, *const Param) -> c_int;
    }
}

table! {
    /// A cipher's functions.
    CipherFunctions {
        newctx = FUNC_CIPHER_NEWCTX: fn(*mut c_void) -> *mut c_void;
        freectx = FUNC_CIPHER_FREECTX: fn(*mut c_void);
        dupctx = FUNC_CIPHER_DUPCTX: fn(*mut c_void) -> *mut c_void;
        encrypt_init = FUNC_CIPHER_ENCRYPT_INIT:
            fn(*mut c_void, *const u8, usize, *const u8, usize, *const Param) -> c_int;
        decrypt_init = FUNC_CIPHER_DECRYPT_INIT:
            fn(*mut c_void, *const u8, usize, *const u8, usize, *const Param) -> c_int;
        update = FUNC_CIPHER_UPDATE:
            fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
        last = FUNC_CIPHER_FINAL: fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
        cipher = FUNC_CIPHER_CIPHER:
            fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
        get_params = FUNC_CIPHER_GET_PARAMS: fn(*mut Param) -> c_int;
        get = FUNC_CIPHER_GET_CTX_PARAMS: fn(*mut c_void, *mut Param) -> c_int;
        set = FUNC_CIPHER_SET_CTX_PARAMS: fn(*mut c_void, *const Param) -> c_int;
        gettable_params = FUNC_CIPHER_GETTABLE_PARAMS: fn(*mut c_void) -> *const Param;
        gettable = FUNC_CIPHER_GETTABLE_CTX_PARAMS:
            fn(*mut c_void, *mut c_void) -> *const Param;
        settable = FUNC_CIPHER_SETTABLE_CTX_PARAMS:
            fn(*mut c_void, *mut c_void) -> *const Param;
    }
}

table! {
    /// The functions that manage keys of a type.
    KeyFunctions {
        new = FUNC_KEYMGMT_NEW: fn(*mut c_void) -> *mut c_void;
        free = FUNC_KEYMGMT_FREE: fn(*mut c_void);
        dup = FUNC_KEYMGMT_DUP: fn(*const c_void, c_int) -> *mut c_void;
        has = FUNC_KEYMGMT_HAS: fn(*const c_void, c_int) -> c_int;
        validate = FUNC_KEYMGMT_VALIDATE: fn(*const c_void, c_int, c_int) -> c_int;
        matches = FUNC_KEYMGMT_MATCH: fn(*const c_void, *const c_void, c_int) -> c_int;
        import = FUNC_KEYMGMT_IMPORT: fn(*mut c_void, c_int, *const Param) -> c_int;
        import_types = FUNC_KEYMGMT_IMPORT_TYPES: fn(c_int) -> *const Param;
        export = FUNC_KEYMGMT_EXPORT: fn(*mut c_void, c_int, Callback, *mut c_void) -> c_int;
        export_types = FUNC_KEYMGMT_EXPORT_TYPES: fn(c_int) -> *const Param;
        get_params = FUNC_KEYMGMT_GET_PARAMS: fn(*mut c_void, *mut Param) -> c_int;
        gettable_params = FUNC_KEYMGMT_GETTABLE_PARAMS: fn(*mut c_void) -> *const Param;
        gen_init = FUNC_KEYMGMT_GEN_INIT: fn(*mut c_void, c_int, *const Param) -> *mut c_void;
        generate = FUNC_KEYMGMT_GEN:
            fn(*mut c_void, Option<Callback>, *mut c_void) -> *mut c_void;
        gen_cleanup = FUNC_KEYMGMT_GEN_CLEANUP: fn(*mut c_void);
    } or {
        set_params = FUNC_KEYMGMT_SET_PARAMS: fn(*mut c_void, *const Param) -> c_int;
        settable_params = FUNC_KEYMGMT_SETTABLE_PARAMS: fn(*mut c_void) -> *const Param;
        gen_set_template = FUNC_KEYMGMT_GEN_SET_TEMPLATE:
            fn(*mut c_void, *mut c_void) -> c_int;
        gen_set_params = FUNC_KEYMGMT_GEN_SET_PARAMS: fn(*mut c_void, *const Param) -> c_int;
        gen_settable_params = FUNC_KEYMGMT_GEN_SETTABLE_PARAMS:
            fn(*mut c_void, *mut c_void) -> *const Param;
    }
}

/// A function that begins an operation of a context with a key; with null, with the one before.
pub type Begin = unsafe extern "C" fn(*mut c_void, *mut c_void, *const Param) -> c_int;

table! {
    /// The functions of signatures.
    SignatureFunctions {
        newctx = FUNC_SIGNATURE_NEWCTX: fn(*mut c_void, *const c_char) -> *mut c_void;
        freectx = FUNC_SIGNATURE_FREECTX: fn(*mut c_void);
        dupctx = FUNC_SIGNATURE_DUPCTX: fn(*mut c_void) -> *mut c_void;
        digest_sign_init = FUNC_SIGNATURE_DIGEST_SIGN_INIT:
            fn(*mut c_void, *const c_char, *mut c_void, *const Param) -> c_int;
        digest_verify_init = FUNC_SIGNATURE_DIGEST_VERIFY_INIT:
            fn(*mut c_void, *const c_char, *mut c_void, *const Param) -> c_int;
    } or {
        sign_init = FUNC_SIGNATURE_SIGN_INIT:
            fn(*mut c_void, *mut c_void, *const Param) -> c_int;
        sign = FUNC_SIGNATURE_SIGN:
            fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
        verify_init = FUNC_SIGNATURE_VERIFY_INIT:
            fn(*mut c_void, *mut c_void, *const Param) -> c_int;
        verify = FUNC_SIGNATURE_VERIFY:
            fn(*mut c_void, *const u8, usize, *const u8, usize) -> c_int;
        recover_init = FUNC_SIGNATURE_VERIFY_RECOVER_INIT:
            fn(*mut c_void, *mut c_void, *const Param) -> c_int;
        recover = FUNC_SIGNATURE_VERIFY_RECOVER:
            fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
        digest_sign_update = FUNC_SIGNATURE_DIGEST_SIGN_UPDATE:
            fn(*mut c_void, *const u8, usize) -> c_int;
        digest_sign_final = FUNC_SIGNATURE_DIGEST_SIGN_FINAL:
            fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
        digest_sign = FUNC_SIGNATURE_DIGEST_SIGN:
            fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
        digest_verify_update = FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE:
            fn(*mut c_void, *const u8, usize) -> c_int;
        digest_verify_final = FUNC_SIGNATURE_DIGEST_VERIFY_FINAL:
            fn(*mut c_void, *const u8, usize) -> c_int;
        digest_verify = FUNC_SIGNATURE_DIGEST_VERIFY:
            fn(*mut c_void, *const u8, usize, *const u8, usize) -> c_int;
        get = FUNC_SIGNATURE_GET_CTX_PARAMS: fn(*mut c_void, *mut Param) -> c_int;
        set = FUNC_SIGNATURE_SET_CTX_PARAMS: fn(*mut c_void, *const Param) -> c_int;
        gettable = FUNC_SIGNATURE_GETTABLE_CTX_PARAMS:
            fn(*mut c_void, *mut c_void) -> *const Param;
        settable = FUNC_SIGNATURE_SETTABLE_CTX_PARAMS:
            fn(*mut c_void, *mut c_void) -> *const Param;
    }
}

table! {
    /// The functions of key agreement.
    ExchangeFunctions {
        newctx = FUNC_KEYEXCH_NEWCTX: fn(*mut c_void) -> *mut c_void;
        freectx = FUNC_KEYEXCH_FREECTX: fn(*mut c_void);
        dupctx = FUNC_KEYEXCH_DUPCTX: fn(*mut c_void) -> *mut c_void;
        init = FUNC_KEYEXCH_INIT: fn(*mut c_void, *mut c_void, *const Param) -> c_int;
        set_peer = FUNC_KEYEXCH_SET_PEER: fn(*mut c_void, *mut c_void) -> c_int;
        derive = FUNC_KEYEXCH_DERIVE: fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
    } or {
        get = FUNC_KEYEXCH_GET_CTX_PARAMS: fn(*mut c_void, *mut Param) -> c_int;
        set = FUNC_KEYEXCH_SET_CTX_PARAMS: fn(*mut c_void, *const Param) -> c_int;
        gettable = FUNC_KEYEXCH_GETTABLE_CTX_PARAMS:
            fn(*mut c_void, *mut c_void) -> *const Param;
        settable = FUNC_KEYEXCH_SETTABLE_CTX_PARAMS:
            fn(*mut c_void, *mut c_void) -> *const Param;
    }
}

table! {
    /// The functions of encryption with public keys.
    AsymCipherFunctions {
        newctx = FUNC_ASYM_CIPHER_NEWCTX: fn(*mut c_void) -> *mut c_void;
        freectx = FUNC_ASYM_CIPHER_FREECTX: fn(*mut c_void);
        dupctx = FUNC_ASYM_CIPHER_DUPCTX: fn(*mut c_void) -> *mut c_void;
        encrypt_init = FUNC_ASYM_CIPHER_ENCRYPT_INIT:
            fn(*mut c_void, *mut c_void, *const Param) -> c_int;
        encrypt = FUNC_ASYM_CIPHER_ENCRYPT:
            fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
        decrypt_init = FUNC_ASYM_CIPHER_DECRYPT_INIT:
            fn(*mut c_void, *mut c_void, *const Param) -> c_int;
        decrypt = FUNC_ASYM_CIPHER_DECRYPT:
            fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
    } or {
        get = FUNC_ASYM_CIPHER_GET_CTX_PARAMS: fn(*mut c_void, *mut Param) -> c_int;
        set = FUNC_ASYM_CIPHER_SET_CTX_PARAMS: fn(*mut c_void, *const Param) -> c_int;
        gettable = FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS:
            fn(*mut c_void, *mut c_void) -> *const Param;
        settable = FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS:
            fn(*mut c_void, *mut c_void) -> *const Param;
    }
}

/// A function that lists the parameters of a context.
pub type List = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *const Param;

/// What contexts of all operations with keys have.
pub struct ContextFunctions {
    pub free: unsafe extern "C" fn(*mut c_void),
    pub dup: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    pub get: Option<unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int>,
    pub set: Option<unsafe extern "C" fn(*mut c_void, *const Param) -> c_int>,
    pub gettable: Option<List>,
    pub settable: Option<List>,
}

/// The functions of an operation with keys, with those of its contexts.
pub struct Found<F> {
    pub functions: F,
    pub contexts: ContextFunctions,
}

macro_rules! contexts {
    ($($name:ident: $operation:ident)+) => {
        $(
            impl Found<$name> {
                /// Finds an algorithm; `None` where the default provider lacks it.
                pub fn find(name: &CStr) -> Option<Found<$name>> {
                    let functions = $name::find(crate::interface::$operation, name)?;
                    let (free, dup) = (functions.freectx, functions.dupctx);
                    let $name { get, set, gettable, settable, .. } = functions;
                    let contexts = ContextFunctions { free, dup, get, set, gettable, settable };
                    Some(Found { functions, contexts })
                }
            }
        )+
    };
}

contexts! {
    SignatureFunctions: OP_SIGNATURE
    ExchangeFunctions: OP_KEYEXCH
    AsymCipherFunctions: OP_ASYM_CIPHER
}

/// The default provider's context, for its functions.
pub fn provider_context() -> *mut c_void {
    static CONTEXT: LazyLock<usize> = LazyLock::new(|| {
        // SAFETY: the provider is loaded, where functions of it were found.
        let context = unsafe { (functions().OSSL_PROVIDER_get0_provider_ctx)(default_provider()) };
        context.expose_provenance()
    });
    ptr::with_exposed_provenance_mut(*CONTEXT)
}

/// The default provider's entry for an algorithm; `None` where it lacks it.
pub fn entry_of(operation: c_int, name: &CStr) -> Option<&'static Algorithm> {
    if apart().is_null() || default_provider().is_null() {
        return None;
    }
    let mut no_cache = 0;
    // SAFETY: the provider is loaded; its lists end as the header says, and stay with it.
    unsafe {
        let query = functions().OSSL_PROVIDER_query_operation;
        let mut at: *const Algorithm = query(default_provider(), operation, &mut no_cache);
        while !at.is_null() && !(*at).names.is_null() {
            let names = CStr::from_ptr((*at).names).to_bytes();
            if names.split(|&byte| byte == b':').any(|known| known == name.to_bytes()) {
                return at.as_ref();
            }
            at = at.add(1);
        }
    }
    None
}

fn function_of(mut table: *const Dispatch, id: c_int) -> Option<*const c_void> {
    // SAFETY: the table ends with the number 0.
    let function = unsafe {
        while (*table).id != 0 && (*table).id != id {
            table = table.add(1);
        }
        if (*table).id == id { (*table).function } else { ptr::null() }
    };
    (!function.is_null()).then_some(function)
}
