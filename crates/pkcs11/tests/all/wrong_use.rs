//! Calls that are wrong, and the codes that PKCS #11 has for them.

use std::ptr;

use cryptoki_sys::*;

use crate::client::*;

const DATA: [u8; 32] = [9; 32];

#[test]
fn handles_that_nobody_gave_are_refused() {
    let session = user();
    let key = create(session, &aes()).expect("a key");
    assert_eq!(call!(C_CloseSession(999_999)), Err(CKR_SESSION_HANDLE_INVALID));
    let mut info = CK_SLOT_INFO::default();
    assert_eq!(call!(C_GetSlotInfo(999, &mut info)), Err(CKR_SLOT_ID_INVALID));
    assert_eq!(call!(C_DestroyObject(session, 999_999)), Err(CKR_OBJECT_HANDLE_INVALID));
    assert_eq!(sign(session, mechanism(CKM_AES_CMAC), 999_999, &DATA), Err(CKR_KEY_HANDLE_INVALID));
    call!(C_DestroyObject(session, key)).expect("it is there");
    assert_eq!(call!(C_DestroyObject(session, key)), Err(CKR_OBJECT_HANDLE_INVALID));
    call!(C_CloseSession(session)).expect("it is open");
    assert_eq!(call!(C_CloseSession(session)), Err(CKR_SESSION_HANDLE_INVALID));
}

#[test]
fn operations_need_a_beginning_and_have_one_at_a_time() {
    let session = user();
    let key = create(session, &aes()).expect("a key");
    let (mut room, mut len) = ([0; 64], 64);
    let data = bytes(DATA);
    let uninitialized = Err(CKR_OPERATION_NOT_INITIALIZED);
    assert_eq!(call!(C_Digest(session, data, 32, room.as_mut_ptr(), &mut len)), uninitialized);
    assert_eq!(call!(C_SignUpdate(session, data, 32)), uninitialized);
    assert_eq!(call!(C_Verify(session, data, 32, data, 16)), uninitialized);
    assert_eq!(call!(C_EncryptFinal(session, room.as_mut_ptr(), &mut len)), uninitialized);
    assert_eq!(call!(C_FindObjectsFinal(session)), uninitialized);
    let mut how = mechanism(CKM_AES_CMAC);
    assert_eq!(call!(C_SignInit(session, &mut how, key)), Ok(()));
    assert_eq!(call!(C_SignInit(session, &mut how, key)), Err(CKR_OPERATION_ACTIVE));
    // Another kind of operation may go on beside it.
    let mut hash = mechanism(CKM_SHA256);
    assert_eq!(call!(C_DigestInit(session, &mut hash)), Ok(()));
    assert_eq!(call!(C_DigestUpdate(session, data, 32)), Ok(()));
    let to = room.as_mut_ptr();
    assert_eq!(call!(C_Digest(session, data, 32, to, &mut len)), Err(CKR_OPERATION_ACTIVE));
    assert_eq!(call!(C_Sign(session, data, 32, to, &mut len)), Ok(()));
    assert_eq!(call!(C_Sign(session, data, 32, to, &mut len)), uninitialized);
}

#[test]
fn a_buffer_that_is_too_small_lets_the_operation_go_on() {
    let session = user();
    let mut hash = mechanism(CKM_SHA256);
    call!(C_DigestInit(session, &mut hash)).expect("a hash");
    let (mut room, mut len) = ([0; 32], 0);
    call!(C_Digest(session, bytes(b"abc"), 3, ptr::null_mut(), &mut len)).expect("a length");
    assert_eq!(len, 32);
    len = 31;
    let small = call!(C_Digest(session, bytes(b"abc"), 3, room.as_mut_ptr(), &mut len));
    assert_eq!((small, len, room), (Err(CKR_BUFFER_TOO_SMALL), 32, [0; 32]));
    call!(C_Digest(session, bytes(b"abc"), 3, room.as_mut_ptr(), &mut len)).expect("a digest");
    assert_eq!((len, &room[..4]), (32, &[0xba, 0x78, 0x16, 0xbf][..]));
    assert_eq!(call!(C_DigestInit(session, ptr::null_mut())), Err(CKR_ARGUMENTS_BAD));
    let mut list = [0; 4];
    let mut count = 4;
    assert_eq!(
        call!(C_GetMechanismList(0, list.as_mut_ptr(), &mut count)),
        Err(CKR_BUFFER_TOO_SMALL)
    );
    assert!(count > 4, "{count}");
}

#[test]
fn arguments_that_are_wrong_end_the_operation() {
    let session = user();
    let key = create(session, &aes()).expect("a key");
    let null = ptr::null_mut();
    let (mut room, mut len) = ([0; 64], 64);
    let to = room.as_mut_ptr();
    let mut hash = mechanism(CKM_SHA256);
    let mut mac = mechanism(CKM_AES_CMAC);
    let mut ecb = mechanism(CKM_AES_ECB);
    let mut rounds = 0;
    let mut ends = |begin: &mut dyn FnMut() -> Code, wrong: &mut dyn FnMut() -> Code| {
        begin().expect("an operation begins");
        assert_eq!(wrong(), Err(CKR_ARGUMENTS_BAD), "call {rounds}");
        begin()
            .unwrap_or_else(|code| panic!("the operation goes on after call {rounds}: {code:#x}"));
        // It is ended for the next round by the same call.
        assert_eq!(wrong(), Err(CKR_ARGUMENTS_BAD));
        rounds += 1;
    };
    let begin = &mut || call!(C_DigestInit(session, &mut hash));
    ends(begin, &mut || call!(C_Digest(session, null, 3, to, &mut len)));
    ends(begin, &mut || call!(C_Digest(session, bytes(DATA), 3, to, null.cast())));
    ends(begin, &mut || call!(C_DigestUpdate(session, null, 3)));
    ends(begin, &mut || call!(C_DigestFinal(session, to, null.cast())));
    let begin = &mut || call!(C_SignInit(session, &mut mac, key));
    ends(begin, &mut || call!(C_Sign(session, null, 3, to, &mut len)));
    ends(begin, &mut || call!(C_SignUpdate(session, null, 3)));
    ends(begin, &mut || call!(C_SignFinal(session, to, null.cast())));
    let begin = &mut || call!(C_VerifyInit(session, &mut mac, key));
    ends(begin, &mut || call!(C_Verify(session, bytes(DATA), 3, null, 16)));
    ends(begin, &mut || call!(C_VerifyUpdate(session, null, 3)));
    ends(begin, &mut || call!(C_VerifyFinal(session, null, 16)));
    let begin = &mut || call!(C_EncryptInit(session, &mut ecb, key));
    ends(begin, &mut || call!(C_Encrypt(session, null, 16, to, &mut len)));
    ends(begin, &mut || call!(C_EncryptUpdate(session, null, 16, to, &mut len)));
    ends(begin, &mut || call!(C_EncryptFinal(session, to, null.cast())));
    let begin = &mut || call!(C_DecryptInit(session, &mut ecb, key));
    ends(begin, &mut || call!(C_Decrypt(session, null, 16, to, &mut len)));
    ends(begin, &mut || call!(C_DecryptUpdate(session, null, 16, to, &mut len)));
    ends(begin, &mut || call!(C_DecryptFinal(session, to, null.cast())));
}

#[test]
fn an_interface_may_be_written_to() {
    type Get =
        unsafe extern "C" fn(*mut u8, *mut CK_VERSION, *mut *mut CK_INTERFACE, CK_FLAGS) -> CK_RV;
    let get: Get = Functions::version_3_0().C_GetInterface.expect("version 3.0 has it");
    let interface = || {
        let mut interface = ptr::null_mut();
        // SAFETY: null is allowed for name and version, and there is room for a pointer.
        assert_eq!(unsafe { get(ptr::null_mut(), ptr::null_mut(), &mut interface, 0) }, CKR_OK);
        interface
    };
    let first = interface();
    // SAFETY: the module gives a pointer to an interface that callers may write to.
    let functions = unsafe {
        let place = &raw mut (*first).pFunctionList;
        let functions = place.read_volatile();
        place.write_volatile(ptr::null_mut());
        place.write_volatile(functions);
        functions
    };
    assert!(!functions.is_null());
    assert_eq!(interface(), first);
}

#[test]
fn keys_do_what_their_attributes_permit() {
    let session = user();
    let verifies = create(session, &aes().no(CKA_SIGN)).expect("a key");
    let cmac = || mechanism(CKM_AES_CMAC);
    let refused = sign(session, cmac(), verifies, &DATA);
    assert_eq!(refused, Err(CKR_KEY_FUNCTION_NOT_PERMITTED));
    let hmac = mechanism(CKM_SHA256_HMAC);
    assert_eq!(sign(session, hmac, verifies, &DATA), Err(CKR_KEY_TYPE_INCONSISTENT));
    assert_eq!(sign(session, mechanism(CKM_DSA), verifies, &DATA), Err(CKR_MECHANISM_INVALID));
    let allowed = aes().bytes(CKA_ALLOWED_MECHANISMS, CKM_AES_ECB.to_ne_bytes());
    let allowed = create(session, &allowed).expect("a key");
    assert_eq!(sign(session, cmac(), allowed, &DATA), Err(CKR_MECHANISM_INVALID));
    assert!(encrypt(session, mechanism(CKM_AES_ECB), allowed, &DATA).is_ok());
    let short = with(CKM_AES_CBC, &[0u8; 15]);
    assert_eq!(encrypt(session, short, allowed, &DATA), Err(CKR_MECHANISM_INVALID));
    let any = create(session, &aes()).expect("a key");
    assert_eq!(encrypt(session, short, any, &DATA), Err(CKR_MECHANISM_PARAM_INVALID));
    let ecb = mechanism(CKM_AES_ECB);
    assert_eq!(encrypt(session, ecb, any, &DATA[1..]), Err(CKR_DATA_LEN_RANGE));
    assert_eq!(decrypt(session, ecb, any, &DATA[1..]), Err(CKR_ENCRYPTED_DATA_LEN_RANGE));
    let tag = sign(session, cmac(), any, &DATA).expect("a tag");
    assert_eq!(verify(session, cmac(), any, &DATA, &tag), Ok(()));
    assert_eq!(verify(session, cmac(), any, &DATA[1..], &tag), Err(CKR_SIGNATURE_INVALID));
    assert_eq!(verify(session, cmac(), any, &DATA, &tag[1..]), Err(CKR_SIGNATURE_LEN_RANGE));
}

#[test]
fn secrets_stay_where_they_are() {
    let session = user();
    let hidden = create(session, &aes()).expect("a key");
    assert_eq!(value(session, hidden, CKA_VALUE), Err(CKR_ATTRIBUTE_SENSITIVE));
    assert_eq!(value(session, hidden, CKA_MODULUS), Err(CKR_ATTRIBUTE_TYPE_INVALID));
    assert_eq!(value(session, hidden, CKA_VALUE_LEN), Ok(16u64.to_ne_bytes().to_vec()));
    // Of several attributes, those that can be given are given.
    let mut room = [0u8; 8];
    let place =
        |id, room: *mut u8, len| CK_ATTRIBUTE { type_: id, pValue: room.cast(), ulValueLen: len };
    let mut both = [place(CKA_VALUE, ptr::null_mut(), 0), place(CKA_CLASS, room.as_mut_ptr(), 8)];
    let refused = call!(C_GetAttributeValue(session, hidden, both.as_mut_ptr(), 2));
    assert_eq!(refused, Err(CKR_ATTRIBUTE_SENSITIVE));
    assert_eq!(both[0].ulValueLen, CK_UNAVAILABLE_INFORMATION);
    assert_eq!(CK_ULONG::from_ne_bytes(room), CKO_SECRET_KEY);
    let shown = aes().no(CKA_SENSITIVE).yes(CKA_EXTRACTABLE);
    let shown = create(session, &shown).expect("a key");
    assert_eq!(value(session, shown, CKA_VALUE), Ok(vec![7; 16]));
    let change = |object, id, to| {
        let template = Template::default().bytes(id, [to]);
        let mut list = template.list();
        call!(C_SetAttributeValue(session, object, list.as_mut_ptr(), 1))
    };
    assert_eq!(change(hidden, CKA_EXTRACTABLE, CK_TRUE), Err(CKR_ATTRIBUTE_READ_ONLY));
    assert_eq!(change(shown, CKA_SENSITIVE, CK_TRUE), Ok(()));
    assert_eq!(change(shown, CKA_SENSITIVE, CK_FALSE), Err(CKR_ATTRIBUTE_READ_ONLY));
    assert_eq!(value(session, shown, CKA_VALUE), Err(CKR_ATTRIBUTE_SENSITIVE));
    // A copy is no way around.
    let copied = copy(session, shown, &Template::default().no(CKA_SENSITIVE));
    assert_eq!(copied, Err(CKR_ATTRIBUTE_READ_ONLY));
    let mut hash = mechanism(CKM_SHA256);
    call!(C_DigestInit(session, &mut hash)).expect("a hash");
    assert_eq!(call!(C_DigestKey(session, hidden)), Err(CKR_KEY_INDIGESTIBLE));
    // Nor can a key be searched for by its bytes.
    let search = Template::default().bytes(CKA_VALUE, [7; 16]);
    assert_eq!(find(session, &search), Ok(vec![]));
}

#[test]
fn no_copy_of_a_private_key_is_public_and_none_is_on_the_disk_in_the_clear() {
    let slot = slot();
    let session = open(slot, true);
    login(session, CKU_USER, USER).expect("the user's PIN");
    let secret = *b"a word not seen!";
    let key = Template::default()
        .number(CKA_CLASS, CKO_SECRET_KEY)
        .number(CKA_KEY_TYPE, CKK_AES)
        .yes(CKA_TOKEN)
        .bytes(CKA_VALUE, secret);
    let key = create(session, &key).expect("a key");
    let files_with_secret = || {
        let files = std::fs::read_dir(place(slot).join("objects")).expect("a folder");
        let files = files.map(|file| std::fs::read(file.expect("a file").path()).expect("a file"));
        files.filter(|file| file.windows(16).any(|bytes| bytes == secret)).count()
    };
    let public = copy(session, key, &Template::default().no(CKA_PRIVATE));
    assert_eq!(public, Err(CKR_ATTRIBUTE_READ_ONLY));
    let fixed = Template::default().no(CKA_MODIFIABLE).no(CKA_DESTROYABLE).no(CKA_SIGN);
    let fixed = copy(session, key, &fixed).expect("a copy may do less");
    for freer in [CKA_MODIFIABLE, CKA_DESTROYABLE, CKA_EXTRACTABLE, CKA_SIGN] {
        let freer = copy(session, fixed, &Template::default().yes(freer));
        assert_eq!(freer, Err(CKR_ATTRIBUTE_READ_ONLY));
    }
    let passing = Template::default().no(CKA_TOKEN).bytes(CKA_LABEL, "passing");
    let passing = copy(session, fixed, &passing).expect("a copy of the session");
    copy(session, passing, &Template::default().yes(CKA_TOKEN)).expect("a copy of the token");
    assert_eq!(files_with_secret(), 0);
    // A private object of the session is not there for others, nor is any after a logout.
    call!(C_Logout(session)).expect("the user is logged in");
    assert_eq!(find(session, &Template::default()), Ok(vec![]));
    // The search does find what is in the clear.
    let data =
        Template::default().number(CKA_CLASS, CKO_DATA).yes(CKA_TOKEN).bytes(CKA_VALUE, secret);
    create(session, &data).expect("data");
    assert_eq!(files_with_secret(), 1);
}

#[test]
fn templates_that_do_not_fit_are_refused() {
    let session = user();
    let create = |template: Template| create(session, &template);
    assert_eq!(create(Template::default()), Err(CKR_TEMPLATE_INCOMPLETE));
    let bare = Template::default().number(CKA_CLASS, CKO_SECRET_KEY);
    assert_eq!(create(bare.clone()), Err(CKR_TEMPLATE_INCOMPLETE));
    let wrong = bare.number(CKA_KEY_TYPE, CKK_AES).bytes(CKA_VALUE, [1; 15]);
    assert_eq!(create(wrong), Err(CKR_ATTRIBUTE_VALUE_INVALID));
    assert_eq!(create(aes().bytes(CKA_MODULUS, [1])), Err(CKR_ATTRIBUTE_TYPE_INVALID));
    assert_eq!(create(aes().yes(CKA_LOCAL)), Err(CKR_ATTRIBUTE_READ_ONLY));
    assert_eq!(create(aes().bytes(CKA_SIGN, [2])), Err(CKR_ATTRIBUTE_VALUE_INVALID));
    assert_eq!(create(aes().number(CKA_VALUE_LEN, 32)), Err(CKR_TEMPLATE_INCONSISTENT));
    // P-224.
    let curve = Template::default()
        .number(CKA_CLASS, CKO_PUBLIC_KEY)
        .number(CKA_KEY_TYPE, CKK_EC)
        .bytes(CKA_EC_PARAMS, [6, 5, 0x2b, 0x81, 4, 0, 0x21])
        .bytes(CKA_EC_POINT, [4; 57]);
    assert_eq!(create(curve), Err(CKR_CURVE_NOT_SUPPORTED));
    let public = |key_type, parameters: &[u8], point: &[u8]| {
        let key = Template::default().number(CKA_CLASS, CKO_PUBLIC_KEY);
        let key = key.number(CKA_KEY_TYPE, key_type).bytes(CKA_EC_PARAMS, parameters);
        create(key.bytes(CKA_EC_POINT, point))
    };
    // The base point of P-256, and one beside the curve.
    let p256 = [6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
    let mut point = [4; 65];
    point[1..33].copy_from_slice(&[
        0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40,
        0xf2, 0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98,
        0xc2, 0x96,
    ]);
    point[33..].copy_from_slice(&[
        0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e,
        0x16, 0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf,
        0x51, 0xf5,
    ]);
    assert!(public(CKK_EC, &p256, &point).is_ok());
    point[64] ^= 1;
    assert_eq!(public(CKK_EC, &p256, &point), Err(CKR_ATTRIBUTE_VALUE_INVALID));
    let public = Template::default().number(CKA_MODULUS_BITS, 2047);
    let pair = pair(session, CKM_RSA_PKCS_KEY_PAIR_GEN, &public, &Template::default());
    assert_eq!(pair, Err(CKR_KEY_SIZE_RANGE));
}

#[test]
fn sessions_that_only_read_leave_the_token_as_it_is() {
    let slot = slot();
    let (reads, writes) = (open(slot, false), open(slot, true));
    assert_eq!(login(reads, CKU_SO, OFFICER), Err(CKR_SESSION_READ_ONLY_EXISTS));
    assert_eq!(create(reads, &aes()), Err(CKR_USER_NOT_LOGGED_IN));
    login(reads, CKU_USER, USER).expect("the user's PIN");
    assert_eq!(login(writes, CKU_USER, USER), Err(CKR_USER_ALREADY_LOGGED_IN));
    assert_eq!(login(writes, CKU_SO, OFFICER), Err(CKR_USER_ANOTHER_ALREADY_LOGGED_IN));
    assert_eq!(create(reads, &aes().yes(CKA_TOKEN)), Err(CKR_SESSION_READ_ONLY));
    let key = create(writes, &aes().yes(CKA_TOKEN)).expect("a key");
    assert_eq!(call!(C_DestroyObject(reads, key)), Err(CKR_SESSION_READ_ONLY));
    let pins = (bytes(USER), USER.len() as CK_ULONG);
    let changed = call!(C_SetPIN(reads, pins.0, pins.1, pins.0, pins.1));
    assert_eq!(changed, Err(CKR_SESSION_READ_ONLY));
    // After a logout, private objects are not there.
    call!(C_Logout(writes)).expect("somebody is logged in");
    assert_eq!(call!(C_Logout(writes)), Err(CKR_USER_NOT_LOGGED_IN));
    assert_eq!(call!(C_DestroyObject(writes, key)), Err(CKR_OBJECT_HANDLE_INVALID));
    assert_eq!(find(writes, &Template::default()), Ok(vec![]));
    let mut label = *b"another                         ";
    let initialized = call!(C_InitToken(slot, bytes(OFFICER), 8, label.as_mut_ptr()));
    assert_eq!(initialized, Err(CKR_SESSION_EXISTS));
    call!(C_CloseAllSessions(slot)).expect("a slot");
    assert_eq!(
        call!(C_InitToken(slot, bytes("wrong"), 5, label.as_mut_ptr())),
        Err(CKR_PIN_INCORRECT)
    );
    let parallel = call!(C_OpenSession(slot, 0, ptr::null_mut(), None, ptr::null_mut()));
    assert_eq!(parallel, Err(CKR_SESSION_PARALLEL_NOT_SUPPORTED));
}

#[test]
fn wrong_pins_are_counted_and_lock() {
    let slot = slot();
    let session = open(slot, true);
    let flags = || {
        let mut info = CK_TOKEN_INFO::default();
        call!(C_GetTokenInfo(slot, &mut info)).expect("a token");
        info.flags & (CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY | CKF_USER_PIN_LOCKED)
    };
    assert_eq!(flags(), 0);
    assert_eq!(login(session, CKU_USER, "1"), Err(CKR_PIN_INCORRECT));
    assert_eq!(flags(), CKF_USER_PIN_COUNT_LOW);
    assert_eq!(login(session, CKU_USER, USER), Ok(()));
    assert_eq!(flags(), 0);
    call!(C_Logout(session)).expect("the user is logged in");
    for _ in 0..9 {
        assert_eq!(login(session, CKU_USER, "1"), Err(CKR_PIN_INCORRECT));
    }
    assert_eq!(flags(), CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY);
    assert_eq!(login(session, CKU_USER, "1"), Err(CKR_PIN_INCORRECT));
    assert_eq!(flags(), CKF_USER_PIN_LOCKED);
    assert_eq!(login(session, CKU_USER, USER), Err(CKR_PIN_LOCKED));
    login(session, CKU_SO, OFFICER).expect("the officer's PIN");
    assert_eq!(call!(C_InitPIN(session, bytes("123"), 3)), Err(CKR_PIN_LEN_RANGE));
    call!(C_InitPIN(session, bytes(USER), 6)).expect("a new PIN");
    call!(C_Logout(session)).expect("the officer is logged in");
    assert_eq!(login(session, CKU_USER, USER), Ok(()));
    assert_eq!(login(session, 7, USER), Err(CKR_USER_TYPE_INVALID));
}

#[test]
fn a_token_whose_officer_is_locked_begins_anew_without_its_directory() {
    let slot = slot();
    let session = open(slot, true);
    for _ in 0..10 {
        assert_eq!(login(session, CKU_SO, "1"), Err(CKR_PIN_INCORRECT));
    }
    assert_eq!(login(session, CKU_SO, OFFICER), Err(CKR_PIN_LOCKED));
    assert_eq!(login(session, CKU_USER, USER), Ok(()));
    call!(C_CloseAllSessions(slot)).expect("a slot");
    let mut label = *b"anew                            ";
    let mut initialize = |pin| call!(C_InitToken(slot, bytes(pin), 8, label.as_mut_ptr()));
    assert_eq!(initialize(OFFICER), Err(CKR_PIN_LOCKED));
    std::fs::remove_dir_all(place(slot)).expect("it is the test's own");
    assert_eq!(initialize("another1"), Ok(()));
    let session = open(slot, true);
    assert_eq!(login(session, CKU_USER, USER), Err(CKR_USER_PIN_NOT_INITIALIZED));
    assert_eq!(login(session, CKU_SO, "another1"), Ok(()));
}

#[test]
fn functions_that_are_not_there_say_so() {
    let session = user();
    let mut how = mechanism(CKM_RSA_PKCS);
    let unsupported = Err(CKR_FUNCTION_NOT_SUPPORTED);
    assert_eq!(call!(C_SignRecoverInit(session, &mut how, 1)), unsupported);
    assert_eq!(call!(C_GetFunctionStatus(session)), Err(CKR_FUNCTION_NOT_PARALLEL));
    assert_eq!(call!(C_CancelFunction(999_999)), Err(CKR_SESSION_HANDLE_INVALID));
    assert_eq!(call!(C_SeedRandom(session, bytes(DATA), 32)), Err(CKR_RANDOM_SEED_NOT_SUPPORTED));
    let mut slot = 0;
    assert_eq!(
        call!(C_WaitForSlotEvent(CKF_DONT_BLOCK, &mut slot, ptr::null_mut())),
        Err(CKR_NO_EVENT)
    );
    assert_eq!(call!(C_Initialize(ptr::null_mut())), Err(CKR_CRYPTOKI_ALREADY_INITIALIZED));
    let mut reserved = 0;
    let reserved = ptr::from_mut(&mut reserved).cast();
    assert_eq!(call!(C_Finalize(reserved)), Err(CKR_ARGUMENTS_BAD));
}
