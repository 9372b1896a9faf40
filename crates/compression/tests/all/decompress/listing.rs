//! What is in an input, without its data.

use broadloom_compression::decompress::{DecompressError, Listed, list};
use broadloom_compression::format::gzip::{self, Metadata};
use broadloom_compression::format::{Format, bgzf};
use broadloom_compression::inflate::Options;

use super::common::make::{block, chunk, deflate, foreign, text, trailer, zlib};

fn listed(input: &[u8], format: Option<Format>) -> Vec<Listed> {
    let mut members = Vec::new();
    list(input, Options { format, ..Options::default() }, |member| members.push(member))
        .expect("it is sound");
    members
}

#[test]
fn members_are_listed_with_lengths_checksums_names_and_times() {
    let data = text(5000);
    let metadata =
        Metadata { mtime: 1_700_000_000, name: Some(b"../a/report.txt"), ..Metadata::default() };
    let stream = deflate(&data);
    let mut named = Vec::new();
    gzip::write_header(&mut named, &metadata, stream.len(), data.len()).expect("it fits");
    named.extend(&stream);
    named.extend(trailer(&data));
    let other = foreign(&data[..100]);
    let input = [&named[..], &other, &block(&data[..300]), &bgzf::END].concat();

    let members = listed(&input, None);
    let first = Listed {
        format: Format::Gzip,
        offset: 0,
        compressed: named.len() as u64,
        stream: stream.len() as u64,
        uncompressed: 5000,
        checksum: Some(crc32fast::hash(&data)),
        decoded: false,
        mtime: 1_700_000_000,
        name: Some(b"report.txt".to_vec()),
    };
    assert_eq!(members[0], first);
    let second = Listed {
        offset: named.len() as u64,
        compressed: other.len() as u64,
        stream: other.len() as u64 - 18,
        uncompressed: 100,
        checksum: Some(crc32fast::hash(&data[..100])),
        decoded: true,
        mtime: 0,
        name: None,
        ..first
    };
    assert_eq!(members[1], second);
    let [third, fourth] = &members[2..] else { panic!("{members:?}") };
    assert_eq!((third.format, third.uncompressed, third.decoded), (Format::Bgzf, 300, false));
    assert_eq!((fourth.compressed, fourth.uncompressed), (28, 0));
}

#[test]
fn what_has_no_lengths_is_decoded_to_be_listed() {
    let data = text(100_000);
    let [whole] = &listed(&zlib(&data), None)[..] else { panic!() };
    assert_eq!((whole.format, whole.uncompressed, whole.decoded), (Format::Zlib, 100_000, true));
    assert!(whole.checksum.is_some());
    let chunks = listed(&[chunk(&data), chunk(b"")].concat(), Some(Format::Parcomp));
    let lens: Vec<_> = chunks.iter().map(|chunk| (chunk.uncompressed, chunk.checksum)).collect();
    assert_eq!(lens, [(100_000, None), (0, None)]);
}

#[test]
fn what_is_cut_off_cannot_be_listed() {
    let input = block(&text(1000));
    for len in [1, 17, 20, input.len() - 1] {
        let error = list(&input[..len], Options::default(), |_| ()).expect_err("it is cut off");
        assert!(
            error.to_string().starts_with(&format!("at byte {len}: the input ends")),
            "{error}"
        );
    }
}

#[test]
fn a_listing_is_held_to_the_limit_whether_members_are_decoded_or_not() {
    let data = text(1000);
    for one in [block(&data), foreign(&data), zlib(&data)] {
        let input = if one[0] == 0x1f { [&one[..], &one].concat() } else { one };
        let whole =
            list(&input[..], Options::default(), |_| ()).expect("it is sound").report.output;
        let limited =
            |limit| list(&input[..], Options { limit: Some(limit), ..Options::default() }, |_| ());
        limited(whole).expect("it is just allowed");
        let error = limited(whole - 1).expect_err("it is too much");
        assert!(
            matches!(error, DecompressError::OutputLimit { limit, .. } if limit == whole - 1),
            "{error}"
        );
    }
}

#[test]
fn a_listing_says_what_decompressing_would() {
    let data = text(1000);
    let other = foreign(&data);
    let input = [&block(&data)[..], &other, &block(&data)].concat();
    let listed = list(&input[..], Options::default(), |_| ()).expect("it is sound");
    assert!(listed.no_end_block);
    assert_eq!((listed.report.input, listed.report.output), (input.len() as u64, 3000));
    assert_eq!((listed.report.chunks, listed.alone), (3, 1));
}
