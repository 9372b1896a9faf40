//! Inputs to decode, made of their parts.

use broadloom_compression::format::gzip::{self, Metadata, Trailer};
use broadloom_compression::format::{Format, bgzf, parcomp, zlib};
use zlib_rs::{Deflate, DeflateFlush, Status};

/// A deflate stream.
pub fn deflate(data: &[u8]) -> Vec<u8> {
    let mut state = Deflate::new(6, false, 15);
    let mut stream = vec![0; data.len() + data.len() / 100 + 64];
    let status = state.compress(data, &mut stream, DeflateFlush::Finish);
    assert_eq!(status, Ok(Status::StreamEnd));
    stream.truncate(state.total_out() as usize);
    stream
}

/// The trailer of gzip.
pub fn trailer(data: &[u8]) -> [u8; 8] {
    Trailer { crc: crc32fast::hash(data), len: data.len() as u32 }.to_bytes()
}

/// A member as gzip makes it.
pub fn foreign(data: &[u8]) -> Vec<u8> {
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    member.extend(deflate(data));
    member.extend(trailer(data));
    member
}

/// A member as Broadloom makes it.
pub fn broadloom(data: &[u8]) -> Vec<u8> {
    let stream = deflate(data);
    let mut member = Vec::new();
    gzip::write_header(&mut member, &Metadata::default(), stream.len(), data.len())
        .expect("it fits");
    member.extend(stream);
    member.extend(trailer(data));
    member
}

/// A block of BGZF.
pub fn block(data: &[u8]) -> Vec<u8> {
    let stream = deflate(data);
    let mut block = bgzf::header(stream.len()).expect("it fits").to_vec();
    block.extend(stream);
    block.extend(trailer(data));
    block
}

/// A chunk of parcomp.
pub fn chunk(data: &[u8]) -> Vec<u8> {
    let stream = deflate(data);
    let mut chunk = parcomp::prefix(stream.len()).expect("it fits").to_vec();
    chunk.extend(stream);
    chunk
}

/// A whole of zlib.
pub fn zlib(data: &[u8]) -> Vec<u8> {
    let mut whole = zlib::Header::new(15, 6).to_bytes().to_vec();
    whole.extend(deflate(data));
    whole.extend(zlib::trailer(zlib_rs::adler32::adler32(1, data)));
    whole
}

/// Data in a format, in two members where it has members.
pub fn whole(format: Format, data: &[u8]) -> Vec<u8> {
    let (first, second) = data.split_at(data.len() / 2);
    match format {
        Format::Parcomp => [chunk(first), chunk(second)].concat(),
        Format::Gzip => [broadloom(first), broadloom(second)].concat(),
        Format::Bgzf => [block(first), block(second), bgzf::END.to_vec()].concat(),
        Format::Zlib => zlib(data),
        Format::Raw => deflate(data),
    }
}

/// Bytes that compress to about a half.
pub fn text(len: usize) -> Vec<u8> {
    let mut state = 1u32;
    let words = ["lane ", "kernel ", "job ", "queue pair\n", "doorbell ", "chunk, ", "segment. "];
    let mut text = Vec::with_capacity(len + 16);
    while text.len() < len {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.extend_from_slice(words[(state >> 24) as usize % words.len()].as_bytes());
        text.push((state >> 16) as u8);
    }
    text.truncate(len);
    text
}
