//! The task `cargo xtask test`: everything that CI runs, in an order that builds each thing once.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail, ensure};

use self::changed::Reach;
use crate::command::{cargo, check, check_tests};
use crate::files::paths_below;
use crate::run::{bundle, parts};
use crate::step::{Plan, Steps, Times};
use crate::workspace::{Kind, Workspace, lint};
use crate::{components, conformance, languages, setup};

mod changed;

/// The ring of the packages' own unit tests.
const UNITS: &str = "units";
/// Rings that read the tree and start nothing.
const READING: [&str; 2] = [UNITS, "house"];
/// Rings that wait for servers, browsers and times to pass: so many tests more than there are processors keep these
/// busy.
const WAITING: [(&str, usize); 2] = [("host", 2), ("protocol", 1)];
/// Tests that run again on PostgreSQL: storing components not tested on both engines anyway, and host tests of
/// answers, approvals, rivals, jobs, sessions, export and import. A name that no test has is an error.
const ON_POSTGRES: [(&str, &[&str]); 2] = [
    ("components", &["cinema::", "forms::", "contract::", "conversations::sessions::"]),
    (
        "host",
        &[
            "questions::",
            "approvals::",
            "race::",
            "lending::",
            "authorization::abandoned_questions",
            "authorization::asks_next_client",
            "authorization::closes_an_unused_session",
            "authorization::evicts_two_thousand",
            "authorization::rejects_initialize",
            "authorization::repeated_initialized",
            "authorization::session_belongs",
            "conversations::exports_messages",
            "conversations::imports_an_export",
            "conversations::load::",
            "conversations::names_lines",
            "conversations::reports_file_line",
            "conversations::reports_unusable",
            "command_line::reservations",
        ],
    ),
];
/// Environment variables of operators that the host reads itself.
const OF_HOST: [&str; 3] = ["AUTH_PASSWORD", "MCP_SERVER_URL", "OTEL_EXPORTER_OTLP_ENDPOINT"];
/// The ring that compares each component with its goldens, and can rewrite them.
const GOLDENS: &str = "components";
/// The test that writes the page of limits.
const LIMITS: [&str; 3] = ["--test", "house", "manual_has_each_limit_as_its_table_says"];

/// Runs all tests: `cargo xtask test`.
pub(crate) fn everything(workspace: &Workspace) -> Result<()> {
    run(workspace, plan(workspace))
}

/// `cargo xtask test --changed [BASE]`.
pub(crate) fn changed(workspace: &Workspace, base: Option<&str>) -> Result<()> {
    let mut plan = plan(workspace);
    let files = changed::files(&workspace.root, base)?;
    let reach = Reach::from_changes(workspace, files);
    let reasons = plan.steps().map(|step| (step.to_owned(), reach.why(workspace, step)));
    let reasons = reasons.collect::<Vec<_>>();
    for (step, why) in &reasons {
        match why {
            Some(why) => eprintln!("  {step:<20} runs: {why}"),
            None => eprintln!("  {step:<20} is left out: nothing that it looks at has changed"),
        }
    }
    let runs = |step: &str| reasons.iter().any(|(name, why)| name == step && why.is_some());
    plan.keep(runs);
    run(workspace, plan)
}

/// Step name of a ring, which is also the name of its build.
fn step_of(ring: &str) -> String {
    format!("ring {ring}")
}

/// All steps in order.
fn plan(workspace: &Workspace) -> Plan {
    let mut plan = Plan::default();
    plan.then(&["fmt"]);
    plan.side_by_side(&[
        &["clients"],
        &["set-up", "components", "components for tests", "clippy for wasm"],
        &["page"],
        &["test binaries", "xtask"],
    ]);
    plan.then(&["languages"]);
    plan.then(&[UNITS]);
    for ring in workspace.rings() {
        plan.then(&[&step_of(ring)]);
    }
    plan.then(&["conformance"]);
    plan
}

fn run(workspace: &Workspace, plan: Plan) -> Result<()> {
    let steps = Steps::planned(plan, Times::read(workspace.memory().join("times.json")));
    steps.run("fmt", &[], || {
        done(cargo().args(["fmt", "--all", "--check"]).current_dir(&workspace.root))
    });
    let wasm = || {
        steps.run("set-up", &[], || setup::for_running(workspace));
        parts(workspace, &steps);
        steps.run("clippy for wasm", &["set-up"], || clippy_for_wasm(workspace));
    };
    // This profile reads embedded files on demand, so nothing here waits for them.
    let native = || {
        // At once: the programs by themselves would be compiled with other features of their crates.
        steps.run("test binaries", &[], || {
            let mut build = cargo();
            build.args(["build", "--tests", "--profile", workspace.profile.name()]);
            build.args(workspace.programs());
            workspace.select_native(build.current_dir(&workspace.root));
            done(&mut build)
        });
        steps.run("xtask", &[], || xtask(workspace));
    };
    // Downloads, for the most part.
    let clients = || steps.run("clients", &[], || setup::for_clients(workspace));
    steps.side_by_side(clients, || steps.side_by_side(wasm, native));
    steps.run("languages", &["test binaries"], || languages::build(workspace));
    let built =
        ["test binaries", "components", "components for tests", "page", "clients", "languages"];
    steps.run(UNITS, &built, || units(workspace));
    for ring in workspace.rings() {
        steps.run(&step_of(ring), &built, || run_ring(workspace, ring));
    }
    steps.run("conformance", &built, || conformance::step(workspace));
    eprintln!("{}", steps.table());
    steps.finish()
}

/// Runs one ring: `cargo xtask test RING`.
pub(crate) fn ring(workspace: &Workspace, ring: &str) -> Result<()> {
    let rings = workspace.rings();
    if ring != UNITS && !rings.contains(&ring) {
        bail!("there is no ring `{ring}`; there are {UNITS}, {}", rings.join(", "));
    }
    if READING.contains(&ring) {
        let steps = Steps::new(1);
        steps.run(ring, &[], || {
            if ring == UNITS { units(workspace) } else { run_ring(workspace, ring) }
        });
        return steps.finish();
    }
    let steps = Steps::new(7);
    steps.run("set-up", &[], || setup::for_testing(workspace));
    bundle(workspace, &steps);
    steps.run("languages", &["host"], || languages::build(workspace));
    let built = ["host", "components", "components for tests", "page", "languages"];
    steps.run(ring, &built, || run_ring(workspace, ring));
    steps.finish()
}

/// `cargo xtask goldens`: rewrites the goldens.
pub(crate) fn goldens(workspace: &Workspace) -> Result<()> {
    let steps = Steps::new(4);
    steps.run("set-up", &[], setup::for_components);
    steps.run("components", &["set-up"], || components::shipped(workspace));
    steps.run("components for tests", &["set-up"], || components::for_tests(workspace));
    steps.run("goldens", &["components", "components for tests"], || {
        let write = |test: &mut Command| done(test.env("MADOGUCHI_GOLDENS", "write"));
        write(test(workspace)?.args(["--test", GOLDENS]))?;
        write(test(workspace)?.args(LIMITS))
    });
    steps.finish()
}

fn units(workspace: &Workspace) -> Result<String> {
    tests(test(workspace)?.args(["--lib", "--bins"]))
}

fn run_ring(workspace: &Workspace, ring: &str) -> Result<String> {
    let mut test = test(workspace)?;
    test.args(["--test", ring, "--"]);
    if let Some((_, more)) = WAITING.iter().find(|it| it.0 == ring) {
        let threads = std::thread::available_parallelism()?.get() + more;
        test.args(["--test-threads", &threads.to_string()]);
    }
    tests(&mut test)?;
    let again = ON_POSTGRES.into_iter().find(|it| it.0 == ring);
    let Some((_, filters)) = again else { return Ok(String::new()) };
    let list = self::test(workspace)?.args(["--test", ring, "--", "--list"]).output()?;
    let without = without_tests(filters, &String::from_utf8_lossy(&list.stdout));
    ensure!(
        without.is_empty(),
        "no test of the ring {ring} has a name with {}: correct ON_POSTGRES in xtask/src/test.rs",
        without.join(", ")
    );
    tests(test.args(filters).env("MADOGUCHI_TEST_STORE", "postgres"))
}

/// Of `filters`, those that are in no name of the tests that a ring lists.
fn without_tests<'a>(filters: &[&'a str], listed: &str) -> Vec<&'a str> {
    let names: Vec<_> = listed.lines().filter_map(|it| it.strip_suffix(": test")).collect();
    let has_none = |filter: &&&str| !names.iter().any(|it| it.contains(**filter));
    filters.iter().filter(has_none).copied().collect()
}

/// `cargo test` of all native packages, without the variables of operators: with a key, tests would call a paid
/// provider.
fn test(workspace: &Workspace) -> Result<Command> {
    let mut test = cargo();
    test.args(["test", "--no-fail-fast", "--profile", workspace.profile.name()]);
    test.current_dir(&workspace.root);
    workspace.select_native(&mut test);
    let sources = sources_of_variables(&workspace.root)?;
    let of_components = sources.iter().flat_map(|it| variables(it));
    OF_HOST.into_iter().chain(of_components).for_each(|name| _ = test.env_remove(name));
    Ok(test)
}

/// Sources that name environment variables of components: their defaults, and the providers of models.
fn sources_of_variables(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("components");
    let models = "assistant/src/models";
    let paths = paths_below(&folder.join(models))?;
    let mut files: Vec<_> = paths.iter().map(|it| folder.join(models).join(it)).collect();
    for component in fs::read_dir(&folder)? {
        files.push(component?.path().join("defaults.toml"));
    }
    files.retain(|it| it.is_file());
    files.into_iter().map(|it| Ok(fs::read_to_string(it)?)).collect()
}

/// Quoted names that variables of the environment can have.
fn variables(source: &str) -> impl Iterator<Item = &str> {
    let is_sign = |it: char| matches!(it, 'A'..='Z' | '0'..='9' | '_');
    let is_variable = move |it: &&str| it.contains('_') && it.chars().all(is_sign);
    source.lines().flat_map(|it| it.split('"').skip(1).step_by(2)).filter(is_variable)
}

/// Lints code compiled only for WebAssembly: test components and their use of the toolkit. The rest is linted
/// natively.
fn clippy_for_wasm(workspace: &Workspace) -> Result<String> {
    let mut clippy = cargo();
    clippy.args(["clippy", "--profile", components::PROFILE, "--target", components::TARGET]);
    clippy.arg("--target-dir").arg(workspace.wasm_target()).current_dir(&workspace.root);
    for name in workspace.named(&[Kind::TestComponent]) {
        clippy.args(["--package", name]);
    }
    done(clippy.args(["--", "--deny", "warnings"]))
}

/// This program's own tests, in the profile that it was built with.
fn xtask(workspace: &Workspace) -> Result<String> {
    let mut test = cargo();
    test.args(["test", "--package", "xtask"]).current_dir(&workspace.root);
    lint(&mut test);
    tests(&mut test)
}

fn tests(command: &mut Command) -> Result<String> {
    check_tests(command)?;
    Ok(String::new())
}

fn done(command: &mut Command) -> Result<String> {
    check(command)?;
    Ok(String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_variables_of_providers_and_of_defaults() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let sources = sources_of_variables(root).unwrap();
        let all: Vec<_> = sources.iter().flat_map(|it| variables(it)).collect();
        for name in ["OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_MAPS_API_KEY", "NAV_PROVIDER"] {
            assert!(all.contains(&name), "{name} is not among {all:?}");
        }
        assert!(!all.contains(&"max_tokens"), "{all:?}");
    }

    #[test]
    fn name_without_a_test_is_found() {
        let listed = "race::one_wins: test\nchat::load::many: test\nlending: benchmark\n";
        assert_eq!(
            without_tests(&["race::", "load::", "lending", "export::"], listed),
            ["lending", "export::"]
        );
        assert_eq!(without_tests(&["race::"], "error: could not compile"), ["race::"]);
    }
}
