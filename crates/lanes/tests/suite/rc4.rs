//! RC4: the test vectors of RFC 6229, and many buffers against the plain algorithm.

use std::sync::OnceLock;

use broadloom_lanes::{Buffers, Cpu, Loan, Planner, Rc4Job, Rc4Key, Rc4Lanes};

use crate::common::{Kind, bytes, hex, isas};

/// The algorithm as it is usually told.
pub fn reference(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut state: Vec<u8> = (0..=255).collect();
    let mut j = 0;
    for i in 0..256 {
        j = (j + usize::from(state[i]) + usize::from(key[i % key.len()])) % 256;
        state.swap(i, j);
    }
    let (mut i, mut j) = (0, 0);
    let mut next = || {
        i = (i + 1) % 256;
        j = (j + usize::from(state[i])) % 256;
        state.swap(i, j);
        state[(usize::from(state[i]) + usize::from(state[j])) % 256]
    };
    text.iter().map(|byte| byte ^ next()).collect()
}

/// Jobs with one key.
pub struct Jobs;

const KEY: &[u8] = b"a key of RC4";

impl Kind for Jobs {
    type Job = Rc4Job<'static, Vec<u8>, usize>;
    const NAME: &'static str = "rc4";

    fn job(number: usize, len: usize) -> Self::Job {
        static EXPANDED: OnceLock<Rc4Key> = OnceLock::new();
        let key = EXPANDED.get_or_init(|| Rc4Key::new(KEY).expect("a good length"));
        Rc4Job::rc4(key, bytes(number, len), number)
    }

    fn expected(number: usize, len: usize) -> Vec<u8> {
        reference(KEY, &bytes(number, len))
    }
}

/// RFC 6229, 2: the keystream at the four offsets 0, 240, 1520 and 4096, of each key.
#[test]
fn vectors_of_the_rfc() {
    #[rustfmt::skip]
    let vectors = [
        ("0102030405", [
            "b2396305f03dc027ccc3524a0a1118a8",
            "28cb1132c96ce286421dcaadb8b69eae",
            "3294f744d8f9790507e70f62e5bbceea",
            "ff25b58995996707e51fbdf08b34d875",
        ]),
        ("01020304050607", [
            "293f02d47f37c9b633f2af5285feb46b",
            "914f02531c9218810df60f67e338154c",
            "d2aa902bd42d0d7cfd340cd45810529f",
            "e74b0b9731227fd37c0ec08a47ddd8b8",
        ]),
        ("0102030405060708", [
            "97ab8a1bf0afb96132f2f67258da15a8",
            "9636ebc9841926f4f7d1f362bddf6e18",
            "1fe8986713f07c3d9ae1c163ff8cf9d3",
            "3fb46e2c8f0f068edce8cdcd7dfc5862",
        ]),
        ("0102030405060708090a", [
            "ede3b04643e586cc907dc21851709902",
            "3cfd6cb58ee0fdde640176ad0000044d",
            "bdae85924b3cb1d0a2e33a30c6d79599",
            "08b6be45124a43e2eb77953f84dc8553",
        ]),
        ("0102030405060708090a0b0c0d0e0f10", [
            "9ac7cc9a609d1ef7b2932899cde41b97",
            "065902e4b620f6cc36c8589f66432f2b",
            "b40110c4190b5622a96116b0017ed297",
            "a36a4c301ae8ac13610ccbc12256cacc",
        ]),
        ("0102030405060708090a0b0c0d0e0f101112131415161718", [
            "0595e57fe5f0bb3c706edac8a4b2db11",
            "b06b9b1e195d13d8f4a7995c4553ac05",
            "96c248610aadedfeaf8978c03de8205a",
            "3cb0f3b5020a98b82af9fe154484a168",
        ]),
        ("0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20", [
            "eaa6bd25880bf93d3f5d1e4ca2611d91",
            "114ae344ded71b35f2e60febad727fd8",
            "40f250b26d1f096a4afd4c340a588815",
            "f3e4c0a2e02d1d01f7f0a74618af2b48",
        ]),
        ("833222772a", [
            "80ad97bdc973df8a2e879e92a497efda",
            "faa148e99046181fec6b2085f3b20ed9",
            "adb89cea9a15fbe617295bd04b8ca05c",
            "bf42c3018c2f7c66bfde524975768115",
        ]),
        ("1910833222772a", [
            "bc9222dbd3274d8fc66d14ccbda6690b",
            "3f0931aa03defb300f060103826f2a64",
            "cc03fdb79192a207312f53f5d4dc33d9",
            "027881fab4993a1c262024a94fff3f61",
        ]),
        ("641910833222772a", [
            "bbf609de9413172d07660cb680716926",
            "cbe1fff21c96f3eef61e8fe0542cbdf0",
            "bd3820f732ffb53ec193e79d33e27c73",
            "8170cc3ccd92a698621b939dd38fe7b9",
        ]),
        ("8b37641910833222772a", [
            "ab65c26eddb287600db2fda10d1e605c",
            "b901e8036ed1c383cd3c4c4dd0a6ab05",
            "564d3dae183c5234c8af1e51061c44b5",
            "5f6bfc73815874d97100f086979357d8",
        ]),
        ("ebb46227c6cc8b37641910833222772a", [
            "720c94b63edf44e131d950ca211a5a30",
            "b3394a40aabf75cba42282ef25a0059f",
            "3c70047e8cbc038e3b9820db601da495",
            "5bbeb4787d59e5373fdbea6c6f75c29b",
        ]),
        ("c109163908ebe51debb46227c6cc8b37641910833222772a", [
            "54b64e6b5a20b5e2ec84593dc7989da7",
            "cfcc922fb4a14ab45d6175aabbf2d201",
            "532c7ceccb39df3236318405a4b1279c",
            "e4dd2e98d6960fae0b43545456743391",
        ]),
        ("1ada31d5cf688221c109163908ebe51debb46227c6cc8b37641910833222772a", [
            "dd5bcb0018e922d494759d7c395d02d3",
            "af3e30f9c095045938151575c3fb9098",
            "ac4e95368d99b9eb78b8da8f81ffa795",
            "370b1c1fe655916d97fd0d47ca1d72b8",
        ]),
    ];
    for cpu in isas() {
        let keys = vectors.map(|(key, _)| Rc4Key::new(&hex(key)).expect("a good length"));
        let mut streams = vectors.map(|_| vec![0; 4112]);
        let loans = streams.iter_mut().zip(&keys).map(|(stream, key)| Loan::rc4(key, stream));
        Planner::new(&cpu).process_each(loans);
        for ((key, parts), stream) in vectors.iter().zip(&streams) {
            for (part, offset) in parts.iter().zip([0, 240, 1520, 4096]) {
                assert_eq!(
                    stream[offset..offset + 16],
                    *hex(part),
                    "{key} at {offset}, {}",
                    cpu.isa()
                );
            }
        }
    }
}

/// Sends texts through in place and apart, in one call, each with a key of its own.
fn check(cpu: &Cpu, texts: &[Vec<u8>]) {
    let secrets: Vec<_> = (0..texts.len()).map(|i| bytes(i + 1, 5 + i * 7 % 252)).collect();
    let keys: Vec<_> = secrets.iter().map(|key| Rc4Key::new(key).expect("a good length")).collect();
    let mut places = texts.to_vec();
    let mut aparts: Vec<_> = texts.iter().map(|text| vec![0x5a; text.len()]).collect();
    let all = places.iter_mut().zip(&mut aparts).zip(texts).zip(&keys);
    let loans = all.flat_map(|(((place, apart), text), key)| {
        [Loan::rc4(key, place), Loan::rc4(key, Buffers::Apart(text, apart))]
    });
    Planner::<Rc4Lanes>::new(cpu).process_each(loans);
    for (i, text) in texts.iter().enumerate() {
        let expected = reference(&secrets[i], text);
        let what = format!("{i} of {}, {} bytes on {}", texts.len(), text.len(), cpu.isa());
        assert_eq!(places[i], expected, "{what}");
        assert_eq!(aparts[i], expected, "{what}, apart");
    }
}

/// Every length up to twice around the state, alone, and beside others of other lengths.
#[test]
fn every_length() {
    let lengths = if crate::common::brief() { 0..=40 } else { 0..=530 };
    let texts: Vec<_> = lengths.map(|len| bytes(len, len)).collect();
    for cpu in isas() {
        texts.chunks(1).for_each(|text| check(&cpu, text));
        check(&cpu, &texts);
    }
}

#[test]
fn lengths_mix() {
    let len = |i: usize| [i % 90, i * 37 % 700, 64, 16 * (i % 40), i * 151 % 5000][i % 5];
    let count = if crate::common::brief() { 20 } else { 600 };
    let texts: Vec<_> = (0..count).map(|i| bytes(i, len(i))).collect();
    for cpu in isas() {
        for count in [2, 3, 4, 5, 7, 8, count] {
            check(&cpu, &texts[texts.len() - count..]);
        }
    }
}

#[test]
fn other_key_lengths_are_refused_by_name() {
    for length in (0..5).chain(257..300) {
        let error = Rc4Key::new(&[1; 300][..length]).expect_err("a bad length");
        assert_eq!(error.given(), length);
        assert!(error.to_string().ends_with(&format!("5 to 256 bytes, not {length}")));
    }
    assert!((5..=256).all(|length| Rc4Key::new(&[1; 256][..length]).is_ok()));
}
