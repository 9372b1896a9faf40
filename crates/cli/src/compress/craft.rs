//! What compression makes of files.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use broadloom::compression::format::Format;

use super::codec::Codec;
use super::container::Container;
use super::header::Header;
use super::list::saved;
use super::options::{Options, Task};
use super::origin::Origin;
use crate::files::opened::Opened;
use crate::files::sides::{Counted, Output};
use crate::files::{Becomes, Coded, Craft, Failure, Hints, failure};

/// Compresses or decompresses files, as the options ask for it.
#[derive(Clone)]
pub struct Compression {
    pub codec: Arc<Codec>,
    pub options: Arc<Options>,
}

/// What the options of both commands can do about files that are ignored.
const HINTS: Hints = Hints { recursive: "-r", unknown_suffix: "-S names one" };

/// What is known of a file beforehand.
#[derive(Default)]
pub struct About {
    /// What the compressed file says of it.
    origin: Origin,
    /// The format of what is decompressed, where the name tells it.
    format: Option<Format>,
}

impl Compression {
    /// Returns the container of compressed data. For a decompression, it is the most likely one.
    fn container(&self) -> Container {
        self.options.coding.container.unwrap_or(Container::Format(Format::Gzip))
    }
}

impl Craft for Compression {
    type About = About;

    fn code(
        &self,
        input: Counted<'_>,
        output: Output<'_>,
        about: &About,
    ) -> Result<Coded, Failure> {
        let coded = match self.codes() {
            true => self.codec.compress(input, output, &about.origin),
            false => {
                // What gzip copies by force, it copies to standard output alone.
                let copies = !matches!(output, Output::File(_));
                self.codec.decompress(input, output, about.format, copies)
            }
        };
        coded.map_err(|error| failure(&error))
    }

    fn codes(&self) -> bool {
        self.options.task == Task::Compress
    }

    fn word(&self) -> &'static str {
        "compressed"
    }

    fn stands_alone(&self) -> Option<String> {
        let container = self.container();
        let alone =
            [Container::Zip, Container::Format(Format::Zlib), Container::Format(Format::Raw)];
        alone.contains(&container).then(|| {
            format!(
                "standard output has a {container} stream already, behind which a second would not \
                 be found; valid: one file, or another format"
            )
        })
    }

    fn suffix(&self) -> &OsStr {
        self.options.suffixes.of(self.container())
    }

    fn suffix_of(&self, path: &Path) -> Option<OsString> {
        self.options.suffixes.find(path).map(|found| found.suffix)
    }

    fn about(&self, path: &Path, opened: &Opened) -> About {
        let origin = match self.options.names {
            true => Origin {
                name: path.file_name().map(ToOwned::to_owned),
                modified: modified(&opened.metadata),
                mode: Some(opened.metadata.mode()),
            },
            false => Origin::default(),
        };
        let format = self.options.suffixes.find(path).and_then(|suffix| suffix.format);
        About { origin, format }
    }

    fn about_stdin(&self, input: &File) -> About {
        let modified = input.metadata().ok().and_then(|metadata| modified(&metadata));
        let modified = modified.filter(|_| self.options.names);
        About { origin: Origin { modified, ..Origin::default() }, format: None }
    }

    fn hints(&self) -> Hints {
        HINTS
    }

    fn becomes(&self, path: &Path, opened: &Opened) -> Result<Becomes<About>, Failure> {
        let about = self.about(path, opened);
        let (target, modified) = match self.options.suffixes.find(path) {
            Some(suffix) if !self.codes() => {
                let stored = self.options.stored(opened)?;
                (stored.beside(path).unwrap_or(suffix.original), stored.modified)
            }
            _ => (self.options.suffixes.add(path, self.container()), None),
        };
        let index = self.options.coding.index.then(|| index_path(&target));
        Ok(Becomes { path: target, index, modified, about })
    }

    fn outcome(&self, coded: &Coded) -> String {
        saved(coded.streams, if self.codes() { coded.input } else { coded.output })
    }

    fn threads(&self) -> usize {
        self.codec.threads()
    }

    fn with_one_thread(&self) -> Self {
        let codec = Arc::new(self.codec.with_one_thread());
        Compression { codec, options: Arc::clone(&self.options) }
    }

    fn divided(&self) -> u64 {
        self.codec.divided()
    }
}

/// Returns the time at which a regular file was modified. The time of a pipe or a device says
/// nothing of its data.
pub fn modified(metadata: &Metadata) -> Option<SystemTime> {
    if metadata.is_file() { metadata.modified().ok() } else { None }
}

impl Options {
    /// Returns what a compressed file stores about its source, if that is to be restored.
    pub fn stored(&self, opened: &Opened) -> std::io::Result<Header> {
        if self.names { Header::read(&opened.file) } else { Ok(Header::default()) }
    }
}

/// Returns the path of the index of a BGZF file.
fn index_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".gzi");
    name.into()
}
