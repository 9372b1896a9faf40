//! Vectors: "Test Cases for the use of Galois/Counter Mode (GCM) and Galois Message Authentication
//! Code (GMAC) in IPsec ESP" (draft-mcgrew-gcm-test-01), and RFC 7634, appendix A.

use broadloom_engine::AesSize;
use broadloom_packets::PacketProcessor;
use broadloom_packets::esp::{EspAlgorithm, EspConfig, EspFlow, EspKeys};

use super::hex;
use crate::support::{packet, registry};

/// One packet: the key, the sequence number in as many digits as it has bits, the packet, and its
/// text with the trailer.
struct Vector {
    key: &'static str,
    salt: &'static str,
    number: &'static str,
    packet: &'static str,
    text: &'static str,
}

/// The draft's packets, but for the one with SPI 0, which is not for packets on the wire (RFC 4303,
/// 2.1), and the one with number 2^64 - 1, after which no number comes.
const GCM: &[Vector] = &[
    Vector {
        key: "4c80cdefbb5d10da906ac73c3613a634",
        salt: "2e443b68",
        number: "8765432100000000",
        packet: "00004321000000004956ed7e3b244cfefecf537e729d5b07dc30df528dd22b76\
            8d1b98736696a6fd348509fa13ceac34cfa2436f14a3f3cf65925bf1f4a13c5d\
            15b21e1884f5ff6247aeabb786b93bce61bc17d768fd9732459018148f6cbe72\
            2fd04796562dfdb4",
        text: "45000048699a000080114db7c0a80102c0a801010a9bf15638d3010000010000\
            00000000045f736970045f756470037369700963796265726369747902646b00\
            0021000101020201",
    },
    Vector {
        key: "feffe9928665731c6d6a8f9467308308",
        salt: "cafebabe",
        number: "0000000a",
        packet: "0000a5f80000000afacedbaddecaf888deb22cd9b07c72c16e3a65beeb8df304\
            a5a5897d33ae530f1ba76d5d114d2a5c3de81827c10e9a4f51330d0eec416642\
            cfbb85a5b47e48a4ec3b9ba95d918bd183b70d3aa8bc6ee4c309e9d85a41ad4a",
        text: "4500003e698f000080114dccc0a80102c0a801010a980035002a2343b2d00100\
            0001000000000000037369700963796265726369747902646b00000100010001",
    },
    Vector {
        key: "abbccddef00112233445566778899aababbccddef00112233445566778899aab",
        salt: "11223344",
        number: "00000002",
        packet: "4a2cbfe3000000020102030405060708ff425c9b724599df7a3bcd510194e00d\
            6a78107f1b0b1cbf06efae9d65a5d763748a637985771d347f0545659f14e99d\
            ef842d8eb335f4eecfdbf831824b4c4915956c96",
        text: "4500003069a6400080062690c0a801029389155e0a9e008b2dc57ee000000000\
            7002400020bf0000020405b40101040201020201",
    },
    Vector {
        key: "3de09874b388e6491988d0c3607eae1f",
        salt: "57690e43",
        number: "1010101010101010",
        packet: "42f67e3f101010104e280000a2fca1a3fba2caa4853cf9f0f22cb10d86dd83b0\
            fec75691cf1a04b00d1138ec9c35791765acbd8701ad79845bf9fe3fba487bc9\
            1755e6662b4c8d0d1f5e22739530320ae0d731cc978ecafaeae88f00e80d6e48",
        text: "4500003c99c300008001cb7c40679318010101010800085c0200430061626364\
            65666768696a6b6c6d6e6f707172737475767761626364656667686901020201",
    },
    Vector {
        key: "3de09874b388e6491988d0c3607eae1f",
        salt: "57690e43",
        number: "1010101010101010",
        packet: "42f67e3f101010104e280000a2fca1a3fba2ca845e5df9f0f22c3e6e86dd831e\
            1fc65792cd1af9130e1379ed369f071f35e034be95f112e4e7d05d35",
        text: "4500001c42a200008001441f406793b6e00000020a00f5ff01020201",
    },
    Vector {
        key: "feffe9928665731c6d6a8f9467308308feffe9928665731c",
        salt: "cafebabe",
        number: "0000000a",
        packet: "0000a5f80000000afacedbaddecaf888a5b1f8066029aea40e598b8122de0242\
            0938b3ab33f828e687b8858b5bfbdbd0315b27452144cc7795457b9652037f53\
            18027b5b4cd7a636",
        text: "45000028a4ad4000400678800a01038f0a010612802306b8cb712602dd6bb03e\
            501016d075680001",
    },
    Vector {
        key: "abbccddef00112233445566778899aab",
        salt: "decaf888",
        number: "0000000000000001",
        packet: "0000010000000001cafedebaceface7418a6fd42f72cbf4ab2a2ea901f73d814\
            e3e7f243d95412e1c349c1d2fbec168f9190feebaf2cb01984e65863965d7472\
            b79da345e0e780191f0d2f0e0f496c226f2127b27db35724e7845d68651f57e6\
            5f354f75ff17015769623436",
        text: "4500004933ba00007f119106c3fb1d10c2b1d326c02831ce0035dd7b800302d5\
            00004e20001e8c18d75b81dc91baa0476b91b924b280389d92c963bac046ec95\
            9b6266c04722b14923010101",
    },
    Vector {
        key: "abbccddef00112233445566778899aababbccddef00112233445566778899aab",
        salt: "73616c74",
        number: "156f3126dd0db99b",
        packet: "17405e67dd0db99b616e640169766563f2d69ecdbd5a0d5b8d5ef38bad4da58d\
            1f278fde98ef67549d524a3018d9a57ff4d3a31ce673119e451626c2415771e3\
            b7eebca614c89b35",
        text: "45080028732c00004006e9f90a0106120a01038f06b88023dd6bafbecb712602\
            50101f646d540001",
    },
    Vector {
        key: "3de09874b388e6491988d0c3607eae1f",
        salt: "57690e43",
        number: "1010101010101010",
        packet: "42f67e3f101010104e280000a2fca1a3fba2cad12fc1f9f00d3cebf305410db8\
            3d7784b607323d220f24b0a97d54182800cadb0f68d99ef0e0c0c89ae9bea888\
            4e52d65bc1afd0740f742444747b5b39ab533163aad4550ee5160975cdb608c5\
            769189609763b8e18caa81e2",
        text: "45000049333e00007f119182c3fb1d10c2b1d326c02831ce0035cb458003025b\
            000001e0001e8c18d65759d52284a0352c71475c8880391c764d6e5ee0496b32\
            5ae270c03899493915010101",
    },
    Vector {
        key: "abbccddef00112233445566778899aababbccddef00112233445566778899aab",
        salt: "73616c74",
        number: "156f3126dd0db99b",
        packet: "17405e67dd0db99b616e640169766563d4b7ed86a1777f2ea13d6973d324c69e\
            7b43f826fb56831226508bebd2dceb18d0a6df10e5487df074113e14c641024e\
            3e6773d91a62ee429b043a10e3efe6b012a49363412364f8c0cac587f249e56b\
            11e24f30e44ccc76",
        text: "636973636f0172756c657301746865016e6574776501646566696e6501746865\
            746563686e6f6c6f67696573017468617477696c6c01646566696e65746f6d6f\
            72726f7701020201",
    },
    Vector {
        key: "7d773d00c144c525ac619d18c84a3f47",
        salt: "d9664267",
        number: "ffffffff",
        packet: "335467aeffffffff43457e9182443bc6437f866bcb3f699fe9b0822bac961c45\
            04bef270",
        text: "01020201",
    },
    Vector {
        key: "abbccddef00112233445566778899aab",
        salt: "decaf888",
        number: "0000000000000001",
        packet: "0000010000000001cafedebaceface7429c9fc69a197d038ccdd14e2ddfcaa05\
            43332164412503524303ed3c6c5f283843af8c3e",
        text: "746f016265016f72016e6f7401746f0162650001",
    },
];

/// Unprotects a vector's packet, and compares it with the text.
fn check(algorithm: EspAlgorithm, vector: &Vector) {
    let [key, salt, sent, text] = [vector.key, vector.salt, vector.packet, vector.text].map(hex);
    let spi = u32::from_be_bytes(sent[..4].try_into().expect("4 bytes"));
    let keys = EspKeys { key: &key, salt: &salt, integrity: &[] };
    let config = EspConfig {
        extended: vector.number.len() == 16,
        first: u64::from_str_radix(vector.number, 16).expect("a number"),
        ..EspConfig::new(algorithm, keys, spi)
    };
    let flow = EspFlow::inbound(&registry(), &config).expect("the keys fit");
    let mut packets = [packet(&flow, &sent)];
    PacketProcessor::new().unprotect_burst(&mut packets);
    assert_eq!(packets[0].status(), Some(Ok(())), "{}", vector.packet);
    let [payload @ .., padding, next_header] = text.as_slice() else { panic!("no trailer") };
    assert_eq!(packets[0].bytes(), &payload[..payload.len() - usize::from(*padding)]);
    assert_eq!(packets[0].meta().next_header, *next_header);
}

#[test]
fn packets_of_the_draft_on_gcm_are_read() {
    for vector in GCM {
        let size = match vector.key.len() {
            32 => AesSize::Aes128,
            48 => AesSize::Aes192,
            _ => AesSize::Aes256,
        };
        check(EspAlgorithm::AesGcm(size), vector);
    }
}

#[test]
fn the_packet_of_rfc_7634_is_read() {
    let vector = Vector {
        key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        salt: "a0a1a2a3",
        number: "00000005",
        packet: "01020304000000051011121314151617\
            24039428b97f417e3c13753a4f05087b67c352e6a7fab1b982d466ef407ae5c6\
            14ee8099d52844eb61aa95dfab4c02f72aa71e7c4c4f64c9befe2facc638e8f3\
            cbec163fac469b502773f6fb94e664da9165b82829f641e0\
            76aaa8266b7fb0f7b11b369907e1ad43",
        text: "45000054a6f200004001e778c6336405c000020508005b7a3a080000553bec10\
            0007362708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223\
            2425262728292a2b2c2d2e2f303132333435363701020204",
    };
    check(EspAlgorithm::ChaCha20Poly1305, &vector);
}
