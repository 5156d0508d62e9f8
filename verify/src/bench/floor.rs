//! The floor: a loop in C that answers with the same bytes, without an HTTP stack.

use std::fs;
use std::path::Path;
use std::process::Command;

use ferronet_packaging::project::Project;
use ferronet_packaging::{Result, run};

use super::row::{HELLO, JSON, Peer, Route, Row};

const PROGRAM: &str = "floor";

/// Builds the program with the staged static library.
///
/// # Errors
/// When the compiler fails: what it wrote.
pub fn build(project: &Project, compiler: &Path, stage: &Path) -> Result<()> {
    let mut command = Command::new(compiler);
    command
        .args(["-std=c99", "-O2", "-g", "-Wall", "-Wextra", "-Werror"])
        .arg(format!("-I{}", stage.join("include").display()))
        .args([project.root.join("verify/bench/floor/floor.c"), project.root.join("c-examples/common.c")])
        .arg(stage.join("lib/libferronet.a"))
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(project.target.join("bench").join(PROGRAM));
    run::output(&mut command)?;
    Ok(())
}

/// The command that serves a row's document.
///
/// # Errors
/// When the document cannot be written to `directory`.
pub fn command(directory: &Path, row: &Row, peer: &Peer) -> Result<Command> {
    let file = directory.join(format!("document-{}", row.route.length));
    fs::write(&file, document(row.route)?)?;
    let content_type = if row.route == JSON { "application/json" } else { "text/plain" };
    let mut command = Command::new(directory.join(PROGRAM));
    command.arg(peer.transport).arg(file).arg(content_type);
    Ok(command)
}

/// The same bytes as those of the Java server.
fn document(route: Route) -> Result<Vec<u8>> {
    if route == HELLO {
        return Ok(b"Hello, World!".to_vec());
    }
    if route != JSON {
        return Err(format!("the floor has no document for {}", route.path).into());
    }
    let mut text = String::from("[");
    for i in 0u32.. {
        if text.len() >= JSON.length - 128 {
            break;
        }
        text.push_str(&entry(i));
    }
    text.push('"');
    text.extend(std::iter::repeat_n('x', JSON.length - 2 - text.len()));
    text.push_str("\"]");
    Ok(text.into_bytes())
}

fn entry(i: u32) -> String {
    let name = i.wrapping_mul(0x9E37_79B1);
    format!("{{\"id\":{i},\"name\":\"item-{name:x}\",\"price\":{}}},", u64::from(i) * 7_919 % 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn documents_are_those_of_the_rows() {
        for route in [HELLO, JSON] {
            let body = document(route).expect("known");
            let digest: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!((body.len(), digest.as_str()), (route.length, route.digest));
        }
    }
}
