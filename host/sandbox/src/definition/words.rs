//! What a tool says of itself in the language that somebody reads (`madoguchi/text` in its meta).

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Tool;

/// Where a definition's meta has its texts by language.
const TEXTS: &str = "madoguchi/text";

/// A tool's texts in one language.
pub struct Words {
    pub title: Option<String>,
    pub description: String,
    pub input_schema: Arc<Map<String, Value>>,
}

impl Tool {
    /// Its texts in `language` (`ja`, `en`), each as the tool has it where it says nothing in that one.
    pub fn words(&self, language: &str) -> Words {
        let own = texts(&self.meta, language);
        let text = |name: &str| own?.get(name)?.as_str().map(str::to_owned);
        let arguments = own.and_then(|it| it.get("arguments")?.as_object());
        let input_schema = match arguments.filter(|it| !it.is_empty()) {
            Some(arguments) => {
                let mut schema = (*self.input_schema).clone();
                for (path, text) in arguments {
                    describe(&mut schema, path, text);
                }
                Arc::new(schema)
            }
            None => self.input_schema.clone(),
        };
        Words {
            title: text("title").or_else(|| self.title.clone()),
            description: text("description").unwrap_or_else(|| self.description.clone()),
            input_schema,
        }
    }
}

/// What a definition with that meta says in `language`.
pub fn texts<'a>(meta: &'a Map<String, Value>, language: &str) -> Option<&'a Value> {
    meta.get(TEXTS)?.get(language)
}

/// Describes the argument at `path` (`message.sender`), be it in an object or in a list's entries.
fn describe(schema: &mut Map<String, Value>, path: &str, text: &Value) {
    let (name, rest) = path.split_once('.').map_or((path, None), |it| (it.0, Some(it.1)));
    let holder = match schema.contains_key("properties") {
        true => Some(schema),
        false => schema.get_mut("items").and_then(Value::as_object_mut),
    };
    let properties = holder.and_then(|it| it.get_mut("properties")?.as_object_mut());
    let argument = properties.and_then(|it| it.get_mut(name)?.as_object_mut());
    match (argument, rest) {
        (Some(argument), None) => _ = argument.insert("description".to_owned(), text.clone()),
        (Some(argument), Some(rest)) => describe(argument, rest, text),
        (None, _) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bindings::exports::madoguchi::tool::tools::{Annotations, Definition};

    fn tool() -> Tool {
        let schema = json!({ "type": "object", "properties": {
            "day": { "type": "string", "description": "日付" },
            "guests": { "type": "array", "description": "客", "items": {
                "type": "object", "properties": { "name": { "type": "string" } } } },
        } });
        let meta = json!({ "madoguchi/text": { "ja": { "title": "予約" }, "en": {
            "title": "Book", "description": "Books.",
            "arguments": { "day": "The day", "guests.name": "Who", "gone": "?" },
        } } });
        let definition = Definition {
            name: "book".to_owned(),
            title: Some("予約".to_owned()),
            description: "予約する。".to_owned(),
            input_schema: schema.to_string(),
            output_schema: None,
            annotations: Annotations::empty(),
            view: None,
            meta: Some(meta.to_string()),
        };
        Tool::read_all(vec![definition]).unwrap().remove(0)
    }

    #[test]
    fn says_itself_in_the_language_that_is_read() {
        let words = tool().words("en");
        assert_eq!((words.title.as_deref(), &*words.description), (Some("Book"), "Books."));
        let properties = &words.input_schema["properties"];
        assert_eq!(properties["day"]["description"], "The day");
        assert_eq!(properties["guests"]["description"], "客");
        let name = &properties["guests"]["items"]["properties"]["name"];
        assert_eq!(name["description"], "Who");
        let words = tool().words("ja");
        assert_eq!((words.title.as_deref(), &*words.description), (Some("予約"), "予約する。"));
        assert_eq!(words.input_schema["properties"]["day"]["description"], "日付");
        assert_eq!(tool().words("fr").description, "予約する。");
    }
}
