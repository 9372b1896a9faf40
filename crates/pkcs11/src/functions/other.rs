//! Functions that the module does not have. Each says so, to whoever has a session.

use std::ffi::c_void;

use cryptoki_sys::*;

use super::guard;
use crate::module::desk;

/// Functions that take a session and these arguments, and answer with a code.
macro_rules! refuse {
    ($code:ident, (CK_SESSION_HANDLE $(, $argument:ty)*), $($name:ident),+ $(,)?) => {
        refuse!(@each $code, ($(_: $argument),*), $($name)+);
    };
    (@each $code:ident, $arguments:tt, $($name:ident)+) => {
        $( refuse!(@one $code, $arguments, $name); )+
    };
    (@one $code:ident, ($($_:tt: $argument:ty),*), $name:ident) => {
        pub unsafe extern "C" fn $name(
            session: CK_SESSION_HANDLE,
            $(_: $argument),*
        ) -> CK_RV {
            guard(|| desk(session).and(Err($code)))
        }
    };
}

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut u8, *mut CK_ULONG),
    C_GetOperationState
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut u8, CK_ULONG, CK_OBJECT_HANDLE, CK_OBJECT_HANDLE),
    C_SetOperationState
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut CK_MECHANISM, CK_OBJECT_HANDLE),
    C_SignRecoverInit,
    C_VerifyRecoverInit,
    C_MessageEncryptInit,
    C_MessageDecryptInit,
    C_MessageSignInit,
    C_MessageVerifyInit
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut u8, CK_ULONG, *mut u8, *mut CK_ULONG),
    C_SignRecover,
    C_VerifyRecover,
    C_DigestEncryptUpdate,
    C_DecryptDigestUpdate,
    C_SignEncryptUpdate,
    C_DecryptVerifyUpdate
);

refuse!(CKR_FUNCTION_NOT_PARALLEL, (CK_SESSION_HANDLE), C_GetFunctionStatus, C_CancelFunction);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE),
    C_MessageEncryptFinal,
    C_MessageDecryptFinal,
    C_MessageSignFinal,
    C_MessageVerifyFinal
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, CK_USER_TYPE, *mut u8, CK_ULONG, *mut u8, CK_ULONG),
    C_LoginUser
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (
        CK_SESSION_HANDLE,
        *mut c_void,
        CK_ULONG,
        *mut u8,
        CK_ULONG,
        *mut u8,
        CK_ULONG,
        *mut u8,
        *mut CK_ULONG
    ),
    C_EncryptMessage,
    C_DecryptMessage
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut c_void, CK_ULONG, *mut u8, CK_ULONG),
    C_EncryptMessageBegin,
    C_DecryptMessageBegin
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut c_void, CK_ULONG, *mut u8, CK_ULONG, *mut u8, *mut CK_ULONG, CK_FLAGS),
    C_EncryptMessageNext,
    C_DecryptMessageNext
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut c_void, CK_ULONG, *mut u8, CK_ULONG, *mut u8, *mut CK_ULONG),
    C_SignMessage,
    C_SignMessageNext
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut c_void, CK_ULONG),
    C_SignMessageBegin,
    C_VerifyMessageBegin
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut c_void, CK_ULONG, *mut u8, CK_ULONG, *mut u8, CK_ULONG),
    C_VerifyMessage,
    C_VerifyMessageNext
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut CK_UTF8CHAR, *mut CK_ASYNC_DATA),
    C_AsyncComplete
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut CK_UTF8CHAR, *mut CK_ULONG),
    C_AsyncGetID
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (CK_SESSION_HANDLE, *mut CK_UTF8CHAR, CK_ULONG, *mut u8, CK_ULONG),
    C_AsyncJoin
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (
        CK_SESSION_HANDLE,
        *mut CK_MECHANISM,
        CK_OBJECT_HANDLE,
        CK_OBJECT_HANDLE,
        *mut u8,
        CK_ULONG,
        *mut u8,
        *mut CK_ULONG
    ),
    C_WrapKeyAuthenticated
);

refuse!(
    CKR_FUNCTION_NOT_SUPPORTED,
    (
        CK_SESSION_HANDLE,
        *mut CK_MECHANISM,
        CK_OBJECT_HANDLE,
        *mut u8,
        CK_ULONG,
        *mut CK_ATTRIBUTE,
        CK_ULONG,
        *mut u8,
        CK_ULONG,
        *mut CK_OBJECT_HANDLE
    ),
    C_UnwrapKeyAuthenticated
);
