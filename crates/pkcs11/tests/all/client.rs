//! A client of the module as programs are: it loads the shared library, and knows the header alone.

#![allow(dead_code, unused_imports, reason = "every test program uses a part of it")]

use std::marker::PhantomData;
use std::path::PathBuf;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use cryptoki_sys::*;
use tempfile::TempDir;
use zeroize::Zeroizing;

/// A code of the module.
pub type Code<T = ()> = Result<T, CK_RV>;

/// The module's functions. Any number of threads call them.
#[derive(Clone, Copy)]
pub struct Functions(pub *mut CK_FUNCTION_LIST);

// SAFETY: the list is never written to, and the module locks by itself.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

impl Functions {
    /// All interfaces.
    pub fn interfaces() -> [CK_INTERFACE; 3] {
        functions();
        let mut list = [CK_INTERFACE::default(); 3];
        let mut count = 3;
        // SAFETY: there is room for three interfaces.
        let code = unsafe { library().C_GetInterfaceList(list.as_mut_ptr(), &mut count) };
        assert_eq!((code, count), (CKR_OK, 3));
        list
    }

    /// The list of version 3.0.
    pub fn version_3_0() -> &'static CK_FUNCTION_LIST_3_0 {
        // SAFETY: the second interface is that of version 3.0, and is never unloaded.
        unsafe { &*Functions::interfaces()[1].pFunctionList.cast() }
    }

    /// The list of version 3.2.
    pub fn version_3_2() -> &'static CK_FUNCTION_LIST_3_2 {
        // SAFETY: the first interface is that of version 3.2, and is never unloaded.
        unsafe { &*Functions::interfaces()[0].pFunctionList.cast() }
    }
}

/// Calls a function, and makes an error of its code.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let list = $crate::client::functions().0;
        // SAFETY: the list is the module's. Pointers and lengths of arguments belong together, or
        // are wrong in a way that the module has to find.
        let code = unsafe { (*list).$name.expect("it is in the list")($($argument),*) };
        if code == cryptoki_sys::CKR_OK { Ok(()) } else { Err(code) }
    }};
}

pub(crate) use call;

/// Calls a function that version 3.2 has added, as `call` does others.
macro_rules! call_3_2 {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let list = $crate::client::Functions::version_3_2();
        // SAFETY: as in `call`.
        let code = unsafe { list.$name.expect("it is in the list")($($argument),*) };
        if code == cryptoki_sys::CKR_OK { Ok(()) } else { Err(code) }
    }};
}

pub(crate) use call_3_2;

/// How many tests can have a slot of their own.
const SLOTS: u64 = 64;

static LOADED: OnceLock<(Functions, TempDir)> = OnceLock::new();

/// The module, loaded and initialized once for all tests of a program.
pub fn functions() -> Functions {
    LOADED.get_or_init(load).0
}

/// The folder of a slot's token.
pub fn place(slot: CK_SLOT_ID) -> PathBuf {
    LOADED.get_or_init(load).1.path().join(format!("tokens/slot-{slot}"))
}

fn load() -> (Functions, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let conf = folder.path().join("conf");
    let text = format!(
        "directory = {}\nslots = {SLOTS}\nmeet-bytes = 256\n",
        folder.path().join("tokens").display()
    );
    std::fs::write(&conf, text).expect("a file");
    // SAFETY: every test calls this first, and waits for the one that does it.
    unsafe { std::env::set_var("BROADLOOM_PKCS11_CONF", &conf) };
    let library = library();
    let mut list = ptr::null_mut();
    // SAFETY: there is room for a pointer.
    assert_eq!(unsafe { library.C_GetFunctionList(&mut list) }, CKR_OK);
    // A library that is in use is never unloaded.
    std::mem::forget(library);
    let functions = Functions(list);
    // SAFETY: null is what programs without wishes give.
    let code = unsafe { (*list).C_Initialize.expect("it is there")(ptr::null_mut()) };
    assert_eq!(code, CKR_OK);
    (functions, folder)
}

/// The module, which is built beside the tests.
fn library() -> Pkcs11 {
    let mut path: PathBuf = std::env::current_exe().expect("a program has a path");
    path.pop();
    let name = "libbroadloom_pkcs11.so";
    let path = [path.join(name), path.join("..").join(name)]
        .into_iter()
        .find(|path| path.exists())
        .expect("the shared library is built with the tests");
    // SAFETY: the module's initialisers prepare itself alone.
    unsafe { Pkcs11::new(path) }.expect("it can be loaded")
}

pub const OFFICER: &str = "87654321";
pub const USER: &str = "123456";

/// A slot that no other test has, with a token and a user's PIN.
pub fn slot() -> CK_SLOT_ID {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let slot = NEXT.fetch_add(1, Ordering::Relaxed);
    assert!(slot < SLOTS, "there are more tests than slots");
    let mut label = *b"a test                          ";
    call!(C_InitToken(slot, bytes(OFFICER), OFFICER.len() as CK_ULONG, label.as_mut_ptr()))
        .expect("a new token");
    let session = open(slot, true);
    login(session, CKU_SO, OFFICER).expect("the officer's PIN");
    call!(C_InitPIN(session, bytes(USER), USER.len() as CK_ULONG)).expect("a new PIN");
    call!(C_CloseSession(session)).expect("an open session");
    slot
}

/// A pointer as the functions take it, to bytes that they only read.
pub fn bytes(of: impl AsRef<[u8]>) -> *mut u8 {
    of.as_ref().as_ptr().cast_mut()
}

pub fn open(slot: CK_SLOT_ID, writes: bool) -> CK_SESSION_HANDLE {
    let flags = CKF_SERIAL_SESSION | if writes { CKF_RW_SESSION } else { 0 };
    let mut session = 0;
    call!(C_OpenSession(slot, flags, ptr::null_mut(), None, &mut session)).expect("a session");
    session
}

pub fn login(session: CK_SESSION_HANDLE, user: CK_USER_TYPE, pin: &str) -> Code {
    call!(C_Login(session, user, bytes(pin), pin.len() as CK_ULONG))
}

/// A session on a slot of its own, with the user logged in.
pub fn user() -> CK_SESSION_HANDLE {
    let session = open(slot(), true);
    login(session, CKU_USER, USER).expect("the user's PIN");
    session
}

/// Attributes with values that they own, and wipe.
#[derive(Clone, Default)]
pub struct Template(Vec<(CK_ATTRIBUTE_TYPE, Zeroizing<Vec<u8>>)>);

impl Template {
    pub fn bytes(mut self, id: CK_ATTRIBUTE_TYPE, value: impl AsRef<[u8]>) -> Template {
        self.0.push((id, Zeroizing::new(value.as_ref().to_vec())));
        self
    }

    pub fn number(self, id: CK_ATTRIBUTE_TYPE, value: CK_ULONG) -> Template {
        self.bytes(id, value.to_ne_bytes())
    }

    pub fn yes(self, id: CK_ATTRIBUTE_TYPE) -> Template {
        self.bytes(id, [CK_TRUE])
    }

    pub fn no(self, id: CK_ATTRIBUTE_TYPE) -> Template {
        self.bytes(id, [CK_FALSE])
    }

    /// The attributes as functions take them. They point into the template.
    pub fn list(&self) -> List<'_> {
        let one = |(id, value): &(CK_ATTRIBUTE_TYPE, Zeroizing<Vec<u8>>)| CK_ATTRIBUTE {
            type_: *id,
            pValue: value.as_ptr().cast_mut().cast(),
            ulValueLen: value.len() as CK_ULONG,
        };
        List(self.0.iter().map(one).collect(), PhantomData)
    }
}

/// Attributes that point into a template.
pub struct List<'t>(Vec<CK_ATTRIBUTE>, PhantomData<&'t Template>);

impl List<'_> {
    pub fn as_mut_ptr(&mut self) -> *mut CK_ATTRIBUTE {
        self.0.as_mut_ptr()
    }

    pub fn len(&self) -> CK_ULONG {
        self.0.len() as CK_ULONG
    }
}

pub fn create(session: CK_SESSION_HANDLE, template: &Template) -> Code<CK_OBJECT_HANDLE> {
    let (mut list, mut object) = (template.list(), 0);
    let count = list.len();
    call!(C_CreateObject(session, list.as_mut_ptr(), count, &mut object))?;
    Ok(object)
}

/// A copy of an object, with changes.
pub fn copy(
    session: CK_SESSION_HANDLE,
    object: CK_OBJECT_HANDLE,
    changes: &Template,
) -> Code<CK_OBJECT_HANDLE> {
    let (mut list, mut copy) = (changes.list(), 0);
    let count = list.len();
    call!(C_CopyObject(session, object, list.as_mut_ptr(), count, &mut copy))?;
    Ok(copy)
}

/// The value of an attribute.
pub fn value(
    session: CK_SESSION_HANDLE,
    object: CK_OBJECT_HANDLE,
    id: CK_ATTRIBUTE_TYPE,
) -> Code<Vec<u8>> {
    let mut attribute = CK_ATTRIBUTE { type_: id, pValue: ptr::null_mut(), ulValueLen: 0 };
    call!(C_GetAttributeValue(session, object, &mut attribute, 1))?;
    let mut value = vec![0; attribute.ulValueLen as usize];
    attribute.pValue = value.as_mut_ptr().cast();
    call!(C_GetAttributeValue(session, object, &mut attribute, 1))?;
    Ok(value)
}

/// The objects that match a template.
pub fn find(session: CK_SESSION_HANDLE, template: &Template) -> Code<Vec<CK_OBJECT_HANDLE>> {
    let mut list = template.list();
    call!(C_FindObjectsInit(session, list.as_mut_ptr(), list.len()))?;
    let (mut all, mut count) = ([0; 100], 0);
    call!(C_FindObjects(session, all.as_mut_ptr(), 100, &mut count))?;
    call!(C_FindObjectsFinal(session))?;
    Ok(all[..count as usize].to_vec())
}

pub fn mechanism(id: CK_MECHANISM_TYPE) -> CK_MECHANISM {
    CK_MECHANISM { mechanism: id, pParameter: ptr::null_mut(), ulParameterLen: 0 }
}

/// A mechanism with a parameter, which has to outlive it.
pub fn with<T: ?Sized>(id: CK_MECHANISM_TYPE, parameter: &T) -> CK_MECHANISM {
    CK_MECHANISM {
        mechanism: id,
        pParameter: ptr::from_ref(parameter).cast_mut().cast(),
        ulParameterLen: size_of_val(parameter) as CK_ULONG,
    }
}

/// The parameter of signatures of SLH-DSA and ML-DSA. The context has to outlive it.
pub fn parameters(choice: CK_HEDGE_TYPE, context: &[u8]) -> CK_SIGN_ADDITIONAL_CONTEXT {
    CK_SIGN_ADDITIONAL_CONTEXT {
        hedgeVariant: choice,
        pContext: bytes(context),
        ulContextLen: context.len() as CK_ULONG,
    }
}

/// The digest of a message.
pub fn digest(session: CK_SESSION_HANDLE, id: CK_MECHANISM_TYPE, data: &[u8]) -> Code<Vec<u8>> {
    let mut how = mechanism(id);
    call!(C_DigestInit(session, &mut how))?;
    output(|to, len| call!(C_Digest(session, bytes(data), data.len() as CK_ULONG, to, len)))
}

/// An AES key of 16 bytes, which may do everything.
pub fn aes() -> Template {
    Template::default()
        .number(CKA_CLASS, CKO_SECRET_KEY)
        .number(CKA_KEY_TYPE, CKK_AES)
        .bytes(CKA_VALUE, [7; 16])
}

/// Calls a function that writes bytes: first for their length, then for the bytes.
pub fn output(mut function: impl FnMut(*mut u8, *mut CK_ULONG) -> Code) -> Code<Vec<u8>> {
    let mut len = 0;
    function(ptr::null_mut(), &mut len)?;
    let mut bytes = vec![0; len as usize + 1];
    len += 1;
    function(bytes.as_mut_ptr(), &mut len)?;
    bytes.truncate(len as usize);
    Ok(bytes)
}

pub fn encrypt(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
    data: &[u8],
) -> Code<Vec<u8>> {
    call!(C_EncryptInit(session, &mut how, key))?;
    output(|to, len| call!(C_Encrypt(session, bytes(data), data.len() as CK_ULONG, to, len)))
}

pub fn decrypt(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
    data: &[u8],
) -> Code<Vec<u8>> {
    call!(C_DecryptInit(session, &mut how, key))?;
    output(|to, len| call!(C_Decrypt(session, bytes(data), data.len() as CK_ULONG, to, len)))
}

pub fn sign(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
    data: &[u8],
) -> Code<Vec<u8>> {
    call!(C_SignInit(session, &mut how, key))?;
    output(|to, len| call!(C_Sign(session, bytes(data), data.len() as CK_ULONG, to, len)))
}

pub fn verify(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
    data: &[u8],
    signature: &[u8],
) -> Code {
    call!(C_VerifyInit(session, &mut how, key))?;
    let (len, signature_len) = (data.len() as CK_ULONG, signature.len() as CK_ULONG);
    call!(C_Verify(session, bytes(data), len, bytes(signature), signature_len))
}

/// A new pair of keys, public and private, of the session.
pub fn pair(
    session: CK_SESSION_HANDLE,
    id: CK_MECHANISM_TYPE,
    public: &Template,
    private: &Template,
) -> Code<(CK_OBJECT_HANDLE, CK_OBJECT_HANDLE)> {
    let (mut public, mut private) = (public.list(), private.list());
    let (mut one, mut other, mut how) = (0, 0, mechanism(id));
    let counts = (public.len(), private.len());
    call!(C_GenerateKeyPair(
        session,
        &mut how,
        public.as_mut_ptr(),
        counts.0,
        private.as_mut_ptr(),
        counts.1,
        &mut one,
        &mut other,
    ))?;
    Ok((one, other))
}

/// Makes a secret key for the owner of a public key: the ciphertext, and the key.
pub fn encapsulate(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    public: CK_OBJECT_HANDLE,
    template: &Template,
) -> Code<(Vec<u8>, CK_OBJECT_HANDLE)> {
    let (mut list, mut key) = (template.list(), 0);
    let (attributes, count) = (list.as_mut_ptr(), list.len());
    let how = &raw mut how;
    let ciphertext = output(|to, len| {
        call_3_2!(C_EncapsulateKey(session, how, public, attributes, count, to, len, &mut key))
    })?;
    Ok((ciphertext, key))
}

/// The secret key that a ciphertext holds.
pub fn decapsulate(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    private: CK_OBJECT_HANDLE,
    template: &Template,
    ciphertext: &[u8],
) -> Code<CK_OBJECT_HANDLE> {
    let (mut list, mut key) = (template.list(), 0);
    let (count, len) = (list.len(), ciphertext.len() as CK_ULONG);
    let (attributes, from) = (list.as_mut_ptr(), bytes(ciphertext));
    call_3_2!(C_DecapsulateKey(
        session, &mut how, private, attributes, count, from, len, &mut key
    ))?;
    Ok(key)
}
