//! Tests of breaking and harmless differences.

use serde_json::{Value, json};

use super::*;

fn tool(name: &str, input: Value, output: Value) -> Surface {
    let (kind, name, output) = (Kind::Tool, name.to_owned(), Some(output));
    Surface { kind, name, description: String::new(), input, output, said: None }
}

/// The differences of one tool's arguments, as they are reported.
fn input(old: Value, new: Value) -> Vec<Difference> {
    let any = json!({ "type": "object" });
    between(&[tool("t", old, any.clone())], &[tool("t", new, any)])
}

/// The differences of one tool's output.
fn output(old: Value, new: Value) -> Vec<Difference> {
    let any = json!({ "type": "object" });
    between(&[tool("t", any.clone(), old)], &[tool("t", any, new)])
}

fn object(properties: Value, required: Value) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

#[track_caller]
fn breaks(found: &[Difference], what: &str) {
    let hit = found.iter().any(|it| it.is_breaking && it.what.contains(what));
    assert!(hit, "{what:?} is not among {found:?}");
}

#[track_caller]
fn fits(found: &[Difference]) {
    assert!(found.iter().all(|it| !it.is_breaking), "{found:?}");
}

#[test]
fn equal_tools_have_no_differences() {
    let schema = object(json!({ "a": { "type": "string" } }), json!(["a"]));
    assert_eq!(input(schema.clone(), schema.clone()), []);
    assert_eq!(output(schema.clone(), schema), []);
}

#[test]
fn removed_tool_breaks_and_new_one_does_not() {
    let any = json!({ "type": "object" });
    let (a, b) = (tool("a", any.clone(), any.clone()), tool("b", any.clone(), any));
    breaks(&between(&[a.clone(), b.clone()], std::slice::from_ref(&a)), "the tool is gone");
    fits(&between(std::slice::from_ref(&a), &[a.clone(), b]));
    let described = Surface { description: "other words".to_owned(), ..a.clone() };
    let found = between(&[a], &[described]);
    fits(&found);
    assert_eq!(found.len(), 1);
}

/// A prompt that is gone or wants more breaks; a tool of the same name is not that prompt.
#[test]
fn removed_or_stricter_prompt_breaks_apart_from_tools() {
    let prompt = |required: &[&str]| {
        let properties: Map<_, _> =
            required.iter().map(|it| ((*it).to_owned(), json!({ "type": "string" }))).collect();
        Surface {
            kind: Kind::Prompt,
            output: None,
            ..tool(
                "a",
                json!({ "type": "object", "properties": properties, "required": required }),
                json!({}),
            )
        }
    };
    let any = json!({ "type": "object" });
    breaks(&between(&[prompt(&[])], &[tool("a", any.clone(), any)]), "the prompt is gone");
    assert!(between(&[prompt(&[])], &[prompt(&["topic"])]).iter().any(|it| it.is_breaking));
    assert_eq!(between(&[prompt(&["topic"])], &[prompt(&["topic"])]), []);
}

#[test]
fn previously_valid_arguments_must_stay_valid() {
    let string = json!({ "type": "string" });
    let one = || object(json!({ "a": string }), json!(["a"]));
    let two = |required| object(json!({ "a": string, "b": string }), required);
    breaks(&input(one(), two(json!(["a", "b"]))), "/b: is new and required");
    fits(&input(one(), two(json!(["a"]))));
    breaks(&input(two(json!([])), two(json!(["b"]))), "/b: is now required");
    fits(&input(two(json!(["a"])), two(json!([]))));
    breaks(&input(two(json!(["a"])), one()), "/b: is gone");
    let open = json!({ "type": "object", "properties": { "a": string } });
    fits(&input(
        json!({ "type": "object", "properties": { "a": string, "b": string } }),
        open.clone(),
    ));
    breaks(&input(open, object(json!({ "a": string }), json!([]))), "other properties");
}

#[test]
fn narrowed_argument_breaks_and_widened_does_not() {
    let of = |schema: Value| object(json!({ "a": schema }), json!([]));
    let table = [
        (json!({ "type": "number" }), json!({ "type": "integer" }), "type changed"),
        (json!({ "type": ["string", "null"] }), json!({ "type": "string" }), "type changed"),
        (json!({}), json!({ "type": "string" }), "type changed"),
        (json!({ "enum": ["x", "y"] }), json!({ "enum": ["x"] }), "\"y\" is gone"),
        (json!({ "type": "string" }), json!({ "type": "string", "enum": ["x"] }), "only some"),
        (json!({ "maxLength": 9 }), json!({ "maxLength": 8 }), "maxLength"),
        (json!({}), json!({ "minItems": 1 }), "minItems"),
        (json!({ "minimum": 1 }), json!({ "minimum": 2 }), "minimum"),
        (json!({}), json!({ "pattern": "^x" }), "pattern"),
        (
            json!({ "items": { "type": "number" } }),
            json!({ "items": { "type": "integer" } }),
            "/a/*: its type",
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            json!({ "type": "string" }),
            "alternative 2",
        ),
    ];
    for (wide, narrow, what) in table {
        breaks(&input(of(wide.clone()), of(narrow.clone())), what);
        fits(&input(of(narrow), of(wide)));
    }
}

#[test]
fn promised_output_must_remain() {
    let string = json!({ "type": "string" });
    let one = |required| object(json!({ "a": string }), required);
    let two = || object(json!({ "a": string, "b": string }), json!(["a"]));
    breaks(&output(two(), one(json!(["a"]))), "/b: is gone");
    fits(&output(one(json!(["a"])), two()));
    breaks(&output(one(json!(["a"])), one(json!([]))), "/a: is no longer required");
    fits(&output(one(json!([])), one(json!(["a"]))));
    let number = object(json!({ "a": { "type": "number" } }), json!(["a"]));
    let integer = object(json!({ "a": { "type": "integer" } }), json!(["a"]));
    breaks(&output(one(json!(["a"])), number.clone()), "/a: its type changed");
    breaks(&output(integer.clone(), number.clone()), "/a: its type changed");
    fits(&output(number, integer));
    let maybe = object(json!({ "a": { "anyOf": [string, { "type": "null" }] } }), json!(["a"]));
    breaks(&output(one(json!(["a"])), maybe.clone()), "may come now");
    fits(&output(maybe, one(json!(["a"]))));
}

#[test]
fn follows_references_even_when_cyclic() {
    let tree = |kind: &str| {
        json!({
            "type": "object",
            "properties": { "tree": { "$ref": "#/$defs/Node" } },
            "$defs": { "Node": {
                "type": "object",
                "properties": { "value": { "type": kind }, "next": { "$ref": "#/$defs/Node" } },
            } },
        })
    };
    breaks(&input(tree("string"), tree("number")), "/tree/value: its type");
    fits(&input(tree("string"), tree("string")));
}
