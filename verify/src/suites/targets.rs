//! The library as it ships: built for the oldest C library that each target is for.

use ferronet_packaging::Result;
use ferronet_packaging::stage::{self, Options};
use ferronet_packaging::target::{Build, Std, Target, targets};

use super::contract;
use crate::context::Context;
use crate::results::Results;

/// Stages each target that can be built here, and runs the contract from C over what runs on this machine.
pub(super) fn floors(context: &mut Context<'_>) -> Result<Results> {
    let mut results = Results::default();
    let host = Target::host()?;
    for target in targets()?.iter().filter(|target| target.build == Build::Zig && target.std == Std::Installed) {
        let project = context.project().clone();
        let options = Options { offline: context.session.offline };
        let staged = match stage::stage_for(&project, &mut context.session.toolbox, options, target) {
            Ok(staged) => staged,
            Err(error) => {
                results.fail(format!("{} is built and obeys the rules", target.classifier), error.to_string());
                continue;
            }
        };
        results.pass(format!("{} is built and obeys the rules", target.classifier));
        let libc = staged.contents()?.libc().unwrap_or_default();
        context.remark(&format!("{} needs {libc}", target.classifier));
        if target == host {
            let prefix = format!("{}/", target.classifier);
            results.merge(contract::run(context, &staged.root, "c")?.prefixed(&prefix));
        }
    }
    Ok(results)
}
