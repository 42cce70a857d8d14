//! Tools as models see them: name, description, schema; what the tool takes beside its arguments; and, where the
//! assistant asks for it, a property in which the model says why it calls (NAV-54).

use serde_json::{Map, Value, json};

use super::messages::Names;
use crate::{Language, Offer, ToolCall};

/// The property that says why; it never reaches a tool.
const REASON: &str = "reason";

/// One tool as a model sees it: still JSON Schema; each provider writes it its own way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declaration {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) parameters: Value,
}

/// The declarations of `offers`, in their order.
pub(super) fn declarations(
    offers: &[Offer],
    reasons: bool,
    language: Language,
) -> Vec<Declaration> {
    offers.iter().map(|it| declaration(it, reasons, language)).collect()
}

fn declaration(offer: &Offer, reasons: bool, language: Language) -> Declaration {
    let mut schema = taken(&offer.schema);
    let names = names(&schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let own = std::mem::take(properties);
        properties.extend(own.into_iter().map(|(name, it)| (names.wire(&name).to_owned(), it)));
    }
    for name in schema.get_mut("required").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(wire) = name.as_str().map(|it| names.wire(it).to_owned()) {
            *name = wire.into();
        }
    }
    let mut more: Map<_, _> = beside(offer).map(|it| (it.0.to_owned(), it.2.clone())).collect();
    if reasons && !has_reason(offer) {
        let why = language.pick(
            "このツールを呼び出す理由（利用者に表示する短い一文）",
            "Why this tool is called, in one short sentence for the person",
        );
        let property = json!({ "type": "string", "description": why });
        more.insert(REASON.to_owned(), property);
    }
    if !more.is_empty() {
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(properties) = properties {
            properties.extend(more);
        }
    }
    Declaration {
        name: offer.name.to_string(),
        description: offer.description.clone(),
        parameters: Value::Object(schema),
    }
}

/// `schema` as every provider takes it, each of which refuses all tools for one that is written otherwise: an object with
/// properties, and no choice of several at the top; what it chooses among are properties then.
fn taken(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut schema = schema.clone();
    // The first says which JSON Schema it is, which no provider takes.
    for refused in ["$schema", "title", "not", "enum"] {
        schema.remove(refused);
    }
    let mut properties = match schema.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    for choice in ["allOf", "anyOf", "oneOf"] {
        let variants = schema.remove(choice);
        for variant in variants.iter().filter_map(Value::as_array).flatten() {
            for (name, it) in variant["properties"].as_object().into_iter().flatten() {
                match properties.get_mut(name) {
                    Some(own) => widen(own, it),
                    None => drop(properties.insert(name.clone(), it.clone())),
                }
            }
        }
    }
    properties.values_mut().for_each(say_items);
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema
}

/// Where both have but some values, those of `other` are among `own`.
fn widen(own: &mut Value, other: &Value) {
    let values = |it: &Value| match it.get("const") {
        Some(only) => Some(vec![only.clone()]),
        None => it["enum"].as_array().cloned(),
    };
    let (Some(mut all), Some(more)) = (values(own), values(other)) else { return };
    all.extend(more.into_iter().filter(|it| !values(own).is_some_and(|all| all.contains(it))));
    if let Some(own) = own.as_object_mut() {
        own.remove("const");
        own.insert("enum".to_owned(), all.into());
    }
}

/// A list of anything says so: OpenAI takes none without its items.
fn say_items(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let kind = fields.get("type");
            let is_list = kind.is_some_and(|it| {
                it == "array" || it.as_array().is_some_and(|it| it.iter().any(|it| it == "array"))
            });
            if is_list && !fields.contains_key("items") {
                fields.insert("items".to_owned(), json!({}));
            }
            fields.values_mut().for_each(say_items);
        }
        Value::Array(entries) => entries.iter_mut().for_each(say_items),
        _ => {}
    }
}

/// The names of the arguments: Claude refuses all tools where one has other letters.
fn names(schema: &Map<String, Value>) -> Names {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    Names::new(properties.map(|it| it.0.as_str()))
}

/// Whether the tool has an argument of that name itself.
fn has_argument(offer: &Offer, name: &str) -> bool {
    offer.schema.get("properties").and_then(|it| it.get(name)).is_some()
}

fn has_reason(offer: &Offer) -> bool {
    has_argument(offer, REASON)
}

/// What the tool takes in the request's `_meta`: the property that a model sees, the entry's name, which has its
/// namespace before a slash, and its schema. What is called like an argument of the tool's is not among them.
fn beside(offer: &Offer) -> impl Iterator<Item = (&str, &str, &Value)> {
    let entries = offer.request_meta.iter();
    let named = entries.map(|(name, schema)| {
        (name.rsplit_once('/').map_or(name.as_str(), |it| it.1), name.as_str(), schema)
    });
    named.filter(|it| it.0 != REASON && !has_argument(offer, it.0))
}

/// A call as a model made it, with what is the tool's in its place: the reason, and what belongs into the request's
/// `_meta`, are among what the model wrote as arguments.
pub(super) fn call(
    id: String,
    name: String,
    mut arguments: Map<String, Value>,
    offers: &[Offer],
    language: Language,
) -> ToolCall {
    let offer = offers.iter().find(|it| it.name == name);
    if let Some(names) = offer.map(|it| names(&taken(&it.schema))) {
        let own = arguments.into_iter().map(|(name, it)| (names.own(&name).to_owned(), it));
        arguments = own.collect();
    }
    // A null is what some models write for what they leave out.
    arguments.retain(|name, it| !it.is_null() || !offer.is_some_and(|it| may_lack(it, name)));
    let reason = reason(&name, &mut arguments, offer, language);
    let mut meta = Map::new();
    for (property, entry, _) in offer.into_iter().flat_map(beside) {
        let given = arguments.remove(property).filter(|it| !it.is_null());
        meta.extend(given.map(|it| (entry.to_owned(), it)));
    }
    ToolCall { id, name, arguments, meta, reason }
}

/// Whether the tool does without the argument, and knows no null in its place.
fn may_lack(offer: &Offer, name: &str) -> bool {
    let required = offer.schema.get("required").and_then(Value::as_array);
    let is_required = required.is_some_and(|it| it.iter().any(|it| it == name));
    let kind = offer.schema.get("properties").and_then(|it| it[name]["type"].as_str());
    !is_required && kind.is_some_and(|it| it != "null")
}

/// Takes the reason out of `arguments`; a sentence made of the arguments where there is none.
fn reason(
    name: &str,
    arguments: &mut Map<String, Value>,
    offer: Option<&Offer>,
    language: Language,
) -> String {
    let is_own = offer.is_some_and(has_reason);
    let given = if is_own { None } else { arguments.remove(REASON) };
    let given = given.as_ref().and_then(Value::as_str).map(str::trim).filter(|it| !it.is_empty());
    given.map_or_else(|| derived(name, arguments, language), |it| shortened(it, 200))
}

/// A call as text: `route_search (origin: 東京駅, destination: 横浜駅)`.
fn derived(name: &str, arguments: &Map<String, Value>, language: Language) -> String {
    let shown = arguments.iter().take(4).map(|(name, value)| match value {
        Value::String(text) => format!("{name}: {}", shortened(text, 40)),
        value => format!("{name}: {}", shortened(&value.to_string(), 40)),
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    match shown.is_empty() {
        true => language.pick(format!("{name}を呼び出します"), format!("Calls {name}")),
        false => language
            .pick(format!("{name}を呼び出します（{shown}）"), format!("Calls {name} ({shown})")),
    }
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn offer(properties: Value) -> Offer {
        let schema = json!({ "$schema": "…", "type": "object", "properties": properties });
        let Value::Object(schema) = schema else { panic!("it is one") };
        Offer {
            name: "find".into(),
            description: "Finds.".to_owned(),
            schema: Arc::new(schema),
            owner: "finder".into(),
            is_read_only: true,
            ..Offer::default()
        }
    }

    fn called(arguments: Value, offers: &[Offer]) -> ToolCall {
        let Value::Object(arguments) = arguments else { panic!("it is one") };
        call("1".to_owned(), "find".to_owned(), arguments, offers, Language::English)
    }

    #[test]
    fn a_reason_is_asked_for_and_never_reaches_the_tool() {
        let offers = [offer(json!({ "what": { "type": "string" } }))];
        let declared = declarations(&offers, true, Language::English);
        assert!(declared[0].parameters["properties"]["reason"].is_object(), "NAV-54");
        assert_eq!(declared[0].parameters.get("$schema"), None);
        let made = called(json!({ "what": "x", "reason": "Because." }), &offers);
        assert_eq!((made.reason.as_str(), made.arguments.len()), ("Because.", 1), "NAV-54");
        let made = called(json!({ "what": "x" }), &offers);
        assert_eq!(made.reason, "Calls find (what: x)", "NAV-54");
        let plain = declarations(&offers, false, Language::English);
        assert_eq!(plain[0].parameters["properties"].get("reason"), None, "ILL-20");
    }

    fn declared(schema: Value) -> (Value, [Offer; 1]) {
        let Value::Object(schema) = schema else { panic!("it is one") };
        let offers = [Offer { schema: Arc::new(schema), ..offer(json!({})) }];
        let declared = declarations(&offers, false, Language::English).remove(0).parameters;
        (declared, offers)
    }

    #[test]
    fn a_schema_is_an_object_at_the_top_and_no_choice_there() {
        let (schema, _) = declared(json!({ "$schema": "…", "additionalProperties": false }));
        let empty = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        assert_eq!(schema, empty);
        let choice = json!({ "oneOf": [{ "type": "string" }] });
        let (schema, _) = declared(json!({
            "oneOf": [
                { "properties": { "kind": { "const": "a" }, "x": choice }, "required": ["kind"] },
                { "properties": { "kind": { "const": "b" }, "y": { "type": "array" } } },
            ],
            "anyOf": [{ "required": ["x"] }, { "required": ["y"] }],
            "not": { "required": ["z"] },
        }));
        let properties = json!({
            "kind": { "enum": ["a", "b"] }, "x": choice, "y": { "type": "array", "items": {} },
        });
        assert_eq!(schema, json!({ "type": "object", "properties": properties }));
    }

    #[test]
    fn a_list_within_says_what_is_in_it() {
        let (schema, _) = declared(json!({ "properties": {
            "type": { "type": "object", "properties": { "all": { "type": ["array", "null"] } } },
            "of": { "anyOf": [{ "type": "array", "items": { "type": "array" } }] },
        } }));
        let properties = &schema["properties"];
        assert_eq!(properties["type"]["properties"]["all"]["items"], json!({}));
        assert_eq!(properties["of"]["anyOf"][0]["items"]["items"], json!({}));
        assert_eq!(properties["type"].get("items"), None);
    }

    #[test]
    fn an_argument_in_other_letters_is_called_otherwise() {
        let text = json!({ "type": "string" });
        let (schema, offers) = declared(json!({
            "properties": { "$filter": text, "品名": text, "数量": text, "plain": text },
            "required": ["$filter", "品名"],
        }));
        let wires: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        let is_fit = |it: &char| it.is_ascii_alphanumeric() || *it == '_';
        assert!(wires.iter().all(|it| it.chars().all(|it| is_fit(&it))), "{wires:?}");
        assert_eq!(wires.len(), 4);
        for name in schema["required"].as_array().unwrap() {
            assert!(wires.iter().any(|it| name == it), "{schema}");
        }
        let arguments: Map<_, _> = wires.iter().map(|it| (it.clone(), json!("x"))).collect();
        let made = called(arguments.into(), &offers);
        for own in ["$filter", "品名", "数量", "plain"] {
            assert_eq!(made.arguments[own], "x", "{own}");
        }
        assert_eq!(called(json!({ "品名": "y" }), &offers).arguments["品名"], "y");
    }

    #[test]
    fn a_tools_own_reason_stays_its_own() {
        let offers = [offer(json!({ "reason": { "type": "integer" } }))];
        let declared = declarations(&offers, true, Language::English);
        assert_eq!(declared[0].parameters["properties"]["reason"]["type"], "integer");
        assert_eq!(called(json!({ "reason": 3 }), &offers).arguments["reason"], 3);
    }

    #[test]
    fn a_null_stands_for_an_argument_that_is_left_out() {
        let text = json!({ "type": "string" });
        let properties =
            json!({ "what": text, "of": text, "or": { "type": ["string", "null"] }, "any": {} });
        let (_, offers) = declared(json!({ "properties": properties, "required": ["what"] }));
        let given = json!({ "what": null, "of": null, "or": null, "any": null, "more": null });
        let made = called(given, &offers);
        let kept: Vec<_> = made.arguments.keys().map(String::as_str).collect();
        assert_eq!(kept, ["what", "or", "any", "more"]);
    }

    #[test]
    fn what_belongs_into_meta_is_seen_as_a_property_and_goes_there() {
        let beside = json!({ "a/way": { "type": "string" }, "a/what": { "type": "integer" } });
        let Value::Object(beside) = beside else { panic!("it is one") };
        let offer = offer(json!({ "what": { "type": "string" } }));
        let offers = [Offer { request_meta: Arc::new(beside), ..offer }];
        let declared = declarations(&offers, false, Language::English).remove(0);
        let properties = &declared.parameters["properties"];
        assert_eq!(properties["way"]["type"], "string");
        assert_eq!(properties["what"]["type"], "string", "an argument stays what it is");
        let made = called(json!({ "what": "x", "way": "up" }), &offers);
        assert_eq!(json!(made.meta), json!({ "a/way": "up" }));
        assert_eq!(json!(made.arguments), json!({ "what": "x" }));
        assert!(called(json!({ "what": "x", "way": null }), &offers).meta.is_empty());
    }
}
