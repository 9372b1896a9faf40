//! Patterns for paths, as restic has them.
//!
//! A pattern is a path whose names may hold `*`, `?` and `[…]`; `**` stands for any number of
//! names. One that begins with `/` describes paths from the root, another one the names anywhere in
//! a path. A path below a path that matches also matches.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Patterns, of which later ones may take back what earlier ones took.
#[derive(Debug, Clone, Default)]
pub struct Patterns(Vec<Pattern>);

#[derive(Debug, Clone)]
struct Pattern {
    names: Vec<Vec<u8>>,
    rooted: bool,
    /// It began with `!`.
    takes_back: bool,
    folded: bool,
}

impl Patterns {
    /// Adds a pattern.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn add(&mut self, text: &str, ignore_case: bool) -> Result<(), String> {
        let (takes_back, path) = match text.strip_prefix('!') {
            Some(path) => (true, path),
            None => (false, text),
        };
        let path = if ignore_case { path.to_lowercase() } else { path.to_owned() };
        let rooted = path.starts_with('/');
        let names = path.split('/').filter(|name| !name.is_empty() && *name != ".");
        let names: Vec<Vec<u8>> = names.map(|name| name.as_bytes().to_vec()).collect();
        if names.is_empty() && !rooted {
            return Err(format!(
                "the pattern {text:?} has no name; valid: such as '*.o' or '/tmp'"
            ));
        }
        if let Some(name) = names.iter().find(|name| !is_valid(name)) {
            let name = String::from_utf8_lossy(name);
            return Err(format!("the pattern {text:?} has {name:?}, whose [ or \\ has no end"));
        }
        self.0.push(Pattern { names, rooted, takes_back, folded: ignore_case });
        Ok(())
    }

    /// Returns `true` if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` if a path matches.
    #[must_use]
    pub fn matches(&self, path: &[u8]) -> bool {
        let mut verdict = false;
        for pattern in &self.0 {
            if verdict == pattern.takes_back && pattern.matches(path) {
                verdict = !pattern.takes_back;
            }
        }
        verdict
    }

    /// Returns `true` if something below a path may match.
    #[must_use]
    pub fn may_match_below(&self, path: &[u8]) -> bool {
        self.0.iter().filter(|pattern| !pattern.takes_back).any(|pattern| {
            let names = split(path);
            let reaches = |(pattern, name): (&Vec<u8>, &&[u8])| name_matches(pattern, name);
            !pattern.rooted
                || pattern.folded
                || pattern.names.iter().any(|name| name == b"**")
                || pattern.names.iter().zip(&names).all(reaches)
        })
    }
}

/// Returns the files that a path with `*`, `?` and `[…]` in its names matches, in the order of
/// their names. A path without them is returned as it stands, there or not.
///
/// # Errors
/// What is wrong with the pattern, in words.
pub fn expand(pattern: &[u8]) -> Result<Vec<PathBuf>, String> {
    let text = OsStr::from_bytes(pattern);
    if !pattern.iter().any(|byte| b"*?[\\".contains(byte)) {
        return Ok(vec![PathBuf::from(text)]);
    }
    let mut found = vec![PathBuf::new()];
    for component in Path::new(text).components() {
        let name = component.as_os_str().as_bytes();
        if !is_valid(name) {
            return Err(format!(
                "the pattern {text:?} has {component:?}, whose [ or \\ has no end"
            ));
        }
        let is_plain = !name.iter().any(|byte| b"*?[\\".contains(byte));
        found = match is_plain {
            true => found.iter().map(|place| place.join(component)).collect(),
            false => found.iter().flat_map(|place| matching(place, name)).collect(),
        };
    }
    found.retain(|place| place.symlink_metadata().is_ok());
    Ok(found)
}

/// The files of a directory whose names match a pattern. A directory that cannot be read has none.
fn matching(directory: &Path, pattern: &[u8]) -> Vec<PathBuf> {
    let here = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let entries = here.read_dir().into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let mut names: Vec<OsString> =
        names.filter(|name| name_matches(pattern, name.as_bytes())).collect();
    names.sort_unstable();
    names.iter().map(|name| directory.join(name)).collect()
}

fn split(path: &[u8]) -> Vec<&[u8]> {
    path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).collect()
}

impl Pattern {
    fn matches(&self, path: &[u8]) -> bool {
        let folded;
        let path = match self.folded {
            true => {
                folded = String::from_utf8_lossy(path).to_lowercase();
                folded.as_bytes()
            }
            false => path,
        };
        let names = split(path);
        match self.rooted {
            true => begins(&self.names, &names),
            false => (0..names.len()).any(|at| begins(&self.names, &names[at..])),
        }
    }
}

/// Returns `true` if the first names match a pattern.
fn begins(pattern: &[Vec<u8>], names: &[&[u8]]) -> bool {
    match pattern.split_first() {
        None => true,
        Some((first, rest)) if first == b"**" => {
            (0..=names.len()).any(|at| begins(rest, &names[at..]))
        }
        Some((first, rest)) => match names.split_first() {
            Some((name, names)) => name_matches(first, name) && begins(rest, names),
            None => false,
        },
    }
}

fn is_valid(pattern: &[u8]) -> bool {
    let mut rest = pattern;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match byte {
            b'\\' => match tail.split_first() {
                Some((_, tail)) => tail,
                None => return false,
            },
            b'[' => match class(tail, 0) {
                Some((_, tail)) => tail,
                None => return false,
            },
            _ => tail,
        };
    }
    true
}

/// The first character, of UTF-8 or a byte that is none, and what follows it.
fn character(text: &[u8]) -> Option<(u32, &[u8])> {
    let chunk = text.utf8_chunks().next()?;
    match chunk.valid().chars().next() {
        Some(c) => Some((c.into(), &text[c.len_utf8()..])),
        // Beyond all characters.
        None => Some((0x11_0000 + u32::from(text[0]), &text[1..])),
    }
}

/// Whether a class, which begins behind its `[`, holds a character, and what follows the class.
fn class(pattern: &[u8], wanted: u32) -> Option<(bool, &[u8])> {
    let (negated, mut rest) = match pattern.strip_prefix(b"^") {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let take = |rest: &mut &[u8]| {
        let (mut first, mut tail) = character(rest)?;
        if first == u32::from(b'\\') {
            (first, tail) = character(tail)?;
        }
        *rest = tail;
        Some(first)
    };
    let (mut holds, mut is_first) = (false, true);
    loop {
        if !is_first && rest.first() == Some(&b']') {
            return Some((holds != negated, &rest[1..]));
        }
        is_first = false;
        let low = take(&mut rest)?;
        let high = match rest {
            [b'-', tail @ ..] if tail.first().is_some_and(|&byte| byte != b']') => {
                rest = tail;
                take(&mut rest)?
            }
            _ => low,
        };
        holds |= (low..=high).contains(&wanted);
    }
}

/// Returns `true` if a name matches a pattern of one name.
pub(crate) fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    // The last `*`, and how much of the name it stands for so far.
    let mut star: Option<(&[u8], &[u8])> = None;
    let (mut pattern, mut name) = (pattern, name);
    loop {
        let step = match (pattern.split_first(), name.split_first()) {
            (None, None) => return true,
            (Some((b'*', rest)), _) => {
                star = Some((rest, name));
                Some((rest, name))
            }
            (Some((b'?', rest)), Some(_)) => character(name).map(|(_, tail)| (rest, tail)),
            (Some((b'[', rest)), Some(_)) => character(name).and_then(|(wanted, tail)| {
                class(rest, wanted).and_then(|(holds, rest)| holds.then_some((rest, tail)))
            }),
            (Some((b'\\', rest)), Some((byte, tail))) => {
                rest.split_first().and_then(|(want, rest)| (want == byte).then_some((rest, tail)))
            }
            (Some((want, rest)), Some((byte, tail))) if want == byte => Some((rest, tail)),
            _ => None,
        };
        (pattern, name) = match (step, star) {
            (Some(step), _) => step,
            (None, Some((rest, from))) if !from.is_empty() => {
                star = Some((rest, &from[1..]));
                (rest, &from[1..])
            }
            _ => return false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(texts: &[&str]) -> Patterns {
        let mut patterns = Patterns::default();
        for text in texts {
            patterns.add(text, false).expect("it is valid");
        }
        patterns
    }

    #[test]
    fn names_match_as_in_go() {
        for (pattern, name, matches) in [
            ("*.o", "a.o", true),
            ("*.o", "a.oo", false),
            ("a*b*c", "axbxbc", true),
            ("a?c", "aüc", true),
            ("a?c", "ac", false),
            ("[a-c]x", "bx", true),
            ("[^a-c]x", "bx", false),
            ("[ä-ü]x", "öx", true),
            ("[^ä]x", "äx", false),
            ("[]a]", "]", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("*", "", true),
        ] {
            let matched = name_matches(pattern.as_bytes(), name.as_bytes());
            assert_eq!(matched, matches, "{pattern} {name}");
        }
    }

    #[test]
    fn paths_match_as_in_restic() {
        for (pattern, path, matches) in [
            ("*.o", "/home/a/x.o", true),
            ("a/x.o", "/home/a/x.o", true),
            ("/a/x.o", "/home/a/x.o", false),
            ("/home/*/x.o", "/home/a/x.o", true),
            ("/home/**/x.o", "/home/a/b/c/x.o", true),
            ("/home/**/x.o", "/home/x.o", true),
            ("/home/a", "/home/a/b/c", true),
            ("b", "/home/a/b/c", true),
            ("/home/a/b/c", "/home/a/b", false),
        ] {
            assert_eq!(patterns(&[pattern]).matches(path.as_bytes()), matches, "{pattern} {path}");
        }
        let all = patterns(&["*.o", "!keep.o"]);
        assert!(all.matches(b"/a/b.o") && !all.matches(b"/a/keep.o"));
        let deep = patterns(&["/a/b*/c"]);
        assert!(deep.may_match_below(b"/a") && deep.may_match_below(b"/a/bb"));
        assert!(!deep.may_match_below(b"/x") && !deep.may_match_below(b"/a/c"));
    }

    #[test]
    fn patterns_stand_for_files() {
        let place = tempfile::tempdir().expect("there is room");
        for name in ["a/1.o", "a/2.o", "b/1.o", "b/.o", "b/*"] {
            let path = place.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("it is ours");
            std::fs::write(path, "").expect("it is ours");
        }
        let begin = place.path().as_os_str().as_bytes();
        let found = |pattern: &str| {
            let found = expand(&[begin, pattern.as_bytes()].concat()).expect("it is valid");
            let names = found.iter().map(|path| path.strip_prefix(place.path()).expect("below"));
            names.map(|name| name.to_str().expect("it is UTF-8").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("/a/?.o"), ["a/1.o", "a/2.o"]);
        assert_eq!(found("/*/1.o"), ["a/1.o", "b/1.o"]);
        assert_eq!(found("/[b]/*"), ["b/*", "b/.o", "b/1.o"]);
        assert_eq!(found("/b/\\*"), ["b/*"]);
        assert_eq!(found("/*/2.o"), ["a/2.o"]);
        assert!(found("/c*/x").is_empty());
        assert_eq!(found("/absent"), ["absent"]);
        assert!(expand(b"a[").is_err() && expand(b"a/b\\").is_err());
    }

    #[test]
    fn patterns_without_an_end_are_refused() {
        for text in ["", "[a", "a\\", ".", "x/[^", "[a-"] {
            assert!(Patterns::default().add(text, false).is_err(), "{text:?}");
        }
        let mut any_case = Patterns::default();
        any_case.add("*.JPG", true).expect("it is valid");
        assert!(any_case.matches(b"/a/b.jpg") && any_case.matches(b"/a/B.JpG"));
    }
}
