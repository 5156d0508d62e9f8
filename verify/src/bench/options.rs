//! The command line.

use super::row::{self, PEERS, PRESETS, Peer, ROWS, Row};

/// What a run measures and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// Paired rounds, each with fresh processes.
    pub rounds: usize,
    /// How often each cell is measured within a round, on the same process.
    pub passes: usize,
    /// Length of a measured window in seconds.
    pub seconds: u64,
    /// Warm-up in seconds at which a sample is given up because the compiler is still busy.
    pub warm_up_limit: u64,
    /// Rows that are measured.
    pub rows: Vec<Row>,
    /// Peers that are measured instead of each row's own.
    peers: Option<Vec<Peer>>,
    /// A smoke test: one short round whose figures mean nothing.
    pub quick: bool,
    /// Take the server as it was built before.
    pub no_build: bool,
    /// Only record where the time of each cell goes.
    pub profile: bool,
    /// Only measure how long a process takes to its first response.
    pub start: bool,
    /// Print rows and peers only.
    pub list: bool,
    /// Print the usage only.
    pub help: bool,
}

/// The text of `--help`.
pub const USAGE: &str = "\
usage: cargo bench-report [profile|start] [OPTION...]

  profile           record where the loop's time goes in each cell, instead of measuring
  start             measure processes from their start to the first response, instead of rows
  --rows A,B        measure these rows or presets only (optional rows only run when named)
  --peers A,B       measure these peers instead of each row's own
  --rounds N        paired rounds, each with fresh processes (5)
  --passes N        windows of each cell within a round, on the same process (1)
  --seconds N       length of a measured window (10)
  --warm-up N       give a sample up when the JIT compiler is still busy after N seconds (40)
  --connections N   keep-alive connections in place of the rows' own
  --quick           one short round: proves that the harness works, measures nothing
  --no-build        take the server as it was built before
  --list            print the names of presets, rows and peers
";

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// The argument that is unknown, lacks its value or has a wrong one, with what is allowed.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            rounds: 5,
            passes: 1,
            seconds: 10,
            warm_up_limit: 40,
            rows: ROWS.iter().copied().filter(|row| !row.optional).collect(),
            peers: None,
            quick: false,
            no_build: false,
            profile: false,
            start: false,
            list: false,
            help: false,
        };
        let mut connections = None;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "profile" => options.profile = true,
                "start" => options.start = true,
                "--rows" => options.rows = select(&expanded(value()?), ROWS, |row| row.name)?,
                "--peers" => options.peers = Some(select(value()?, PEERS, |peer| peer.name)?),
                "--rounds" => options.rounds = positive(argument, value()?)?,
                "--passes" => options.passes = positive(argument, value()?)?,
                "--seconds" => options.seconds = positive(argument, value()?)?,
                "--warm-up" => options.warm_up_limit = positive(argument, value()?)?,
                "--connections" => connections = Some(positive(argument, value()?)?),
                "--quick" => options.quick = true,
                "--no-build" => options.no_build = true,
                "--list" => options.list = true,
                "--help" | "-h" => options.help = true,
                _ => return Err(format!("unknown argument {argument}\n\n{USAGE}")),
            }
        }
        for row in &mut options.rows {
            row.connections = connections.unwrap_or(row.connections);
        }
        if options.quick {
            options.rounds = 1;
            options.passes = 1;
            options.seconds = 1;
            options.warm_up_limit = 2;
        }
        Ok(options)
    }

    /// The peers of a row.
    pub fn peers_of(&self, row: &Row) -> Vec<Peer> {
        let own = || row.peers.iter().filter_map(|name| row::peer(name)).collect();
        self.peers.clone().unwrap_or_else(own)
    }
}

/// The names with every preset replaced by its rows.
fn expanded(names: &str) -> String {
    let rows_of = |name| PRESETS.iter().find(|preset| preset.0 == name).map(|preset| preset.1.join(","));
    names.split(',').map(|name| rows_of(name).unwrap_or_else(|| name.to_owned())).collect::<Vec<_>>().join(",")
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
    fn a_preset_stands_for_its_rows() {
        let options = parse("--rows json-manual,plaintext-json-bbr,plaintext-hello-bbr").expect("valid");
        assert_eq!(options.rows.len(), 5);
        assert!(options.rows[1..].iter().all(|row| row.congestion == "bbr"));
    }

    #[test]
    fn peers_and_connections_of_the_command_line_take_the_place_of_the_rows_own() {
        let own = parse("--rows hello-manual-200").expect("valid");
        assert_eq!((own.rows[0].connections, own.peers_of(&own.rows[0]).len()), (200, 2));
        let named = parse("--rows hello-manual-200 --peers nio --connections 9").expect("valid");
        assert_eq!((named.rows[0].connections, named.peers_of(&named.rows[0])[0].name), (9, "nio"));
    }

    #[test]
    fn wrong_arguments_are_named_with_what_is_allowed() {
        assert!(parse("--rows nothing").expect_err("unknown").contains("hello-auto"));
        assert!(parse("--rounds 0").expect_err("zero").contains("--rounds 0"));
        assert!(parse("--rounds").expect_err("no value").contains("needs a value"));
        assert!(parse("--fast").expect_err("unknown").contains("usage"));
    }
}
