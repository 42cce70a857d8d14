//! A foreign component, alone: its functions are tools (SYS-40).

use host::{component::Content, grants::Grant, limits::Limits};
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    component_bytes, with_section,
};
use workbench::solo::SoloOutcome;

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

// Components of WASI 0.3: a foreign one, and one of the contract (SYS-49).

async fn newcomer(limits: Limits) -> Tested {
    Bench::of("newcomer").grant(Grant::Clock).limits(limits).start().await
}

#[tokio::test]
async fn asynchronous_functions_are_tools_like_others() {
    let newcomer = newcomer(Limits::default()).await;
    let tools = newcomer.component().tools().iter().map(|it| it.name.to_string());
    let tools: Vec<_> = tools.collect();
    assert_eq!(tools, ["divide", "lines_say", "misbehave", "nap", "slug"], "SYS-49");
    assert!(!newcomer.component().is_pooled());
    let slug = newcomer.call("slug", json!({ "text": "Two Words" })).await;
    assert_eq!(slug["result"], "two-words");
    let nap = newcomer.call("nap", json!({ "each-ms": [1, 2, 3] })).await;
    assert_eq!(nap["result"], 3, "all of them were waited for");
    let arguments = json!({ "dividend": 7, "divisor": 2 });
    assert_eq!(newcomer.call("divide", arguments).await["result"], 3);
    let failure = newcomer.failure("divide", json!({ "dividend": 7, "divisor": 0 })).await;
    assert_eq!(failure["message"], "7 cannot be divided by 0");
    let failure = newcomer.failure("nap", json!({ "each-ms": ["1"] })).await;
    assert_eq!(failure["error"], "invalid_params", "{failure}");
}

#[tokio::test]
async fn streams_and_futures_are_left_out_by_name() {
    let newcomer = newcomer(Limits::default()).await;
    let left = newcomer.component().left_out().iter();
    let left: Vec<_> = left.map(|it| (it.function.as_str(), it.why.as_str())).collect();
    let interface = "example:newcomer/lines@1.0.0";
    for (function, what) in [("follow", "a stream"), ("await-it", "a future")] {
        let whole = format!("{interface}#{function}");
        let found = left.iter().find(|it| it.0 == whole);
        assert!(found.is_some_and(|it| it.1.contains(what)), "SYS-41: {left:?}");
    }
    assert_eq!(left.len(), 2, "{left:?}");
}

#[tokio::test]
async fn imports_of_wasi_03_need_the_same_grants_and_stubs() {
    let error = Bench::of("newcomer").try_start().await.err().unwrap();
    assert!(error.contains("wasi:clocks/monotonic-clock@0.3.0, which is not granted"), "{error}");
    assert!(error.contains(r#"grants = ["clock"]"#), "SYS-49: {error}");
    let stubbed = Bench::of("newcomer").stubs(&["wasi:clocks"]).start().await;
    let slug = stubbed.call("slug", json!({ "text": "A b" })).await;
    assert_eq!(slug["result"], "a-b", "SYS-43");
    let failure = stubbed.failure("nap", json!({ "each-ms": [1] })).await;
    assert_eq!(failure["error"], "internal_error", "SYS-43: {failure}");
}

#[tokio::test]
async fn rejects_import_of_a_draft_naming_it() {
    let text = r#"(component
        (import "wasi:clocks/monotonic-clock@0.3.0-rc-2026-01-06" (instance
            (export "wait-for" (func async (param "how-long" u64)))))
        (core module $m (func (export "f") (result i32) i32.const 1))
        (core instance $i (instantiate $m))
        (func (export "f") (result u32) (canon lift (core func $i "f"))))"#;
    let bytes = wat::parse_str(text).unwrap();
    let error = Bench::of_bytes("draft", &bytes).unwrap().try_start().await.err().unwrap();
    assert!(error.contains("-rc-2026-01-06, of a version"), "SYS-49: {error}");
}

#[tokio::test]
async fn component_without_async_functions_needs_its_grants() {
    let of = |import: &str| {
        let text = format!(
            r#"(component
                (import "{import}" (instance $i (export "get-random-u64" (func (result u64)))))
                (core func $f (canon lower (func $i "get-random-u64")))
                (core module $m
                    (import "i" "f" (func $f (result i64)))
                    (func (export "f") (result i32)
                        (i64.eq (call $f) (i64.const 0))))
                (core instance $n (instantiate $m
                    (with "i" (instance (export "f" (func $f))))))
                (func (export "f") (result bool) (canon lift (core func $n "f"))))"#
        );
        Bench::of_bytes("random", &wat::parse_str(text).unwrap()).unwrap()
    };
    for version in ["0.2.6", "0.3.0", "0.3.1"] {
        let import = format!("wasi:random/random@{version}");
        let error = of(&import).try_start().await.err().unwrap();
        assert!(error.contains(r#"grants = ["random"]"#), "{error}");
        let random = of(&import).grant(Grant::Random).start().await;
        assert_eq!(random.call("f", json!({})).await["result"], false, "SYS-49: {version}");
        assert_eq!(random.component().is_pooled(), version.starts_with("0.2"));
    }
}

#[tokio::test]
async fn each_misdeed_ends_at_its_named_limit() {
    let quick = Limits { cpu_ms_max: 100, deadline_ms: 60_000, ..Limits::default() };
    let short = Limits { deadline_ms: 2_000, ..Limits::default() };
    let small = Limits { memory_bytes_max: 8 << 20, cpu_ms_max: 60_000, ..Limits::default() };
    for (how, limits, limit) in [
        ("wait", &short, "deadline_ms"),
        ("spin", &quick, "cpu_ms_max"),
        ("spin between", &quick, "cpu_ms_max"),
        ("memory", &small, "memory_bytes_max"),
        ("tasks", &small, "handles_max"),
        ("streams", &small, "handles_max"),
        ("flood", &quick, "cpu_ms_max"),
        ("spin at the end", &quick, "cpu_ms_max"),
    ] {
        let newcomer = newcomer(limits.clone()).await;
        let failure = newcomer.failure("misbehave", json!({ "how": how })).await;
        assert_eq!(failure["data"]["limit"], limit, "SYS-49: {how}: {failure}");
        let slug = newcomer.call("slug", json!({ "text": "still there" })).await;
        assert_eq!(slug["result"], "still-there");
    }
}

#[tokio::test]
async fn work_continuing_after_the_result_is_ended() {
    // Were it waited for, no call would end.
    let limits = Limits { cpu_ms_max: 60_000, deadline_ms: 60_000, ..Limits::default() };
    let newcomer = newcomer(limits).await;
    for how in ["spin after", "wait after"] {
        let done = newcomer.call("misbehave", json!({ "how": how })).await;
        assert_eq!(done["result"], "done", "SYS-49: {how}");
    }
}

#[tokio::test]
async fn reports_trap_and_endless_wait_without_the_reason() {
    let newcomer = newcomer(Limits::default()).await;
    for how in ["panic", "deadlock"] {
        let failure = newcomer.failure("misbehave", json!({ "how": how })).await;
        assert_eq!(failure["error"], "internal_error", "{how}: {failure}");
        assert!(!failure.to_string().contains("secret"), "{failure}");
    }
}

#[tokio::test]
async fn function_with_async_type_is_a_tool() {
    let text = r#"(component
        (core module $m (func (export "f") (result i32) i32.const 7))
        (core instance $i (instantiate $m))
        (func (export "f") async (result u32) (canon lift (core func $i "f"))))"#;
    let bytes = wat::parse_str(text).unwrap();
    let seven = Bench::of_bytes("seven", &bytes).unwrap().start().await;
    assert_eq!(seven.call("f", json!({})).await["result"], 7, "SYS-49");
}

#[tokio::test]
async fn written_stream_is_read_to_its_end() {
    let newcomer = newcomer(Limits::default()).await;
    let output = newcomer.call("lines_say", json!({ "lines": ["one", "two"] })).await;
    assert_eq!(output, json!({ "result": 2 }));
}

// A component of the contract for WASI 0.3, whose calls await (SYS-49).

#[tokio::test]
async fn calls_await_and_use_the_contract_together() {
    let bench = Bench::of("waiter").grant(Grant::Clock).grant(Grant::Sql);
    let waiter = bench.start().await;
    assert_eq!(waiter.component().tools().len(), 3, "SYS-49");
    assert!(!waiter.component().is_pooled() && waiter.component().left_out().is_empty());
    assert_eq!(waiter.call("wait_twice", json!({})).await, json!({ "sum": 42 }));
    let failure = waiter.failure("refuse_later", json!({})).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("too_late"), &json!(409)));
}

#[tokio::test]
async fn call_awaiting_too_long_ends_at_its_deadline() {
    let limits = Limits { deadline_ms: 2_000, ..Limits::default() };
    let bench = Bench::of("waiter").grant(Grant::Clock).grant(Grant::Sql);
    let waiter = bench.limits(limits).start().await;
    let failure = waiter.failure("wait_long", json!({})).await;
    assert_eq!(failure["data"]["limit"], "deadline_ms", "SYS-49: {failure}");
}

// A component that lists its tools by wasmcp's interface (SYS-50).

async fn content(toolbox: &Tested, tool: &str, arguments: Value) -> Vec<Content> {
    match toolbox.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => output.content,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn tools_are_listed_page_by_page() {
    let toolbox = Bench::of("toolbox").start().await;
    let tools = toolbox.component().tools();
    assert_eq!(tools.len(), 9, "SYS-50");
    let add = tools.iter().find(|it| &*it.name == "add").unwrap();
    assert_eq!((add.title.as_deref(), &*add.description), (Some("Add"), "Does add."));
    assert!(add.hints.read_only && add.hints.idempotent && !add.hints.destructive);
    assert!(!add.hints.open_world);
    assert_eq!(add.input_schema["required"], json!(["a", "b"]));
    assert!(add.output_schema.is_some());
    let fail = tools.iter().find(|it| &*it.name == "fail").unwrap();
    assert!(fail.hints.destructive && fail.hints.open_world && fail.output_schema.is_none());
    let left = toolbox.component().left_out();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!((&*left[0].function, &*left[0].why), ("run", "its tools are those that it lists"));
    assert!(toolbox.component().is_pooled());
}

#[tokio::test]
async fn a_call_gives_its_structured_content_and_its_texts() {
    let toolbox = Bench::of("toolbox").start().await;
    let sum = toolbox.call("add", json!({ "a": 1.5, "b": 2 })).await;
    assert_eq!(sum, json!({ "sum": 3.5 }), "SYS-50");
    let texts = toolbox.texts("context", json!({ "k": "v" })).await;
    assert_eq!(texts, [r#"2025-06-18 None false {"k":"v"}"#], "nothing that says who asks");
}

#[tokio::test]
async fn every_kind_of_content_comes_through() {
    let toolbox = Bench::of("toolbox").start().await;
    let all = content(&toolbox, "everything", json!({})).await;
    let [Content::Text(text), Content::Image(image), Content::Audio(audio), link, inside] =
        &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(text.text, "for you");
    let annotations: Value = serde_json::from_str(text.annotations.as_deref().unwrap()).unwrap();
    assert_eq!(annotations, json!({ "audience": ["user"], "priority": 0.5 }), "SYS-50");
    assert_eq!((&image.data[..], &*image.mime_type), (&[0, 255][..], "image/png"));
    assert_eq!(audio.mime_type, "audio/wav");
    assert!(matches!(link, Content::Link(it) if it.uri == "box:/2" && it.name == "two"));
    assert!(matches!(inside, Content::Resource(it) if it.uri == "box:/1"), "{inside:?}");
}

#[tokio::test]
async fn errors_of_a_toolbox_are_passed_on() {
    let toolbox = Bench::of("toolbox").start().await;
    let failure = toolbox.failure("fail", json!({})).await;
    assert_eq!(
        (&failure["error"], &failure["message"]),
        (&json!("failed"), &json!("It is\nstuck."))
    );
    assert_eq!(failure["data"]["left"], 3, "SYS-50: {failure}");
    let failure = toolbox.failure("refuse", json!({})).await;
    assert_eq!(failure["error"], "server", "{failure}");
    assert_eq!(failure["message"], "server: The box is locked.", "{failure}");
    let failure = toolbox.failure("add", json!({ "a": 1 })).await;
    assert_eq!(failure["error"], "invalid_params", "{failure}");
    assert!(failure["message"].as_str().unwrap().contains("are to be numbers"), "{failure}");
}

#[tokio::test]
async fn unmappable_content_ends_only_its_call() {
    let limits = Limits { cpu_ms_max: 50, ..Limits::default() };
    let toolbox = Bench::of("toolbox").limits(limits).start().await;
    for tool in ["stream", "unknown", "wrong"] {
        let failure = toolbox.failure(tool, json!({})).await;
        assert_eq!(failure["error"], "internal_error", "SYS-50: {tool}: {failure}");
        assert!(failure["message"].as_str().unwrap().contains("cannot be used"), "{failure}");
    }
    let failure = toolbox.failure("spin", json!({})).await;
    assert_eq!(failure["data"]["limit"], "cpu_ms_max", "{failure}");
    assert_eq!(toolbox.call("add", json!({ "a": 1, "b": 2 })).await["sum"], 3.0);
}

/// A component that exports the interface with this function under these names.
fn listing(parameters: &str, names: &[&str]) -> Vec<u8> {
    let exports = names.iter().map(|it| format!("(export \"{it}\" (func $f))"));
    let text = format!(
        r#"(component
            (core module $m (func (export "f") (param i32) (result i32) i32.const 1))
            (core instance $i (instantiate $m))
            (func $f {parameters} (result u32) (canon lift (core func $i "f")))
            (instance $tools {})
            (export "wasmcp:mcp-v20251125/tools@0.1.0" (instance $tools)))"#,
        exports.collect::<String>()
    );
    wat::parse_str(text).unwrap()
}

#[tokio::test]
async fn rejects_other_interface_of_the_same_name() {
    let both = ["list-tools", "call-tool"];
    for (bytes, why) in [
        (listing(r#"(param "ctx" u32)"#, &both[..1]), "it has no function call-tool of wasmcp's"),
        (listing(r#"(param "ctx" char)"#, &both), r#"it is to be told "ctx", which this host"#),
        (listing(r#"(param "ctx" u32)"#, &both), "it offers no tool"),
    ] {
        let error = Bench::of_bytes("other", &bytes).unwrap().try_start().await.err().unwrap();
        assert!(error.contains(why), "SYS-50: {error}");
    }
}
