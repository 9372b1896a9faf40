//! The files of a command line or of lists, each with its signature.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::Arc;
use std::vec;

use broadloom_hashing::source::{Input, Item, Request, Source};
use broadloom_program::quote::shown;
use rustix::io::Errno;

use super::claim::{Claim, Over};
use super::keyring::Keyring;
use super::line::{self, Entry};
use super::report::{Notice, Report};
use super::signature::{self, Refusal};
use crate::hash::lists::List;
use crate::hash::source::Stdin;

/// What signature files end in, beside the names of their files.
const SUFFIXES: [&str; 2] = [".minisig", ".sig"];

/// Gives each file with the claim of its signature.
pub struct Signed {
    paths: vec::IntoIter<OsString>,
    kind: Kind,
    ring: Arc<Keyring>,
    max_message: u64,
    stdin: Stdin,
}

/// What the paths are.
enum Kind {
    /// Files, whose signatures have one of these suffixes. `ended`: the end was told.
    Files { suffixes: Vec<OsString>, ended: bool },
    /// Lists, of which one is being read.
    Lists(Option<List>),
}

impl Signed {
    /// Files, whose signatures have the suffix or one of the usual ones.
    pub fn files(
        paths: Vec<OsString>,
        suffix: Option<OsString>,
        ring: Arc<Keyring>,
        max_message: u64,
    ) -> Signed {
        let suffixes = suffix.map_or(SUFFIXES.map(OsString::from).to_vec(), |suffix| vec![suffix]);
        let (paths, kind) = (paths.into_iter(), Kind::Files { suffixes, ended: false });
        Signed { paths, kind, ring, max_message, stdin: Stdin::default() }
    }

    /// Lists of signatures and files.
    pub fn lists(paths: Vec<OsString>, ring: Arc<Keyring>, max_message: u64) -> Signed {
        let (paths, kind) = (paths.into_iter(), Kind::Lists(None));
        Signed { paths, kind, ring, max_message, stdin: Stdin::default() }
    }

    /// A file and its signature, ready to be hashed.
    fn file(&mut self, name: OsString, signature: &OsStr) -> Item<Report> {
        let signature_name = shown(Path::new(signature));
        let claim = signature::read(Path::new(signature)).and_then(|signature| {
            Claim::new(&self.ring, signature_name.clone(), signature, self.max_message)
                .map_err(Refusal::Wrong)
        });
        let claim = match claim {
            Ok(claim) => claim,
            Err(refusal) => return refused(name, signature_name, refusal),
        };
        let input = match claim.over() {
            Over::Lanes if name == "-" => self.stdin.take(),
            Over::Lanes => Input::Path,
            Over::Blake2b | Over::Whole => Input::Apart,
        };
        Item::Hash(Request { name: name.into(), expected: Some(Box::new(claim)), input })
    }

    fn next_file(&mut self) -> Option<Item<Report>> {
        let Kind::Files { suffixes, ended } = &mut self.kind else { return None };
        let Some(name) = self.paths.next() else {
            let end = Item::Notice(Notice::End { list: None, read_error: false });
            return (!std::mem::replace(ended, true)).then_some(end);
        };
        let signatures = suffixes.iter().map(|suffix| {
            let mut signature = name.clone();
            signature.push(suffix);
            signature
        });
        let signatures: Vec<OsString> = signatures.collect();
        let found = signatures.iter().find(|signature| fs::symlink_metadata(signature).is_ok());
        Some(match found {
            Some(signature) => self.file(name, signature),
            None => {
                let names: Vec<String> =
                    signatures.iter().map(|name| shown(Path::new(name))).collect();
                let missing = Refusal::Unreadable(Errno::NOENT.into());
                refused(name, names.join(", "), missing)
            }
        })
    }

    fn next_line(&mut self) -> Option<Item<Report>> {
        loop {
            let Kind::Lists(current) = &mut self.kind else { return None };
            let Some(list) = current else {
                let path = self.paths.next()?;
                match List::open(&path, &mut self.stdin) {
                    Ok(list) => *current = Some(list),
                    Err(error) => {
                        let name = path.into();
                        return Some(Item::Notice(Notice::ListFailed { name, error }));
                    }
                }
                continue;
            };
            match list.next_line() {
                Ok(Some(line)) if line::is_blank(&line) => {}
                Ok(Some(line)) => {
                    let entry = line::parse(&line);
                    let reads_stdin = |name: &[u8]| name == b"-" && list.is_stdin();
                    return Some(match entry {
                        Some(Entry { signature, name }) if !reads_stdin(&name) => {
                            let signature = OsString::from_vec(signature);
                            self.file(OsString::from_vec(name), &signature)
                        }
                        _ => {
                            let (list, line) = (Arc::clone(&list.name), list.number);
                            Item::Notice(Notice::Misformatted { list, line })
                        }
                    });
                }
                read => {
                    let list = current.take().map(|list| list.name);
                    let read_error = read.is_err();
                    return Some(Item::Notice(Notice::End { list, read_error }));
                }
            }
        }
    }
}

impl Source<Report> for Signed {
    fn next(&mut self) -> Option<Item<Report>> {
        match self.kind {
            Kind::Files { .. } => self.next_file(),
            Kind::Lists(_) => self.next_line(),
        }
    }
}

/// A file whose signature is refused before the file is read.
fn refused(name: OsString, signature: String, refusal: Refusal) -> Item<Report> {
    let is_missing =
        fs::metadata(&name).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    Item::Notice(Notice::Refused { name: name.into(), signature, refusal, is_missing })
}
