//! The files of a PKCS #11 token: what the token is, and its objects.

use std::fs;
use std::path::PathBuf;
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use broadloom_pkcs11::C_GetFunctionList;
use cryptoki_sys::*;
use tempfile::TempDir;

/// What every file begins with.
const HEAD: &[u8] = b"bl-p11\0\x01";

/// The number of the record with the attributes of a public object.
const PLAIN: u64 = 1;

/// Attributes that matter to keys, and how many bytes each of a template has for its type.
const ATTRIBUTES: [CK_ATTRIBUTE_TYPE; 16] = [
    CKA_CLASS,
    CKA_KEY_TYPE,
    CKA_VALUE,
    CKA_EC_PARAMS,
    CKA_EC_POINT,
    CKA_MODULUS,
    CKA_PUBLIC_EXPONENT,
    CKA_PRIVATE_EXPONENT,
    CKA_PRIME_1,
    CKA_PRIME_2,
    CKA_EXPONENT_1,
    CKA_EXPONENT_2,
    CKA_COEFFICIENT,
    CKA_LABEL,
    CKA_SENSITIVE,
    CKA_EXTRACTABLE,
];

/// The module with a token, and a session.
struct Module {
    functions: Functions,
    folder: TempDir,
    /// The token's file as the module wrote it.
    token: Vec<u8>,
    session: CK_SESSION_HANDLE,
}

struct Functions(*mut CK_FUNCTION_LIST);

// SAFETY: the list is never written to, and the module locks by itself.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

/// Calls a function, and gives its code. The module makes a general error of a panic alone.
macro_rules! call {
    ($module:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let list = $module.0;
        // SAFETY: the list is the module's, and pointers and lengths of arguments belong together.
        let code = unsafe { (*list).$name.expect("it is in the list")($($argument),*) };
        assert_ne!(code, CKR_GENERAL_ERROR, stringify!($name));
        code
    }};
}

static MODULE: LazyLock<Module> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    // SAFETY: no other thread of the program is there yet.
    unsafe { std::env::set_var("BROADLOOM_PKCS11_DIR", folder.path()) };
    let mut list = ptr::null_mut();
    // SAFETY: there is room for a pointer.
    assert_eq!(unsafe { C_GetFunctionList(&mut list) }, CKR_OK);
    let functions = Functions(list);
    assert_eq!(call!(functions, C_Initialize(ptr::null_mut())), CKR_OK);
    let (mut pin, mut label) = (*b"87654321", [b' '; 32]);
    let len = pin.len() as CK_ULONG;
    let code = call!(functions, C_InitToken(0, pin.as_mut_ptr(), len, label.as_mut_ptr()));
    assert_eq!(code, CKR_OK);
    let (flags, mut session) = (CKF_SERIAL_SESSION | CKF_RW_SESSION, 0);
    let code = call!(functions, C_OpenSession(0, flags, ptr::null_mut(), None, &mut session));
    assert_eq!(code, CKR_OK);
    let token = fs::read(folder.path().join("slot-0/token")).expect("it was written");
    Module { functions, folder, token, session }
});

/// Takes the first byte for a kind of file, and the others for its content.
pub fn check(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    match kind % 4 {
        0 => MODULE.token(bytes),
        1 => MODULE.object(bytes, None),
        2 => MODULE.object(&file(PLAIN, bytes), None),
        _ => {
            let attributes = attributes(bytes);
            let records: Vec<u8> =
                attributes.iter().flat_map(|(id, value)| record(*id, value)).collect();
            let plain = [HEAD, &records].concat();
            MODULE.object(&file(PLAIN, &plain), Some(&attributes));
        }
    }
}

fn record(number: u64, bytes: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes()[..], &(bytes.len() as u64).to_le_bytes(), bytes].concat()
}

/// A file with one record.
fn file(number: u64, bytes: &[u8]) -> Vec<u8> {
    [HEAD, &record(number, bytes)].concat()
}

/// Attributes: a byte for the type, one for the length, and the value. What begins with 255 is
/// widened to a number.
fn attributes(mut bytes: &[u8]) -> Vec<(CK_ATTRIBUTE_TYPE, Vec<u8>)> {
    let mut attributes = Vec::new();
    while let Some(([id, len], rest)) = bytes.split_first_chunk() {
        let id = ATTRIBUTES[usize::from(*id) % ATTRIBUTES.len()];
        let (value, rest) = rest.split_at(usize::from(*len).min(rest.len()));
        let value = match value {
            [0xff, number] => CK_ULONG::from(*number).to_ne_bytes().to_vec(),
            value => value.to_vec(),
        };
        attributes.push((id, value));
        bytes = rest;
    }
    attributes
}

impl Module {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("slot-0").join(name)
    }

    /// Has the module read a token's file.
    fn token(&self, bytes: &[u8]) {
        fs::write(self.path("token"), bytes).expect("there is room");
        let (mut slot, mut token) = (CK_SLOT_INFO::default(), CK_TOKEN_INFO::default());
        call!(self.functions, C_GetSlotInfo(0, &mut slot));
        call!(self.functions, C_GetTokenInfo(0, &mut token));
        fs::write(self.path("token"), &self.token).expect("there is room");
    }

    /// Has the module read an object's file, and work with the object. Where its attributes are
    /// known, they must be those that the module shows.
    fn object(&self, bytes: &[u8], known: Option<&[(CK_ATTRIBUTE_TYPE, Vec<u8>)]>) {
        // A file of another name is another object, whatever its time.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("objects/{:032x}", NEXT.fetch_add(1, Ordering::Relaxed));
        fs::write(self.path(&name), bytes).expect("there is room");
        for object in self.find() {
            self.show(object, known);
            self.work(object);
        }
        fs::remove_file(self.path(&name)).expect("it is there");
    }

    /// All objects.
    fn find(&self) -> Vec<CK_OBJECT_HANDLE> {
        let (mut found, mut count) = ([0; 4], 0);
        call!(self.functions, C_FindObjectsInit(self.session, ptr::null_mut(), 0));
        call!(self.functions, C_FindObjects(self.session, found.as_mut_ptr(), 4, &mut count));
        call!(self.functions, C_FindObjectsFinal(self.session));
        found[..count as usize].to_vec()
    }

    fn show(&self, object: CK_OBJECT_HANDLE, known: Option<&[(CK_ATTRIBUTE_TYPE, Vec<u8>)]>) {
        for id in ATTRIBUTES {
            let mut value = vec![0; 1 << 12];
            let mut attribute = CK_ATTRIBUTE {
                type_: id,
                pValue: value.as_mut_ptr().cast(),
                ulValueLen: value.len() as CK_ULONG,
            };
            let code =
                call!(self.functions, C_GetAttributeValue(self.session, object, &mut attribute, 1));
            if code == CKR_OK
                && let Some(known) = known
                && let Some((_, known)) = known.iter().find(|(known, _)| *known == id)
            {
                assert_eq!(&value[..attribute.ulValueLen as usize], known, "{id:x}");
            }
        }
    }

    /// Begins operations of all kinds, and ends them.
    fn work(&self, object: CK_OBJECT_HANDLE) {
        let (functions, session) = (&self.functions, self.session);
        let (mut data, mut room, mut len) = ([7_u8; 32], vec![0; 1 << 12], 0);
        for mechanism in [CKM_RSA_PKCS, CKM_ECDSA, CKM_EDDSA, CKM_SHA256_HMAC] {
            let mut how =
                CK_MECHANISM { mechanism, pParameter: ptr::null_mut(), ulParameterLen: 0 };
            if call!(functions, C_SignInit(session, &mut how, object)) == CKR_OK {
                len = room.len() as CK_ULONG;
                call!(
                    functions,
                    C_Sign(session, data.as_mut_ptr(), 32, room.as_mut_ptr(), &mut len)
                );
            }
            if call!(functions, C_VerifyInit(session, &mut how, object)) == CKR_OK {
                len = len.clamp(1, 64);
                call!(functions, C_Verify(session, data.as_mut_ptr(), 32, room.as_mut_ptr(), len));
            }
        }
        let mut how =
            CK_MECHANISM { mechanism: CKM_AES_ECB, pParameter: ptr::null_mut(), ulParameterLen: 0 };
        if call!(functions, C_EncryptInit(session, &mut how, object)) == CKR_OK {
            len = room.len() as CK_ULONG;
            call!(
                functions,
                C_Encrypt(session, data.as_mut_ptr(), 32, room.as_mut_ptr(), &mut len)
            );
        }
        let mut size = 0;
        call!(functions, C_GetObjectSize(session, object, &mut size));
        // A copy that is in no file.
        let mut no = CK_FALSE;
        let mut change =
            CK_ATTRIBUTE { type_: CKA_TOKEN, pValue: ptr::from_mut(&mut no).cast(), ulValueLen: 1 };
        let mut copy = 0;
        if call!(functions, C_CopyObject(session, object, &mut change, 1, &mut copy)) == CKR_OK {
            call!(functions, C_DestroyObject(session, copy));
        }
    }
}
