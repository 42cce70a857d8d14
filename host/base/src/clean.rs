//! Cleans descriptive texts of components and servers: removes control characters, escapes, changes of direction and
//! invisible characters, which could mislead a terminal, a page or a model. Results of calls are data and are not
//! changed.

use serde_json::{Map, Value};

/// Characters of a name or a title.
const TITLE_CHARS_MAX: usize = 256;
/// Characters of a description, and of a text in a schema.
const TEXT_CHARS_MAX: usize = 4_096;

/// Selects the emoji form. Of ASCII, only keycaps use it.
const EMOJI_FORM: char = '\u{fe0f}';

/// Whether `c` is nothing that a text about a tool needs, and may be used to mislead its readers.
pub fn is_misleading(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c,
            // Marks and overrides of the direction.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Invisible ones, and blanks that count as letters.
            | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{3164}'
            | '\u{ffa0}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
            | '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether `c` selects a form of what stands before it: in a row they are not seen, and a model reads them.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Cleans a description, which may have several lines.
pub fn text(text: &str) -> String {
    bounded(text, TEXT_CHARS_MAX)
}

/// A name for people, or a title: one line.
pub fn title(text: &str) -> String {
    bounded(&text.replace(['\n', '\t'], " "), TITLE_CHARS_MAX)
}

fn bounded(text: &str, most: usize) -> String {
    let mut before = ' ';
    let is_shown = |character: &char| {
        let has_form = !is_selector(before) && !matches!(before, '\u{200c}' | '\u{200d}');
        let is_form = has_form && (!before.is_ascii() || *character == EMOJI_FORM);
        let is_shown = !is_misleading(*character) && (is_form || !is_selector(*character));
        if is_shown {
            before = *character;
        }
        is_shown
    };
    let mut shown: String = text.chars().filter(is_shown).take(most + 1).collect();
    if let Some((at, _)) = shown.char_indices().nth(most) {
        shown.truncate(at);
        shown.pop();
        shown.push('…');
    }
    shown
}

/// Whether nothing in `text` misleads.
pub fn is_clean(text: &str) -> bool {
    !text.chars().any(is_misleading)
}

/// Cleans descriptive texts of a JSON Schema.
///
/// # Errors
/// If a part with meaning for programs is not clean: a property, an enum value, a pattern.
pub fn schema(schema: &mut Value) -> Result<(), &'static str> {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), value) {
                    (name, _) if !is_clean(name) => return Err("has control characters in a name"),
                    ("title", Value::String(it)) => *it = title(it),
                    ("description" | "$comment", Value::String(it)) => *it = text(it),
                    (_, value) => self::schema(value)?,
                }
            }
            Ok(())
        }
        Value::Array(values) => values.iter_mut().try_for_each(self::schema),
        Value::String(it) if !is_clean(it) => Err("has control characters in a value"),
        _ => Ok(()),
    }
}

/// Cleans all texts of a `_meta` object and removes keys that are not clean.
pub fn meta(meta: &mut Map<String, Value>) {
    meta.retain(|name, _| is_clean(name));
    meta.values_mut().for_each(value);
}

fn value(json: &mut Value) {
    match json {
        Value::String(text) if !is_clean(text) => text.retain(|it| !is_misleading(it)),
        Value::Array(values) => values.iter_mut().for_each(value),
        Value::Object(members) => meta(members),
        _ => {}
    }
}

/// Cleans an entry of another server's list.
///
/// # Errors
/// If a name is not clean.
pub fn entry(entry: &mut Value, is_named_for_people: bool) -> Result<(), &'static str> {
    let Value::Object(members) = entry else { return Ok(()) };
    for (name, value) in members.iter_mut() {
        match (name.as_str(), value) {
            ("name", Value::String(it)) if is_named_for_people => *it = title(it),
            ("name" | "uri" | "uriTemplate" | "mimeType", Value::String(it)) => {
                if !is_clean(it) {
                    return Err("has control characters in its name, URI or media type");
                }
            }
            ("title", Value::String(it)) => *it = title(it),
            ("description", Value::String(it)) => *it = text(it),
            ("inputSchema" | "outputSchema", it) => schema(it)?,
            // Names, titles and descriptions of a prompt.
            ("arguments", Value::Array(arguments)) => {
                arguments.iter_mut().try_for_each(|it| self::entry(it, false))?;
            }
            ("annotations", Value::Object(it)) => {
                if let Some(Value::String(it)) = it.get_mut("title") {
                    *it = title(it);
                }
                meta(it);
            }
            (_, it) => self::value(it),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A name in red, a title of the terminal, a turned text, and words that only models read.
    const NASTY: &str =
        "a\u{1b}[31mb\u{1b}]0;c\u{7}d\u{202e}e\u{2066}f\0g\u{200f}h\u{e0041}i\u{9b}j\r\u{feff}";

    #[test]
    fn drops_control_and_direction_characters() {
        assert_eq!(text(NASTY), "a[31mb]0;cdefghij");
        assert_eq!(text("一行\n\t二行 👩\u{200d}💻"), "一行\n\t二行 👩\u{200d}💻");
        assert_eq!(title("one\ntwo"), "one two");
    }

    #[test]
    fn drops_blank_and_hidden_and_keeps_variation_selectors() {
        assert_eq!(title("\u{3164}a\u{ad}b\u{115f}\u{ffa0}"), "ab");
        let kept = "葛\u{e0100}城市 ☎\u{fe0f} 1\u{fe0f}\u{20e3}";
        assert_eq!(title(kept), kept);
        let hidden: String = ('\u{e0100}'..='\u{e01ef}').collect();
        assert_eq!(title(&format!("a{hidden}b 😀{hidden}")), "ab 😀\u{e0100}");
        let apart: String = hidden.chars().flat_map(|it| [it, '\u{200b}', '\u{200d}']).collect();
        assert!(!title(&apart).contains(is_selector));
    }

    #[test]
    fn cuts_long_texts() {
        let long = text(&"あ".repeat(5_000));
        assert_eq!(long.chars().count(), 4_096);
        assert!(long.ends_with("あ…"));
        assert_eq!(text(&"a".repeat(4_096)).len(), 4_096);
        assert_eq!(title(&"a".repeat(300)).chars().count(), 256);
    }

    #[test]
    fn cleans_texts_of_schemas_and_refuses_unclean_names() {
        let mut clean = json!({ "type": "object", "title": NASTY, "properties": {
            "a": { "type": "string", "description": NASTY },
            "description": { "type": "string", "description": NASTY },
        } });
        assert_eq!(schema(&mut clean), Ok(()));
        assert_eq!(clean["properties"]["a"]["description"], "a[31mb]0;cdefghij");
        assert_eq!(clean["properties"]["description"]["description"], "a[31mb]0;cdefghij");
        for mut unclean in [
            json!({ "properties": { NASTY: {} } }),
            json!({ "enum": ["a", NASTY] }),
            json!({ "items": { "const": NASTY } }),
        ] {
            assert!(schema(&mut unclean).is_err(), "{unclean}");
        }
    }

    #[test]
    fn cleans_entries_of_lists() {
        let mut tool = json!({
            "name": "t", "title": NASTY, "description": NASTY,
            "inputSchema": { "type": "object", "description": NASTY },
            "annotations": { "title": NASTY, "readOnlyHint": true },
            "_meta": { "x": [NASTY], NASTY: 1 },
        });
        assert_eq!(entry(&mut tool, false), Ok(()));
        assert!(is_clean(&tool.to_string().replace("\\u", "\u{1b}")), "{tool}");
        assert!(is_clean(tool["_meta"]["x"][0].as_str().unwrap()), "{tool}");
        assert!(entry(&mut json!({ "name": NASTY }), false).is_err());
        assert!(entry(&mut json!({ "uri": "a:\u{202e}b" }), true).is_err());
        let mut named = json!({ "uri": "a:b", "name": NASTY });
        assert_eq!(entry(&mut named, true), Ok(()));
        assert_eq!(named["name"], "a[31mb]0;cdefghij");
    }
}
