//! The command line.

use super::row::{PEERS, Peer, ROWS, Row};

/// What a run measures and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// Paired rounds.
    pub rounds: usize,
    /// Length of a measured window in seconds.
    pub seconds: u64,
    /// Warm-up in seconds at which a sample is given up because the compiler is still busy.
    pub warm_up_limit: u64,
    /// Keep-alive connections.
    pub connections: usize,
    /// Rows that are measured.
    pub rows: Vec<Row>,
    /// Peers that are measured.
    pub peers: Vec<Peer>,
    /// A smoke test: one short round whose figures mean nothing.
    pub quick: bool,
    /// Take the server as it was built before.
    pub no_build: bool,
    /// Only record where the time of each cell goes.
    pub profile: bool,
    /// Print rows and peers only.
    pub list: bool,
    /// Print the usage only.
    pub help: bool,
}

/// The text of `--help`.
pub const USAGE: &str = "\
usage: cargo bench-report [profile] [OPTION...]

  profile           record where the loop's time goes in each cell, instead of measuring
  --rows A,B        measure these rows only (optional ones only run when named)
  --peers A,B       measure these peers only
  --rounds N        paired rounds (5)
  --seconds N       length of a measured window (10)
  --warm-up N       give a sample up when the JIT compiler is still busy after N seconds (40)
  --connections N   keep-alive connections (64)
  --quick           one short round: proves that the harness works, measures nothing
  --no-build        take the server as it was built before
  --list            print the names of rows and peers
";

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// The argument that is unknown, lacks its value or has a wrong one, with what is allowed.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            rounds: 5,
            seconds: 10,
            warm_up_limit: 40,
            connections: 64,
            rows: ROWS.iter().copied().filter(|row| !row.optional).collect(),
            peers: PEERS.to_vec(),
            quick: false,
            no_build: false,
            profile: false,
            list: false,
            help: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "profile" => options.profile = true,
                "--rows" => options.rows = select(value()?, ROWS, |row| row.name)?,
                "--peers" => options.peers = select(value()?, PEERS, |peer| peer.name)?,
                "--rounds" => options.rounds = positive(argument, value()?)?,
                "--seconds" => options.seconds = positive(argument, value()?)?,
                "--warm-up" => options.warm_up_limit = positive(argument, value()?)?,
                "--connections" => options.connections = positive(argument, value()?)?,
                "--quick" => options.quick = true,
                "--no-build" => options.no_build = true,
                "--list" => options.list = true,
                "--help" | "-h" => options.help = true,
                _ => return Err(format!("unknown argument {argument}\n\n{USAGE}")),
            }
        }
        if options.quick {
            options.rounds = 1;
            options.seconds = 1;
            options.warm_up_limit = 2;
        }
        Ok(options)
    }
}

fn positive<T: std::str::FromStr + Default + PartialOrd>(name: &str, text: &str) -> Result<T, String> {
    match text.parse() {
        Ok(number) if number > T::default() => Ok(number),
        _ => Err(format!("{name} {text}: a number above 0 is needed")),
    }
}

fn select<T: Copy>(names: &str, all: &[T], name_of: impl Fn(&T) -> &'static str) -> Result<Vec<T>, String> {
    names
        .split(',')
        .map(|name| {
            all.iter().copied().find(|item| name_of(item) == name).ok_or_else(|| {
                let known: Vec<_> = all.iter().map(&name_of).collect();
                format!("{name} is unknown; known are {}", known.join(", "))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn optional_rows_run_only_when_named() {
        assert!(parse("").expect("valid").rows.iter().all(|row| !row.optional));
        assert_eq!(parse("--rows json-auto-bbr").expect("valid").rows[0].congestion, "bbr");
    }

    #[test]
    fn wrong_arguments_are_named_with_what_is_allowed() {
        assert!(parse("--rows nothing").expect_err("unknown").contains("hello-auto"));
        assert!(parse("--rounds 0").expect_err("zero").contains("--rounds 0"));
        assert!(parse("--rounds").expect_err("no value").contains("needs a value"));
        assert!(parse("--fast").expect_err("unknown").contains("usage"));
    }
}
