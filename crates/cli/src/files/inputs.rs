//! Which files there are to work on: those that are named, and those in directories.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use broadloom_program::identity::Identity;
use broadloom_program::message::reason;
use broadloom_program::stale::is_temporary;
use rustix::fs::OFlags;
use rustix::io::Errno;
use walkdir::WalkDir;

use super::Hints;
use super::attributes;
use super::opened::Opened;

/// Why a symbolic link is passed over.
const LINK: &str = "is a symbolic link: ignored (-f follows it, -c leaves it)";

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
    /// `true` if it was met in a directory, and not named.
    pub met: bool,
}

/// What there is to say of a file that is passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// It was asked for and cannot be worked on.
    Error(String),
    /// It was asked for and is left as it is, of which gzip warns.
    Warning(String),
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
    /// What can be done about a directory.
    pub hints: Hints,
}

impl Search<'_> {
    /// Everything that a name stands for; in a directory, by name.
    pub fn named(self, path: PathBuf) -> Box<dyn Iterator<Item = Result<Input, (PathBuf, Skip)>>> {
        if path == Path::new("-") {
            return Box::new(std::iter::once(Ok(Input::Stdin)));
        }
        if !path.is_dir() {
            let path = self.with_suffix(path);
            return Box::new(std::iter::once(Ok(Input::File(Found { path, met: false }))));
        }
        if !self.recursive {
            let option = self.hints.recursive;
            let text = format!("is a directory: ignored ({option} takes the files in it)");
            return Box::new(std::iter::once(Err((path, Skip::Warning(text)))));
        }
        let walk = WalkDir::new(path).sort_by_file_name().into_iter();
        Box::new(walk.filter_map(|entry| match entry {
            // The temporary files of this program, and of others that run beside it, are no input.
            Ok(entry) if entry.file_type().is_file() && !is_temporary(entry.path()) => {
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
#[derive(Clone, Copy)]
pub struct Rules<'r> {
    /// The file takes the place of its input, which goes.
    pub replaces: bool,
    /// The file stays, but a file is made beside it.
    pub beside: bool,
    /// What is asked for is done whatever there is against it.
    pub force: bool,
    /// A name with a suffix is one that is coded already.
    pub codes: bool,
    /// Tells the suffix that a name has.
    pub suffix_of: &'r dyn Fn(&Path) -> Option<OsString>,
    /// What can be done about a file without a suffix.
    pub hints: Hints,
}

impl Rules<'_> {
    /// Opens a file, if it may be worked on.
    ///
    /// # Errors
    /// Why not.
    pub fn open(&self, found: &Found) -> Result<Opened, Skip> {
        let error = |error: io::Error| Skip::Error(reason(&error));
        let makes_file = self.replaces || self.beside;
        let name = fs::symlink_metadata(&found.path).map_err(error)?;
        let follows = !makes_file || self.force;
        if name.is_symlink() && !follows {
            return Err(Skip::Error(LINK.to_owned()));
        }
        // By its name first: to open a device may do something, and to open a pipe may wait.
        match name.is_symlink() {
            true => self.refuse_kind(&fs::metadata(&found.path).map_err(error)?)?,
            false => self.refuse_kind(&name)?,
        }
        if let Some(skip) = self.suffix_skip(found) {
            return Err(skip);
        }
        let mut flags = OFlags::NOCTTY;
        if makes_file {
            flags |= OFlags::NONBLOCK;
        }
        if !follows {
            flags |= OFlags::NOFOLLOW;
        }
        let opened = File::options().read(true).custom_flags(flags.bits() as i32).open(&found.path);
        let file = opened.map_err(|failed| match failed.raw_os_error() {
            Some(code) if code == Errno::LOOP.raw_os_error() && !follows => {
                Skip::Error(LINK.to_owned())
            }
            _ => error(failed),
        })?;
        // What the name stood for may not be what was opened.
        let metadata = file.metadata().map_err(error)?;
        self.refuse_kind(&metadata)?;
        if makes_file
            && !self.force
            && let Some((mode, left)) = attributes::lost_mode(&metadata)
        {
            let text = format!(
                "has mode {mode:o}, and what is made of it would have {left:o}: ignored (-f makes \
                 it, -c leaves it)"
            );
            return Err(Skip::Warning(text));
        }
        if self.replaces && !self.force && metadata.nlink() > 1 {
            let others = metadata.nlink() - 1;
            let links = if others == 1 { "link" } else { "links" };
            let text = format!("has {others} other {links}: ignored (-k keeps it, -f breaks them)");
            return Err(Skip::Warning(text));
        }
        Ok(Opened { file, metadata, name: Identity::of(&name) })
    }

    /// Refuses what is no file that may be worked on.
    fn refuse_kind(&self, metadata: &Metadata) -> Result<(), Skip> {
        if metadata.is_dir() {
            return Err(Skip::Warning("is a directory: ignored".to_owned()));
        }
        if (self.replaces || self.beside) && !metadata.is_file() {
            let text = "is neither a directory nor a regular file: ignored (-c reads it)";
            return Err(Skip::Warning(text.to_owned()));
        }
        Ok(())
    }

    fn suffix_skip(&self, found: &Found) -> Option<Skip> {
        let makes_file = self.replaces || self.beside;
        match (self.suffix_of)(&found.path) {
            Some(suffix) if self.codes && makes_file && !self.force => {
                let text = format!("has the suffix {} already: unchanged", suffix.display());
                Some(if found.met { Skip::Silent } else { Skip::Note(text) })
            }
            None if !self.codes && found.met => Some(Skip::Silent),
            None if !self.codes && makes_file => {
                let hint = self.hints.unknown_suffix;
                Some(Skip::Warning(format!("unknown suffix: ignored ({hint}, -c needs none)")))
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

    fn suffix_of(path: &Path) -> Option<OsString> {
        let suffix = path.extension().filter(|&suffix| suffix == "gz");
        suffix.map(|_| OsString::from(".gz"))
    }

    const HINTS: Hints = Hints { recursive: "-r", unknown_suffix: "-S names one" };

    fn search(recursive: bool) -> Search<'static> {
        Search { recursive, suffix: None, hints: HINTS }
    }

    #[test]
    fn directories_are_walked_where_that_is_asked_for() {
        let place = place();
        let directory = place.path().join("d");
        let met: Vec<PathBuf> = search(true)
            .named(directory.clone())
            .map(|input| match input {
                Ok(Input::File(Found { path, met: true })) => path,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(met, ["a.gz", "b", "c"].map(|name| directory.join(name)));
        let mut inputs = search(false).named(directory.clone());
        assert!(matches!(inputs.next(), Some(Err((path, Skip::Warning(_)))) if path == directory));
        assert!(inputs.next().is_none());
    }

    #[test]
    fn a_name_may_lack_the_suffix() {
        let place = place();
        let suffix = Some(std::ffi::OsStr::new(".gz"));
        let search = Search { recursive: false, suffix, hints: HINTS };
        for (name, found) in [("z", "z.gz"), ("a", "a"), ("nothing", "nothing")] {
            let mut inputs = search.named(place.path().join(name));
            let input = inputs.next().expect("it is named").expect("it is no directory");
            let Input::File(file) = input else { panic!("{input:?}") };
            assert_eq!(file.path, place.path().join(found));
        }
    }

    #[test]
    fn a_dash_is_standard_input() {
        let mut inputs = search(false).named(PathBuf::from("-"));
        assert!(matches!(inputs.next(), Some(Ok(Input::Stdin))));
        assert!(inputs.next().is_none());
    }

    #[test]
    fn what_may_not_be_replaced_is_passed_over() {
        let place = place();
        let replacing = Rules {
            replaces: true,
            beside: false,
            force: false,
            codes: true,
            suffix_of: &suffix_of,
            hints: HINTS,
        };
        let keeping = Rules { replaces: false, beside: true, ..replacing };
        let reading = Rules { replaces: false, beside: false, ..replacing };
        let forced = Rules { force: true, ..replacing };
        let decoding = Rules { codes: false, ..replacing };
        let said = |rules: &Rules, name: &str| {
            let found = Found { path: place.path().join(name), met: false };
            match rules.open(&found).err() {
                None => "fine".to_owned(),
                Some(Skip::Error(text)) => format!("error: {text}"),
                Some(Skip::Warning(text)) => text,
                Some(Skip::Note(text)) => format!("note: {text}"),
                Some(Skip::Silent) => "silent".to_owned(),
            }
        };
        for (rules, name, expected) in [
            (&replacing, "a", "fine"),
            (&replacing, "link", "error: is a symbolic link"),
            (&keeping, "link", "error: is a symbolic link"),
            (&reading, "link", "fine"),
            (&forced, "link", "fine"),
            (&replacing, "twice", "has 1 other link:"),
            (&keeping, "twice", "fine"),
            (&forced, "twice", "fine"),
            (&replacing, "z.gz", "note: has the suffix .gz already"),
            (&reading, "z.gz", "fine"),
            (&forced, "z.gz", "fine"),
            (&decoding, "z.gz", "fine"),
            (&decoding, "a", "unknown suffix"),
            (&Rules { replaces: false, ..decoding }, "a", "fine"),
            (&replacing, "nothing", "error: No such file or directory"),
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
        let rules = Rules {
            replaces: true,
            beside: false,
            force: false,
            codes: true,
            suffix_of: &suffix_of,
            hints: HINTS,
        };
        let open = |rules: &Rules, name: &str| {
            rules.open(&Found { path: place.path().join(name), met: true }).err()
        };
        assert_eq!(open(&rules, "d/a.gz"), Some(Skip::Silent));
        assert_eq!(open(&rules, "d/b"), None);
        let rules = Rules { codes: false, ..rules };
        assert_eq!(open(&rules, "d/b"), Some(Skip::Silent));
        assert_eq!(open(&rules, "d/a.gz"), None);
    }
}
