//! DES and triple DES: answers of the standards, and the RustCrypto crates, on every instruction
//! set.

use std::sync::OnceLock;

use broadloom_lanes::{Cpu, DesJob, DesKey, DesLanes, LengthError, Loan, Planner};
use cbc::cipher::block_padding::NoPadding;
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use ctr::cipher::StreamCipher;

use crate::allocations::allocations;
use crate::common::packets::Text;
use crate::common::{Kind, bytes, hex, isas};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    EcbEncrypt,
    EcbDecrypt,
    CbcEncrypt,
    CbcDecrypt,
    Counter,
}

use Mode::{CbcDecrypt, CbcEncrypt, Counter, EcbDecrypt, EcbEncrypt};

const MODES: [Mode; 5] = [EcbEncrypt, EcbDecrypt, CbcEncrypt, CbcDecrypt, Counter];

/// Bytes of keys for DES and for triple DES.
const KEYS: [usize; 2] = [8, 24];

/// More blocks than any kernel has lanes.
const MANY: usize = if cfg!(miri) { 70 } else { 600 };

impl Mode {
    fn loan<'a>(
        self,
        key: &'a DesKey,
        iv: &[u8; 8],
        text: Text<'a>,
    ) -> Result<Loan<'a, DesLanes>, LengthError> {
        match self {
            EcbEncrypt => Loan::des_ecb_encrypt(key, text),
            EcbDecrypt => Loan::des_ecb_decrypt(key, text),
            CbcEncrypt => Loan::des_cbc_encrypt(key, iv, text),
            CbcDecrypt => Loan::des_cbc_decrypt(key, iv, text),
            Counter => Ok(Loan::des_ctr(key, iv, text)),
        }
    }

    /// What the other implementation makes of a text.
    fn expected(self, key: &[u8], iv: &[u8], text: &[u8]) -> Vec<u8> {
        macro_rules! with {
            ($des:ty) => {{
                let mut text = text.to_vec();
                let len = text.len();
                let no_iv = [0; 8];
                match self {
                    EcbEncrypt => text.chunks_mut(8).for_each(|block| {
                        let mode = cbc::Encryptor::<$des>::new_from_slices(key, &no_iv);
                        let mode = mode.expect("good lengths");
                        mode.encrypt_padded::<NoPadding>(block, 8).expect("a block");
                    }),
                    EcbDecrypt => text.chunks_mut(8).for_each(|block| {
                        let mode = cbc::Decryptor::<$des>::new_from_slices(key, &no_iv);
                        mode.expect("good lengths")
                            .decrypt_padded::<NoPadding>(block)
                            .expect("a block");
                    }),
                    CbcEncrypt => {
                        let mode = cbc::Encryptor::<$des>::new_from_slices(key, iv);
                        let mode = mode.expect("good lengths");
                        mode.encrypt_padded::<NoPadding>(&mut text, len).expect("blocks");
                    }
                    CbcDecrypt => {
                        let mode = cbc::Decryptor::<$des>::new_from_slices(key, iv);
                        let mode = mode.expect("good lengths");
                        mode.decrypt_padded::<NoPadding>(&mut text).expect("blocks");
                    }
                    Counter => {
                        let mode = ctr::Ctr64BE::<$des>::new_from_slices(key, iv);
                        mode.expect("good lengths").apply_keystream(&mut text);
                    }
                }
                text
            }};
        }
        if key.len() == 8 { with!(::des::Des) } else { with!(::des::TdesEde3) }
    }

    /// The length that a text may have: this one or a little less.
    fn whole(self, len: usize) -> usize {
        if self == Counter { len } else { len / 8 * 8 }
    }
}

/// A text, and what is done with it.
#[derive(Clone, Debug)]
struct Message {
    mode: Mode,
    key: Vec<u8>,
    iv: [u8; 8],
    text: Vec<u8>,
}

impl Message {
    /// One that differs with its number.
    fn new(number: usize, mode: Mode, key_len: usize, len: usize) -> Self {
        let iv = (number as u64 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
        let text = bytes(number + 4, mode.whole(len));
        // Their parity is of no account.
        let key = (0..key_len)
            .map(|i| ((number * 131) ^ (i * 57) ^ ((number >> 3) * (i + 5))) as u8)
            .collect();
        Message { mode, key, iv, text }
    }
}

/// The jobs of all modes in turn, with a key for DES and one for triple DES.
pub struct Jobs;

impl Jobs {
    fn message(number: usize, len: usize) -> Message {
        let key = bytes(1, KEYS[number % 2]);
        Message { key, ..Message::new(number, MODES[number / 2 % 5], 8, len) }
    }
}

impl Kind for Jobs {
    type Job = DesJob<'static, Vec<u8>, usize>;
    const NAME: &'static str = "des";

    fn job(number: usize, len: usize) -> Self::Job {
        static EXPANDED: OnceLock<[DesKey; 2]> = OnceLock::new();
        let keys = || KEYS.map(|len| DesKey::new(&bytes(1, len)).expect("a good key"));
        let key = &EXPANDED.get_or_init(keys)[number % 2];
        let Message { mode, iv, text, .. } = Self::message(number, len);
        let job = match mode {
            EcbEncrypt => DesJob::ecb_encrypt(key, text, number),
            EcbDecrypt => DesJob::ecb_decrypt(key, text, number),
            CbcEncrypt => DesJob::cbc_encrypt(key, iv, text, number),
            CbcDecrypt => DesJob::cbc_decrypt(key, iv, text, number),
            Counter => Ok(DesJob::ctr(key, iv, text, number)),
        };
        job.expect("whole blocks")
    }

    fn expected(number: usize, len: usize) -> Vec<u8> {
        let Message { mode, key, iv, text } = Self::message(number, len);
        mode.expected(&key, &iv, &text)
    }
}

/// A planner for every instruction set.
fn planners() -> Vec<(Cpu, Planner<DesLanes>)> {
    isas().map(|cpu| (cpu.clone(), Planner::new(&cpu))).collect()
}

/// Sends messages through each planner in one call, every other one in place, each at its own
/// alignment; compares what comes out, and what is around it.
fn check(planners: &mut [(Cpu, Planner<DesLanes>)], messages: &[Message]) {
    let expected =
        messages.iter().map(|Message { mode, key, iv, text }| mode.expected(key, iv, text));
    let expected: Vec<_> = expected.collect();
    for (cpu, planner) in planners {
        check_on(cpu, planner, messages, &expected);
    }
}

fn check_on(
    cpu: &Cpu,
    planner: &mut Planner<DesLanes>,
    messages: &[Message],
    expected: &[Vec<u8>],
) {
    const AROUND: usize = 9;
    let keys: Vec<_> =
        messages.iter().map(|m| DesKey::allowing_weak(&m.key).expect("a length")).collect();
    let start = |i: usize| AROUND + i % 16;
    let frame = |i: usize, text: &[u8]| [&vec![0xa7; start(i)], text, &[0xa7; AROUND]].concat();
    let froms: Vec<_> = messages.iter().enumerate().map(|(i, m)| frame(i, &m.text)).collect();
    let mut tos = froms.clone();
    for (i, to) in tos.iter_mut().enumerate().skip(1).step_by(2) {
        let end = to.len() - AROUND;
        to[start(i)..end].fill(0x55);
    }
    let all = messages.iter().zip(&keys).zip(&froms).zip(&mut tos).enumerate();
    planner.process_each(all.map(|(i, (((message, key), from), to))| {
        let range = start(i)..from.len() - AROUND;
        let text = match i % 2 {
            0 => Text::InPlace(&mut to[range]),
            _ => Text::Apart(&from[range.clone()], &mut to[range]),
        };
        message.mode.loan(key, &message.iv, text).expect("whole blocks")
    }));
    for (i, (message, to)) in messages.iter().zip(&tos).enumerate() {
        let Message { mode, key, text, .. } = message;
        let (of, isa, bits, len) = (messages.len(), cpu.isa(), 8 * key.len(), text.len());
        assert!(
            *to == frame(i, &expected[i]),
            "{mode:?} on {isa}, message {i} of {of}, a key of {bits} bits, {len} bytes"
        );
    }
}

/// An example in hexadecimal, both ways: CBC if there is an IV, else ECB.
fn check_answers(key: &str, iv: Option<&str>, plain: &str, cipher: &str) {
    let key = DesKey::allowing_weak(&hex(key)).expect("a good length");
    let modes = if iv.is_some() { [CbcEncrypt, CbcDecrypt] } else { [EcbEncrypt, EcbDecrypt] };
    let iv = hex(iv.unwrap_or("0000000000000000")).try_into().expect("8 bytes");
    for cpu in isas() {
        for (mode, [from, to]) in modes.into_iter().zip([[plain, cipher], [cipher, plain]]) {
            let mut text = hex(from);
            let loan = mode.loan(&key, &iv, Text::InPlace(&mut text)).expect("whole blocks");
            Planner::new(&cpu).process_each([loan]);
            assert_eq!(text, hex(to), "{mode:?} on {}", cpu.isa());
        }
    }
}

/// FIPS 81, tables B1 and C1.
#[test]
fn des_fips_81() {
    let plain = "4e6f77206973207468652074696d6520666f7220616c6c20";
    let ecb = "3fa40e8a984d48156a271787ab8883f9893d51ec4b563b53";
    let cbc = "e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6";
    check_answers("0123456789abcdef", None, plain, ecb);
    check_answers("0123456789abcdef", Some("1234567890abcdef"), plain, cbc);
}

/// SP 800-67, appendix B.1.
#[test]
fn triple_des_sp_800_67() {
    let key = "0123456789abcdef23456789abcdef01456789abcdef0123";
    let plain = "54686520717566636b2062726f776e20666f78206a756d70";
    check_answers(key, None, plain, "a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900");
}

/// As `openssl enc -des-ede` and, with the first key once more, `-des-ede3` encrypt it.
#[test]
fn two_keys_are_three_of_which_the_third_is_the_first() {
    let (first, second) = ("0123456789abcdef", "fedcba9876543210");
    let plain = "54686520717566636b2062726f776e20666f78206a756d70";
    for keys in [[first, second].concat(), [first, second, first].concat()] {
        check_answers(&keys, None, plain, "672f1f22f28b0b914be1efd932e34fac4bbc5fdd3ab5e1b2");
    }
}

/// SP 800-17, tables 1 and 2: the first of the variable plaintexts and of the variable keys, which
/// triple DES with three equal keys shares (SP 800-20).
#[test]
fn first_answers_of_sp_800_17() {
    let plaintexts = [
        ("8000000000000000", "95f8a5e5dd31d900"),
        ("4000000000000000", "dd7f121ca5015619"),
        ("2000000000000000", "2e8653104f3834ea"),
    ];
    let keys = [("8001010101010101", "95a8d72813daa94d"), ("4001010101010101", "0eec1487dd8c26d5")];
    for times in [1, 3] {
        for (plain, cipher) in plaintexts {
            check_answers(&"0101010101010101".repeat(times), None, plain, cipher);
        }
        for (key, cipher) in keys {
            check_answers(&key.repeat(times), None, "0000000000000000", cipher);
        }
    }
}

/// Every bit of a block and of a key by itself, as in SP 800-17 and SP 800-20, all in one call.
#[test]
fn every_bit_by_itself() {
    let bit = |len: usize, number: usize| {
        let mut bytes = vec![0; len];
        bytes[number / 8] = 0x80 >> (number % 8);
        bytes
    };
    let mut planners = planners();
    for mode in [EcbEncrypt, EcbDecrypt] {
        for len in KEYS {
            let plain = (0..64).map(|i| (vec![1; len], bit(8, i)));
            let keys = (0..8 * len).map(|i| (bit(len, i), vec![0; 8]));
            let all = plain.chain(keys);
            let all = all.map(|(key, text)| Message { mode, key, iv: [0; 8], text });
            check(&mut planners, &all.collect::<Vec<_>>());
        }
    }
}

/// Every length up to some blocks, alone and in groups of many sizes.
#[test]
fn every_length_in_groups_of_many_sizes() {
    let mut planners = planners();
    for mode in MODES {
        for len in (0..=if crate::common::brief() { 20 } else { 67 })
            .filter(|len| mode.whole(*len) == *len)
        {
            let key = |i: usize| KEYS[(len / 8 + i) % 2];
            let make = |i: usize| Message::new(len * 7 + i, mode, key(i), len);
            let messages: Vec<_> = (0..1 + len * 5 % 43).map(make).collect();
            check(&mut planners, &messages);
            check(&mut planners, &messages[..1]);
        }
    }
}

/// Two blocks for each of more lanes than there are, each with its own key; and one lane fewer, and
/// one more, than kernels have.
#[test]
fn every_lane_has_its_own_key() {
    let mut planners = planners();
    for (i, count) in
        [63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, MANY].into_iter().enumerate()
    {
        for mode in [MODES[i % 5], CbcEncrypt] {
            let messages = (0..count.min(MANY)).map(|i| Message::new(i, mode, 24, 16));
            check(&mut planners, &messages.collect::<Vec<_>>());
        }
    }
}

/// So many chains that they are read and written a cache line at a time: parts of a line, whole
/// lines, and lanes that change hands between and within lines.
#[test]
fn many_chains_go_line_by_line() {
    let mut planners = planners();
    let blocks = [1, 7, 8, 9, 16, 21];
    for (i, blocks) in
        blocks.into_iter().take(if crate::common::brief() { 3 } else { blocks.len() }).enumerate()
    {
        for more in [0, 11] {
            let len = |i: usize| 8 * (blocks + if more > 0 { i % more } else { 0 });
            let make = |number| Message::new(number, CbcEncrypt, KEYS[i % 2], len(number));
            check(&mut planners, &(0..MANY).map(make).collect::<Vec<_>>());
        }
    }
}

/// One buffer with more blocks than lanes, alone and with others that have the same key.
#[test]
fn blocks_of_one_buffer_fill_the_lanes() {
    let mut planners = planners();
    let lengths = [511, 1000, 2047, 2056, 4099, 8200, 17_001];
    for (i, len) in
        lengths.into_iter().take(if crate::common::brief() { 2 } else { lengths.len() }).enumerate()
    {
        for mode in MODES {
            let message = Message::new(len, mode, KEYS[i % 2], len);
            check(&mut planners, core::slice::from_ref(&message));
            if len < 4000 {
                let key = || message.key.clone();
                let same_key =
                    |i| Message { key: key(), ..Message::new(i, mode, message.key.len(), 300) };
                check(
                    &mut planners,
                    &(0..5).map(same_key).chain([message.clone()]).collect::<Vec<_>>(),
                );
            }
        }
    }
}

/// Modes, keys and lengths mixed within a call, with more messages than are planned at a time,
/// again and again with the same planners.
#[test]
fn everything_mixes() {
    let mut planners = planners();
    let len = |i: usize| [i % 90, i * 37 % 300, 64, 8 * (i % 40), i * 151 % 900][i % 5];
    for round in 0..2 {
        let mode = |i: usize| MODES[i / 3 % 5];
        let make =
            |i| Message::new(i * (round + 1) / 2, mode(i + round), KEYS[i % 2], len(i + round));
        let messages: Vec<_> = (0..MANY).map(make).collect();
        check(&mut planners, &messages);
        check(&mut planners, &messages[..MANY / 5]);
    }
}

/// Counters whose 64 bits pass zero, in one run and between runs.
#[test]
fn counters_wrap() {
    let mut planners = planners();
    for (i, back) in [0, 1, 2, 7, 300, u64::MAX, 1 << 32].into_iter().enumerate() {
        let make = |len: &usize| Message {
            iv: back.wrapping_neg().to_be_bytes(),
            ..Message::new(*len, Counter, KEYS[i % 2], *len)
        };
        let messages: Vec<_> = [1, 8, 9, 20, 100, 2000, 4003].iter().map(make).collect();
        check(&mut planners, &messages);
        check(&mut planners, &messages[6..]);
    }
}

#[test]
fn lengths_that_are_no_whole_blocks_are_refused() {
    let key = DesKey::new(&[1; 8]).expect("a good length");
    for length in (0..40).filter(|length| length % 8 != 0) {
        for mode in [EcbEncrypt, EcbDecrypt, CbcEncrypt, CbcDecrypt] {
            let (from, mut to) = (vec![1; length], vec![2; length]);
            let refused = LengthError { length, block: 8 };
            let apart = mode.loan(&key, &[0; 8], Text::Apart(&from, &mut to)).err();
            assert_eq!(apart, Some(refused));
            let in_place = mode.loan(&key, &[0; 8], Text::InPlace(&mut to)).err();
            assert_eq!(in_place, Some(refused));
            assert_eq!(to, vec![2; length]);
        }
    }
}

#[test]
fn nothing_is_allocated_after_construction() {
    let keys =
        [DesKey::new(&[1; 8]), DesKey::new(&bytes(3, 24))].map(|key| key.expect("a good key"));
    for cpu in isas() {
        let mut planner = Planner::new(&cpu);
        let mut texts: Vec<_> = (0..MANY).map(|i| bytes(i, 8 * (i * 29 % 60))).collect();
        let count = allocations(|| {
            planner.process_each(texts.iter_mut().enumerate().map(|(i, text)| {
                let mode = MODES[i % 5];
                mode.loan(&keys[i % 2], &[5; 8], Text::InPlace(text)).expect("whole blocks")
            }));
        });
        assert_eq!(count, 0, "{}", cpu.isa());
    }
}

#[cfg(all(unix, not(miri)))]
#[test]
fn only_the_buffers_are_touched() {
    use crate::common::guarded::{Guarded, Side};

    let (mut from, mut to): (Vec<_>, Vec<_>) =
        (0..9).map(|_| (Guarded::new(), Guarded::new())).collect();
    for cpu in isas() {
        let mut planner = Planner::new(&cpu);
        for mode in MODES {
            for len in (0..=33).chain([511, 2048]).filter(|len| mode.whole(*len) == *len) {
                for side in [Side::Start, Side::End] {
                    let make = |i| Message::new(i, mode, KEYS[i % 2], len);
                    let messages: Vec<_> = (0..from.len()).map(make).collect();
                    let keys =
                        messages.iter().map(|m| DesKey::allowing_weak(&m.key).expect("a length"));
                    let keys: Vec<_> = keys.collect();
                    let all =
                        messages.iter().zip(&keys).zip(from.iter_mut().zip(&mut to)).enumerate();
                    planner.process_each(all.map(|(i, ((message, key), (from, to)))| {
                        let text = match i % 2 {
                            0 => Text::InPlace(to.place(side, &message.text)),
                            _ => Text::Apart(
                                from.place(side, &message.text),
                                to.place(side, &vec![0; len]),
                            ),
                        };
                        mode.loan(key, &message.iv, text).expect("whole blocks")
                    }));
                    for (Message { key, iv, text, .. }, to) in messages.iter().zip(&mut to) {
                        let expected = mode.expected(key, iv, text);
                        assert!(
                            to.bytes(side, len) == expected,
                            "{mode:?} {} {side:?} {len}",
                            cpu.isa()
                        );
                    }
                }
            }
        }
    }
}
