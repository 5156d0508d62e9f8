//! Native Images that hold the contract's Java runner and the example server: one program, started by different arguments.

use std::path::{Path, PathBuf};
use std::process::Command;

use ferronet_packaging::Result;
use ferronet_packaging::java::Maven;
use ferronet_packaging::scratch::Scratch;
use ferronet_packaging::tools::Jdk;

use super::demo::{self, Outcome, Server};
use crate::context::Context;
use crate::network;
use crate::parse::lines;
use crate::results::Results;

/// Class of the program.
const MAIN: &str = "io.ferronet.verify.image.Main";

/// One image; with `--full` also one whose only shared library is libc.
pub(super) fn images(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let program = Program::build(context)?;
    let mut results = Results::default();
    results.record("without the static library the build stops and says why", program.lacks_archive(context));
    let mut forms: Vec<(&str, &[&str])> = vec![("dynamic", &[])];
    if context.full() {
        forms.push(("static but for libc", &["-H:+StaticExecutableWithDynamicLibC"]));
    }
    for (form, options) in forms {
        results.merge(image(context, &program, form, options)?.prefixed(&format!("{form}: ")));
    }
    results.record("the same program runs on the JVM through FFM", program.on_jvm(context));
    Ok(results)
}

fn image(context: &mut Context<'_>, program: &Program, form: &str, options: &[&str]) -> Result<Results> {
    let mut results = Results::default();
    let name = if options.is_empty() { "dynamic" } else { "libc-only" };
    let file = program.images.join(name);
    let ran = program.native_image(context, &program.jars, &file, options)?;
    if !ran {
        results.fail("builds", format!("native-image failed for the {form} image"));
        return Ok(results);
    }
    results.pass("builds");
    let alone = Scratch::new("image");
    let moved = alone.path().join("program");
    std::fs::copy(&file, &moved)?;
    results.record("holds the linked binding only", holds_one_binding(&moved));
    results.record("names its library", names_library(context, &moved));
    results.record("needs system libraries only", needs(context, &moved, !options.is_empty()));
    results.merge(contract(context, &moved)?);
    let directory = alone.path().join("empty");
    std::fs::create_dir(&directory)?;
    results.merge(demo::drive(context, &Server::Image { program: moved, directory })?.prefixed("server/"));
    Ok(results)
}

/// Every case as on the JVM, and callbacks in two isolates.
fn contract(context: &mut Context<'_>, image: &Path) -> Result<Results> {
    let stage = context.staged()?.root;
    let mut command = Command::new("bash");
    command.arg(context.project().root.join("verify/contract/run.sh")).arg(stage).arg("image");
    command.env("JAVA_HOME", context.jdk()?.home).env("FERRONET_IMAGE", image);
    network::isolate(&mut command);
    let ran = context.run(&mut command)?;
    let mut results = lines::results(&ran.output);
    results.expect_run(ran.success, "run.sh");
    Ok(results)
}

/// An image names the classes that it holds.
fn holds_one_binding(image: &Path) -> Outcome {
    let bytes = std::fs::read(image).map_err(|error| error.to_string())?;
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    match (holds("io.ferronet.nativeimage.ImageBinding"), holds("io.ferronet.ffm.")) {
        (true, false) => Ok(()),
        (false, _) => Err("no class of the linked binding is named in it".to_owned()),
        (true, true) => Err("classes of the binding over foreign functions are in it".to_owned()),
    }
}

fn names_library(context: &Context<'_>, image: &Path) -> Outcome {
    let ran = context.run(Command::new(image).arg("library")).map_err(|error| error.to_string())?;
    if ran.success && ran.output.contains("the image itself, linked from") && ran.output.contains("-static") {
        return Ok(());
    }
    Err(ran.output)
}

/// What the dynamic linker loads: nothing of ours, and with `libc_only` nothing but libc.
fn needs(context: &Context<'_>, image: &Path, libc_only: bool) -> Outcome {
    let ran = context.run(Command::new("ldd").arg(image)).map_err(|error| error.to_string())?;
    let system: &[&str] = if libc_only {
        &["libc.so"]
    } else {
        &["libc.so", "libm.so", "libz.so", "libgcc_s.so", "libdl.so", "libpthread.so", "librt.so"]
    };
    let strange: Vec<&str> = ran
        .output
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| !name.contains("linux-vdso") && !name.contains("ld-linux") && !name.starts_with('$'))
        .filter(|name| !system.iter().any(|allowed| name.starts_with(allowed)))
        .collect();
    if ran.success && strange.is_empty() { Ok(()) } else { Err(format!("it needs {}", strange.join(", "))) }
}

/// The jars of the program, and where its images go.
struct Program {
    jdk: Jdk,
    jars: Vec<PathBuf>,
    images: PathBuf,
}

impl Program {
    fn build(context: &mut Context<'_>) -> Result<Self> {
        let jdk = context.jdk()?;
        let project = context.project().clone();
        let maven = Maven::find(&mut context.session.toolbox, context.session.offline)?;
        let libraries = project.root.join("verify/native-image/target/lib");
        // A jar that is no longer a dependency would stay on the class path.
        if libraries.exists() {
            std::fs::remove_dir_all(&libraries)?;
        }
        let arguments = ["-P", "native-image", "-pl", ":ferronet-verify-image", "-am", "package", "-DskipTests"];
        let built = maven.run_by(&project, &project.root.join("java-bindings/pom.xml"), &arguments, |command| {
            let ran = context.run(command)?;
            Ok((ran.success, ran.output))
        })?;
        if !built {
            return Err("the program of the images was not built".into());
        }
        let mut jars = Vec::new();
        for entry in libraries.read_dir()? {
            jars.push(entry?.path());
        }
        jars.sort();
        let images = project.target.join("native-image/images");
        std::fs::create_dir_all(&images)?;
        Ok(Self { jdk, jars, images })
    }

    /// Builds an image as a user does, but for the time that the optimiser may take; returns whether that succeeded.
    fn native_image(&self, context: &Context<'_>, jars: &[PathBuf], file: &Path, options: &[&str]) -> Result<bool> {
        let project = context.project();
        let mut command = Command::new("bash");
        command
            .arg(project.root.join("verify/native-image/native-image.sh"))
            .arg(project.target.join("native-image/builder"));
        if context.session.offline {
            command.arg("--offline");
        }
        command.arg("--").arg("-Ob").arg("-cp").arg(class_path(jars)?).arg("-o").arg(file).args(options).arg(MAIN);
        Ok(context.run(command.env("JAVA_HOME", &self.jdk.home))?.success)
    }

    fn lacks_archive(&self, context: &Context<'_>) -> Outcome {
        let others: Vec<PathBuf> =
            self.jars.iter().filter(|jar| !jar.to_string_lossy().ends_with("-static.jar")).cloned().collect();
        if others.len() + 1 != self.jars.len() {
            return Err(format!(
                "{} of {} jars hold a static library",
                self.jars.len() - others.len(),
                self.jars.len()
            ));
        }
        let before = std::fs::metadata(context.log()).map_or(0, |data| data.len());
        let built =
            self.native_image(context, &others, &self.images.join("none"), &[]).map_err(|error| error.to_string())?;
        let log = std::fs::read(context.log()).map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&log[usize::try_from(before).unwrap_or(0).min(log.len())..]).into_owned();
        let advice = "add the dependency io.ferronet:ferronet-native:";
        match (built, said.contains(advice)) {
            (true, _) => Err("an image was built".to_owned()),
            (false, false) => Err("its message does not say what to add".to_owned()),
            (false, true) => Ok(()),
        }
    }

    fn on_jvm(&self, context: &Context<'_>) -> Outcome {
        let mut command = Command::new(self.jdk.program("java"));
        command.arg("--enable-native-access=ALL-UNNAMED").arg("-cp");
        command.arg(class_path(&self.jars).map_err(|error| error.to_string())?).args([MAIN, "library"]);
        let ran = context.run(&mut command).map_err(|error| error.to_string())?;
        if ran.success && ran.output.contains("io.ferronet.ffm.FfmBinding") { Ok(()) } else { Err(ran.output) }
    }
}

fn class_path(jars: &[PathBuf]) -> Result<std::ffi::OsString> {
    Ok(std::env::join_paths(jars)?)
}
