//! What `broadloom snapshot` saves, finds, lists and brings back of what was asked for, with restic
//! beside it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;

use rustix::process::geteuid;
use serde_json::Value;

use crate::common::{Place, Said, noise, run};
use crate::snapshot::{
    count, has_restic, init, json, listing, ours, ours_with, place, restic, well, with_environment,
};

/// A command that obeys the permissions of files, as those of a user who is not root do.
fn obeying(command: &Command) -> Command {
    if !geteuid().is_root() {
        let mut same = Command::new(command.get_program());
        same.args(command.get_args());
        return same;
    }
    let mut setpriv = Command::new("setpriv");
    let without = "-dac_override,-dac_read_search";
    setpriv.arg(format!("--bounding-set={without}")).arg(format!("--inh-caps={without}"));
    setpriv.arg(command.get_program()).args(command.get_args());
    setpriv
}

fn ours_obeying(place: &Place, args: &[&str]) -> Said {
    let mut command = place.command("snapshot");
    run(with_environment(place, &mut obeying(command.args(args))), b"")
}

fn restic_obeying(place: &Place, args: &[&str]) -> Said {
    let mut command = Command::new("restic");
    run(with_environment(place, &mut obeying(command.args(args))), b"")
}

fn set_mode(place: &Place, name: &str, mode: u32) {
    fs::set_permissions(place.path().join(name), Permissions::from_mode(mode)).unwrap();
}

/// What the snapshots say of themselves, oldest first.
fn snapshots(place: &Place) -> Vec<Value> {
    json(&well(ours(place, &["list", "--json"]))).as_array().unwrap().clone()
}

/// Asserts that the last two snapshots have the same tree and the same paths.
fn assert_last_two_are_alike(place: &Place) {
    let all = snapshots(place);
    let [.., mine, theirs] = &all[..] else { panic!("{} snapshots", all.len()) };
    assert_ne!(mine["program_version"], theirs["program_version"]);
    assert_eq!((&mine["tree"], &mine["paths"]), (&theirs["tree"], &theirs["paths"]));
}

/// A home with a few files.
fn make_home(place: &Place) {
    place.write("home/letters/one", "1");
    place.write("home/letters/two", "22");
    place.write("home/todo", "much");
}

#[test]
fn a_missing_source_leaves_the_others() {
    let place = place();
    init(&place);
    make_home(&place);
    let said = ours(&place, &["backup", "home", "not-mounted", "home/todo/x"]);
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains("not-mounted: No such file or directory"), "{}", said.stderr);
    assert!(said.stderr.contains("home/todo/x: Not a directory"), "{}", said.stderr);
    let listed = well(ours(&place, &["ls", "-q", "latest"])).text().to_owned();
    assert_eq!(listed, "/home\n/home/letters\n/home/letters/one\n/home/letters/two\n/home/todo\n");
    let said = ours(&place, &["backup", "home", "not-mounted"]);
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    // The next backup has its parent, although the source is still missing.
    let summary = json(&ours(&place, &["backup", "--json", "home", "not-mounted"]));
    assert_eq!(summary["files_unmodified"], 3);
    let nothing = ours(&place, &["backup", "not-mounted", "neither"]);
    assert_eq!(nothing.code, Some(1));
    for text in ["not-mounted: No such file", "neither: No such file", "no snapshot is made"] {
        assert!(nothing.stderr.contains(text), "{}", nothing.stderr);
    }
    assert_eq!(count(&place), 3);
    if !has_restic() {
        return;
    }
    let theirs = restic(&place, &["backup", "--force", "home", "not-mounted"]);
    // restic before 0.18 ends with 0.
    assert!(matches!(theirs.code, Some(0 | 3)), "{}", theirs.stderr);
    assert_last_two_are_alike(&place);
    assert_eq!(restic(&place, &["backup", "not-mounted", "neither"]).code, nothing.code);
}

#[test]
fn a_source_that_cannot_be_read_leaves_the_others() {
    let place = place();
    init(&place);
    make_home(&place);
    place.write("home/secret/key", "key");
    place.write("home/closed", "closed");
    place.write("shut/in/file", "file");
    place.write("letter", "letter");
    set_mode(&place, "home/secret", 0);
    set_mode(&place, "home/closed", 0);
    set_mode(&place, "shut", 0);
    let args = ["backup", "home", "shut/in/file", "letter"];
    let said = ours_obeying(&place, &args);
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    for name in ["home/secret", "home/closed", "shut/in"] {
        let text = format!("{name}: Permission denied");
        assert!(said.stderr.contains(&text), "{text}: {}", said.stderr);
    }
    let listed = well(ours(&place, &["ls", "-q", "latest"])).text().to_owned();
    assert!(listed.contains("/home/todo\n") && listed.contains("/letter\n"), "{listed}");
    assert!(!listed.contains("/home/secret"), "{listed}");
    let args = ["backup", "--force", "home", "letter"];
    assert_eq!(ours_obeying(&place, &args).code, Some(3));
    if has_restic() {
        let theirs = restic_obeying(&place, &args);
        assert_eq!(theirs.code, Some(3), "{}", theirs.stderr);
        assert_last_two_are_alike(&place);
    }
    // A directory on the way is not what was asked for.
    let before = count(&place);
    for source in ["home/closed", "home/secret"] {
        let said = ours_obeying(&place, &["backup", source]);
        assert_eq!(said.code, Some(1), "{}", said.stderr);
        assert!(said.stderr.contains("nothing is left to save"), "{}", said.stderr);
    }
    assert_eq!(count(&place), before);
    for name in ["home/secret", "shut"] {
        set_mode(&place, name, 0o700);
    }
}

#[test]
fn nothing_that_is_left_makes_no_snapshot() {
    let place = place();
    init(&place);
    make_home(&place);
    for args in [
        &["backup", "home", "-e", "home"][..],
        &["backup", "home", "-e", "*"],
        &["backup", "--dry-run", "home", "-e", "*"],
        &["backup", "home/letters", "-e", "letters"],
        &["backup", "home/todo", "--exclude-larger-than", "1"],
    ] {
        let said = ours(&place, args);
        assert_eq!(said.code, Some(1), "{args:?}: {}", said.stderr);
        assert!(said.stderr.contains("nothing is left to save"), "{args:?}: {}", said.stderr);
    }
    assert_eq!(count(&place), 0);
    if has_restic() {
        assert_eq!(restic(&place, &["backup", "home", "-e", "*"]).code, Some(1));
    }
    // A directory that is empty is something.
    well(ours(&place, &["backup", "home", "-e", "/**/home/*"]));
    assert_eq!(well(ours(&place, &["ls", "-q", "latest"])).text(), "/home\n");
}

#[test]
fn directories_on_the_way_have_their_attributes() {
    let place = place();
    init(&place);
    place.write("tree/a/b/c/wanted", "wanted");
    place.write("tree/a/other", "other");
    place.write("tree/unwanted/other", "other");
    set_mode(&place, "tree/a/b", 0o1755);
    set_mode(&place, "tree/a/b/c", 0o500);
    if geteuid().is_root() {
        chown(place.path().join("tree/a"), Some(1234), Some(4321)).unwrap();
    }
    for name in ["tree/a/b/c", "tree/a/b", "tree/a", "tree"] {
        let mut touch = Command::new("touch");
        touch.args(["-d", "2001-02-03 04:05:06"]).arg(place.path().join(name));
        run(&mut touch, b"").good();
    }
    well(ours(&place, &["backup", "-q", "tree"]));
    let expected = listing(&place.path().join("tree"));
    let expected: Vec<&str> =
        expected.lines().filter(|line| !line.contains("other") && !line.contains("unwa")).collect();
    for (target, include) in [("deep", "wanted"), ("path", "/tree/a/b/c/wanted")] {
        well(ours(&place, &["restore", "latest", "-q", "-t", target, "-i", include]));
        let restored = listing(&place.path().join(target).join("tree"));
        assert_eq!(restored.lines().collect::<Vec<_>>(), expected, "{include}");
        if has_restic() {
            let theirs = format!("{target}-theirs");
            well(restic(&place, &["restore", "latest", "-q", "-t", &theirs, "-i", include]));
            assert_eq!(listing(&place.path().join(theirs).join("tree")), restored);
        }
    }
    well(ours(&place, &["restore", "latest", "-q", "-t", "none", "-i", "absent"]));
    assert_eq!(place.names("none"), [""; 0]);
}

#[test]
fn a_second_restore_writes_into_read_only_directories() {
    let place = place();
    init(&place);
    place.write("tree/bin/deep/tool", "tool");
    place.write("tree/bin/link", "to be a link");
    for (name, mode) in [("tree/bin/deep/tool", 0o444), ("tree/bin/deep", 0o311)] {
        set_mode(&place, name, mode);
    }
    set_mode(&place, "tree/bin", 0o555);
    well(ours(&place, &["backup", "-q", "tree"]));
    let expected = listing(&place.path().join("tree"));
    let target = place.path().join("back/tree");
    for _ in 0..2 {
        let said = ours_obeying(&place, &["restore", "latest", "-q", "-t", "back"]);
        assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
        assert_eq!(listing(&target), expected);
    }
    // Even one that nobody may enter, and with files that changed.
    let tool = target.join("bin/deep/tool");
    fs::set_permissions(&tool, Permissions::from_mode(0o644)).unwrap();
    fs::write(&tool, "changed").unwrap();
    fs::set_permissions(target.join("bin/deep"), Permissions::from_mode(0o000)).unwrap();
    well(ours_obeying(&place, &["restore", "latest", "-q", "-t", "back", "-i", "tool"]));
    assert_eq!(listing(&target), expected);
    // A link in the place of a directory is not followed, and nothing changes where it leads.
    fs::create_dir(place.path().join("elsewhere")).unwrap();
    set_mode(&place, "elsewhere", 0o500);
    fs::set_permissions(target.join("bin"), Permissions::from_mode(0o755)).unwrap();
    fs::remove_dir_all(target.join("bin/deep")).unwrap();
    symlink("../../../elsewhere", target.join("bin/deep")).unwrap();
    let said = ours_obeying(&place, &["restore", "latest", "-q", "-t", "back"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let mode = fs::metadata(place.path().join("elsewhere")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, place.names("elsewhere").len()), (0o500, 0));
}

#[test]
fn excludes_have_variables_and_headers() {
    let place = place();
    init(&place);
    for name in ["a.o", "b$c", "kept", "mine.txt", "$UNSET_HERE.BIN", ".BIN"] {
        place.write(format!("tree/{name}"), name);
    }
    for (directory, tag) in [
        ("marked", "Signature: mine, and more"),
        ("other", "Signature: yours"),
        ("short", "Sig"),
        ("plain", ""),
    ] {
        place.write(format!("tree/{directory}/.nobackup"), tag);
        place.write(format!("tree/{directory}/file"), directory);
    }
    fs::create_dir_all(place.path().join("tree/pipe")).unwrap();
    run(Command::new("mkfifo").arg(place.path().join("tree/pipe/.nobackup")), b"").good();
    place.write("tree/pipe/file", "pipe");
    place.write("tree/named/.skip", "");
    place.write("tree/named/file", "named");
    let tree = place.path().join("tree");
    place.write(
        "excludes",
        "\u{feff}# comment with $$\n\n  *.o  \r\nb$$c\n${MINE}.txt\n$TREE/none\n$UNSET_HERE.BIN\n",
    );
    let args = [
        "backup",
        "tree",
        "--exclude-file",
        "excludes",
        "--exclude-if-present",
        ".nobackup:Signature: mine",
        "--exclude-if-present",
        ".skip",
    ];
    let with_variables = |mut command: Command| {
        let command = with_environment(&place, command.args(args));
        run(command.env("MINE", "mine").env("TREE", &tree), b"")
    };
    place.write("tree/none/file", "none");
    let said = well(with_variables(place.command("snapshot")));
    let warning = "excludes: \"$UNSET_HERE.BIN\" names the variable UNSET_HERE, which is not set";
    assert!(said.stderr.contains(warning), "{}", said.stderr);
    let listed = well(ours(&place, &["ls", "-q", "latest"])).text().to_owned();
    for (name, is_there) in [
        ("kept", true),
        ("a.o", false),
        ("b$c", false),
        ("mine.txt", false),
        ("none", false),
        (".BIN", false),
        ("$UNSET_HERE.BIN", true),
        ("marked/.nobackup", true),
        ("marked/file", false),
        ("other/file", true),
        ("short/file", true),
        ("plain/file", true),
        ("pipe/file", true),
        ("named/.skip", true),
        ("named/file", false),
    ] {
        assert_eq!(listed.contains(&format!("/tree/{name}\n")), is_there, "{name}: {listed}");
    }
    if has_restic() {
        // restic waits for a pipe.
        fs::remove_dir_all(place.path().join("tree/pipe")).unwrap();
        well(with_variables(place.command("snapshot")));
        well(with_variables(Command::new("restic")));
        assert_last_two_are_alike(&place);
    }
    for wrong in ["", ":header", "a/b"] {
        let said = ours(&place, &["backup", "tree", "--exclude-if-present", wrong]);
        assert!(said.code == Some(2) && said.stderr.contains("the name of a file"), "{wrong}");
    }
}

#[test]
fn streams_have_paths() {
    let place = place();
    init(&place);
    let args = ["backup", "--stdin", "-q", "--stdin-filename", "databases/./daily//dump.sql"];
    well(ours_with(&place, &args, b"dump"));
    let path = "/databases/daily/dump.sql";
    assert_eq!(well(ours(&place, &["cat", "latest", path])).stdout, b"dump");
    let listed = well(ours(&place, &["ls", "-q", "-l", "latest"])).text().to_owned();
    assert_eq!(listed.lines().count(), 3);
    assert_eq!(listed.matches("drwxr-xr-x").count(), 2, "{listed}");
    assert_eq!(snapshots(&place)[0]["paths"][0], path);
    for wrong in ["", "/", "..", "a/.."] {
        let said = ours(&place, &["backup", "--stdin", "-q", "--stdin-filename", wrong]);
        assert_eq!(said.code, Some(1), "{wrong}");
        let text = format!("the stream has the name {wrong:?}; valid: ");
        assert!(said.stderr.contains(&text), "{}", said.stderr);
    }
    if !has_restic() {
        return;
    }
    let mut command = Command::new("restic");
    well(run(with_environment(&place, command.args(args)), b"dump"));
    assert_eq!(snapshots(&place)[1]["paths"][0], path);
    let modes_and_names = |text: &str| {
        let fields = |line: &str| {
            let fields: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            (fields[0].clone(), fields[1].clone(), fields.last().unwrap().clone())
        };
        text.lines().map(fields).collect::<Vec<_>>()
    };
    let theirs = well(ours(&place, &["ls", "-q", "-l", "latest"])).text().to_owned();
    assert_eq!(modes_and_names(&listed), modes_and_names(&theirs));
    well(restic(&place, &["check", "--read-data"]));
}

#[test]
fn what_is_in_a_directory_is_found_with_it() {
    let place = place();
    init(&place);
    make_home(&place);
    symlink("todo", place.path().join("home/link")).unwrap();
    fs::hard_link(place.path().join("home/todo"), place.path().join("home/again")).unwrap();
    well(ours(&place, &["backup", "-q", "home"]));
    let found = well(ours(&place, &["find", "-q", "letters"])).text().to_owned();
    assert_eq!(found, "/home/letters\n/home/letters/one\n/home/letters/two\n");
    let found = json(&well(ours(&place, &["find", "--json", "home"])));
    let matches = found[0]["matches"].as_array().unwrap();
    assert_eq!((matches.len(), &found[0]["hits"]), (7, &7.into()));
    let again = matches.iter().find(|node| node["path"] == "/home/again").unwrap();
    assert_eq!(again["links"], 2);
    assert!(again["user"].is_string() && again["group"].is_string(), "{again}");
    if has_restic() {
        let theirs = json(&well(restic(&place, &["find", "--json", "home"])));
        assert_eq!(found, theirs);
    }
}

#[test]
fn directories_of_a_snapshot_are_listed() {
    let place = place();
    init(&place);
    make_home(&place);
    place.write("home/letters/old/ancient", "x");
    place.write("home-work/paper", "x");
    well(ours(&place, &["backup", "-q", "home", "home-work"]));
    let lines = |said: Said| {
        let lines = said.text().lines().filter(|line| line.starts_with('/'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    for (dirs, expected) in [
        (&["/"][..], &["/home", "/home-work"][..]),
        (&["/home"], &["/home", "/home/letters", "/home/todo"]),
        (
            &["/home-work/", "/home/letters/old"],
            &["/home-work", "/home-work/paper", "/home/letters/old", "/home/letters/old/ancient"],
        ),
        (
            &["--recursive", "/home/letters"],
            &[
                "/home/letters",
                "/home/letters/old",
                "/home/letters/old/ancient",
                "/home/letters/one",
                "/home/letters/two",
            ],
        ),
        (&["/home/todo"], &["/home/todo"]),
    ] {
        let args = [&["ls", "latest"], dirs].concat();
        let mut listed = lines(well(ours(&place, &args)));
        listed.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(listed, expected, "{dirs:?}");
        if has_restic() && dirs != ["/home-work/", "/home/letters/old"] {
            let mut theirs = lines(well(restic(&place, &args)));
            theirs.sort();
            assert_eq!(listed, theirs, "{dirs:?}");
        }
    }
    let json = well(ours(&place, &["ls", "--json", "latest", "/home-work"])).text().to_owned();
    assert_eq!(json.lines().count(), 3, "{json}");
    for (args, text) in [
        (["latest", "/absent"], "/absent is not in snapshot"),
        (["latest", "home"], "home is no such path"),
        (["latest:/home", "/letters"], "exclude each other"),
    ] {
        let said = ours(&place, &[&["ls"][..], &args].concat());
        assert!(said.code == Some(1) && said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}

#[test]
fn sources_come_from_lists() {
    let place = place();
    init(&place);
    make_home(&place);
    place.write("work/a.txt", "a");
    place.write("work/b.txt", "b");
    place.write("work/[c].txt", "c");
    place.write("work/# d", "d");
    place.write("work/e\n.txt", "e");
    place.write("list", "# some\n\n  home/letters  \nwork/?.txt\nnothing/*\n");
    place.write("verbatim", "work/[c].txt\n\nwork/# d\n");
    place.write("raw", "work/e\n.txt\0home/todo\0");
    let args = [
        &["backup", "--files-from", "list", "--files-from-verbatim", "verbatim"][..],
        &["--files-from-raw", "raw", "home/todo"],
    ]
    .concat();
    let said = well(ours(&place, &args));
    assert!(said.stderr.contains("list: nothing matches 'nothing/*'"), "{}", said.stderr);
    let listed = well(ours(&place, &["ls", "-q", "latest"])).text().to_owned();
    let names = ["/home/letters/two", "/home/todo", "/work/a.txt", "/work/[c].txt", "/work/# d"];
    for name in names {
        assert!(listed.contains(&format!("{name}\n")), "{name}: {listed}");
    }
    assert_eq!(listed.lines().count(), 11, "{listed}");
    if has_restic() {
        well(restic(&place, &args));
        assert_last_two_are_alike(&place);
    }
    let said = well(ours_with(&place, &["backup", "--files-from", "-"], b"home\n"));
    assert!(said.text().contains("processed 3 files"), "{}", said.text());
    // A line that is no pattern names a source, which may be missing.
    place.write("list", "home\nnot-mounted\n");
    let said = ours(&place, &["backup", "--files-from", "list"]);
    assert!(
        said.code == Some(3) && said.stderr.contains("not-mounted: No such"),
        "{}",
        said.stderr
    );
    for (option, content, text) in [
        ("--files-from", "# none\n", "The lists of sources are empty"),
        ("--files-from", "home/[\n", "has no end"),
        ("--files-from-raw", "home", "does not end with a zero byte"),
        ("--files-from-raw", "\0", "an empty name"),
    ] {
        place.write("list", content);
        let said = ours(&place, &["backup", option, "list"]);
        assert!(said.code == Some(1) && said.stderr.contains(text), "{content:?}: {}", said.stderr);
    }
    let said = ours(&place, &["backup", "--files-from", "absent"]);
    assert!(
        said.code == Some(1) && said.stderr.contains("absent: No such file"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_snapshot_like_its_parent_is_skipped() {
    let place = place();
    init(&place);
    make_home(&place);
    let args = ["backup", "--skip-if-unchanged", "home"];
    well(ours(&place, &args));
    let said = well(ours(&place, &args));
    assert!(said.text().contains("nothing changed: no snapshot is made"), "{}", said.text());
    let summary = json(&well(ours(&place, &["backup", "--skip-if-unchanged", "--json", "home"])));
    assert_eq!((&summary["snapshot_id"], &summary["dry_run"]), (&Value::Null, &Value::Null));
    assert_eq!(summary["files_unmodified"], 3);
    assert_eq!(count(&place), 1);
    place.write("home/todo", "more");
    assert!(well(ours(&place, &args)).text().contains(" saved"));
    well(ours(&place, &["backup", "home"]));
    assert_eq!(count(&place), 3);
    for other in ["--stdin", "--force"] {
        assert_eq!(ours(&place, &["backup", "--skip-if-unchanged", other]).code, Some(2));
    }
}

#[test]
fn some_packs_are_read() {
    let place = place();
    init(&place);
    for number in 0..5 {
        place.write("tree/file", noise(100_000, number));
        well(ours(&place, &["backup", "-q", "tree"]));
    }
    let read = |subset: &str| {
        let args = ["check", "--json", "--read-data-subset", subset];
        let checked = json(&well(ours(&place, &args)));
        assert_eq!(checked["packs"], 10);
        checked["packs_read"].as_u64().unwrap()
    };
    for (subset, packs) in
        [("100%", 10), ("50%", 5), ("25.5%", 2), ("0.001%", 1), ("1", 1), ("1G", 10), ("1/1", 10)]
    {
        assert_eq!(read(subset), packs, "{subset}");
    }
    // Five packs have 100,000 bytes, and the trees in the others some hundred.
    assert!((3..=8).contains(&read("200K")));
    assert_eq!((1..=3).map(|part| read(&format!("{part}/3"))).sum::<u64>(), 10);
    for wrong in ["0%", "101%", "x%", "NaN%", "0", "0/3", "4/3", "1/257", "5MB", ""] {
        let said = ours(&place, &["check", "--read-data-subset", wrong]);
        assert!(said.code == Some(2) && said.stderr.contains("such as 2.5%"), "{wrong}");
    }
    // A damaged pack is found where all are read.
    let pack = Path::new("repository/data");
    let first = place
        .names("repository/data")
        .into_iter()
        .find(|name| !place.names(&format!("repository/data/{name}")).is_empty());
    let directory = pack.join(first.unwrap());
    let name = place.names(directory.to_str().unwrap())[0].clone();
    let path = place.path().join(directory).join(name);
    let mut bytes = fs::read(&path).unwrap();
    bytes[7] ^= 1;
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    fs::write(&path, bytes).unwrap();
    let said = ours(&place, &["check", "--read-data-subset", "100%"]);
    assert!(said.code == Some(1) && said.stderr.contains("is damaged"), "{}", said.stderr);
}
