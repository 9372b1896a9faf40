//! `broadloom snapshot restore`.

use std::io::Write;
use std::sync::atomic::Ordering;

use broadloom_program::quote::shown;
use broadloom_snapshot::backup::Progress;
use broadloom_snapshot::restore::{RestoreOptions, restore};
use broadloom_snapshot::tree::{Place, Trees};
use serde_json::json;

use super::args::RestoreArgs;
use super::context::{Context, Failure, Locking};
use super::display::Display;
use super::text::size;

/// Restores a snapshot.
pub fn run(context: &mut Context, args: &RestoreArgs) -> Result<(), Failure> {
    let mut options = RestoreOptions::new(args.target.clone());
    args.include.iter().try_for_each(|pattern| options.include.add(pattern, false))?;
    args.exclude.iter().try_for_each(|pattern| options.exclude.add(pattern, false))?;
    options.sparse = args.sparse;
    options.dry_run = args.dry_run;
    options.threads = args.threads.reading(context.repository.connections());
    let _lock = context.lock(Locking::Reading)?;
    let (snapshot, path) = context.named(&args.snapshot, &args.selection.selection())?;
    let place = {
        let index = context.repository.index()?;
        let mut trees = Trees::new(&context.repository, &index)?;
        match path.is_empty() {
            true => Place::Tree(snapshot.file.tree),
            false => trees.at(snapshot.file.tree, &path)?,
        }
    };
    let common = &context.common;
    let display = Display::new("broadloom snapshot restore", "restore", common.json, common.quiet);
    let progress = Progress::default();
    let restored = display.during(&progress, || {
        restore(&context.repository, &place, &options, &progress, &display)
    })?;
    if context.common.json {
        let line = json!({
            "message_type": "summary",
            "total_files": progress.total_files.load(Ordering::Relaxed),
            "files_restored": restored.files,
            "total_bytes": progress.total_bytes.load(Ordering::Relaxed),
            "bytes_restored": restored.bytes,
            "errors": restored.errors,
        });
        writeln!(context.out, "{line}")?;
    } else {
        let what = if args.dry_run { "would restore" } else { "restored" };
        let (id, target) = (snapshot.id.short(), shown(&args.target));
        let text = format!(
            "{what} {} files, {}, of snapshot {id} to {target}",
            restored.files,
            size(restored.bytes)
        );
        context.say(&text)?;
    }
    match restored.errors {
        0 => Ok(()),
        1 => Err("1 file is not restored, or not as it was".to_owned().into()),
        many => Err(format!("{many} files are not restored, or not as they were").into()),
    }
}
