//! Known answers of each family, a mix in one queue, and refusals.
//!
//! On a machine without the library there is nothing to test; continuous integration must have it.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, ChainOrder, CipherAlgorithm, Direction, Family,
    HashAlgorithm, Job, JobError, MacAlgorithm, Processor, Session, Transform,
};

use crate::layout::{MAX_LEN, RELEASES, Release};
use crate::{IpsecMb, LoadError};

/// The provider, or nothing where it may be missing.
fn provider() -> Option<Arc<IpsecMb>> {
    broadloom_testing::present("the ipsec-mb provider", IpsecMb::load(&[])).map(Arc::new)
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let bytes = digits.chunks(2).map(String::from_iter);
    bytes.map(|pair| u8::from_str_radix(&pair, 16).expect("hexadecimal digits")).collect()
}

/// One known answer: text in, text out (empty for hashes and MACs), tag.
struct Answer {
    algorithm: &'static str,
    key: &'static str,
    nonce: &'static str,
    associated: &'static str,
    input: &'static str,
    output: &'static str,
    tag: &'static str,
}

/// A hash or a MAC.
fn tag(
    algorithm: &'static str,
    key: &'static str,
    input: &'static str,
    tag: &'static str,
) -> Answer {
    Answer { algorithm, key, nonce: "", associated: "", input, output: "", tag }
}

/// A cipher.
fn text(
    algorithm: &'static str,
    key: &'static str,
    nonce: &'static str,
    input: &'static str,
    output: &'static str,
) -> Answer {
    Answer { algorithm, key, nonce, associated: "", input, output, tag: "" }
}

const AES_KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const AES_KEY_256: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
const BLOCK: &str = "6bc1bee22e409f96e93d7e117393172a";
const ZERO: &str = "00000000000000000000000000000000";
const HI_THERE: &str = "4869205468657265";
const HMAC_KEY: &str = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b";
const LONG_KEY: &str = "\
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// FIPS 180-4's example "abc"; RFC 2202 and 4231; SP 800-38A, B and C; the GCM specification's test
/// cases 1, 2, 5 and 6; RFC 8439; and for the others OpenSSL 3.0.
fn answers() -> Vec<Answer> {
    vec![
        tag("sha1", "", "616263", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        tag("sha1", "", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        tag("sha224", "", "616263", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        tag(
            "sha512",
            "",
            "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce
             47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
        ),
        tag("hmac-sha1", HMAC_KEY, HI_THERE, "b617318655057264e28bc0b6fb378c8ef146be00"),
        tag(
            "hmac-sha256",
            HMAC_KEY,
            HI_THERE,
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        ),
        tag(
            "hmac-md5",
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
            HI_THERE,
            "9294727a3638bb1c13f48ef8158bfc9d",
        ),
        // "Test Using Larger Than Block-Size Key - Hash Key First"
        tag(
            "hmac-md5",
            LONG_KEY,
            "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d20
             48617368204b6579204669727374",
            "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd",
        ),
        tag("hmac-md5", "", "", "74e6f7298a9c2d168935f58c001bad88"),
        tag("hmac-sha1", "", "", "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d"),
        tag(
            "hmac-sha384",
            "4a656665",
            "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e
             8e2240ca5e69e2c78b3239ecfab21649",
        ),
        tag("aes-128-cmac", AES_KEY, "", "bb1d6929e95937287fa37d129b756746"),
        tag("aes-128-cmac", AES_KEY, BLOCK, "070a16b46b4d4144f79bdd9dd04a287c"),
        tag("aes-256-cmac", AES_KEY_256, "", "028962f61b7bf89efc6b551f4667d983"),
        Answer {
            nonce: "000000000000000000000000",
            ..tag("aes-128-gmac", ZERO, "616263", "258281014dcf7bc2eac3be27cc039fb4")
        },
        text(
            "aes-128-cbc",
            AES_KEY,
            "000102030405060708090a0b0c0d0e0f",
            BLOCK,
            "7649abac8119b246cee98e9b12e9197d",
        ),
        text("aes-256-cbc", AES_KEY_256, "000102030405060708090a0b0c0d0e0f", "", ""),
        text(
            "aes-128-ctr",
            AES_KEY,
            "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
            BLOCK,
            "874d6191b620e3261bef6864990db6ce",
        ),
        // The counter passes 2^32, and then 2^128.
        text(
            "aes-128-ctr",
            AES_KEY,
            "000000000000000000000001ffffffff",
            "00000000000000000000000000000000000000000000000000000000000000000000",
            "5d3c000088039ff0ac9915e635e3ef28291263afcbb35a805c3fb5bf12fac9f8c456",
        ),
        text(
            "aes-128-ctr",
            AES_KEY,
            "fffffffffffffffffffffffffffffffe",
            "00000000000000000000000000000000000000000000000000000000000000000000",
            "d1b714b6fbf5fff1289aee2a4c4eeda38af2860142f786f409307c1a3f7eaaac7df7",
        ),
        text(
            "3des-cbc",
            "0123456789abcdef23456789abcdef01456789abcdef0123",
            "f69f2445df4f9b17",
            BLOCK,
            "2079c3d53aa763e193b79e2569ab5262",
        ),
        Answer {
            algorithm: "aes-128-gcm",
            key: ZERO,
            nonce: "000000000000000000000000",
            associated: "",
            input: ZERO,
            output: "0388dace60b6a392f328c2b971b2fe78",
            tag: "ab6e47d42cec13bdf53a67b21257bddf",
        },
        Answer {
            algorithm: "aes-128-gcm",
            key: ZERO,
            nonce: "000000000000000000000000",
            associated: "",
            input: "",
            output: "",
            tag: "58e2fccefa7e3061367f1d57a4e7455a",
        },
        Answer {
            algorithm: "aes-128-gcm",
            key: "feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbad",
            associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            input: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
                    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            output: "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423
                     73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
            tag: "3612d2e79e3b0785561be14aaca2fccb",
        },
        Answer {
            algorithm: "aes-128-ccm",
            key: "404142434445464748494a4b4c4d4e4f",
            nonce: "10111213141516",
            associated: "0001020304050607",
            input: "20212223",
            output: "7162015b",
            tag: "4dac255d",
        },
        Answer {
            algorithm: "chacha20-poly1305",
            key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
            nonce: "070000004041424344454647",
            associated: "50515253c0c1c2c3c4c5c6c7",
            input: "4c616469657320616e642047656e746c656d656e206f662074686520636c6173
                    73206f66202739393a204966204920636f756c64206f6666657220796f75206f
                    6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73
                    637265656e20776f756c642062652069742e",
            output: "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6
                     3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36
                     92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
                     3ff4def08e4b7a9de576d26586cec64b6116",
            tag: "1ae10b594f09e26a7e902ecbd0600691",
        },
    ]
}

/// Opens a session of an answer, with tags of the answer's length.
fn open(provider: &Arc<IpsecMb>, answer: &Answer, direction: Direction) -> Session {
    let algorithm: Algorithm = answer.algorithm.parse().expect("its name");
    let (key, tag_len) = (hex(answer.key), hex(answer.tag).len());
    let transform = match algorithm {
        Algorithm::Aead(aead) => {
            let builder = Transform::aead(aead, &key).tag_len(tag_len);
            if direction == Direction::Seal { builder.seal() } else { builder.open() }
        }
        _ => Transform::new(algorithm, direction, &key, &[]).build(),
    };
    Session::open(provider.clone(), &transform.expect("it fits")).expect("it is supported")
}

/// Answers, in place and apart, made and checked: all as one mix in one call. `repeat` times, so
/// that lanes fill and empty.
fn check(provider: &Arc<IpsecMb>, answers: &[Answer], repeat: usize) {
    let sessions: Vec<_> = answers
        .iter()
        .flat_map(|answer| {
            let algorithm: Algorithm = answer.algorithm.parse().expect("its name");
            let directions = algorithm.directions().iter();
            directions.map(move |direction| (answer, open(provider, answer, *direction)))
        })
        .collect();
    let mut jobs = Vec::new();
    for index in 0..repeat {
        for (answer, session) in &sessions {
            let (input, output) = (hex(answer.input), hex(answer.output));
            let backwards = session.direction().checks() && !output.is_empty();
            let (input, output) = if backwards { (output, input) } else { (input, output) };
            let job = match index % 2 {
                0 => Job::new(session, input),
                _ => {
                    let destination = vec![0; input.len()];
                    Job::new(session, (input, destination))
                }
            };
            let mut job = job.nonce(&hex(answer.nonce)).associated(hex(answer.associated));
            if session.direction().checks() {
                job.set_expected_tag(&hex(answer.tag));
            }
            jobs.push(job.user((answer, output)));
        }
    }
    Processor::new().process_many(&mut jobs);
    for job in &jobs {
        let (answer, output) = job.user_value();
        let what = format!("{} {}", answer.algorithm, job.session().direction());
        assert_eq!(job.status(), Some(Ok(())), "{what}");
        if let Some(tag) = job.tag() {
            assert_eq!(tag, hex(answer.tag), "{what}");
        }
        if let Some(text) = job.output() {
            assert_eq!(text, output, "{what}");
        }
    }
}

#[test]
fn known_answers_of_one_algorithm_at_a_time() {
    if let Some(provider) = provider() {
        let answers = answers();
        answers
            .chunk_by(|a, b| a.algorithm == b.algorithm)
            .for_each(|same| check(&provider, same, 3));
    }
}

#[test]
fn known_answers_in_a_mix_larger_than_the_ring() {
    if let Some(provider) = provider() {
        check(&provider, &answers(), 40);
    }
}

#[test]
fn wrong_tags_are_found_among_right_ones() {
    let Some(provider) = provider() else { return };
    let answers = answers();
    let tagged = answers.iter().filter(|answer| !answer.tag.is_empty());
    for answer in tagged.filter(|answer| !answer.algorithm.starts_with("sha")) {
        let algorithm: Algorithm = answer.algorithm.parse().expect("its name");
        let session = open(&provider, answer, algorithm.directions()[1]);
        let text = if answer.output.is_empty() { answer.input } else { answer.output };
        let job = |index: usize| {
            let mut tag = hex(answer.tag);
            if index % 3 == 1 {
                let last = tag.len() - 1;
                tag[last] ^= 0x80;
            }
            let job = Job::new(&session, hex(text)).nonce(&hex(answer.nonce));
            job.associated(hex(answer.associated)).expect_tag(&tag)
        };
        let mut jobs: Vec<_> = (0..20).map(job).collect();
        Processor::new().process_many(&mut jobs);
        for (index, job) in jobs.iter().enumerate() {
            let expected = if index % 3 == 1 { Err(JobError::TagMismatch) } else { Ok(()) };
            assert_eq!(job.status(), Some(expected), "{}, job {index}", answer.algorithm);
        }
    }
}

#[test]
fn halves_of_chains_mix() {
    let Some(provider) = provider() else { return };
    let cipher = CipherAlgorithm::AesCbc(AesSize::Aes128);
    let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
    let builder = || Transform::cipher_then_mac(cipher, &[1; 16], mac, b"key").tag_len(12);
    let open = |transform| Session::open(provider.clone(), &transform).expect("it has both");
    let encrypt = open(builder().encrypt().expect("it fits"));
    let decrypt = open(builder().decrypt().expect("it fits"));
    let text = |index: usize| vec![index as u8; 16 * (index % 9)];
    let packet = |index: usize| Job::new(&encrypt, text(index)).nonce(&[index as u8; 16]);
    let mut packets: Vec<_> = (0..50).map(packet).collect();
    Processor::new().process_many(&mut packets);
    let answer = |(index, packet): (usize, &Job<'_>)| {
        let output = packet.output().expect("it went well").to_vec();
        let job = Job::new(&decrypt, output).nonce(&[index as u8; 16]);
        job.expect_tag(packet.tag().expect("it has one"))
    };
    let mut back: Vec<_> = packets.iter().enumerate().map(answer).collect();
    Processor::new().process_many(&mut back);
    for (index, job) in back.iter().enumerate() {
        assert_eq!(
            job.output(),
            Some(text(index).as_slice()),
            "packet {index}: {:?}",
            job.status()
        );
    }
}

/// The library's CMAC for AVX-512 reads a whole block where only a part is text, and a block where
/// there is no text. If that block crosses the page on which the text ends, the text is copied
/// elsewhere first.
#[test]
fn cmac_reads_no_further_than_the_page_of_its_text() {
    #[repr(align(4096))]
    struct Page([u8; 4096]);

    let Some(provider) = provider() else { return };
    let mac = MacAlgorithm::AesCmac(AesSize::Aes128);
    let transform = Transform::mac(mac, &[5; 16]).generate().expect("it fits");
    let session = Session::open(provider, &transform).expect("it has it");
    let page = Page(std::array::from_fn(|index| (index * index / 7) as u8));
    let tags = |texts: Vec<&[u8]>| {
        let mut jobs: Vec<_> = texts.into_iter().map(|text| Job::new(&session, text)).collect();
        Processor::new().process_many(&mut jobs);
        jobs.iter().map(|job| job.tag().expect("it went well").to_vec()).collect::<Vec<_>>()
    };
    for lengths in [(0..=64).collect::<Vec<_>>(), vec![4095, 0, 4081, 16, 1]] {
        let at_end: Vec<_> = lengths.iter().map(|len| &page.0[4096 - len..]).collect();
        // With as many bytes behind each as the library may read.
        let elsewhere: Vec<_> =
            at_end.iter().map(|text| [text, [0xff; 16].as_slice()].concat()).collect();
        let elsewhere = elsewhere.iter().zip(&lengths).map(|(text, len)| &text[..*len]).collect();
        assert_eq!(tags(at_end), tags(elsewhere), "{lengths:?}");
    }
}

/// The result of one job of a session.
fn outcome(session: &Session, len: usize, nonce: usize, associated: usize) -> Result<(), JobError> {
    let job =
        Job::new(session, vec![0; len]).nonce(&vec![0; nonce]).associated(vec![0; associated]);
    let mut jobs = [job];
    Processor::new().process_many(&mut jobs);
    jobs[0].status().expect("it is complete")
}

#[test]
fn what_the_library_cannot_count_is_refused_by_length() {
    let Some(provider) = provider() else { return };
    let open =
        |transform: &Transform| Session::open(provider.clone(), transform).expect("it has it");
    let too_long = |len, max| Err(JobError::TooLong { len, max });

    let sha = open(&Transform::hash(HashAlgorithm::Sha256));
    assert_eq!(outcome(&sha, MAX_LEN, 0, 0), Ok(()));
    assert_eq!(outcome(&sha, MAX_LEN + 1, 0, 0), too_long(65_535, 65_534));

    let cbc = CipherAlgorithm::AesCbc(AesSize::Aes128);
    let encrypt = open(&Transform::cipher(cbc, &[1; 16]).encrypt().expect("it fits"));
    assert_eq!(outcome(&encrypt, 65_520, 16, 0), Ok(()));
    assert_eq!(outcome(&encrypt, 65_536, 16, 0), too_long(65_536, 65_520));
    let decrypt = open(&Transform::cipher(cbc, &[1; 16]).decrypt().expect("it fits"));
    assert_eq!(outcome(&decrypt, 1 << 20, 16, 0), Ok(()));

    let ccm = AeadAlgorithm::AesCcm(AesSize::Aes256);
    let seal = open(&Transform::aead(ccm, &[1; 32]).seal().expect("it fits"));
    assert_eq!(outcome(&seal, 100, 13, 46), Ok(()));
    assert_eq!(outcome(&seal, 100, 13, 47), Err(JobError::AssociatedTooLong { len: 47, max: 46 }));
}

#[test]
fn algorithms_that_are_lacking_are_refused_by_name() {
    let Some(provider) = provider() else { return };
    let lacking = [
        "md5",
        "aes-192-cmac",
        "aes-128-xcbc",
        "aes-128-cfb",
        "aes-192-cfb",
        "aes-256-cfb",
        "aes-128-ofb",
        "aes-192-ofb",
        "aes-256-ofb",
        "aes-128-xts",
        "aes-256-xts",
        "chacha20",
        "3des-ctr",
        "3des-ecb",
        "des-ctr",
        "des-ecb",
        "kasumi-f9",
        "rc4",
        "aes-192-ccm",
        "xchacha20-poly1305",
        "deflate",
        "lz4",
        "sm3",
        "hmac-sm3",
    ];
    for algorithm in Algorithm::all() {
        let name = algorithm.to_string();
        let families = [Family::Sponge, Family::Blake3, Family::PublicKey];
        let is_lacking = lacking.contains(&&*name) || families.contains(&algorithm.family());
        assert_eq!(provider.supports(algorithm), !is_lacking, "{name}");
        if algorithm.family() == Family::PublicKey {
            continue;
        }
        let key_len = match algorithm {
            Algorithm::Mac(mac) => mac.key_lens().min(),
            Algorithm::Cipher(cipher) => cipher.key_len(),
            Algorithm::Aead(aead) => aead.key_len(),
            _ => 0,
        };
        let key: Vec<u8> = (0..key_len as u8).collect();
        let transform = Transform::new(algorithm, algorithm.directions()[0], &key, &[]).build();
        let opened = provider.open_session(&transform.expect("it fits"));
        assert_eq!(opened.is_ok(), provider.supports(algorithm), "{name}");
    }
    let chain = |hash| {
        let (cipher, mac) = (CipherAlgorithm::TripleDesCbc, MacAlgorithm::Hmac(hash));
        Algorithm::Chain(cipher, mac, ChainOrder::CipherThenMac)
    };
    assert!(provider.supports(chain(HashAlgorithm::Md5)));
}

#[test]
fn it_says_what_it_is() {
    let Some(provider) = provider() else { return };
    assert_eq!(provider.name(), "ipsec-mb");
    assert!(provider.by_name_only());
    let session = Session::open(provider.clone(), &Transform::hash(HashAlgorithm::Sha1));
    let kernel = session.expect("it has it").kernel();
    let known = |release: &Release| kernel.starts_with(&format!("intel-ipsec-mb {}", release.name));
    assert!(RELEASES.iter().any(known), "{kernel}");
    assert!(!kernel.ends_with("unknown"), "{kernel}");
    assert!(provider.description().starts_with(&kernel), "{}", provider.description());
}

#[test]
fn an_option_is_refused_by_name() {
    let error = IpsecMb::load(&[("contexts", "per-job")]).err().expect("it takes none");
    assert_eq!(error, LoadError::Option { name: "contexts".to_owned() });
    assert_eq!(error.to_string(), "ipsec-mb has no option \"contexts\"; it takes none");
}
