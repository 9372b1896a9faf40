//! CCM: the standards' examples, and the lengths that it refuses.

use broadloom_lanes::{AesKey, Buffers, CcmError, CcmLanes, Loan, Planner};

use crate::common::{cipher_cpus, hex};

/// One example, in hexadecimal but for the texts: bytes that count up from the first.
struct Example {
    key: &'static str,
    nonce: &'static str,
    associated: Vec<u8>,
    plain: Vec<u8>,
    sealed: &'static str,
    tag: &'static str,
}

/// Seals and opens each example, in place and apart, on every instruction set.
fn check(examples: &[Example]) {
    for cpu in cipher_cpus() {
        let mut planner = Planner::<CcmLanes>::new(&cpu);
        for (i, example) in examples.iter().enumerate() {
            let Example { associated, plain, .. } = example;
            let key = AesKey::new(&hex(example.key)).expect("a good length");
            let (nonce, sealed, tag) = (hex(example.nonce), hex(example.sealed), hex(example.tag));
            let what = format!("example {i} on {}", cpu.isa());
            let mut texts =
                [plain.clone(), vec![0; plain.len()], sealed.clone(), vec![0; plain.len()]];
            let mut tags = [(); 4].map(|()| vec![0; tag.len()]);
            let [seal, seal_to, open, open_to] = &mut texts;
            let [tag_0, tag_1, tag_2, tag_3] = &mut tags;
            let loans = [
                Loan::<CcmLanes>::seal(&key, &nonce, associated, seal, tag_0),
                Loan::<CcmLanes>::seal(
                    &key,
                    &nonce,
                    associated,
                    Buffers::Apart(plain, seal_to),
                    tag_1,
                ),
                Loan::<CcmLanes>::open(&key, &nonce, associated, open, tag_2),
                Loan::<CcmLanes>::open(
                    &key,
                    &nonce,
                    associated,
                    Buffers::Apart(&sealed, open_to),
                    tag_3,
                ),
            ];
            planner.process_each(loans.map(|loan| loan.expect("good lengths")));
            assert_eq!(texts, [&sealed, &sealed, plain, plain].map(Clone::clone), "{what}");
            assert_eq!(tags, [(); 4].map(|()| tag.clone()), "the tag of {what}");
        }
    }
}

/// Appendix C; the last has 65,536 bytes of associated data.
#[test]
fn examples_of_sp_800_38c() {
    const KEY: &str = "404142434445464748494a4b4c4d4e4f";
    check(&[
        Example {
            key: KEY,
            nonce: "10111213141516",
            associated: (0..8).collect(),
            plain: (0x20..0x24).collect(),
            sealed: "7162015b",
            tag: "4dac255d",
        },
        Example {
            key: KEY,
            nonce: "1011121314151617",
            associated: (0..16).collect(),
            plain: (0x20..0x30).collect(),
            sealed: "d2a1f0e051ea5f62081a7792073d593d",
            tag: "1fc64fbfaccd",
        },
        Example {
            key: KEY,
            nonce: "101112131415161718191a1b",
            associated: (0..20).collect(),
            plain: (0x20..0x38).collect(),
            sealed: "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5",
            tag: "484392fbc1b09951",
        },
        Example {
            key: KEY,
            nonce: "101112131415161718191a1b1c",
            associated: (0..=255).collect::<Vec<_>>().repeat(256),
            plain: (0x20..0x40).collect(),
            sealed: "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72",
            tag: "b4ac6bec93e8598e7f0dadbcea5b",
        },
    ]);
}

/// Section 8, packet vectors 1 to 4 and 7.
#[test]
fn examples_of_rfc_3610() {
    let example = |nonce, associated, end, sealed, tag| Example {
        key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
        nonce,
        associated: (0..associated).collect(),
        plain: (associated..end).collect(),
        sealed,
        tag,
    };
    check(&[
        example(
            "00000003020100a0a1a2a3a4a5",
            8,
            0x1f,
            "588c979a61c663d2f066d0c2c0f989806d5f6b61dac384",
            "17e8d12cfdf926e0",
        ),
        example(
            "00000004030201a0a1a2a3a4a5",
            8,
            0x20,
            "72c91a36e135f8cf291ca894085c87e3cc15c439c9e43a3b",
            "a091d56e10400916",
        ),
        example(
            "00000005040302a0a1a2a3a4a5",
            8,
            0x21,
            "51b1e5f44a197d1da46b0f8e2d282ae871e838bb64da859657",
            "4adaa76fbd9fb0c5",
        ),
        example(
            "00000006050403a0a1a2a3a4a5",
            12,
            0x1f,
            "a28c6865939a9a79faaa5c4c2a9d4a91cdac8c",
            "96c861b9c9e61ef1",
        ),
        example(
            "00000009080706a0a1a2a3a4a5",
            8,
            0x1f,
            "0135d1b2c95f41d5d1d4fec185d166b8094e999dfed96c",
            "048c56602c97acbb7490",
        ),
    ]);
}

#[test]
fn lengths_that_ccm_does_not_take_are_refused_and_nothing_is_written() {
    let key = AesKey::new(&[1; 16]).expect("a good length");
    let loan = |nonce: usize, text: usize, tag: usize| {
        let (from, mut to, mut made) = (vec![7; text], vec![8; text], vec![9; tag]);
        let nonce = vec![0; nonce];
        let in_place = Loan::<CcmLanes>::seal(&key, &nonce, &[], &mut to, &mut made).err();
        let apart =
            Loan::<CcmLanes>::open(&key, &nonce, &[], Buffers::Apart(&from, &mut to), &mut made)
                .err();
        assert_eq!(in_place, apart);
        assert_eq!((to, made), (vec![8; text], vec![9; tag]));
        in_place
    };
    for len in 0..=20 {
        let bad = (!(7..=13).contains(&len)).then_some(CcmError::Nonce { len });
        assert_eq!(loan(len, 20, 16), bad);
        let bad = (![4, 6, 8, 10, 12, 14, 16].contains(&len)).then_some(CcmError::Tag { len });
        assert_eq!(loan(12, 20, len), bad);
    }
    assert_eq!(loan(13, 65535, 16), None);
    let error = CcmError::Text { len: 65536, max: 65535 };
    assert_eq!(loan(13, 65536, 16), Some(error));
    assert!(error.to_string().contains("65535") && error.to_string().contains("65536"));
    assert_eq!(loan(12, 65536, 16), None);
}
