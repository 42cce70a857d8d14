//! Parses definitions (FORM-15), with the errors of FORM-60; checks dependencies between fields, and whether a form can
//! be filled in.

use std::{collections::HashMap, io};

use serde_json::{Map, Value};

use super::{
    Day, FIELDS_MAX, Fault, Field, Form, Kind, LABEL_CHARS_MAX, Language, NAME_CHARS_MAX,
    OPTIONS_MAX, SCHEMA_BYTES_MAX, SchemaFault, TEXT_CHARS_MAX, Text, Today, Wrong,
    condition::{self, is_empty},
    constraints::Days,
    kind,
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
    check_links(&form)?;
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
        fault(self.index, self.kind, property, japanese, english)
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

// Dependencies: `dependsOn` and `showIf` name existing fields, without cycles.
impl Field {
    /// Names of the fields that it depends on.
    pub fn needed(&self) -> Vec<&str> {
        let parent = self.lookup().and_then(|it| it.depends_on.as_ref());
        let asked = self.show_if.iter().flat_map(|it| it.names());
        parent.map(|(name, _)| name.as_str()).into_iter().chain(asked).collect()
    }
}

/// Error of an entry of `fields`.
pub(super) fn fault(
    index: usize,
    kind: &str,
    property: &str,
    japanese: &str,
    english: &str,
) -> SchemaFault {
    let pointer = match property {
        "" => format!("/fields/{index}"),
        property => format!("/fields/{index}/{property}"),
    };
    SchemaFault::new(
        pointer,
        format!("フィールド[{index}]（type: {kind}）{japanese}"),
        format!("fields[{index}] (type: {kind}) {english}"),
    )
}

fn check_links(form: &Form) -> Result<(), SchemaFault> {
    let mut positions = HashMap::new();
    for (at, field) in form.fields.iter().enumerate().filter(|(_, it)| it.is_input()) {
        let name = field.name.as_str();
        if let Some(first) = positions.insert(name, at) {
            return Err(fault(
                at,
                field.kind.name(),
                "name",
                &format!("のname「{name}」はフィールド[{first}]と重複しています。"),
                &format!("has the name “{name}”, which fields[{first}] has already."),
            ));
        }
    }
    for (at, field) in form.fields.iter().enumerate() {
        if let Some((parent, _)) = field.lookup().and_then(|it| it.depends_on.as_ref()) {
            named(form, &positions, at, "dependsOn", parent)?;
        }
        for name in field.show_if.iter().flat_map(|it| it.names()) {
            named(form, &positions, at, "showIf", name)?;
        }
    }
    match find_cycle(form, &positions) {
        None => Ok(()),
        Some(at) => Err(fault(
            at,
            form.fields[at].kind.name(),
            if form.fields[at].show_if.is_some() { "showIf" } else { "dependsOn" },
            "のdependsOnまたはshowIfが循環しています。",
            "asks by dependsOn or showIf for a field that in turn asks for it.",
        )),
    }
}

/// Checks that `property` names another field that has values; `dependsOn` cannot name a file.
fn named(
    form: &Form,
    positions: &HashMap<&str, usize>,
    at: usize,
    property: &str,
    name: &str,
) -> Result<(), SchemaFault> {
    let kind = form.fields[at].kind.name();
    let fault = |japanese: &str, english: &str| {
        let japanese = format!("の{property}「{name}」{japanese}");
        let english = format!("has {property} “{name}”, {english}");
        Err(fault(at, kind, property, &japanese, &english))
    };
    match positions.get(name) {
        None => fault("という入力フィールドはありません。", "which is the name of no input field."),
        Some(it) if *it == at => fault("は自分自身を指しています。", "which is the field itself."),
        Some(it) if property == "dependsOn" && matches!(form.fields[*it].kind, Kind::File(_)) => {
            fault("はファイルなので使えません。", "which is a file and cannot be asked for.")
        }
        Some(_) => Ok(()),
    }
}

/// Finds a field that depends on itself by way of others.
fn find_cycle(form: &Form, positions: &HashMap<&str, usize>) -> Option<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Never,
        OnThePath,
        Done,
    }
    let mut visits = vec![Visit::Never; form.fields.len()];
    let mut path = Vec::new();
    for start in 0..form.fields.len() {
        path.push((start, false));
        while let Some((at, is_done)) = path.pop() {
            if is_done {
                visits[at] = Visit::Done;
                continue;
            }
            if visits[at] != Visit::Never {
                continue;
            }
            visits[at] = Visit::OnThePath;
            path.push((at, true));
            let needed = form.fields[at].needed();
            for next in needed.into_iter().filter_map(|name| positions.get(name)) {
                match visits[*next] {
                    Visit::OnThePath => return Some(at),
                    Visit::Never => path.push((*next, false)),
                    Visit::Done => {}
                }
            }
        }
    }
    None
}

// Whether a form can be filled in: limits that permit no value are reported to its author instead of
// its users (FORM-60).

/// Property of an unsatisfiable field, and what to change in Japanese and English.
type Unfit = (&'static str, String, String);

pub(super) fn check_answerable(form: &Form, today: Today) -> Result<(), SchemaFault> {
    each(form, |field| match &field.kind {
        Kind::Date(days) | Kind::Datetime(days) => of_days(field.required, *days, today),
        Kind::Text(text) | Kind::Textarea { text, .. } => of_text(field.required, text),
        Kind::Multiselect(_, count) | Kind::MultiAutocomplete(_, count) => {
            let is_empty = field.required && count.max == Some(0);
            is_empty.then(|| no_value_fits("maxSelect")).or_else(|| {
                let min = count.min.filter(|it| *it > OPTIONS_MAX)?;
                Some(too_many_required("minSelect", min, OPTIONS_MAX))
            })
        }
        Kind::CascadingSelect(_) if field.required => without_parent(form, field),
        _ => None,
    })
}

/// Reports the first unsatisfiable field. Conditional fields do not block the others.
fn each(form: &Form, unfit: impl Fn(&Field) -> Option<Unfit>) -> Result<(), SchemaFault> {
    let always_shown = |(_, field): &(usize, &Field)| field.show_if.is_none();
    for (at, field) in form.fields.iter().enumerate().filter(always_shown) {
        if let Some((property, japanese, english)) = unfit(field) {
            return Err(fault(at, field.kind.name(), property, &japanese, &english));
        }
    }
    Ok(())
}

fn of_text(required: bool, text: &Text) -> Option<Unfit> {
    let (min, max) = (text.length.min.unwrap_or(0), text.length.max);
    if !required {
        return None;
    }
    if max == Some(0) {
        return Some(no_value_fits("maxLength"));
    }
    (min > TEXT_CHARS_MAX).then(|| too_many_required("minLength", min, TEXT_CHARS_MAX))
}

/// Whether the range has a day, now and later.
fn of_days(required: bool, days: Days, today: Today) -> Option<Unfit> {
    let (min, max) = (days.min?.on(today.earliest), days.max?.on(today.latest));
    let is_crossed = required && days.is_closing() && min > max;
    is_crossed.then(|| {
        let japanese = format!(
            "のmaxDate（{max}）がminDate（{min}）より前で、選べる日がありません。maxDateを後の日にしてください。"
        );
        let english = format!(
            "has its maxDate ({max}) before its minDate ({min}), so that there is no day to choose: give a later maxDate."
        );
        ("maxDate", japanese, english)
    })
}

/// Whether its parent is a hidden field without a value, so that nothing can be chosen.
fn without_parent(form: &Form, field: &Field) -> Option<Unfit> {
    let (name, _) = field.lookup()?.depends_on.as_ref()?;
    let is_empty = matches!(&form.field(name)?.kind, Kind::Hidden(value) if is_empty(value));
    is_empty.then(|| {
        let japanese = format!(
            "のdependsOn「{name}」は値が空のhiddenなので、選択できません。値を入れるか、別のフィールドを指定してください。"
        );
        let english = format!(
            "has dependsOn “{name}”, which is hidden and empty, so that nothing can be chosen: give it a value, or name another field."
        );
        ("dependsOn", japanese, english)
    })
}

fn no_value_fits(property: &'static str) -> Unfit {
    let japanese =
        format!("は必須なのに{property}が0です。1以上にするか、requiredを外してください。");
    let english =
        format!("is required and has a {property} of 0: make it 1 or more, or leave required out.");
    (property, japanese, english)
}

fn too_many_required(property: &'static str, given: usize, most: usize) -> Unfit {
    let japanese = format!(
        "の{property}（{given}）は{most}以下にしてください。それより多くは入力できません。"
    );
    let english = format!("has a {property} of {given}; at most {most} can be given.");
    (property, japanese, english)
}
