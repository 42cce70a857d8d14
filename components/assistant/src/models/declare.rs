//! Declares tools to models: name, description, schema, entries of `_meta`, and, if the assistant asks
//! for it, a property for the reason of the call (NAV-54).

use serde_json::{Map, Value, json};

use super::messages::Names;
use crate::{Language, Offer, ToolCall};

/// Property for the reason; it never reaches a tool.
const REASON: &str = "reason";

/// One tool as a model sees it, in JSON Schema; each provider converts it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declaration {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) parameters: Value,
}

/// Declares `offers`, in their order.
pub(super) fn declarations(
    offers: &[Offer],
    reasons: bool,
    language: Language,
) -> Vec<Declaration> {
    offers.iter().map(|it| declaration(it, reasons, language)).collect()
}

fn declaration(offer: &Offer, reasons: bool, language: Language) -> Declaration {
    let mut schema = normalized(&offer.schema);
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
    let mut more: Map<_, _> =
        meta_properties(offer).map(|it| (it.0.to_owned(), it.2.clone())).collect();
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

/// Normalizes `schema` to what every provider accepts: an object with properties, without alternatives
/// at the top, whose members become properties. A provider rejects all tools if one schema is invalid.
fn normalized(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut schema = schema.clone();
    // No provider accepts these at the top of a schema.
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
    properties.values_mut().for_each(require_items);
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema
}

/// Adds the enumerated values of `other` to those of `own`.
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

/// Adds `items` to arrays that lack it, which OpenAI requires.
fn require_items(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let kind = fields.get("type");
            let is_list = kind.is_some_and(|kind| {
                kind == "array"
                    || kind.as_array().is_some_and(|it| it.iter().any(|it| it == "array"))
            });
            if is_list && !fields.contains_key("items") {
                fields.insert("items".to_owned(), json!({}));
            }
            fields.values_mut().for_each(require_items);
        }
        Value::Array(entries) => entries.iter_mut().for_each(require_items),
        _ => {}
    }
}

/// Names of the arguments on the wire: Claude rejects all tools if one has other characters.
fn names(schema: &Map<String, Value>) -> Names {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    Names::new(properties.map(|it| it.0.as_str()))
}

/// Whether the tool itself has an argument of that name.
fn has_argument(offer: &Offer, name: &str) -> bool {
    offer.schema.get("properties").and_then(|it| it.get(name)).is_some()
}

fn has_reason(offer: &Offer) -> bool {
    has_argument(offer, REASON)
}

/// Entries of `_meta` that the tool takes: the property that a model sees, the entry's full name, and
/// its schema. Those named like an argument are left out.
fn meta_properties(offer: &Offer) -> impl Iterator<Item = (&str, &str, &Value)> {
    let entries = offer.request_meta.iter();
    let named = entries.map(|(name, schema)| {
        (name.rsplit_once('/').map_or(name.as_str(), |it| it.1), name.as_str(), schema)
    });
    named.filter(|it| it.0 != REASON && !has_argument(offer, it.0))
}

/// Converts a model's call: moves the reason and the entries of `_meta` out of its arguments.
pub(super) fn call(
    id: String,
    name: String,
    mut arguments: Map<String, Value>,
    offers: &[Offer],
    language: Language,
) -> ToolCall {
    let offer = offers.iter().find(|it| it.name == name);
    if let Some(names) = offer.map(|it| names(&normalized(&it.schema))) {
        let own = arguments.into_iter().map(|(name, it)| (names.own(&name).to_owned(), it));
        arguments = own.collect();
    }
    // Some models write null for an omitted argument.
    arguments.retain(|name, it| !it.is_null() || !offer.is_some_and(|it| is_optional(it, name)));
    let reason = reason(&name, &mut arguments, offer, language);
    let mut meta = Map::new();
    for (property, entry, _) in offer.into_iter().flat_map(meta_properties) {
        let given = arguments.remove(property).filter(|it| !it.is_null());
        meta.extend(given.map(|it| (entry.to_owned(), it)));
    }
    ToolCall { id, name, arguments, meta, reason }
}

/// Whether the argument may be omitted and may not be null.
fn is_optional(offer: &Offer, name: &str) -> bool {
    let required = offer.schema.get("required").and_then(Value::as_array);
    let is_required = required.is_some_and(|it| it.iter().any(|it| it == name));
    let kind = offer.schema.get("properties").and_then(|it| it[name]["type"].as_str());
    !is_required && kind.is_some_and(|it| it != "null")
}

/// Removes the reason from `arguments`; without one, derives it from them.
fn reason(
    name: &str,
    arguments: &mut Map<String, Value>,
    offer: Option<&Offer>,
    language: Language,
) -> String {
    let is_own = offer.is_some_and(has_reason);
    let given = if is_own { None } else { arguments.remove(REASON) };
    let given = given.as_ref().and_then(Value::as_str).map(str::trim).filter(|it| !it.is_empty());
    given.map_or_else(|| call_text(name, arguments, language), |it| shortened(it, 200))
}

/// Formats a call: `route_search (origin: 東京駅, destination: 横浜駅)`.
fn call_text(name: &str, arguments: &Map<String, Value>, language: Language) -> String {
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
    fn removes_reason_before_calling_the_tool() {
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
    fn normalizes_schema_to_an_object() {
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
    fn adds_items_to_nested_arrays() {
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
    fn renames_argument_with_other_characters() {
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
    fn keeps_the_tools_own_reason_argument() {
        let offers = [offer(json!({ "reason": { "type": "integer" } }))];
        let declared = declarations(&offers, true, Language::English);
        assert_eq!(declared[0].parameters["properties"]["reason"]["type"], "integer");
        assert_eq!(called(json!({ "reason": 3 }), &offers).arguments["reason"], 3);
    }

    #[test]
    fn null_omits_an_optional_argument() {
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
    fn moves_meta_properties_into_meta() {
        let meta_properties =
            json!({ "a/way": { "type": "string" }, "a/what": { "type": "integer" } });
        let Value::Object(meta_properties) = meta_properties else { panic!("it is one") };
        let offer = offer(json!({ "what": { "type": "string" } }));
        let offers = [Offer { request_meta: Arc::new(meta_properties), ..offer }];
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
