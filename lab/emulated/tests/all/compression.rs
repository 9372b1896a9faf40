//! Compression on the device: overflows at every chunk, verification, results that were prepared.

use broadloom_emulated::{Emulated, Request};
use broadloom_engine::{
    Bytes, Checksum, Compression, CompressionAlgorithm, Data, Ending, Huffman, Job, JobError,
    Processor, Transform,
};

use crate::common::*;

fn process(job: &mut Job<'_>) {
    Processor::new().process_many(std::slice::from_mut(job));
}

/// Compresses texts of many lengths with too little room, and says how many attempts that took.
fn overflowing(device: &Emulated, how: Compression, owned: bool) -> u32 {
    let session = open(device, &compress(how));
    let mut random = Random(5);
    let mut attempts = 0;
    for len in [1, 2, 255, 256, 300, 1000, 4096, 20_000, 70_000] {
        for text in [random.text(len), random.bytes(len), vec![0; len]] {
            for room in [0, 1, 10, 100, 1000, len / 10, len / 3, len / 2] {
                let input = match owned {
                    true => Bytes::from(text.clone()),
                    false => Bytes::from(text.as_slice()),
                };
                let mut job = Job::new(&session, input).room(room);
                process(&mut job);
                let context = format!("{len} bytes, room for {room}, {:?}", job.status());
                let mut output = job.output().expect(&context).to_vec();
                if how.ending == Ending::Open {
                    output.extend_from_slice(&[3, 0]);
                }
                assert_eq!(inflate(&output), text, "{context}");
                if how.checksum == Checksum::Crc32 {
                    let mut crc = crc32fast::Hasher::new();
                    crc.update(&text);
                    assert_eq!(job.checksum(), Some(crc.finalize()), "{context}");
                }
                attempts += job.attempts() - 1;
            }
        }
    }
    attempts
}

#[test]
fn an_overflow_at_every_chunk_costs_attempts_and_nothing_else() {
    for (memory, owned) in [("copy", false), ("gather", true)] {
        let device = instant(&[("memory", memory)]);
        for ending in [Ending::Final, Ending::Open] {
            for checksum in [Checksum::None, Checksum::Crc32] {
                let how = Compression { ending, checksum, ..Compression::default() };
                assert!(overflowing(&device, how, owned) > 50);
            }
        }
        assert!(device.statistics().overflows > 200);
    }
}

/// A part of the input is kept where the room ends, and not thrown away.
#[test]
fn what_fits_is_kept() {
    let device = instant(&[]);
    let text = Random(8).text(100_000);
    let session = device.session(&compress(Compression::default())).expect("a backend can");
    let mut instance = device.instance().expect("there is one");
    let (mut rest, mut output, mut rounds) = (text.as_slice(), Vec::new(), 0);
    while !rest.is_empty() {
        assert!(instance.submit(1, &Request::new(&session, rest).room(5000)));
        instance.doorbell();
        while instance.outstanding() > 0 {
            instance.wait(std::time::Duration::from_secs(1));
            instance.poll(1, |response| {
                assert_eq!(response.status, Ok(()));
                assert!(response.output.len() <= 5000 && response.consumed > 1000);
                assert_eq!(response.full, response.consumed < rest.len());
                output.extend_from_slice(response.output);
                rest = &rest[response.consumed..];
            });
        }
        rounds += 1;
    }
    assert!((5..20).contains(&rounds), "{rounds}");
    assert_eq!(inflate(&output), text);
}

#[test]
fn lz4_and_decompression_overflow_and_come_through() {
    let device = instant(&[]);
    let text = Random(2).text(50_000);
    let lz4 = CompressionAlgorithm::Lz4;
    let fits = "it fits";
    let compress_lz4 = Transform::compress(lz4, Compression::default()).expect(fits);
    let decompress_lz4 = Transform::decompress(lz4, Checksum::None).expect(fits);
    for (compress, decompress) in
        [(compress(Compression::default()), decompress()), (compress_lz4, decompress_lz4)]
    {
        let (compress, decompress) = (open(&device, &compress), open(&device, &decompress));
        for room in [0, 100, 10_000, 200_000] {
            let mut job = Job::new(&compress, text.as_slice()).room(room);
            process(&mut job);
            let compressed = job.output().expect("it is compressed").to_vec();
            let mut job = Job::new(&decompress, compressed.as_slice()).room(room);
            process(&mut job);
            assert_eq!(job.output(), Some(text.as_slice()), "room for {room}");
            let mut limited = Job::new(&decompress, compressed.as_slice()).room(room).limit(49_999);
            process(&mut limited);
            assert_eq!(limited.status(), Some(Err(JobError::OutputLimit { limit: 49_999 })));
        }
    }
    let mut malformed = Job::new(open(&device, &decompress()), &[7u8, 7, 7][..]);
    process(&mut malformed);
    let failed = malformed.status();
    assert!(matches!(failed, Some(Err(JobError::Malformed | JobError::Truncated))), "{failed:?}");
}

#[test]
fn pieces_are_one_text_however_they_get_there() {
    let text = Random(4).text(30_000);
    let outputs = ["copy", "gather"].map(|memory| {
        let device = instant(&[("memory", memory), ("verify", "on")]);
        let session = open(&device, &compress(Compression::default()));
        let whole = Job::new(&session, text.as_slice());
        let owned = text.chunks(777).map(|piece| Bytes::from(piece.to_vec())).collect();
        let borrowed = text.chunks(99).map(Bytes::from).collect();
        let shared = Bytes::Shared(text.as_slice().into());
        let mut jobs = vec![
            whole,
            Job::new(&session, Data::gather(owned)),
            Job::new(&session, Data::gather(borrowed)),
            Job::new(&session, shared),
            Job::new(&session, text.clone()),
        ];
        Processor::new().process_many(&mut jobs);
        jobs.iter().map(|job| job.output().expect("it is made").to_vec()).collect::<Vec<_>>()
    });
    assert!(outputs.iter().flatten().all(|output| *output == outputs[0][0]));
    assert_eq!(inflate(&outputs[0][0]), text);
}

#[test]
fn what_was_compressed_is_looked_at_again_where_that_is_wanted() {
    let device = instant(&[("verify", "on")]);
    for ending in [Ending::Final, Ending::Open] {
        assert!(overflowing(&device, Compression { ending, ..Compression::default() }, false) > 50);
    }
    // Without anyone who decompresses there is no session.
    struct OnlyCompresses(std::sync::Arc<dyn broadloom_engine::provider::Provider>);
    impl broadloom_engine::provider::Provider for OnlyCompresses {
        fn name(&self) -> &str {
            "only-compresses"
        }
        fn description(&self) -> String {
            String::new()
        }
        fn supports(&self, algorithm: broadloom_engine::Algorithm) -> bool {
            self.0.supports(algorithm)
        }
        fn open_session(
            &self,
            transform: &Transform,
        ) -> Result<
            Box<dyn broadloom_engine::provider::ProviderSession>,
            broadloom_engine::provider::ProviderError,
        > {
            match transform.direction() {
                broadloom_engine::Direction::Compress => self.0.open_session(transform),
                _ => Err(broadloom_engine::provider::ProviderError::new("no")),
            }
        }
        fn open_queue(
            &self,
        ) -> Result<broadloom_engine::provider::AnyQueue, broadloom_engine::provider::ProviderError>
        {
            self.0.open_queue()
        }
    }
    let backend: std::sync::Arc<dyn broadloom_engine::provider::Provider> =
        std::sync::Arc::new(OnlyCompresses(backends().remove(1)));
    let device = Emulated::new(&[("verify", "on")], vec![backend]).expect("the options are valid");
    let refused =
        device.session(&compress(Compression::default())).expect_err("nobody decompresses");
    assert!(refused.reason.contains("only-compresses: no"), "{}", refused.reason);
}

#[test]
fn prepared_results_are_found_and_counted() {
    let device = instant(&[("prepare", "1M")]);
    let mut random = Random(1);
    let texts: Vec<_> = (0..20).map(|_| random.text(5000)).collect();
    let run = |texts: &[Vec<u8>], how: Compression| {
        // Opened anew each time: what counts is what a session does.
        let session = open(&device, &compress(how));
        let mut jobs: Vec<_> =
            texts.iter().map(|text| Job::new(&session, text.as_slice())).collect();
        Processor::new().process_many(&mut jobs);
        jobs.iter().map(|job| job.output().expect("it is made").to_vec()).collect::<Vec<_>>()
    };
    let how = Compression { checksum: Checksum::Adler32, ..Compression::default() };
    device.set_preparing(true);
    let prepared = run(&texts, how);
    device.set_preparing(false);
    let counted = |device: &Emulated| {
        let statistics = device.statistics();
        (statistics.prepared_hits, statistics.prepared_misses)
    };
    assert_eq!(counted(&device), (0, 0));
    assert_eq!(run(&texts, how), prepared);
    assert_eq!(counted(&device), (20, 0));
    let other = Compression { level: 6, ..how };
    assert_ne!(run(&texts[..5], other), prepared[..5]);
    assert_eq!(counted(&device), (20, 5));
    let said = device.statistics().to_string();
    assert!(said.contains("20 of 25 results were prepared before the clock started"), "{said}");
}

/// The device makes Huffman codes for the first 128 KiB of a request. So a longer request comes out
/// longer than its pieces do, and shorter than with the fixed codes.
#[test]
fn long_requests_get_poorer_codes() {
    const CODED: usize = 128 << 10;
    let text = Random(9).text(300_000);
    let made = |device: &Emulated, how: Compression, text: &[u8]| {
        let mut job = Job::new(open(device, &compress(how)), text);
        process(&mut job);
        assert_eq!((job.status(), job.consumed()), (Some(Ok(())), text.len()));
        if let Some(sum) = how.checksum.of(text) {
            assert_eq!(job.checksum(), Some(sum));
        }
        job.take_output()
    };
    for (memory, verify) in [("copy", "on"), ("gather", "off")] {
        let device = instant(&[("memory", memory), ("verify", verify)]);
        for checksum in [Checksum::None, Checksum::Crc32, Checksum::Adler32] {
            let how = Compression { checksum, ..Compression::default() };
            let whole = made(&device, how, &text);
            assert_eq!(inflate(&whole), text);
            let open = Compression { ending: Ending::Open, ..how };
            let pieces: Vec<u8> =
                text.chunks(CODED).flat_map(|piece| made(&device, open, piece)).collect();
            let fixed = made(&device, Compression { huffman: Huffman::Static, ..how }, &text);
            let (low, middle, high) = (pieces.len(), whole.len(), fixed.len());
            assert!(low + low / 20 < middle && middle < high, "{low}, {middle}, {high}");
            // Up to this length the codes are those of all of it.
            let mut job = Job::new(direct(&compress(how)), &text[..CODED]);
            process(&mut job);
            assert_eq!(made(&device, how, &text[..CODED]), job.output().expect("it is made"));
        }
        for ending in [Ending::Final, Ending::Open] {
            let how = Compression { ending, ..Compression::default() };
            for room in [1000, 40_000, 90_000] {
                let session = open(&device, &compress(how));
                let mut job = Job::new(&session, text.as_slice()).room(room);
                process(&mut job);
                assert_eq!(job.status(), Some(Ok(())), "room for {room}");
                let mut output = job.take_output();
                if ending == Ending::Open {
                    output.extend_from_slice(&[3, 0]);
                }
                assert_eq!(inflate(&output), text, "room for {room}");
            }
        }
    }
}
