//! What happened between two snapshots.

use broadloom_metrics::breakdown::{Dimension, Filter};
use broadloom_metrics::change::{Change, Unrelated};

use crate::sample;

#[test]
fn rates_are_differences_by_seconds() {
    let change = Change::between(&sample::at(10.0), &sample::at(12.0)).unwrap();
    assert_eq!(change.seconds, 2.0);
    let work = change.work(&[]);
    let (one, two) = (sample::work_at(10.0), sample::work_at(12.0));
    assert_eq!(work.operations, two.operations - one.operations);
    assert_eq!(work.bytes, two.bytes - one.bytes);
    assert_eq!(change.per_second(work.operations), work.operations as f64 / 2.0);
    assert_eq!(Change::default().per_second(7), 0.0, "no time has passed");
    let flow = change.flow(&[]);
    assert!(flow.occupancy().is_some_and(|share| share > 0.0 && share <= 1.0));
    assert!(flow.wait_seconds.count > 0 && flow.batches > 0);
    assert_eq!(Change::between(&sample::at(3.0), &sample::at(3.0)).unwrap().work(&[]).bytes, 0);
    let whole = Change::since_start(&sample::at(12.0));
    assert_eq!((whole.work(&[]), whole.seconds), (two, 12.0));
}

#[test]
fn an_ended_queue_is_not_counted_twice() {
    let before = sample::at(10.0);
    let mut after = sample::at(11.0);
    sample::end_queue(&mut after, "worker-1");
    let change = Change::between(&before, &after).unwrap();
    let still = Change::between(&before, &sample::at(11.0)).unwrap();
    assert_eq!(change.work(&[]), still.work(&[]));
    let (flow, whole) = (change.flow(&[]), still.flow(&[]));
    assert_eq!(flow.lanes_used, whole.lanes_used);
    assert_eq!(flow.wait_seconds, whole.wait_seconds);
    assert_eq!(flow.batches, whole.batches);
    assert_eq!(flow.queues + 1, whole.queues, "an ended queue exists no more");
}

#[test]
fn filters_choose_series_and_the_queues_that_have_them() {
    let change = Change::between(&sample::at(10.0), &sample::at(11.0)).unwrap();
    let gcm = [Filter::new(Dimension::Algorithm, "aes-128-gcm")];
    let work = change.work(&gcm);
    let rows = change.series.iter().filter(|series| series.key.algorithm == "aes-128-gcm");
    assert_eq!(work.operations, rows.map(|series| series.operations).sum::<u64>());
    assert!(work.operations > 0 && work.operations < change.work(&[]).operations);
    assert_eq!(change.flow(&gcm).queues, 2, "worker-0 and worker-1 do these operations");
    let core = [Filter::new(Dimension::Core, "1")];
    assert_eq!(change.flow(&core).queues, 1);
    let none = [Filter::new(Dimension::Label, "no such label")];
    assert_eq!((change.work(&none), change.flow(&none)), Default::default());
}

#[test]
fn idle_series_and_queues_can_be_dropped() {
    let mut change = Change::between(&sample::at(10.0), &sample::at(11.0)).unwrap();
    let work = change.work(&[]);
    let before = change.series.len();
    let mut idle = change.series[0].clone();
    (idle.operations, idle.bytes) = (0, 0);
    (idle.errors, idle.fallbacks) = Default::default();
    change.series.push(idle);
    change.retain_active();
    assert_eq!((change.series.len(), change.work(&[])), (before, work));
}

#[test]
fn snapshots_of_two_runs_are_not_compared() {
    let (before, mut after) = (sample::at(10.0), sample::at(11.0));
    after.pid = 7;
    let error = Change::between(&before, &after).unwrap_err();
    assert_eq!(error, Unrelated::Process(before.pid, 7));
    assert!(error.to_string().contains("process 7 answers"), "{error}");
    let error = Change::between(&sample::at(11.0), &sample::at(10.0)).unwrap_err();
    assert_eq!(error, Unrelated::Restarted);
}
