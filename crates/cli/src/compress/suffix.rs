//! The names of compressed files.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use broadloom::compression::format::Format;
use broadloom::compression::framed;

use super::container::Container;

/// The suffixes that are known whatever the case of their letters: what takes their place when a
/// file is decompressed, and the format, where its data do not tell it.
const KNOWN: [(&str, &str, Option<Format>); 18] = [
    (".gz", "", None),
    ("-gz", "", None),
    (".bgz", "", None),
    (".bgzf", "", None),
    (".tgz", ".tar", None),
    (".taz", ".tar", None),
    (".z", "", None),
    ("-z", "", None),
    ("_z", "", None),
    (".zz", "", None),
    (".deflate", "", Some(Format::Raw)),
    (".parcomp", "", Some(Format::Parcomp)),
    (".zip", "", None),
    (".lz4", "", None),
    (".tlz4", ".tar", None),
    (".zst", "", None),
    (".zstd", "", None),
    (".tzst", ".tar", None),
];

/// The suffixes of a run.
#[derive(Debug, Clone)]
pub struct Suffixes {
    own: Option<OsString>,
}

/// A suffix that a name has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The suffix.
    pub suffix: OsString,
    /// The name that the decompressed file has.
    pub original: PathBuf,
    /// The format, where the suffix tells it.
    pub format: Option<Format>,
}

impl Suffixes {
    /// The known ones, and another if that is asked for.
    ///
    /// # Errors
    /// In words, if it cannot be one.
    pub fn new(own: Option<OsString>) -> Result<Suffixes, String> {
        match &own {
            Some(own) if own.is_empty() || own.as_bytes().contains(&b'/') => {
                Err(format!("{own:?} is no suffix: valid is a text without a slash, such as .gz"))
            }
            _ => Ok(Suffixes { own }),
        }
    }

    /// The suffix that compressed files get.
    pub fn of(&self, container: Container) -> &OsStr {
        match &self.own {
            Some(own) => own,
            None => OsStr::new(match container {
                Container::Format(Format::Gzip | Format::Bgzf) => ".gz",
                Container::Format(Format::Zlib) => ".zz",
                Container::Format(Format::Raw) => ".deflate",
                Container::Format(Format::Parcomp) => ".parcomp",
                Container::Zip => ".zip",
                Container::Frames(framed::Format::Lz4) => ".lz4",
                Container::Frames(framed::Format::Zstd) => ".zst",
            }),
        }
    }

    /// The name of the compressed file.
    pub fn add(&self, path: &Path, container: Container) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(self.of(container));
        PathBuf::from(name)
    }

    /// The suffix of a name, if something is left without it.
    pub fn find(&self, path: &Path) -> Option<Found> {
        let name = path.as_os_str().as_bytes();
        let own = self.own.as_deref().map(OsStr::as_bytes).filter(|own| name.ends_with(own));
        let own = own.map(|own| (own, "", None));
        let known = KNOWN.iter().map(|&(suffix, with, format)| (suffix.as_bytes(), with, format));
        own.into_iter().chain(known).find_map(|(suffix, with, format)| {
            let (stem, end) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
            if !end.eq_ignore_ascii_case(suffix) || matches!(stem.last(), None | Some(b'/')) {
                return None;
            }
            let original = [stem, with.as_bytes()].concat();
            Some(Found {
                suffix: OsStr::from_bytes(end).to_owned(),
                original: OsString::from_vec(original).into(),
                format,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn original(suffixes: &Suffixes, name: &str) -> Option<String> {
        let found = suffixes.find(Path::new(name))?;
        Some(found.original.to_str().expect("it was a text").to_owned())
    }

    #[test]
    fn known_suffixes_go_and_come() {
        let suffixes = Suffixes::new(None).expect("none is right");
        for (name, without) in [
            ("a.gz", Some("a")),
            ("d/a.GZ", Some("d/a")),
            ("a.tar.gz", Some("a.tar")),
            ("a.tgz", Some("a.tar")),
            ("a.zz", Some("a")),
            ("a.lz4", Some("a")),
            ("a.tlz4", Some("a.tar")),
            ("a.zst", Some("a")),
            ("a.tzst", Some("a.tar")),
            ("a-z", Some("a")),
            ("a.deflate", Some("a")),
            ("a.parcomp", Some("a")),
            (".gz", None),
            ("d/.gz", None),
            ("a", None),
            ("a.gz/b", None),
            ("", None),
        ] {
            assert_eq!(original(&suffixes, name).as_deref(), without, "{name}");
        }
        assert_eq!(
            suffixes.find(Path::new("a.deflate")).and_then(|found| found.format),
            Some(Format::Raw)
        );
        let containers = Format::ALL.into_iter().map(Container::Format).chain([Container::Zip]);
        let frames = framed::Format::ALL.into_iter().map(Container::Frames);
        for container in containers.chain(frames) {
            let compressed = suffixes.add(Path::new("d/a"), container);
            assert_eq!(
                original(&suffixes, compressed.to_str().expect("a text")).as_deref(),
                Some("d/a")
            );
        }
    }

    #[test]
    fn another_suffix_comes_first() {
        let suffixes = Suffixes::new(Some(".x.gz".into())).expect("it is right");
        assert_eq!(
            suffixes.add(Path::new("a"), Container::Format(Format::Zlib)),
            Path::new("a.x.gz")
        );
        assert_eq!(original(&suffixes, "a.x.gz").as_deref(), Some("a"));
        assert_eq!(original(&suffixes, "a.gz").as_deref(), Some("a"));
    }

    #[test]
    fn what_is_no_suffix_is_refused() {
        for wrong in ["", "/", "./x"] {
            assert!(Suffixes::new(Some(wrong.into())).is_err(), "{wrong}");
        }
    }
}
