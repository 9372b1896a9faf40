//! F8 and F9: the test data of TS 35.203, and many buffers against the standard bit by bit.

use broadloom_lanes::LinkDirection::{self, Downlink, Uplink};
use broadloom_lanes::{Buffers, Cpu, KasumiError, KasumiKey, KasumiLanes, Loan, Planner};

use crate::common::{bytes, hex, isas, kasumi as reference};

fn key_of(digits: &str) -> [u8; 16] {
    hex(digits).try_into().expect("16 bytes")
}

/// `bytes` with the bits after the first `bits` taken from `others`.
fn first_bits(bytes: &[u8], others: &[u8], bits: usize) -> Vec<u8> {
    let mask = |i: usize| match bits.saturating_sub(8 * i) {
        0 => 0,
        left => !(0xff_u8.checked_shr(left as u32).unwrap_or(0)),
    };
    let both = bytes.iter().zip(others).enumerate();
    both.map(|(i, (byte, other))| byte & mask(i) | other & !mask(i)).collect()
}

/// TS 35.203, 4.3.
#[test]
fn the_cipher_of_the_test_data() {
    let key = key_of("2bd6459f82c5b300952c49104881ff48");
    assert_eq!(reference::kasumi(&key, 0xea02_4714_ad5c_4d84), 0xdf1f_9b25_1c0b_f45f);
}

/// TS 35.203, 5.
#[test]
fn f8_of_the_test_data() {
    let sets = [
        (
            "2bd6459f82c5b300952c49104881ff48",
            (0x72a4_f20f, 0x0c, Downlink),
            798,
            "7ec61272743bf1614726446a6c38ced166f6ca76eb5430044286346cef130f92922b03450d3a9975e5bd2ea0eb55ad8e\
             1b199e3ec4316020e9a1b285e762795359b7bdfd39bef4b2484583d5afe082aee638bf5fd5a606193901a08f4ab41aab\
             9b134880",
            "d1e2de70eef86c6964fb542bc2d460aabfaa10a4a093262b7d199e706fc2d4891553296910f3a973012682e41c4e2b02\
             be2017b7253bbf9309de5819cb42e81956f4c99bc9765caf53b1d0bb8279826adbbc5522e915c120a618a5a7f5e89708\
             9339650c",
        ),
        (
            "efa8b2229e720c2a7c36ea55e9605695",
            (0xe28b_cf7b, 0x18, Uplink),
            510,
            "10111231e060253a43fd3f57e37607ab2827b599b6b1bbda37a8abcc5a8c550d1bfb2f494624fb50367fa36ce3bc68f1\
             1cf93b1510376b02130f812a9fa169d8",
            "3deacc7c15821caa89eecade9b5bd3614bd0c8419d710385ddbe5849ef1bac5ae8b14a5b0a6741521eb4e00bb9ecf3e9\
             f7ccb9cae74152d7f4e2a034b6ea00ec",
        ),
        (
            "d3c5d592327fb11c4035c6680af8c6d1",
            (0x398a_59b4, 0x05, Downlink),
            253,
            "981ba6824c1bfb1ab485472029b71d808ce33e2cc3c0b5fc1f3de8a6dc66b1f0",
            "5bb9431bb1e98bd11b93db7c3d45136559bb86a295aa204ecbebf6f7a5101510",
        ),
        (
            "5acb1d644c0d51204ea5f1451010d852",
            (0xfa55_6b26, 0x03, Downlink),
            120,
            "ad9c441f890b38c457a49d421407e8",
            "9bc92ca803c67b28a11a4bee5a0c25",
        ),
        (
            "6090eae04c83706eecbf652be8e36566",
            (0x72a4_f20f, 0x09, Uplink),
            837,
            "40981ba6824c1bfb4286b299783daf442c099f7ab0f58d5c8e46b104f08f01b41ab485472029b71d36bd1a3d90dc3a41\
             b46d51672ac4c9663a2be063da4bc8d2808ce33e2cccbfc634e1b259060876a0fbb5a437ebcc8d31c19e4454318745e3\
             987645987a986f2cb0",
            "ddb364dd2aaec24dff291957b78bad063ac579cd9041babe89fd195c0578cb9fde4217566178d20240206d07cfa619ec\
             059f63514459fc10d42dc9934e56ebc0cbc60d4d2df174774cbdcd5da4a350317a7f12e1949471f8a295f272e68fc071\
             59b07d8e2d26e45998",
        ),
    ];
    for cpu in isas() {
        let keys = sets.map(|set| KasumiKey::new(&key_of(set.0)));
        let texts = sets.map(|set| hex(set.3));
        let expected = sets.map(|set| hex(set.4));
        let mut buffers = texts.clone();
        let loans = buffers.iter_mut().zip(&sets).zip(&keys).map(|((buffer, set), key)| {
            let (count, bearer, direction) = set.1;
            Loan::f8(key, count, bearer, direction, buffer, set.2).expect("good lengths")
        });
        Planner::new(&cpu).process_each(loans);
        for (i, set) in sets.iter().enumerate() {
            let expected = first_bits(&expected[i], &texts[i], set.2);
            assert_eq!(buffers[i], expected, "set {} on {}", i + 1, cpu.isa());
            assert_eq!(reference::f8(&key_of(set.0), set.1, &texts[i], set.2), expected);
        }
    }
}

/// TS 35.203, 6.
#[test]
fn f9_of_the_test_data() {
    let sets = [
        (
            "2bd6459f82c5b300952c49104881ff48",
            (0x38a6_f056, 0x05d2_ec49, Uplink),
            189,
            "6b227737296f393c8079353edc87e2e805d2ec49a4f2d8e0",
            "f63bd72c",
        ),
        (
            "d42f682428201cafcd9f97945e6de7b7",
            (0x3edc_87e2, 0xa4f2_d8e2, Downlink),
            254,
            "b5924384328a4ae00b737109f8b6c8dd2b4db63dd533981ceb19aad52a5b2bc0",
            "a9daf1ff",
        ),
        (
            "fdb9cfdf28936cc483a31869d81b8fab",
            (0x36af_6144, 0x9838_f03a, Downlink),
            319,
            "5932bc0ace2b0aba33d8ac188ac54f346fad10bf9dee2920b43bd0c53a915cb7df6caa72053abff2",
            "1537d316",
        ),
        (
            "c736c6aab22bfff91e2698d2e22ad57e",
            (0x1479_3e41, 0x0397_e8fd, Downlink),
            384,
            "d0a7d463df9fb2b278833fa02e235aa172bd970c1473e12907fb648b6599aaa0b24a038665422b20a499276a50427009",
            "dd7dfadd",
        ),
        (
            "f4ebec69e73eaf2eb2cf6af4b3120ffd",
            (0x296f_393c, 0x6b22_7737, Downlink),
            1000,
            "10bfff839e0c71658dbb2d1707e145724f41c16f48bf403c3b18e38fd5d1663b6f6d900193e3cea8bb4f1b4f5be82203\
             2232a78d7d75238d5e6daecd3b4322cf59bc7ea84ab18811b5bfb7bc553f4fe44478ce287a14879990d18d12ca79d2c8\
             55149021cd5ce8ca0371ca04fcce143e3d7cfee94585b5885cac46068b",
            "c383839d",
        ),
    ];
    for cpu in isas() {
        let keys = sets.map(|set| KasumiKey::new(&key_of(set.0)));
        let texts = sets.map(|set| hex(set.3));
        let mut tags = [[0; 4]; 5];
        let all = texts.iter().zip(&mut tags).zip(&sets).zip(&keys);
        let loans = all.map(|(((text, tag), set), key)| {
            let (count, fresh, direction) = set.1;
            Loan::f9(key, count, fresh, direction, text, set.2, tag).expect("good lengths")
        });
        Planner::new(&cpu).process_each(loans);
        for (i, set) in sets.iter().enumerate() {
            assert_eq!(tags[i], *hex(set.4), "set {} on {}", i + 1, cpu.isa());
            assert_eq!(reference::f9(&key_of(set.0), set.1, &texts[i], set.2), tags[i]);
        }
    }
}

/// One message, and what the standard makes of it.
pub struct Message {
    secret: [u8; 16],
    key: KasumiKey,
    count: u32,
    bearer: u8,
    fresh: u32,
    direction: LinkDirection,
    pub text: Vec<u8>,
    bits: usize,
    pub f8: Vec<u8>,
    pub f9: [u8; 4],
}

impl Message {
    /// One that differs with its number; those with odd numbers have a byte more than they need.
    pub fn new(number: usize, bits: usize) -> Self {
        let secret = bytes(number * 3 + 1, 16).try_into().expect("16 bytes");
        let count = (number as u32).wrapping_mul(0x9e37_79b9);
        let fresh = (number as u32).wrapping_mul(0x85eb_ca6b);
        let bearer = (number % 32) as u8;
        let direction = if number.is_multiple_of(3) { Uplink } else { Downlink };
        let text = bytes(number + 2, bits.div_ceil(8) + number % 2);
        let f8 = reference::f8(&secret, (count, bearer, direction), &text, bits);
        let f9 = reference::f9(&secret, (count, fresh, direction), &text, bits);
        let key = KasumiKey::new(&secret);
        Message { secret, key, count, bearer, fresh, direction, text, bits, f8, f9 }
    }

    pub fn f8<'a>(&'a self, buffer: &'a mut [u8]) -> Loan<'a, KasumiLanes> {
        let Message { key, count, bearer, direction, bits, .. } = self;
        Loan::f8(key, *count, *bearer, *direction, buffer, *bits).expect("a good length")
    }

    fn f8_apart<'a>(&'a self, to: &'a mut [u8]) -> Loan<'a, KasumiLanes> {
        let Message { key, count, bearer, direction, bits, text, .. } = self;
        Loan::f8(key, *count, *bearer, *direction, Buffers::Apart(text, to), *bits)
            .expect("a good length")
    }

    pub fn f9<'a>(&'a self, data: &'a [u8], tag: &'a mut [u8; 4]) -> Loan<'a, KasumiLanes> {
        let Message { key, count, fresh, direction, bits, .. } = self;
        Loan::f9(key, *count, *fresh, *direction, data, *bits, tag).expect("a good length")
    }
}

/// Sends messages through F8 in place and apart, and F9, all in one call.
fn check(cpu: &Cpu, messages: &[Message]) {
    let mut places: Vec<_> = messages.iter().map(|message| message.text.clone()).collect();
    let mut aparts: Vec<_> =
        messages.iter().map(|message| vec![0x5a; message.text.len()]).collect();
    let mut tags = vec![[0; 4]; messages.len()];
    let all = messages.iter().zip(&mut places).zip(&mut aparts).zip(&mut tags);
    let loans = all.flat_map(|(((message, place), apart), tag)| {
        [message.f8(place), message.f9(&message.text, tag), message.f8_apart(apart)]
    });
    Planner::<KasumiLanes>::new(cpu).process_each(loans);
    for (i, message) in messages.iter().enumerate() {
        let what = || {
            let (of, bits, secret) = (messages.len(), message.bits, message.secret);
            format!("message {i} of {of} on {}, {bits} bits, key {secret:02x?}", cpu.isa())
        };
        assert_eq!(places[i], message.f8, "F8 of {}", what());
        let apart = first_bits(&message.f8, &vec![0x5a; message.text.len()], message.bits);
        assert_eq!(aparts[i], apart, "F8 apart of {}", what());
        assert_eq!(tags[i], message.f9, "F9 of {}", what());
    }
}

/// Every length up to five blocks, alone and beside others.
#[test]
fn every_length() {
    let messages: Vec<_> = (0..=if crate::common::brief() { 130 } else { 320 })
        .map(|bits| Message::new(bits, bits))
        .collect();
    for cpu in isas() {
        for message in messages.chunks(1) {
            check(&cpu, message);
        }
        check(&cpu, &messages);
    }
}

/// As many buffers as fill the lanes of each width, and one more or less.
#[test]
fn every_number_of_lanes() {
    let count = if crate::common::brief() { 65 } else { 513 };
    let messages: Vec<_> = (0..count).map(|i| Message::new(i, i * 37 % 300)).collect();
    for cpu in isas() {
        for count in [2, 31, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513] {
            check(&cpu, &messages[..count.min(messages.len())]);
        }
    }
}

/// Long among short, so that lanes are refilled while others go on.
#[test]
fn lengths_mix() {
    let bits = |i: usize| [i % 200, 64 * (i % 20), i * 911 % 20_000, 1][i % 4];
    let count = if crate::common::brief() { 8 } else { 700 };
    let messages: Vec<_> = (0..count).map(|i| Message::new(i, bits(i))).collect();
    isas().for_each(|cpu| check(&cpu, &messages));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let key = KasumiKey::new(&[1; 16]);
    let mut buffer = [7; 10];
    for bearer in 32..=255 {
        let refused = Loan::f8(&key, 1, bearer, Uplink, &mut buffer, 80).err();
        assert_eq!(refused, Some(KasumiError::Bearer { given: bearer }));
        assert!(refused.is_some_and(|error| error.to_string().contains(&bearer.to_string())));
    }
    for bits in [81, 88, 1000, usize::MAX] {
        let refused = Some(KasumiError::Bits { given: bits, bytes: 10 });
        let from = [7; 10];
        assert_eq!(Loan::f8(&key, 1, 2, Uplink, &mut buffer, bits).err(), refused);
        assert_eq!(
            Loan::f8(&key, 1, 2, Uplink, Buffers::Apart(&from, &mut buffer), bits).err(),
            refused
        );
        assert_eq!(Loan::f9(&key, 1, 2, Uplink, &buffer, bits, &mut [0; 4]).err(), refused);
        let words = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(words.contains(&bits.to_string()) && words.contains("10 bytes"), "{words}");
    }
    assert_eq!(buffer, [7; 10]);
}
