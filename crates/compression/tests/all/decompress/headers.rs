//! Headers, trailers and indexes, byte by byte.

use broadloom_compression::format::gzi::{Entry, Index};
use broadloom_compression::format::gzip::{
    Effort, Extent, Header, MAX_HEADER, MemberError, Metadata, Trailer, write_header,
};
use broadloom_compression::format::{
    Cause, Detected, Format, FormatError, Part, bgzf, detect, is_plausible, parcomp, zlib,
};

use super::common::make::{broadloom, foreign};

#[test]
fn a_header_of_gzip_has_all_its_parts() {
    // RFC 1952, 2.3.1: every optional part, and a subfield `Ap` before it.
    let mut bytes =
        b"\x1f\x8b\x08\x1f\x04\x03\x02\x01\x02\x03\x07\x00Ap\x03\x00xyzdir/n\0c\0".to_vec();
    let crc = crc32fast::hash(&bytes) as u16;
    bytes.extend(crc.to_le_bytes());
    bytes.extend(b"deflate data");
    let header = Header::parse(&bytes).expect("it is one").expect("it is whole");
    assert_eq!(header.len, bytes.len() - 12);
    assert_eq!((header.mtime, header.extra_flags, header.system), (0x0102_0304, 2, 3));
    assert_eq!((header.name, header.comment), (Some(&b"dir/n"[..]), Some(&b"c"[..])));
    assert_eq!(header.subfields().collect::<Vec<_>>(), [(*b"Ap", &b"xyz"[..])]);
    assert_eq!((header.extent, header.stream_len()), (Extent::Unknown, None));
    for len in 0..header.len {
        assert_eq!(Header::parse(&bytes[..len]), Ok(None), "{len} bytes of it");
    }
    let end = header.len;
    bytes[end - 1] ^= 1;
    let error = Header::parse(&bytes).expect_err("its checksum is wrong");
    assert_eq!(error.offset, end as u64 - 2);
    assert!(matches!(error.cause, Cause::HeaderChecksum { .. }));
}

#[test]
fn what_a_header_of_gzip_cannot_have_is_refused_where_it_is() {
    let sound = foreign(b"");
    for (at, byte, cause) in [
        (0, 0x1e, Cause::Magic { format: Format::Gzip, found: [0x1e, 0x8b] }),
        (1, 0x8c, Cause::Magic { format: Format::Gzip, found: [0x1f, 0x8c] }),
        (2, 7, Cause::Method(7)),
        (3, 0x20, Cause::Flags(0x20)),
    ] {
        let mut bytes = sound.clone();
        bytes[at as usize] = byte;
        let offset = if at == 1 { 0 } else { at };
        assert_eq!(Header::parse(&bytes), Err(FormatError { offset, cause }));
    }
}

#[test]
fn a_name_without_an_end_is_not_looked_for_for_ever() {
    let mut bytes = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03".to_vec();
    bytes.resize(MAX_HEADER - 1, b'n');
    assert_eq!(Header::parse(&bytes), Ok(None));
    bytes.push(b'n');
    let too_long = Err(FormatError { offset: 0, cause: Cause::HeaderLength { max: MAX_HEADER } });
    assert_eq!(Header::parse(&bytes), too_long);
    bytes.push(0);
    assert_eq!(Header::parse(&bytes), too_long);
    assert_eq!(detect(&bytes), Ok(Some(Detected::Gzip)));
}

#[test]
fn names_are_safe() {
    for (name, safe) in [
        ("report.txt", Some("report.txt")),
        ("a/b", Some("b")),
        ("/etc/passwd", Some("passwd")),
        ("..", None),
        ("a/..", None),
        (".", None),
        ("a/", None),
        ("", None),
    ] {
        let bytes = [b"\x1f\x8b\x08\x08\0\0\0\0\0\x03", name.as_bytes(), b"\0"].concat();
        let header = Header::parse(&bytes).expect("it is one").expect("it is whole");
        assert_eq!(header.name, Some(name.as_bytes()));
        assert_eq!(header.file_name(), safe.map(str::as_bytes), "{name}");
    }
}

#[test]
fn a_member_is_written_as_it_is_read() {
    let metadata = Metadata { mtime: 77, name: Some(b"name"), effort: Effort::Best };
    let mut bytes = b"before".to_vec();
    write_header(&mut bytes, &metadata, 1000, 5000).expect("it fits");
    let bytes = bytes.strip_prefix(b"before").expect("it is behind that");
    let header = Header::parse(bytes).expect("it is one").expect("it is whole");
    assert_eq!(header.len, bytes.len());
    assert_eq!((header.mtime, header.name, header.extra_flags), (77, Some(&b"name"[..]), 2));
    let member = header.len as u32 + 1000 + 8;
    assert_eq!(header.extent, Extent::Broadloom { member, data: 5000 });
    assert_eq!(header.stream_len(), Some(1000));
    assert_eq!(detect(bytes), Ok(Some(Detected::BroadloomGzip)));
}

#[test]
fn what_cannot_be_stored_is_not_written() {
    let mut bytes = Vec::new();
    let with = |name| Metadata { name: Some(name), ..Metadata::default() };
    let error = write_header(&mut bytes, &with(b"a\0b"), 2, 0);
    assert!(matches!(error, Err(MemberError::Name { len: 3, .. })));
    let error = write_header(&mut bytes, &Metadata::default(), u32::MAX as usize, 9);
    assert!(matches!(error, Err(MemberError::Size { data: 9, .. })));
    let error = write_header(&mut bytes, &Metadata::default(), 9, u32::MAX as usize + 1);
    assert!(matches!(error, Err(MemberError::Size { .. })));
    assert_eq!(bytes, b"");
    assert!(bgzf::header(bgzf::MAX_STREAM + 1).is_err());
    assert!(parcomp::prefix(u32::MAX as usize + 1).is_err());
}

#[test]
fn the_largest_block_is_64_kib() {
    let header = bgzf::header(bgzf::MAX_STREAM).expect("it fits");
    let parsed = bgzf::parse(&header).expect("it is one").expect("it is whole");
    assert_eq!(parsed.extent, Extent::Bgzf { member: 1 << 16 });
    assert_eq!(parsed.stream_len(), Some(bgzf::MAX_STREAM));
}

#[test]
fn lengths_that_leave_no_room_are_none() {
    let mut block = bgzf::END.to_vec();
    block[16] = 26;
    let header = Header::parse(&block).expect("it is one").expect("it is whole");
    assert_eq!(header.extent, Extent::Unknown);
    let error = bgzf::parse(&block).expect_err("it is too short for a block");
    assert_eq!(error.cause, Cause::NoBlockSize);
    let mut member = broadloom(b"text");
    member[20..24].copy_from_slice(&[0xff; 4]);
    let header = Header::parse(&member).expect("it is one").expect("it is whole");
    assert_eq!(header.extent, Extent::Unknown);
    assert_eq!(parcomp::parse(&[1, 0, 0, 0]).expect_err("it is too short").offset, 0);
    assert!(is_plausible(2, 2064) && !is_plausible(2, 2065));
}

#[test]
fn beginnings_tell_formats_apart() {
    assert_eq!(detect(&foreign(b"")), Ok(Some(Detected::Gzip)));
    assert_eq!(detect(&bgzf::END), Ok(Some(Detected::Bgzf)));
    assert_eq!(detect(&zlib::Header::new(15, 1).to_bytes()), Ok(Some(Detected::Zlib)));
    assert_eq!(detect(b""), Ok(None));
    assert_eq!(detect(b"\x1f"), Ok(None));
    assert_eq!(detect(b"PK\x03\x04").expect_err("it is a zip file").offset, 0);
}

#[test]
fn headers_of_zlib_are_those_of_zlib() {
    for (level, bytes) in
        [(1, [0x78, 0x01]), (3, [0x78, 0x5e]), (6, [0x78, 0x9c]), (9, [0x78, 0xda])]
    {
        let header = zlib::Header::new(15, level);
        assert_eq!(header.to_bytes(), bytes, "level {level}");
        assert_eq!(zlib::Header::parse(&bytes), Ok(Some(header)));
    }
    for window in 8..=15 {
        let header = zlib::Header::new(window, 6);
        assert_eq!(zlib::Header::parse(&header.to_bytes()), Ok(Some(header)));
    }
    for (bytes, offset, cause) in [
        (&[0x78, 0x9d][..], 0, Cause::HeaderCheck([0x78, 0x9d])),
        (&[0x88, 0x1c], 0, Cause::Window(16)),
        (&[0x77, 0x85], 0, Cause::Magic { format: Format::Zlib, found: [0x77, 0x85] }),
        (&[0x78, 0xbb, 1, 2, 3, 4], 2, Cause::Dictionary { id: 0x0102_0304 }),
    ] {
        assert_eq!(zlib::Header::parse(bytes), Err(FormatError { offset, cause }));
    }
    assert_eq!(zlib::Header::parse(&[0x78, 0xbb, 1, 2]), Ok(None));
    assert!(
        zlib::check(&zlib::trailer(5), 5).is_ok() && zlib::check(&zlib::trailer(5), 6).is_err()
    );
}

#[test]
fn a_trailer_of_gzip_has_the_length_modulo_2_32() {
    let trailer = Trailer { crc: 5, len: 7 };
    assert_eq!(Trailer::parse(&trailer.to_bytes()), trailer);
    assert_eq!(trailer.check(5, (3 << 32) + 7), Ok(()));
    assert_eq!(trailer.check(6, 7).map_err(|error| error.offset), Err(0));
    assert_eq!(trailer.check(5, 8).map_err(|error| error.offset), Err(4));
}

#[test]
fn an_index_is_read_as_it_is_written() {
    let mut index = Index::new();
    let at = |compressed, uncompressed| Entry { compressed, uncompressed };
    for entry in [at(0, 0), at(100, 65280), at(250, 130_560)] {
        index.push(entry);
    }
    assert_eq!(index.entries(), [at(100, 65280), at(250, 130_560)]);
    let bytes = index.to_bytes();
    assert_eq!(bytes.len(), 8 + 2 * 16);
    assert_eq!(Index::parse(&bytes), Ok(index.clone()));
    for (byte, block) in
        [(0, at(0, 0)), (65279, at(0, 0)), (65280, at(100, 65280)), (1 << 40, at(250, 130_560))]
    {
        assert_eq!(index.locate(byte), block, "byte {byte}");
    }
}

#[test]
fn an_index_that_cannot_be_is_refused() {
    assert_eq!(Index::parse(&[0; 8]), Ok(Index::new()));
    let truncated = Err(FormatError { offset: 7, cause: Cause::Truncated(Part::Index) });
    assert_eq!(Index::parse(&[0; 7]), truncated);
    for entries in [1, 1 << 60, u64::MAX] {
        let error = Index::parse(&entries.to_le_bytes()).expect_err("there are no entries");
        assert_eq!(error.cause, Cause::IndexLength { entries, found: 8 });
    }
    let numbers: [u64; 5] = [2, 100, 65280, 100, 70000];
    let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
    let error = Index::parse(&bytes).expect_err("two blocks at one place");
    assert_eq!(error, FormatError { offset: 24, cause: Cause::IndexOrder { entry: 1 } });
}
