//! The benchmark harness behind `cargo bench-report`.
//!
//! Every round has fresh server processes on one CPU, loaded from another: by `wrk` in a closed loop, by our own generator
//! at a fixed rate. The peers of a row take turns in a rotated order; ratios compare samples of the same pass of the same
//! round. A pair of equal peers shows how far two samples of the same thing lie apart.

mod floor;
mod http;
mod load;
mod measure;
mod options;
mod profile;
mod report;
mod rounds;
mod row;
mod sample;
mod server;
mod start;
mod system;

use std::fs;
use std::process::{Command, ExitCode};
use std::time::{SystemTime, UNIX_EPOCH};

use ferronet_packaging::console;
use ferronet_packaging::java::Maven;
use ferronet_packaging::project::Project;
use ferronet_packaging::tools::{Missing, Tool, Toolbox};
use ferronet_packaging::{Result, run as programs, stage};
use serde_json::{Value, json};

use crate::network;
use options::Options;
use rounds::Run;
use row::{PEERS, PRESETS, ROWS};
use server::Installed;

/// Runs the harness; the arguments are those of `cargo bench-report`.
pub fn run(arguments: Vec<String>) -> ExitCode {
    let options = match Options::parse(&arguments) {
        Ok(options) => options,
        Err(error) => {
            console::note(&error);
            return ExitCode::FAILURE;
        }
    };
    match carry_out(&options, &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::note(&format!("bench-report: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn carry_out(options: &Options, arguments: &[String]) -> Result<()> {
    if options.help {
        print!("{}", options::USAGE);
        return Ok(());
    }
    if options.list {
        for (name, rows) in PRESETS {
            println!("preset {name}: {}", rows.join(","));
        }
        for row in ROWS {
            println!("row  {}{}", row.name, if row.optional { " (optional)" } else { "" });
        }
        for peer in PEERS {
            println!("peer {}", peer.name);
        }
        return Ok(());
    }
    if system::cpus() < 2 {
        return Err("a run needs two CPUs: one for the event loop, one for the load generator".into());
    }
    let project = Project::locate()?;
    let directory = project.target.join("bench");
    fs::create_dir_all(&directory)?;
    let mut toolbox = Toolbox::new(Missing::Report);
    toolbox.require(Tool::Wrk)?;
    let maven = Maven::find(&mut toolbox, false)?;
    let installed = if options.no_build {
        Installed::found(&project, maven.jdk.clone())
    } else {
        let staged = stage::stage(&project, &mut toolbox, stage::Options { offline: false })?;
        floor::build(&project, &toolbox.require(Tool::Cc)?, &staged.root)?;
        Installed::build(&project, &maven, &directory.join("build.log"))?
    };
    // On loopback the client's half runs on the server's CPU, too. In a network of our own its congestion control can be
    // set without changing the machine.
    if !network::enter()? {
        return Err("a run needs the right to a network of its own (root, or CAP_SYS_ADMIN)".into());
    }
    if options.profile {
        return profile::profile(&installed, options, &directory);
    }
    if options.start {
        let text =
            start::start(&installed, options.rounds, &directory, &project.root.join("verify/contract/fixtures"))?;
        fs::write(directory.join("start.md"), &text)?;
        println!("{text}");
        return Ok(());
    }
    let name = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs().to_string();
    let raw = directory.join(format!("{name}.jsonl"));
    let samples = Run::new(&installed, options, &raw, &header(&project, arguments))?.samples()?;
    let mut text = report::markdown(&samples, options)?;
    if options.quick {
        text.insert_str(0, "Smoke test: the figures below mean nothing.\n");
    }
    let table = directory.join(format!("{name}.md"));
    fs::write(&table, &text)?;
    println!("{text}");
    console::note(&format!("raw samples: {}, table: {}", raw.display(), table.display()));
    Ok(())
}

fn header(project: &Project, arguments: &[String]) -> Value {
    let (kernel, cpu) = system::machine();
    let commit = programs::output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(&project.root));
    json!({
        "kind": "run",
        "arguments": arguments,
        "commit": commit.unwrap_or_default().trim(),
        "kernel": kernel,
        "cpu": cpu,
        "cpus": system::cpus(),
        "generators": {"closed loop": "wrk, one thread", "fixed rate": "ferronet-bench-load"},
        "server_cpu": system::SERVER_CPU,
        "client_cpu": system::CLIENT_CPU,
    })
}
