//! Functions of libcrypto's default provider, called directly: at once, nothing is faster.
//!
//! A context that is made outside of a job is the default provider's own. One that is made inside
//! is ours, and its pointer has the lowest bit set.

use std::ffi::{CStr, c_int, c_void};
use std::{mem, ptr};

use crate::interface::{Algorithm, Dispatch, Param};
use crate::job;
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

/// Makes functions of the default provider a structure.
macro_rules! table {
    ($(#[doc = $doc:literal])+ $name:ident {
        $($field:ident = $id:ident: fn($($argument:ty),*) $(-> $result:ty)?;)+
    }) => {
        $(#[doc = $doc])+
        pub struct $name {
            $( pub $field: unsafe extern "C" fn($($argument),*) $(-> $result)?, )+
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

/// The default provider's context, for its functions.
pub fn provider_context() -> *mut c_void {
    // SAFETY: the provider is loaded, where functions of it were found.
    unsafe { (functions().OSSL_PROVIDER_get0_provider_ctx)(default_provider()) }
}

/// Returns `true` if contexts that are made now are to be the default provider's.
pub fn are_wanted() -> bool {
    !job::is_inside()
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
