//! Running suites one after another.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ferronet_packaging::console::{self, Step};
use ferronet_packaging::project::Project;
use ferronet_packaging::tools::{Missing, Toolbox};
use ferronet_packaging::{Result, run};

use crate::command_line::Options;
use crate::context::{Context, Session, end_commands_on_interrupt};
use crate::exceptions::{self, Exception};
use crate::report::{self, Finished};
use crate::results::Results;
use crate::resume::State;
use crate::suites::{SUITES, Share, Suite};

/// Carries out what the command line asks for; the last line of the output is the closing line.
///
/// # Errors
/// When a name is not known or the run cannot even begin.
pub fn run(options: &Options) -> Result<ExitCode> {
    if options.list {
        print!("{}", list(SUITES));
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = choose(SUITES, options)?;
    end_commands_on_interrupt()?;
    let project = Project::locate()?;
    let directory = project.target.join("verify");
    std::fs::create_dir_all(&directory)?;
    let names: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
    let exceptions = exceptions::read(&project.root.join("verify/exceptions.txt"), &names)?;
    let mut state = if options.full { State::open(&directory.join("full.json"), &project.root) } else { None };

    let missing = if options.no_install { Missing::Report } else { Missing::Install };
    let mut session = Session::new(project, Toolbox::new(missing), options.offline, options.full);
    let keep_going = options.keep_going || std::env::var_os("CI").is_some();
    let (finished, left) = run_all(&chosen, &mut session, &directory, &exceptions, state.as_mut(), keep_going)?;

    println!("\n{}", report::table(&finished, &left));
    print!("{}", report::recall(&finished));
    println!("{}", report::closing_line(&finished));
    Ok(if report::succeeded(&finished) && left.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the chosen suites; returns those that ended and the names of those that were not begun.
fn run_all<'a>(
    chosen: &[&'a Suite],
    session: &mut Session,
    directory: &Path,
    exceptions: &[Exception],
    mut state: Option<&mut State>,
    keep_going: bool,
) -> Result<(Vec<Finished>, Vec<&'a str>)> {
    let mut finished = Vec::new();
    for (index, suite) in chosen.iter().enumerate() {
        if let Some(results) = state.as_ref().and_then(|state| state.earlier(suite.name)) {
            console::note(&format!("   earlier  {}", suite.name));
            finished.push(Finished { name: suite.name, results, took: None });
            continue;
        }
        let step = Step::start(format!("{}: {}", suite.name, suite.covers));
        let started = Instant::now();
        let log = directory.join(format!("{}.log", suite.name));
        remove_earlier(&log)?;
        let results = run_one(suite, session, &log, exceptions);
        let failed = !results.failed.is_empty();
        step.end(if failed { "FAILED" } else { "passed" });
        if failed {
            console::note(report::failures(&results).trim_end());
            if let Ok(text) = std::fs::read(&log) {
                console::note(&run::tail(&String::from_utf8_lossy(&text)));
                console::note(&format!("    the whole log: {}", log.display()));
            }
        }
        if let Some(state) = state.as_mut() {
            state.keep(suite.name, &results)?;
        }
        finished.push(Finished { name: suite.name, results, took: Some(started.elapsed()) });
        if failed && !keep_going {
            return Ok((finished, chosen[index + 1..].iter().map(|suite| suite.name).collect()));
        }
    }
    Ok((finished, Vec::new()))
}

/// Removes the log of an earlier run, which would be taken for this one's when the suite does not begin.
fn remove_earlier(log: &Path) -> Result<()> {
    match std::fs::remove_file(log) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {error}", log.display()).into()),
        _ => Ok(()),
    }
}

/// Runs one suite; whatever goes wrong is a failed test of it.
fn run_one(suite: &Suite, session: &mut Session, log: &Path, exceptions: &[Exception]) -> Results {
    let mut results = Results::default();
    for tool in suite.required {
        if let Err(absence) = session.toolbox.require(*tool) {
            results.fail(format!("tool {}", tool.name()), absence);
        }
    }
    if !results.failed.is_empty() {
        return results;
    }
    for tool in suite.optional {
        if let Err(absence) = session.toolbox.require(*tool) {
            results.skip(format!("tests that need {}", tool.name()), absence);
        }
    }
    let tools_missing = !results.skipped.is_empty();
    let whole = suite.share == Share::Always || session.full;
    let outcome = Context::new(session, log.to_path_buf(), Duration::from_secs(60 * suite.minutes))
        .and_then(|mut context| (suite.run)(&mut context));
    match outcome {
        Ok(found) => results.merge(found),
        Err(error) => results.cut_short(suite.name, error.to_string()),
    }
    if results.ran() == 0 && !tools_missing {
        results.fail(suite.name, "no test was run");
    }
    let whole = whole && !results.cut_short;
    exceptions::apply(exceptions, suite.name, whole, &mut results);
    results
}

/// The suites that the command line asks for, in the order of the table.
fn choose<'a>(suites: &'a [Suite], options: &Options) -> Result<Vec<&'a Suite>> {
    if let Some(unknown) = options.names.iter().find(|name| !suites.iter().any(|suite| suite.name == **name)) {
        return Err(format!("there is no suite {unknown}; cargo verify --list names them").into());
    }
    let wanted = |suite: &&Suite| match options.names.is_empty() {
        false => options.names.iter().any(|name| name == suite.name),
        true => options.full || suite.share != Share::FullOnly,
    };
    Ok(suites.iter().filter(wanted).collect())
}

fn list(suites: &[Suite]) -> String {
    let width = suites.iter().map(|suite| suite.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for suite in suites {
        let tools: Vec<&str> = suite.required.iter().chain(suite.optional).map(|tool| tool.name()).collect();
        let tools = if tools.is_empty() { String::new() } else { format!("; needs {}", tools.join(", ")) };
        let share = match suite.share {
            Share::Always => "",
            Share::Part => ", more of it with --full",
            Share::FullOnly => ", only with --full",
        };
        text.push_str(&format!(
            "{:<width$}  {} (at most {} min{share}{tools})\n",
            suite.name, suite.covers, suite.minutes
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferronet_packaging::scratch::Scratch;

    fn passes(_: &mut Context<'_>) -> Result<Results> {
        let mut results = Results::default();
        results.pass("one");
        Ok(results)
    }

    fn fails(_: &mut Context<'_>) -> Result<Results> {
        let mut results = Results::default();
        results.pass("one");
        results.fail("two", "why");
        Ok(results)
    }

    fn empty(_: &mut Context<'_>) -> Result<Results> {
        Ok(Results::default())
    }

    fn breaks(_: &mut Context<'_>) -> Result<Results> {
        Err("the build failed".into())
    }

    const fn suite(name: &'static str, share: Share, run: crate::suites::Run) -> Suite {
        Suite { name, covers: "a test", minutes: 1, required: &[], optional: &[], share, run }
    }

    fn outcome(suites: &[Suite], keep_going: bool) -> (Vec<Finished>, Vec<String>) {
        let scratch = Scratch::new("runner");
        let project = Project::locate().expect("inside");
        let mut session = Session::new(project, Toolbox::new(Missing::Report), true, false);
        let chosen: Vec<&Suite> = suites.iter().collect();
        let (finished, left) =
            run_all(&chosen, &mut session, scratch.path(), &[], None, keep_going).expect("the logs are writable");
        (finished, left.into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn a_suite_without_a_test_fails() {
        let (finished, _) = outcome(&[suite("empty", Share::Always, empty)], true);
        assert_eq!(report::closing_line(&finished), "0 passed, 1 failed, 0 skipped");
        assert!(!report::succeeded(&finished));
    }

    #[test]
    fn a_failing_test_and_a_broken_suite_turn_the_exit_code() {
        for run in [fails as crate::suites::Run, breaks] {
            let (finished, _) =
                outcome(&[suite("good", Share::Always, passes), suite("bad", Share::Always, run)], true);
            assert!(!report::succeeded(&finished));
        }
        let (finished, _) = outcome(&[suite("good", Share::Always, passes)], true);
        assert!(report::succeeded(&finished));
        assert_eq!(report::closing_line(&finished), "1 passed, 0 failed, 0 skipped");
    }

    #[test]
    fn what_a_broken_suite_did_not_run_is_no_stale_exception() {
        let listed = |run| {
            let scratch = Scratch::new("runner-exceptions");
            let project = Project::locate().expect("inside");
            let mut session = Session::new(project, Toolbox::new(Missing::Report), true, false);
            let exceptions = [Exception {
                suite: "bad".to_owned(),
                test: "A.b".to_owned(),
                cause: "upstream".to_owned(),
                source: "an issue".to_owned(),
            }];
            run_one(&suite("bad", Share::Always, run), &mut session, &scratch.path().join("log"), &exceptions)
        };
        assert_eq!(listed(passes).failed[0].test, "A.b");
        assert_eq!(listed(breaks).failed.len(), 1, "the build");
    }

    #[test]
    fn the_first_failure_ends_the_run_unless_told_otherwise() {
        let suites = [suite("bad", Share::Always, fails), suite("good", Share::Always, passes)];
        let (finished, left) = outcome(&suites, false);
        assert_eq!((finished.len(), left), (1, vec!["good".to_owned()]));
        let (finished, left) = outcome(&suites, true);
        assert_eq!((finished.len(), left.len()), (2, 0));
    }

    #[test]
    fn an_earlier_log_does_not_outlive_the_start_of_its_suite() {
        let scratch = Scratch::new("earlier-log");
        let log = scratch.path().join("suite.log");
        std::fs::write(&log, "old").expect("written");
        remove_earlier(&log).expect("removable");
        assert!(!log.exists());
        remove_earlier(&log).expect("nothing to remove");
        assert!(remove_earlier(scratch.path()).is_err(), "a directory is no log");
    }

    #[test]
    fn long_suites_run_only_when_asked_for() {
        let suites = [suite("a", Share::Always, passes), suite("long", Share::FullOnly, passes)];
        let names = |options: &Options| -> Vec<&str> {
            choose(&suites, options).expect("known").iter().map(|suite| suite.name).collect()
        };
        assert_eq!(names(&Options::default()), ["a"]);
        assert_eq!(names(&Options { full: true, ..Options::default() }), ["a", "long"]);
        assert_eq!(names(&Options { names: vec!["long".to_owned()], ..Options::default() }), ["long"]);
        assert!(choose(&suites, &Options { names: vec!["none".to_owned()], ..Options::default() }).is_err());
    }
}
