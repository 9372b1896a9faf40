//! stand-in
use broadloom::compression::Format;
use broadloom_lanes::Cpu;
use std::io::{Read, Write};
#[derive(Default)]
pub struct Origin {
    pub name: Option<std::ffi::OsString>,
    pub modified: Option<std::time::SystemTime>,
}
pub struct Coded {
    pub format: Format,
    pub chunks: u64,
    pub input: u64,
    pub output: u64,
    pub notes: Vec<String>,
    pub index: Option<broadloom::compression::format::gzi::Index>,
}
impl Default for Coded {
    fn default() -> Self {
        Coded { format: Format::Gzip, chunks: 0, input: 0, output: 0, notes: vec![], index: None }
    }
}
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct CodecError;
pub struct Codec;
impl Codec {
    pub fn open(_: &super::options::Coding, _: super::options::Task, _: &Cpu) -> Result<Codec, String> {
        todo!()
    }
    pub fn notes(&self) -> &[String] {
        todo!()
    }
    pub fn description(&self) -> String {
        todo!()
    }
    pub fn format(&self) -> Format {
        todo!()
    }
    pub fn compress(&self, _: impl Read + Send, _: impl Write, _: &Origin) -> Result<Coded, CodecError> {
        todo!()
    }
    pub fn decompress(
        &self,
        _: impl Read + Send,
        _: impl Write,
        _: Option<Format>,
    ) -> Result<Coded, CodecError> {
        todo!()
    }
}
