//! The text of a configuration: finds lines of entries, and files, folders and variables that they name.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::Finding;

/// A configuration file that can be read as TOML, or none.
#[derive(Default)]
pub struct Document<'a> {
    text: &'a str,
    root: Option<Spanned<DeTable<'a>>>,
}

/// Kind of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    File,
    Folder,
    Variable,
}

/// A reference outside the file that an entry names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) reference: Reference,
    pub(super) value: String,
    /// Whether something is missing without it.
    pub(super) is_required: bool,
    path: Vec<String>,
}

impl Named {
    pub(super) fn path(&self) -> Vec<&str> {
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
    pub(super) fn components(&self) -> impl Iterator<Item = String> {
        let components = self.table(&["components"]);
        components.into_iter().flat_map(|it| it.keys()).map(|it| it.get_ref().to_string())
    }

    /// The names of the settings of the component named `component`, each with the table that has it.
    pub(super) fn settings(&self, component: &str) -> Vec<(&'static str, String)> {
        let of = |table| {
            let entries = self.entries(&["components", component, table]);
            entries.into_iter().map(move |it| (table, it.0))
        };
        ["settings", "environment"].into_iter().flat_map(of).collect()
    }

    /// The files, folders and environment variables that `[components.NAME]` names.
    pub(super) fn named(&self) -> Vec<Named> {
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

    pub(super) fn note(&self, path: &[&str], message: String) -> Finding {
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

#[cfg(test)]
mod tests {
    use super::*;

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
