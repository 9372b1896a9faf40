use super::*;

fn parse(given: &[(&str, &str)]) -> Options {
    Options::parse(given).expect("they are valid")
}

fn refused(given: &[(&str, &str)]) -> String {
    Options::parse(given).expect_err("they are not valid").to_string()
}

#[test]
fn the_8955_polls_inline_and_copies() {
    let options = parse(&[]);
    let timing = options.device.timing.expect("it has one");
    assert_eq!((options.device.name, timing.public_key.engines), ("8955", 30));
    assert_eq!((options.memory, options.delivery), (Memory::Copy, Delivery::Inline(Wait::Yield)));
    assert_eq!((options.rates, options.prepare, options.integrity), (Rates::default(), 0, true));
}

#[test]
fn values_of_the_model_are_for_all_services_or_for_one() {
    let given = [
        ("compression-depth", "5"),
        ("depth", "4"),
        ("engines", "2"),
        ("symmetric-byte-time", "0.25ns"),
        ("public-key-engines", "7"),
        ("request-time", "2us"),
        ("sharing", "0.5"),
        ("way-byte-time", "1ns"),
        ("distance", "remote"),
        ("remote-request-time", "3us"),
    ];
    let timing = parse(&given).device.timing.expect("it has one");
    let both = [timing.compression, timing.symmetric];
    assert_eq!(both.map(|engines| engines.depth), [5, 4]);
    assert_eq!(both.map(|engines| engines.engines), [2, 2]);
    assert_eq!(both.map(|engines| engines.request_time), [2000.0, 2000.0]);
    assert_eq!(both.map(|engines| engines.sharing), [0.5, 0.5]);
    assert_eq!(timing.symmetric.byte_time, 0.25);
    assert_eq!((timing.public_key.engines, timing.public_key.depth), (7, 4));
    assert_eq!(timing.way.byte_time, 1.0);
    assert_eq!(timing.remote.map(|remote| remote.request_time), Some(3000.0));
}

#[test]
fn deliveries() {
    assert_eq!(parse(&[("responses", "interrupt")]).delivery, Delivery::Interrupt);
    let thread = parse(&[("poller", "thread"), ("poll-interval", "20us")]);
    assert_eq!(thread.delivery, Delivery::Thread(Duration::from_micros(20)));
    let wait = parse(&[("wait", "50us")]).delivery;
    assert_eq!(wait, Delivery::Inline(Wait::Sleep(Duration::from_micros(50))));
    assert_eq!(parse(&[("wait", "spin")]).delivery, Delivery::Inline(Wait::Spin));
}

#[test]
fn faults_in_both_spellings() {
    let rates = Rates { full_ring: 0.1, reset: 0.001, ..Rates::default() };
    for value in ["full-ring:0.1,reset:0.001", "reset=0.001+full-ring=0.1"] {
        assert_eq!(parse(&[("faults", value)]).rates, rates);
    }
    assert_eq!(parse(&[("faults", "none")]).rates, Rates::default());
}

#[test]
fn bytes_with_units() {
    assert_eq!(parse(&[("prepare", "3M")]).prepare, 3 << 20);
    assert_eq!(parse(&[("prepare", "77")]).prepare, 77);
    assert_eq!(parse(&[("prepare", "off")]).prepare, 0);
}

#[test]
fn what_is_wrong_is_told_what_is_valid() {
    let start = "the emulated provider takes no ";
    for (name, value, valid) in [
        ("preset", "8970", "presets are 8955, 8955-remote, doorbell-100ns, instant"),
        ("ring", "100", "a ring has a power of two of descriptors, 2 to 32768"),
        ("ring", "1", "it is a number from 2 to 32768"),
        ("depth", "0", "it is a number from 1 to 64"),
        ("sharing", "-1", "it is a number from 0 to 100"),
        ("sharing", "NaN", "it is a number from 0 to 100"),
        ("memory", "map", "it is copy or gather"),
        ("integrity", "1", "it is on or off"),
        ("wait", "long", "wait is yield, spin, or a time to sleep such as 50us"),
        ("seed", "-1", "seed is a number from 0 to 2^64 - 1"),
        ("prepare", "0", "it is off, or a number of bytes from 1, such as 65536, 512M or 2G"),
        (
            "prepare",
            "99999999999G",
            "it is off, or a number of bytes from 1, such as 65536, 512M or 2G",
        ),
        ("doorbell", "100", "it is a time, at most an hour, such as 0.5ns, 100ns, 50us, 2ms or 1s"),
        (
            "doorbell",
            "2000000s",
            "it is a time, at most an hour, such as 0.5ns, 100ns, 50us, 2ms or 1s",
        ),
        ("faults", "reset:2", "it is a number from 0 to 1"),
        ("poll-interval", "1us", "it is for poller=thread"),
        ("remote-byte-time", "1ns", "it is for distance=remote or preset=8955-remote"),
    ] {
        assert_eq!(refused(&[(name, value)]), format!("{start}{name}={value}: {valid}"));
    }
    assert!(refused(&[("faults", "fire:0.1")]).ends_with("corrupted-output, reset, removal"));
    assert!(refused(&[("isa", "avx2")]).contains("its options are preset, ring"));
    assert!(refused(&[("compression-distance", "remote")]).contains("its options are preset"));
    assert!(refused(&[("seed", "1"), ("seed", "1")]).ends_with("an option is given once"));
}

#[test]
fn what_would_have_no_effect_is_refused() {
    let interrupt = ("responses", "interrupt");
    assert!(refused(&[interrupt, ("poller", "thread")]).contains("needs no poller"));
    assert!(refused(&[interrupt, ("wait", "spin")]).contains("it is for responses=polling"));
    assert!(refused(&[("preset", "instant"), ("depth", "2")]).contains("has no timing"));
    let unchecked = [("faults", "corrupted-output:0.1"), ("integrity", "off")];
    assert!(refused(&unchecked).contains("would be taken for right"));
}
