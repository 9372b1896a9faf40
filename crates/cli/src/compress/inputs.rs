//! Which files there are to work on: those that are named, and those in directories.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use broadloom_cli::message::reason;
use walkdir::WalkDir;

use super::attributes;
use super::suffix::Suffixes;

/// Something to work on.
#[derive(Debug)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(Found),
}

/// A file that was found.
#[derive(Debug)]
pub struct Found {
    /// Its name.
    pub path: PathBuf,
    /// Whether it was met in a directory, and not named.
    pub met: bool,
}

/// What there is to say of a file that is passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// It was asked for and cannot be worked on.
    Error(String),
    /// There is nothing to do, and who named it may want to know.
    Note(String),
    /// There is nothing to do, as is to be expected in a directory.
    Silent,
}

/// How files are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Search<'s> {
    /// Directories are walked.
    pub recursive: bool,
    /// Where a named file is not there, it is looked for with this suffix.
    pub suffix: Option<&'s std::ffi::OsStr>,
}

impl Search<'_> {
    /// Everything there is to work on, in the order of the names given; in a directory, by name.
    pub fn inputs(self, names: Vec<OsString>) -> impl Iterator<Item = Result<Input, (PathBuf, Skip)>> {
        let names = if names.is_empty() { vec![OsString::from("-")] } else { names };
        names.into_iter().flat_map(move |name| self.named(PathBuf::from(name)))
    }

    fn named(self, path: PathBuf) -> Box<dyn Iterator<Item = Result<Input, (PathBuf, Skip)>>> {
        if path == Path::new("-") {
            return Box::new(std::iter::once(Ok(Input::Stdin)));
        }
        if !path.is_dir() {
            let path = self.with_suffix(path);
            return Box::new(std::iter::once(Ok(Input::File(Found { path, met: false }))));
        }
        if !self.recursive {
            let skip = Skip::Error("is a directory: ignored (-r takes the files in it)".to_owned());
            return Box::new(std::iter::once(Err((path, skip))));
        }
        let walk = WalkDir::new(path).sort_by_file_name().into_iter();
        Box::new(walk.filter_map(|entry| match entry {
            Ok(entry) if entry.file_type().is_file() => {
                Some(Ok(Input::File(Found { path: entry.into_path(), met: true })))
            }
            Ok(_) => None,
            Err(error) => {
                let path = error.path().unwrap_or(Path::new("")).to_owned();
                let text = error.io_error().map_or_else(|| error.to_string(), reason);
                Some(Err((path, Skip::Error(text))))
            }
        }))
    }

    /// The name as it is, or with the suffix where there is a file only of that name.
    fn with_suffix(self, path: PathBuf) -> PathBuf {
        let Some(suffix) = self.suffix else { return path };
        let missing = |path: &Path| {
            fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        let mut longer = path.clone().into_os_string();
        longer.push(suffix);
        if missing(&path) && !missing(Path::new(&longer)) { longer.into() } else { path }
    }
}

/// Which files may be worked on.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'r> {
    /// The file takes the place of its input, which goes.
    pub replaces: bool,
    /// The file stays, but a file is made beside it.
    pub beside: bool,
    /// What is asked for is done whatever there is against it.
    pub force: bool,
    /// A name with a suffix is one that is compressed already.
    pub compresses: bool,
    /// The suffixes.
    pub suffixes: &'r Suffixes,
}

/// A file that may be worked on.
pub struct Opened {
    /// It.
    pub file: File,
    /// What the system says of it.
    pub metadata: Metadata,
}

impl Rules<'_> {
    /// Opens a file, if it may be worked on.
    ///
    /// # Errors
    /// Why not.
    pub fn open(&self, found: &Found) -> Result<Opened, Skip> {
        let error = |error: io::Error| Skip::Error(reason(&error));
        let makes_file = self.replaces || self.beside;
        let link = fs::symlink_metadata(&found.path).map_err(error)?;
        if link.is_symlink() && makes_file && !self.force {
            let text = "is a symbolic link: ignored (-f follows it, -c leaves it)";
            return Err(Skip::Error(text.to_owned()));
        }
        let metadata = fs::metadata(&found.path).map_err(error)?;
        if metadata.is_dir() {
            return Err(Skip::Error("is a directory: ignored".to_owned()));
        }
        if makes_file && !metadata.is_file() {
            let text = "is neither a directory nor a regular file: ignored (-c reads it)";
            return Err(Skip::Error(text.to_owned()));
        }
        if let Some(skip) = self.suffix_skip(found) {
            return Err(skip);
        }
        if makes_file
            && !self.force
            && let Some((mode, left)) = attributes::lost_mode(&metadata)
        {
            let text = format!(
                "has mode {mode:o}, and what is made of it would have {left:o}: ignored (-f makes it, -c \
                 leaves it)"
            );
            return Err(Skip::Error(text));
        }
        if self.replaces && !self.force && metadata.nlink() > 1 {
            let others = metadata.nlink() - 1;
            let links = if others == 1 { "link" } else { "links" };
            let text = format!("has {others} other {links}: ignored (-k keeps it, -f breaks them)");
            return Err(Skip::Error(text));
        }
        let file = File::open(&found.path).map_err(error)?;
        // What was looked at may not be what was opened.
        let metadata = file.metadata().map_err(error)?;
        Ok(Opened { file, metadata })
    }

    fn suffix_skip(&self, found: &Found) -> Option<Skip> {
        let makes_file = self.replaces || self.beside;
        match self.suffixes.find(&found.path) {
            Some(suffix) if self.compresses && makes_file && !self.force => {
                let text = format!("has the suffix {} already: unchanged", suffix.suffix.display());
                Some(if found.met { Skip::Silent } else { Skip::Note(text) })
            }
            None if !self.compresses && found.met => Some(Skip::Silent),
            None if !self.compresses && makes_file => {
                Some(Skip::Error("unknown suffix: ignored (-S names one, -c needs none)".to_owned()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().expect("a directory");
        let path = |name: &str| place.path().join(name);
        fs::create_dir(path("d")).expect("it can be made");
        for name in ["d/b", "d/a.gz", "a", "twice", "z.gz"] {
            fs::write(path(name), name).expect("it can be written");
        }
        fs::hard_link(path("twice"), path("d/c")).expect("it can be made");
        symlink("a", path("link")).expect("it can be made");
        symlink("../a", path("d/link")).expect("it can be made");
        place
    }

    fn search(recursive: bool) -> Search<'static> {
        Search { recursive, suffix: None }
    }

    #[test]
    fn directories_are_walked_where_that_is_asked_for() {
        let place = place();
        let directory = place.path().join("d");
        let names = vec![directory.clone().into_os_string()];
        let met: Vec<PathBuf> = search(true)
            .inputs(names.clone())
            .map(|input| match input {
                Ok(Input::File(Found { path, met: true })) => path,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(met, ["a.gz", "b", "c"].map(|name| directory.join(name)));
        let mut inputs = search(false).inputs(names);
        assert!(matches!(inputs.next(), Some(Err((path, Skip::Error(_)))) if path == directory));
        assert!(inputs.next().is_none());
    }

    #[test]
    fn a_name_may_lack_the_suffix() {
        let place = place();
        let suffix = Some(std::ffi::OsStr::new(".gz"));
        let search = Search { recursive: false, suffix };
        for (name, found) in [("z", "z.gz"), ("a", "a"), ("nothing", "nothing")] {
            let names = vec![place.path().join(name).into_os_string()];
            let input = search.inputs(names).next().expect("it is named").expect("it is no directory");
            let Input::File(file) = input else { panic!("{input:?}") };
            assert_eq!(file.path, place.path().join(found));
        }
    }

    #[test]
    fn nothing_and_a_dash_are_standard_input() {
        for names in [vec![], vec![OsString::from("-")]] {
            let mut inputs = search(false).inputs(names);
            assert!(matches!(inputs.next(), Some(Ok(Input::Stdin))));
            assert!(inputs.next().is_none());
        }
    }

    #[test]
    fn what_may_not_be_replaced_is_passed_over() {
        let place = place();
        let suffixes = Suffixes::new(None).expect("none is right");
        let replacing =
            Rules { replaces: true, beside: false, force: false, compresses: true, suffixes: &suffixes };
        let keeping = Rules { replaces: false, beside: true, ..replacing };
        let reading = Rules { replaces: false, beside: false, ..replacing };
        let forced = Rules { force: true, ..replacing };
        let decompressing = Rules { compresses: false, ..replacing };
        let said = |rules: &Rules, name: &str| {
            let found = Found { path: place.path().join(name), met: false };
            match rules.open(&found).err() {
                None => "fine".to_owned(),
                Some(Skip::Error(text)) => text,
                Some(Skip::Note(text)) => format!("note: {text}"),
                Some(Skip::Silent) => "silent".to_owned(),
            }
        };
        for (rules, name, expected) in [
            (&replacing, "a", "fine"),
            (&replacing, "link", "is a symbolic link"),
            (&keeping, "link", "is a symbolic link"),
            (&reading, "link", "fine"),
            (&forced, "link", "fine"),
            (&replacing, "twice", "has 1 other link:"),
            (&keeping, "twice", "fine"),
            (&forced, "twice", "fine"),
            (&replacing, "z.gz", "note: has the suffix .gz already"),
            (&reading, "z.gz", "fine"),
            (&forced, "z.gz", "fine"),
            (&decompressing, "z.gz", "fine"),
            (&decompressing, "a", "unknown suffix"),
            (&Rules { replaces: false, ..decompressing }, "a", "fine"),
            (&replacing, "nothing", "No such file or directory"),
            (&replacing, "d", "is a directory"),
            (&replacing, "/dev/null", "is neither"),
            (&reading, "/dev/null", "fine"),
        ] {
            let text = said(rules, name);
            assert!(text.starts_with(expected), "{name}: {text}");
        }
    }

    #[test]
    fn what_is_met_in_a_directory_is_passed_over_silently() {
        let place = place();
        let suffixes = Suffixes::new(None).expect("none is right");
        let rules =
            Rules { replaces: true, beside: false, force: false, compresses: true, suffixes: &suffixes };
        let open = |rules: &Rules, name: &str| {
            rules.open(&Found { path: place.path().join(name), met: true }).err()
        };
        assert_eq!(open(&rules, "d/a.gz"), Some(Skip::Silent));
        assert_eq!(open(&rules, "d/b"), None);
        let rules = Rules { compresses: false, ..rules };
        assert_eq!(open(&rules, "d/b"), Some(Skip::Silent));
        assert_eq!(open(&rules, "d/a.gz"), None);
    }
}
