//! Chains of a cipher and a MAC, against each half done by an independent implementation.

use std::ops::Range;

use broadloom_lanes::{
    AesKey, CbcLanes, Chain, ChainCipher, ChainError, ChainJob, ChainLanes, Cpu, CtrLanes,
    HashLanes, HmacKey, Loan, OutOfPlace, Planner, Ranges, Sha1, Sha256, Sha512, Steps, TagError,
};

use crate::common::packets::{Ctr, Message, Mode};
use crate::common::{
    Kind, REFUSED, Reference, brief, bytes, cbc_decrypt, cbc_encrypt, cipher_cpus, hash_cpus,
};

/// A cipher that goes into chains, and its independent implementation.
trait Half: ChainCipher {
    fn cipher(encrypts: bool, key: &[u8], iv: &[u8; 16], text: &[u8]) -> Vec<u8>;
}

impl Half for CbcLanes {
    fn cipher(encrypts: bool, key: &[u8], iv: &[u8; 16], text: &[u8]) -> Vec<u8> {
        if encrypts { cbc_encrypt(key, iv, text) } else { cbc_decrypt(key, iv, text) }
    }
}

impl Half for CtrLanes {
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
    /// A packet of which about so many bytes are ciphered; with a header that is authenticated
    /// only, room for a tag where its steps have one, and bytes after all that nobody may touch.
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

    fn chain<'a, A: Reference>(&self, key: &'a AesKey, mac_key: &'a HmacKey<A>) -> Chain<'a, A> {
        let (iv, ranges) = (self.iv, self.ranges.clone());
        Chain { steps: self.steps, key, mac_key, iv, ranges }
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
        Loan::chain(&packet.chain(key, mac_key), buffer, tag)
    }));
    for (number, packet) in packets.iter().enumerate() {
        let (expected, tag) = packet.expected::<C, A>();
        let of = packets.len();
        let what = || {
            let (steps, ranges) = (packet.steps, &packet.ranges);
            format!(
                "packet {number} of {of}: {steps:?} with {} on {}, {ranges:?}",
                A::NAME,
                cpu.isa()
            )
        };
        assert!(buffers[number] == expected, "the bytes of {}", what());
        assert_eq!(tags[number][..A::DIGEST_LEN], tag[..], "the tag of {}", what());
        assert!(tags[number][A::DIGEST_LEN..].iter().all(|byte| *byte == 0xee), "{}", what());
    }
    let occupancy = planner.occupancy();
    assert!(0 < occupancy.used && occupancy.used <= occupancy.offered, "{occupancy:?}");
}

fn everywhere(cbc: Vec<Packet>, ctr: Vec<Packet>) {
    let mut cpus = hash_cpus();
    cpus.extend(cipher_cpus());
    for cpu in cpus {
        check::<CbcLanes, Sha1>(&cpu, &cbc);
        check::<CbcLanes, Sha256>(&cpu, &cbc);
        check::<CtrLanes, Sha1>(&cpu, &ctr);
        check::<CtrLanes, Sha512>(&cpu, &ctr);
    }
}

/// Both ways and both orders in one call, lengths mixed, and more packets than are under way at a
/// time.
#[test]
fn both_ways_and_both_orders_mix() {
    let count = if brief() { 70 } else { 700 };
    let len = |number: usize| [number % 70, number * 37 % 700, 64, number * 151 % 3000][number % 4];
    let cbc = (0..count).map(|number| Packet::new::<CbcLanes>(number, len(number)));
    let ctr = (0..count).map(|number| Packet::new::<CtrLanes>(number, len(number)));
    everywhere(cbc.collect(), ctr.collect());
}

#[test]
fn every_length_in_calls_of_any_size() {
    let step = if brief() { 37 } else { 3 };
    for len in (0..300).step_by(step) {
        let count = 1 + len % 23;
        let cbc = (0..count).map(|number| Packet::new::<CbcLanes>(number + len, len));
        let ctr = (0..count).map(|number| Packet::new::<CtrLanes>(number + len, len));
        everywhere(cbc.collect(), ctr.collect());
    }
}

/// Packets as jobs: those of even numbers are encrypted, the others are on the way back, and some
/// of those have a wrong tag.
pub struct Jobs;

impl Jobs {
    /// A packet that is to be encrypted, with a tag.
    fn packet(number: usize, len: usize) -> Packet {
        let steps = number / 2 % 2 * 2;
        let packet = Packet::new::<CbcLanes>(4 * (1 + number % 4) + steps, len.max(32));
        Packet { iv: bytes(number, 16).try_into().expect("16 bytes"), ..packet }
    }

    /// Returns `true` if a number's tag is wrong.
    fn is_forged(number: usize) -> bool {
        number % 6 == 5
    }
}

impl Kind for Jobs {
    const NAME: &'static str = "chain";
    type Job = ChainJob<'static, CbcLanes, Sha256, Vec<u8>, usize>;

    fn job(number: usize, len: usize) -> Self::Job {
        let mut packet = Jobs::packet(number, len);
        if !number.is_multiple_of(2) {
            packet.bytes = packet.expected::<CbcLanes, Sha256>().0;
            let last = packet.ranges.tag.end - 1;
            packet.bytes[last] ^= u8::from(Jobs::is_forged(number));
            packet.steps = match packet.steps {
                Steps::EncryptThenMac => Steps::MacThenDecrypt,
                _ => Steps::DecryptThenMac,
            };
        }
        let key = Box::leak(Box::new(AesKey::new(&packet.key).expect("a good length")));
        let mac_key = Box::leak(Box::new(HmacKey::new(&packet.mac_key)));
        ChainJob::over(packet.chain(key, mac_key), packet.bytes, number).expect("good ranges")
    }

    fn expected(number: usize, len: usize) -> Vec<u8> {
        let packet = Jobs::packet(number, len);
        let (bytes, tag) = packet.expected::<CbcLanes, Sha256>();
        if number.is_multiple_of(2) {
            return [bytes, tag].concat();
        }
        if Jobs::is_forged(number) {
            return REFUSED.to_vec();
        }
        // As it was, with its tag.
        let mut packet_back = packet.bytes;
        let place = packet.ranges.tag;
        packet_back[place.clone()].copy_from_slice(&tag[..place.len()]);
        packet_back
    }
}

#[test]
fn what_came_with_a_wrong_tag_is_wiped_and_nothing_else() {
    let (key, mac_key) =
        (AesKey::new(&[1; 16]).expect("a good length"), HmacKey::<Sha1>::new(b"key"));
    for steps in [Steps::MacThenDecrypt, Steps::DecryptThenMac] {
        let ranges = Ranges { cipher: 8..40, mac: 0..40, tag: 44..56 };
        let chain = Chain { steps, key: &key, mac_key: &mac_key, iv: [3; 16], ranges };
        let (source, mut destination) = (bytes(3, 64), vec![7; 64]);
        let buffer = OutOfPlace::new(&source[..], &mut destination[..]).expect("equal lengths");
        let mut jobs =
            [ChainJob::<CtrLanes, _, _, _>::over(chain, buffer, ()).expect("good ranges")];
        assert_eq!(jobs[0].output(), None);
        Planner::new(&Cpu::detect()).process_many(&mut jobs);
        assert_eq!((jobs[0].output(), jobs[0].tag()), (Some(Err(TagError)), None));
        let expected = [&source[..8], &[0; 32], &source[40..]].concat();
        assert_eq!((source, destination), (bytes(3, 64), expected));
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_value() {
    let (key, mac_key) =
        (AesKey::new(&[1; 16]).expect("a good length"), HmacKey::<Sha1>::new(b"key"));
    let ranges = || Ranges { cipher: 0..32, mac: 0..32, tag: 32..44 };
    let refused = |steps, ranges, expected: &str| {
        let chain = Chain { steps, key: &key, mac_key: &mac_key, iv: [0; 16], ranges };
        let error = ChainJob::<CbcLanes, _, _, _>::over(chain.clone(), vec![0; 64], ()).err();
        assert_eq!(error.expect("it was taken").to_string(), expected);
        if !chain.ranges.tag.is_empty() {
            let (mut packet, mut tag) = ([0; 64], [0; 20]);
            let lend = || {
                let _: Loan<'_, ChainLanes<CbcLanes, HashLanes<Sha1>>> =
                    Loan::chain(&chain, &mut packet, &mut tag);
            };
            let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(lend));
            let panic = panic.expect_err("it was taken");
            assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some(expected));
        }
    };
    let there = Steps::EncryptThenMac;
    let beyond = |range: &str| format!("{range} is not within a packet of 64 bytes");
    refused(there, Ranges { cipher: 0..80, ..ranges() }, &beyond("0..80"));
    refused(there, Ranges { mac: 60..65, ..ranges() }, &beyond("60..65"));
    refused(there, Ranges { tag: 60..72, ..ranges() }, &beyond("60..72"));
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    refused(there, Ranges { mac: 8..4, ..ranges() }, &beyond("8..4"));
    let odd = "31 bytes to be ciphered are no multiple of 16";
    refused(there, Ranges { cipher: 0..31, ..ranges() }, odd);
    let long = "a tag of 21 bytes, where there may be 4 to 20";
    refused(there, Ranges { tag: 32..53, ..ranges() }, long);
    let none = "a tag of 0 bytes, where there may be 4 to 20";
    refused(Steps::MacThenDecrypt, Ranges { tag: 44..44, ..ranges() }, none);
    for len in 1..4 {
        let short = format!("a tag of {len} bytes, where there may be 4 to 20");
        let ranges = Ranges { tag: 32..32 + len, ..ranges() };
        refused(there, ranges.clone(), &short);
        refused(Steps::MacThenDecrypt, ranges, &short);
    }
    let overlaps = |tag, other| {
        format!("the tag at {tag} overlaps what is authenticated or ciphered, {other}")
    };
    let back = [Steps::MacThenDecrypt, Steps::DecryptThenMac];
    for steps in [Steps::EncryptThenMac, Steps::MacThenEncrypt].into_iter().chain(back) {
        // Authenticated, it could never be the right one.
        refused(steps, Ranges { mac: 0..33, ..ranges() }, &overlaps("32..44", "0..33"));
        // Ciphered in part.
        refused(
            steps,
            Ranges { cipher: 0..48, tag: 46..58, ..ranges() },
            &overlaps("46..58", "0..48"),
        );
    }
    for steps in [Steps::EncryptThenMac, Steps::MacThenDecrypt] {
        // It would take the place of ciphertext.
        refused(steps, Ranges { cipher: 0..48, ..ranges() }, &overlaps("32..44", "0..48"));
    }
    for steps in [Steps::MacThenEncrypt, Steps::DecryptThenMac] {
        let ranges = Ranges { cipher: 0..48, ..ranges() };
        let chain = Chain { steps, key: &key, mac_key: &mac_key, iv: [0; 16], ranges };
        assert!(ChainJob::<CbcLanes, _, _, _>::over(chain, vec![0; 64], ()).is_ok());
    }
    let chain = Chain { steps: there, key: &key, mac_key: &mac_key, iv: [0; 16], ranges: ranges() };
    let short = ChainJob::<CtrLanes, _, _, _>::over(chain, vec![0; 40], ()).err();
    assert_eq!(short, Some(ChainError::Range { start: 32, end: 44, len: 40 }));
}
