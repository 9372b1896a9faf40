//! What compressed data are wrapped in: a format of the framework, frames, or zip.

use std::fmt;
use std::str::FromStr;

use broadloom::compression::format::Format;
use broadloom::compression::framed;

/// What compressed data are wrapped in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// A format that the framework writes.
    Format(Format),
    /// A zip file of one entry, whose bare deflate data the framework writes.
    Zip,
    /// Frames of LZ4 or zstd.
    Frames(framed::Format),
}

impl Container {
    /// The format of the DEFLATE data that a provider writes.
    pub fn deflate(self) -> Option<Format> {
        match self {
            Container::Format(format) => Some(format),
            Container::Zip => Some(Format::Raw),
            Container::Frames(_) => None,
        }
    }

    /// The format of its frames.
    pub fn frames(self) -> Option<framed::Format> {
        match self {
            Container::Frames(format) => Some(format),
            Container::Format(_) | Container::Zip => None,
        }
    }

    /// The framework's format, unless it is a part of something else.
    pub fn plain(self) -> Option<Format> {
        match self {
            Container::Format(format) => Some(format),
            Container::Zip | Container::Frames(_) => None,
        }
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Container::Format(format) => format.fmt(f),
            Container::Zip => f.pad("zip"),
            Container::Frames(format) => format.fmt(f),
        }
    }
}

impl FromStr for Container {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let frames = framed::Format::ALL.into_iter().find(|format| format.name() == name);
        match (name, frames) {
            ("zip", _) => Ok(Container::Zip),
            (_, Some(format)) => Ok(Container::Frames(format)),
            _ => {
                let format = name.parse().map(Container::Format);
                format.map_err(|error| format!("{error}, zip, lz4, zstd"))
            }
        }
    }
}
