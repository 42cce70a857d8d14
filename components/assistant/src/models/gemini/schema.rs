//! Converts tool declarations to Gemini's dialect of JSON Schema (ILL-20, ILL-21).

use serde_json::{Map, Value, json};

use crate::models::declare::Declaration;

/// Maximum depth of a converted schema.
const DEPTH_MAX: usize = 16;

/// Converts a declaration. What the dialect cannot express is sent as JSON Schema
/// (<https://ai.google.dev/api/caching#FunctionDeclaration>).
pub(super) fn declared(declaration: Declaration) -> Value {
    let Declaration { name, description, parameters } = declaration;
    // Empty descriptions are refused.
    let description = if description.trim().is_empty() { name.clone() } else { description };
    let mut declared = json!({ "name": name, "description": description });
    if is_empty(&parameters) {
        // An object without properties is refused.
        return declared;
    }
    match to_dialect(&parameters, DEPTH_MAX) {
        Some(schema) => declared["parameters"] = schema,
        None => declared["parametersJsonSchema"] = parameters,
    }
    declared
}

fn is_empty(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_none_or(Map::is_empty) && schema.get("$ref").is_none()
}

/// Converts `schema` to the dialect (<https://ai.google.dev/api/caching#Schema>). Defaults and bounds
/// are left out (ILL-X4); the tool checks them.
fn to_dialect(schema: &Value, depth: usize) -> Option<Value> {
    let schema = schema.as_object()?;
    let depth = depth.checked_sub(1)?;
    if ["$ref", "allOf", "not", "if", "patternProperties", "prefixItems"]
        .iter()
        .any(|it| schema.contains_key(*it))
    {
        return None;
    }
    let mut own = Map::new();
    let mut is_nullable = false;
    let variants = schema.get("anyOf").or(schema.get("oneOf"));
    match variants {
        Some(variants) => {
            let (nulls, others): (Vec<_>, Vec<_>) =
                variants.as_array()?.iter().partition(|it| it["type"] == "null");
            is_nullable = !nulls.is_empty();
            let others = others.into_iter().map(|it| to_dialect(it, depth));
            let mut others = others.collect::<Option<Vec<_>>>()?;
            match (others.len(), others.pop()?) {
                (1, Value::Object(only)) => own = only,
                (_, last) => {
                    others.push(last);
                    own.insert("anyOf".to_owned(), others.into());
                }
            }
        }
        None => {
            let kind = kind(schema, &mut is_nullable)?;
            own.insert("type".to_owned(), kind.to_ascii_uppercase().into());
            typed(schema, kind, &mut own, depth)?;
        }
    }
    if let Some(text) = schema.get("description").filter(|it| it.is_string()) {
        own.insert("description".to_owned(), text.clone());
    }
    if is_nullable {
        own.insert("nullable".to_owned(), true.into());
    }
    Some(Value::Object(own))
}

/// Returns its only type besides null.
fn kind<'a>(schema: &'a Map<String, Value>, is_nullable: &mut bool) -> Option<&'a str> {
    match schema.get("type") {
        Some(Value::String(kind)) => Some(kind),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<_> = kinds.iter().filter_map(Value::as_str).collect();
            *is_nullable = kinds.contains(&"null");
            match kinds.iter().filter(|it| **it != "null").collect::<Vec<_>>()[..] {
                [kind] => Some(kind),
                _ => None,
            }
        }
        None if schema.contains_key("properties") => Some("object"),
        None if schema.contains_key("enum") || schema.contains_key("const") => Some("string"),
        _ => None,
    }
}

/// Adds the members of its type.
fn typed(
    schema: &Map<String, Value>,
    kind: &str,
    own: &mut Map<String, Value>,
    depth: usize,
) -> Option<()> {
    match kind {
        "string" => {
            let one = schema.get("const").map(|it| vec![it.clone()]);
            let values = schema.get("enum").and_then(Value::as_array).cloned().or(one);
            if let Some(values) = values {
                values.iter().all(Value::is_string).then_some(())?;
                // An empty value is refused, together with all tools.
                let values: Vec<_> = values.into_iter().filter(|it| it != "").collect();
                if !values.is_empty() {
                    own.insert("enum".to_owned(), values.into());
                }
            }
        }
        "array" => {
            own.insert("items".to_owned(), to_dialect(schema.get("items")?, depth)?);
        }
        "object" => {
            let properties = schema.get("properties")?.as_object().filter(|it| !it.is_empty())?;
            // The dialect cannot express maps.
            if schema.get("additionalProperties").is_some_and(Value::is_object) {
                return None;
            }
            let put =
                properties.iter().map(|(name, it)| Some((name.clone(), to_dialect(it, depth)?)));
            own.insert("properties".to_owned(), Value::Object(put.collect::<Option<_>>()?));
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let is_own = |it: &&Value| it.as_str().is_some_and(|it| properties.contains_key(it));
            let required: Vec<_> = required.filter(is_own).cloned().collect();
            if !required.is_empty() {
                own.insert("required".to_owned(), required.into());
            }
        }
        // The dialect has only text values.
        _ if schema.contains_key("enum") || schema.contains_key("const") => return None,
        "number" | "integer" | "boolean" | "null" => {}
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(parameters: Value) -> Value {
        let (name, description) = ("find".to_owned(), "Finds.".to_owned());
        declared(Declaration { name, description, parameters })
    }

    /// The declarations of the specification, verbatim (ILL-20).
    #[test]
    fn declares_specified_tools_verbatim() {
        let theme = json!({ "type": "object", "properties": {
            "theme": { "type": "string", "minLength": 1, "maxLength": 200, "title": "Theme",
                "description": "テーマ名（例: ブルーアイズ、ブラック・マジシャン）" },
            "limit": { "type": "number", "default": 5, "minimum": 1, "maximum": 20,
                "description": "取得するイラストの最大枚数（デフォルト: 5）" },
        }, "required": ["theme"], "additionalProperties": false });
        let declared = put(theme);
        let expected = json!({ "name": "find", "description": "Finds.", "parameters": {
            "type": "OBJECT", "properties": {
                "theme": { "type": "STRING",
                    "description": "テーマ名（例: ブルーアイズ、ブラック・マジシャン）" },
                "limit": { "type": "NUMBER",
                    "description": "取得するイラストの最大枚数（デフォルト: 5）" },
            }, "required": ["theme"] } });
        assert_eq!(declared, expected, "ILL-20, ILL-X4");
    }

    #[test]
    fn converts_expressible_schemas_to_the_dialect() {
        let declared = put(json!({ "type": "object", "properties": {
            "avoid": { "type": "array", "items": { "enum": ["tolls", "highways"] }, "maxItems": 3 },
            "at": { "anyOf": [{ "type": "string" }, { "type": "null" }], "description": "When" },
            "n": { "type": ["integer", "null"] },
            "sort": { "type": "string", "enum": ["", "asc", "desc"] },
            "none": { "type": "string", "enum": [""] },
            "to": { "oneOf": [{ "type": "string" }, { "type": "number" }] },
        }, "required": ["avoid", "gone"] }));
        let properties = &declared["parameters"]["properties"];
        let avoid = json!({ "type": "ARRAY", "items": { "type": "STRING", "enum": ["tolls", "highways"] } });
        assert_eq!(properties["avoid"], avoid);
        let at = json!({ "type": "STRING", "description": "When", "nullable": true });
        assert_eq!(properties["at"], at);
        assert_eq!(properties["sort"], json!({ "type": "STRING", "enum": ["asc", "desc"] }));
        assert_eq!(properties["none"], json!({ "type": "STRING" }));
        assert_eq!(properties["n"], json!({ "type": "INTEGER", "nullable": true }));
        assert_eq!(
            properties["to"],
            json!({ "anyOf": [{ "type": "STRING" }, { "type": "NUMBER" }] })
        );
        assert_eq!(declared["parameters"]["required"], json!(["avoid"]));
    }

    /// What their schema cannot say goes as JSON Schema; a tool without arguments goes without a schema.
    #[test]
    fn falls_back_to_json_schema() {
        for property in [
            json!({ "$ref": "#/$defs/x" }),
            json!({ "type": "object" }),
            json!({ "type": "array" }),
            json!({ "enum": [1, 2] }),
            json!({}),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        ] {
            let schema = json!({ "type": "object", "properties": { "it": property } });
            assert_eq!(put(schema.clone())["parametersJsonSchema"], schema, "{schema}");
        }
        let declared = put(json!({ "type": "object", "properties": {} }));
        assert_eq!(declared, json!({ "name": "find", "description": "Finds." }));
    }
}
