//! The command line of `cargo verify`.

/// What the caller asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Names of the suites to run; empty for all.
    pub names: Vec<String>,
    /// List the suites instead of running them.
    pub list: bool,
    /// Run the long parts too.
    pub full: bool,
    /// Only report missing tools.
    pub no_install: bool,
    /// Fetch nothing.
    pub offline: bool,
    /// Run the remaining suites after one has failed.
    pub keep_going: bool,
    /// Show the usage.
    pub help: bool,
}

/// The usage text.
pub const USAGE: &str = "\
usage: cargo verify [NAME...] [--list] [--full] [--no-install] [--offline] [--keep-going]

Runs the suites, or those that are named, and closes with one line of counts.

  --list         name the suites, what each covers and what it needs
  --full         the long parts too; what passed at this commit is not run again
  --no-install   only report missing tools
  --offline      fetch nothing
  --keep-going   run the remaining suites after one has failed (always so when CI is set)

Each suite's output is in target/verify/NAME.log.";

/// Reads the words of the command line.
///
/// # Errors
/// When an option is not known.
pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    for word in words {
        match word.as_str() {
            "--" => {}
            "--list" => options.list = true,
            "--full" => options.full = true,
            "--no-install" => options.no_install = true,
            "--offline" => options.offline = true,
            "--keep-going" => options.keep_going = true,
            "--help" | "-h" => options.help = true,
            _ if word.starts_with('-') => return Err(format!("unknown option: {word}")),
            _ => options.names.push(word),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn names_and_options_mix() {
        let options = parse(words("rust --full java --keep-going")).expect("valid");
        assert_eq!(options.names, ["rust", "java"]);
        assert!(options.full && options.keep_going && !options.list);
    }

    #[test]
    fn an_unknown_option_is_refused() {
        assert_eq!(parse(words("--fast")), Err("unknown option: --fast".to_owned()));
    }
}
