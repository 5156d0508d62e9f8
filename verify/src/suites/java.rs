//! The Java modules' tests, run by Maven.

use std::path::Path;

use ferronet_packaging::Result;
use ferronet_packaging::java::Maven;

use crate::context::Context;
use crate::parse::junit;
use crate::results::Results;

/// The unit tests of every module, in the reactor build that packages them.
pub(super) fn modules(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let mut arguments = vec!["verify"];
    if context.full() {
        arguments.push("-Dferronet.test.jvm=-Dferronet.test.full=true");
    }
    maven(context, "java-bindings/pom.xml", "java-bindings", &arguments)
}

/// Runs Maven on `pom` and reads the reports that it leaves below `reports`; both are inside the source tree.
pub(super) fn maven(context: &mut Context<'_>, pom: &str, reports: &str, arguments: &[&str]) -> Result<Results> {
    let project = context.project().clone();
    let reports = project.root.join(reports);
    junit::forget(&reports);
    let maven = Maven::find(&mut context.session.toolbox, context.session.offline)?;
    // Every module's tests are run, so that one failure does not hide the next.
    let words: Vec<&str> = ["--fail-at-end"].iter().chain(arguments).copied().collect();
    let ran = maven.run_by(&project, &project.root.join(Path::new(pom)), &words, |command| {
        let ran = context.run(command)?;
        Ok((ran.success, ran.output))
    });
    match ran {
        Ok(success) => {
            let mut results = junit::reports(&reports)?;
            results.expect_run(success, "mvn");
            Ok(results)
        }
        Err(error) => {
            // What was tested before is worth knowing; a report that is cut short belongs to the class that was not.
            let mut results = junit::reports(&reports).unwrap_or_default();
            results.cut_short("mvn", error.to_string());
            Ok(results)
        }
    }
}
