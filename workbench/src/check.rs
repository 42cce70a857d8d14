//! Checks a configuration before it is served. Findings have a line and a remedy.

use std::{collections::BTreeSet, path::Path};

use base::{
    config::{Config, Problem},
    grants::Grant,
    settings::Settings,
    toolsets::{Owner, Toolset, is_name},
};
use distribution::signatures;
use futures::future::BoxFuture;
use registry::library::Library;
use sandbox::{Sandbox, component::LoadError, definition::Tool};
use serde::Serialize;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    inspect,
    solo::{Compiled, Solo},
};

/// A problem or note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The line of the file that it is about, where it is about one.
    pub line: Option<usize>,
    /// Whether the server would do without something because of it.
    pub is_problem: bool,
    /// Its subject in the file.
    pub about: String,
    /// Problem and remedy.
    pub message: String,
}

/// The files of keys and of trusted roots by which nothing can be verified (DIST-5).
fn unverifiable(config: &Config, document: &Document<'_>) -> Vec<Finding> {
    let components = config.components.iter().map(|(name, it)| (["components", name], &it.require));
    let registries = config.registries.iter().map(|(host, it)| (["registries", host], &it.require));
    let required = components.chain(registries).filter_map(|(at, it)| Some((at, it.as_ref()?)));
    let wrong = required.filter_map(|([table, name], file)| {
        let what = signatures::check_file(file, &config.base).err()?;
        Some(document.problem(&[table, name, "require"], what))
    });
    wrong.collect()
}

/// The files of authorities by which no registry can be asked (DIST-11).
fn untrusting(config: &Config, document: &Document<'_>) -> Vec<Finding> {
    let wrong = config.registries.iter().filter_map(|(host, registry)| {
        let what = distribution::authorities(registry, &config.base).err()?.to_string();
        Some(document.problem(&["registries", host, "ca"], what))
    });
    wrong.collect()
}

/// Entries of a table that may name components, by `component:NAME` or a table with `component`. A toolset that chooses
/// nothing is reported as such.
const OWNERS: [(&str, &str); 3] =
    [("assistants", "tools"), ("toolsets", "exclude"), ("tokens", "scopes")];

/// Entries that name a component that is not installed.
fn ownerless(config: &Config, document: &Document<'_>) -> Vec<Finding> {
    let names = installed_names(config);
    let mut findings = Vec::new();
    let mut look = |path: &[&str], owner: &str| {
        if owner.contains('*') || names.iter().any(|it| it == owner) {
            return;
        }
        let what = format!(
            "no component {owner} is installed, in a folder or in the program; until it comes, the entry does nothing"
        );
        findings.push(document.note(path, what));
    };
    for (table, key) in OWNERS {
        for (name, it) in table_of(config, table) {
            for entry in it.get(key).and_then(toml::Value::as_array).into_iter().flatten() {
                let owner = match entry.as_str() {
                    Some(it) => it.strip_prefix("component:"),
                    None => entry.get("component").and_then(toml::Value::as_str),
                };
                owner.into_iter().for_each(|it| look(&[table, name, key], it));
            }
        }
    }
    for (name, _) in table_of(config, "endpoints") {
        let target = config.endpoints.get(name);
        target.into_iter().for_each(|it| look(&["endpoints", name], &it.component));
    }
    findings
}

/// The entries of a table that the file writes.
fn table_of<'a>(
    config: &'a Config,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a toml::Value)> {
    config.written.get(name).and_then(toml::Value::as_table).into_iter().flatten()
}

/// Tools that the file names for assistants and that no component offers. Offers of other servers are unknown.
fn unoffered(
    config: &Config,
    document: &Document<'_>,
    tools: &[(String, Vec<Tool>)],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let offered: BTreeSet<_> = tools.iter().flat_map(|it| &it.1).map(|it| &*it.name).collect();
    for (assistant, it) in table_of(config, "assistants").filter(|_| config.servers.is_empty()) {
        for key in ["tools", "asks", "trusts", "picture_tool"] {
            let named = it.get(key).map_or(&[][..], |it| match it {
                toml::Value::Array(all) => all,
                one => std::slice::from_ref(one),
            });
            let named = named.iter().filter_map(toml::Value::as_str);
            for tool in named.filter(|it| is_name(it) && !offered.contains(it)) {
                let meant = meant(tool, offered.iter().copied());
                let what = format!("no component that runs here has a tool {tool}{meant}");
                findings.push(document.note(&["assistants", assistant, key], what));
            }
        }
    }
    findings
}

/// Lists all problems of `config`, read from `document`.
pub fn check<'a>(config: &'a Config, document: &'a Document<'_>) -> BoxFuture<'a, Vec<Finding>> {
    Box::pin(async move {
        let mut findings = Vec::new();
        let problems = config.problems();
        let may_try = !problems.iter().any(Problem::is_of_limits);
        for problem in problems {
            let path: Vec<_> = problem.path.iter().map(String::as_str).collect();
            findings.push(Finding {
                is_problem: problem.is_fatal,
                ..document.problem(&path, problem.what)
            });
        }
        findings.extend(untrusting(config, document));
        findings.extend(notes(config, document));
        if config.page.tiles.as_ref().is_some_and(|it| it.may_have_key()) {
            let message = "the address may have a key in it, which everybody sees who sees the page; use one that is limited to this page";
            findings.push(document.note(&["page", "tiles", "url"], message.to_owned()));
        }
        findings.extend(unverifiable(config, document));
        findings.extend(ownerless(config, document));
        for (name, component) in &config.components {
            let mut asked = component.asks.iter().flatten().filter(|it| *it != "*");
            if let Some(unknown) = asked.find(|it| !config.assistants.has(it)) {
                let what =
                    format!("there is no assistant {unknown}; [assistants.{unknown}] would be one");
                findings.push(document.problem(&["components", name, "asks"], what));
            }
            if let Some((key, what)) = component.wrong_calls() {
                findings.push(document.problem(&["components", name, key], what));
            }
        }
        for named in document.named() {
            findings.extend(missing(config, document, &named));
        }
        for name in config.components.keys() {
            let settings = &config.component(name).settings;
            // A file that is not there has been reported above.
            if let (_, Some(error @ base::settings::SettingsError::Json { .. })) =
                Settings::salvage(settings, &config.base)
            {
                let path = ["components", name, "settings"];
                findings.push(document.problem(&path, error.to_string()));
            }
        }
        if config.data.exists() && !config.data.is_dir() {
            findings.push(document.problem(&["data"], absent(&config.data, "folder")));
        }
        for (name, server) in &config.servers {
            let missing = server.missing(&config.base);
            findings.extend(missing.map(|what| document.problem(&["servers", name], what)));
            let weak = server.weak_secret(&config.base);
            findings.extend(weak.map(|what| document.note(&["servers", name], what)));
        }
        if may_try {
            installed(config, document, &mut findings).await;
        }
        findings
    })
}

/// The names of the components that are installed, in the folder or in the program.
pub fn installed_names(config: &Config) -> Vec<String> {
    let library = Library::look(config);
    let mut names: Vec<_> =
        library.files().unwrap_or_default().into_iter().map(|it| it.0).collect();
    names.extend(library.bundled());
    names.sort();
    names.dedup();
    names
}

/// A finding where what `named` names is not there.
fn missing(config: &Config, document: &Document<'_>, named: &Named) -> Option<Finding> {
    let path = config.base.join(&named.value);
    let message = match named.reference {
        Reference::Variable if std::env::var_os(&named.value).is_some() => return None,
        Reference::Variable => format!(
            "the environment variable {} is not set; set it, or take this line out",
            named.value
        ),
        Reference::File if path.is_file() => return None,
        Reference::File => absent(&path, "file"),
        Reference::Folder if path.is_dir() => return None,
        Reference::Folder => absent(&path, "folder"),
    };
    let mut finding = document.problem(&named.path(), message);
    // Without the variable, the component has what it would without the line.
    finding.is_problem = named.is_required;
    Some(finding)
}

fn absent(path: &Path, kind: &str) -> String {
    match path.exists() {
        true => format!("{} is not a {kind}", path.display()),
        false => {
            format!("there is no {kind} {}; paths count from the file's own folder", path.display())
        }
    }
}

/// Checks installed components against grants and settings, and finds unused grants.
async fn installed(config: &Config, document: &Document<'_>, findings: &mut Vec<Finding>) {
    let library = Library::look(config);
    let files = library.files().unwrap_or_else(|error| {
        let message = format!("it cannot be read: {error}; let this program read it");
        findings.push(document.problem(&["components_folder"], message));
        Vec::new()
    });
    let folder = config.components_folder.as_ref().filter(|it| !config.base.join(it).exists());
    if let Some(folder) = folder.filter(|_| document.has_entry(&["components_folder"])) {
        let message = absent(&config.base.join(folder), "folder");
        findings.push(document.note(&["components_folder"], message));
    }
    let files: Vec<_> = files.into_iter().map(|it| it.0).collect();
    let mut names = installed_names(config);
    for name in document.components().filter(|it| !names.contains(it)) {
        let message = format!("no component {name} is installed, in a folder or in the program");
        findings.push(document.note(&["components", &name], message));
    }
    names.retain(|it| config.component(it).enabled != Some(false));
    if !names.iter().any(|it| config.component(it).has(Grant::Runs)) {
        for table in TABLES.into_iter().filter(|it| document.has_entry(&[*it])) {
            let message = "no component that runs assistants (grant \"runs\") is installed, so that none of it is used, nor checked here";
            findings.push(document.note(&[table], message.to_owned()));
        }
    }
    let sandbox = match Sandbox::with(&config.sandbox, config.memory_bytes_max()) {
        Ok(sandbox) => sandbox,
        Err(error) => {
            let message = format!("the sandbox cannot be set up: {error:#}");
            return findings.push(document.problem(&["limits"], message));
        }
    };
    let names_tools =
        !config.toolsets.is_empty() || table_of(config, "assistants").next().is_some();
    let mut tools = Vec::new();
    let count = names.len();
    for name in names {
        let source = match files.contains(&name) {
            true => library.read(&name).map_err(LoadError::from),
            false => library.read_bundled(&name).ok_or_else(|| file_not_found().into()),
        };
        let compiled = match source {
            Ok(source) => Compiled::load_or_compile(&library, &sandbox, &source).await,
            Err(error) => Err(error),
        };
        match compiled {
            Ok(compiled) => {
                if fits(config, document, &name, &compiled, findings) {
                    if names_tools
                        && let Ok(solo) = Solo::on_trial(config, &name)
                        && let Ok(component) = solo.describe(&compiled).await
                    {
                        tools.push((name.clone(), component.tools().to_vec()));
                    }
                    accepts(config, document, &name, &compiled, findings).await;
                }
            }
            Err(error) => {
                findings.push(document.problem(&["components", &name], error.to_string()));
            }
        }
    }
    findings.extend(idle(config, document, &tools));
    // What could not be described may have it.
    if tools.len() == count {
        findings.extend(unoffered(config, document, &tools));
    }
}

fn file_not_found() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::NotFound, "it has gone")
}

/// Tables of the file that are settings of the component that runs assistants.
const TABLES: [&str; 3] = ["assistants", "models", "chat"];

/// Whether the component named `name` accepts its settings: it is given them, on a database that is
/// thrown away.
async fn accepts(
    config: &Config,
    document: &Document<'_>,
    name: &str,
    compiled: &Compiled,
    findings: &mut Vec<Finding>,
) {
    let outcome = match Solo::on_trial(config, name) {
        Ok(solo) => {
            let asked = solo.read_settings();
            let outcome = solo.start_compiled(compiled).await.map(|_| ());
            findings.extend(unread_settings(document, name, &asked.names()));
            outcome
        }
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => {}
        // Files and folders that are not there have been reported above.
        Err(LoadError::Settings(_) | LoadError::HostResources(_)) => {}
        Err(LoadError::Configure(problems)) => {
            let given = config.component(name);
            for problem in problems {
                let setting = problem.pointer.split('/').nth(1).unwrap_or_default();
                if given.has(Grant::Runs) && TABLES.contains(&setting) {
                    let place: Vec<_> = problem.pointer.split('/').skip(1).collect();
                    findings.push(document.problem(&place, problem.message));
                    continue;
                }
                let (table, source) = given.source_of(setting, &config.base);
                let message = match problem.pointer.as_str() {
                    "" => format!("its settings are refused: {}", problem.message),
                    pointer => {
                        format!("its settings are refused: {pointer}: {}{source}", problem.message)
                    }
                };
                let mut place = vec!["components", name, table, setting];
                place.retain(|it| !it.is_empty());
                findings.push(document.problem(&place, message));
            }
        }
        Err(error) => findings.push(document.problem(&["components", name], error.to_string())),
    }
}

/// Minimum similarity (0 to 1) of a suggested name.
const ALIKE: f64 = 0.8;

/// A question whether the nearest of `known` is meant by `name`; empty if none is near.
fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let alike = known.map(|it| (strsim::jaro_winkler(it, name), it));
    let nearest = alike.filter(|it| it.0 >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|(_, it)| format!("; is {it} meant?")).unwrap_or_default()
}

/// The settings that the file has for the component named `name`, and that this one has not asked for as it
/// prepared itself, though for others: there they would be typos. One that asks for none then may ask in its calls.
fn unread_settings(document: &Document<'_>, name: &str, asked: &BTreeSet<String>) -> Vec<Finding> {
    if asked.is_empty() {
        return Vec::new();
    }
    let written = document.settings(name).into_iter().filter(|it| !asked.contains(&it.1));
    let note = |(table, setting): (&str, String)| {
        let meant = meant(&setting, asked.iter().map(String::as_str));
        let message = format!(
            "the component did not ask for it as it prepared itself, so that it may know no such setting{meant}"
        );
        document.note(&["components", name, table, &setting], message)
    };
    written.map(note).collect()
}

/// Checks grants of a component against its imports and exports. Returns false if it is not let in.
fn fits(
    config: &Config,
    document: &Document<'_>,
    name: &str,
    compiled: &Compiled,
    findings: &mut Vec<Finding>,
) -> bool {
    let (imports, exports) = inspect::parts(compiled, name, config);
    let place = ["components", name, "grants"];
    if let Some(message) = inspect::refusal(name, &imports, compiled, config) {
        findings.push(document.problem(&place, message));
        return false;
    }
    let granted = config.component(name).grants.unwrap_or_default();
    for grant in inspect::granted_by(&exports).difference(&granted) {
        let message = format!(
            "it exports {grant}, which is not granted and so not used; to grant it, add \"{grant}\" to its grants"
        );
        findings.push(document.note(&place, message));
    }
    let mut used = inspect::granted_by(&imports);
    used.extend(inspect::granted_by(&exports));
    let idle: Vec<_> = granted.difference(&used).map(Grant::to_string).collect();
    // Default grants of bundled components are no mistake of the file.
    if !idle.is_empty() && document.line(&place).is_some() {
        let message = format!("it does not use what it is granted: {}", idle.join(", "));
        findings.push(document.note(&place, message));
    }
    true
}

// The text of a configuration: finds lines of entries, and files, folders and variables that they name.

/// A configuration file that can be read as TOML, or none.
#[derive(Default)]
pub struct Document<'a> {
    text: &'a str,
    root: Option<Spanned<DeTable<'a>>>,
}

/// Kind of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reference {
    File,
    Folder,
    Variable,
}

/// A reference outside the file that an entry names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    reference: Reference,
    value: String,
    /// Whether something is missing without it.
    is_required: bool,
    path: Vec<String>,
}

impl Named {
    fn path(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }
}

impl<'a> Document<'a> {
    /// The document in `text`; an empty one where it is no TOML.
    pub fn new(text: &'a str) -> Self {
        Self { text, root: DeTable::parse(text).ok() }
    }

    /// The line of the entry at `path`, or of the nearest one above that is there.
    ///
    /// A number is an array index.
    pub fn line(&self, path: &[&str]) -> Option<usize> {
        let mut table = self.root.as_ref()?.get_ref();
        let mut at = None;
        let mut steps = path.iter();
        while let Some(step) = steps.next() {
            let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == step) else {
                // The table is there, the entry is not: its default is what counts.
                break;
            };
            at = Some(key.span().start);
            let mut value = value.get_ref();
            while let Some(array) = value.as_array()
                && let Some(element) =
                    steps.next().and_then(|it| array.get(it.parse::<usize>().ok()?))
            {
                at = Some(element.span().start);
                value = element.get_ref();
            }
            match value.as_table() {
                Some(next) => table = next,
                None => break,
            }
        }
        at.map(|at| self.text[..at].matches('\n').count() + 1)
    }

    /// Whether the file has an entry at `path` itself.
    pub fn has_entry(&self, path: &[&str]) -> bool {
        let mut table = self.root.as_ref().map(Spanned::get_ref);
        path.iter().enumerate().all(|(at, step)| {
            let value = table.and_then(|it| it.get(*step)).map(Spanned::get_ref);
            table = value.and_then(DeValue::as_table);
            value.is_some() && (table.is_some() || at + 1 == path.len())
        })
    }

    /// The names of the tables under `[components]`.
    fn components(&self) -> impl Iterator<Item = String> {
        let components = self.table(&["components"]);
        components.into_iter().flat_map(|it| it.keys()).map(|it| it.get_ref().to_string())
    }

    /// The names of the settings of the component named `component`, each with the table that has it.
    fn settings(&self, component: &str) -> Vec<(&'static str, String)> {
        let of = |table| {
            let entries = self.entries(&["components", component, table]);
            entries.into_iter().map(move |it| (table, it.0))
        };
        ["settings", "environment"].into_iter().flat_map(of).collect()
    }

    /// The files, folders and environment variables that `[components.NAME]` names.
    fn named(&self) -> Vec<Named> {
        let mut found = Vec::new();
        for name in self.components() {
            for (part, reference) in [("files", Reference::File), ("folders", Reference::Folder)] {
                for (key, value) in self.entries(&["components", &name, part]) {
                    let path = ["components", &name, part, &key];
                    found.extend(named(reference, value.as_str(), true, &path));
                }
            }
            for (key, value) in self.entries(&["components", &name, "settings"]) {
                let file = value.as_table().filter(|it| it.len() == 1);
                let file = file.and_then(|it| it.get("file")).and_then(|it| it.get_ref().as_str());
                found.extend(named(
                    Reference::File,
                    file,
                    true,
                    &["components", &name, "settings", &key],
                ));
            }
            for (key, value) in self.entries(&["components", &name, "environment"]) {
                let path = ["components", &name, "environment", &key];
                found.extend(named(Reference::Variable, value.as_str(), false, &path));
            }
            if let Some(table) = self.table(&["components", &name]) {
                let variable = table.get("http_environment").and_then(|it| it.get_ref().as_str());
                let path = ["components", &name, "http_environment"];
                found.extend(named(Reference::Variable, variable, false, &path));
            }
            self.secrets(&name, &mut found);
        }
        found
    }

    /// Sources of the secrets of a component's hosts.
    fn secrets(&self, name: &str, found: &mut Vec<Named>) {
        let http = self.table(&["components", name]).and_then(|it| it.get("http"));
        let hosts = http.and_then(|it| it.get_ref().as_array());
        for (host_at, host) in hosts.into_iter().flatten().enumerate() {
            let optional = host.get_ref().get("optional").and_then(|it| it.get_ref().as_bool());
            let secrets = host.get_ref().get("secrets").and_then(|it| it.get_ref().as_array());
            for (at, secret) in secrets.into_iter().flatten().enumerate() {
                for (key, reference) in
                    [("file", Reference::File), ("environment", Reference::Variable)]
                {
                    let value = secret.get_ref().get(key).and_then(|it| it.get_ref().as_str());
                    let (host_at, at) = (host_at.to_string(), at.to_string());
                    let path = ["components", name, "http", &host_at, "secrets", &at, key];
                    found.extend(named(reference, value, optional != Some(true), &path));
                }
            }
        }
    }

    fn table(&self, path: &[&str]) -> Option<&DeTable<'a>> {
        let mut table = self.root.as_ref()?.get_ref();
        for step in path {
            table = table.get(*step)?.get_ref().as_table()?;
        }
        Some(table)
    }

    fn entries(&self, path: &[&str]) -> Vec<(String, &DeValue<'a>)> {
        let table = self.table(path).into_iter().flatten();
        table.map(|(key, value)| (key.get_ref().to_string(), value.get_ref())).collect()
    }

    pub(crate) fn problem(&self, path: &[&str], message: String) -> Finding {
        let about = path.join(".");
        Finding { line: self.line(path), is_problem: true, about, message }
    }

    fn note(&self, path: &[&str], message: String) -> Finding {
        Finding { is_problem: false, ..self.problem(path, message) }
    }
}

fn named(
    reference: Reference,
    value: Option<&str>,
    is_required: bool,
    path: &[&str],
) -> Option<Named> {
    let path = path.iter().map(|it| (*it).to_owned()).collect();
    Some(Named { reference, value: value?.to_owned(), is_required, path })
}

// Finds entries of `[toolsets]` without effect and toolsets without tools.

/// Finds entries of toolsets without effect.
fn notes(config: &Config, document: &Document<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, toolset) in config.toolsets.iter() {
        if !toolset.is_searched() && !toolset.always.is_empty() {
            let what = "tools/list has all of its tools anyway; discovery = \"search\" would leave out what is not always listed";
            findings.push(document.note(&["toolsets", name, "always"], what.to_owned()));
        }
    }
    findings
}

/// The toolsets that choose none of `tools`, by component, which are all that are installed.
fn idle(config: &Config, document: &Document<'_>, tools: &[(String, Vec<Tool>)]) -> Vec<Finding> {
    let has_one = |toolset: &Toolset| {
        // Offers of servers are unknown before connecting.
        config.servers.keys().any(|it| toolset.may_have_of(Owner::Server(it)))
            || tools.iter().any(|(component, tools)| {
                let owner = Owner::Component(component);
                tools.iter().any(|it| toolset.has(owner, &it.name, it.hints))
            })
    };
    let idle = config.toolsets.iter().filter(|(_, it)| !has_one(it));
    let note = |(name, _)| {
        let what = "it chooses no tool of the components that are installed; until one comes that it chooses, it is empty";
        document.note(&["toolsets", name], what.to_owned())
    };
    idle.map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unread_setting_is_reported_with_a_suggestion() {
        let text = "[components.shop.settings]\ntimezon = 1\nhold = 2\nx = 3\n\
            [components.shop.environment]\nTimezone = 'TZ'\n";
        let document = Document::new(text);
        let asked = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let found = unread_settings(&document, "shop", &asked(&["timezone", "hold"]));
        let found: Vec<_> = found.iter().map(|it| (it.line, &*it.about, &*it.message)).collect();
        let [typo, other, variable] = found[..] else { panic!("{found:?}") };
        assert_eq!((typo.0, typo.1), (Some(2), "components.shop.settings.timezon"));
        assert!(typo.2.ends_with("; is timezone meant?"), "{}", typo.2);
        assert_eq!((other.0, other.2.contains("meant")), (Some(4), false), "{}", other.2);
        assert_eq!(variable.1, "components.shop.environment.Timezone");
        assert_eq!(unread_settings(&document, "shop", &asked(&[])), []);
    }

    const TEXT: &str = "addr = '127.0.0.1:0'\n\n[components.shop]\ngrants = ['sql']\n\
        files.plan = 'plan.txt'\nsettings.catalog = { file = 'films.json' }\nhttp_environment = 'ALLOWED'\n\n\
        [[components.shop.http]]\nhost = 'a.example'\n\
        secrets = [{ header = 'x', environment = 'KEY' }]\n";

    #[test]
    fn finds_entry_line_or_the_line_above_a_missing_one() {
        let document = Document::new(TEXT);
        assert_eq!(document.line(&["addr"]), Some(1));
        assert_eq!(document.line(&["components", "shop", "grants"]), Some(4));
        assert_eq!(document.line(&["components", "shop", "limits"]), Some(3));
        let secret = ["components", "shop", "http", "0", "secrets", "0", "environment"];
        assert_eq!(document.line(&secret), Some(11));
        assert_eq!(document.line(&["data"]), None);
        assert!(document.has_entry(&["components", "shop", "grants"]));
        assert!(!document.has_entry(&["components", "shop", "limits"]));
    }

    #[test]
    fn finds_files_folders_and_variables_wherever_they_are_named() {
        let found = Document::new(TEXT).named();
        let found: Vec<_> = found.iter().map(|it| (it.reference, it.value.as_str())).collect();
        let expected = [
            (Reference::File, "plan.txt"),
            (Reference::File, "films.json"),
            (Reference::Variable, "ALLOWED"),
            (Reference::Variable, "KEY"),
        ];
        assert_eq!(found, expected);
        assert!(Document::new("= no TOML").named().is_empty());
    }
}
