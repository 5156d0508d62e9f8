//! Where the time of the event loop goes: `perf` on its thread, folded into a few categories.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use ferronet_packaging::console::Step;
use ferronet_packaging::{Result, run};

use super::load::load;
use super::measure::warm_up;
use super::options::Options;
use super::row::Row;
use super::server::Installed;
use super::system;

/// Categories and the words that put a kernel function into one; the first match counts.
const KERNEL: &[(&str, &[&str])] = &[
    ("uring / poll work", &["io_uring", "io_", "__io_", "ep_", "do_epoll", "eventfd", "poll_"]),
    ("syscall, fget", &["syscall", "entry_", "fget", "fput", "fdget", "__fdget"]),
    ("copy", &["copy_", "_copy", "rep_movs"]),
];

/// The same for functions outside the kernel, by symbol and library.
const USER: &[(&str, &[&str])] = &[
    ("server", &["io.ferronet.bench"]),
    ("http codec", &["handler.codec", "io.netty.util.AsciiString"]),
    ("outbound buffer", &["ChannelOutboundBuffer"]),
    ("buffers", &["io.netty.buffer", "io.netty.util.Recycler", "ReferenceCount", "ResourceLeak"]),
    (
        "transport",
        &[
            "io.ferronet.netty",
            "io.ferronet.ffm",
            "ferronet",
            "channel.epoll",
            "channel.uring",
            "channel.nio",
            "channel.unix",
            "sun.nio.ch",
            "libnetty_transport",
            "libnio",
            "libnet",
        ],
    ),
    ("pipeline", &["io.netty.channel"]),
];

const HOTTEST: usize = 12;

/// Profiles every cell that the options name and prints the shares.
///
/// # Errors
/// When a server does not start, or `perf` cannot be run.
pub fn profile(installed: &Installed, options: &Options, directory: &Path) -> Result<()> {
    for row in &options.rows {
        println!("\n### {}: share of the loop thread's samples in %\n", row.name);
        for peer in &options.peers_of(row) {
            let step = Step::start(format!("profile {} {}", row.name, peer.name));
            let server = installed.start(row, peer)?;
            warm_up(&server, options, row)?;
            system::pin(server.pid(), system::SERVER_CPU)?;
            let thread = system::tasks(server.pid())?
                .into_iter()
                .find_map(|(task, name)| name.starts_with("bench-loop").then_some(task))
                .ok_or("the server has no loop thread")?;
            let data = directory.join(format!("{}-{}.perf", row.name, peer.name));
            record(options, server.port, row, thread, &data)?;
            run::output(
                Command::new(installed.jdk_program("jcmd")).args([&server.pid().to_string(), "Compiler.perfmap"]),
            )?;
            let script = run::output(
                Command::new("perf").args(["script", "-F", "ip,sym,dso", "-i"]).arg(&data).env("LC_ALL", "C"),
            )?;
            std::fs::write(data.with_extension("stacks"), &script)?;
            let _ = std::fs::remove_file(format!("/tmp/perf-{}.map", server.pid()));
            step.end("done");
            println!("{:14} {}", peer.name, shares(&script));
            println!("{:14} hottest: {}", "", hottest(&script));
        }
    }
    Ok(())
}

fn record(options: &Options, port: u16, row: &Row, thread: i32, data: &Path) -> Result<()> {
    let mut command = Command::new("perf");
    command.args(["record", "-q", "-F", "499", "-g", "--tid", &thread.to_string(), "-o"]).arg(data).args([
        "--",
        "sleep",
        &options.seconds.to_string(),
    ]);
    let (tls, path, connections) = (row.tls, row.route.path, row.connections);
    std::thread::scope(|scope| {
        let loading = scope.spawn(move || load(tls, port, path, connections, options.seconds + 1));
        run::output(&mut command)?;
        loading.join().map_err(|_| "the load generator's thread failed")??;
        Ok(())
    })
}

fn shares(script: &str) -> String {
    counted(leaves(script).map(category), usize::MAX)
}

/// The functions in which most samples were taken.
fn hottest(script: &str) -> String {
    counted(leaves(script).map(|leaf| leaf.split('(').next().unwrap_or(leaf).trim()), HOTTEST)
}

/// Shares of equal names in percent, the largest first.
fn counted<'a>(names: impl Iterator<Item = &'a str>, most: usize) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut total = 0;
    for name in names {
        *counts.entry(name).or_default() += 1;
        total += 1;
    }
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shown = |(name, count): (&str, usize)| format!("{name} {:.1}", 100.0 * count as f64 / total as f64);
    sorted.into_iter().take(most).map(shown).collect::<Vec<_>>().join(", ")
}

/// The innermost frame of each stack, as `symbol (library)`.
fn leaves(script: &str) -> impl Iterator<Item = &str> {
    script.split("\n\n").filter_map(|stack| stack.lines().find(|line| !line.trim().is_empty())).map(|line| {
        let line = line.trim();
        line.split_once(' ').map_or(line, |(_, symbol)| symbol)
    })
}

fn category(leaf: &str) -> &'static str {
    let (table, rest) =
        if leaf.contains("([kernel") { (KERNEL, "kernel: TCP and rest") } else { (USER, "rest of user") };
    let symbol = leaf.trim_end_matches(" ([kernel.kallsyms])");
    let matches =
        |word: &&str| if rest.starts_with("kernel") { symbol.starts_with(*word) } else { leaf.contains(*word) };
    table.iter().find(|(_, words)| words.iter().any(matches)).map_or(rest, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_fall_into_their_categories() {
        assert_eq!(category("tcp_sendmsg_locked ([kernel.kallsyms])"), "kernel: TCP and rest");
        assert_eq!(category("io_submit_sqes ([kernel.kallsyms])"), "uring / poll work");
        assert_eq!(category("entry_SYSCALL_64_after_hwframe ([kernel.kallsyms])"), "syscall, fget");
        assert_eq!(category("boolean io.netty.handler.codec.http.HttpObjectDecoder.x (/tmp/perf-1.map)"), "http codec");
        assert_eq!(
            category("void io.netty.channel.ChannelOutboundBuffer.addFlush() (/tmp/perf-1.map)"),
            "outbound buffer"
        );
        assert_eq!(category("void io.netty.channel.epoll.Native.x (/tmp/perf-1.map)"), "transport");
        assert_eq!(category("void io.netty.channel.DefaultChannelPipeline.x (/tmp/perf-1.map)"), "pipeline");
        assert_eq!(category("[unknown] (/tmp/libferronet.so)"), "transport");
        assert_eq!(category("Interpreter (/tmp/perf-1.map)"), "rest of user");
    }

    #[test]
    fn the_leaf_of_each_stack_is_counted() {
        let script = "\n  1 tcp_a ([kernel.kallsyms])\n  2 main (java)\n\n  3 io_b ([kernel.kallsyms])\n\n";
        assert_eq!(shares(script), "kernel: TCP and rest 50.0, uring / poll work 50.0");
        assert_eq!(hottest(script), "io_b 50.0, tcp_a 50.0");
    }
}
