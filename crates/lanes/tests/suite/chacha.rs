//! ChaCha20 and ChaCha20-Poly1305: the examples of RFC 8439, counters at their end, texts in parts.

use broadloom_lanes::{Buffers, ChaChaKey, ChaChaLanes, CounterError, Cpu, Loan, Planner};

use crate::common::chacha::{ChaCha20, ChaChaOpen, ChaChaSeal, XChaChaOpen, XChaChaSeal};
use crate::common::packets::{Message, Mode};
use crate::common::{bytes, hex};
use crate::packet_answers::{self, Example};
use crate::packets;

/// The text of the examples in RFC 8439, 2.4.2 and 2.8.2.
const SUNSCREEN: &str = "4c616469657320616e642047656e746c656d656e206f662074686520636c6173\
                          73206f66202739393a204966204920636f756c64206f6666657220796f75206f\
                          6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73\
                          637265656e20776f756c642062652069742e";

/// RFC 8439, 2.4.2, and the first vectors of A.1, which are of keystream.
#[test]
fn chacha20_rfc_8439() {
    let examples = [
        Example {
            key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            nonce: "01000000000000000000004a00000000",
            before: SUNSCREEN,
            after: "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b\
                    f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8\
                    07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736\
                    5af90bbf74a35be6b40b8eedf2785e42874d",
            ..Example::default()
        },
        Example {
            key: ZEROS,
            nonce: &ZEROS[..32],
            before: "0000000000000000000000000000000000000000000000000000000000000000\
                     0000000000000000000000000000000000000000000000000000000000000000",
            after: "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
                    da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
            ..Example::default()
        },
    ];
    packet_answers::check::<ChaCha20>(&examples);
    let decrypting = examples.map(|e| Example { before: e.after, after: e.before, ..e });
    packet_answers::check::<ChaCha20>(&decrypting);
}

const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// RFC 8439, 2.8.2 and A.5.
#[test]
fn chacha20_poly1305_rfc_8439() {
    let examples = [
        Example {
            key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
            nonce: "070000004041424344454647",
            associated: "50515253c0c1c2c3c4c5c6c7",
            before: SUNSCREEN,
            after: "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6\
                    3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36\
                    92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
                    3ff4def08e4b7a9de576d26586cec64b6116",
            tag: "1ae10b594f09e26a7e902ecbd0600691",
        },
        Example {
            key: "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0",
            nonce: "000000000102030405060708",
            associated: "f33388860000000000004e91",
            before: "496e7465726e65742d4472616674732061726520647261667420646f63756d65\
                     6e74732076616c696420666f722061206d6178696d756d206f6620736978206d\
                     6f6e74687320616e64206d617920626520757064617465642c207265706c6163\
                     65642c206f72206f62736f6c65746564206279206f7468657220646f63756d65\
                     6e747320617420616e792074696d652e20497420697320696e617070726f7072\
                     6961746520746f2075736520496e7465726e65742d4472616674732061732072\
                     65666572656e6365206d6174657269616c206f7220746f206369746520746865\
                     6d206f74686572207468616e206173202fe2809c776f726b20696e2070726f67\
                     726573732e2fe2809d",
            after: "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb2\
                    4c6cfc18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf\
                    332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c855\
                    9797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4\
                    b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523e\
                    af4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a\
                    0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a10\
                    49e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29\
                    a6ad5cb4022b02709b",
            tag: "eead9d67890cbb22392336fea1851f38",
        },
    ];
    packet_answers::check::<ChaChaSeal>(&examples);
    let opening = examples.map(|e| Example { before: e.after, after: e.before, ..e });
    packet_answers::check::<ChaChaOpen>(&opening);
}

/// draft-irtf-cfrg-xchacha-03, A.3.1.
#[test]
fn xchacha20_poly1305_of_the_draft() {
    let example = Example {
        key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        nonce: "404142434445464748494a4b4c4d4e4f5051525354555657",
        associated: "50515253c0c1c2c3c4c5c6c7",
        before: "4c616469657320616e642047656e746c656d656e206f662074686520636c6173\
                 73206f66202739393a204966204920636f756c64206f6666657220796f75206f\
                 6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73\
                 637265656e20776f756c642062652069742e",
        after: "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb\
                731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452\
                2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9\
                21f9664c97637da9768812f615c68b13b52e",
        tag: "c0875924c1c7987947deafd8780acf49",
    };
    packet_answers::check::<XChaChaSeal>(&[example]);
    let opening = Example { before: example.after, after: example.before, ..example };
    packet_answers::check::<XChaChaOpen>(&[opening]);
}

/// Texts that are worked on in parts, alone and among others, with associated data long and short.
#[test]
fn long_texts() {
    const LENGTHS: [usize; 9] = [16384, 16385, 33000, 64, 70001, 1, 16383, 20000, 40960];
    fn all<M: Mode>() {
        let make = |(i, len): (usize, usize)| {
            let message = Message::new::<M>(i, 32, len);
            let associated = bytes(i, message.associated.len() * 11);
            Message { associated, ..message }
        };
        let lengths = LENGTHS.iter().take(if crate::common::brief() { 2 } else { LENGTHS.len() });
        packets::check::<M>(&lengths.copied().enumerate().map(make).collect::<Vec<_>>());
    }
    all::<ChaCha20>();
    all::<ChaChaSeal>();
    all::<ChaChaOpen>();
    all::<XChaChaSeal>();
    all::<XChaChaOpen>();
}

/// The counters of ChaCha20 may start anywhere, and go up to the last one.
#[test]
fn counters_of_any_size() {
    for len in [0usize, 1, 63, 64, 65, 500, 511, 512, 513, 1000, 2048] {
        let blocks = u32::try_from(len.div_ceil(64).max(1)).expect("few");
        let firsts = [0, 1, 0x7fff_fffe, 0xffff_ff00, 0u32.wrapping_sub(blocks)];
        let make = |first: &u32| {
            let nonce = [first.to_le_bytes().as_slice(), &bytes(len, 12)].concat();
            Message { key: bytes(9, 32), nonce, associated: Vec::new(), plain: bytes(5, len) }
        };
        packets::check::<ChaCha20>(&firsts.iter().map(make).collect::<Vec<_>>());
    }
}

#[test]
fn a_counter_that_would_wrap_is_refused_and_nothing_is_written() {
    let key = ChaChaKey::new(&[1; 32]);
    for len in 0..=200 {
        let (mut to, mut to_apart) = (vec![9; len], vec![8; len]);
        let from = to.clone();
        let refused = CounterError { first: u32::MAX - 1, blocks: len.div_ceil(64) as u64 };
        match (
            Loan::chacha20(&key, u32::MAX - 1, &[7; 12], &mut to),
            Loan::chacha20(&key, u32::MAX - 1, &[7; 12], Buffers::Apart(&from, &mut to_apart)),
        ) {
            (Ok(in_place), Ok(apart)) => {
                assert!(len <= 128);
                Planner::<ChaChaLanes>::new(&Cpu::detect()).process_each([in_place, apart]);
                let nonce = hex("feffffff070707070707070707070707");
                let message =
                    Message { key: vec![1; 32], nonce, associated: Vec::new(), plain: from };
                assert_eq!([&to, &to_apart], [&ChaCha20::expected(&message).0; 2]);
            }
            (in_place, apart) => {
                assert!(len > 128);
                assert_eq!([in_place.err(), apart.err()], [Some(refused); 2]);
                assert_eq!((to, to_apart), (vec![9; len], vec![8; len]));
                let words = refused.to_string();
                assert!(
                    words.contains("0xfffffffe") && words.contains(&refused.blocks.to_string()),
                    "{words}"
                );
            }
        }
    }
}
