//! From the start of a process to its first response over TLS, against epoll with tcnative.
//!
//! The peers take turns, and a pair of equal ones shows how far two starts of the same thing lie apart. Each is measured as it
//! is, and with an AOT cache of the JDK that an earlier start of the same program has filled.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ferronet_bench_load::tls::Client;
use ferronet_packaging::Result;

use super::server::Installed;

/// What a user has: a heap, and the right to call native code.
const JVM_FLAGS: [&str; 5] = [
    "-Xms256m",
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
];
const PROGRAM: &str = "io.ferronet.bench.StartUp";
const END: Duration = Duration::from_secs(60);

/// Name in the table, and the program's first argument; the first one is what the others are compared with.
const PEERS: [(&str, &str); 3] = [("tcnative", "tcnative"), ("tcnative-again", "tcnative"), ("ferronet", "ferronet")];

/// One start.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Milliseconds from the start of the process to the first response.
    response: f64,
    /// Milliseconds of CPU that the process took until then, on all its threads.
    cpu: f64,
    /// Milliseconds in which the native libraries were found, loaded and bound.
    library: f64,
}

/// Measures `rounds` starts of each peer, each way, and returns the table.
///
/// # Errors
/// When a server does not start or does not answer.
pub fn start(installed: &Installed, rounds: usize, directory: &Path, fixtures: &Path) -> Result<String> {
    let mut text = String::from(
        "| Start | Peer | First response, ms | Ratio to tcnative | CPU, ms | Ratio to tcnative | Loading, ms |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for cached in [false, true] {
        let caches: Vec<Option<PathBuf>> = PEERS
            .iter()
            .map(
                |(name, peer)| {
                    if cached { train(installed, name, peer, directory, fixtures).map(Some) } else { Ok(None) }
                },
            )
            .collect::<Result<_>>()?;
        let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); PEERS.len()];
        for round in 0..=rounds {
            for turn in 0..PEERS.len() {
                let index = (turn + round) % PEERS.len();
                let sample = measure(installed, PEERS[index].1, caches[index].as_deref(), fixtures)?;
                // The first round brings the files into memory.
                if round > 0 {
                    samples[index].push(sample);
                }
            }
        }
        for (index, (name, _)) in PEERS.iter().enumerate() {
            let of = |value: fn(&Sample) -> f64| median(samples[index].iter().map(value).collect()).1;
            let ratio = |value: fn(&Sample) -> f64| {
                let pairs = samples[index].iter().zip(&samples[0]);
                let (least, middle, most) = median(pairs.map(|(own, base)| value(own) / value(base)).collect());
                format!("{middle:.3} ({least:.2}..{most:.2})")
            };
            text.push_str(&format!(
                "| {} | {name} | {:.0} | {} | {:.0} | {} | {:.0} |\n",
                if cached { "AOT cache" } else { "plain" },
                of(|sample| sample.response),
                ratio(|sample| sample.response),
                of(|sample| sample.cpu),
                ratio(|sample| sample.cpu),
                of(|sample| sample.library),
            ));
        }
    }
    Ok(text)
}

/// Smallest, middle and largest.
fn median(mut values: Vec<f64>) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    match (values.first(), values.get(values.len() / 2), values.last()) {
        (Some(least), Some(middle), Some(most)) => (*least, *middle, *most),
        _ => (f64::NAN, f64::NAN, f64::NAN),
    }
}

fn java(installed: &Installed, peer: &str, flags: &[String], fixtures: &Path) -> Result<(Instant, Started)> {
    let mut command = Command::new(installed.jdk_program("java"));
    command.args(JVM_FLAGS).args(flags).arg("-cp").arg(installed.class_path()?).args([PROGRAM, peer]);
    command.arg(fixtures.join("server.pem")).arg(fixtures.join("server.key")).arg("once");
    let begin = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut started = Started { child, port: 0, library: 0.0 };
    let output = started.child.stdout.take().ok_or("the server has no output")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        let value = |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key));
        if let (Some(port), Some(library)) = (value("port="), value("library_us=")) {
            started.port = port.parse()?;
            started.library = library.parse::<f64>()? / 1000.0;
            return Ok((begin, started));
        }
    }
    Err(format!("{PROGRAM} {peer} did not start; its error output says why").into())
}

fn measure(installed: &Installed, peer: &str, cache: Option<&Path>, fixtures: &Path) -> Result<Sample> {
    let flags: Vec<String> = cache.map(|file| format!("-XX:AOTCache={}", file.display())).into_iter().collect();
    let (begin, mut started) = java(installed, peer, &flags, fixtures)?;
    started.answer()?;
    let response = begin.elapsed().as_secs_f64() * 1000.0;
    Ok(Sample { response, cpu: started.cpu()?, library: started.library })
}

/// Fills an AOT cache by a start with one request.
fn train(installed: &Installed, name: &str, peer: &str, directory: &Path, fixtures: &Path) -> Result<PathBuf> {
    let cache = directory.join(format!("start-{name}.aot"));
    let flags = [format!("-XX:AOTCacheOutput={}", cache.display())];
    let (_, mut started) = java(installed, peer, &flags, fixtures)?;
    started.answer()?;
    let end = Instant::now() + END;
    while started.child.try_wait()?.is_none() {
        if Instant::now() > end {
            return Err(format!("{PROGRAM} {peer} did not end after its first connection").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    if cache.is_file() {
        Ok(cache)
    } else {
        Err(format!("{} was not written: JDK 25 or newer does", cache.display()).into())
    }
}

/// A started server; dropping it ends the process.
struct Started {
    child: Child,
    port: u16,
    library: f64,
}

impl Started {
    /// Milliseconds of CPU of all threads, in steps of ten.
    fn cpu(&self) -> Result<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name of the program, which may hold spaces, ends with the last bracket; user and system time are 12 and 13 words further.
        let words: Vec<&str> = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
        let ticks = words.get(11..13).ok_or("/proc/PID/stat is too short")?;
        Ok(ticks.iter().map(|word| word.parse::<f64>()).sum::<std::result::Result<f64, _>>()? * 10.0)
    }

    fn answer(&mut self) -> Result<()> {
        let mut client = Client::new(self.port, "/", false, false)?;
        let (open, body) = client.open()?;
        if body.is_empty() {
            return Err("the first response has no body".into());
        }
        Ok(open.close()?)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_comes_with_its_spread() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), (1.0, 2.0, 3.0));
        assert!(median(Vec::new()).1.is_nan());
    }
}
