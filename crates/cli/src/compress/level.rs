//! The level on a command line: `-0` to `-9`, `--fast`, `--best`, `--level N`. The last one counts.

use broadloom_cli::number::level;
use clap::error::Error;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// The level where none is asked for: gzip's.
const DEFAULT: u8 = 6;

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
    /// The level.
    pub number: u8,
}

impl Args for Level {
    fn augment_args(command: Command) -> Command {
        let flag = |name: &'static str, level: u8| {
            let arg = Arg::new(name).action(ArgAction::SetTrue).overrides_with(name);
            match (name.parse::<char>(), level) {
                (Ok(digit), 1) => arg.short(digit).help("Compress faster: -1 to -9"),
                (Ok(digit), 9) => arg.short(digit).help("Compress better [default: -6]"),
                (Ok(digit), _) => arg.short(digit).hide(true),
                (Err(_), _) => arg.long(name).help(format!("Compress as -{level} does")),
            }
        };
        let option = Arg::new(OPTION)
            .long(OPTION)
            .value_name("N")
            .value_parser(level)
            .overrides_with(OPTION)
            .help("Compress at level N: isal has 0 to 3, zlib 0 to 9, libdeflate 0 to 12");
        command.args(FLAGS.map(|(name, level)| flag(name, level))).arg(option)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Level::augment_args(command)
    }
}

impl FromArgMatches for Level {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let asked = FLAGS.into_iter().filter_map(|(name, level)| Some((last(matches, name)?, level)));
        let number =
            last(matches, OPTION).and_then(|index| Some((index, *matches.get_one::<u8>(OPTION)?)));
        let level = asked.chain(number).max().map(|(_, level)| level);
        Ok(Level { number: level.unwrap_or(DEFAULT) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Level::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Where on the command line an option was given, the last time.
fn last(matches: &ArgMatches, name: &str) -> Option<usize> {
    let given = matches.value_source(name) == Some(ValueSource::CommandLine);
    given.then(|| matches.indices_of(name)?.next_back()).flatten()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        level: Level,
        #[arg(short)]
        keep: bool,
    }

    fn parsed(line: &str) -> Level {
        Line::try_parse_from(std::iter::once("x").chain(line.split_whitespace())).expect(line).level
    }

    #[test]
    fn the_last_level_counts() {
        for (line, number) in [
            ("-1", 1),
            ("-9k", 9),
            ("-k0", 0),
            ("-19", 9),
            ("-91", 1),
            ("-9 -1 -9", 9),
            ("-9 --level 12", 12),
            ("--level 12 -k3", 3),
            ("--level=4 --level=5", 5),
            ("--best --fast", 1),
            ("-2 --best", 9),
        ] {
            assert_eq!(parsed(line), Level { number }, "{line}");
        }
        assert_eq!(parsed("-k"), Level { number: 6 });
    }
}
