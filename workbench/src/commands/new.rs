//! `madoguchi new FOLDER` and `madoguchi wit`: what an author begins with, out of the program itself.

use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use base::{embedded::Files, source::name_of};
use clap::Args;
use toml::{Table, Value};

use crate::terminal::say;

/// The name of the component in the template, and of its tool.
const TEMPLATE: &str = "greeting";
/// The files of a new component beside its manifest: where each goes, and its text.
const FILES: [(&str, &str); 6] = [
    (".gitignore", include_str!("../../template/gitignore")),
    ("AGENTS.md", include_str!("../../template/AGENTS.md")),
    ("README.md", include_str!("../../template/README.md")),
    ("madoguchi.toml", include_str!("../../template/madoguchi.toml")),
    ("rust-toolchain.toml", include_str!("../../template/rust-toolchain.toml")),
    ("src/lib.rs", include_str!("../../template/src/lib.rs")),
];
const MANIFEST: &str = include_str!("../../template/Cargo.toml");
/// What the kit's own manifest takes from the workspace that it lies in.
const WORKSPACE: &str = include_str!("../../../Cargo.toml");
/// The dependencies of that workspace that the kit and a new component have.
const DEPENDENCIES: [&str; 4] = ["schemars", "serde", "serde_json", "wit-bindgen"];
/// Names that a crate cannot have, or that the kit has.
const TAKEN: [&str; 12] = [
    "alloc",
    "core",
    "proc_macro",
    "schemars",
    "self",
    "serde",
    "serde_json",
    "std",
    "super",
    "test",
    "toolkit",
    "wit-bindgen",
];

/// What travels in the program for authors.
#[derive(Clone, Copy)]
pub struct Kit {
    /// The contract: WIT files.
    pub contract: Files,
    /// The crate that components in Rust are written with.
    pub toolkit: Files,
}

/// Begins a component in Rust: a folder with one tool, the kit and the contract.
#[derive(Args)]
pub struct New {
    /// The folder to make; its last part is the component's name
    folder: PathBuf,
}

/// Shows the contract between components and the host, or writes it into a folder.
#[derive(Args)]
pub struct Wit {
    /// Where to write it; standard output without it
    folder: Option<PathBuf>,
}

impl New {
    /// Writes the folder, and prints what to do next.
    ///
    /// # Errors
    /// When the folder's name is none of a component, something lies in it, or it cannot be written.
    pub fn run(&self, kit: Kit) -> anyhow::Result<ExitCode> {
        let name = self.name()?;
        let tool = name.replace('-', "_");
        let folder = &self.folder;
        if folder.read_dir().is_ok_and(|mut it| it.next().is_some()) || folder.is_file() {
            bail!("{} is there already: name a folder that is not", folder.display());
        }
        let manifest = MANIFEST.replace(TEMPLATE, &name) + &workspace()?;
        write(&folder.join("Cargo.toml"), manifest.as_bytes())?;
        for (path, text) in FILES {
            // A file of Rust has the name as an identifier of its tool, others as that of the crate, too.
            let text = match path {
                "src/lib.rs" => text.replace(TEMPLATE, &tool),
                _ => text
                    .replace(&format!("{TEMPLATE}.wasm {TEMPLATE}"), &format!("{tool}.wasm {tool}"))
                    .replace(&format!("{TEMPLATE}.wasm"), &format!("{tool}.wasm"))
                    .replace(&format!("components.{TEMPLATE}"), &format!("components.{tool}"))
                    .replace(TEMPLATE, &name),
            };
            write(&folder.join(path), text.as_bytes())?;
        }
        lay(kit.contract, &folder.join("wit"))?;
        lay(kit.toolkit, &folder.join("kit/toolkit"))?;
        let built = format!("target/wasm32-wasip2/release/{tool}.wasm");
        say(&format!("{}: a component with the tool {tool}", folder.display()))?;
        say(&format!("  cd {}", folder.display()))?;
        say("  cargo build --release --target wasm32-wasip2")?;
        say(&format!("  madoguchi run {built} {tool} '{{\"name\":\"花子\"}}'"))?;
        say(&format!("  madoguchi load {built}"))?;
        say("  madoguchi dev --serve")?;
        Ok(ExitCode::SUCCESS)
    }

    fn name(&self) -> anyhow::Result<String> {
        let last = self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name_of(Path::new(&format!("{last}.wasm")));
        let Some(name) = name.filter(|it| !it.ends_with(['-', '_'])) else {
            bail!(
                "{last:?} is no name of a component: 1 to 64 of a-z 0-9 _ - are right, with a letter at the beginning and none of _ - at the end"
            );
        };
        if TAKEN.contains(&name.as_str()) {
            bail!("a crate cannot be called {name}: choose another name");
        }
        Ok(name)
    }
}

impl Wit {
    /// Writes it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn run(&self, kit: Kit) -> anyhow::Result<ExitCode> {
        if let Some(folder) = &self.folder {
            lay(kit.contract, folder)?;
            return Ok(ExitCode::SUCCESS);
        }
        for (name, bytes) in files(kit.contract) {
            say(&format!("// {name}\n{}", String::from_utf8_lossy(&bytes)))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What the kit takes from its workspace, as the end of a manifest.
fn workspace() -> anyhow::Result<String> {
    let ours: Table = WORKSPACE.parse().context("the program's own manifest")?;
    let ours =
        |key: &str| ours["workspace"].get(key).cloned().unwrap_or(Value::Table(Table::new()));
    let mut dependencies = ours("dependencies");
    if let Some(all) = dependencies.as_table_mut() {
        all.retain(|name, _| DEPENDENCIES.contains(&name));
    }
    let members = Value::Array(vec!["kit/toolkit".into()]);
    let parts = [
        ("resolver", ours("resolver")),
        ("members", members),
        ("package", ours("package")),
        ("dependencies", dependencies),
        ("lints", ours("lints")),
    ];
    let workspace: Table = parts.map(|(key, it)| (key.to_owned(), it)).into_iter().collect();
    let all: Table = [("workspace".to_owned(), Value::Table(workspace))].into_iter().collect();
    Ok(format!("\n{}", toml::to_string(&all)?))
}

/// The files that travel in the program, in the order of their names.
fn files(all: Files) -> Vec<(Cow<'static, str>, Cow<'static, [u8]>)> {
    let mut names = all.names();
    names.sort();
    let with_bytes = |name: Cow<'static, str>| all.get(&name).map(|it| (name, it.data));
    names.into_iter().filter_map(with_bytes).collect()
}

/// Writes all files into `folder`.
fn lay(all: Files, folder: &Path) -> anyhow::Result<()> {
    files(all).iter().try_for_each(|(name, bytes)| write(&folder.join(&**name), bytes))
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
