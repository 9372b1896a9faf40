//! What compressed data are wrapped in: a format of the framework, or zip.

use std::fmt;
use std::str::FromStr;

use broadloom::compression::format::Format;

/// What compressed data are wrapped in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// A format that the framework writes.
    Format(Format),
    /// A zip file of one entry, whose bare deflate data the framework writes.
    Zip,
}

impl Container {
    /// The format that the framework writes.
    pub fn format(self) -> Format {
        match self {
            Container::Format(format) => format,
            Container::Zip => Format::Raw,
        }
    }

    /// The framework's format, unless it is a part of something else.
    pub fn plain(self) -> Option<Format> {
        match self {
            Container::Format(format) => Some(format),
            Container::Zip => None,
        }
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Container::Format(format) => format.fmt(f),
            Container::Zip => f.pad("zip"),
        }
    }
}

impl FromStr for Container {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "zip" => Ok(Container::Zip),
            _ => name.parse().map(Container::Format).map_err(|error| format!("{error}, zip")),
        }
    }
}
