//! Tests of validation: errors found, unknown keywords, and termination.

use serde_json::json;

use super::*;

fn checked(schema: Value, document: Value) -> Result<(), String> {
    let Value::Object(schema) = schema else { panic!("a schema is an object") };
    let bytes = document.to_string().len();
    check(&schema, &document, bytes).map_err(|it| it.to_string())
}

fn film() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": { "type": "string", "minLength": 1 },
            "minutes": { "type": ["integer", "null"], "minimum": 1 },
            "genre": { "enum": ["drama", "comedy"] },
            "seats": { "type": "array", "items": { "$ref": "#/$defs/seat" }, "maxItems": 2 },
        },
        "required": ["title"],
        "additionalProperties": false,
        "$defs": { "seat": { "type": "object", "required": ["row"] } },
    })
}

#[test]
fn names_place_of_a_mismatch() {
    let fits = json!({ "title": "君の名は。", "minutes": 107.0, "seats": [{ "row": "A" }] });
    assert_eq!(checked(film(), fits), Ok(()));
    let wrong = |document| checked(film(), document).unwrap_err();
    assert_eq!(wrong(json!({})), r#"the output: must have "title""#);
    assert_eq!(wrong(json!([])), r#"the output: must be of type "object""#);
    assert!(wrong(json!({ "title": "" })).starts_with("/title: minLength"));
    assert!(wrong(json!({ "title": "a", "minutes": 1.5 })).starts_with("/minutes: "));
    assert!(wrong(json!({ "title": "a", "genre": "opera" })).starts_with("/genre: "));
    assert!(wrong(json!({ "title": "a", "other": 1 })).starts_with("/other: must not"));
    assert!(wrong(json!({ "title": "a", "seats": [{ "row": 1 }, {}] })).starts_with("/seats/1: "));
    assert!(wrong(json!({ "title": "a", "seats": [{}, {}, {}] })).starts_with("/seats"));
}

#[test]
fn accepts_any_one_alternative() {
    let schema =
        json!({ "anyOf": [{ "type": "string" }, { "properties": { "a": { "const": 1 } } }] });
    assert_eq!(checked(schema.clone(), json!("a")), Ok(()));
    assert_eq!(checked(schema.clone(), json!({ "a": 1.0 })), Ok(()));
    assert!(checked(schema, json!({ "a": 2 })).unwrap_err().contains("alternatives"));
}

#[test]
fn ignores_unknown_keywords() {
    let schema = json!({
        "$ref": "https://example.com/elsewhere",
        "not": {}, "if": {}, "then": false,
        "patternProperties": { "^x": {} },
        "additionalProperties": false,
        "enum": [{ "x": 1 }],
    });
    assert_eq!(checked(schema, json!({ "x": 1.0 })), Ok(()));
}

#[test]
fn recursive_or_doubling_schema_terminates() {
    let own = json!({ "allOf": [{ "$ref": "#/allOf/0" }] });
    assert_eq!(checked(own, json!({})).unwrap_err(), Misfit::Entangled.to_string());
    let mut defs = Map::new();
    defs.insert("a0".to_owned(), json!({ "type": "object" }));
    for step in 1..64 {
        let before = json!({ "$ref": format!("#/$defs/a{}", step - 1) });
        defs.insert(format!("a{step}"), json!({ "allOf": [before.clone(), before] }));
    }
    let doubling = json!({ "$ref": "#/$defs/a63", "$defs": defs });
    assert_eq!(checked(doubling, json!({})).unwrap_err(), Misfit::Entangled.to_string());
}

#[test]
fn long_document_is_not_rejected_as_too_complex() {
    let seats: Vec<_> = (0..20_000).map(|row| json!({ "row": row })).collect();
    let schema =
        json!({ "items": { "type": "object", "properties": { "row": { "type": "integer" } } } });
    assert_eq!(checked(schema, Value::Array(seats)), Ok(()));
}
