//! Members of several kinds, one after another; what is around them; and how much they may be.

use std::io::{self, Read, Write};

use broadloom_compression::decompress::{
    DecompressError, Decompressed, Garbage, Settings, Trailing, list,
};
use broadloom_compression::format::gzip::{self, Metadata};
use broadloom_compression::format::{Cause, Format, FormatError, bgzf, parcomp};
use broadloom_compression::inflate::{Options, inflate};
use broadloom_compression::{Scratch, SettingsError};

use super::common::make::{block, broadloom, chunk, deflate, foreign, text, trailer, whole, zlib};
use super::common::provider::{decompressor, try_decompressor};

fn stream(settings: Settings, input: &[u8]) -> (Vec<u8>, Result<Decompressed, DecompressError>) {
    let mut data = Vec::new();
    let result = decompressor(settings).decompress_stream(input, &mut data);
    (data, result)
}

fn of_format(format: Format) -> Settings {
    Settings { format: Some(format), ..Settings::default() }
}

#[test]
fn members_of_all_kinds_follow_one_another() {
    let texts: Vec<_> = [0, 70_000, 1, 500, 200_000, 60_000].map(text).into();
    let input = [
        foreign(&texts[0]),
        broadloom(&texts[1]),
        broadloom(&texts[2]),
        foreign(&texts[3]),
        foreign(&texts[4]),
        block(&texts[5]),
        bgzf::END.to_vec(),
        broadloom(b""),
    ]
    .concat();
    for threads in [1, 3] {
        let (data, result) = stream(Settings { threads, ..Settings::default() }, &input);
        let decompressed = result.expect("it is sound");
        assert_eq!(data, texts.concat());
        assert_eq!((decompressed.report.chunks, decompressed.alone), (8, 3));
        assert_eq!(decompressed.report.input, input.len() as u64);
        assert!(!decompressed.no_end_block, "BGZF is not what it ends with");
    }
}

#[test]
fn every_length_comes_back() {
    let lens = (0..300).chain([65_279, 65_280, 65_281, 131_071, 131_072, 131_073, 400_000]);
    for len in lens {
        for data in [text(len), vec![0; len]] {
            for format in Format::ALL {
                let halves =
                    if format == Format::Bgzf { data.len().min(100_000) } else { data.len() };
                let (output, result) = stream(of_format(format), &whole(format, &data[..halves]));
                result.expect("it is sound");
                assert!(output == data[..halves], "{len} bytes of {format}");
            }
        }
    }
}

#[test]
fn zeros_behind_the_end_are_fill() {
    for format in [Format::Gzip, Format::Bgzf, Format::Zlib, Format::Raw] {
        let input = [whole(format, b"some text"), vec![0; 1000]].concat();
        let (data, result) = stream(of_format(format), &input);
        assert_eq!(data, b"some text");
        assert_eq!(result.expect("it is sound").trailing, Trailing { zeros: 1000, garbage: None });
    }
}

#[test]
fn other_bytes_behind_the_end_are_refused_unless_allowed() {
    for format in [Format::Gzip, Format::Bgzf, Format::Zlib, Format::Raw] {
        let start = whole(format, b"some text");
        let input = [&start[..], b"\0\0more"].concat();
        let at = start.len() as u64 + 2;
        let (_, result) = stream(of_format(format), &input);
        let error = result.expect_err("there is garbage");
        let what = Cause::Garbage { format, found: b'm' };
        assert!(
            matches!(&error, DecompressError::Format(FormatError { offset, cause })
            if (*offset, cause) == (at, &what)),
            "{error}"
        );

        let (data, result) =
            stream(Settings { garbage: Garbage::Report, ..of_format(format) }, &input);
        assert_eq!(data, b"some text");
        let decompressed = result.expect("garbage is allowed");
        assert_eq!(decompressed.trailing, Trailing { zeros: 2, garbage: Some(at) });
    }
}

#[test]
fn other_bytes_are_copied_where_that_is_asked_for_as_gzip_does_it() {
    let copying = || Settings { garbage: Garbage::Copy, ..Settings::default() };
    let data = text(3000);
    let copied = |input: &[u8]| {
        let (made, result) = stream(copying(), input);
        let decompressed = result.unwrap_or_else(|error| panic!("{:?}: {error}", &input[..2]));
        assert_eq!(decompressed.report.input, input.len() as u64);
        (made, decompressed.trailing.garbage)
    };
    for start in [foreign(&data), broadloom(&data), zlib(&data)] {
        assert_eq!(copied(&start), (data.clone(), None));
        for rest in [&data[..], b"\0\0more", b"x", b"\x1f", &[0; 1000]] {
            let made = copied(&[&start[..], rest].concat());
            assert_eq!(made, ([&data[..], rest].concat(), Some(start.len() as u64)));
        }
    }
    // The two bytes with which texts begin are those of zlib's header, with a dictionary and
    // without.
    for input in
        [&b"80 columns\n"[..], b"x^2 + 1\n", b"hC", b"x", b"\x1f", &zlib(&data)[..100], &data]
    {
        assert_eq!(copied(input), (input.to_vec(), Some(0)));
    }
    assert_eq!(copied(b""), (Vec::new(), None));
    // What is gzip data by their beginning is not copied, whatever is wrong with them.
    let (_, result) = stream(copying(), b"\x1f\x8b\x07 and more");
    assert!(result.expect_err("the method is unknown").to_string().starts_with("at byte 2: "));
    let (_, result) = stream(Settings { limit: Some(2999), ..copying() }, &data);
    assert!(matches!(result, Err(DecompressError::OutputLimit { limit: 2999, .. })));
}

#[test]
fn half_of_a_magic_number_is_a_member_cut_off() {
    let input = [foreign(b"text"), vec![0x1f]].concat();
    let settings = Settings { garbage: Garbage::Report, ..Settings::default() };
    let (_, result) = stream(settings, &input);
    let end = input.len();
    assert_eq!(
        result.expect_err("it is cut off").to_string(),
        format!("at byte {end}: the input ends within a header")
    );
}

#[test]
fn bgzf_without_its_end_is_an_error_where_bgzf_was_asked_for() {
    let input = block(b"text");
    let (_, result) = stream(of_format(Format::Bgzf), &input);
    let error = result.expect_err("it has no end");
    assert!(
        error.to_string().ends_with("the input ends within bgzf data: the end block is missing")
    );
    let (data, result) = stream(Settings::default(), &input);
    assert_eq!(data, b"text");
    assert!(result.expect("it is gzip").no_end_block);
    let (_, result) = stream(Settings::default(), &[&input[..], &bgzf::END].concat());
    assert!(!result.expect("it is sound").no_end_block);
}

#[test]
fn bgzf_has_nothing_but_blocks() {
    for other in [foreign(b"text"), broadloom(b"text")] {
        let input = [block(b"text"), other].concat();
        let (_, result) = stream(of_format(Format::Bgzf), &input);
        let at = block(b"text").len();
        let error = result.expect_err("that is no block").to_string();
        assert_eq!(error, format!("at byte {at}: {}", Cause::NoBlockSize));
    }
}

/// A member of Broadloom's with other lengths in its header.
fn claiming(data: &[u8], stream: usize, len: usize) -> Vec<u8> {
    let mut member = Vec::new();
    gzip::write_header(&mut member, &Metadata::default(), stream, len).expect("it fits");
    member.extend(deflate(data));
    member.extend(trailer(data));
    member
}

#[test]
fn enormous_claims_are_passed_over_before_they_cost_anything() {
    let data = text(1000);
    let honest = deflate(&data).len();
    let four_gb = u32::MAX as usize;

    for (stream_len, len) in [(honest, four_gb), (four_gb - 40, four_gb)] {
        let (output, result) = stream(Settings::default(), &claiming(&data, stream_len, len));
        assert_eq!(result.expect("the member is sound").alone, 1);
        assert_eq!(output, data);
    }

    let mut input = parcomp::prefix(four_gb).expect("it fits").to_vec();
    input.extend(deflate(&data));
    for threads in [1, 2] {
        let (_, result) = stream(Settings { threads, ..of_format(Format::Parcomp) }, &input);
        let error = result.expect_err("there is less").to_string();
        assert!(error.contains("4294967295"), "{error}");
    }
}

/// A member of gzip with one subfield, and perhaps a comment.
fn with_subfield(ids: [u8; 2], contents: &[u8], comment: &[u8], data: &[u8]) -> Vec<u8> {
    let flags = 0x04 | if comment.is_empty() { 0 } else { 0x10 | 0x02 };
    let mut member = [&b"\x1f\x8b\x08"[..], &[flags], b"\0\0\0\0\0\x03"].concat();
    member.extend((contents.len() as u16 + 4).to_le_bytes());
    member.extend(ids);
    member.extend((contents.len() as u16).to_le_bytes());
    member.extend(contents);
    if !comment.is_empty() {
        member.extend(comment);
        member.push(0);
        let sum = crc32fast::hash(&member) as u16;
        member.extend(sum.to_le_bytes());
    }
    member.extend(deflate(data));
    member.extend(trailer(data));
    member
}

/// Decompresses by every way there is, and asserts that the data come out.
fn assert_sound(input: &[u8], data: &[u8], what: &str) {
    for threads in [1, 2] {
        let (output, result) = stream(Settings { threads, ..Settings::default() }, input);
        let done = result.unwrap_or_else(|error| panic!("{what}, {threads} threads: {error}"));
        assert!(output == data && !done.no_end_block, "{what}, {threads} threads");
        let mut output = Vec::new();
        let decompressor = decompressor(Settings { threads, ..Settings::default() });
        decompressor.decompress(input, &mut output).expect(what);
        assert!(output == data, "{what}, from memory, {threads} threads");
        output.clear();
        decompressor.decompress_with(&mut Scratch::default(), input, &mut output).expect(what);
        assert!(output == data, "{what}, by what was kept, {threads} threads");
    }
    let mut output = Vec::new();
    inflate(input, &mut output, Options::default()).expect(what);
    assert!(output == data, "{what}, inflated");
    let mut listed = 0;
    list(input, Options::default(), |member| listed += member.uncompressed).expect(what);
    assert_eq!(listed, data.len() as u64, "{what}, listed");
}

#[test]
fn lengths_that_are_wrong_are_those_of_others_and_passed_over() {
    let data = text(1000);
    let honest = deflate(&data).len();
    let three = data.repeat(3);
    for (stream_len, len) in
        [(honest - 1, 1000), (honest + 1, 1000), (honest, 999), (honest, 1001), (honest - 1, 0)]
    {
        let input = [broadloom(&data), claiming(&data, stream_len, len), broadloom(&data)].concat();
        assert_sound(&input, &three, &format!("{stream_len}, {len}"));
    }
    // Subfields of somebody else who has the same two ids, whatever they have in them.
    for seed in 0..64u8 {
        let contents: Vec<u8> =
            (1..9).map(|at| seed.wrapping_mul(at * 29).rotate_left(3)).collect();
        for contents in [&contents[..], &[contents[0], contents[1], 0, 0, seed, 0, 0, 0]] {
            let member = with_subfield(*b"BL", contents, b"", &data);
            assert_sound(&member, &data, &format!("BL {contents:?}"));
            let both = [&member[..], &broadloom(&data)].concat();
            assert_sound(&both, &data.repeat(2), &format!("BL {contents:?} and ours"));
        }
        let member = with_subfield(*b"BC", &contents[..2], b"", &data);
        assert_sound(&member, &data, &format!("BC {:?}", &contents[..2]));
        let far = [seed, 3];
        let behind = [block(&data), with_subfield(*b"BC", &far, b"", &data)].concat();
        assert_sound(&behind, &data.repeat(2), &format!("BC {far:?} behind a block"));
    }
}

#[test]
fn headers_of_any_length_are_passed_over() {
    let data = text(1000);
    for len in [1000, gzip::MAX_HEADER - 1, gzip::MAX_HEADER, 300_000, 3_000_000] {
        let comment = vec![b'c'; len];
        let member = with_subfield(*b"XY", b"contents", &comment, &data);
        assert_sound(&member, &data, &format!("a comment of {len} bytes"));
        let input = [broadloom(&data), member.clone(), broadloom(&data)].concat();
        assert_sound(&input, &data.repeat(3), &format!("a comment of {len} bytes between others"));
        // Its checksum and its end are looked for all the same.
        let mut wrong = member.clone();
        wrong[100] ^= 1;
        let (_, result) = stream(Settings::default(), &wrong);
        let error = result.expect_err("the checksum of the header is wrong").to_string();
        assert!(error.contains("the header's checksum is"), "{len}: {error}");
        let (_, result) = stream(Settings::default(), &member[..len]);
        let error = result.expect_err("the header is cut off");
        assert_eq!(error.to_string(), format!("at byte {len}: the input ends within a header"));
    }
}

#[test]
fn nothing_comes_out_beyond_the_limit() {
    let data = vec![7; 5_000_000];
    let inputs = [
        (foreign(&data), None),
        (broadloom(&data), None),
        (zlib(&data), None),
        (chunk(&data), Some(Format::Parcomp)),
        (deflate(&data), Some(Format::Raw)),
        (data.chunks(bgzf::MAX_DATA).flat_map(block).collect(), None),
        (data.chunks(100_000).flat_map(chunk).collect(), Some(Format::Parcomp)),
    ];
    for (input, format) in inputs {
        for (threads, memory) in [(1, 128 << 20), (2, 1 << 20)] {
            let settings = Settings { format, threads, memory, ..Settings::default() };
            let limited = Settings { limit: Some(4_999_999), ..settings.clone() };
            let (output, result) = stream(limited.clone(), &input);
            assert!(data.starts_with(&output) && output.len() < 5_000_000);
            let of_stream = result.expect_err("it is too long");
            let mut output = Vec::new();
            let of_slice = decompressor(limited).decompress(&input, &mut output);
            for error in [of_stream, of_slice.expect_err("it is too long")] {
                assert!(
                    matches!(error, DecompressError::OutputLimit { limit: 4_999_999, .. }),
                    "{error}"
                );
            }
            let (output, result) = stream(Settings { limit: Some(5_000_000), ..settings }, &input);
            result.expect("it is just short enough");
            assert!(output == data);
        }
    }
}

#[test]
fn members_too_large_for_the_memory_are_decoded_alone() {
    let (small, large) = (text(10_000), text(3_000_000));
    let input = [broadloom(&small), broadloom(&large), broadloom(&small)].concat();
    let settings = Settings { threads: 2, memory: 1 << 20, ..Settings::default() };
    let (data, result) = stream(settings, &input);
    assert_eq!(result.expect("it is sound").alone, 1);
    assert!(data == [&small[..], &large, &small].concat());

    // Chunks of parcomp do not say what comes out of them: it turns out.
    let (zeros, small) = (vec![0; 3_000_000], text(1000));
    let input = [chunk(&small), chunk(&zeros), chunk(&small)].concat();
    let settings = Settings { threads: 2, memory: 1 << 20, ..of_format(Format::Parcomp) };
    let (data, result) = stream(settings, &input);
    result.expect("it is sound");
    assert!(data == [&small[..], &zeros, &small].concat());
}

#[test]
fn settings_have_ranges() {
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        try_decompressor(settings).expect_err("it is out of range")
    };
    assert!(matches!(with(|settings| settings.threads = 0), SettingsError::Range { value: 0, .. }));
    assert!(matches!(
        with(|settings| settings.outstanding = 257),
        SettingsError::Range { max: 256, .. }
    ));
    assert_eq!(with(|settings| settings.cores = Some(Vec::new())), SettingsError::NoCores);
}

/// Gives some bytes, then fails.
struct Broken<'a>(&'a [u8]);

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            Ok(0) => Err(io::Error::other("the wire is cut")),
            read => read,
        }
    }
}

/// Takes some bytes, then fails.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        match taken {
            0 => Err(io::Error::other("no room is left")),
            _ => Ok(taken),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn errors_of_readers_and_writers_come_through() {
    let data = text(300_000);
    for input in [foreign(&data), data.chunks(10_000).flat_map(broadloom).collect()] {
        for threads in [1, 2] {
            let decompressor = decompressor(Settings { threads, ..Settings::default() });
            let half = input.len() / 2;
            let error = decompressor.test(Broken(&input[..half])).expect_err("reading fails");
            assert!(
                matches!(&error, DecompressError::Read { offset, .. } if *offset == half as u64)
            );
            assert!(error.to_string().ends_with("the wire is cut"), "{error}");
            let error =
                decompressor.decompress_stream(&input[..], Full(1000)).expect_err("writing fails");
            assert!(matches!(&error, DecompressError::Write { .. }));
            assert!(error.to_string().ends_with("no room is left"), "{error}");
        }
    }
}
