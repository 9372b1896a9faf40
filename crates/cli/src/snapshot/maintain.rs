//! Commands for the repository itself: `init`, `check`, `forget`, `cat`, `unlock`.

use std::ffi::OsString;
use std::io::Write;

use broadloom_program::message::complain;
use broadloom_program::quote::visible;
use broadloom_snapshot::backup::Progress;
use broadloom_snapshot::check::{CheckOptions, Finding, check};
use broadloom_snapshot::forget::{Group, GroupBy, Policy, apply, forget, parse_span};
use broadloom_snapshot::node::NodeKind;
use broadloom_snapshot::snapshot::Named;
use broadloom_snapshot::store::Kind;
use broadloom_snapshot::tree::{Place, Trees};
use broadloom_snapshot::{BlobKind, Id, unlock};
use serde_json::{Value, json};

use super::args::{By, CatArgs, CheckArgs, ForgetArgs, UnlockArgs};
use super::context::{Context, Failure, Locking, lists};
use super::display::Display;
use super::show::{line, snapshot_json, table};
use super::text::joined;

/// Bytes of a file that `cat` has in memory, but for a single blob.
const AT_ONCE: u64 = 32 << 20;

/// Says that the repository was made.
pub fn init(context: &mut Context) -> Result<(), Failure> {
    let id = context.repository.id();
    if context.common.json {
        return Ok(line(&mut context.out, &json!({ "message_type": "initialized", "id": id }))?);
    }
    let id = id.short();
    context.say(&format!("repository {id} is made; without its password, nobody can read it"))?;
    Ok(())
}

/// Looks for what is lost or damaged.
pub fn run_check(context: &mut Context, args: &CheckArgs) -> Result<(), Failure> {
    let program = "broadloom snapshot check";
    let _lock = match context.common.no_lock {
        true => None,
        false => context.lock(Locking::Alone)?,
    };
    let options = CheckOptions {
        read_data: args.read_data,
        subset: args.read_data_subset,
        threads: args.threads.reading(context.repository.connections()),
    };
    let (json, quiet) = (context.common.json, context.common.quiet);
    let display = Display::new(program, "check", false, quiet || json);
    let progress = Progress::default();
    let found = |finding: Finding| match finding {
        Finding::Error(text) => complain(program, &text),
        Finding::Hint(text) if !quiet => complain(program, &text),
        Finding::Hint(_) => {}
    };
    let checked =
        display.during(&progress, || check(&context.repository, &options, &progress, &found))?;
    if json {
        line(
            &mut context.out,
            &json!({
                "message_type": "summary",
                "num_errors": checked.errors,
                "snapshots": checked.snapshots,
                "trees": checked.trees,
                "packs": checked.packs,
                "packs_read": checked.packs_read,
                "unused_blobs": checked.unused,
            }),
        )?;
    } else {
        let (snapshots, packs, read) = (checked.snapshots, checked.packs, checked.packs_read);
        let text = format!("{snapshots} snapshots, {packs} packs, of which {read} were read");
        context.say(&format!("{text}: {} errors", checked.errors))?;
    }
    match checked.errors {
        0 => Ok(()),
        errors => Err(format!("the repository has {errors} errors").into()),
    }
}

fn policy(args: &ForgetArgs) -> Result<Policy, Failure> {
    Ok(Policy {
        last: args.keep_last,
        hourly: args.keep_hourly,
        daily: args.keep_daily,
        weekly: args.keep_weekly,
        monthly: args.keep_monthly,
        yearly: args.keep_yearly,
        within: args.keep_within.as_deref().map(parse_span).transpose()?,
        tags: args.keep_tag.iter().map(|tags| lists(tags)).collect(),
    })
}

/// Removes snapshots.
pub fn run_forget(context: &mut Context, args: &ForgetArgs) -> Result<(), Failure> {
    let policy = policy(args)?;
    if args.snapshots.is_empty() && policy.is_empty() {
        return Err("which snapshots? valid: IDs, or --keep-last and the like".to_owned().into());
    }
    if !args.snapshots.is_empty() && !policy.is_empty() {
        return Err("a policy and IDs exclude each other".to_owned().into());
    }
    let _lock = match args.dry_run {
        true => context.lock(Locking::Reading)?,
        false => context.lock(Locking::Alone)?,
    };
    let selection = args.selection.selection();
    if !args.snapshots.is_empty() {
        // They are not read, so that one that is damaged can be removed.
        let ids = args.snapshots.iter().map(|name| context.identify(name, &selection));
        let ids: Vec<Id> = ids.collect::<Result<_, _>>()?;
        if !args.dry_run {
            forget(&context.repository, &ids)?;
        }
        let what = if args.dry_run { "would remove" } else { "removed" };
        for id in &ids {
            context.say(&format!("{what} snapshot {}", id.short()))?;
        }
        if context.common.json {
            line(&mut context.out, &json!(ids))?;
        }
        return Ok(());
    }
    let has = |by| args.group_by.contains(&by);
    let by = GroupBy { host: has(By::Host), paths: has(By::Paths), tags: has(By::Tags) };
    let mut all = context.all()?;
    all.retain(&selection);
    let (mut remove, mut groups) = (Vec::new(), Vec::new());
    for (group, snapshots) in by.groups(&all) {
        let verdicts = apply(&policy, &snapshots)?;
        let (kept, gone): (Vec<_>, Vec<_>) =
            verdicts.into_iter().partition(|verdict| verdict.is_kept());
        let reasons: Vec<Value> = kept
            .iter()
            .map(|kept| {
                json!({ "snapshot": snapshot_json(&kept.snapshot), "matches": kept.reasons })
            })
            .collect();
        let snapshots = |verdicts: Vec<broadloom_snapshot::forget::Verdict>| {
            verdicts.into_iter().map(|verdict| verdict.snapshot).collect::<Vec<Named>>()
        };
        let (kept, gone) = (snapshots(kept), snapshots(gone));
        remove.extend(gone.iter().map(|snapshot| snapshot.id));
        let json = |named: &[Named]| -> Value { named.iter().map(snapshot_json).collect() };
        groups.push(json!({
            "tags": group.tags,
            "host": group.host.clone().unwrap_or_default(),
            "paths": group.paths,
            "keep": json(&kept),
            "remove": if gone.is_empty() { Value::Null } else { json(&gone) },
            "reasons": reasons,
        }));
        tell(context, &group, &kept, &gone)?;
    }
    if context.common.json {
        line(&mut context.out, &json!(groups))?;
    }
    if !args.dry_run {
        forget(&context.repository, &remove)?;
    }
    let what = if args.dry_run { "would be removed" } else { "removed" };
    context.say(&format!("{} snapshots {what}", remove.len()))?;
    Ok(())
}

fn tell(
    context: &mut Context,
    group: &Group,
    kept: &[Named],
    gone: &[Named],
) -> Result<(), Failure> {
    if context.common.json || context.common.quiet {
        return Ok(());
    }
    let mut common = Vec::new();
    common.extend(group.host.as_ref().map(|host| format!("host {}", visible(host))));
    common.extend(group.paths.as_ref().map(|paths| format!("paths {}", joined(paths))));
    common.extend(group.tags.as_ref().map(|tags| format!("tags {}", joined(tags))));
    writeln!(context.out, "snapshots of {}:\n", common.join(", "))?;
    for (what, snapshots) in [("keep", kept), ("remove", gone)] {
        if !snapshots.is_empty() {
            writeln!(context.out, "{what} {}:", snapshots.len())?;
            table(&mut context.out, snapshots)?;
            writeln!(context.out)?;
        }
    }
    Ok(())
}

/// Writes a file of a snapshot, or a part of the repository.
pub fn cat(context: &mut Context, args: &CatArgs) -> Result<(), Failure> {
    let _lock = context.lock(Locking::Reading)?;
    let kind = match args.snapshot.as_str() {
        "config" if args.file.is_none() => {
            context.out.write_all(&context.repository.config_text())?;
            return Ok(writeln!(context.out)?);
        }
        "index" => Some(Kind::Index),
        "snapshot" => Some(Kind::Snapshot),
        "key" => Some(Kind::Key),
        "lock" => Some(Kind::Lock),
        _ => None,
    };
    let path = args
        .file
        .as_ref()
        .ok_or_else(|| "which file? valid: SNAPSHOT PATH, or \"config\" alone".to_owned())?;
    if let Some(kind) = kind {
        let id = part(context, kind, path)?;
        let text = context.repository.text(kind, id)?;
        context.out.write_all(&text)?;
        return Ok(writeln!(context.out)?);
    }
    let index = context.repository.index()?;
    if args.snapshot == "blob" {
        let id: Id = path.to_string_lossy().parse().map_err(|error| format!("{error}"))?;
        let found = [BlobKind::Data, BlobKind::Tree]
            .into_iter()
            .find(|kind| index.find(*kind, &id).is_some());
        let blob = context.repository.blob(&index, found.unwrap_or(BlobKind::Data), id)?;
        return Ok(context.out.write_all(&blob)?);
    }
    let snapshot = context.find(&args.snapshot, &args.selection.selection())?;
    let mut trees = Trees::new(&context.repository, &index)?;
    let place = trees.at(snapshot.file.tree, path.as_encoded_bytes())?;
    let Place::Node(node) = place else {
        return Err("the path is the snapshot's directory; valid: a file".to_owned().into());
    };
    if node.kind != NodeKind::File {
        let path = path.to_string_lossy();
        return Err(format!("{path} is no file in the snapshot").into());
    }
    // A few at a time: a file may be larger than memory.
    let mut rest = node.blobs();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |id: &&Id| {
            bytes += index.find(BlobKind::Data, id).map_or(0, |location| location.size());
            bytes <= AT_ONCE
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (blobs, behind) = rest.split_at(count);
        let pieces = context.repository.blobs_in_order(&index, blobs)?;
        pieces.iter().try_for_each(|piece| context.out.write_all(piece))?;
        rest = behind;
    }
    Ok(())
}

/// The ID that a text begins, among the files of a kind.
fn part(context: &Context, kind: Kind, text: &OsString) -> Result<Id, Failure> {
    let text = text.to_string_lossy().to_lowercase();
    let all = context.repository.list(kind)?;
    let mut fitting = all.iter().filter(|id| id.to_string().starts_with(&text));
    match (fitting.next(), fitting.next()) {
        (Some(&only), None) => Ok(only),
        (None, _) => Err(format!("no file of {} begins with {text:?}", kind.directory()).into()),
        _ => Err(format!("several files of {} begin with {text:?}", kind.directory()).into()),
    }
}

/// Removes locks.
pub fn run_unlock(context: &mut Context, args: &UnlockArgs) -> Result<(), Failure> {
    let removed = unlock(&context.repository, args.remove_all)?;
    let locks = if removed == 1 { "lock" } else { "locks" };
    context.say(&format!("{removed} {locks} removed"))?;
    Ok(())
}
