//! Chains of a cipher and a MAC, against each half done by an independent implementation.

use std::ops::Range;

use broadloom_lanes::{
    AesKey, CbcLanes, ChainCipher, ChainLanes, Cpu, CtrLanes, HashLanes, HmacKey, Loan, Planner, Ranges,
    Sha1, Sha256, Sha512, Steps,
};

use crate::common::packets::{Ctr, Message, Mode};
use crate::common::{Reference, brief, bytes, cbc_decrypt, cbc_encrypt, cipher_cpus, hash_cpus};

/// A cipher that goes into chains, and its independent implementation.
trait Half: ChainCipher {
    /// What a ciphered range is a multiple of.
    const GRANULARITY: usize;
    fn cipher(encrypts: bool, key: &[u8], iv: &[u8; 16], text: &[u8]) -> Vec<u8>;
}

impl Half for CbcLanes {
    const GRANULARITY: usize = 16;

    fn cipher(encrypts: bool, key: &[u8], iv: &[u8; 16], text: &[u8]) -> Vec<u8> {
        if encrypts { cbc_encrypt(key, iv, text) } else { cbc_decrypt(key, iv, text) }
    }
}

impl Half for CtrLanes {
    const GRANULARITY: usize = 1;

    fn cipher(_: bool, key: &[u8], iv: &[u8; 16], text: &[u8]) -> Vec<u8> {
        let (key, nonce, plain) = (key.to_vec(), iv.to_vec(), text.to_vec());
        Ctr::expected(&Message { key, nonce, associated: Vec::new(), plain }).0
    }
}

const STEPS: [Steps; 4] =
    [Steps::EncryptThenMac, Steps::MacThenDecrypt, Steps::MacThenEncrypt, Steps::DecryptThenMac];

/// One packet and all that belongs to it.
struct Packet {
    steps: Steps,
    key: Vec<u8>,
    mac_key: Vec<u8>,
    iv: [u8; 16],
    ranges: Ranges,
    bytes: Vec<u8>,
}

impl Packet {
    /// A packet of which about so many bytes are ciphered; with a header that is authenticated only, room
    /// for a tag where its steps have one, and bytes after all that nobody may touch.
    fn new<C: Half>(number: usize, len: usize) -> Self {
        let steps = STEPS[number % 4];
        let header = number * 7 % 30;
        let len = len.next_multiple_of(C::GRANULARITY);
        let cipher = header..header + len;
        let tag_len = [0, 10, 12, 16, 20][number / 4 % 5];
        let (mac, tag, end) = match steps {
            Steps::EncryptThenMac => {
                (number % 3..cipher.end, cipher.end..cipher.end + tag_len, cipher.end + tag_len)
            }
            // As TLS has it: the tag is the end of what is encrypted.
            Steps::MacThenEncrypt if len >= tag_len => {
                (0..cipher.end - tag_len, cipher.end - tag_len..cipher.end, cipher.end)
            }
            _ => (number % 2..cipher.end.max(1), 0..0, cipher.end.max(1)),
        };
        Packet {
            steps,
            key: bytes(number, [16, 24, 32][number / 3 % 3]),
            mac_key: bytes(number + 1, number % 90),
            iv: bytes(number + 2, 16).try_into().expect("16 bytes"),
            ranges: Ranges { cipher, mac, tag },
            bytes: bytes(number + 3, end + number % 5),
        }
    }

    /// The packet afterwards, and its whole tag.
    fn expected<C: Half, A: Reference>(&self) -> (Vec<u8>, Vec<u8>) {
        let Packet { steps, key, mac_key, iv, ranges, bytes } = self;
        let mut packet = bytes.clone();
        let cipher = |packet: &mut Vec<u8>, encrypts| {
            let range: Range<usize> = ranges.cipher.clone();
            let output = C::cipher(encrypts, key, iv, &packet[range.clone()]);
            packet[range].copy_from_slice(&output);
        };
        let mac = |packet: &mut Vec<u8>| {
            let tag = A::hmac(mac_key, &packet[ranges.mac.clone()]);
            packet[ranges.tag.clone()].copy_from_slice(&tag[..ranges.tag.len()]);
            tag
        };
        let tag = match steps {
            Steps::EncryptThenMac => {
                cipher(&mut packet, true);
                mac(&mut packet)
            }
            Steps::DecryptThenMac => {
                cipher(&mut packet, false);
                mac(&mut packet)
            }
            Steps::MacThenEncrypt => {
                let tag = mac(&mut packet);
                cipher(&mut packet, true);
                tag
            }
            Steps::MacThenDecrypt => {
                let tag = mac(&mut packet);
                cipher(&mut packet, false);
                tag
            }
        };
        (packet, tag)
    }
}

/// Sends packets through a planner in one call, and compares them and their tags.
fn check<C: Half, A: Reference>(cpu: &Cpu, packets: &[Packet]) {
    let keys: Vec<_> = packets
        .iter()
        .map(|packet| {
            let key = AesKey::new(&packet.key).expect("a good length");
            (key, HmacKey::<A>::new(&packet.mac_key))
        })
        .collect();
    let mut buffers: Vec<_> = packets.iter().map(|packet| packet.bytes.clone()).collect();
    let mut tags = vec![[0xee_u8; 64]; packets.len()];
    let all = packets.iter().zip(&keys).zip(&mut buffers).zip(&mut tags);
    let mut planner = Planner::<ChainLanes<C, HashLanes<A>>>::new(cpu);
    planner.process_each(all.map(|(((packet, (key, mac_key)), buffer), tag)| {
        Loan::chain(packet.steps, (key, mac_key), &packet.iv, buffer, packet.ranges.clone(), tag)
    }));
    for (number, packet) in packets.iter().enumerate() {
        let (expected, tag) = packet.expected::<C, A>();
        let of = packets.len();
        let what = || {
            let (steps, ranges) = (packet.steps, &packet.ranges);
            format!("packet {number} of {of}: {steps:?} with {} on {}, {ranges:?}", A::NAME, cpu.isa())
        };
        assert!(buffers[number] == expected, "the bytes of {}", what());
        assert_eq!(tags[number][..A::DIGEST_LEN], tag[..], "the tag of {}", what());
        assert!(tags[number][A::DIGEST_LEN..].iter().all(|byte| *byte == 0xee), "{}", what());
    }
    let occupancy = planner.occupancy();
    assert!(0 < occupancy.used && occupancy.used <= occupancy.offered, "{occupancy:?}");
}

fn everywhere(packets: impl Fn() -> [Vec<Packet>; 2]) {
    let [cbc, ctr] = packets();
    let mut cpus = hash_cpus();
    cpus.extend(cipher_cpus());
    for cpu in cpus {
        check::<CbcLanes, Sha1>(&cpu, &cbc);
        check::<CbcLanes, Sha256>(&cpu, &cbc);
        check::<CtrLanes, Sha1>(&cpu, &ctr);
        check::<CtrLanes, Sha512>(&cpu, &ctr);
    }
}

/// Both ways and both orders in one call, lengths mixed, and more packets than are under way at a time.
#[test]
fn both_ways_and_both_orders_mix() {
    let count = if brief() { 70 } else { 700 };
    let len = |number: usize| [number % 70, number * 37 % 700, 64, number * 151 % 3000][number % 4];
    everywhere(|| {
        let cbc = (0..count).map(|number| Packet::new::<CbcLanes>(number, len(number)));
        let ctr = (0..count).map(|number| Packet::new::<CtrLanes>(number, len(number)));
        [cbc.collect(), ctr.collect()]
    });
}

#[test]
fn every_length_in_calls_of_any_size() {
    let step = if brief() { 37 } else { 3 };
    for len in (0..300).step_by(step) {
        let count = 1 + len % 23;
        everywhere(|| {
            let cbc = (0..count).map(|number| Packet::new::<CbcLanes>(number + len, len));
            let ctr = (0..count).map(|number| Packet::new::<CtrLanes>(number + len, len));
            [cbc.collect(), ctr.collect()]
        });
    }
}

/// What is asked of a packet of 64 bytes, and the message that refuses it.
#[track_caller]
fn refused(ranges: Ranges, tag_room: usize, reason: &str) {
    let outcome = std::panic::catch_unwind(|| {
        let (key, mac_key) = (AesKey::new(&[1; 16]).expect("a good length"), HmacKey::new(b"key"));
        let (mut packet, mut tag) = ([0; 64], vec![0; tag_room]);
        let _: Loan<'_, ChainLanes<CbcLanes, HashLanes<Sha1>>> =
            Loan::chain(STEPS[0], (&key, &mac_key), &[0; 16], &mut packet, ranges, &mut tag);
    });
    let panic = outcome.expect_err("it was taken");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains(reason), "{message}");
}

#[test]
fn what_does_not_fit_is_refused_with_the_value() {
    let ranges = || Ranges { cipher: 0..32, mac: 0..32, tag: 32..44 };
    refused(Ranges { cipher: 0..80, ..ranges() }, 20, "0..80 is not within a packet of 64 bytes");
    refused(Ranges { mac: 60..65, ..ranges() }, 20, "60..65 is not within a packet of 64 bytes");
    refused(Ranges { tag: 60..72, ..ranges() }, 20, "60..72 is not within a packet of 64 bytes");
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    refused(Ranges { mac: 8..4, ..ranges() }, 20, "8..4 is not within a packet of 64 bytes");
    refused(Ranges { tag: 32..53, ..ranges() }, 20, "21 bytes of a tag of 20");
    refused(Ranges { cipher: 0..31, ..ranges() }, 20, "31 bytes are no whole blocks");
    refused(ranges(), 19, "19 bytes of room for a digest");
}
