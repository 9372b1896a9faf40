//! XTS and ECB: the standard's examples, and what they refuse.

use broadloom_lanes::{
    AesKey, Buffers, EcbLanes, LengthError, Loan, Planner, XtsKey, XtsKeyError, XtsLanes,
    XtsLengthError,
};

use crate::common::{bytes, cipher_cpus, hex};

/// IEEE 1619-2007, annex B: vectors 1, 2, 4 (its first four blocks) and 10 (its first three), and
/// 15 to 18, whose ciphertext is stolen.
#[test]
fn examples_of_ieee_1619() {
    let long: String = (0..64).map(|byte| format!("{byte:02x}")).collect();
    let key_4 = "2718281828459045235360287471352631415926535897932384626433832795";
    let key_10 = "27182818284590452353602874713526624977572470936999595749669676273141592653589793238462643383279502884197169399375105820974944592";
    let key_15 = "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0";
    let tweak_15 = "9a785634120000000000000000000000";
    let examples = [
        (
            "1111111111111111111111111111111122222222222222222222222222222222",
            "33333333330000000000000000000000",
            "4444444444444444444444444444444444444444444444444444444444444444",
            "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
        ),
        (
            key_4,
            "00000000000000000000000000000000",
            &long,
            "27a7479befa1d476489f308cd4cfa6e2a96e4bbe3208ff25287dd3819616e89c\
             c78cf7f5e543445f8333d8fa7f56000005279fa5d8b5e4ad40e736ddb4d35412",
        ),
        (
            key_10,
            "ff000000000000000000000000000000",
            &long[..96],
            "1c3b3a102f770386e4836c99e370cf9bea00803f5e482357a4ae12d414a3e63b\
             5d31e276f8fe4a8d66b317f9ac683f44",
        ),
        (key_15, tweak_15, &long[..34], "6c1625db4671522d3d7599601de7ca09ed"),
        (key_15, tweak_15, &long[..36], "d069444b7a7e0cab09e24447d24deb1fedbf"),
        (key_15, tweak_15, &long[..38], "e5df1351c0544ba1350b3363cd8ef4beedbf9d"),
        (key_15, tweak_15, &long[..40], "9d84c813f719aa2c7be3f66171c7c5c2edbf9dac"),
    ];
    for cpu in cipher_cpus() {
        let mut planner = Planner::<XtsLanes>::new(&cpu);
        for (key, tweak, plain, cipher) in examples {
            let key = XtsKey::new(&hex(key)).expect("a good key");
            let tweak = hex(tweak).try_into().expect("16 bytes");
            let (plain, cipher) = (hex(plain), hex(cipher));
            let (mut there, mut back) = (plain.clone(), vec![0; cipher.len()]);
            planner.process_each([
                Loan::xts_encrypt(&key, &tweak, &mut there).expect("a good length"),
                Loan::xts_decrypt(&key, &tweak, Buffers::Apart(&cipher, &mut back))
                    .expect("a good length"),
            ]);
            assert_eq!((there, back), (cipher, plain), "{}", cpu.isa());
        }
    }
}

#[test]
fn keys_that_xts_does_not_take_are_refused() {
    for given in (0..=80).filter(|len| ![32, 64].contains(len)) {
        assert_eq!(XtsKey::new(&bytes(1, given)).unwrap_err(), XtsKeyError::Length { given });
    }
    for len in [32, 64] {
        let mut key = vec![7; len];
        assert_eq!(XtsKey::new(&key).unwrap_err(), XtsKeyError::EqualHalves);
        key[len / 2 - 1] ^= 1;
        assert_eq!(XtsKey::new(&key).expect("different halves").bits(), len * 4);
    }
    let [length, halves] = [XtsKeyError::Length { given: 16 }, XtsKeyError::EqualHalves];
    assert!(length.to_string().contains("16"));
    assert!(halves.to_string().contains("halves"));
}

#[test]
fn data_units_that_are_too_short_or_too_long_are_refused_and_nothing_is_written() {
    const MOST: usize = 16 << 20;
    let key = XtsKey::new(&bytes(1, 32)).expect("a good key");
    let mut text = vec![9; MOST + 1];
    for len in (0..20).chain([MOST, MOST + 1]) {
        let from = text[..len].to_vec();
        let (in_place, tweak) = (&mut text[..len], [3; 16]);
        let bad = (!(16..=MOST).contains(&len)).then_some(XtsLengthError { len });
        assert_eq!(Loan::xts_encrypt(&key, &tweak, &mut *in_place).err(), bad);
        assert_eq!(Loan::xts_decrypt(&key, &tweak, &mut *in_place).err(), bad);
        assert_eq!(
            Loan::xts_encrypt(&key, &tweak, Buffers::Apart(&from, &mut *in_place)).err(),
            bad
        );
        assert_eq!(
            Loan::xts_decrypt(&key, &tweak, Buffers::Apart(&from, &mut *in_place)).err(),
            bad
        );
        assert!(*in_place == from);
    }
    let words = XtsLengthError { len: 15 }.to_string();
    assert!(words.contains("15") && words.contains("16") && words.contains("16777216"), "{words}");
}

/// The tweaks of a data unit of the greatest length, whose last block is a part, both ways.
#[test]
fn a_long_data_unit_comes_back() {
    let key = XtsKey::new(&bytes(1, 64)).expect("a good key");
    let len = if crate::common::brief() { 1000 } else { (1 << 20) + 7 };
    let plain = bytes(2, len);
    for cpu in cipher_cpus() {
        let mut planner = Planner::<XtsLanes>::new(&cpu);
        let mut text = plain.clone();
        planner
            .process_each([Loan::xts_encrypt(&key, &[3; 16], &mut text).expect("a good length")]);
        assert!(text != plain);
        planner
            .process_each([Loan::xts_decrypt(&key, &[3; 16], &mut text).expect("a good length")]);
        assert!(text == plain, "{}", cpu.isa());
    }
}

#[test]
fn ecb_takes_whole_blocks_and_writes_nothing_otherwise() {
    let key = AesKey::new(&[1; 16]).expect("a good length");
    let mut planner = Planner::<EcbLanes>::new(&cipher_cpus()[0]);
    for len in 0..=48 {
        let (from, mut text) = (vec![8; len], vec![9; len]);
        let bad = (len % 16 > 0).then_some(LengthError { length: len, block: 16 });
        assert_eq!(Loan::ecb_encrypt(&key, &mut text).err(), bad);
        assert_eq!(Loan::ecb_decrypt(&key, &mut text).err(), bad);
        assert_eq!(Loan::ecb_encrypt(&key, Buffers::Apart(&from, &mut text)).err(), bad);
        assert_eq!(Loan::ecb_decrypt(&key, Buffers::Apart(&from, &mut text)).err(), bad);
        assert_eq!(text, vec![9; len]);
        if let Ok(loan) = Loan::ecb_encrypt(&key, &mut text) {
            planner.process_each([loan]);
        }
    }
}
