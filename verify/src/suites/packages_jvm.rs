//! The staged Java artifacts, as strangers use them: a Maven project of somebody else that knows the repository alone, and
//! programs that load the library in every way in which it may be packaged, and in those in which it must be refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use ferronet_packaging::java::Maven;
use ferronet_packaging::project::Project;
use ferronet_packaging::repository;
use ferronet_packaging::run;
use ferronet_packaging::scratch::Scratch;
use ferronet_packaging::tools::Tool;
use ferronet_packaging::{Result, target::Target};

use super::demo::START;
use super::demo_tls::Certificate;
use super::stage::copy;
use crate::context::Context;
use crate::parse::lines;
use crate::results::Results;
use crate::service::Service;

/// The program that loads the library and says what came of it, which the binding's own tests use too.
const PROBE: &str = "java-bindings/ffm/src/test/java/io/ferronet/probe/LoaderProbe.java";
/// The program that asks the loader's check about files that are not loaded.
const LIBC_PROBE: &str = "verify/packages/jvm/io/ferronet/ffm/LibcProbe.java";
const DRIVER: &str = "verify/packages/jvm/io/ferronet/packages";
const STRANGER: &str = "verify/packages/maven";

/// What the stranger's server prints before its port, and what it answers, 100 times.
const ADDRESS: &str = "listening on https://127.0.0.1:";
const GREETING: &str = "Hello, stranger! ";

/// The stranger's project, then every way to package and to load; with `--full` the jars are built twice more and compared.
pub(super) fn jvm(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let project = context.project().clone();
    let openssl = context.tool(Tool::Openssl)?;
    let _ = context.optional(Tool::MuslCc);
    let maven = Maven::find(&mut context.session.toolbox, context.session.offline)?;
    let repository = repository::place(&project);
    build(context, &project, &maven, &repository)?;

    let scratch = Scratch::new("packages");
    let certificate = Certificate::make(context, &openssl)?;
    std::fs::copy(&certificate.cert, scratch.path().join("cert.pem"))?;
    std::fs::copy(&certificate.key, scratch.path().join("key.pem"))?;
    let stranger = Stranger::build(context, &project, &maven, &repository, scratch.path())?;

    let mut results = Results::default();
    results.merge(stranger.served(context, &maven)?);
    results.merge(driver(context, &maven, &stranger, scratch.path())?);
    if context.full() {
        results.merge(reproduced(context, &maven, &repository, scratch.path())?);
    }
    Ok(results)
}

fn build(context: &Context<'_>, project: &Project, maven: &Maven, repository: &Path) -> Result<()> {
    repository::build(project, maven, repository, |command| {
        let ran = context.run(command)?;
        Ok((ran.success, ran.output))
    })
}

/// A Maven project outside this source tree.
struct Stranger {
    directory: PathBuf,
    scratch: PathBuf,
}

impl Stranger {
    /// Builds it, with Ferronet from the staged repository alone.
    fn build(
        context: &mut Context<'_>,
        project: &Project,
        maven: &Maven,
        repository: &Path,
        scratch: &Path,
    ) -> Result<Self> {
        let directory = scratch.join("stranger");
        copy(&project.root.join(STRANGER), &directory)?;
        let local = scratch.join("local");
        local_repository(&local)?;
        let arguments = [
            format!("-Dmaven.repo.local={}", local.display()),
            format!("-Dferronet.repository=file://{}", repository.display()),
            format!("-Dferronet.version={}", Project::VERSION),
            "--quiet".to_owned(),
            "package".to_owned(),
        ];
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let built = maven.run_connected(project, &directory.join("pom.xml"), &words, |command| {
            let ran = context.run(command)?;
            Ok((ran.success, ran.output))
        })?;
        if !built {
            return Err("the stranger's project is not built from the staged repository: see the log".into());
        }
        Ok(Self { directory, scratch: scratch.to_owned() })
    }

    /// Its server answers curl over https, compressed and not.
    fn served(&self, context: &mut Context<'_>, maven: &Maven) -> Result<Results> {
        let mut results = Results::default();
        let Some(curl) = context.optional(Tool::Curl) else {
            results.skip("the stranger's server answers curl", "curl is missing");
            return Ok(results);
        };
        let mut command = Command::new(maven.jdk.program("java"));
        command.args(["--enable-native-access=ALL-UNNAMED", "-cp"]).arg(self.directory.join("target/lib/*"));
        command.args(["com.example.stranger.Main", "serve"]);
        command.args([self.scratch.join("cert.pem"), self.scratch.join("key.pem")]);
        let mut service = Service::start(&mut command, context.log())?;
        let line = service.line_with(ADDRESS, START)?;
        let port = line.split_once(ADDRESS).map_or("", |(_, rest)| rest).trim().to_owned();
        for (name, more) in [("plain", None), ("compressed", Some("--compressed"))] {
            let mut command = Command::new(&curl);
            command
                .args(["--silent", "--show-error", "--max-time", "20", "--cacert"])
                .arg(self.scratch.join("cert.pem"));
            command.args(more).arg(format!("https://localhost:{port}/"));
            let ran = context.run(&mut command)?;
            let right = ran.success && ran.output == GREETING.repeat(100);
            let outcome = if right { Ok(()) } else { Err(format!("curl: {}", ran.output)) };
            results.record(format!("the stranger's server answers curl, {name}"), outcome);
        }
        service.signal(libc::SIGTERM);
        service.wait(START)?;
        Ok(results)
    }
}

/// A local repository that shares all with the user's, except for Ferronet: an older copy of the same version could be there.
fn local_repository(place: &Path) -> Result<()> {
    let home = std::env::var_os("HOME").map(PathBuf::from).ok_or("HOME is not set")?;
    let shared = home.join(".m2/repository");
    std::fs::create_dir_all(shared.join("io"))?;
    std::fs::create_dir_all(place.join("io"))?;
    for (folder, left_out) in [("", "io"), ("io", "ferronet")] {
        for entry in shared.join(folder).read_dir()? {
            let entry = entry?;
            if entry.file_name() != left_out {
                std::os::unix::fs::symlink(entry.path(), place.join(folder).join(entry.file_name()))?;
            }
        }
    }
    Ok(())
}

/// Every case of the Java driver.
fn driver(context: &mut Context<'_>, maven: &Maven, stranger: &Stranger, scratch: &Path) -> Result<Results> {
    let project = context.project().clone();
    let repository = repository::place(&project);
    let jars = ["api", "ffm"].map(|name| {
        let jar = format!("io/ferronet/ferronet-{name}/{0}/ferronet-{name}-{0}.jar", Project::VERSION);
        repository.join(jar).to_string_lossy().into_owned()
    });
    std::fs::write(scratch.join("crates.txt"), linked(context)?)?;
    let sources = project.root.join(DRIVER).read_dir()?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    compile(context, maven, &scratch.join("driver"), None, &sources)?;
    let probes = [PROBE, LIBC_PROBE].map(|file| project.root.join(file));
    compile(context, maven, &scratch.join("probe"), Some(&jars.join(":")), &probes)?;
    let mut command = Command::new(maven.jdk.program("java"));
    command.arg("-cp").arg(scratch.join("driver")).arg("io.ferronet.packages.Main");
    command.arg(&repository).arg(&stranger.directory).arg(scratch).arg(&project.root);
    let ran = context.run(&mut command)?;
    let mut results = lines::results(&ran.output);
    results.expect_run(ran.success, "io.ferronet.packages.Main");
    Ok(results)
}

fn compile(
    context: &Context<'_>,
    maven: &Maven,
    classes: &Path,
    class_path: Option<&str>,
    sources: &[PathBuf],
) -> Result<()> {
    let mut command = Command::new(maven.jdk.program("javac"));
    command.args(["-proc:none", "-Xlint:all", "-Werror", "-d"]).arg(classes);
    if let Some(jars) = class_path {
        command.args(["-cp", jars]);
    }
    let ran = context.run(command.args(sources))?;
    if ran.success { Ok(()) } else { Err(format!("javac: {}", ran.output).into()) }
}

/// Name and version of each crate that is linked into the library, as `cargo tree` prints them.
fn linked(context: &Context<'_>) -> Result<String> {
    let triple = &Target::host()?.triple;
    let mut command = context.cargo();
    command.args(["tree", "--quiet", "--locked", "--package", "ferronet", "--edges", "normal", "--prefix", "none"]);
    let tree = run::output(command.args(["--target", triple, "--format", "{p}"]))?;
    let crates: BTreeSet<String> = tree
        .lines()
        .filter(|line| !line.contains("(proc-macro)"))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some(format!("{} {}\n", words.next()?, words.next()?.trim_start_matches('v')))
        })
        .collect();
    Ok(crates.into_iter().collect())
}

/// The jars and POMs that are built in two other directories are byte for byte those of the repository.
fn reproduced(context: &Context<'_>, maven: &Maven, repository: &Path, scratch: &Path) -> Result<Results> {
    let project = context.project();
    let mut results = Results::default();
    let expected = artifacts(repository)?;
    for place in ["here", "and/elsewhere"] {
        let root = scratch.join(place);
        std::fs::create_dir_all(&root)?;
        copy(&project.root.join("java-bindings"), &root.join("java-bindings"))?;
        for text in ["LICENSE", "NOTICE"] {
            std::fs::copy(project.root.join(text), root.join(text))?;
        }
        forget_builds(&root.join("java-bindings"))?;
        let other = Project { root: root.clone(), target: project.target.clone() };
        let built = root.join("maven");
        build(context, &other, maven, &built)?;
        let found = artifacts(&built)?;
        let differing: Vec<&str> = expected
            .keys()
            .chain(found.keys())
            .filter(|name| expected.get(*name) != found.get(*name))
            .map(String::as_str)
            .collect();
        let outcome = if differing.is_empty() { Ok(()) } else { Err(differing.join(", ")) };
        results.record(format!("the artifacts built in {place} are the same"), outcome);
    }
    Ok(results)
}

/// What a build left of an earlier one.
fn forget_builds(directory: &Path) -> Result<()> {
    for entry in directory.read_dir()? {
        let path = entry?.path();
        if path.is_dir() && path.ends_with("target") {
            std::fs::remove_dir_all(&path)?;
        } else if path.is_dir() && !path.ends_with("src") {
            forget_builds(&path)?;
        }
    }
    Ok(())
}

/// Jars and POMs by name; what Maven writes about the time of deployment is left out.
fn artifacts(repository: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![repository.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir()? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jar" || ending == "pom") {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
