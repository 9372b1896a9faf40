//! Keys under keys: answers of the standards, and what may not leave.

use cryptoki_sys::*;

use crate::client::*;

fn hex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn wrap(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    wrapping: CK_OBJECT_HANDLE,
    key: CK_OBJECT_HANDLE,
) -> Code<Vec<u8>> {
    output(|to, len| call!(C_WrapKey(session, &mut how, wrapping, key, to, len)))
}

fn unwrap(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    unwrapping: CK_OBJECT_HANDLE,
    wrapped: &[u8],
    template: &Template,
) -> Code<CK_OBJECT_HANDLE> {
    let (mut list, mut key) = (template.list(), 0);
    let (count, len) = (list.len(), wrapped.len() as CK_ULONG);
    call!(C_UnwrapKey(
        session,
        &mut how,
        unwrapping,
        bytes(wrapped),
        len,
        list.as_mut_ptr(),
        count,
        &mut key
    ))?;
    Ok(key)
}

fn secret(key_type: CK_KEY_TYPE) -> Template {
    Template::default().number(CKA_CLASS, CKO_SECRET_KEY).number(CKA_KEY_TYPE, key_type)
}

fn wrapping(key: &[u8]) -> Template {
    secret(CKK_AES).bytes(CKA_VALUE, key).yes(CKA_WRAP).yes(CKA_UNWRAP)
}

#[test]
fn answers_are_those_of_the_standards() {
    let session = user();
    // RFC 3394, 4.1 and 4.6; RFC 5649, 6.
    let wide = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    let key = "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f";
    let padded = "5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8";
    for (id, wrapping_key, key, wrapped) in [
        (
            CKM_AES_KEY_WRAP,
            &wide[..32],
            &key[..32],
            "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5",
        ),
        (
            CKM_AES_KEY_WRAP,
            wide,
            key,
            "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21",
        ),
        (
            CKM_AES_KEY_WRAP_KWP,
            padded,
            "c37b7e6492584340bed12207808941155068f738",
            "138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a",
        ),
        (CKM_AES_KEY_WRAP_PAD, padded, "466f7250617369", "afbeb0f07dfbf5419200f2ccb50bb24f"),
    ] {
        let (key, wrapped) = (hex(key), hex(wrapped));
        let wrapping = create(session, &wrapping(&hex(wrapping_key))).expect("a key");
        let object = secret(CKK_GENERIC_SECRET).bytes(CKA_VALUE, &key).yes(CKA_EXTRACTABLE);
        let object = create(session, &object).expect("a key");
        assert_eq!(wrap(session, mechanism(id), wrapping, object), Ok(wrapped.clone()), "{id:#x}");
        let shown = secret(CKK_GENERIC_SECRET).no(CKA_SENSITIVE);
        let back = unwrap(session, mechanism(id), wrapping, &wrapped, &shown).expect("it opens");
        assert_eq!(value(session, back, CKA_VALUE), Ok(key));
        for (id, wanted) in [
            (CKA_LOCAL, CK_FALSE),
            (CKA_ALWAYS_SENSITIVE, CK_FALSE),
            (CKA_NEVER_EXTRACTABLE, CK_FALSE),
            (CKA_EXTRACTABLE, CK_TRUE),
        ] {
            assert_eq!(value(session, back, id), Ok(vec![wanted]), "{id:#x}");
        }
        let mut damaged = wrapped.clone();
        damaged[9] ^= 1;
        let refused = unwrap(session, mechanism(id), wrapping, &damaged, &shown);
        assert_eq!(refused, Err(CKR_WRAPPED_KEY_INVALID));
        for len in [0, 8, wrapped.len() - 1] {
            let refused = unwrap(session, mechanism(id), wrapping, &wrapped[..len], &shown);
            assert_eq!(refused, Err(CKR_WRAPPED_KEY_LEN_RANGE), "{len}");
        }
    }
}

#[test]
fn private_keys_come_back_and_sign_as_before() {
    let session = user();
    let wrapping = create(session, &wrapping(&[5; 32])).expect("a key");
    let how = mechanism(CKM_AES_KEY_WRAP_KWP);
    let p256 = [6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
    let parameters = |of: &[u8]| Template::default().bytes(CKA_EC_PARAMS, of);
    for (generate, public, key_type, signs) in [
        (
            CKM_RSA_PKCS_KEY_PAIR_GEN,
            Template::default().number(CKA_MODULUS_BITS, 1024),
            CKK_RSA,
            CKM_SHA256_RSA_PKCS,
        ),
        (CKM_EC_KEY_PAIR_GEN, parameters(&p256), CKK_EC, CKM_ECDSA_SHA256),
        (
            CKM_EC_EDWARDS_KEY_PAIR_GEN,
            parameters(&[6, 3, 0x2b, 0x65, 0x70]),
            CKK_EC_EDWARDS,
            CKM_EDDSA,
        ),
        (
            CKM_SLH_DSA_KEY_PAIR_GEN,
            Template::default().number(CKA_PARAMETER_SET, CKP_SLH_DSA_SHA2_128F),
            CKK_SLH_DSA,
            CKM_SLH_DSA,
        ),
        (
            CKM_ML_DSA_KEY_PAIR_GEN,
            Template::default().number(CKA_PARAMETER_SET, CKP_ML_DSA_44),
            CKK_ML_DSA,
            CKM_ML_DSA,
        ),
    ] {
        let private = Template::default().yes(CKA_EXTRACTABLE);
        let (public, private) = pair(session, generate, &public, &private).expect("a pair");
        let wrapped = wrap(session, how, wrapping, private).expect("it may leave");
        let template = Template::default().number(CKA_CLASS, CKO_PRIVATE_KEY);
        let key = template.clone().number(CKA_KEY_TYPE, key_type);
        let back = unwrap(session, how, wrapping, &wrapped, &key).expect("it opens");
        let signature = sign(session, mechanism(signs), back, b"a message").expect("it signs");
        let verified = verify(session, mechanism(signs), public, b"a message", &signature);
        assert_eq!(verified, Ok(()), "{key_type}");
        let other = template.number(CKA_KEY_TYPE, CKK_EC_MONTGOMERY);
        let refused = unwrap(session, how, wrapping, &wrapped, &other);
        assert_eq!(refused, Err(CKR_TEMPLATE_INCONSISTENT));
        let bytes = mechanism(CKM_AES_KEY_WRAP);
        assert_eq!(wrap(session, bytes, wrapping, private), Err(CKR_KEY_NOT_WRAPPABLE));
    }
}

#[test]
fn keys_of_ml_kem_come_back_with_their_seed() {
    let session = user();
    let wrapping = create(session, &wrapping(&[5; 32])).expect("a key");
    let how = mechanism(CKM_AES_KEY_WRAP_KWP);
    let public = Template::default().number(CKA_PARAMETER_SET, CKP_ML_KEM_512);
    let shown = Template::default().no(CKA_SENSITIVE).yes(CKA_EXTRACTABLE);
    let (public, private) =
        pair(session, CKM_ML_KEM_KEY_PAIR_GEN, &public, &shown).expect("a pair of keys");
    let shown = shown.number(CKA_CLASS, CKO_PRIVATE_KEY);
    let wrapped = wrap(session, how, wrapping, private).expect("it may leave");
    let template = shown.clone().number(CKA_KEY_TYPE, CKK_ML_KEM);
    let back = unwrap(session, how, wrapping, &wrapped, &template).expect("it opens");
    for id in [CKA_SEED, CKA_VALUE, CKA_PARAMETER_SET] {
        assert_eq!(value(session, back, id), value(session, private, id), "{id:#x}");
    }
    let secret = secret(CKK_GENERIC_SECRET).no(CKA_SENSITIVE);
    let kem = mechanism(CKM_ML_KEM);
    let (ciphertext, one) = encapsulate(session, kem, public, &secret).expect("a secret");
    let other = decapsulate(session, kem, back, &secret, &ciphertext).expect("the same secret");
    assert_eq!(value(session, other, CKA_VALUE), value(session, one, CKA_VALUE));
    for other in [
        shown.clone().number(CKA_KEY_TYPE, CKK_SLH_DSA),
        template.clone().number(CKA_PARAMETER_SET, CKP_ML_KEM_768),
        template.bytes(CKA_SEED, [1; 64]),
    ] {
        let refused = unwrap(session, how, wrapping, &wrapped, &other);
        assert_eq!(refused, Err(CKR_TEMPLATE_INCONSISTENT));
    }
}

#[test]
fn secret_keys_go_under_rsa_and_come_back() {
    let session = user();
    let public = Template::default().number(CKA_MODULUS_BITS, 2048).yes(CKA_WRAP);
    let private = Template::default().yes(CKA_UNWRAP);
    let (public, private) =
        pair(session, CKM_RSA_PKCS_KEY_PAIR_GEN, &public, &private).expect("a pair of keys");
    let oaep = CK_RSA_PKCS_OAEP_PARAMS {
        hashAlg: CKM_SHA256,
        mgf: CKG_MGF1_SHA256,
        source: CKZ_DATA_SPECIFIED,
        pSourceData: std::ptr::null_mut(),
        ulSourceDataLen: 0,
    };
    let key = create(session, &aes().yes(CKA_EXTRACTABLE)).expect("a key");
    let long = secret(CKK_GENERIC_SECRET).bytes(CKA_VALUE, [1; 250]).yes(CKA_EXTRACTABLE);
    let long = create(session, &long).expect("a key");
    for how in [mechanism(CKM_RSA_PKCS), with(CKM_RSA_PKCS_OAEP, &oaep)] {
        let wrapped = wrap(session, how, public, key).expect("it may leave");
        let shown = secret(CKK_AES).no(CKA_SENSITIVE);
        let back = unwrap(session, how, private, &wrapped, &shown).expect("it opens");
        assert_eq!(value(session, back, CKA_VALUE), Ok(vec![7; 16]));
        assert_eq!(wrap(session, how, public, long), Err(CKR_KEY_SIZE_RANGE));
        let short = unwrap(session, how, private, &wrapped[1..], &shown);
        assert_eq!(short, Err(CKR_WRAPPED_KEY_LEN_RANGE));
        // Without OAEP, something else comes out of a wrong padding, which may be a key.
        if how.mechanism == CKM_RSA_PKCS_OAEP {
            let mut damaged = wrapped;
            damaged[100] ^= 1;
            let refused = unwrap(session, how, private, &damaged, &shown);
            assert_eq!(refused, Err(CKR_WRAPPED_KEY_INVALID));
        }
        let refused = wrap(session, how, private, key);
        assert_eq!(refused, Err(CKR_KEY_FUNCTION_NOT_PERMITTED));
    }
}

#[test]
fn keys_leave_only_as_their_attributes_permit() {
    let slot = slot();
    let session = open(slot, true);
    // Only the security officer can trust a key, and sees public ones alone.
    login(session, CKU_SO, OFFICER).expect("the officer's PIN");
    let trusted = wrapping(&[9; 16]).no(CKA_PRIVATE).no(CKA_DECRYPT).yes(CKA_TRUSTED);
    let trusted = create(session, &trusted.yes(CKA_TOKEN)).expect("a key");
    call!(C_Logout(session)).expect("the officer is logged in");
    login(session, CKU_USER, USER).expect("the user's PIN");
    let how = mechanism(CKM_AES_KEY_WRAP);
    let plain = create(session, &wrapping(&[8; 16])).expect("a key");
    let fixed = create(session, &aes()).expect("a key");
    assert_eq!(wrap(session, how, plain, fixed), Err(CKR_KEY_UNEXTRACTABLE));
    let choosy = aes().yes(CKA_EXTRACTABLE).yes(CKA_WRAP_WITH_TRUSTED);
    let choosy = create(session, &choosy).expect("a key");
    assert_eq!(wrap(session, how, plain, choosy), Err(CKR_KEY_NOT_WRAPPABLE));
    assert_eq!(wrap(session, how, trusted, choosy).map(|wrapped| wrapped.len()), Ok(24));
    // Neither the key itself nor a copy is told to decrypt what it wraps.
    let decrypts = Template::default().yes(CKA_DECRYPT);
    let mut list = decrypts.list();
    let changed = call!(C_SetAttributeValue(session, trusted, list.as_mut_ptr(), 1));
    assert_eq!(changed, Err(CKR_ATTRIBUTE_READ_ONLY));
    assert_eq!(copy(session, trusted, &decrypts), Err(CKR_ATTRIBUTE_READ_ONLY));
    let idle = create(session, &aes()).expect("a key");
    assert_eq!(wrap(session, how, idle, choosy), Err(CKR_KEY_FUNCTION_NOT_PERMITTED));
    assert_eq!(wrap(session, how, 999_999, choosy), Err(CKR_WRAPPING_KEY_HANDLE_INVALID));
    assert_eq!(wrap(session, how, plain, 999_999), Err(CKR_KEY_HANDLE_INVALID));
    let hmac = secret(CKK_GENERIC_SECRET).bytes(CKA_VALUE, [1; 16]).yes(CKA_WRAP);
    let hmac = create(session, &hmac).expect("a key");
    assert_eq!(wrap(session, how, hmac, choosy), Err(CKR_WRAPPING_KEY_TYPE_INCONSISTENT));
    let other = with(CKM_AES_KEY_WRAP, &[1u8; 8]);
    let free = create(session, &aes().yes(CKA_EXTRACTABLE)).expect("a key");
    assert_eq!(wrap(session, other, plain, free), Err(CKR_MECHANISM_PARAM_INVALID));
    let odd = secret(CKK_GENERIC_SECRET).bytes(CKA_VALUE, [1; 20]).yes(CKA_EXTRACTABLE);
    let odd = create(session, &odd).expect("a key");
    assert_eq!(wrap(session, how, plain, odd), Err(CKR_KEY_SIZE_RANGE));
    let wrapped = wrap(session, how, plain, free).expect("it may leave");
    let template = secret(CKK_AES).bytes(CKA_VALUE, [1; 16]);
    let given = unwrap(session, how, plain, &wrapped, &template);
    assert_eq!(given, Err(CKR_TEMPLATE_INCONSISTENT));
    let wrong = unwrap(session, how, plain, &wrapped, &secret(CKK_CHACHA20));
    assert_eq!(wrong, Err(CKR_WRAPPED_KEY_INVALID));
}
