//! How a tool describes itself to the host: one entry of `tools/list`.

use schemars::{
    JsonSchema, Schema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, ReplaceBoolSchemas},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{Definition, English, Text, Tool};

/// The tool's entry in `tools/list`: its schemas from its types, its texts from its doc comments.
///
/// # Panics
/// When the argument struct lets unknown fields pass, there is no English, or a text is of an argument that there is
/// not.
#[must_use]
pub fn definition<T: Tool>() -> Definition {
    let (mut input, english) = described::<T>();
    let is_object = input.get("type") == Some(&"object".into());
    assert!(is_object, "{}: its arguments are no struct with named fields", T::NAME);
    let closed = input.get("additionalProperties") == Some(&Value::Bool(false));
    assert!(closed, "{}: its arguments lack #[serde(deny_unknown_fields)]", T::NAME);
    let description = take_text(&mut input, "description");
    let output = output_schema::<T::Output>();
    let is_nothing = output.get("type") == Some(&Value::from("null"));
    let mut definition = Definition {
        name: T::NAME.to_owned(),
        title: Some(T::TITLE.ja.to_owned()),
        description,
        input_schema: T::INPUT_SCHEMA.map_or_else(|| json(&input), str::to_owned),
        output_schema: (!is_nothing).then(|| json(&output)),
        annotations: T::HINTS,
        view: T::VIEW.map(str::to_owned),
        meta: Some(json(&meta::<T>(english))),
    };
    T::complete(&mut definition);
    let whole = serde_json::from_str(&definition.input_schema);
    let whole = whole.unwrap_or_else(|why| panic!("{}: INPUT_SCHEMA: {why}", T::NAME));
    let labels = T::LABELS.iter().map(|it| it.0);
    check_paths(T::NAME, "ENGLISH", T::ENGLISH.arguments.iter().map(|it| it.0), &whole);
    check_paths(T::NAME, "LABELS", labels, &whole);
    definition
}

/// Holds the arguments that a table of texts names against those of the schema: a text of a mistyped name would
/// be read by none.
///
/// # Panics
/// Where there is no such argument, with those that there are.
pub(crate) fn check_paths<'a>(
    of: &str,
    table: &str,
    paths: impl IntoIterator<Item = &'a str>,
    schema: &Value,
) {
    for path in paths {
        let mut within = vec![schema];
        for name in path.split('.') {
            // A type that holds itself refers to what stands elsewhere.
            if within.iter().any(|it| it.to_string().contains("\"$ref\"")) {
                break;
            }
            let all: Vec<_> = within.iter().flat_map(|it| properties(it)).collect();
            within = all.iter().filter(|it| it.0 == name).map(|it| it.1).collect();
            let there: Vec<_> = all.iter().map(|it| it.0).collect();
            assert!(
                !within.is_empty(),
                "{of}: {table} has a text for the argument {path:?}, and there is none; where {name:?} stands there is: {}",
                if there.is_empty() { "nothing".to_owned() } else { there.join(", ") }
            );
        }
    }
}

/// The keywords of a schema whose own properties count as its own: those of items and of variants.
const WITHIN: [&str; 6] =
    ["items", "additionalProperties", "prefixItems", "anyOf", "oneOf", "allOf"];

/// The properties of an object, of the items of an array and of each variant.
fn properties(schema: &Value) -> Vec<(&str, &Value)> {
    let own = schema.get("properties").and_then(Value::as_object);
    let mut all: Vec<_> = own.into_iter().flatten().map(|(name, it)| (name.as_str(), it)).collect();
    for key in WITHIN {
        match schema.get(key) {
            Some(Value::Array(variants)) => all.extend(variants.iter().flat_map(properties)),
            Some(inner) => all.extend(properties(inner)),
            None => {}
        }
    }
    all
}

/// The schema of what is read: a tool's arguments, the form of a question.
pub(crate) fn input_schema<T: JsonSchema>() -> Map<String, Value> {
    described::<T>().0
}

/// The same, and the English of its doc comments: by an argument's path, and by none what the whole is.
pub(crate) fn described<T: JsonSchema>() -> (Map<String, Value>, Map<String, Value>) {
    let mut schema = schema::<T>(SchemaSettings::draft2020_12());
    schema.remove("title");
    if !schema.contains_key("properties") {
        schema.insert("properties".to_owned(), Value::Object(Map::new()));
    }
    let mut english = Map::new();
    take_english(&mut schema, "", &mut english);
    (schema, english)
}

/// Takes from the descriptions what follows their line that begins with `en: `.
fn take_english(schema: &mut Map<String, Value>, path: &str, english: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = schema.get_mut("description")
        && let Some((japanese, behind)) = text.split_once("\nen: ")
    {
        // What stands at a field says more than what its type says of itself.
        let words: Vec<_> = behind.split_whitespace().collect();
        english.entry(path).or_insert_with(|| words.join(" ").into());
        *text = japanese.trim_end().to_owned();
    }
    for (name, inner) in
        schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
    {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        inner.as_object_mut().into_iter().for_each(|it| take_english(it, &path, english));
    }
    for key in WITHIN {
        let inner = match schema.get_mut(key) {
            Some(Value::Array(variants)) => &mut variants[..],
            Some(inner) => std::slice::from_mut(inner),
            None => continue,
        };
        inner
            .iter_mut()
            .filter_map(Value::as_object_mut)
            .for_each(|it| take_english(it, path, english));
    }
}

/// The schema of what is put out: the shape without a sentence. Every client gets it with every list, and
/// hardly a model sees it; what a value is, its name says.
fn output_schema<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    schema::<T>(settings.with(|it| it.transforms.push(Box::new(RecursiveTransform(shorten)))))
}

/// Leaves what a value's shape is, and whether it is a secret (`format: password`).
fn shorten(schema: &mut Schema) {
    for name in ["title", "description", "default", "examples"] {
        schema.remove(name);
    }
    if schema.get("minimum").and_then(Value::as_u64) == Some(0) {
        schema.remove("minimum");
    }
    if schema.get("format").is_some_and(|it| it != "password") {
        schema.remove("format");
    }
    // What may be left out is left out where there is nothing: it is never null.
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let Some(Value::Array(types)) = property.get_mut("type") else { continue };
        if !required.contains(&Value::from(name.as_str())) {
            types.retain(|it| it != "null");
        }
        if let [only] = &types[..] {
            property["type"] = only.clone();
        }
    }
    let names = schema.get("oneOf").and_then(Value::as_array).and_then(|all| {
        let mut names = Vec::new();
        for it in all {
            match (it.get("const"), it.get("enum")) {
                (Some(name @ Value::String(_)), _) => names.push(name.clone()),
                (None, Some(Value::Array(some))) if some.iter().all(Value::is_string) => {
                    names.extend_from_slice(some);
                }
                _ => return None,
            }
        }
        Some(names)
    });
    if let Some(names) = names {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), "string".into());
        schema.insert("enum".to_owned(), Value::Array(names));
    }
}

/// Whole in itself: nothing refers to a definition elsewhere, which not every client can follow.
fn schema<T: JsonSchema>(settings: SchemaSettings) -> Map<String, Value> {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        // The TypeScript SDK v1 turns down the whole list over one property that is `true`.
        let mut no_booleans = ReplaceBoolSchemas::default();
        no_booleans.skip_additional_properties = true;
        settings.transforms.push(Box::new(no_booleans));
        settings.transforms.push(Box::new(RecursiveTransform(remove_rust_formats)));
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    schema.as_object().cloned().unwrap_or_default()
}

/// `uint32` and its like are schemars' own; validators complain of a format that they do not know.
fn remove_rust_formats(schema: &mut Schema) {
    let of_number = ["int", "uint", "float", "double"];
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    if of_number.contains(&format.trim_end_matches(|it: char| it.is_ascii_digit())) {
        schema.remove("format");
    }
}

fn meta<T: Tool>(english: Map<String, Value>) -> Value {
    let mut meta = texts(T::NAME, T::TITLE, english, T::ENGLISH);
    for (name, Text { ja, en }) in T::LABELS {
        let texts = &mut meta["madoguchi/text"];
        texts["ja"]["labels"][*name] = (*ja).into();
        texts["en"]["labels"][*name] = (*en).into();
    }
    if T::TAKES_UNASKED_ANSWERS {
        meta["madoguchi/takes-unasked-answers"] = true.into();
    }
    let mut meta = with_more(T::NAME, meta, T::META);
    if let Some(uri) = T::APP {
        meta["ui"]["resourceUri"] = uri.into();
    }
    meta
}

/// The same definitions with their Japanese titles in kana as well, by a table of words and how they are read.
#[must_use]
pub fn with_readings(mut all: Vec<Definition>, table: &str) -> Vec<Definition> {
    let mut words: Vec<_> = table.lines().filter_map(|it| it.split_once(' ')).collect();
    // A longer word may have another reading than its parts.
    words.sort_by_key(|it| std::cmp::Reverse(it.0.len()));
    for definition in all.iter_mut().filter(|_| !words.is_empty()) {
        let title = definition.title.clone().unwrap_or_default();
        let reading = words.iter().fold(title, |it, (word, reading)| it.replace(word, reading));
        let meta = definition.meta.as_deref().and_then(|it| serde_json::from_str(it).ok());
        let mut meta: Value = meta.unwrap_or_default();
        meta["madoguchi/text"]["ja"]["reading"] = reading.into();
        definition.meta = Some(json(&meta));
    }
    all
}

/// The same with the entries that the author wrote out.
///
/// # Panics
/// Where they are no JSON object.
pub(crate) fn with_more(of: &str, mut meta: Value, more: Option<&str>) -> Value {
    let read = |it| serde_json::from_str(it).unwrap_or_else(|why| panic!("{of}: META: {why}"));
    let more: Map<String, Value> = more.map(read).unwrap_or_default();
    for (name, value) in more {
        meta[name] = value;
    }
    meta
}

/// Both languages' texts, for pages that show one of them (`madoguchi/text`): the English of the doc comments, and
/// `more`.
///
/// # Panics
/// Where neither has a description.
pub(crate) fn texts(
    of: &str,
    title: Text,
    mut english: Map<String, Value>,
    more: English,
) -> Value {
    let commented = english.shift_remove("");
    let description = Some(more.description.into()).filter(|it| *it != "").or(commented);
    assert!(
        description.is_some(),
        "{of}: its doc comment lacks the line that begins with `en: `, the English behind the Japanese"
    );
    english.extend(more.arguments.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())));
    let english = json!({ "title": title.en, "description": description, "arguments": english });
    json!({ "madoguchi/text": { "ja": { "title": title.ja }, "en": english } })
}

pub(crate) fn take_text(schema: &mut Map<String, Value>, name: &str) -> String {
    match schema.remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// What the contract calls `json`.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("schemas and outputs have string keys")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::{Stop, User};

    /// 挨拶する。
    /// en: Greets,
    /// and no more.
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Greet {
        /// 相手の名前
        /// en: Who
        name: String,
        /// 敬称
        #[serde(default)]
        manner: Manner,
        /// 連れ
        /// en: With whom
        #[serde(default)]
        others: Vec<Other>,
    }

    /// 連れの人
    /// en: A companion
    #[derive(Deserialize, JsonSchema)]
    struct Other {
        /// 連れの名前
        ///
        /// en: Their name,
        ///
        /// in full
        name: String,
    }

    #[derive(Default, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Manner {
        #[default]
        Polite,
        Plain,
    }

    #[derive(Serialize, JsonSchema)]
    struct Greeting {
        text: String,
    }

    impl Tool for Greet {
        const NAME: &'static str = "greet";
        const TITLE: Text = Text { ja: "挨拶", en: "Greet" };
        const ENGLISH: English =
            English { description: "", arguments: &[("manner", "How politely")] };
        const LABELS: &'static [(&'static str, Text)] =
            &[("name", Text { ja: "名前", en: "Name" })];
        type Output = Greeting;

        fn call(self, _: &User) -> Result<Greeting, Stop> {
            let suffix = if matches!(self.manner, Manner::Polite) { "さん" } else { "" };
            let names: String =
                self.others.into_iter().map(|it| format!("、{}", it.name)).collect();
            Ok(Greeting { text: format!("{}{suffix}{names}", self.name) })
        }
    }

    #[test]
    fn doc_comments_become_descriptions() {
        let definition = definition::<Greet>();
        assert_eq!(definition.description, "挨拶する。");
        let input: Value = serde_json::from_str(&definition.input_schema).unwrap();
        assert_eq!(input["properties"]["name"]["description"], "相手の名前");
        let others = &input["properties"]["others"];
        assert_eq!(others["description"], "連れ");
        assert_eq!(others["items"]["description"], "連れの人");
        assert_eq!(others["items"]["properties"]["name"]["description"], "連れの名前");
        assert_eq!(input["additionalProperties"], false);
        assert_eq!(input["required"], json!(["name"]));
    }

    #[test]
    fn schemas_have_no_references() {
        let definition = definition::<Greet>();
        assert!(!definition.input_schema.contains("$"), "{}", definition.input_schema);
        assert!(definition.input_schema.contains("plain"), "{}", definition.input_schema);
    }

    #[test]
    fn schema_uses_common_keywords_only() {
        #[derive(Serialize, JsonSchema)]
        struct Counted {
            count: u32,
            share: f64,
            #[schemars(extend("format" = "date"))]
            day: String,
            anything: Value,
        }
        let schema = schema::<Counted>(SchemaSettings::draft2020_12().for_serialize());
        let properties = &schema["properties"];
        assert_eq!(properties["anything"], json!({}));
        assert_eq!(properties["count"], json!({ "type": "integer", "minimum": 0 }));
        assert_eq!(properties["share"], json!({ "type": "number" }));
        assert_eq!(properties["day"]["format"], "date");
    }

    #[test]
    fn output_schema_has_shape_and_secrets() {
        /// What came of it.
        #[derive(Serialize, JsonSchema)]
        struct Came {
            /// How many.
            count: u32,
            /// Its state.
            state: State,
            /// When.
            #[schemars(extend("format" = "date"))]
            description: String,
            #[schemars(extend("format" = "password"))]
            key: String,
            /// There, if null.
            last: Option<u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            next: Option<u32>,
        }
        #[derive(Serialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[allow(dead_code, reason = "only its schema is asked for")]
        enum State {
            /// It goes on.
            Open,
            /// It is over.
            Closed,
        }
        assert_eq!(
            Value::Object(output_schema::<Came>()),
            json!({
                "type": "object",
                "properties": {
                    "count": { "type": "integer" },
                    "state": { "type": "string", "enum": ["open", "closed"] },
                    "description": { "type": "string" },
                    "key": { "type": "string", "format": "password" },
                    "last": { "type": ["integer", "null"] },
                    "next": { "type": "integer" },
                },
                "required": ["count", "state", "description", "key", "last"],
            })
        );
    }

    #[test]
    fn meta_has_english_texts() {
        let meta: Value = serde_json::from_str(&definition::<Greet>().meta.unwrap()).unwrap();
        let english = &meta["madoguchi/text"]["en"];
        assert_eq!(english["description"], "Greets, and no more.");
        let arguments = json!({
            "name": "Who",
            "others": "With whom",
            "others.name": "Their name, in full",
            "manner": "How politely",
        });
        assert_eq!(english["arguments"], arguments);
        assert_eq!(meta["madoguchi/text"]["ja"]["labels"], json!({ "name": "名前" }));
        assert_eq!(meta["madoguchi/text"]["en"]["labels"], json!({ "name": "Name" }));
    }

    #[test]
    fn titles_are_read_by_the_longest_words() {
        let table = "挨 あい\n拶 さつ\n挨拶 ごあいさつ\n";
        let all = with_readings(vec![definition::<Greet>()], table);
        let meta: Value = serde_json::from_str(all[0].meta.as_deref().unwrap()).unwrap();
        let texts = &meta["madoguchi/text"];
        assert_eq!(texts["ja"]["reading"], "ごあいさつ");
        assert_eq!(texts["en"]["title"], "Greet");
        let plain = with_readings(vec![definition::<Greet>()], "");
        assert!(!plain[0].meta.as_deref().unwrap().contains("reading"));
    }

    #[test]
    fn text_of_a_mistyped_argument_is_named() {
        let schema = json!({ "properties": {
            "name": {},
            "seats": { "type": "array", "items": { "anyOf": [{ "properties": { "row": {} } }] } },
        } });
        check_paths("greet", "ENGLISH", ["name", "seats", "seats.row"], &schema);
        for (path, there) in
            [("nmae", "is: name, seats"), ("seats.rwo", "is: row"), ("name.a", "is: nothing")]
        {
            let wrong = || check_paths("greet", "ENGLISH", [path], &schema);
            let panic = std::panic::catch_unwind(wrong).unwrap_err();
            let said = panic.downcast_ref::<String>().unwrap();
            assert!(said.starts_with("greet: ENGLISH has a text for the argument"), "{said}");
            assert!(said.contains(path) && said.ends_with(there), "{said}");
        }
    }

    /// A tool whose output is nothing promises none, and a schema can be given word for word.
    #[test]
    fn tool_without_output_has_no_output_schema() {
        /// 見せるだけ。
        /// en: Shows.
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct Show {}
        impl Tool for Show {
            const NAME: &'static str = "show";
            const TITLE: Text = Text { ja: "見せる", en: "Show" };
            const INPUT_SCHEMA: Option<&'static str> = Some(r#"{ "type": "object", "x": 1 }"#);
            type Output = ();

            fn call(self, user: &User) -> Result<(), Stop> {
                user.show("here");
                Ok(())
            }
        }
        let definition = definition::<Show>();
        assert_eq!(definition.output_schema, None);
        assert_eq!(definition.input_schema, r#"{ "type": "object", "x": 1 }"#);
        assert_eq!(definition.description, "見せるだけ。");
    }
}
