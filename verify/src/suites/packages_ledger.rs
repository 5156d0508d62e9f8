//! How large what ships is, against limits and against the committed ledger.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use ferronet_packaging::Result;
use ferronet_packaging::stage::Staged;
use ferronet_packaging::target::Target;

use crate::context::Context;
use crate::ledger::Ledger;
use crate::results::Results;

/// The target whose figures are recorded: another compiler's are others.
const TARGET: &str = "linux-x86_64";

/// Bytes that the stripped shared library may have, and that it may take compressed.
const LIMITS: [(&str, u64); 2] = [("libferronet.so", 4_300_000), ("libferronet.so.deflated", 1_800_000)];

const HEADING: &str = "\
What ships for linux-x86_64: bytes, symbols, and the call shapes of the Java binding with the count of functions of each.
`cargo verify packages-c` compares; what has grown is recorded with its reason: FERRONET_LEDGER=record cargo verify packages-c";

/// Compares, or records with `FERRONET_LEDGER=record`.
pub(super) fn compare(context: &Context<'_>, staged: &Staged, results: &mut Results) -> Result<()> {
    if Target::host()?.classifier != TARGET {
        results
            .skip("ledger", format!("it holds the figures of {TARGET} only, this is {}", Target::host()?.classifier));
        return Ok(());
    }
    let root = &context.project().root;
    let now = current(context, staged)?;
    let file = root.join("verify/packages/ledger.txt");
    for (name, limit) in LIMITS {
        let size = sizes(staged)?.into_iter().find(|(found, _)| *found == name).map_or(u64::MAX, |(_, size)| size);
        context.remark(&format!("{name}: {size} bytes of {limit}"));
        let outcome = if size <= limit { Ok(()) } else { Err(format!("{size} bytes, of which {limit} are allowed")) };
        results.record(format!("limit of {name}"), outcome);
    }
    if std::env::var("FERRONET_LEDGER").is_ok_and(|word| word == "record") {
        std::fs::write(&file, now.write(HEADING))?;
        results.pass("recorded the ledger");
        return Ok(());
    }
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let difference = Ledger::parse(&text)?.compare(&now);
    for line in &difference.shrunk {
        context.remark(&format!("{line}: keep the gain by recording it"));
    }
    let outcome = if difference.grown.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{}; where it is worth that: FERRONET_LEDGER=record cargo verify packages-c",
            difference.grown.join("; ")
        ))
    };
    results.record("nothing has grown beyond the ledger", outcome);
    Ok(())
}

fn current(context: &Context<'_>, staged: &Staged) -> Result<Ledger> {
    let version = |program: &str| -> Result<String> {
        let text = ferronet_packaging::run::output(Command::new(program).arg("--version"))?;
        Ok(text.lines().next().unwrap_or_default().to_owned())
    };
    let mut ledger = Ledger::new(vec![version("rustc")?, version("cc")?]);
    for (name, size) in sizes(staged)? {
        ledger.number("size", name, size);
    }
    let library = staged.contents()?;
    for (section, size) in library.sections.iter().filter(|(_, size)| **size >= 4096) {
        ledger.number("section", section, *size);
    }
    library.exported.iter().for_each(|name| ledger.name("export", name));
    library.imported.iter().for_each(|name| ledger.name("import", name));
    library.needed.iter().for_each(|name| ledger.name("needed", name));
    let functions = context.project().root.join("java-bindings/ffm/src/main/java/io/ferronet/ffm/Function.java");
    let shapes = shapes(&std::fs::read_to_string(&functions)?);
    if shapes.is_empty() {
        return Err(format!("{} names no Shape", functions.display()).into());
    }
    for (shape, count) in shapes {
        ledger.number("shape", &shape, count);
    }
    Ok(ledger)
}

fn sizes(staged: &Staged) -> Result<[(&'static str, u64); 4]> {
    let size = |path: &Path| -> Result<u64> {
        Ok(path.metadata().map_err(|error| format!("{}: {error}", path.display()))?.len())
    };
    Ok([
        (LIMITS[0].0, size(&staged.shared())?),
        (LIMITS[1].0, deflated(&staged.shared())?),
        ("libferronet.a", size(&staged.archive())?),
        ("libferronet.a.deflated", deflated(&staged.archive())?),
    ])
}

/// Bytes of a file under deflate's best level. Maven's jars have its default level, which is up to 1 % larger.
fn deflated(file: &Path) -> Result<u64> {
    let output = Command::new("gzip").args(["-9", "--no-name", "--stdout"]).arg(file).stdin(Stdio::null()).output()?;
    if output.status.success() { Ok(output.stdout.len() as u64) } else { Err("gzip failed".into()) }
}

/// The call shapes that the table of functions names, with the count of functions of each.
fn shapes(table: &str) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for (_, rest) in table.match_indices("\", Shape.").map(|(place, mark)| table.split_at(place + mark.len())) {
        let shape: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        *found.entry(shape).or_insert(0) += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_counted() {
        let table = "import Shape.X;\n A(\"ferronet_a\", Shape.J0, Heat.COLD),\n B(\"ferronet_b\", Shape.J2, Heat.HOT),\n \
                     C(\"ferronet_c\", Shape.J2, Heat.HOT);";
        assert_eq!(shapes(table), BTreeMap::from([("J0".to_owned(), 1), ("J2".to_owned(), 2)]));
    }
}
