//! What each of the 18 types has of its own (FORM-20 to FORM-37).

use serde_json::Value;

use super::{
    Choice, Days, Files, Kind, LABEL_CHARS_MAX, Lookup, NAME_CHARS_MAX, Number, OPTIONS_MAX,
    PATTERN_CHARS_MAX, SUGGESTIONS_MAX, SchemaFault, Text,
    condition::is_empty,
    lookup::{is_option, text_of},
    pattern,
    property::Entry,
};

/// Lines of a textarea, and how many it shows by default.
const ROWS_MAX: u64 = 50;
const ROWS: u64 = 3;
/// How long to wait after a key before a search.
const DEBOUNCE_MS: u64 = 300;
const DEBOUNCE_MS_MAX: u64 = 10_000;
/// Parameters of a look-up, and kinds of files.
const ENTRIES_MAX: usize = 50;

/// The types, in the order in which FORM-60 names them.
pub(super) const TYPES: [&str; 18] = [
    "async-select",
    "autocomplete",
    "cascading-select",
    "checkbox",
    "date",
    "datetime",
    "divider",
    "file",
    "heading",
    "hidden",
    "multi-autocomplete",
    "multiselect",
    "number",
    "radio",
    "range",
    "select",
    "text",
    "textarea",
];

impl Kind {
    /// Its `type`, as definitions have it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Textarea { .. } => "textarea",
            Self::Divider => "divider",
            Self::Heading(_) => "heading",
            Self::Select(_) => "select",
            Self::Multiselect(..) => "multiselect",
            Self::Autocomplete(_) => "autocomplete",
            Self::MultiAutocomplete(..) => "multi-autocomplete",
            Self::CascadingSelect(_) => "cascading-select",
            Self::AsyncSelect(_) => "async-select",
            Self::Checkbox => "checkbox",
            Self::Radio(_) => "radio",
            Self::Number(_) => "number",
            Self::Range { .. } => "range",
            Self::Date(_) => "date",
            Self::Datetime(_) => "datetime",
            Self::File(_) => "file",
            Self::Hidden(_) => "hidden",
        }
    }
}

pub(super) fn read(entry: &Entry<'_>) -> Result<Kind, SchemaFault> {
    Ok(match entry.kind {
        "text" => Kind::Text(text(entry)?),
        "textarea" => {
            let rows = entry.whole("rows")?.unwrap_or(ROWS).clamp(1, ROWS_MAX);
            Kind::Textarea { rows: u32::try_from(rows).unwrap_or(1), text: text(entry)? }
        }
        "heading" => Kind::Heading(level(entry)?),
        "select" => Kind::Select(options(entry)?),
        "radio" => Kind::Radio(options(entry)?),
        "multiselect" => {
            let options = options(entry)?;
            let count = entry.count("minSelect", "maxSelect")?;
            if count.min.is_some_and(|it| it > options.len()) {
                let (japanese, english) =
                    ("選択肢の数より大きくなっています。", "is above the number of options.");
                return Err(entry.wrong("minSelect", japanese, english));
            }
            Kind::Multiselect(options, count)
        }
        "autocomplete" => Kind::Autocomplete(lookup(entry, ["searchUrl", "loadUrl"])?),
        "multi-autocomplete" => {
            let lookup = lookup(entry, ["searchUrl", "loadUrl"])?;
            Kind::MultiAutocomplete(lookup, entry.count("minSelect", "maxSelect")?)
        }
        "cascading-select" => {
            let mut lookup = lookup(entry, ["searchUrl", "loadUrl"])?;
            let parent = entry.needed("dependsOn", LABEL_CHARS_MAX)?;
            let parameter = entry.needed("dependsOnParam", NAME_CHARS_MAX)?;
            lookup.depends_on = Some((parent, parameter));
            Kind::CascadingSelect(lookup)
        }
        "async-select" => Kind::AsyncSelect(lookup(entry, ["loadUrl", "searchUrl"])?),
        "checkbox" => Kind::Checkbox,
        "number" => Kind::Number(number(entry, Number::default())?),
        "range" => {
            let usual = Number { min: Some(0.0), max: Some(100.0), step: Some(1.0) };
            let number = number(entry, usual)?;
            Kind::Range { number, show_value: entry.flag("showValue", true)? }
        }
        "date" => Kind::Date(days(entry)?),
        "datetime" => Kind::Datetime(days(entry)?),
        "file" => Kind::File(files(entry)?),
        "hidden" => {
            let value = entry.said.get("value").or_else(|| entry.said.get("default"));
            Kind::Hidden(value.ok_or_else(|| entry.missing("value"))?.clone())
        }
        "divider" => Kind::Divider,
        _ => return Err(entry.wrong("type", "知られていない型です。", "is not known.")),
    })
}

fn text(entry: &Entry<'_>) -> Result<Text, SchemaFault> {
    let pattern = entry.text("pattern", PATTERN_CHARS_MAX)?;
    if let Some(Err((japanese, english))) = pattern.as_deref().map(pattern::compile) {
        let japanese = format!("正規表現として使えません: {japanese}");
        let english = format!("is no regular expression that can be used: {english}");
        return Err(entry.wrong("pattern", &japanese, &english));
    }
    Ok(Text {
        length: entry.count("minLength", "maxLength")?,
        pattern,
        pattern_error: entry.text("patternError", LABEL_CHARS_MAX)?,
        suggestions: entry.texts("suggestions", SUGGESTIONS_MAX)?,
    })
}

fn level(entry: &Entry<'_>) -> Result<u8, SchemaFault> {
    let level = entry.whole("level")?.unwrap_or(2);
    let level = u8::try_from(level).ok().filter(|it| (1..=4).contains(it));
    level.ok_or_else(|| entry.wrong("level", "1から4で指定してください。", "is not from 1 to 4."))
}

fn options(entry: &Entry<'_>) -> Result<Vec<Choice>, SchemaFault> {
    let wrong = |japanese: &str, english: &str| entry.wrong("options", japanese, english);
    let said = entry.get("options").ok_or_else(|| entry.missing("options"))?;
    let said = said.as_array().ok_or_else(|| {
        wrong("{value, label}の配列で指定してください。", "are no list of {value, label}.")
    })?;
    if said.len() > OPTIONS_MAX {
        let (japanese, english) =
            (format!("{OPTIONS_MAX}個までです。"), format!("are more than {OPTIONS_MAX}."));
        return Err(wrong(&japanese, &english));
    }
    let mut options: Vec<Choice> = Vec::with_capacity(said.len());
    let mut seen = std::collections::HashSet::new();
    for (at, it) in said.iter().enumerate() {
        let value = if it.is_object() { it.get("value").unwrap_or(&Value::Null) } else { it };
        // 「選択してください」: what is chosen where nothing is.
        if entry.kind == "select" && is_empty(value) && it.get("value").is_some() {
            continue;
        }
        let label = it.get("label").filter(|it| !is_empty(it)).unwrap_or(value);
        let label = text_of(label);
        if !is_option(value) || label.is_empty() {
            let japanese = format!("[{at}]に空でないvalueを指定してください。");
            return Err(wrong(&japanese, &format!("have no value that is not empty at [{at}].")));
        }
        if label.chars().count() > LABEL_CHARS_MAX || text_of(value).len() > LABEL_CHARS_MAX {
            let japanese = format!("[{at}]が長すぎます。");
            return Err(wrong(&japanese, &format!("are too long at [{at}].")));
        }
        if !seen.insert(text_of(value)) {
            let japanese = format!("[{at}]のvalueが重複しています。");
            return Err(wrong(
                &japanese,
                &format!("have a value at [{at}] that was there before."),
            ));
        }
        options.push(Choice { value: value.clone(), label });
    }
    if options.is_empty() { Err(entry.missing("options")) } else { Ok(options) }
}

fn lookup(entry: &Entry<'_>, urls: [&str; 2]) -> Result<Lookup, SchemaFault> {
    let property = urls.into_iter().find(|it| entry.get(it).is_some()).unwrap_or(urls[0]);
    let url = entry.needed(property, LABEL_CHARS_MAX)?;
    let is_path = url.starts_with('/') && !url.starts_with("//") && !url.starts_with("/\\");
    let is_url = url.strip_prefix("https://").is_some_and(|it| !it.is_empty());
    if !(is_path || is_url) || url.chars().any(|it| it.is_whitespace() || it.is_control()) {
        return Err(entry.wrong(
            property,
            "https:// で始まるURL、または / で始まるパスで指定してください。",
            "is neither a URL with https:// nor a path with /.",
        ));
    }
    let whole = |property, usual, most: u64| Ok(entry.whole(property)?.unwrap_or(usual).min(most));
    let debounce_ms = whole("debounceMs", DEBOUNCE_MS, DEBOUNCE_MS_MAX)?;
    Ok(Lookup {
        url,
        params: params(entry)?,
        display_field: entry.needed("displayField", NAME_CHARS_MAX)?,
        value_field: entry.needed("valueField", NAME_CHARS_MAX)?,
        template: entry.text("renderTemplate", LABEL_CHARS_MAX)?,
        chars_min: usize::try_from(whole("minChars", 1, NAME_CHARS_MAX as u64)?).unwrap_or(1),
        debounce_ms: u32::try_from(debounce_ms).unwrap_or_default(),
        depends_on: None,
    })
}

fn params(entry: &Entry<'_>) -> Result<Vec<(String, String)>, SchemaFault> {
    let Some(said) = entry.get("searchParams") else { return Ok(Vec::new()) };
    let wrong = || {
        entry.wrong(
            "searchParams",
            "文字列、数値、真偽値を値とするオブジェクトで指定してください。",
            "is no object of texts, numbers and booleans.",
        )
    };
    let said = said.as_object().filter(|it| it.len() <= ENTRIES_MAX).ok_or_else(wrong)?;
    let is_plain = |it: &Value| !it.is_object() && !it.is_array();
    let is_short = |it: &str| it.chars().count() <= LABEL_CHARS_MAX;
    let mut params = Vec::new();
    for (name, value) in said.iter().filter(|(_, value)| !value.is_null()) {
        let text = text_of(value);
        if !is_plain(value) || !is_short(name) || !is_short(&text) {
            return Err(wrong());
        }
        params.push((name.clone(), text));
    }
    Ok(params)
}

fn number(entry: &Entry<'_>, usual: Number) -> Result<Number, SchemaFault> {
    let number = Number {
        min: entry.number("min")?.or(usual.min),
        max: entry.number("max")?.or(usual.max),
        step: entry.number("step")?.or(usual.step),
    };
    if number.min.zip(number.max).is_some_and(|(min, max)| min > max) {
        return Err(entry.crossed("min", "max"));
    }
    if number.step.is_some_and(|it| it <= 0.0) {
        let (japanese, english) = ("0より大きい数値で指定してください。", "is not above 0.");
        return Err(entry.wrong("step", japanese, english));
    }
    Ok(number)
}

fn days(entry: &Entry<'_>) -> Result<Days, SchemaFault> {
    use super::Day::{Fixed, FromToday};
    let days = Days { min: entry.day(["minDate", "min"])?, max: entry.day(["maxDate", "max"])? };
    let is_crossed = match (days.min, days.max) {
        (Some(Fixed(min)), Some(Fixed(max))) => min > max,
        (Some(FromToday(min)), Some(FromToday(max))) => min > max,
        _ => false,
    };
    if is_crossed { Err(entry.crossed("minDate", "maxDate")) } else { Ok(days) }
}

fn files(entry: &Entry<'_>) -> Result<Files, SchemaFault> {
    let said = match entry.get("accept") {
        Some(Value::String(text)) => text.split(',').map(str::to_owned).collect(),
        _ => entry.texts("accept", ENTRIES_MAX)?,
    };
    let said = said.iter().map(|it| it.trim().to_lowercase()).filter(|it| !it.is_empty());
    let mut accept = Vec::new();
    for it in said {
        let is_kind = it.len() <= NAME_CHARS_MAX && !it.contains(char::is_whitespace);
        if !is_kind || accept.len() == ENTRIES_MAX {
            let (japanese, english) = (
                "\".pdf,.doc\"や\"image/*\"のように指定してください。",
                "is nothing like \".pdf,.doc\" or \"image/*\".",
            );
            return Err(entry.wrong("accept", japanese, english));
        }
        if it == "*" || it == "*/*" || it == ".*" {
            accept.clear();
            break;
        }
        accept.push(if it.contains('/') || it.starts_with('.') { it } else { format!(".{it}") });
    }
    let size_max = entry.whole("maxSize")?;
    if size_max == Some(0) {
        return Err(entry.wrong(
            "maxSize",
            "0より大きい数値で指定してください。",
            "is not above 0.",
        ));
    }
    Ok(Files { accept, size_max, multiple: entry.flag("multiple", false)? })
}
