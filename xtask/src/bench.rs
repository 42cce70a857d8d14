//! The task `cargo xtask bench` builds the host, the compared server and the load generator, and runs them.

use std::process::Command;

use anyhow::Result;

use crate::command::{cargo, check};
use crate::run::parts;
use crate::step::Steps;
use crate::workspace::Workspace;
use crate::{run, setup};

/// The load generator and what it compares with.
const PROGRAMS: [&str; 5] = ["bench", "rmcp-native", "rmcp-native-mimalloc", "own-native", "empty"];

/// Arguments go to the load generator; its table or JSON is all that reaches stdout.
pub(crate) fn bench(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let steps = Steps::new(6);
    steps.run("set-up", &[], || setup::for_measuring(workspace));
    parts(workspace, &steps);
    steps.run("host", &["components", "page"], || run::host(workspace));
    steps.run("load generator", &[], || {
        let mut build = cargo();
        build.args(["build", "--profile", workspace.profile.name()]);
        // By name, for the page is selected too and has a program.
        build.args(PROGRAMS.iter().flat_map(|name| ["--bin", name]));
        build.current_dir(&workspace.root);
        workspace.select_native(&mut build);
        check(&mut build)?;
        Ok(String::new())
    });
    steps.finish()?;
    let built = workspace.target.join(workspace.profile.name());
    let exe = std::env::consts::EXE_SUFFIX;
    let mut bench = Command::new(built.join(format!("bench{exe}")));
    bench.arg("--programs").arg(&built);
    bench.arg("--components").arg(workspace.bundle().join("components"));
    bench.arg("--test-components").arg(workspace.bundle().join("tests"));
    bench.arg("--clients").arg(workspace.root.join("tests/clients"));
    check(bench.args(arguments))
}
