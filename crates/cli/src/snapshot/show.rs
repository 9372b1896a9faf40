//! Commands that show what snapshots hold: `list`, `ls`, `diff`, `stats`, `find`.

use std::io::{self, Write};
use std::sync::Arc;

use broadloom_program::quote::visible;
use broadloom_snapshot::diff::{Change, OneSide, diff};
use broadloom_snapshot::node::{Node, NodeKind};
use broadloom_snapshot::pattern::Patterns;
use broadloom_snapshot::snapshot::{Named, Selection};
use broadloom_snapshot::stats::{Count, stats};
use broadloom_snapshot::tree::{Place, Trees};
use broadloom_snapshot::walk::walk;
use broadloom_snapshot::{SnapshotError, to_json};
use serde_json::{Value, json};

use super::args::{DiffArgs, FindArgs, ListArgs, LsArgs, StatsArgs, StatsMode};
use super::context::{Context, Failure, Locking, Out};
use super::text::{found_json, long, node_json, path, size};

/// A snapshot, as `restic snapshots --json` has it.
pub fn snapshot_json(snapshot: &Named) -> Value {
    let mut value = serde_json::to_value(&snapshot.file).expect("it is representable");
    value["id"] = json!(snapshot.id);
    value["short_id"] = json!(snapshot.id.short());
    value
}

/// Writes a value and ends the line.
pub fn line(out: &mut Out, value: &Value) -> io::Result<()> {
    out.write_all(&to_json(value))?;
    writeln!(out)
}

/// A visit cannot fail with an error of output: it is kept until the walk has ended.
fn kept(written: io::Result<()>, first: &mut Option<io::Error>) -> Result<bool, SnapshotError> {
    match written {
        Ok(()) => Ok(true),
        Err(error) => {
            first.get_or_insert(error);
            Err(SnapshotError::Other("standard output cannot be written".to_owned()))
        }
    }
}

fn walked(walked: Result<(), SnapshotError>, output: Option<io::Error>) -> Result<(), Failure> {
    match output {
        Some(error) => Err(Failure::Output(error)),
        None => Ok(walked?),
    }
}

/// Lists snapshots.
pub fn list(context: &mut Context, args: &ListArgs) -> Result<(), Failure> {
    let _lock = context.lock(Locking::Reading)?;
    let snapshots = context.chosen(&args.snapshots, &args.selection.selection())?;
    if context.common.json {
        let all: Vec<Value> = snapshots.0.iter().map(snapshot_json).collect();
        line(&mut context.out, &json!(all))?;
        return Ok(());
    }
    table(&mut context.out, &snapshots.0)?;
    let count = snapshots.0.len();
    context.say(&format!("{count} snapshot{}", if count == 1 { "" } else { "s" }))?;
    Ok(())
}

/// Most columns of a name in a table: longer ones move what follows them on their line.
const WIDEST: usize = 64;

/// A table of snapshots, a line for each path and tag.
pub fn table(out: &mut Out, snapshots: &[Named]) -> io::Result<()> {
    let width = |name: &str| visible(name).chars().count().min(WIDEST);
    let (mut host, mut tags) = (4, 4);
    for Named { file, .. } in snapshots {
        host = host.max(width(&file.hostname));
        tags = file.tags.iter().map(|tag| width(tag)).fold(tags, usize::max);
    }
    writeln!(out, "{:8}  {:19}  {:host$}  {:tags$}  Paths", "ID", "Time", "Host", "Tags")?;
    for snapshot in snapshots {
        let file = &snapshot.file;
        let (id, time) = (snapshot.id.short(), file.time.local());
        let mut first = (id, time, visible(&file.hostname));
        for at in 0..file.tags.len().max(file.paths.len()).max(1) {
            let (id, time, name) = std::mem::take(&mut first);
            let tag = file.tags.get(at).map_or("".into(), |tag| visible(tag));
            let place = file.paths.get(at).map_or(String::new(), |it| path(it.as_bytes()));
            let text = format!("{id:8}  {time:19}  {name:host$}  {tag:tags$}  {place}");
            writeln!(out, "{}", text.trim_end())?;
        }
    }
    Ok(())
}

/// Lists the files of a snapshot.
pub fn ls(context: &mut Context, args: &LsArgs) -> Result<(), Failure> {
    let _lock = context.lock(Locking::Reading)?;
    let (snapshot, below) = context.named(&args.snapshot, &args.selection.selection())?;
    let wanted = Wanted::new(&below, args)?;
    let repository = Arc::clone(&context.repository);
    let index = repository.index()?;
    let mut trees = Trees::new(&repository, &index)?;
    if context.common.json {
        let mut value = snapshot_json(&snapshot);
        value["struct_type"] = json!("snapshot");
        line(&mut context.out, &value)?;
    } else {
        let (id, time) = (snapshot.id.short(), snapshot.file.time.local());
        context.say(&format!("snapshot {id} of {time}:"))?;
    }
    let (json, out) = (context.common.json, &mut context.out);
    let mut output = None;
    let mut seen = vec![false; wanted.directories.len()];
    let mut show = |full: &[u8], node: &Node| {
        let (is_listed, goes_deeper) = wanted.look(full, &mut seen);
        if !is_listed {
            return Ok(goes_deeper);
        }
        let written = match (json, args.long) {
            (true, _) => line(out, &node_json(full, node)),
            (false, true) => writeln!(out, "{}", long(full, node)),
            (false, false) => writeln!(out, "{}", path(full)),
        };
        Ok(kept(written, &mut output)? && goes_deeper)
    };
    let place = trees.at(snapshot.file.tree, &below)?;
    let start = rooted(&below);
    let listed = match &place {
        Place::Node(node) if node.kind != NodeKind::Dir => show(&start, node).map(drop),
        place => {
            let tree = place.tree().expect("it is a directory");
            walk(&mut trees, tree, &start, &mut show)
        }
    };
    walked(listed, output)?;
    match seen.iter().position(|seen| !seen) {
        Some(at) => {
            let directory = path(&wanted.directories[at]);
            Err(format!("{directory} is not in snapshot {}", snapshot.id.short()).into())
        }
        None => Ok(()),
    }
}

/// Which directories of a snapshot are listed.
struct Wanted {
    /// Their paths from the root, without a `/` at the end; without any, all is listed.
    directories: Vec<Vec<u8>>,
    /// What lies deeper in them is listed too.
    recursive: bool,
}

impl Wanted {
    fn new(below: &[u8], args: &LsArgs) -> Result<Wanted, Failure> {
        if !args.directories.is_empty() && !below.is_empty() {
            let text = "SNAPSHOT:PATH and SNAPSHOT DIR exclude each other";
            return Err(text.to_owned().into());
        }
        let mut directories = Vec::new();
        for given in &args.directories {
            let given = given.as_encoded_bytes();
            if given.first() != Some(&b'/') {
                let text = "directories in a snapshot begin with /";
                return Err(format!("{} is no such path; {text}", path(given)).into());
            }
            directories.push(rooted(given));
        }
        Ok(Wanted { directories, recursive: args.recursive })
    }

    /// Says of a path whether it is listed, and whether something below it may be. Notes the
    /// directories that are there.
    fn look(&self, full: &[u8], seen: &mut [bool]) -> (bool, bool) {
        if self.directories.is_empty() {
            return (true, true);
        }
        let (mut is_listed, mut goes_deeper) = (false, false);
        for (directory, seen) in self.directories.iter().zip(seen) {
            let is_itself = directory == full;
            *seen |= is_itself || directory.is_empty();
            is_listed |= is_itself
                || match self.recursive {
                    true => is_below(full, directory),
                    false => parent(full) == directory,
                };
            goes_deeper |= is_itself
                || is_below(directory, full)
                || (self.recursive && is_below(full, directory));
        }
        (is_listed, goes_deeper)
    }
}

/// A path from the root, without a `/` at its end.
fn rooted(path: &[u8]) -> Vec<u8> {
    let names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
    names.fold(Vec::new(), |mut full, name| {
        full.push(b'/');
        full.extend_from_slice(name);
        full
    })
}

/// Returns `true` if a path is in a directory, however deep.
fn is_below(path: &[u8], directory: &[u8]) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with(b"/"))
}

/// The path of the directory that a path is in; empty for the root.
fn parent(path: &[u8]) -> &[u8] {
    &path[..path.iter().rposition(|&byte| byte == b'/').unwrap_or(0)]
}

/// Shows what differs between two snapshots.
pub fn differences(context: &mut Context, args: &DiffArgs) -> Result<(), Failure> {
    let _lock = context.lock(Locking::Reading)?;
    let find = |name: &str| context.find(name, &Selection::default());
    let (first, second) = (find(&args.first)?, find(&args.second)?);
    let repository = Arc::clone(&context.repository);
    let index = repository.index()?;
    let mut trees = Trees::new(&repository, &index)?;
    let (ids, json) = ((first.id.short(), second.id.short()), context.common.json);
    context.say(&format!("comparing snapshot {} to {}:\n", ids.0, ids.1))?;
    let out = &mut context.out;
    let mut output = Ok(());
    let mut tell = |change: Change, full: &[u8], kind: NodeKind| {
        let end = if kind == NodeKind::Dir { "/" } else { "" };
        let written = match json {
            true => {
                let full = format!("{}{end}", String::from_utf8_lossy(full));
                let modifier = change.letter().to_string();
                line(
                    out,
                    &json!({
                        "message_type": "change", "path": full, "modifier": modifier,
                    }),
                )
            }
            false => writeln!(out, "{}    {}{end}", change.letter(), path(full)),
        };
        let so_far = std::mem::replace(&mut output, Ok(()));
        output = so_far.and(written);
    };
    let roots = (first.file.tree, second.file.tree);
    let found = diff(&mut trees, &index, roots, args.metadata, &mut tell)?;
    output?;
    let (added, removed) = (found.added, found.removed);
    if json {
        let side = |side: OneSide| {
            json!({
                "files": side.files, "dirs": side.dirs, "others": side.others,
                "data_blobs": side.data_blobs, "tree_blobs": side.tree_blobs, "bytes": side.bytes,
            })
        };
        line(
            &mut context.out,
            &json!({
                "message_type": "statistics",
                "source_snapshot": first.id,
                "target_snapshot": second.id,
                "changed_files": found.changed_files,
                "added": side(added),
                "removed": side(removed),
            }),
        )?;
        return Ok(());
    }
    let pair = |what: &str, new: u64, gone: u64| format!("{what} {new:5} new, {gone:5} removed");
    let changed = found.changed_files;
    let files = pair("\nFiles:      ", added.files, removed.files);
    context.say(&format!("{files}, {changed:5} changed"))?;
    context.say(&pair("Dirs:       ", added.dirs, removed.dirs))?;
    context.say(&pair("Others:     ", added.others, removed.others))?;
    context.say(&pair("Data Blobs: ", added.data_blobs, removed.data_blobs))?;
    context.say(&pair("Tree Blobs: ", added.tree_blobs, removed.tree_blobs))?;
    context.say(&format!(
        "  Added:   {}\n  Removed: {}",
        size(added.bytes),
        size(removed.bytes)
    ))?;
    Ok(())
}

/// Tells how large snapshots are.
pub fn statistics(context: &mut Context, args: &StatsArgs) -> Result<(), Failure> {
    let _lock = context.lock(Locking::Reading)?;
    let snapshots = context.chosen(&args.snapshots, &args.selection.selection())?;
    let repository = Arc::clone(&context.repository);
    let index = repository.index()?;
    let mut trees = Trees::new(&repository, &index)?;
    let (count, mode) = match args.mode {
        StatsMode::RestoreSize => (Count::RestoreSize, "restore-size"),
        StatsMode::FilesByContents => (Count::FilesByContents, "files-by-contents"),
        StatsMode::RawData => (Count::RawData, "raw-data"),
    };
    let roots: Vec<_> = snapshots.0.iter().map(|snapshot| snapshot.file.tree).collect();
    let sizes = stats(&mut trees, &index, &roots, count)?;
    let snapshots = roots.len();
    if context.common.json {
        let mut value = json!({
            "total_size": sizes.bytes,
            "snapshots_count": snapshots,
        });
        match count {
            Count::RawData => {
                value["total_blob_count"] = json!(sizes.blobs);
                value["total_uncompressed_size"] = json!(sizes.uncompressed);
            }
            _ => value["total_file_count"] = json!(sizes.files),
        }
        line(&mut context.out, &value)?;
        return Ok(());
    }
    let out = &mut context.out;
    writeln!(out, "Stats in {mode} mode:\nSnapshots processed:   {snapshots}")?;
    match count {
        Count::RawData => {
            writeln!(out, "   Total Blob Count:   {}", sizes.blobs)?;
            writeln!(out, "Total Uncompressed Size:   {}", size(sizes.uncompressed))?;
        }
        _ => writeln!(out, "   Total File Count:   {}", sizes.files)?,
    }
    writeln!(out, "         Total Size:   {}", size(sizes.bytes))?;
    Ok(())
}

/// Finds files by their names.
pub fn find(context: &mut Context, args: &FindArgs) -> Result<(), Failure> {
    let mut patterns = Patterns::default();
    for pattern in &args.patterns {
        patterns.add(pattern, args.ignore_case)?;
    }
    let _lock = context.lock(Locking::Reading)?;
    let snapshots = context.chosen(&args.snapshot, &args.selection.selection())?;
    let repository = Arc::clone(&context.repository);
    let index = repository.index()?;
    let mut trees = Trees::new(&repository, &index)?;
    let mut all = Vec::new();
    for snapshot in snapshots.0.iter().rev() {
        let (mut matches, mut lines) = (Vec::new(), Vec::new());
        walk(&mut trees, snapshot.file.tree, b"", &mut |full, node| {
            let matched = patterns.matches(full);
            if matched {
                matches.push(found_json(full, node));
                lines.push(if args.long { long(full, node) } else { path(full) });
            }
            Ok(true)
        })?;
        if matches.is_empty() {
            continue;
        }
        if context.common.json {
            let hits = matches.len();
            all.push(json!({ "matches": matches, "hits": hits, "snapshot": snapshot.id }));
            continue;
        }
        let (id, time) = (snapshot.id.short(), snapshot.file.time.local());
        context.say(&format!("Found matching entries in snapshot {id} from {time}"))?;
        for text in lines {
            writeln!(context.out, "{text}")?;
        }
        context.say("")?;
    }
    if context.common.json {
        line(&mut context.out, &json!(all))?;
    }
    Ok(())
}
