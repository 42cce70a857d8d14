//! Derives a form from a JSON Schema: of a tool's arguments, or of a question to the user.

use serde_json::{Map, Value};

use super::{Choice, Count, Field, Form, Format, Item, Kind, Number, Text};
use crate::mcp::wire::Explained;

/// Maximum number of fields; more are not for people to fill in.
const FIELDS_MAX: usize = 120;
/// Maximum number of options in a list.
const CHOICES_MAX: usize = 400;
/// Deeper objects are typed as JSON.
const DEPTH_MAX: usize = 4;

impl Form {
    /// The form of `schema`; `explain` returns an argument's label and description in the reader's language.
    pub(crate) fn from_schema(schema: &Value, explain: &dyn Fn(&str) -> Explained) -> Self {
        let mut reader = Reader { root: schema, explain, left: FIELDS_MAX };
        Self { fields: reader.fields(schema, "", 0).unwrap_or_default() }
    }
}

struct Reader<'a> {
    root: &'a Value,
    explain: &'a dyn Fn(&str) -> Explained,
    left: usize,
}

impl Reader<'_> {
    /// The properties of an object; none if the schema describes something else.
    fn fields(&mut self, schema: &Value, at: &str, depth: usize) -> Option<Vec<Field>> {
        let properties = schema.get("properties")?.as_object()?;
        let required: Vec<&str> = names(schema.get("required"));
        let mut fields = Vec::new();
        for (name, property) in properties {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let required = required.contains(&name.as_str());
            fields.push(self.field(name, property, at, required, depth));
        }
        // Required fields come first; otherwise in the author's order.
        fields.sort_by_key(|field| !field.required);
        Some(fields)
    }

    fn field(
        &mut self,
        name: &str,
        property: &Value,
        at: &str,
        required: bool,
        depth: usize,
    ) -> Field {
        let (schema, _) = self.resolved(property);
        let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        let mut kind = self.kind(name, &schema, &pointer, depth);
        let text = |key: &str| {
            let own = property.get(key).or_else(|| schema.get(key)).and_then(Value::as_str);
            own.map(str::to_owned)
        };
        if let Kind::Text(own @ Text { format: Format::Plain, .. }) = &mut kind
            && text("description").is_some_and(|it| is_of_day(&it))
        {
            own.format = Format::Date;
        }
        // Nested arguments have dotted paths: `message.sender`.
        let own = (self.explain)(&pointer[1..].replace('/', "."));
        let example = schema.pointer("/examples/0").map(shown);
        let own = Explained {
            label: own.label.or_else(|| text("title")),
            help: own.help.or_else(|| text("description")),
        };
        let (label, help) = labelled(name, own);
        Field {
            label,
            help,
            name: name.to_owned(),
            pointer,
            required,
            default: property.get("default").or_else(|| schema.get("default")).cloned(),
            is_for_programs: !required && is_for_programs(name),
            example,
            kind,
        }
    }

    fn kind(&mut self, name: &str, schema: &Value, pointer: &str, depth: usize) -> Kind {
        if let Some(choices) = choices(schema) {
            return Kind::Choice(choices);
        }
        match kind_name(schema) {
            "string" => Kind::Text(text(name, schema)),
            "integer" | "number" => Kind::Number(number(schema)),
            "boolean" => Kind::Switch,
            "array" => self.list(schema),
            "object" if depth < DEPTH_MAX => {
                self.fields(schema, pointer, depth + 1).map_or(Kind::Json, Kind::Group)
            }
            _ => Kind::Json,
        }
    }

    fn list(&self, schema: &Value) -> Kind {
        let (items, _) = self.resolved(schema.get("items").unwrap_or(&Value::Null));
        let count = Count {
            min: size(schema, "minItems").unwrap_or_default(),
            max: size(schema, "maxItems"),
            unique: schema.get("uniqueItems") == Some(&Value::Bool(true)),
        };
        if let Some(choices) = choices(&items) {
            return Kind::Choices { choices, count };
        }
        match kind_name(&items) {
            "string" => Kind::List { item: Item::Text(text("", &items)), count },
            "integer" | "number" => Kind::List { item: Item::Number(number(&items)), count },
            _ => Kind::Json,
        }
    }

    /// Follows `$ref`, and the non-null alternative of `anyOf` and `oneOf`.
    fn resolved(&self, schema: &Value) -> (Value, bool) {
        let mut schema = schema.clone();
        let mut nullable = false;
        for _ in 0..8 {
            let target = schema.get("$ref").and_then(Value::as_str);
            if let Some(target) = target.and_then(|it| it.strip_prefix('#')) {
                schema = self.root.pointer(target).cloned().unwrap_or(Value::Null);
                continue;
            }
            let Some(variants) =
                ["anyOf", "oneOf"].iter().find_map(|it| schema.get(*it)?.as_array())
            else {
                break;
            };
            let (null, rest): (Vec<_>, Vec<_>) =
                variants.iter().partition(|it| it.get("type").is_some_and(|it| it == "null"));
            nullable |= !null.is_empty();
            match rest[..] {
                [only] => schema = only.clone(),
                _ => break,
            }
        }
        (schema, nullable)
    }
}

fn names(value: Option<&Value>) -> Vec<&str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The non-null type; objects and lists may omit theirs.
fn kind_name(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str).filter(|it| *it != "null");
            match (kinds.next(), kinds.next()) {
                (Some(only), None) => only,
                _ => "",
            }
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "",
    }
}

/// Options of `enum`, of `oneOf` with `const`, or of a single `const`.
fn choices(schema: &Value) -> Option<Vec<Choice>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let labels: Vec<&str> = names(schema.get("enumNames"));
        let values = values.iter().filter(|it| !it.is_null()).take(CHOICES_MAX).enumerate();
        let choice = |(index, value): (usize, &Value)| {
            let label = labels.get(index).map_or_else(|| shown(value), ToString::to_string);
            Choice { value: value.to_string(), label }
        };
        return Some(values.map(choice).collect());
    }
    if let Some(value) = schema.get("const") {
        return Some(vec![Choice { value: value.to_string(), label: shown(value) }]);
    }
    let variants = ["oneOf", "anyOf"].iter().find_map(|it| schema.get(*it)?.as_array())?;
    let variants = variants.iter().filter(|it| it.get("type").is_none_or(|it| it != "null"));
    let mut found = Vec::new();
    for variant in variants.take(CHOICES_MAX) {
        // schemars: one entry per documented variant, one `enum` of all others.
        let title = variant.get("title").and_then(Value::as_str);
        let explained = variant.get("description").and_then(Value::as_str);
        for choice in choices(variant)? {
            let label = match (title, explained) {
                (Some(title), _) => title.to_owned(),
                (None, Some(text)) => format!("{} — {text}", choice.label),
                (None, None) => choice.label,
            };
            found.push(Choice { label, ..choice });
        }
    }
    Some(found)
}

fn text(name: &str, schema: &Value) -> Text {
    let length = Count {
        min: size(schema, "minLength").unwrap_or_default(),
        max: size(schema, "maxLength"),
        unique: false,
    };
    let is_secret = schema.get("writeOnly") == Some(&Value::Bool(true))
        || ["passkey", "password", "token", "secret"].iter().any(|it| name.contains(it));
    let format = match schema.get("format").and_then(Value::as_str).unwrap_or_default() {
        "password" => Format::Secret,
        _ if is_secret => Format::Secret,
        "date" => Format::Date,
        "date-time" => Format::DateTime,
        "time" => Format::Time,
        "email" => Format::Email,
        "uri" | "url" => Format::Url,
        // A long text, by its limit or name, gets a large input.
        _ if length.max.is_some_and(|max| max > 400) => Format::Long,
        _ if matches!(name, "content" | "text" | "body" | "message" | "prompt") => Format::Long,
        _ => Format::Plain,
    };
    Text { format, length }
}

fn number(schema: &Value) -> Number {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    Number { integer: kind_name(schema) == "integer", min: limit("minimum"), max: limit("maximum") }
}

fn size(schema: &Value, key: &str) -> Option<usize> {
    schema.get(key).and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok())
}

/// Whether the first sentence of a description is a label and the notation of a day, and there is no other notation.
fn is_of_day(description: &str) -> bool {
    let text = description.trim_start_matches("任意。").trim_start_matches("Optional. ");
    let Some((label, rest)) = text.split_once("YYYY-MM-DD") else { return false };
    let bracketed = label.strip_suffix(['（', '(']).zip(rest.strip_prefix(['）', ')']));
    let named = || Some((label.strip_suffix(", as ").or(label.is_empty().then_some(""))?, rest));
    let Some((label, rest)) = bracketed.or_else(named) else { return false };
    let is_label = label.chars().all(|it| it.is_alphanumeric() || it == ' ');
    is_label && (rest.is_empty() || rest.starts_with(['。', '.'])) && !rest.contains("YYYY")
}

/// A value as label: texts without quotes.
pub(super) fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Label of an argument, and what explains it besides. A description as short as a label is the better label: it is in
/// the reader's language.
pub(crate) fn labelled(name: &str, own: Explained) -> (String, Option<String>) {
    match (own.label, own.help) {
        (Some(label), help) => (label, help),
        (None, Some(help)) => headline(&help).unwrap_or_else(|| match is_short(&help) {
            true => (help.trim_end_matches(['。', '.']).to_owned(), None),
            false => (label_from_name(name), Some(help)),
        }),
        (None, None) => (label_from_name(name), None),
    }
}

/// Whether a text is short enough for a label: Latin letters are half as wide as kana.
fn is_short(text: &str) -> bool {
    let width: usize = text.chars().map(|it| if it.is_ascii() { 1 } else { 2 }).sum();
    let is_one =
        !text.trim_end_matches(['。', '.']).contains(['。', '\n', ';']) && !text.contains(". ");
    width <= 48 && is_one
}

/// Splits the label from a Japanese description: 「任意。上映日（YYYY-MM-DD）。…」 begins with 上映日. A label made of the argument's
/// name would be English.
fn headline(help: &str) -> Option<(String, Option<String>)> {
    const OPTIONAL: &str = "任意。";
    const CHARS_MAX: usize = 16;
    let text = help.strip_prefix(OPTIONAL).unwrap_or(help);
    let end = text.find(['。', '（', '、', '\n']).unwrap_or(text.len());
    let (label, rest) = text.split_at(end);
    let is_japanese = label.chars().any(|it| ('\u{3040}'..='\u{9fff}').contains(&it));
    if !is_japanese || label.chars().count() > CHARS_MAX || rest.starts_with('、') {
        return None;
    }
    let rest = rest.trim_start_matches(['。', '\n']);
    // Brackets after the label are none where the text begins with them.
    let rest = match rest.strip_prefix('（').and_then(|it| it.split_once('）')) {
        Some((inside, after)) => format!("{inside}{after}"),
        None => rest.to_owned(),
    };
    Some((label.to_owned(), (!rest.is_empty()).then_some(rest)))
}

/// `user_id` → `User ID`, `cancelLabel` → `Cancel label`.
fn label_from_name(name: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        match letter {
            '_' | '-' => spaced.push(' '),
            _ if letter.is_uppercase() && before.is_lowercase() => {
                spaced.push(' ');
                spaced.extend(letter.to_lowercase());
            }
            _ => spaced.push(letter),
        }
        before = letter;
    }
    let word = |word: &str| match word.to_ascii_lowercase().as_str() {
        "id" => "ID".to_owned(),
        "ids" => "IDs".to_owned(),
        _ => word.to_owned(),
    };
    let words = spaced.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |it| it.to_uppercase().chain(letters).collect())
}

/// Whether an argument of that name is for programs: an idempotency key or a cursor.
pub(crate) fn is_for_programs(name: &str) -> bool {
    name.contains("idempotency") || matches!(name, "client_message_id" | "request_id" | "cursor")
}

/// Whether a schema has no properties.
pub(crate) fn is_empty(schema: &Value) -> bool {
    schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty)
}
