//! Parses definitions (FORM-15), with the errors of FORM-60.

use std::io;

use serde_json::{Map, Value};

use super::{
    Day, FIELDS_MAX, Fault, Field, Form, Kind, LABEL_CHARS_MAX, Language, NAME_CHARS_MAX,
    SCHEMA_BYTES_MAX, SchemaFault, Wrong,
    condition::{self, is_empty},
    consistency, kind,
};
use crate::text::is_blank;

pub(super) fn form(schema: &Value) -> Result<Form, SchemaFault> {
    let Some(given) = schema.as_object() else {
        let english = "form_schema is missing.";
        return Err(SchemaFault::new("", "form_schemaが指定されていません。", english));
    };
    if !is_small(schema) {
        return Err(SchemaFault::new(
            "",
            format!("form_schemaが大きすぎます（上限: {} KB）。", SCHEMA_BYTES_MAX >> 10),
            format!("form_schema is too big (at most {} KB).", SCHEMA_BYTES_MAX >> 10),
        ));
    }
    let title = text(given, "title")?.filter(|it| !is_blank(it));
    let title = title.ok_or_else(|| {
        SchemaFault::new(
            "/title",
            "フォームタイトル（title）は必須です。",
            "the form's title is required.",
        )
    })?;
    let fields = given.get("fields").and_then(Value::as_array).filter(|it| !it.is_empty());
    let fields = fields.ok_or_else(|| {
        SchemaFault::new(
            "/fields",
            "フォームフィールド（fields）は必須です。",
            "the form's fields are required.",
        )
    })?;
    if fields.len() > FIELDS_MAX {
        let count = fields.len();
        return Err(SchemaFault::new(
            "/fields",
            format!("フォームフィールド（fields）は{FIELDS_MAX}個までです（{count}個あります）。"),
            format!("the form's fields are at most {FIELDS_MAX}; there are {count}."),
        ));
    }
    let form = Form {
        title,
        description: text(given, "description")?,
        submit_label: text(given, "submitLabel")?,
        cancel_label: text(given, "cancelLabel")?,
        fields: fields
            .iter()
            .enumerate()
            .map(|(at, it)| field(at, it))
            .collect::<Result<_, _>>()?,
    };
    consistency::check_links(&form)?;
    Ok(form)
}

/// Whether the definition is within the size limit; stops counting there.
fn is_small(schema: &Value) -> bool {
    struct Room(usize);
    impl io::Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer(&mut Room(SCHEMA_BYTES_MAX), schema).is_ok()
}

/// A text of the form; an empty one counts as absent.
fn text(given: &Map<String, Value>, property: &str) -> Result<Option<String>, SchemaFault> {
    match given.get(property) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.chars().count() <= LABEL_CHARS_MAX => {
            Ok(Some(text.clone()).filter(|it| !it.is_empty()))
        }
        Some(_) => Err(SchemaFault::new(
            format!("/{property}"),
            format!("{property}は{LABEL_CHARS_MAX}文字までの文字列で指定してください。"),
            format!("{property} must be a text of at most {LABEL_CHARS_MAX} characters."),
        )),
    }
}

fn field(index: usize, value: &Value) -> Result<Field, SchemaFault> {
    let pointer = format!("/fields/{index}/type");
    let kind = match value.get("type") {
        None | Some(Value::Null) => None,
        Some(Value::String(kind)) => Some(kind.clone()).filter(|it| !it.is_empty()),
        Some(other) => Some(other.to_string()),
    };
    let (Some(kind), Some(given)) = (kind, value.as_object()) else {
        return Err(SchemaFault::new(
            pointer,
            format!("フィールド[{index}]にtypeが指定されていません。"),
            format!("fields[{index}] has no type."),
        ));
    };
    if !kind::TYPES.contains(&kind.as_str()) {
        let types = kind::TYPES.join(", ");
        let kind = kind.chars().take(100).collect::<String>();
        return Err(SchemaFault::new(
            pointer,
            format!("フィールド[{index}]の無効なtype: '{kind}'。有効なタイプ: {types}"),
            format!("fields[{index}] has the unknown type '{kind}'. Known types: {types}"),
        ));
    }
    entry(&Entry { index, kind: &kind, given })
}

fn entry(entry: &Entry<'_>) -> Result<Field, SchemaFault> {
    let is_input = !matches!(entry.kind, "divider" | "heading");
    let name = match is_input {
        true => entry.needed("name", NAME_CHARS_MAX)?,
        false => String::new(),
    };
    let label = match entry.kind {
        "heading" => {
            let text = entry.text("text", LABEL_CHARS_MAX)?;
            let label = || entry.text("label", LABEL_CHARS_MAX);
            let text = if text.is_some() { text } else { label()? };
            text.ok_or_else(|| entry.missing("text"))?
        }
        _ => {
            let label = entry.text("label", LABEL_CHARS_MAX)?;
            label.filter(|it| !is_blank(it)).unwrap_or_else(|| name.clone())
        }
    };
    let mut field = Field {
        name,
        label,
        description: entry.text("description", LABEL_CHARS_MAX)?,
        placeholder: entry.text("placeholder", LABEL_CHARS_MAX)?,
        required: entry.flag("required", false)?,
        default: None,
        show_if: condition::read(entry)?,
        kind: kind::read(entry)?,
    };
    field.default = default(entry, &field)?;
    Ok(field)
}

/// Parses the default: valid for its type and limits, except those relative to today.
fn default(entry: &Entry<'_>, field: &Field) -> Result<Option<Value>, SchemaFault> {
    let is_hidden = matches!(field.kind, Kind::Hidden(_));
    let given = entry.get("default").filter(|it| !is_empty(it) && field.is_input() && !is_hidden);
    let Some(value) = given.map(|it| kind::without_seconds(&field.kind, it)) else {
        return Ok(None);
    };
    let Err(wrong) = kind::fits_at_first(&field.kind, &value) else {
        return Ok(Some(value));
    };
    // The definition's own pattern text would not mention the default.
    let wrong = if matches!(wrong, Wrong::Pattern(_)) { Wrong::Pattern(None) } else { wrong };
    let fault = Fault { field: String::new(), label: "default".to_owned(), wrong };
    let japanese = format!("の{}。", fault.message(Language::Japanese));
    let english = format!("has a wrong default: {}.", fault.message(Language::English));
    Err(entry.fault("default", &japanese, &english))
}

// Typed access to the properties of an entry of `fields`; null counts as absent.

/// An entry of `fields`.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// Its index.
    pub(super) index: usize,
    /// Its `type`.
    pub(super) kind: &'a str,
    /// All its members.
    pub(super) given: &'a Map<String, Value>,
}

impl<'a> Entry<'a> {
    /// Error of a property; both texts continue the field's name.
    pub(super) fn fault(&self, property: &str, japanese: &str, english: &str) -> SchemaFault {
        consistency::fault(self.index, self.kind, property, japanese, english)
    }

    /// Error of a missing property.
    pub(super) fn missing(&self, property: &str) -> SchemaFault {
        let japanese = format!("に{property}が指定されていません。");
        self.fault(property, &japanese, &format!("has no {property}."))
    }

    /// Error of an invalid property.
    pub(super) fn wrong(&self, property: &str, japanese: &str, english: &str) -> SchemaFault {
        let japanese = format!("の{property}は{japanese}");
        self.fault(property, &japanese, &format!("has a {property} that {english}"))
    }

    pub(super) fn get(&self, property: &str) -> Option<&'a Value> {
        self.given.get(property).filter(|it| !it.is_null())
    }

    /// A text; an empty one counts as absent.
    pub(super) fn text(&self, property: &str, max: usize) -> Result<Option<String>, SchemaFault> {
        let Some(value) = self.get(property) else { return Ok(None) };
        let wrong = || self.wrong(property, "文字列で指定してください。", "is no text.");
        let text = value.as_str().ok_or_else(wrong)?;
        if text.chars().count() > max {
            let (japanese, english) =
                (format!("{max}文字までです。"), format!("has more than {max} characters."));
            return Err(self.wrong(property, &japanese, &english));
        }
        Ok(Some(text.to_owned()).filter(|it| !it.is_empty()))
    }

    /// A required, non-empty text.
    pub(super) fn needed(&self, property: &str, max: usize) -> Result<String, SchemaFault> {
        let text = self.text(property, max)?.filter(|it| !is_blank(it));
        text.ok_or_else(|| self.missing(property))
    }

    pub(super) fn flag(&self, property: &str, default: bool) -> Result<bool, SchemaFault> {
        let Some(value) = self.get(property) else { return Ok(default) };
        let (japanese, english) =
            ("trueまたはfalseで指定してください。", "is neither true nor false.");
        value.as_bool().ok_or_else(|| self.wrong(property, japanese, english))
    }

    pub(super) fn number(&self, property: &str) -> Result<Option<f64>, SchemaFault> {
        let Some(value) = self.get(property) else { return Ok(None) };
        let number = value.as_f64().filter(|it| it.is_finite());
        number
            .map(Some)
            .ok_or_else(|| self.wrong(property, "数値で指定してください。", "is no number."))
    }

    /// An integer from 0.
    pub(super) fn whole(&self, property: &str) -> Result<Option<u64>, SchemaFault> {
        let Some(number) = self.number(property)? else { return Ok(None) };
        if number < 0.0 || number.fract() != 0.0 || number > 9e15 {
            let (japanese, english) =
                ("0以上の整数で指定してください。", "is no whole number from 0.");
            return Err(self.wrong(property, japanese, english));
        }
        Ok(Some(number as u64))
    }

    pub(super) fn crossed(&self, least: &str, most: &str) -> SchemaFault {
        let japanese = format!("の{least}が{most}より大きくなっています。");
        self.fault(least, &japanese, &format!("has a {least} above its {most}."))
    }

    /// A day limit under one of two names.
    pub(super) fn day(&self, names: [&str; 2]) -> Result<Option<Day>, SchemaFault> {
        let Some(name) = names.into_iter().find(|it| self.get(it).is_some()) else {
            return Ok(None);
        };
        let Some(text) = self.text(name, LABEL_CHARS_MAX)? else { return Ok(None) };
        Day::read(&text).map(Some).ok_or_else(|| {
            self.wrong(
                name,
                "\"today\"、\"+30days\"、\"-1week\"、またはYYYY-MM-DDで指定してください。",
                "is none of \"today\", \"+30days\", \"-1week\" or YYYY-MM-DD.",
            )
        })
    }

    /// A list of texts.
    pub(super) fn texts(&self, property: &str, max: usize) -> Result<Vec<String>, SchemaFault> {
        let Some(value) = self.get(property) else { return Ok(Vec::new()) };
        let wrong =
            || self.wrong(property, "文字列の配列で指定してください。", "is no list of texts.");
        let values = value.as_array().ok_or_else(wrong)?;
        if values.len() > max {
            let (japanese, english) =
                (format!("{max}個までです。"), format!("has more than {max} entries."));
            return Err(self.wrong(property, &japanese, &english));
        }
        let is_short = |it: &&str| it.chars().count() <= LABEL_CHARS_MAX;
        if !values.iter().filter_map(Value::as_str).all(|it| is_short(&it)) {
            let japanese = format!("1つにつき{LABEL_CHARS_MAX}文字までです。");
            let english = format!("has an entry of more than {LABEL_CHARS_MAX} characters.");
            return Err(self.wrong(property, &japanese, &english));
        }
        values.iter().map(|it| it.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
    }
}
