//! The examples of the standards, through every manager, on every CPU that this machine can be.

use crate::common::{cipher_cpus, everywhere, hash_cpus, hex};
use broadloom_lanes::{
    AesKey, CbcJob, Cpu, Hash, HashJob, HmacKey, Md5, OutOfPlace, Sha1, Sha224, Sha256, Sha384,
    Sha512, Sm3,
};

/// Messages with their digests, all at once.
fn digests<A: Hash>(examples: &[(&[u8], &str)]) {
    for cpu in hash_cpus() {
        let job = |i: usize| HashJob::<A, _, _>::digest(examples[i].0, i);
        for depth in [1, 3, 64] {
            everywhere(&cpu, examples.len(), depth, job, |job| {
                let digest = job.output().expect("complete").as_ref();
                assert_eq!(digest, hex(examples[*job.user()].1), "{} {}", A::NAME, cpu.isa());
            });
        }
    }
}

/// Keys, messages and tags, all at once; a truncated tag is compared as far as it goes.
fn tags<A: Hash>(examples: &[(&[u8], &[u8], &str)]) {
    let keys: Vec<_> = examples.iter().map(|(key, ..)| HmacKey::<A>::new(key)).collect();
    for cpu in hash_cpus() {
        let job = |i: usize| HashJob::hmac(&keys[i], examples[i].1, i);
        for depth in [1, 3, 64] {
            everywhere(&cpu, examples.len(), depth, job, |job| {
                let expected = hex(examples[*job.user()].2);
                let tag = &job.output().expect("complete").as_ref()[..expected.len()];
                assert_eq!(tag, expected, "HMAC-{} {} {}", A::NAME, cpu.isa(), job.user());
            });
        }
    }
}

/// A million times the letter a.
const MILLION: &[u8] = &[b'a'; 1_000_000];

/// The two-block messages of FIPS 180 for hashes with blocks of 64 bytes, and of 128.
const TWO_64: &[u8] = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
const TWO_128: &[u8] = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
                         hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

#[test]
fn md5_rfc_1321() {
    digests::<Md5>(&[
        (b"", "d41d8cd98f00b204e9800998ecf8427e"),
        (b"a", "0cc175b9c0f1b6a831c399e269772661"),
        (b"abc", "900150983cd24fb0d6963f7d28e17f72"),
        (b"message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        (b"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f",
        ),
        (
            b"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a",
        ),
    ]);
}

#[test]
fn sha1_rfc_3174_and_fips_180() {
    digests::<Sha1>(&[
        (b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (TWO_64, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (MILLION, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        (b"01234567".repeat(80).as_slice(), "dea356a2cddd90c7a7ecedc5ebb563934f460452"),
        (b"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ]);
}

#[test]
fn sha224_fips_180() {
    digests::<Sha224>(&[
        (b"abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        (TWO_64, "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"),
        (MILLION, "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67"),
        (b"", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
    ]);
}

#[test]
fn sha256_fips_180() {
    digests::<Sha256>(&[
        (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (TWO_64, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        (MILLION, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ]);
}

#[test]
fn sha384_fips_180() {
    digests::<Sha384>(&[
        (
            b"abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
             8086072ba1e7cc2358baeca134c825a7",
        ),
        (
            TWO_128,
            "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712\
             fcc7c71a557e2db966c3e9fa91746039",
        ),
        (
            MILLION,
            "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b\
             07b8b3dc38ecc4ebae97ddd87f3d8985",
        ),
        (
            b"",
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da\
             274edebfe76f65fbd51ad2f14898b95b",
        ),
    ]);
}

#[test]
fn sha512_fips_180() {
    digests::<Sha512>(&[
        (
            b"abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
        (
            TWO_128,
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
             501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
        ),
        (
            MILLION,
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb\
             de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
        ),
        (
            b"",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
             47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
        ),
    ]);
}

#[test]
fn sm3_gb_t_32905() {
    digests::<Sm3>(&[
        (b"abc", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
        (
            b"abcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcd",
            "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732",
        ),
        (MILLION, "c8aaf89429554029e231941a2acc0ad61ff2a5acd8fadd25847a3a732b3b02c3"),
        (b"", "1ab21d8355cfa17f8e61194831e81a8f22bec8c728fefb747ed035eb5082aa2b"),
    ]);
}

const CD: &[u8] = &[0xcd; 50];
const DD: &[u8] = &[0xdd; 50];
const AA_131: &[u8] = &[0xaa; 131];
const COUNT_25: &[u8] =
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25];
const JEFE: &[u8] = b"what do ya want for nothing?";
const LONG_KEY: &[u8] = b"Test Using Larger Than Block-Size Key - Hash Key First";
const LONG_BOTH_2202: &[u8] =
    b"Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data";
const LONG_BOTH_4231: &[u8] =
    b"This is a test using a larger than block-size key and a larger than \
    block-size data. The key needs to be hashed before being used by the HMAC algorithm.";

/// The standard has no example of HMAC: this tag is OpenSSL's.
#[test]
fn hmac_sm3_of_openssl() {
    tags::<Sm3>(&[(
        b"Jefe",
        JEFE,
        "2e87f1d16862e6d964b50a5200bf2b10b764faa9680a296a2405f24bec39f882",
    )]);
}

#[test]
fn hmac_md5_rfc_2202() {
    tags::<Md5>(&[
        (&[0x0b; 16], b"Hi There", "9294727a3638bb1c13f48ef8158bfc9d"),
        (b"Jefe", JEFE, "750c783e6ab0b503eaa86e310a5db738"),
        (&[0xaa; 16], DD, "56be34521d144c88dbb8c733f0e8b3f6"),
        (COUNT_25, CD, "697eaf0aca3a3aea3a75164746ffaa79"),
        (&[0x0c; 16], b"Test With Truncation", "56461ef2342edc00f9bab995690efd4c"),
        (&[0xaa; 80], LONG_KEY, "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd"),
        (&[0xaa; 80], LONG_BOTH_2202, "6f630fad67cda0ee1fb1f562db3aa53e"),
    ]);
}

#[test]
fn hmac_sha1_rfc_2202() {
    tags::<Sha1>(&[
        (&[0x0b; 20], b"Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"),
        (b"Jefe", JEFE, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (&[0xaa; 20], DD, "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
        (COUNT_25, CD, "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
        (&[0x0c; 20], b"Test With Truncation", "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
        (&[0xaa; 80], LONG_KEY, "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
        (&[0xaa; 80], LONG_BOTH_2202, "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"),
    ]);
}

#[test]
fn hmac_sha224_rfc_4231() {
    tags::<Sha224>(&[
        (&[0x0b; 20], b"Hi There", "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"),
        (b"Jefe", JEFE, "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"),
        (&[0xaa; 20], DD, "7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea"),
        (COUNT_25, CD, "6c11506874013cac6a2abc1bb382627cec6a90d86efc012de7afec5a"),
        (&[0x0c; 20], b"Test With Truncation", "0e2aea68a90c8d37c988bcdb9fca6fa8"),
        (AA_131, LONG_KEY, "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e"),
        (AA_131, LONG_BOTH_4231, "3a854166ac5d9f023f54d517d0b39dbd946770db9c2b95c9f6f565d1"),
    ]);
}

#[test]
fn hmac_sha256_rfc_4231() {
    tags::<Sha256>(&[
        (
            &[0x0b; 20],
            b"Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        ),
        (b"Jefe", JEFE, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (&[0xaa; 20], DD, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (COUNT_25, CD, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        (&[0x0c; 20], b"Test With Truncation", "a3b6167473100ee06e0c796c2955552b"),
        (AA_131, LONG_KEY, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        (
            AA_131,
            LONG_BOTH_4231,
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        ),
    ]);
}

#[test]
fn hmac_sha384_rfc_4231() {
    tags::<Sha384>(&[
        (
            &[0x0b; 20],
            b"Hi There",
            "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c\
             faea9ea9076ede7f4af152e8b2fa9cb6",
        ),
        (
            b"Jefe",
            JEFE,
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e\
             8e2240ca5e69e2c78b3239ecfab21649",
        ),
        (
            &[0xaa; 20],
            DD,
            "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b\
             2a5ab39dc13814b94e3ab6e101a34f27",
        ),
        (
            COUNT_25,
            CD,
            "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e\
             6801dd23c4a7d679ccf8a386c674cffb",
        ),
        (&[0x0c; 20], b"Test With Truncation", "3abf34c3503b2a23a46efc619baef897"),
        (
            AA_131,
            LONG_KEY,
            "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6\
             0c2ef6ab4030fe8296248df163f44952",
        ),
        (
            AA_131,
            LONG_BOTH_4231,
            "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5\
             a678cc31e799176d3860e6110c46523e",
        ),
    ]);
}

#[test]
fn hmac_sha512_rfc_4231() {
    tags::<Sha512>(&[
        (
            &[0x0b; 20],
            b"Hi There",
            "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
             daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
        ),
        (
            b"Jefe",
            JEFE,
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
             9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ),
        (
            &[0xaa; 20],
            DD,
            "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39\
             bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
        ),
        (
            COUNT_25,
            CD,
            "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db\
             a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
        ),
        (&[0x0c; 20], b"Test With Truncation", "415fad6271580a531d4179bc891d87a6"),
        (
            AA_131,
            LONG_KEY,
            "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352\
             6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
        ),
        (
            AA_131,
            LONG_BOTH_4231,
            "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944\
             b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
        ),
    ]);
}

/// SP 800-38A, F.2.1 to F.2.6: AES-128, AES-192 and AES-256 in CBC mode, both ways, in place and
/// apart.
#[test]
fn aes_cbc_sp_800_38a() {
    let examples = [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
             73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
        ),
        (
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a\
             571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d\
             39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
        ),
    ];
    let plain = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                     30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
    let iv = core::array::from_fn(|i| i as u8);
    let keys = examples.map(|(key, _)| AesKey::new(&hex(key)).expect("a good length"));
    let ciphers = examples.map(|(_, cipher)| hex(cipher));

    // Number 2k encrypts with key k, and 2k + 1 decrypts.
    let from = |i: usize| if i.is_multiple_of(2) { plain.clone() } else { ciphers[i / 2].clone() };
    let make = |i: usize| if i.is_multiple_of(2) { CbcJob::encrypt } else { CbcJob::decrypt };
    let check = |cpu: &Cpu, i: usize, output: Option<&[u8]>| {
        let expected = if i.is_multiple_of(2) { &ciphers[i / 2] } else { &plain };
        assert_eq!(output.expect("complete"), expected, "{} example {i}", cpu.isa());
    };
    for cpu in cipher_cpus() {
        for depth in [1, 2, 64] {
            let in_place = |i: usize| make(i)(&keys[i / 2], iv, from(i), i).expect("whole blocks");
            everywhere(&cpu, 6, depth, in_place, |job| check(&cpu, *job.user(), job.output()));
        }
        for i in 0..6 {
            let apart = |_: usize| {
                let pair = OutOfPlace::new(from(i), vec![0; 64]).expect("equal lengths");
                let job = if i.is_multiple_of(2) { CbcJob::encrypt } else { CbcJob::decrypt };
                job(&keys[i / 2], iv, pair, 0).expect("whole blocks")
            };
            everywhere(&cpu, 1, 4, apart, |job| check(&cpu, i, job.output()));
        }
    }
}
