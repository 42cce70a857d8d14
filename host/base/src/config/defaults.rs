//! Defaults of every installation: those of the program, and those of each bundled component.

use std::collections::BTreeMap;

use toml::{Table, Value};
use wasmparser::{Parser, Payload};

use super::{ComponentConfig, ConfigError, ModelConfig, Policy, error::in_plain_terms};
use crate::{
    grants::Stubs,
    source::{Embedded, Start},
};

/// The program's own file, which names no component.
const PROGRAM_DEFAULTS: &str = include_str!("../default.toml");
/// Custom section with a component's defaults, as TOML.
pub const SECTION: &str = "madoguchi:defaults";
const BYTES_MAX: usize = 64 << 10;

/// Defaults of an installation with those components.
///
/// # Errors
/// If the defaults of a bundled component are invalid.
pub(super) fn start(embedded: &Embedded) -> Result<&Start, ConfigError> {
    let all = embedded.start(|| all(embedded)).as_ref();
    all.map_err(|(table, what)| ConfigError::Unworkable {
        table: table.clone(),
        what: format!("what it starts from cannot be used: {what}"),
    })
}

fn all(embedded: &Embedded) -> Result<Start, (String, String)> {
    let mut models = BTreeMap::new();
    let mut all = toml::from_str(PROGRAM_DEFAULTS)
        .map_err(|it| ("default.toml".to_owned(), it.to_string()))?;
    let mut more = Vec::new();
    for name in embedded.names() {
        let Some(source) = embedded.component(&name) else { continue };
        let added = section(&source.bytes).and_then(|text| match text {
            Some(text) => {
                models.insert(name.clone(), parse(&text)?.models);
                add(&mut all, &name, &text)
            }
            None => Ok(Vec::new()),
        });
        let added = added.map_err(|what| (format!("components.{name}"), what))?;
        more.extend(added.into_iter().map(|it| (name.clone(), it)));
    }
    for (name, (assistant, table)) in more {
        extend(&mut all, &assistant, table).map_err(|what| (format!("components.{name}"), what))?;
    }
    Ok(Start { table: all, models })
}

/// Why all of it together is no configuration.
pub(super) fn unusable(error: toml::de::Error) -> ConfigError {
    ConfigError::Unworkable {
        table: "endpoints or components".to_owned(),
        what: format!("what bundled components start from cannot be used: {}", error.message()),
    }
}

/// The text of the section, where the component has one; a module inside it may have it, too.
///
/// # Errors
/// If there are several sections, or one is too long or no text.
pub fn section(component: &[u8]) -> Result<Option<String>, String> {
    let mut found = None;
    for payload in Parser::new(0).parse_all(component) {
        let Ok(Payload::CustomSection(section)) = payload else { continue };
        if section.name() != SECTION {
            continue;
        }
        if section.data().len() > BYTES_MAX {
            return Err(format!("its section {SECTION} has more than {BYTES_MAX} bytes"));
        }
        let text = str::from_utf8(section.data())
            .map_err(|_| format!("its section {SECTION} is no text in UTF-8"))?;
        if found.replace(text.to_owned()).is_some() {
            return Err(format!("it has more than one section {SECTION}"));
        }
    }
    Ok(found)
}

/// Imports that the component declares as unused (SYS-62). They need no acceptance, because a stub grants nothing.
/// `None` without a valid declaration.
pub fn own_stubs(component: &[u8]) -> Option<Stubs> {
    let Defaults { component, .. } = parse(&section(component).ok()??).ok()?;
    let stubs: Stubs = component.get("stubs")?.clone().try_into().ok()?;
    stubs.check().is_ok().then_some(stubs)
}

/// Defaults of one component.
pub struct Defaults {
    /// Entries of `[components.NAME]`.
    pub(super) component: Table,
    /// Other addresses of its endpoints, and where under its own they lead.
    pub(super) addresses: Table,
    /// Entries of `[assistants]`. One without a prompt extends an existing assistant.
    pub(super) assistants: Table,
    /// Entries of `[models]` and `[chat]`.
    pub(super) models: Table,
    chat: Table,
    /// The one that answers at `/api/chat` where a request names none.
    answers_chat: Option<String>,
}

/// Adds the defaults in `text` of the component `name`: its entries, addresses, assistants and models. Returns
/// extensions of other assistants, which may be added later.
fn add(all: &mut Table, name: &str, text: &str) -> Result<Vec<(String, Table)>, String> {
    let Defaults { component, addresses, assistants, models, chat, answers_chat } = parse(text)?;
    for (table, added) in [("models", models), ("chat", chat)] {
        let all = entry(all, table)?;
        for (key, value) in added {
            if all.insert(key.clone(), value).is_some() {
                return Err(format!("{table}.{key} is there already"));
            }
        }
    }
    if let Some(assistant) = answers_chat {
        let taken = entry(all, "chat")?.insert("assistant".to_owned(), assistant.into());
        if let Some(other) = taken {
            return Err(format!("{other} answers at /api/chat already"));
        }
    }
    let mut more = Vec::new();
    for (assistant, table) in assistants {
        let table = match table {
            Value::Table(added) if !added.contains_key("prompt") => {
                more.push((assistant, added));
                continue;
            }
            table => table,
        };
        if entry(all, "assistants")?.insert(assistant.clone(), table).is_some() {
            return Err(format!("assistants.{assistant} is there already"));
        }
    }
    for (address, path) in addresses {
        let path = path.as_str().ok_or_else(|| format!("addresses.{address} is no path"))?;
        let target = if path.is_empty() { name.to_owned() } else { format!("{name}/{path}") };
        let taken = entry(all, "endpoints")?.insert(address.clone(), target.into());
        if let Some(other) = taken {
            return Err(format!("addresses.{address} is that of {other} already"));
        }
    }
    entry(all, "components")?.insert(name.to_owned(), component.into());
    Ok(more)
}

/// Extends an existing assistant: appends to its lists, and sets missing entries.
fn extend(all: &mut Table, assistant: &str, table: Table) -> Result<(), String> {
    let settings = entry(all, "assistants")?.get_mut(assistant).and_then(Value::as_table_mut);
    let settings = settings.ok_or_else(|| format!("assistants.{assistant} is nowhere else"))?;
    for (key, value) in table {
        match (settings.get_mut(&key), value) {
            (Some(Value::Array(list)), Value::Array(added)) => list.extend(added),
            (Some(_), _) => return Err(format!("assistants.{assistant}.{key} is said already")),
            (None, value) => _ = settings.insert(key, value),
        }
    }
    Ok(())
}

/// Parses the section.
///
/// # Errors
/// If the text is no TOML, or sets something that components cannot receive.
pub fn parse(text: &str) -> Result<Defaults, String> {
    let placed = |error: toml::de::Error| {
        let line = error.span().map(|it| text[..it.start].matches('\n').count() + 1);
        line.map(|it| format!("line {it}: ")).unwrap_or_default() + &in_plain_terms(error.message())
    };
    let mut component: Table = toml::from_str(text).map_err(placed)?;
    let mut apart = |name: &str| match component.remove(name) {
        Some(Value::Table(table)) => Ok(table),
        Some(_) => Err(format!("{name} is no table")),
        None => Ok(Table::new()),
    };
    let (addresses, mut assistants) = (apart("addresses")?, apart("assistants")?);
    let (models, chat) = (apart("models")?, apart("chat")?);
    for (name, model) in &models {
        let read: Result<ModelConfig, _> = model.clone().try_into();
        read.map_err(|it| format!("models.{name}: {}", it.message()))?;
    }
    let mut answers_chat = None;
    for (name, assistant) in &mut assistants {
        let answers = assistant.as_table_mut().and_then(|it| it.remove("answers_chat"));
        if answers == Some(true.into()) && answers_chat.replace(name.clone()).is_some() {
            return Err("only one assistant answers at /api/chat".to_owned());
        }
        let read: Result<Policy, _> = assistant.clone().try_into();
        read.map_err(|it| format!("assistants.{name}: {}", it.message()))?;
    }
    let read: Result<ComponentConfig, _> = component.clone().try_into();
    let read = read.map_err(|error| {
        let (shown, what) = (error.to_string(), in_plain_terms(error.message()));
        let key = shown.trim_end().rsplit_once("\nin `").map(|it| it.1.trim_end_matches('`'));
        key.map(|it| format!("{it}: ")).unwrap_or_default() + &what
    })?;
    for (key, is_said) in [("changed", read.changed.is_some()), ("require", read.require.is_some())]
    {
        if is_said {
            return Err(format!("{key}: the operator alone says that"));
        }
    }
    Ok(Defaults { component, addresses, assistants, models, chat, answers_chat })
}

fn entry<'a>(all: &'a mut Table, name: &str) -> Result<&'a mut Table, String> {
    let entry = all.entry(name).or_insert_with(|| Table::new().into());
    entry.as_table_mut().ok_or_else(|| format!("{name} is no table"))
}

/// The table `name` of the program's own file, with those entries changed that the operator's names.
pub(super) fn merged<T: serde::de::DeserializeOwned>(
    [ours, theirs]: [&Table; 2],
    name: &str,
) -> Result<T, ConfigError> {
    let table = |it: &Table| it.get(name).and_then(|it| it.as_table()).cloned();
    let mut merged = table(ours).unwrap_or_default();
    change(&mut merged, table(theirs).unwrap_or_default());
    let unworkable = |error: toml::de::Error| ConfigError::Unworkable {
        table: name.to_owned(),
        what: error.message().to_owned(),
    };
    Value::Table(merged).try_into().map_err(unworkable)
}

/// Merges `other` recursively.
fn change(table: &mut Table, other: Table) {
    for (name, value) in other {
        match (table.get_mut(&name), value) {
            (Some(Value::Table(own)), Value::Table(value))
                if !(is_place(own) && is_place(&value)) =>
            {
                change(own, value);
            }
            (_, value) => _ = table.insert(name, value),
        }
    }
}

/// Whether the table names the source of one value. The operator's then replaces ours.
fn is_place(table: &Table) -> bool {
    let is_one = |name: &&str| table.get(*name).is_some_and(Value::is_str);
    table.len() == 1 && ["environment", "file", "value"].iter().any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A component file with these sections beside its version.
    fn component(sections: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
        let number = |bytes: &mut Vec<u8>, mut number: usize| loop {
            let low = (number & 0x7f) as u8;
            number >>= 7;
            bytes.push(if number > 0 { low | 0x80 } else { low });
            if number == 0 {
                break;
            }
        };
        for (name, data) in sections {
            let mut section = Vec::new();
            number(&mut section, name.len());
            section.extend(name.as_bytes());
            section.extend(*data);
            bytes.push(0);
            number(&mut bytes, section.len());
            bytes.extend(section);
        }
        bytes
    }

    /// PIN-5.
    #[test]
    fn wrong_defaults_name_line_or_key() {
        for (text, part) in [
            ("\ngrants = ['sql'\n", "line 2: "),
            ("grants = ['htp']\n", "grants: unknown variant `htp`"),
        ] {
            let what = parse(text).err().unwrap();
            assert!(what.contains(part), "{what}");
        }
    }

    #[test]
    fn component_cannot_set_how_its_changes_are_accepted() {
        let refused = parse("grants = ['sql']\nchanged = 'take'").err().unwrap();
        assert!(refused.contains("changed"), "{refused}");
        let refused = parse("require = 'own.pem'").err().unwrap();
        assert!(refused.contains("the operator alone"), "{refused}");
    }

    #[test]
    fn reads_component_defaults_from_a_section() {
        let bytes = component(&[("other", b"x"), (SECTION, b"grants = ['sql']")]);
        assert_eq!(section(&bytes).unwrap().as_deref(), Some("grants = ['sql']"));
        assert_eq!(section(&component(&[("other", b"x")])), Ok(None));
        assert_eq!(section(b"no component"), Ok(None));
    }

    #[test]
    fn rejects_duplicate_oversized_or_non_utf8_section() {
        let long = vec![b' '; BYTES_MAX + 1];
        for (sections, what) in [
            (&[(SECTION, &b""[..]), (SECTION, b"")][..], "more than one"),
            (&[(SECTION, &long[..])], "more than 65536 bytes"),
            (&[(SECTION, b"\xff")], "UTF-8"),
        ] {
            let error = section(&component(sections)).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
    }

    #[test]
    fn reads_own_stubs_from_a_valid_section() {
        let stubs = |text: &str| own_stubs(&component(&[(SECTION, text.as_bytes())]));
        let found = stubs("grants = ['sql']\nstubs = ['wasi:clocks']").unwrap();
        assert!(found.has("wasi:clocks/wall-clock@0.2.9") && !found.has("wasi:io/poll@0.2.9"));
        for none in ["", "grants = ['sql']", "stubs = ['wasi:clocks@0.2.9']", "stubs = 1", "="] {
            assert_eq!(stubs(none), None, "SYS-62: {none}");
        }
        assert_eq!(own_stubs(b"garbage"), None);
    }

    #[test]
    fn adds_defaults_under_the_name_with_resolved_addresses() {
        let mut all = Table::new();
        let text = "grants = ['clock']\n[limits]\ncalls_max = 2\n[addresses]\na = ''\nb = 'c/d'";
        add(&mut all, "shop", text).unwrap();
        assert_eq!(all["components"]["shop"]["limits"]["calls_max"], 2.into());
        assert_eq!(all["endpoints"]["a"], "shop".into());
        assert_eq!(all["endpoints"]["b"], "shop/c/d".into());
        assert!(all["components"]["shop"].get("addresses").is_none());
        let error = add(&mut all, "other", "[addresses]\na = ''").unwrap_err();
        assert!(error.contains("addresses.a"), "{error}");
    }

    #[test]
    fn adds_bundled_assistants_to_those_of_others() {
        let mut all = Table::new();
        let text = "grants = []\n[assistants.clerk]\ntitle = 'Clerk'\nprompt = 'Sell.'";
        add(&mut all, "shop", text).unwrap();
        assert_eq!(all["assistants"]["clerk"]["title"], "Clerk".into());
        assert!(all["components"]["shop"].get("assistants").is_none());
        let error = add(&mut all, "other", text).unwrap_err();
        assert!(error.contains("assistants.clerk is there already"), "{error}");
    }

    #[test]
    fn merges_promptless_assistant_into_existing_one() {
        let mut all = Table::new();
        let text = "[assistants.clerk]\ntrusts = ['b']\npicture_tool = 'c'";
        let [more] = &add(&mut all, "other", text).unwrap()[..] else { panic!("one is added to") };
        let brought = "[assistants.clerk]\nanswers_chat = true\nprompt = 'Sell.'\ntrusts = ['a']";
        assert_eq!(add(&mut all, "shop", brought).unwrap(), []);
        extend(&mut all, &more.0, more.1.clone()).unwrap();
        let clerk = all["assistants"]["clerk"].as_table().unwrap();
        assert_eq!(clerk["trusts"], vec!["a", "b"].into());
        assert_eq!(clerk["picture_tool"], "c".into());
        assert_eq!(all["chat"]["assistant"], "clerk".into());
        assert!(clerk.get("answers_chat").is_none());
        let table = toml::from_str("picture_tool = 'd'").unwrap();
        assert!(extend(&mut all, "clerk", table).unwrap_err().contains("said already"));
        assert!(extend(&mut all, "nobody", Table::new()).unwrap_err().contains("nowhere"));
        let again = "[assistants.other]\nanswers_chat = true\nprompt = 'No.'";
        assert!(add(&mut all, "third", again).unwrap_err().contains("clerk"));
    }

    #[test]
    fn names_setting_a_component_cannot_receive() {
        for (text, what) in [
            ("grants = ['everything']", "everything"),
            ("grants = [", ""),
            ("colour = 'red'", "colour"),
            ("addresses = 1", "addresses"),
            ("[addresses]\na = 1", "addresses.a"),
            ("[assistants.clerk]\ntools = 'red'", "assistants.clerk"),
            ("grants = 'sql'", "grants: what is right here is a list"),
            ("limits = 5", "limits: what is right here is a table"),
            (
                "limits.memory_bytes_max = 'much'",
                "limits.memory_bytes_max: what is right here is a whole number",
            ),
        ] {
            let error = add(&mut Table::new(), "shop", text).unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        }
    }

    #[test]
    fn default_file_names_no_component() {
        let own: Table = toml::from_str(PROGRAM_DEFAULTS).unwrap();
        assert!(own.get("components").is_none() && own.get("endpoints").is_none());
    }

    #[test]
    fn operator_value_replaces_default_and_keeps_the_rest() {
        let table = |text: &str| -> Table { toml::from_str(text).unwrap() };
        let mut own = table("[a]\nkey = { environment = 'KEY' }\nmodel = 'm'\n[a.more]\nx = 1");
        change(&mut own, table("[a]\nkey = { value = 'k' }\n[a.more]\ny = 2"));
        let expected = table("[a]\nkey = { value = 'k' }\nmodel = 'm'\n[a.more]\nx = 1\ny = 2");
        assert_eq!(own, expected);
    }
}
