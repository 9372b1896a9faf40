//! Packets of libsrtp's tests and, with Cryptex, of RFC 9335, appendix A.

use std::slice::from_ref;
use std::sync::Arc;

use broadloom_packets::srtp::{
    MasterKey, SrtpConfig, SrtpContext, SrtpProfile, SrtpStream, is_rtcp, ssrc,
};

use crate::support::{protect, registry, unprotect};

struct Vector {
    profile: SrtpProfile,
    key: &'static str,
    salt: &'static str,
    /// The whole header is encrypted.
    cryptex: bool,
    /// The elements 1, 3 and 4 of the header extension are encrypted.
    elements: bool,
    plain: &'static str,
    sent: &'static str,
}

/// Returns the bytes of a text of hexadecimal digits.
pub fn hex(text: &str) -> Vec<u8> {
    let digit = |at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hex digits");
    (0..text.len() / 2).map(digit).collect()
}

#[test]
fn packets_are_those_of_others() {
    for vector in &VECTORS {
        let keys = [MasterKey::new(&hex(vector.key), &hex(vector.salt))];
        let mut config = SrtpConfig::new(vector.profile, keys);
        config.cryptex = vector.cryptex;
        if vector.elements {
            config.encrypted_extensions = vec![1, 3, 4];
        }
        let (plain, sent) = (hex(vector.plain), hex(vector.sent));
        let [ours, theirs] = [(); 2].map(|()| {
            let context = SrtpContext::new(&registry(), &config).expect("the keys fit");
            let ssrc = ssrc(&plain).expect("it is whole");
            // libsrtp's first index of SRTCP is 1.
            SrtpStream::resume(Arc::new(context), ssrc, 0, is_rtcp(&plain).into()).expect("it fits")
        });
        assert_eq!(protect(&ours, from_ref(&plain)), from_ref(&sent), "{}", vector.plain);
        assert_eq!(unprotect(&theirs, &[sent]), [Ok(plain)], "{}", vector.sent);
    }
}

const VECTORS: [Vector; 22] = [
    Vector {
        profile: SrtpProfile::Aes128CmHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: false,
        elements: false,
        plain: "800f1234decafbadcafebabeabababababababababababababababab",
        sent: "800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb",
    },
    Vector {
        profile: SrtpProfile::Aes128CmHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: false,
        elements: false,
        plain: "81c8000bcafebabeabababababababababababababababab",
        sent: "81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798",
    },
    Vector {
        profile: SrtpProfile::NullHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: false,
        elements: false,
        plain: "800f1234decafbadcafebabeabababababababababababababababab",
        sent: "800f1234decafbadcafebabeabababababababababababababababababa136270b679134ce9b",
    },
    Vector {
        profile: SrtpProfile::NullHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: false,
        elements: false,
        plain: "81c8000bcafebabeabababababababababababababababab",
        sent: "81c8000bcafebabeabababababababababababababababab00000001fe88c7fdfd37ebce615d",
    },
    Vector {
        profile: SrtpProfile::Aes128Gcm,
        key: "000102030405060708090a0b0c0d0e0f",
        salt: "a0a1a2a3a4a5a6a7a8a9aaab",
        cryptex: false,
        elements: false,
        plain: "800f1234decafbadcafebabeabababababababababababababababab",
        sent: "800f1234decafbadcafebabec5002ede04cfdd2eb91159e0880aa06ed2976826f796b201df31\
            31a127e8a392",
    },
    Vector {
        profile: SrtpProfile::Aes128Gcm,
        key: "000102030405060708090a0b0c0d0e0f",
        salt: "a0a1a2a3a4a5a6a7a8a9aaab",
        cryptex: false,
        elements: false,
        plain: "81c8000bcafebabeabababababababababababababababab",
        sent: "81c8000bcafebabec98b8b5df0392a55852b6c21ac8e7025c52c6fbea2b3b446ea31123ba88c\
            e61e80000001",
    },
    Vector {
        profile: SrtpProfile::Aes192CmHmacSha1_80,
        key: "73edc66c4fa15776fb57f9505c17136550ffda71f3e8e5f1",
        salt: "c8522f3acd4ce86d5add78edbb11",
        cryptex: false,
        elements: false,
        plain: "800f0000decafbad00000000abababababababababababababababab",
        sent: "800f0000decafbad00000000d98865552f2762c3ef37f837acfdb7122d6bc4dc84c76f74aea5",
    },
    Vector {
        profile: SrtpProfile::Aes256CmHmacSha1_80,
        key: "f0f04914b513f2763a1b1fa130f10e2998f6f6e43e4309d1e622a0e332b9f1b6",
        salt: "3b04803de51ee7c96423ab5b78d2",
        cryptex: false,
        elements: false,
        plain: "800f1234decafbadcafebabeabababababababababababababababab",
        sent: "800f1234decafbadcafebabef1d9de17ff251ff1aa007774b0b4b40da08d9d9a5b3a55d8873b",
    },
    Vector {
        profile: SrtpProfile::Aes128CmHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: false,
        elements: true,
        plain: "900f1234decafbadcafebabebede000617414273a475262748220000c8308e4655996386b395\
            fb00abababababababababababababababab",
        sent: "900f1234decafbadcafebabebede000617588a9270f4e15e1c220000c8309546a994f0bc5478\
            97004e55dc4ce79978d88ca4d215949d24025a46b3ca35c535a891c7",
    },
    Vector {
        profile: SrtpProfile::Aes128Gcm,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3a",
        cryptex: false,
        elements: true,
        plain: "900f1234decafbadcafebabebede000617414273a475262748220000c8308e4655996386b395\
            fb00abababababababababababababababab",
        sent: "900f1234decafbadcafebabebede00061712e0205bfa949b1c220000c830bb46732778d9929a\
            ab000eca0cf95ee955b26cd3d288b49f6ca9f4b1b759719eb5bc113b9ff1d40cd25a",
    },
    Vector {
        profile: SrtpProfile::Aes128CmHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: true,
        elements: false,
        plain: "900f1235decafbadcafebabebede000151000200abababababababababababababababab",
        sent: "900f1235decafbadcafebabec0de0001eb92365251c3e036f8de27e9c27ee3e0b4651d9fbc42\
            18a70244522f34a5",
    },
    Vector {
        profile: SrtpProfile::Aes128CmHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: true,
        elements: false,
        plain: "900f1236decafbadcafebabe1000000105020002abababababababababababababababab",
        sent: "900f1236decafbadcafebabec2de00014ed9cc4e6a712b3096c5ca77339d4204ce0d77396cab\
            69585fbce38194a5",
    },
    Vector {
        profile: SrtpProfile::Aes128CmHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: true,
        elements: false,
        plain: "920f1238decafbadcafebabe0001e2400000b26ebede000151000200abababababababababab\
            abababababab",
        sent: "920f1238decafbadcafebabe8bb6e12b5cff16ddc0de000192838c8c09e58393e1de3a9a7473\
            4d6745671338c3acf11da2df8423bee0",
    },
    Vector {
        profile: SrtpProfile::Aes128CmHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: true,
        elements: false,
        plain: "920f1239decafbadcafebabe0001e2400000b26e1000000105020002abababababababababab\
            abababababab",
        sent: "920f1239decafbadcafebabef70e513eb90b9b25c2de0001bbed4848faa644665f3d7f341259\
            14e9f4d0ae923c6f479b95a0f7b53133",
    },
    Vector {
        profile: SrtpProfile::Aes128CmHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: true,
        elements: false,
        plain: "920f123adecafbadcafebabe0001e2400000b26ebede0000abababababababababababababab\
            abab",
        sent: "920f123adecafbadcafebabe7130b6abfe2ab0e3c0de0000e3d9f64b25c9e74cb4cf8e43fb92\
            e3781c2c0ceab6b3a499a14c",
    },
    Vector {
        profile: SrtpProfile::Aes128CmHmacSha1_80,
        key: "e1f97a0d3e018be0d64fa32c06de4139",
        salt: "0ec675ad498afeebb6960b3aabe6",
        cryptex: true,
        elements: false,
        plain: "920f123bdecafbadcafebabe0001e2400000b26e10000000abababababababababababababab\
            abab",
        sent: "920f123bdecafbadcafebabecbf24c124330e1c8c2de0000599dd45bc9d687b603e8b59d771f\
            d38e88b170e0cd31e125eabe",
    },
    Vector {
        profile: SrtpProfile::Aes128Gcm,
        key: "000102030405060708090a0b0c0d0e0f",
        salt: "a0a1a2a3a4a5a6a7a8a9aaab",
        cryptex: true,
        elements: false,
        plain: "900f1235decafbadcafebabebede000151000200abababababababababababababababab",
        sent: "900f1235decafbadcafebabec0de000139972dc9572c4d99e8fc355de743fb2e94f9d8ff54e7\
            2f4193bbc5c74ffab0fa9fa0fbeb",
    },
    Vector {
        profile: SrtpProfile::Aes128Gcm,
        key: "000102030405060708090a0b0c0d0e0f",
        salt: "a0a1a2a3a4a5a6a7a8a9aaab",
        cryptex: true,
        elements: false,
        plain: "900f1236decafbadcafebabe1000000105020002abababababababababababababababab",
        sent: "900f1236decafbadcafebabec2de0001bb75a4c545cd1f413bdb7daa2b1e3263de313667c963\
            249081b35a65f5cb6c88b394235f",
    },
    Vector {
        profile: SrtpProfile::Aes128Gcm,
        key: "000102030405060708090a0b0c0d0e0f",
        salt: "a0a1a2a3a4a5a6a7a8a9aaab",
        cryptex: true,
        elements: false,
        plain: "920f1238decafbadcafebabe0001e2400000b26ebede000151000200abababababababababab\
            abababababab",
        sent: "920f1238decafbadcafebabe63bbccc4a7f695c4c0de00018ad7c71fac70a80c92866b4c6ba9\
            8546ef913586e95ffaaffe956885bb0647a8bc094ac8",
    },
    Vector {
        profile: SrtpProfile::Aes128Gcm,
        key: "000102030405060708090a0b0c0d0e0f",
        salt: "a0a1a2a3a4a5a6a7a8a9aaab",
        cryptex: true,
        elements: false,
        plain: "920f1239decafbadcafebabe0001e2400000b26e1000000105020002abababababababababab\
            abababababab",
        sent: "920f1239decafbadcafebabe3680524f8d312b00c2de0001c78d120038422bc111a7187a1824\
            6f980c059cc6bc9df8b626394eca344e4b05d80fea83",
    },
    Vector {
        profile: SrtpProfile::Aes128Gcm,
        key: "000102030405060708090a0b0c0d0e0f",
        salt: "a0a1a2a3a4a5a6a7a8a9aaab",
        cryptex: true,
        elements: false,
        plain: "920f123adecafbadcafebabe0001e2400000b26ebede0000abababababababababababababab\
            abab",
        sent: "920f123adecafbadcafebabe15b6bb4337906fffc0de0000b7b964537a2b03ab7ba5389ce933\
            17126b5d974df30c6884dcb651c5e120c1da",
    },
    Vector {
        profile: SrtpProfile::Aes128Gcm,
        key: "000102030405060708090a0b0c0d0e0f",
        salt: "a0a1a2a3a4a5a6a7a8a9aaab",
        cryptex: true,
        elements: false,
        plain: "920f123bdecafbadcafebabe0001e2400000b26e10000000abababababababababababababab\
            abab",
        sent: "920f123bdecafbadcafebabedcb38c9e48bf95f4c2de000061ee432cf920317076613258d3ce\
            4236c06ac429681ad08413512dc98b5207d8",
    },
];
