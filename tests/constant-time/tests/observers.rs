//! How the program is called, and that the tracer finds the leaks of the controls.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadloom-constant-time"));
    command.args(arguments).output().expect("the program runs")
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    for (arguments, says) in [
        (&[][..], "name an observer"),
        (&["strace"], "name an observer"),
        (&["emulator", "3"], "3 is no run"),
        (&["memcheck"], "run it under valgrind"),
        #[cfg(target_arch = "x86_64")]
        (&["trace", "--controls"], "--controls is not known"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_tracer_reports_every_control_and_nothing_else() {
    let output = run(&["trace", "--control"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let reported = text.lines().filter(|line| line.ends_with(": reported")).count();
    assert!(reported >= 6, "{text}");
    assert!(text.contains("control: no leak: not reported"), "{text}");
}
