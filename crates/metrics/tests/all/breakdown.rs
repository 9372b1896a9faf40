//! Work, broken down by each dimension.

use broadloom_metrics::breakdown::{Dimension, Filter, breakdown};
use broadloom_metrics::change::{Change, Work};

use crate::sample;

fn change() -> Change {
    Change::between(&sample::at(10.0), &sample::at(11.0)).unwrap()
}

#[test]
fn rows_add_up_to_the_whole() {
    let change = change();
    let whole = change.work(&[]);
    for dimension in Dimension::ALL {
        let rows = breakdown(&change, dimension, &[]);
        assert!(!rows.is_empty(), "{dimension}");
        let sum = |of: fn(&Work) -> u64| rows.iter().map(|row| of(&row.work)).sum::<u64>();
        assert_eq!(sum(|work| work.operations), whole.operations, "{dimension}");
        assert_eq!(sum(|work| work.bytes), whole.bytes, "{dimension}");
        assert_eq!(sum(|work| work.errors), whole.errors, "{dimension}");
        // A row can be broken down again by each other dimension.
        for inner in Dimension::ALL {
            for row in &rows {
                let inside = [Filter::new(dimension, row.value.clone())];
                let parts = breakdown(&change, inner, &inside);
                let operations = parts.iter().map(|part| part.work.operations).sum::<u64>();
                assert_eq!(operations, row.work.operations, "{dimension} {inner}");
            }
        }
    }
}

#[test]
fn sizes_are_in_order_of_length() {
    let rows = breakdown(&change(), Dimension::Size, &[]);
    let values: Vec<_> = rows.iter().map(|row| row.value.as_str()).collect();
    assert_eq!(values, ["64", "1K", "1M", ">1M"]);
}

#[test]
fn names_are_read_back_and_wrong_ones_are_told_the_right_ones() {
    for dimension in Dimension::ALL {
        assert_eq!(dimension.name().parse(), Ok(dimension));
    }
    let error = "colour".parse::<Dimension>().unwrap_err();
    assert!(error.contains("algorithm, direction, provider"), "{error}");
    assert_eq!("size=1K".parse(), Ok(Filter::new(Dimension::Size, "1K")));
    assert_eq!("label=a=b".parse(), Ok(Filter::new(Dimension::Label, "a=b")));
    assert!("size".parse::<Filter>().unwrap_err().contains("KEY=VALUE"));
}
