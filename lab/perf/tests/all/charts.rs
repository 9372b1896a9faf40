//! The charts of the book are those of its CSV files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use broadloom_perf::report::book;

#[test]
fn the_charts_of_the_book_are_drawn_from_its_figures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/performance");
    let drawn: BTreeMap<_, _> = book::pictures(&folder).unwrap().into_iter().collect();
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let pictures = files.filter(|path| path.extension().is_some_and(|ending| ending == "svg"));
    let kept: BTreeMap<_, _> = pictures
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    assert!(!drawn.is_empty());
    assert_eq!(drawn.keys().collect::<Vec<_>>(), kept.keys().collect::<Vec<_>>());
    for (name, text) in &drawn {
        assert!(kept[name] == *text, "{name} is old: run the example charts on docs/performance");
    }
    let page = fs::read_to_string(folder.join("machines.md")).unwrap();
    for name in drawn.keys() {
        assert!(page.contains(&format!("]({name})")), "machines.md does not show {name}");
    }
}
