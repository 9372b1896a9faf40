//! Files that list what to save and what to leave out, as restic reads them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use broadloom_program::message::reason;
use broadloom_program::quote::{quote, shown};
use broadloom_program::streams::StandardInput;
use broadloom_snapshot::pattern::expand;

use super::args::BackupArgs;
use super::context::Failure;

/// What may begin a text in UTF-8 and is no part of it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns all sources of a backup: those that files list, and then those of the command line.
pub fn sources(args: &BackupArgs, warn: &mut dyn FnMut(&str)) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for file in &args.files_from {
        for line in lines(file)? {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let found = expand(line).map_err(|error| format!("{}: {error}", shown(file)))?;
            if found.is_empty() {
                warn(&format!("{}: nothing matches {}", shown(file), quote(line)));
            }
            paths.extend(found);
        }
    }
    for file in &args.files_from_verbatim {
        let names = lines(file)?.into_iter().filter(|line| !line.is_empty());
        paths.extend(names.map(|line| PathBuf::from(OsString::from_vec(line))));
    }
    for file in &args.files_from_raw {
        let bytes = read(file)?;
        let Some(names) = bytes.strip_suffix(b"\0") else {
            if bytes.is_empty() {
                continue;
            }
            let text = "its last name does not end with a zero byte; valid: what -print0 writes";
            return Err(format!("{}: {text}", shown(file)).into());
        };
        for name in names.split(|&byte| byte == 0) {
            if name.is_empty() {
                return Err(format!("{}: it has an empty name", shown(file)).into());
            }
            paths.push(PathBuf::from(OsStr::from_bytes(name)));
        }
    }
    paths.extend(args.paths.iter().cloned());
    match paths.is_empty() && !args.stdin {
        true => Err("what is to be saved? The lists of sources are empty".to_owned().into()),
        false => Ok(paths),
    }
}

/// Returns the patterns of a file, with the values of variables in them.
pub fn patterns(file: &Path, warn: &mut dyn FnMut(&str)) -> Result<Vec<String>, Failure> {
    let mut patterns = Vec::new();
    for line in lines(file)? {
        let line = String::from_utf8(line)
            .map_err(|_| format!("{}: it has a pattern that is not UTF-8", shown(file)))?;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let pattern = expanded(line, &mut |name| {
            let value = env::var_os(name);
            if value.is_none() {
                warn(&format!(
                    "{}: {line:?} names the variable {name}, which is not set; $$ stands for a \
                     dollar sign",
                    shown(file)
                ));
            }
            value.unwrap_or_default().to_string_lossy().into_owned()
        });
        // A pattern that was nothing but a variable that is not set.
        if !pattern.is_empty() {
            patterns.push(pattern);
        }
    }
    Ok(patterns)
}

/// Returns the lines of a file, or of standard input for `-`.
fn lines(file: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let bytes = read(file)?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    let lines = text.split(|&byte| byte == b'\n');
    Ok(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec()).collect())
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = match file == Path::new("-") {
        true => StandardInput.read_to_end(&mut bytes).map(drop),
        false => fs::read(file).map(|read| bytes = read),
    };
    read.map_err(|error: io::Error| format!("{}: {}", shown(file), reason(&error)))?;
    Ok(bytes)
}

/// Puts values in the places of `$NAME` and `${NAME}`, and a dollar sign in that of `$$`. A dollar
/// sign that no name follows stays.
fn expanded(text: &str, value: &mut dyn FnMut(&str) -> String) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        let (name, behind) = variable(after);
        match name {
            Some("$") => expanded.push('$'),
            Some("") => {}
            Some(name) => expanded.push_str(&value(name)),
            None => expanded.push('$'),
        }
        rest = behind;
    }
    expanded.push_str(rest);
    expanded
}

/// The name that a dollar sign has behind it, and what follows the name. The name is empty for
/// braces that hold none or have no end, which go, as in restic.
fn variable(text: &str) -> (Option<&str>, &str) {
    const SPECIAL: &str = "*#$@!?-0123456789";
    if let Some(braced) = text.strip_prefix('{') {
        return match braced.split_once('}') {
            Some((name, behind)) => (Some(name), behind),
            None => (Some(""), braced),
        };
    }
    if text.starts_with(|c: char| SPECIAL.contains(c)) {
        let (name, behind) = text.split_at(1);
        return (Some(name), behind);
    }
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (name, behind) = text.split_at(end);
    ((end > 0).then_some(name), behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_the_values_that_restic_gives_them() {
        let expand = |text: &str| expanded(text, &mut |name| format!("<{name}>"));
        for (text, made) in [
            ("/home/*.o", "/home/*.o"),
            ("$HOME/x", "<HOME>/x"),
            ("${HOME}x", "<HOME>x"),
            ("a$$b", "a$b"),
            ("$$HOME", "$HOME"),
            ("${$}", "$"),
            ("$RECYCLE.BIN", "<RECYCLE>.BIN"),
            ("$a_1$b", "<a_1><b>"),
            ("$1x", "<1>x"),
            ("cost $", "cost $"),
            ("$/x", "$/x"),
            ("$ü", "$ü"),
            ("a${}b", "ab"),
            ("a${b", "ab"),
        ] {
            assert_eq!(expand(text), made, "{text}");
        }
    }
}
