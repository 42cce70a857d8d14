//! A foreign component, alone: its functions are tools (SYS-40).

use host::limits::Limits;
use serde_json::{Value, json};
use tests::{bench::Bench, component_bytes, with_section};

fn everything() -> Value {
    json!({
        "yes": true, "tiny": -128, "byte": 255, "short": -32768, "word": 65535,
        "whole": -2147483648, "count": 4294967295_u32,
        "low": i64::MIN, "high": u64::MAX, "ratio": 0.1, "exact": 1e300,
        "letter": "窓", "text": "a\"b", "bytes": "AAH/", "shorts": [1, -2],
        "pair": ["one", 1], "shape": { "polygon": [{ "x": 1, "y": 2, "label": "p" }] },
        "colour": "dark-green", "days": ["monday", "wednesday"],
        "maybe": 7, "perhaps": { "some": "deep" }, "outcome": { "err": "no" },
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut all = everything();
    all[name] = value;
    json!({ "it": all })
}

#[tokio::test]
async fn each_function_is_a_tool_named_by_interface_and_function() {
    let stranger = Bench::of("stranger").start().await;
    let names: Vec<_> = stranger.component().tools().iter().map(|it| it.name.to_string()).collect();
    assert_eq!(
        names,
        [
            "check",
            "counters_sum",
            "divide",
            "find",
            "misbehave",
            "values_echo",
            "values_float",
            "values_invert",
            "values_maybe",
            "values_move-by",
            "values_nothing",
        ],
        "SYS-40"
    );
    for tool in stranger.component().tools() {
        assert!(!tool.hints.read_only && tool.hints.destructive && tool.hints.open_world);
        assert!(tool.output_schema.is_some() && !tool.description.is_empty(), "{}", tool.name);
    }
    assert!(stranger.component().is_pooled(), "it is small");
}

#[tokio::test]
async fn types_without_json_equivalent_are_left_out_by_name() {
    let stranger = Bench::of("stranger").start().await;
    let left = stranger.component().left_out().iter();
    let left: Vec<_> = left.map(|it| (it.function.as_str(), it.why.as_str())).collect();
    let interface = "example:stranger/counters@1.2.0";
    for function in ["[constructor]counter", "[method]counter.next"] {
        let whole = format!("{interface}#{function}");
        assert!(left.contains(&(&whole, "it belongs to a resource")), "SYS-41: {left:?}");
    }
    let started = left.iter().find(|it| it.0 == format!("{interface}#started")).unwrap();
    assert!(started.1.contains("a resource"), "{left:?}");
    assert_eq!(left.len(), 3, "{left:?}");
}

#[tokio::test]
async fn every_type_goes_in_and_comes_out_the_same() {
    let stranger = Bench::of("stranger").start().await;
    let echoed = stranger.call("values_echo", json!({ "it": everything() })).await;
    assert_eq!(echoed, everything(), "SYS-42");
    for (name, value, expected) in [
        ("shape", json!("empty"), json!("empty")),
        ("shape", json!({ "circle": 2 }), json!({ "circle": 2.0 })),
        ("days", json!([]), json!([])),
        ("days", json!(["wednesday", "monday"]), json!(["monday", "wednesday"])),
        ("perhaps", json!({ "some": null }), json!({ "some": null })),
        ("outcome", json!({ "ok": 1 }), json!({ "ok": 1 })),
        ("bytes", json!(""), json!("")),
        ("tiny", json!(-1.0), json!(-1)),
        ("exact", json!(3), json!(3.0)),
    ] {
        let echoed = stranger.call("values_echo", with(name, value)).await;
        assert_eq!(echoed[name], expected, "SYS-42: {name}");
    }
    // An option is null or left out, and left out where it comes back.
    for nothing in [with("maybe", Value::Null), with("perhaps", Value::Null)] {
        let echoed = stranger.call("values_echo", nothing.clone()).await;
        let mut without = nothing["it"].clone();
        without.as_object_mut().unwrap().retain(|_, it| !it.is_null());
        assert_eq!(echoed, without);
        assert_eq!(stranger.call("values_echo", json!({ "it": without })).await, without);
    }
}

#[tokio::test]
async fn non_object_output_is_placed_under_result() {
    let stranger = Bench::of("stranger").start().await;
    let divided = stranger.call("divide", json!({ "dividend": 7, "divisor": 2 })).await;
    assert_eq!(divided, json!({ "result": 3 }));
    assert_eq!(stranger.call("values_nothing", json!({})).await, json!({}));
    assert_eq!(
        stranger.call("values_maybe", json!({ "text": "" })).await,
        json!({ "result": null })
    );
    assert_eq!(stranger.call("values_invert", json!({ "bytes": "AP8=" })).await["result"], "/wA=");
    assert_eq!(stranger.call("values_float", json!({ "text": "no" })).await["result"], "NaN");
    assert_eq!(stranger.call("values_float", json!({ "text": "inf" })).await["result"], "Infinity");
    let moved = json!({ "point": { "x": 1, "y": 1 }, "dx": 2 });
    assert_eq!(stranger.call("values_move-by", moved).await, json!({ "x": 3, "y": 1 }));
    let numbers: Vec<_> = vec![u32::MAX; 3];
    let sum = stranger.call("counters_sum", json!({ "numbers": numbers })).await;
    assert_eq!(sum["result"], 3 * u64::from(u32::MAX));
}

#[tokio::test]
async fn schemas_match_the_types() {
    let stranger = Bench::of("stranger").start().await;
    let tool = |name: &str| {
        let tools = stranger.component().tools();
        tools.iter().find(|it| &*it.name == name).unwrap().clone()
    };
    let moves = tool("values_move-by");
    let integer =
        |least: i64, most: i64| json!({ "type": "integer", "minimum": least, "maximum": most });
    let whole = integer(i32::MIN.into(), i32::MAX.into());
    let label = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
    let point = json!({
        "type": "object",
        "properties": { "x": whole, "y": whole, "label": label },
        "additionalProperties": false,
        "required": ["x", "y"],
    });
    assert_eq!(
        Value::Object((*moves.input_schema).clone()),
        json!({
            "type": "object",
            "properties": { "point": point, "dx": whole, "dy": { "anyOf": [whole, { "type": "null" }] } },
            "additionalProperties": false,
            "required": ["point", "dx"],
        })
    );
    assert_eq!(Value::Object((*moves.output_schema.unwrap()).clone()), point, "SYS-42");
    let echo = tool("values_echo").input_schema["properties"]["it"]["properties"].clone();
    assert_eq!(echo["tiny"], integer(-128, 127));
    assert_eq!(echo["high"], json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }));
    assert_eq!(echo["letter"], json!({ "type": "string", "minLength": 1, "maxLength": 1 }));
    assert_eq!(echo["bytes"], json!({ "type": "string", "contentEncoding": "base64" }));
    assert_eq!(echo["colour"], json!({ "type": "string", "enum": ["red", "dark-green", "blue"] }));
    assert_eq!(echo["days"]["uniqueItems"], true);
    assert_eq!(echo["pair"]["prefixItems"].as_array().unwrap().len(), 2);
    assert_eq!(echo["shape"]["anyOf"][0], json!({ "type": "string", "enum": ["empty"] }));
    assert_eq!(echo["shape"]["anyOf"][2]["properties"]["polygon"]["items"], point);
    assert_eq!(echo["perhaps"]["anyOf"][0]["required"], json!(["some"]));
    assert_eq!(echo["outcome"]["anyOf"][1]["properties"]["err"], json!({ "type": "string" }));
    let nothing = tool("values_nothing");
    assert_eq!(nothing.output_schema.unwrap()["properties"], json!({}));
}

#[tokio::test]
async fn reports_invalid_arguments_with_their_place() {
    let stranger = Bench::of("stranger").start().await;
    let some = r#"one of "empty", an object with "circle" alone, an object with "polygon" alone"#;
    for (name, value, expected) in [
        ("yes", json!(1), "must be a boolean, not 1"),
        ("tiny", json!(128), "must be an integer from -128 to 127, not 128"),
        ("byte", json!(-1), "must be an integer from 0 to 255, not -1"),
        ("byte", json!(1.5), "must be an integer from 0 to 255, not 1.5"),
        ("count", json!("9"), r#"must be an integer from 0 to 4294967295, not "9""#),
        ("high", json!(1e20), "must be an integer from 0 to 18446744073709551615, not 1e+20"),
        ("ratio", json!(1e300), "must be a number that fits 32 bits, not 1e+300"),
        ("exact", json!("x"), r#"must be a number, not "x""#),
        ("letter", json!("ab"), r#"must be a string of one character, not "ab""#),
        ("text", json!(null), "must be a string, not null"),
        ("bytes", json!("?"), r#"must be a string in base64, not "?""#),
        ("bytes", json!([1]), "must be a string in base64, not an array"),
        ("pair", json!(["a"]), "must be an array of 2 items, not an array"),
        ("colour", json!("pink"), r#"must be one of "red", "dark-green", "blue", not "pink""#),
        (
            "days",
            json!(["friday"]),
            r#"must be an array of some of "monday", "tuesday", "wednesday", not an array"#,
        ),
        ("shape", json!("circle"), &*format!("must be {some}, not \"circle\"")),
        ("shape", json!({ "empty": null }), &*format!("must be {some}, not an object")),
        ("shape", json!({ "circle": 1, "empty": 1 }), &*format!("must be {some}, not an object")),
        ("perhaps", json!("deep"), r#"must be null or an object with "some" alone, not "deep""#),
        (
            "outcome",
            json!({ "maybe": 1 }),
            r#"must be an object with "ok" or "err" alone, not an object"#,
        ),
    ] {
        let failure = stranger.failure("values_echo", with(name, value)).await;
        assert_eq!(failure["error"], "invalid_params", "{failure}");
        let problems = &failure["data"]["problems"];
        assert_eq!(
            problems,
            &json!([{ "pointer": format!("/it/{name}"), "message": expected }]),
            "SYS-42"
        );
    }
    let deep = with("shape", json!({ "polygon": [{ "x": 1, "y": 2 }, { "x": "1", "z": 3 }] }));
    let failure = stranger.failure("values_echo", deep).await;
    let at = "/it/shape/polygon/1";
    let problem = |place: &str, message: &str| json!({ "pointer": format!("{at}{place}"), "message": message });
    let whole = "an integer from -2147483648 to 2147483647";
    assert_eq!(
        failure["data"]["problems"],
        json!([
            problem("/z", "is not known here; known are: x, y, label"),
            problem("/x", &format!("must be {whole}, not \"1\"")),
            problem("/y", &format!("is required: {whole}")),
        ])
    );
    let failure = stranger.failure("values_nothing", json!({ "a": 1 })).await;
    assert_eq!(failure["message"], "a is not known here; known are: nothing");
    let failure = stranger.failure("values_nothing", json!([])).await;
    assert_eq!(failure["message"], "must be an object, not an array");
}

#[tokio::test]
async fn the_error_side_of_a_result_is_a_refusal_with_its_text() {
    let stranger = Bench::of("stranger").start().await;
    let failure = stranger.failure("divide", json!({ "dividend": 1, "divisor": 0 })).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("failed"), &json!(400)), "SYS-42");
    assert_eq!(failure["message"], "1 cannot be divided by 0");
    let failure = stranger.failure("find", json!({ "name": "moon" })).await;
    assert_eq!(failure["error"], "not_found");
    assert_eq!(failure["message"], "not-found: moon");
    assert_eq!(failure["data"]["error"], json!({ "not-found": "moon" }));
    let failure = stranger.failure("find", json!({ "name": "shop" })).await;
    assert_eq!((&failure["error"], &failure["message"]), (&json!("closed"), &json!("closed")));
    let failure = stranger.failure("check", json!({ "text": "a\nbad" })).await;
    assert_eq!(failure["message"], "There is something bad.");
    assert_eq!(failure["data"]["error"]["line"], 1);
    let failure = stranger.failure("misbehave", json!({ "how": "not" })).await;
    assert_eq!(failure["message"], "misbehave failed and does not say why.");
    assert_eq!(stranger.call("find", json!({ "name": "home" })).await, json!({ "x": 1, "y": 2 }));
    assert_eq!(stranger.call("check", json!({ "text": "good" })).await, json!({}));
}

#[tokio::test]
async fn foreign_component_ends_at_the_usual_limits() {
    let short = Limits { cpu_ms_max: 50, ..Limits::default() };
    // Time enough to fill its memory on a slow machine.
    let long = Limits { cpu_ms_max: 60_000, ..Limits::default() };
    for (how, limits, limit) in
        [("loop", short, "cpu_ms_max"), ("memory", long, "memory_bytes_max")]
    {
        let stranger = Bench::of("stranger").limits(limits).start().await;
        let failure = stranger.failure("misbehave", json!({ "how": how })).await;
        assert_eq!(
            (&failure["error"], &failure["data"]["limit"]),
            (&json!("limit_exceeded"), &json!(limit))
        );
    }
    let stranger = Bench::of("stranger").start().await;
    let failure = stranger.failure("misbehave", json!({ "how": "panic" })).await;
    assert_eq!(failure["error"], "internal_error", "{failure}");
    assert!(!failure.to_string().contains("secret"), "{failure}");
    stranger.call("values_nothing", json!({})).await;
}

#[tokio::test]
async fn output_bytes_max_applies_to_foreign_components() {
    let limits = Limits { output_bytes_max: 16 << 10, ..Limits::default() };
    let stranger = Bench::of("stranger").limits(limits).start().await;
    let text = |length: usize| json!({ "text": "x".repeat(length) });
    let kept = stranger.call("values_maybe", text(10_000)).await;
    assert_eq!(kept["result"].as_str().map(str::len), Some(10_000));
    let failure = stranger.failure("values_maybe", text(20_000)).await;
    assert_eq!(failure["error"], "invalid_params");
    assert!(
        failure["message"].as_str().unwrap().contains("output_bytes_max is 16384"),
        "{failure}"
    );
    let many = json!({ "numbers": vec![1; 10_000] });
    let failure = stranger.failure("counters_sum", many).await;
    assert!(failure["message"].as_str().unwrap().contains("output_bytes_max"), "{failure}");
}

#[tokio::test]
async fn package_docs_describe_the_tools() {
    let docs = json!({
        "interfaces": { "values": { "funcs": { "invert": { "docs": "Turns every bit over." } } } },
        "worlds": { "stranger": { "func_exports": { "divide": { "docs": "Divides." } } } },
    });
    let section = [&b"\x01"[..], docs.to_string().as_bytes()].concat();
    let bytes = with_section(&component_bytes("stranger"), "package-docs", &section);
    let stranger = Bench::of_bytes("stranger", &bytes).unwrap().start().await;
    let described = |name: &str| {
        let tools = stranger.component().tools();
        tools.iter().find(|it| &*it.name == name).unwrap().description.clone()
    };
    assert_eq!(described("values_invert"), "Turns every bit over.");
    assert_eq!(described("divide"), "Divides.");
    assert_eq!(described("find"), "The function find.");
    let interface = "example:stranger/values@1.2.0";
    assert_eq!(described("values_float"), format!("The function float of {interface}."));
}

/// A component of these functions, each `(name, parameters and result)`, that no call reaches.
fn of_functions(types: &str, functions: &[(&str, &str)]) -> Vec<u8> {
    let exports = functions.iter().enumerate().map(|(index, (name, ty))| {
        format!(
            r#"(func $f{index} {ty} (canon lift (core func $i "f") (memory $i "m") (realloc (func $i "r"))))
               (export "{name}" (func $f{index}))"#
        )
    });
    let exports: String = exports.collect();
    let text = format!(
        r#"(component {types}
            (core module $m (memory (export "m") 1)
                (func (export "f") (param i32) (result i32) unreachable)
                (func (export "r") (param i32 i32 i32 i32) (result i32) unreachable))
            (core instance $i (instantiate $m)) {exports})"#
    );
    wat::parse_str(text).unwrap()
}

#[tokio::test]
async fn refuses_a_component_of_no_tools_by_its_functions_names() {
    let empty = Bench::of_bytes("empty", &wat::parse_str("(component)").unwrap()).unwrap();
    let error = empty.try_start().await.err().unwrap();
    assert!(error.contains("it exports no function") && error.contains("madoguchi wit"), "{error}");
    let types = r#"(type $r' (resource (rep i32))) (export $r "thing" (type $r'))"#;
    let bytes = of_functions(types, &[("take", r#"(param "it" (own $r)) (result u32)"#)]);
    let error = Bench::of_bytes("things", &bytes).unwrap().try_start().await.err().unwrap();
    assert!(error.contains("take: ") && error.contains("a resource"), "SYS-41: {error}");
}

#[tokio::test]
async fn rejects_exponentially_nested_types() {
    // Each tuple has the one before it twice: a million strings, in a few lines.
    let mut types = "(type $t0 (tuple string string))".to_owned();
    for level in 1..16 {
        let before = level - 1;
        types += &format!("(type $t{level} (tuple $t{before} $t{before}))");
    }
    let take = r#"(param "it" $t15) (result u32)"#;
    let bytes =
        of_functions(&types, &[("take", take), ("tell", r#"(param "it" u32) (result u32)"#)]);
    let tested = Bench::of_bytes("twice", &bytes).unwrap().start().await;
    let left = tested.component().left_out();
    assert_eq!((left.len(), &*left[0].function), (1, "take"));
    assert!(left[0].why.contains("too large"), "{left:?}");
    assert_eq!(tested.component().tools().len(), 1);
}

#[tokio::test]
async fn rejects_call_of_a_missing_function() {
    let stranger = Bench::of("stranger").start().await;
    let failure = stranger.failure("no-such", json!({})).await;
    assert_eq!(failure["message"], "There is no such tool.", "{failure}");
}
