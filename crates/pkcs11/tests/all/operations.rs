//! What the module computes: both sides of each operation, whole and in pieces, on many threads.

use std::thread;

use cryptoki_sys::*;

use crate::client::*;

fn text(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 31) as u8).collect()
}

/// Encrypts or decrypts in pieces of a length.
fn in_pieces(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
    data: &[u8],
    step: usize,
    encrypts: bool,
) -> Vec<u8> {
    match encrypts {
        true => call!(C_EncryptInit(session, &mut how, key)),
        false => call!(C_DecryptInit(session, &mut how, key)),
    }
    .expect("a key");
    let mut all = Vec::new();
    for piece in data.chunks(step) {
        let (from, count) = (bytes(piece), piece.len() as CK_ULONG);
        let done = output(|to, len| match encrypts {
            true => call!(C_EncryptUpdate(session, from, count, to, len)),
            false => call!(C_DecryptUpdate(session, from, count, to, len)),
        });
        all.extend(done.expect("a piece"));
    }
    let last = output(|to, len| match encrypts {
        true => call!(C_EncryptFinal(session, to, len)),
        false => call!(C_DecryptFinal(session, to, len)),
    });
    all.extend(last.expect("an end"));
    all
}

#[test]
fn ciphers_come_back_whole_and_in_pieces() {
    let session = user();
    let key = create(session, &aes()).expect("a key");
    let iv = [3u8; 16];
    let counter = CK_AES_CTR_PARAMS { ulCounterBits: 32, cb: iv };
    let gcm = CK_GCM_PARAMS {
        pIv: bytes(iv.as_slice()),
        ulIvLen: 12,
        ulIvBits: 96,
        pAAD: bytes(iv.as_slice()),
        ulAADLen: 16,
        ulTagBits: 128,
    };
    for (how, granularity) in [
        (mechanism(CKM_AES_ECB), 16),
        (with(CKM_AES_CBC, &iv), 16),
        (with(CKM_AES_CBC_PAD, &iv), 1),
        (with(CKM_AES_CTR, &counter), 1),
        (with(CKM_AES_GCM, &gcm), 1),
    ] {
        for len in [0, 1, 15, 16, 17, 100, 1000].map(|len| len / granularity * granularity) {
            let plain = text(len);
            let sealed = encrypt(session, how, key, &plain).expect("it encrypts");
            assert_eq!(decrypt(session, how, key, &sealed), Ok(plain.clone()), "{len}");
            for step in [1, 16, 33] {
                let pieces = in_pieces(session, how, key, &plain, step, true);
                assert_eq!(pieces, sealed, "{:#x} {len} {step}", how.mechanism);
                let pieces = in_pieces(session, how, key, &sealed, step, false);
                assert_eq!(pieces, plain, "{:#x} {len} {step}", how.mechanism);
            }
        }
    }
    let mut sealed = encrypt(session, with(CKM_AES_GCM, &gcm), key, &text(50)).expect("a tag");
    sealed[3] ^= 1;
    let opened = decrypt(session, with(CKM_AES_GCM, &gcm), key, &sealed);
    assert_eq!(opened, Err(CKR_ENCRYPTED_DATA_INVALID));
    let last = CK_AES_CTR_PARAMS { ulCounterBits: 8, cb: [0xff; 16] };
    assert!(encrypt(session, with(CKM_AES_CTR, &last), key, &text(16)).is_ok());
    let wraps = encrypt(session, with(CKM_AES_CTR, &last), key, &text(17));
    assert_eq!(wraps, Err(CKR_DATA_LEN_RANGE));
}

#[test]
fn answers_are_those_of_the_standards() {
    let session = user();
    let hex = |text: &str| -> Vec<u8> {
        let digits: Vec<char> = text.chars().collect();
        let byte = |pair: &[char]| {
            u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("two digits")
        };
        digits.chunks(2).map(byte).collect()
    };
    // SP 800-38A, F.2.1 and F.5.1.
    let key = Template::default()
        .number(CKA_CLASS, CKO_SECRET_KEY)
        .number(CKA_KEY_TYPE, CKK_AES)
        .bytes(CKA_VALUE, hex("2b7e151628aed2a6abf7158809cf4f3c"));
    let key = create(session, &key).expect("a key");
    let block = hex("6bc1bee22e409f96e93d7e117393172a");
    let iv: [u8; 16] = std::array::from_fn(|at| at as u8);
    let cbc = encrypt(session, with(CKM_AES_CBC, &iv), key, &block);
    assert_eq!(cbc, Ok(hex("7649abac8119b246cee98e9b12e9197d")));
    let cb = std::array::from_fn(|at| 0xf0 + at as u8);
    let counter = CK_AES_CTR_PARAMS { ulCounterBits: 128, cb };
    let ctr = encrypt(session, with(CKM_AES_CTR, &counter), key, &block);
    assert_eq!(ctr, Ok(hex("874d6191b620e3261bef6864990db6ce")));
    // SP 800-38B, D.1, example 2.
    let cmac = sign(session, mechanism(CKM_AES_CMAC), key, &block);
    assert_eq!(cmac, Ok(hex("070a16b46b4d4144f79bdd9dd04a287c")));
    // RFC 4231, test case 2.
    let hmac = Template::default()
        .number(CKA_CLASS, CKO_SECRET_KEY)
        .number(CKA_KEY_TYPE, CKK_GENERIC_SECRET)
        .bytes(CKA_VALUE, "Jefe");
    let hmac = create(session, &hmac).expect("a key");
    let message = b"what do ya want for nothing?";
    let wanted = hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    let tag = sign(session, mechanism(CKM_SHA256_HMAC), hmac, message);
    assert_eq!(tag, Ok(wanted.clone()));
    let len: CK_ULONG = 16;
    let short = sign(session, with(CKM_SHA256_HMAC_GENERAL, &len), hmac, message);
    assert_eq!(short, Ok(wanted[..16].to_vec()));
    // RFC 8032, 7.1, test 2.
    let ed = Template::default()
        .number(CKA_CLASS, CKO_PRIVATE_KEY)
        .number(CKA_KEY_TYPE, CKK_EC_EDWARDS)
        .bytes(CKA_EC_PARAMS, b"\x13\x0cedwards25519")
        .bytes(CKA_VALUE, hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"));
    let ed = create(session, &ed).expect("a key");
    let signature = sign(session, mechanism(CKM_EDDSA), ed, &[0x72]).expect("a signature");
    assert_eq!(signature[..4], [0x92, 0xa0, 0x09, 0xa9]);
    // RFC 7748, 5.2.
    let private = Template::default()
        .number(CKA_CLASS, CKO_PRIVATE_KEY)
        .number(CKA_KEY_TYPE, CKK_EC_MONTGOMERY)
        .bytes(CKA_EC_PARAMS, b"\x13\x0acurve25519")
        .yes(CKA_DERIVE)
        .bytes(CKA_VALUE, hex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"));
    let private = create(session, &private).expect("a key");
    let public = hex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
    let wanted = hex("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
    assert_eq!(derive(session, private, &public), Ok(wanted));
    assert_eq!(derive(session, private, &[0; 32]), Err(CKR_MECHANISM_PARAM_INVALID));
}

/// The secret of an agreement.
fn derive(session: CK_SESSION_HANDLE, key: CK_OBJECT_HANDLE, public: &[u8]) -> Code<Vec<u8>> {
    let parameters = CK_ECDH1_DERIVE_PARAMS {
        kdf: CKD_NULL,
        ulSharedDataLen: 0,
        pSharedData: std::ptr::null_mut(),
        ulPublicDataLen: public.len() as CK_ULONG,
        pPublicData: bytes(public),
    };
    let mut how = with(CKM_ECDH1_DERIVE, &parameters);
    let template = Template::default().no(CKA_SENSITIVE).yes(CKA_EXTRACTABLE);
    let (mut template, mut derived) = (template.list(), 0);
    call!(C_DeriveKey(session, &mut how, key, template.as_mut_ptr(), 2, &mut derived))?;
    value(session, derived, CKA_VALUE)
}

#[test]
fn both_sides_agree() {
    let session = user();
    let curves: [(CK_MECHANISM_TYPE, &[u8]); 3] = [
        (CKM_EC_KEY_PAIR_GEN, &[6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7]),
        (CKM_EC_KEY_PAIR_GEN, &[6, 5, 0x2b, 0x81, 4, 0, 0x23]),
        (CKM_EC_MONTGOMERY_KEY_PAIR_GEN, &[6, 3, 0x2b, 0x65, 0x6e]),
    ];
    for (id, parameters) in curves {
        let public = Template::default().bytes(CKA_EC_PARAMS, parameters);
        let private = Template::default().yes(CKA_DERIVE);
        let make = || pair(session, id, &public, &private).expect("a pair");
        let (one, other) = (make(), make());
        let point = |public| value(session, public, CKA_EC_POINT).expect("a point");
        let secret = derive(session, one.1, &point(other.0)).expect("a secret");
        assert_eq!(derive(session, other.1, &point(one.0)), Ok(secret.clone()));
        // Without the octet string around the point, too. That of P-521 has 128 bytes and more.
        let point = point(one.0);
        let header = if point[1] < 0x80 { 2 } else { 3 };
        assert_eq!(derive(session, other.1, &point[header..]), Ok(secret));
    }
}

#[test]
fn signatures_verify_whole_and_in_pieces_and_no_other_does() {
    let session = user();
    let make = |id, public: Template| {
        pair(session, id, &public, &Template::default()).expect("a pair of keys")
    };
    let rsa = make(CKM_RSA_PKCS_KEY_PAIR_GEN, Template::default().number(CKA_MODULUS_BITS, 1024));
    let p256 = [6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
    let ec = make(CKM_EC_KEY_PAIR_GEN, Template::default().bytes(CKA_EC_PARAMS, p256));
    let [p384, p521, k1, k283, b283] = [0x22, 0x23, 0x0a, 0x10, 0x11].map(|last| {
        let parameters = Template::default().bytes(CKA_EC_PARAMS, [6, 5, 0x2b, 0x81, 4, 0, last]);
        make(CKM_EC_KEY_PAIR_GEN, parameters)
    });
    let edwards = Template::default().bytes(CKA_EC_PARAMS, [6, 3, 0x2b, 0x65, 0x70]);
    let ed = make(CKM_EC_EDWARDS_KEY_PAIR_GEN, edwards);
    let pss = CK_RSA_PKCS_PSS_PARAMS { hashAlg: CKM_SHA256, mgf: CKG_MGF1_SHA256, sLen: 32 };
    let message = text(300);
    for (how, (public, private), len) in [
        (mechanism(CKM_RSA_PKCS), rsa, 51),
        (mechanism(CKM_RSA_X_509), rsa, 100),
        (mechanism(CKM_SHA1_RSA_PKCS), rsa, 300),
        (mechanism(CKM_SHA512_RSA_PKCS), rsa, 300),
        (mechanism(CKM_SHA3_256_RSA_PKCS), rsa, 300),
        (with(CKM_SHA256_RSA_PKCS_PSS, &pss), rsa, 300),
        (with(CKM_RSA_PKCS_PSS, &pss), rsa, 32),
        (mechanism(CKM_ECDSA), ec, 20),
        (mechanism(CKM_ECDSA), ec, 32),
        (mechanism(CKM_ECDSA), ec, 41),
        (mechanism(CKM_ECDSA), ec, 64),
        (mechanism(CKM_ECDSA_SHA256), ec, 300),
        (mechanism(CKM_ECDSA), p384, 20),
        (mechanism(CKM_ECDSA), p384, 41),
        (mechanism(CKM_ECDSA), p384, 48),
        (mechanism(CKM_ECDSA), p384, 63),
        (mechanism(CKM_ECDSA), p384, 64),
        (mechanism(CKM_ECDSA_SHA384), p384, 300),
        (mechanism(CKM_ECDSA), p521, 20),
        (mechanism(CKM_ECDSA), p521, 63),
        (mechanism(CKM_ECDSA), p521, 64),
        (mechanism(CKM_ECDSA_SHA512), p521, 300),
        (mechanism(CKM_ECDSA), k1, 41),
        (mechanism(CKM_ECDSA_SHA256), k1, 300),
        (mechanism(CKM_ECDSA_SHA256), k283, 300),
        (mechanism(CKM_ECDSA_SHA256), b283, 300),
        (mechanism(CKM_EDDSA), ed, 300),
    ] {
        let id = how.mechanism;
        let message = &message[..len];
        let signature = sign(session, how, private, message).expect("a signature");
        assert_eq!(verify(session, how, public, message, &signature), Ok(()), "{id:#x} {len}");
        let mut other = message.to_vec();
        other[7] ^= 1;
        let forged = verify(session, how, public, &other, &signature);
        assert_eq!(forged, Err(CKR_SIGNATURE_INVALID), "{id:#x} {len}");
        let (mut how, mut again) = (how, how);
        call!(C_SignInit(session, &mut how, private)).expect("a key");
        call!(C_VerifyInit(session, &mut again, public)).expect("a key");
        for piece in message.chunks(7) {
            let len = piece.len() as CK_ULONG;
            call!(C_SignUpdate(session, bytes(piece), len)).expect("a piece");
            call!(C_VerifyUpdate(session, bytes(piece), len)).expect("a piece");
        }
        let signature = output(|to, len| call!(C_SignFinal(session, to, len))).expect("it signs");
        let len = signature.len() as CK_ULONG;
        let verified = call!(C_VerifyFinal(session, bytes(&signature), len));
        assert_eq!(verified, Ok(()), "{id:#x} in pieces");
    }
    assert_eq!(
        sign(session, mechanism(CKM_RSA_PKCS), rsa.1, &message[..118]),
        Err(CKR_DATA_LEN_RANGE)
    );
    let long = sign(session, mechanism(CKM_RSA_X_509), rsa.1, &[0xff; 128]);
    assert_eq!(long, Err(CKR_DATA_INVALID));
}

#[test]
fn what_is_encrypted_for_a_key_is_decrypted_with_it() {
    let session = user();
    let public = Template::default().number(CKA_MODULUS_BITS, 2048);
    let pair = pair(session, CKM_RSA_PKCS_KEY_PAIR_GEN, &public, &Template::default());
    let (public, private) = pair.expect("a pair of keys");
    let oaep = CK_RSA_PKCS_OAEP_PARAMS {
        hashAlg: CKM_SHA256,
        mgf: CKG_MGF1_SHA256,
        source: CKZ_DATA_SPECIFIED,
        pSourceData: std::ptr::null_mut(),
        ulSourceDataLen: 0,
    };
    for how in [mechanism(CKM_RSA_PKCS), with(CKM_RSA_PKCS_OAEP, &oaep)] {
        let sealed = encrypt(session, how, public, b"a key").expect("it fits");
        assert_eq!(decrypt(session, how, private, &sealed), Ok(b"a key".to_vec()));
        let short = decrypt(session, how, private, &sealed[1..]);
        assert_eq!(short, Err(CKR_ENCRYPTED_DATA_LEN_RANGE));
    }
    let how = with(CKM_RSA_PKCS_OAEP, &oaep);
    let mut sealed = encrypt(session, how, public, b"a key").expect("it fits");
    sealed[100] ^= 1;
    assert_eq!(decrypt(session, how, private, &sealed), Err(CKR_ENCRYPTED_DATA_INVALID));
}

#[test]
fn sessions_of_many_threads_get_what_is_theirs() {
    let slot = slot();
    let session = open(slot, true);
    login(session, CKU_USER, USER).expect("the user's PIN");
    let public = Template::default().number(CKA_MODULUS_BITS, 1024);
    let (public, private) =
        pair(session, CKM_RSA_PKCS_KEY_PAIR_GEN, &public, &Template::default()).expect("a pair");
    let key = create(session, &aes()).expect("a key");
    thread::scope(|scope| {
        for number in 0..8usize {
            scope.spawn(move || {
                let session = open(slot, false);
                let iv = [number as u8; 16];
                for round in 0..10 {
                    let message = text(256 + 16 * number + 16 * round);
                    let how = mechanism(CKM_SHA256_RSA_PKCS);
                    let signature = sign(session, how, private, &message).expect("a signature");
                    assert_eq!(verify(session, how, public, &message, &signature), Ok(()));
                    let how = with(CKM_AES_CBC, &iv);
                    let sealed = encrypt(session, how, key, &message).expect("it encrypts");
                    assert_eq!(decrypt(session, how, key, &sealed), Ok(message));
                }
                call!(C_CloseSession(session)).expect("it is open");
            });
        }
    });
}

#[test]
fn two_threads_in_one_session_get_codes_and_no_harm() {
    let session = user();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let mut hash = mechanism(CKM_SHA256);
                    let (mut room, mut len) = ([0; 32], 32);
                    match call!(C_DigestInit(session, &mut hash)) {
                        Ok(()) => {}
                        Err(code) => assert_eq!(code, CKR_OPERATION_ACTIVE),
                    }
                    match call!(C_Digest(session, bytes(b"abc"), 3, room.as_mut_ptr(), &mut len)) {
                        Ok(()) => assert_eq!(room[..4], [0xba, 0x78, 0x16, 0xbf]),
                        Err(code) => assert_eq!(code, CKR_OPERATION_NOT_INITIALIZED),
                    }
                }
            });
        }
    });
}

#[test]
fn objects_of_the_token_outlive_sessions_and_those_of_sessions_do_not() {
    let slot = slot();
    let session = open(slot, true);
    login(session, CKU_USER, USER).expect("the user's PIN");
    let named = |name: &str| Template::default().bytes(CKA_LABEL, name);
    let of_token = aes().yes(CKA_TOKEN).bytes(CKA_LABEL, "kept");
    let key = create(session, &of_token).expect("a key");
    create(session, &aes().bytes(CKA_LABEL, "passing")).expect("a key");
    let data = Template::default()
        .number(CKA_CLASS, CKO_DATA)
        .yes(CKA_TOKEN)
        .bytes(CKA_LABEL, "public")
        .bytes(CKA_VALUE, "for all");
    create(session, &data).expect("data");
    let sealed = encrypt(session, mechanism(CKM_AES_ECB), key, &text(32)).expect("a key");
    call!(C_CloseSession(session)).expect("it is open");
    // The last session ends the login.
    let session = open(slot, true);
    assert_eq!(find(session, &named("kept")), Ok(vec![]));
    let data = find(session, &named("public")).expect("it searches");
    assert_eq!(value(session, data[0], CKA_VALUE), Ok(b"for all".to_vec()));
    login(session, CKU_USER, USER).expect("the user's PIN");
    assert_eq!(find(session, &named("passing")), Ok(vec![]));
    let key = find(session, &named("kept")).expect("it searches")[0];
    let plain = decrypt(session, mechanism(CKM_AES_ECB), key, &sealed);
    assert_eq!(plain, Ok(text(32)));
    let renamed = named("renamed");
    let mut list = renamed.list();
    call!(C_SetAttributeValue(session, key, list.as_mut_ptr(), 1)).expect("it may change");
    assert_eq!(find(session, &named("renamed")), Ok(vec![key]));
    call!(C_DestroyObject(session, key)).expect("it may go");
    assert_eq!(find(session, &named("renamed")), Ok(vec![]));
}

#[test]
fn a_key_that_asks_each_time_waits_for_the_pin() {
    let session = user();
    let public = Template::default().number(CKA_MODULUS_BITS, 1024);
    let private = Template::default().yes(CKA_ALWAYS_AUTHENTICATE);
    let pair = pair(session, CKM_RSA_PKCS_KEY_PAIR_GEN, &public, &private);
    let (_, key) = pair.expect("a pair of keys");
    let again = || login(session, CKU_CONTEXT_SPECIFIC, USER);
    assert_eq!(again(), Err(CKR_OPERATION_NOT_INITIALIZED));
    let mut how = mechanism(CKM_RSA_PKCS);
    call!(C_SignInit(session, &mut how, key)).expect("a key");
    let sign = || output(|to, len| call!(C_Sign(session, bytes(b"text"), 4, to, len)));
    assert_eq!(sign(), Err(CKR_USER_NOT_LOGGED_IN));
    call!(C_SignInit(session, &mut how, key)).expect("a key");
    assert_eq!(login(session, CKU_CONTEXT_SPECIFIC, "1"), Err(CKR_PIN_INCORRECT));
    assert_eq!(again(), Ok(()));
    assert_eq!(sign().map(|signature| signature.len()), Ok(128));
}
