//! The commands `madoguchi new FOLDER` and `madoguchi wit` write a template and the contract, both embedded in the
//! program.

use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use base::source::{Files, NAMES, name_of};
use clap::Args;
use toml::{Table, Value};

use crate::{solo::record::Language, terminal::print_line};

/// The name of the component in the templates, and of its tool.
const TEMPLATE: &str = "greeting";

/// A file of a new component: where it goes, and its text.
type File = (&'static str, &'static str);

/// The files of `templates/FOLDER`, under their names; `gitignore` and `npmrc` stand there without their dot.
macro_rules! files {
    ($folder:literal: $($name:literal $(= $file:literal)?),+ $(,)?) => {
        &[$((
            $name,
            include_str!(concat!("../../templates/", $folder, "/", files!(@ $name $($file)?))),
        )),+]
    };
    (@ $name:literal) => { $name };
    (@ $name:literal $file:literal) => { $file };
}

const RUST: &[File] = files!("rust":
    ".gitignore" = "gitignore",
    "AGENTS.md",
    "README.md",
    "madoguchi.toml",
    "rust-toolchain.toml",
    "src/lib.rs",
);
const JS: &[File] = files!("js":
    ".gitignore" = "gitignore",
    ".npmrc" = "npmrc",
    "AGENTS.md",
    "README.md",
    "defaults.toml",
    "kit/build.mjs",
    "kit/madoguchi.js",
    "madoguchi.toml",
    "package-lock.json",
    "package.json",
    "src/tools.js",
);
const PYTHON: &[File] = files!("python":
    ".gitignore" = "gitignore",
    "AGENTS.md",
    "README.md",
    "defaults.toml",
    "kit/build.py",
    "kit/madoguchi.py",
    "madoguchi.toml",
    "requirements.txt",
    "src/tools.py",
);
/// WASI interfaces of the JavaScript and Python kits.
const WASI: File = ("kit/wasi.wit", include_str!("../../templates/kit/wasi.wit"));
/// The manifest of a component in Rust, without what the kit takes from a workspace.
const MANIFEST: &str = include_str!("../../templates/rust/Cargo.toml");
/// Workspace manifest, whose entries the kit's own manifest uses.
const WORKSPACE: &str = include_str!("../../../Cargo.toml");
/// The dependencies of that workspace that the kit and a new component have.
const DEPENDENCIES: [&str; 5] = ["schemars", "serde", "serde_json", "syn", "wit-bindgen"];
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

/// Names that a function of Python cannot have, or that the template uses.
const KEYWORDS: &str = "and as assert async await break class continue dataclass def del elif else example except \
    finally for from global if import in is lambda nonlocal not or pass raise return tool try while with yield";

/// Files embedded for authors.
#[derive(Clone, Copy)]
pub struct Kit {
    /// The contract: WIT files.
    pub contract: Files,
    /// The crate that components in Rust are written with.
    pub toolkit: Files,
}

impl Language {
    /// The files of its template.
    fn files(self) -> Vec<File> {
        match self {
            Self::Rust => RUST.to_vec(),
            Self::Js => [JS, &[WASI]].concat(),
            Self::Python => [PYTHON, &[WASI]].concat(),
        }
    }

    /// Build commands, as in its README.
    fn commands(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["cargo build --release --target wasm32-wasip2"],
            Self::Js => &["npm install", "npm run build"],
            Self::Python => &[
                "python3 -m venv .venv",
                ".venv/bin/pip install --requirement requirements.txt",
                ".venv/bin/python kit/build.py",
            ],
        }
    }

    /// Path of the built component.
    fn built(self, tool: &str) -> String {
        match self {
            Self::Rust => format!("target/wasm32-wasip2/release/{tool}.wasm"),
            Self::Js | Self::Python => format!("build/{tool}.wasm"),
        }
    }
}

/// Begins a component in Rust, JavaScript or Python: a folder with one tool, the kit and the contract (SYS-60).
#[derive(Args)]
#[command(override_usage = "madoguchi new [--rust | --js | --python] <FOLDER>")]
pub struct New {
    /// The folder to make; its last part is the component's name
    folder: PathBuf,
    /// In Rust, as without any of these
    #[arg(long, group = "language")]
    rust: bool,
    /// In JavaScript or TypeScript
    #[arg(long, group = "language")]
    js: bool,
    /// In Python
    #[arg(long, group = "language")]
    python: bool,
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
        let language = self.language();
        let name = self.name(language)?;
        let tool = name.replace('-', "_");
        let folder = &self.folder;
        if folder.read_dir().is_ok_and(|mut it| it.next().is_some()) || folder.is_file() {
            bail!("{} is there already: name a folder that is not", folder.display());
        }
        for (path, text) in language.files() {
            write(&folder.join(path), named(language, path, text, &name).as_bytes())?;
        }
        if language == Language::Rust {
            let manifest = MANIFEST.replace(TEMPLATE, &name) + &workspace()?;
            write(&folder.join("Cargo.toml"), manifest.as_bytes())?;
            lay(kit.toolkit, &folder.join("kit/toolkit"))?;
        }
        lay(kit.contract, &folder.join("wit"))?;
        let built = language.built(&tool);
        print_line(&format!("{}: a component with the tool {tool}", folder.display()))?;
        print_line(&format!("  cd {}", folder.display()))?;
        for command in language.commands() {
            print_line(&format!("  {command}"))?;
        }
        print_line(&format!("  madoguchi run {built} {tool} '{{\"name\":\"花子\"}}'"))?;
        print_line(&format!("  madoguchi load {built}"))?;
        print_line("  madoguchi dev --serve")?;
        Ok(ExitCode::SUCCESS)
    }

    fn language(&self) -> Language {
        match (self.js, self.python) {
            (true, _) => Language::Js,
            (_, true) => Language::Python,
            _ => Language::Rust,
        }
    }

    fn name(&self, language: Language) -> anyhow::Result<String> {
        // `.` and `..` have a name that only the disk knows.
        let folder = match self.folder.file_name() {
            Some(_) => self.folder.clone(),
            None => fs::canonicalize(&self.folder).unwrap_or_default(),
        };
        let last = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(name) = own_name(&last) else {
            let alike = alike(&last).map(|it| format!("; {it} would be one")).unwrap_or_default();
            bail!(
                "{last:?} is no component's name here: {NAMES}, and none of _ - at the end{alike}"
            );
        };
        if language == Language::Rust && TAKEN.contains(&name.as_str()) {
            bail!("a crate cannot be called {name}: choose another name");
        }
        if language == Language::Python && KEYWORDS.split(' ').any(|it| it == name) {
            bail!("a function of Python cannot be called {name}: choose another name");
        }
        Ok(name)
    }
}

/// `text`, where it is a name of a component that is begun here.
fn own_name(text: &str) -> Option<String> {
    name_of(Path::new(&format!("{text}.wasm"))).filter(|it| !it.ends_with(['-', '_']))
}

/// A name like `text` that is one.
fn alike(text: &str) -> Option<String> {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = text.to_ascii_lowercase().chars().map(fits).collect();
    let name = name.trim_start_matches(|it: char| !it.is_ascii_lowercase());
    own_name(name.get(..64).unwrap_or(name).trim_end_matches(['-', '_']))
}

/// The text of a template's file for a component of that name.
fn named(language: Language, path: &str, text: &str, name: &str) -> String {
    let tool = name.replace('-', "_");
    // A crate may have a `-` in its name; its tool, its file and all else are called as an identifier.
    if language != Language::Rust || path == "src/lib.rs" {
        return text.replace(TEMPLATE, &tool);
    }
    text.replace(&format!("{TEMPLATE}.wasm {TEMPLATE}"), &format!("{tool}.wasm {tool}"))
        .replace(&format!("{TEMPLATE}.wasm"), &format!("{tool}.wasm"))
        .replace(&format!("components.{TEMPLATE}"), &format!("components.{tool}"))
        .replace(TEMPLATE, name)
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
            print_line(&format!("// {name}\n{}", String::from_utf8_lossy(&bytes)))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Workspace entries that the kit needs, as the end of a manifest.
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
