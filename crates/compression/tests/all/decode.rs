//! What the formats mean, read by their specifications and with another decoder.

use broadloom_compression::format::Format;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

/// Inputs of one length: text, noise, zeros.
pub fn inputs(len: usize) -> [Vec<u8>; 3] {
    let mut random = fastrand::Rng::with_seed(len as u64);
    let words = ["chunk ", "segment ", "thread ", "of ", "the\n", "provider "];
    let text = std::iter::repeat_with(|| words[random.usize(..words.len())].bytes()).flatten();
    let text: Vec<u8> = text.take(len).collect();
    let mut noise = vec![0; len];
    random.fill(&mut noise);
    [text, noise, vec![0; len]]
}

/// The data of a file, and how many chunks it has where that can be seen.
pub fn decode(format: Format, file: &[u8]) -> (Vec<u8>, Option<u64>) {
    match format {
        Format::Raw => {
            let (data, used) = inflate_one(file);
            assert_eq!(used, file.len());
            (data, None)
        }
        Format::Zlib => {
            (miniz_oxide::inflate::decompress_to_vec_zlib(file).expect("RFC 1950"), None)
        }
        Format::Parcomp => parts(file, |rest| {
            let len = u32::from_le_bytes(rest[..4].try_into().expect("four")) as usize;
            let (data, used) = inflate_one(&rest[4..4 + len]);
            assert_eq!(used, len);
            (data, 4 + len)
        }),
        Format::Gzip => parts(file, |rest| member(rest, *b"BL")),
        Format::Bgzf => {
            let end = file.len() - 28;
            assert_eq!(file[end..][..4], [0x1f, 0x8b, 8, 4], "a block at the end");
            let (data, blocks) = parts(file, |rest| member(rest, *b"BC"));
            (data, blocks.map(|blocks| blocks - 1))
        }
    }
}

fn parts(file: &[u8], read: impl Fn(&[u8]) -> (Vec<u8>, usize)) -> (Vec<u8>, Option<u64>) {
    let (mut data, mut rest, mut count) = (Vec::new(), file, 0);
    while !rest.is_empty() {
        let (part, len) = read(rest);
        data.extend_from_slice(&part);
        rest = &rest[len..];
        count += 1;
    }
    (data, Some(count))
}

/// A member with one subfield, which says its length, or without any, and perhaps a name.
fn member(bytes: &[u8], ids: [u8; 2]) -> (Vec<u8>, usize) {
    assert_eq!(bytes[..3], [0x1f, 0x8b, 8]);
    let number = |at: usize, len: usize| {
        bytes[at..at + len].iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
    };
    let has_extra = bytes[3] & 4 != 0;
    assert!(!has_extra || bytes[12..14] == ids);
    let (stated, stated_data) = match &ids {
        _ if !has_extra => (None, None),
        b"BC" => (Some(number(16, 2) + 1), None),
        _ => (Some(number(16, 4)), Some(number(20, 4))),
    };
    let mut start = if has_extra { 12 + number(10, 2) } else { 10 };
    if bytes[3] & 8 != 0 {
        start += bytes[start..].iter().position(|byte| *byte == 0).expect("it ends") + 1;
    }
    let (data, used) = inflate_one(&bytes[start..]);
    let end = start + used;
    assert_eq!(number(end, 4), crc32fast::hash(&data) as usize);
    assert_eq!(number(end + 4, 4), data.len());
    assert!(stated.is_none_or(|stated| stated == end + 8));
    assert!(stated_data.is_none_or(|stated| stated == data.len()));
    (data, end + 8)
}

/// The data of a DEFLATE stream, and its length.
pub fn inflate_one(bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut state = InflateState::new_boxed(DataFormat::Raw);
    let (mut data, mut used, mut room) = (Vec::new(), 0, vec![0; 1 << 16]);
    loop {
        let result = inflate(&mut state, &bytes[used..], &mut room, MZFlush::None);
        used += result.bytes_consumed;
        data.extend_from_slice(&room[..result.bytes_written]);
        match result.status.expect("RFC 1951") {
            MZStatus::StreamEnd => return (data, used),
            _ => assert!(result.bytes_consumed + result.bytes_written > 0, "it goes on"),
        }
    }
}
