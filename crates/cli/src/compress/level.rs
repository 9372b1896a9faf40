//! The level on a command line: `-0` to `-19`, `--fast`, `--best`, `--level N`. The last one
//! counts.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use broadloom_program::number::{level, number};
use clap::error::Error;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// The level of DEFLATE where none is asked for: gzip's.
const DEFAULT: u8 = 6;

/// The highest level of all formats: zstd's.
const MOST: u8 = 19;

/// Names of the flags, and their levels.
const FLAGS: [(&str, u8); 12] = [
    ("0", 0),
    ("1", 1),
    ("2", 2),
    ("3", 3),
    ("4", 4),
    ("5", 5),
    ("6", 6),
    ("7", 7),
    ("8", 8),
    ("9", 9),
    ("fast", 1),
    ("best", 9),
];

/// The option with a number.
const OPTION: &str = "level";

/// The level that a command line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// The level, if one was asked for.
    pub asked: Option<u8>,
}

impl Level {
    /// The level of DEFLATE.
    pub fn of_deflate(self) -> u8 {
        self.asked.unwrap_or(DEFAULT)
    }

    /// Refuses a level that no provider of DEFLATE has.
    ///
    /// # Errors
    /// What would be right, in words.
    pub fn check_deflate(self) -> Result<(), String> {
        let Some(asked) = self.asked else { return Ok(()) };
        level(&asked.to_string())
            .map(drop)
            .map_err(|valid| format!("level {asked} is of use for --format zstd only: {valid}"))
    }
}

/// Reads a level of any format.
fn any_level(text: &str) -> Result<u8, String> {
    match number::<u8>("", 0..=MOST.into())(text) {
        Ok(level) => Ok(level),
        Err(_) => level(text).map_err(|valid| format!("{valid}; --format zstd has 1 to {MOST}")),
    }
}

impl Args for Level {
    fn augment_args(command: Command) -> Command {
        let flag = |name: &'static str, level: u8| {
            let arg = Arg::new(name).action(ArgAction::SetTrue).overrides_with(name);
            match (name.parse::<char>(), level) {
                (Ok(digit), 1) => arg.short(digit).help("Compress faster: -1 to -9"),
                (Ok(digit), 9) => arg.short(digit).help(
                    "Compress better, up to -12 with libdeflate, -19 with zstd [default: -6]",
                ),
                (Ok(digit), _) => arg.short(digit).hide(true),
                (Err(_), _) => arg.long(name).help(format!("Compress as -{level} does")),
            }
        };
        let option = Arg::new(OPTION)
            .long(OPTION)
            .value_name("N")
            .value_parser(any_level)
            .overrides_with(OPTION)
            .help(
                "Compress at level N, as -N does: isal has 0 to 3, zlib 0 to 9, libdeflate 0 to \
                 12, --format zstd 1 to 19 [default: 3]; --format lz4 has no other than 1",
            );
        command.args(FLAGS.map(|(name, level)| flag(name, level))).arg(option)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Level::augment_args(command)
    }
}

impl FromArgMatches for Level {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let asked =
            FLAGS.into_iter().filter_map(|(name, level)| Some((last(matches, name)?, level)));
        let number =
            last(matches, OPTION).and_then(|index| Some((index, *matches.get_one::<u8>(OPTION)?)));
        Ok(Level { asked: asked.chain(number).max().map(|(_, level)| level) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Level::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The commands whose levels are written as `-9`.
const COMMANDS: [&str; 2] = ["compress", "decompress"];

/// The arguments of `program`, where several digits after a dash (`-12`, `-k11`) became
/// `--level=N`. The parser of the command line knows single digits only, to which `-12` is `-1 -2`.
pub fn numbers_spelled_out(args: Vec<OsString>, program: &Command) -> Vec<OsString> {
    let name = args.get(1).and_then(|name| name.to_str());
    let command = name.filter(|name| COMMANDS.contains(name));
    let Some(command) = command.and_then(|name| program.find_subcommand(name)) else {
        return args;
    };
    let takes_value = |letter: u8| {
        let option = command.get_arguments().find(|arg| arg.get_short() == Some(letter.into()));
        option.is_some_and(|arg| arg.get_action().takes_values())
    };
    let mut options = true;
    let spelled_out = args.into_iter().flat_map(|arg| {
        options &= arg != "--";
        let cluster = arg.as_bytes().strip_prefix(b"-").filter(|rest| !rest.starts_with(b"-"));
        match cluster.filter(|_| options) {
            Some(cluster) => pieces(cluster, takes_value).unwrap_or_else(|| vec![arg]),
            None => vec![arg],
        }
    });
    spelled_out.collect()
}

/// The options of a cluster such as `k11c`, if it has a number of more than one digit.
fn pieces(cluster: &[u8], takes_value: impl Fn(u8) -> bool) -> Option<Vec<OsString>> {
    let value = cluster.iter().position(|&letter| takes_value(letter));
    let (flags, rest) = cluster.split_at(value.unwrap_or(cluster.len()));
    let runs: Vec<&[u8]> =
        flags.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()).collect();
    let is_number = |run: &[u8]| run.len() > 1 && run[0].is_ascii_digit();
    if !runs.iter().any(|run| is_number(run)) {
        return None;
    }
    let option = |run: &[u8]| {
        let start: &[u8] = if is_number(run) { b"--level=" } else { b"-" };
        OsString::from_vec([start, run].concat())
    };
    let rest = Some(rest).filter(|rest| !rest.is_empty());
    Some(runs.into_iter().chain(rest).map(option).collect())
}

/// Returns the place on the command line at which an option was given the last time.
fn last(matches: &ArgMatches, name: &str) -> Option<usize> {
    let given = matches.value_source(name) == Some(ValueSource::CommandLine);
    given.then(|| matches.indices_of(name)?.next_back()).flatten()
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        level: Level,
        #[arg(short)]
        keep: bool,
        #[arg(short)]
        p: Option<u32>,
        files: Vec<String>,
    }

    fn try_parsed(line: &str) -> Result<Level, String> {
        let program = Command::new("broadloom").subcommand(Line::command().name("compress"));
        let words = ["broadloom", "compress"].into_iter().chain(line.split_whitespace());
        let mut args = numbers_spelled_out(words.map(OsString::from).collect(), &program);
        args.remove(0);
        let line = Line::try_parse_from(args).map_err(|error| error.to_string())?;
        Ok(line.level)
    }

    fn parsed(line: &str) -> Level {
        try_parsed(line).expect(line)
    }

    #[test]
    fn the_last_level_counts() {
        for (line, number) in [
            ("-1", 1),
            ("-9k", 9),
            ("-k0", 0),
            ("-12", 12),
            ("-k11", 11),
            ("-10k -9", 9),
            ("-9 -12p7", 12),
            ("-012", 12),
            ("-9 -1 -9", 9),
            ("-9 --level 12", 12),
            ("--level 12 -k3", 3),
            ("--level=4 --level=5", 5),
            ("--best --fast", 1),
            ("-2 --best", 9),
        ] {
            assert_eq!(parsed(line), Level { asked: Some(number) }, "{line}");
        }
        assert_eq!((parsed("-k"), parsed("-k").of_deflate()), (Level { asked: None }, 6));
    }

    #[test]
    fn several_digits_are_one_number() {
        for (line, value) in [("-20", "20"), ("-91", "91"), ("-k23", "23"), ("-111", "111")] {
            let error = try_parsed(line).expect_err(line);
            assert!(error.contains(&format!("'{value}'")), "{line}: {error}");
            assert!(error.contains("a level is 0 to 12"), "{line}: {error}");
            assert!(error.contains("--format zstd has 1 to 19"), "{line}: {error}");
        }
        // Others than zstd refuse these later.
        for (line, number) in [("-19", 19), ("-k13", 13)] {
            let level = parsed(line);
            assert_eq!(level, Level { asked: Some(number) }, "{line}");
            let error = level.check_deflate().expect_err(line);
            assert!(error.starts_with(&format!("level {number} is of use for --format zstd only")));
        }
        assert_eq!(parsed("-12").check_deflate(), Ok(()));
        // Neither the value of an option nor a file is a level.
        for (line, number) in [("-p12", 6), ("-kp12", 6), ("-3 -- -12", 3), ("-3 x-12", 3)] {
            assert_eq!(parsed(line).of_deflate(), number, "{line}");
        }
        assert!(try_parsed("-p 12 -1x").is_err());
    }
}
