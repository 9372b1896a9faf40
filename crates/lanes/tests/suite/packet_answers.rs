//! Known answers for the modes of packets, from the standards.

use crate::common::packets::{
    CfbDecrypt, CfbEncrypt, Cmac, Ctr, EcbDecrypt, EcbEncrypt, Gmac, Mode, Ofb, Open, Seal, Text,
    View, Xcbc,
};
use crate::common::{cipher_cpus, hex};

/// One example of a standard, in hexadecimal.
#[derive(Clone, Copy, Default)]
pub struct Example<'a> {
    pub key: &'a str,
    pub nonce: &'a str,
    pub associated: &'a str,
    pub before: &'a str,
    pub after: &'a str,
    pub tag: &'a str,
}

/// Sends examples through a mode, in place and apart, on every instruction set.
pub fn check<M: Mode>(examples: &[Example]) {
    let keys: Vec<_> = examples.iter().map(|example| M::key(&hex(example.key))).collect();
    let parts = examples.iter().map(|e| (hex(e.nonce), hex(e.associated), hex(e.before)));
    let parts: Vec<_> = parts.collect();
    for cpu in cipher_cpus() {
        for in_place in [true, false] {
            let mut tos: Vec<_> = parts.iter().map(|parts| parts.2.clone()).collect();
            let mut tags = vec![[0; 16]; examples.len()];
            let all = parts.iter().zip(&mut tos).zip(&mut tags);
            let views = all.map(|(((nonce, associated, from), to), tag)| {
                let text = if in_place { Text::InPlace(to) } else { Text::Apart(from, to) };
                View { nonce, associated, text, tag }
            });
            M::process(&cpu, &keys, views.collect());
            for (i, example) in examples.iter().enumerate() {
                let what = || format!("{} on {}, example {i}", M::NAME, cpu.isa());
                assert_eq!(tos[i], hex(example.after), "{}", what());
                let tag = hex(example.tag);
                assert_eq!(tags[i][..tag.len()], tag, "the tag of {}", what());
            }
        }
    }
}

/// Four blocks that SP 800-38A and SP 800-38B share.
const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                     30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
const KEY_128: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const KEY_192: &str = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b";
const KEY_256: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";

/// SP 800-38A, F.5.1 to F.5.6.
#[test]
fn aes_ctr_sp_800_38a() {
    let example = |key, after| Example {
        key,
        nonce: "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        before: PLAIN,
        after,
        ..Example::default()
    };
    let examples = [
        example(
            KEY_128,
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
             5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        ),
        example(
            KEY_192,
            "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94\
             1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
        ),
        example(
            KEY_256,
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
             2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
        ),
    ];
    check::<Ctr>(&examples);
    let decrypting = examples.map(|e| Example { before: e.after, after: e.before, ..e });
    check::<Ctr>(&decrypting);
}

/// SP 800-38A, F.1.1 to F.1.6.
#[test]
fn aes_ecb_sp_800_38a() {
    let example = |key, after| Example { key, before: PLAIN, after, ..Example::default() };
    let examples = [
        example(
            KEY_128,
            "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
             43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
        ),
        example(
            KEY_192,
            "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef\
             ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
        ),
        example(
            KEY_256,
            "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870\
             b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
        ),
    ];
    check::<EcbEncrypt>(&examples);
    check::<EcbDecrypt>(&examples.map(|e| Example { before: e.after, after: e.before, ..e }));
}

/// SP 800-38A, F.3.13 to F.3.18; and the first 39 bytes of each, whose last segment is shorter.
#[test]
fn aes_cfb_sp_800_38a() {
    let example = |key, after| Example {
        key,
        nonce: "000102030405060708090a0b0c0d0e0f",
        before: PLAIN,
        after,
        ..Example::default()
    };
    let whole = [
        example(
            KEY_128,
            "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b\
             26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6",
        ),
        example(
            KEY_192,
            "cdc80d6fddf18cab34c25909c99a417467ce7f7f81173621961a2b70171d3d7a\
             2e1e8a1dd59b88b1c8e60fed1efac4c9c05f9f9ca9834fa042ae8fba584b09ff",
        ),
        example(
            KEY_256,
            "dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407b\
             df10132415e54b92a13ed0a8267ae2f975a385741ab9cef82031623d55b1e471",
        ),
    ];
    let short = whole.map(|e| Example { before: &e.before[..78], after: &e.after[..78], ..e });
    for examples in [whole, short] {
        check::<CfbEncrypt>(&examples);
        check::<CfbDecrypt>(&examples.map(|e| Example { before: e.after, after: e.before, ..e }));
    }
}

/// SP 800-38A, F.4; and the first 39 bytes of each, whose last block is shorter.
#[test]
fn aes_ofb_sp_800_38a() {
    let example = |key, after| Example {
        key,
        nonce: "000102030405060708090a0b0c0d0e0f",
        before: PLAIN,
        after,
        ..Example::default()
    };
    let whole = [
        example(
            KEY_128,
            "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825\
             9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e",
        ),
        example(
            KEY_192,
            "cdc80d6fddf18cab34c25909c99a4174fcc28b8d4c63837c09e81700c1100401\
             8d9a9aeac0f6596f559c6d4daf59a5f26d9f200857ca6c3e9cac524bd9acc92a",
        ),
        example(
            KEY_256,
            "dc7e84bfda79164b7ecd8486985d38604febdc6740d20b3ac88f6ad82a4fb08d\
             71ab47a086e86eedf39d1c5bba97c4080126141d67f37be8538f5a8be740e484",
        ),
    ];
    let short = whole.map(|e| Example { before: &e.before[..78], after: &e.after[..78], ..e });
    for examples in [whole, short] {
        check::<Ofb>(&examples);
        check::<Ofb>(&examples.map(|e| Example { before: e.after, after: e.before, ..e }));
    }
}

/// RFC 3566, section 4: numbers from zero up, and 1000 zeros.
#[test]
fn aes_xcbc_rfc_3566() {
    let text = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021";
    let zeros = "00".repeat(1000);
    let example = |text, tag| Example {
        key: "000102030405060708090a0b0c0d0e0f",
        before: text,
        after: text,
        tag,
        ..Example::default()
    };
    check::<Xcbc>(&[
        example("", "75f0251d528ac01c4573dfd584d79f29"),
        example(&text[..6], "5b376580ae2f19afe7219ceef172756f"),
        example(&text[..32], "d2a246fa349b68a79998a4394ff7a263"),
        example(&text[..40], "47f51b4564966215b8985c63055ed308"),
        example(&text[..64], "f54f0ec8d2b9f3d36807734bd5283fd4"),
        example(text, "becbb3bccdb518a30677d5481fb6b4d8"),
        example(&zeros, "f0dafee895db30253761103b5d84528f"),
    ]);
}

/// SP 800-38B, appendix D: the first 0, 16, 40 and 64 bytes of the text under each key.
#[test]
fn aes_cmac_sp_800_38b() {
    let of_key = |key, tags: [&'static str; 4]| {
        [0, 16, 40, 64].into_iter().zip(tags).map(move |(len, tag)| {
            let text = &PLAIN[..2 * len];
            Example { key, before: text, after: text, tag, ..Example::default() }
        })
    };
    let examples = of_key(
        KEY_128,
        [
            "bb1d6929e95937287fa37d129b756746",
            "070a16b46b4d4144f79bdd9dd04a287c",
            "dfa66747de9ae63030ca32611497c827",
            "51f0bebf7e3b9d92fc49741779363cfe",
        ],
    )
    .chain(of_key(
        KEY_192,
        [
            "d17ddf46adaacde531cac483de7a9367",
            "9e99a7bf31e710900662f65e617c5184",
            "8a1de5be2eb31aad089a82e6ee908b0e",
            "a1d5df0eed790f794d77589659f39a11",
        ],
    ))
    .chain(of_key(
        KEY_256,
        [
            "028962f61b7bf89efc6b551f4667d983",
            "28a7023f452e8f82bd4bf28d8c37c35c",
            "aaf3d8f1de5640c232f5b169b9c911e6",
            "e1992190549f6ed5696a2c056c315410",
        ],
    ));
    check::<Cmac>(&examples.collect::<Vec<_>>());
}

/// The test cases of McGrew and Viega, «The Galois/Counter Mode of Operation (GCM)», appendix B,
/// which SP 800-38D refers to: 1 to 6, 10, 12, 14, 17 and 18.
#[test]
fn aes_gcm_of_its_authors() {
    const PLAIN: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                         1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
    const LONG_NONCE: &str = "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728\
                              c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b";
    const ASSOCIATED: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    const KEY: &str = "feffe9928665731c6d6a8f9467308308";
    const KEY_192: &str = "feffe9928665731c6d6a8f9467308308feffe9928665731c";
    const KEY_256: &str = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
    const ZERO: &str = "00000000000000000000000000000000";
    const NONCE: &str = "cafebabefacedbaddecaf888";
    let whole = format!("{PLAIN}1aafd255");
    let of_zeros = |key, before, after, tag| Example {
        key,
        nonce: &ZERO[..24],
        before,
        after,
        tag,
        ..Example::default()
    };
    let short = |key, nonce, after, tag| Example {
        key,
        nonce,
        associated: ASSOCIATED,
        before: PLAIN,
        after,
        tag,
    };
    let examples = [
        of_zeros(ZERO, "", "", "58e2fccefa7e3061367f1d57a4e7455a"),
        of_zeros(
            ZERO,
            ZERO,
            "0388dace60b6a392f328c2b971b2fe78",
            "ab6e47d42cec13bdf53a67b21257bddf",
        ),
        Example {
            key: KEY,
            nonce: NONCE,
            before: &whole,
            after: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                    21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
            tag: "4d5c2af327cd64a62cf35abd2ba6fab4",
            ..Example::default()
        },
        short(
            KEY,
            NONCE,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
             21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
            "5bc94fbc3221a5db94fae95ae7121a47",
        ),
        short(
            KEY,
            "cafebabefacedbad",
            "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423\
             73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
            "3612d2e79e3b0785561be14aaca2fccb",
        ),
        short(
            KEY,
            LONG_NONCE,
            "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7\
             01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
            "619cc5aefffe0bfa462af43c1699d050",
        ),
        short(
            KEY_192,
            NONCE,
            "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c\
             7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
            "2519498e80f1478f37ba55bd6d27618c",
        ),
        short(
            KEY_192,
            LONG_NONCE,
            "d27e88681ce3243c4830165a8fdcf9ff1de9a1d8e6b447ef6ef7b79828666e45\
             81e79012af34ddd9e2f037589b292db3e67c036745fa22e7e9b7373b",
            "dcf566ff291c25bbb8568fc3d376a6d9",
        ),
        of_zeros(
            "0000000000000000000000000000000000000000000000000000000000000000",
            ZERO,
            "cea7403d4d606b6e074ec5d3baf39d18",
            "d0d1c8a799996bf0265b98b5d48ab919",
        ),
        short(
            KEY_256,
            "cafebabefacedbad",
            "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0\
             feb582d33934a4f0954cc2363bc73f7862ac430e64abe499f47c9b1f",
            "3a337dbf46a792c45e454913fe2ea8f2",
        ),
        short(
            KEY_256,
            LONG_NONCE,
            "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf4\
             0fc0c3b780f244452da3ebf1c5d82cdea2418997200ef82e44ae7e3f",
            "a44a8266ee1c8eb0c8b5d4cf5ae9f19a",
        ),
    ];
    check::<Seal>(&examples);
    let opening = examples.map(|e| Example { before: e.after, after: e.before, ..e });
    check::<Open>(&opening);
    // The first has no text, and so is a GMAC, too.
    check::<Gmac>(&examples[..1]);
}
