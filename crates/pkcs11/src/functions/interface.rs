//! The lists of all functions, of PKCS #11 2.40, 3.0 and 3.2.

use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::ptr;

use cryptoki_sys::*;

use super::cipher::*;
use super::digest::*;
use super::general::*;
use super::guard;
use super::keys::*;
use super::objects::*;
use super::other::*;
use super::sessions::*;
use super::sign::*;
use super::slots::*;
use crate::memory::{give_list, put};

/// Makes the three lists: the functions that all have, those that version 3.0 has added, and those
/// that version 3.2 has added.
macro_rules! lists {
    ({ $($all:ident)+ } { $($later:ident)+ } { $($latest:ident)+ }) => {
        static VERSION_2: CK_FUNCTION_LIST = CK_FUNCTION_LIST {
            version: CK_VERSION { major: 2, minor: 40 },
            $($all: Some($all),)+
        };
        static VERSION_3_0: CK_FUNCTION_LIST_3_0 = CK_FUNCTION_LIST_3_0 {
            version: CK_VERSION { major: 3, minor: 0 },
            $($all: Some($all),)+
            $($later: Some($later),)+
        };
        static VERSION_3_2: CK_FUNCTION_LIST_3_2 = CK_FUNCTION_LIST_3_2 {
            version: CK_VERSION { major: 3, minor: 2 },
            $($all: Some($all),)+
            $($later: Some($later),)+
            $($latest: Some($latest),)+
        };
    };
}

lists!(
    {
        C_Initialize C_Finalize C_GetInfo C_GetFunctionList C_GetSlotList C_GetSlotInfo
        C_GetTokenInfo C_GetMechanismList C_GetMechanismInfo C_InitToken C_InitPIN
        C_SetPIN C_OpenSession C_CloseSession C_CloseAllSessions C_GetSessionInfo
        C_GetOperationState C_SetOperationState C_Login C_Logout C_CreateObject
        C_CopyObject C_DestroyObject C_GetObjectSize C_GetAttributeValue
        C_SetAttributeValue C_FindObjectsInit C_FindObjects C_FindObjectsFinal
        C_EncryptInit C_Encrypt C_EncryptUpdate C_EncryptFinal C_DecryptInit C_Decrypt
        C_DecryptUpdate C_DecryptFinal C_DigestInit C_Digest C_DigestUpdate C_DigestKey
        C_DigestFinal C_SignInit C_Sign C_SignUpdate C_SignFinal C_SignRecoverInit
        C_SignRecover C_VerifyInit C_Verify C_VerifyUpdate C_VerifyFinal
        C_VerifyRecoverInit C_VerifyRecover C_DigestEncryptUpdate C_DecryptDigestUpdate
        C_SignEncryptUpdate C_DecryptVerifyUpdate C_GenerateKey C_GenerateKeyPair
        C_WrapKey C_UnwrapKey C_DeriveKey C_SeedRandom C_GenerateRandom
        C_GetFunctionStatus C_CancelFunction C_WaitForSlotEvent
    }
    {
        C_GetInterfaceList C_GetInterface C_LoginUser C_SessionCancel
        C_MessageEncryptInit C_EncryptMessage C_EncryptMessageBegin C_EncryptMessageNext
        C_MessageEncryptFinal C_MessageDecryptInit C_DecryptMessage
        C_DecryptMessageBegin C_DecryptMessageNext C_MessageDecryptFinal
        C_MessageSignInit C_SignMessage C_SignMessageBegin C_SignMessageNext
        C_MessageSignFinal C_MessageVerifyInit C_VerifyMessage C_VerifyMessageBegin
        C_VerifyMessageNext C_MessageVerifyFinal
    }
    {
        C_EncapsulateKey C_DecapsulateKey C_VerifySignatureInit C_VerifySignature
        C_VerifySignatureUpdate C_VerifySignatureFinal C_GetSessionValidationFlags
        C_AsyncComplete C_AsyncGetID C_AsyncJoin C_WrapKeyAuthenticated
        C_UnwrapKeyAuthenticated
    }
);

const NAME: &CStr = c"PKCS 11";

const fn interface<T>(list: &'static T) -> CK_INTERFACE {
    CK_INTERFACE {
        pInterfaceName: NAME.as_ptr().cast_mut().cast(),
        pFunctionList: ptr::from_ref(list).cast_mut().cast(),
        // The child of a process initializes the module anew.
        flags: CKF_INTERFACE_FORK_SAFE,
    }
}

/// The interfaces; the newest comes first.
const INTERFACES: [CK_INTERFACE; 3] =
    [interface(&VERSION_3_2), interface(&VERSION_3_0), interface(&VERSION_2)];

/// The version of whoever asks for none. Programs that are older than version 3.2 ask so, and
/// OpenSC's `pkcs11-spy` puts its functions into no list of a version that it does not know.
const DEFAULT: CK_VERSION = CK_VERSION { major: 3, minor: 0 };

/// The interfaces that callers get pointers to. Some write to them, as OpenSC's `pkcs11-spy` does,
/// which puts its own functions in place of the module's. The module itself never reads them.
struct Lent(UnsafeCell<[CK_INTERFACE; 3]>);

// SAFETY: the module makes pointers of it, and never reads or writes it.
unsafe impl Sync for Lent {}

static LENT: Lent = Lent(UnsafeCell::new(INTERFACES));

/// The functions of PKCS #11 2.40.
///
/// # Safety
/// The pointer is null or points to room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn C_GetFunctionList(list: *mut *mut CK_FUNCTION_LIST) -> CK_RV {
    // SAFETY: as the caller says. Callers take the list as one that is never written to.
    guard(|| unsafe { put(list, ptr::from_ref(&VERSION_2).cast_mut()) })
}

/// All interfaces: PKCS #11 3.2, 3.0 and 2.40.
///
/// # Safety
/// The pointers are null, or point to a length and to room for so many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn C_GetInterfaceList(
    list: *mut CK_INTERFACE,
    count: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: as the caller says.
    guard(|| unsafe { give_list(&INTERFACES, list, count) })
}

/// The interface of a name and a version; without a version, that of 3.0. The caller may write to
/// it, and later callers see that.
///
/// # Safety
/// The pointers are null, or point to a string, a version, and room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn C_GetInterface(
    name: *mut u8,
    version: *mut CK_VERSION,
    to: *mut *mut CK_INTERFACE,
    flags: CK_FLAGS,
) -> CK_RV {
    guard(|| {
        // SAFETY: as the caller says.
        let is_named = name.is_null() || unsafe { CStr::from_ptr(name.cast()) } == NAME;
        // SAFETY: as the caller says.
        let version = unsafe { version.as_ref() };
        let versions = [VERSION_3_2.version, VERSION_3_0.version, VERSION_2.version];
        let wanted = version.unwrap_or(&DEFAULT);
        let fits = |own: &CK_VERSION| (own.major, own.minor) == (wanted.major, wanted.minor);
        let place = versions.iter().position(fits);
        let place = place.filter(|_| is_named && flags & !CKF_INTERFACE_FORK_SAFE == 0);
        let all = LENT.0.get().cast::<CK_INTERFACE>();
        let found = all.wrapping_add(place.ok_or(CKR_FUNCTION_FAILED)?);
        // SAFETY: as the caller says.
        unsafe { put(to, found) }
    })
}
