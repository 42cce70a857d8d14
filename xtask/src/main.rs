//! Commands of the project: `cargo xtask run`, `test`, `bench`, `dist` and their steps.

mod bench;
mod command;
mod components;
mod conformance;
mod dist;
mod files;
mod languages;
mod lean;
mod page;
mod paths;
mod program;
mod run;
mod setup;
mod step;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::workspace::{Profile, Workspace};

const USAGE: &str = "\
cargo xtask COMMAND

  run [-- ARGS]           build page, components and host, then serve; ARGS go to madoguchi
  test [RING]             everything that CI runs, or one ring: units, house, components, host, …
  test --changed [BASE]   what a change since BASE (main) can reach, and why; new files and edits count
  conformance [--requirements REV] [SCENARIO]
                          the official MCP suite against the fixture component, both eras
  goldens                 rewrite what the components import and offer (world.wit, tools.json)
  bench [--quick|--json]  a table of ratios: our host against plain rmcp
  dist                    build what is released: target/archives/madoguchi-VERSION-TARGET.tar.gz
  components              build the components; a running host swaps them in
  page                    build the page
  languages               build the components in JavaScript and Python that tests load
";

/// The option of `test` that leaves out what a change cannot reach.
const CHANGED: &str = "--changed";

fn main() -> ExitCode {
    match dispatch(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(mut arguments: Vec<String>) -> Result<()> {
    // Arguments after `run --` go to the host.
    let asks = |it: &String| matches!(it.as_str(), "help" | "--help" | "-h");
    if arguments.is_empty() || arguments.iter().take(2).any(asks) {
        eprint!("{USAGE}");
        return Ok(());
    }
    let command = arguments.remove(0);
    if arguments.first().is_some_and(|first| first == "--") {
        arguments.remove(0);
    }
    let profile = match command.as_str() {
        "test" | "goldens" | "conformance" | "languages" => Profile::Checked,
        "bench" => Profile::Fast,
        "dist" => Profile::Dist,
        _ => Profile::Release,
    };
    let workspace = Workspace::load(profile)?;
    match (command.as_str(), arguments.as_slice()) {
        ("run", _) => run::run(&workspace, &arguments),
        ("test", []) => test::everything(&workspace),
        ("test", [option]) if option == CHANGED => test::changed(&workspace, None),
        ("test", [option, base]) if option == CHANGED => test::changed(&workspace, Some(base)),
        ("test", [ring]) => test::ring(&workspace, ring),
        ("goldens", []) => test::goldens(&workspace),
        ("conformance", _) => conformance::conformance(&workspace, &arguments),
        ("bench", _) => bench::bench(&workspace, &arguments),
        ("dist", []) => dist::dist(&workspace),
        ("components", []) => run::components(&workspace),
        ("page", []) => run::page(&workspace),
        ("languages", []) => languages::languages(&workspace),
        (_, rest) => bail!("`{command}` with {rest:?} is no command\n\n{USAGE}"),
    }
}
