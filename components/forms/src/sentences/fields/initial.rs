//! Defaults in sentences (`初期値1`, `medium by default`), and removal of properties that a field cannot
//! have, because the tool would reject the form.

use language::{Language, scan::marks};
use output::form::{Form, SchemaFault, text_of};
use serde_json::{Value, json};

use super::{DEFAULT, Field, bounds, text::Text};

impl Field {
    /// Removes invalid properties and returns them.
    pub(super) fn settle(&mut self) -> Vec<String> {
        let mut lost = Vec::new();
        let mut seen = Vec::new();
        self.options.retain(|option| {
            let is_new = !seen.contains(option);
            seen.push(option.clone());
            is_new
        });
        let words = self.more.remove(DEFAULT);
        while let Err(fault) = read(&self.definition(Language::Japanese, 1)) {
            let name = fault.pointer.rsplit('/').next().unwrap_or_default();
            // If one limit is the kind's own, the other is removed.
            let other = match name.strip_prefix("min") {
                Some(rest) => format!("max{rest}"),
                None => name.replacen("max", "min", 1),
            };
            let Some(value) = self.more.remove(name).or_else(|| self.more.remove(&other)) else {
                break;
            };
            lost.push(text_of(&value));
        }
        let Some(words) = words.as_ref().and_then(Value::as_str) else { return lost };
        let languages = [Language::Japanese, Language::English];
        match languages.iter().any(|it| begin(&mut self.definition(*it, 1), words)) {
            true => drop(self.more.insert(DEFAULT.to_owned(), words.into())),
            false => lost.push(words.to_owned()),
        }
        lost
    }
}

/// A stated default.
pub(super) struct StatedDefault {
    /// Value.
    pub(super) value: String,
    /// Text without the default.
    pub(super) rest: String,
    /// Whether it is unambiguous.
    pub(super) is_sure: bool,
}

/// Parses a default outside brackets: `…フォーム、初期値は中で`, `…, default medium`.
pub(super) fn default_in(text: &str) -> Option<StatedDefault> {
    const HEADS: &str = "初期値は|初期値を|初期値:|初期値|デフォルトは|デフォルトを|デフォルト:|デフォルト|既定値は|既定値を|既定は|default to |defaulting to |defaults to |default is |default: |default ";
    const VALUE_MAX: usize = 20;
    let lower = text.to_ascii_lowercase();
    let heads = marks(HEADS).filter_map(|it| Some((lower.find(it)?, it)));
    let (at, head) = heads.min_by_key(|it| (it.0, usize::MAX - it.1.len()))?;
    let before = &text[..at];
    let is_outside =
        before.matches(['(', '（', '「']).count() == before.matches([')', '）', '」']).count();
    let joint = before.trim_end();
    let is_apart = joint.is_empty()
        || joint.ends_with(['、', ',', '。', ';', '.', '\n', 'で'])
        || joint.ends_with(" with");
    let behind = &text[at + head.len()..];
    let end = behind.find(['、', ',', '。', '\n', ';', '!', '?']).unwrap_or(behind.len());
    let value = bare(&behind[..end]);
    let fits = (1..=VALUE_MAX).contains(&value.chars().count());
    let joint = joint.strip_suffix(" with").unwrap_or(joint).trim_end_matches(['、', ',', ';']);
    (fits && is_outside && is_apart).then(|| StatedDefault {
        value: value.to_owned(),
        rest: format!("{joint}{}", &behind[end..]),
        is_sure: !["初期値", "デフォルト", "default "].contains(&head),
    })
}

/// Strips the words around a value: `中でお願いします`.
fn bare(value: &str) -> &str {
    const TAILS: &str =
        "でお願いします|にしてください|でお願い|にして|としたい|とする|です|だよ|で|に|please";
    let value = value.trim().trim_end_matches('.');
    let tail = marks(TAILS).filter_map(|it| value.strip_suffix(it)).min_by_key(|it| it.len());
    tail.unwrap_or(value).trim().trim_matches(['「', '」', '"', '\''])
}

/// Parses a field's new default: `優先度の初期値は中`, `size defaults to M`, `default priority is medium`.
pub(super) fn of_field(text: &str) -> Option<(&str, &str)> {
    const BEHIND: &str = "の初期値は|の初期値を|の初期値|のデフォルトは|のデフォルトを|のデフォルト|の既定値は|の既定値を| should default to | defaults to | default ";
    const BEFORE: &str = "the default for |default for |the default |default ";
    const LINKS: &str = " is | should be | to |: ";
    let lower = text.to_ascii_lowercase();
    let first = |table: &'static str, from: usize| {
        let found = marks(table).filter_map(|it| Some((from + lower[from..].find(it)?, it.len())));
        found.min_by_key(|it| (it.0, usize::MAX - it.1))
    };
    let lead = marks(BEFORE).find(|it| lower.starts_with(it)).map(str::len);
    let (at, length) = match lead {
        Some(lead) => first(LINKS, lead)?,
        None => first(BEHIND, 0)?,
    };
    let (name, value) = (text[lead.unwrap_or(0)..at].trim(), bare(&text[at + length..]));
    (!name.is_empty() && !value.is_empty()).then_some((name, value))
}

/// Sets the default of the field that accepts `words`; returns whether there is one.
pub(super) fn state(fields: &mut [Field], words: &str) -> bool {
    let holds = |field: &&mut Field| {
        let languages = [Language::Japanese, Language::English];
        let is_written = |it: &Value| ["text", "textarea"].iter().any(|kind| it["type"] == *kind);
        languages.iter().any(|language| {
            let mut definition = field.definition(*language, 1);
            !is_written(&definition) && begin(&mut definition, words)
        })
    };
    let mut able = fields.iter_mut().filter(holds);
    let (Some(field), None) = (able.next(), able.next()) else { return false };
    field.more.insert(DEFAULT.to_owned(), words.into());
    true
}

fn read(field: &Value) -> Result<Form, SchemaFault> {
    Form::read(&json!({ "title": "?", "fields": [field] }))
}

/// Sets the default of a definition; returns whether it accepts `words`.
pub(super) fn begin(field: &mut Value, words: &str) -> bool {
    let Some(value) = value(field, words.trim()) else { return false };
    let mut begun = field.clone();
    begun["default"] = value;
    let is_held = read(&begun).is_ok();
    if is_held {
        *field = begun;
    }
    is_held
}

/// Converts words to a value of the field's type.
fn value(field: &Value, words: &str) -> Option<Value> {
    const TODAY: &str = "今日|本日|きょう|当日|today";
    const TOMORROW: &str = "明日|あした|翌日|tomorrow";
    const ON: &str = "オン|on|チェックあり|チェック済み|あり|はい|yes|true|ticked|checked";
    const OFF: &str = "オフ|off|チェックなし|なし|いいえ|no|false|unticked|unchecked";
    let is = |list| marks(list).any(|it| it == words.to_lowercase());
    match field["type"].as_str()? {
        "number" | "range" => bounds::only(&Text::new(words)).map(bounds::written),
        "date" | "datetime" if is(TODAY) => Some("today".into()),
        "date" | "datetime" if is(TOMORROW) => Some("+1days".into()),
        "checkbox" if is(ON) || is(OFF) => Some(is(ON).into()),
        kind @ ("select" | "radio" | "multiselect") => {
            let same = |it: &Value| it.as_str().is_some_and(|it| it.eq_ignore_ascii_case(words));
            let mut options = field["options"].as_array()?.iter();
            let chosen =
                options.find(|it| same(&it["value"]) || same(&it["label"]))?["value"].clone();
            Some(if kind == "multiselect" { json!([chosen]) } else { chosen })
        }
        "text" | "textarea" | "date" | "datetime" => Some(words.into()),
        // A country code.
        "async-select" if field["name"] == "country" && words.len() == 2 && words.is_ascii() => {
            Some(words.to_uppercase().into())
        }
        _ => None,
    }
}
