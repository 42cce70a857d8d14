//! What each built component touches (`world.wit`) and offers (`tools.json`), held as goldens.

use std::path::PathBuf;

use serde_json::{Value, json};
use tests::{bench::Bench, component_bytes, goldens, root};
use wit_component::{DecodedWasm, WitPrinter};

/// Destructive tools, by their verbs or whole names.
const TAKES_AWAY: [&str; 12] = [
    "cancel",
    "close",
    "delete",
    "discard",
    "edit",
    "import_catalogue",
    "move",
    "remove",
    "renew",
    "retire",
    "stop",
    "transfer",
];
/// The limit of common model gateways.
const DESCRIPTION_CHARS_MAX: usize = 1_024;

/// The components of the house, by their folders.
fn components() -> Vec<(String, PathBuf)> {
    let folders = std::fs::read_dir(root().join("components")).expect("it is in the checkout");
    let mut components = Vec::new();
    for folder in folders.flatten().map(|it| it.path()) {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        if manifest.contains("cdylib") {
            let name = folder.file_name().expect("a folder has a name").to_string_lossy();
            components.push((name.into_owned(), folder.clone()));
        }
    }
    components.sort();
    assert!(!components.is_empty());
    components
}

/// The component's world as WIT, without the text of the interfaces that `wit/` has already.
fn world(bytes: &[u8]) -> String {
    let Ok(DecodedWasm::Component(resolve, world)) = wit_component::decode(bytes) else {
        panic!("not a component");
    };
    let package = resolve.worlds[world].package.expect("a world is in a package");
    let mut printer = WitPrinter::default();
    printer.print(&resolve, package, &[]).expect("what was read can be written");
    let text = String::from(printer.output);
    let start = text.find("world ").expect("there is a world");
    let mut lines = text[start..].lines().collect::<Vec<_>>();
    // The linker gathers imports and optional exports in an order of its own.
    for kind in ["  import ", "  export "] {
        let of_kind = |it: &&str| it.starts_with(kind);
        if let Some(first) = lines.iter().position(of_kind) {
            let count = lines[first..].iter().copied().take_while(of_kind).count();
            lines[first..first + count].sort_unstable();
        }
    }
    lines.iter().flat_map(|it| [*it, "\n"]).collect()
}

#[test]
fn permissions_match_golden_of_each_component() {
    for (name, folder) in components() {
        goldens::check(&folder.join("world.wit"), &world(&component_bytes(&name)));
    }
}

#[tokio::test]
async fn tools_match_golden_of_each_component() {
    for (name, folder) in components() {
        let tested = Bench::of(&name).grant_all().start().await;
        let tools = tested.component().tools().iter().map(|tool| {
            json!({
                "name": &*tool.name,
                "title": tool.title,
                "description": tool.description,
                "annotations": {
                    "readOnlyHint": tool.hints.read_only,
                    "destructiveHint": tool.hints.destructive,
                    "idempotentHint": tool.hints.idempotent,
                    "openWorldHint": tool.hints.open_world,
                },
                "inputSchema": Value::Object((*tool.input_schema).clone()),
                "outputSchema": tool.output_schema.as_deref().cloned().map(Value::Object),
                "_meta": tool.meta,
            })
        });
        let tools = Value::Array(tools.collect());
        let text = serde_json::to_string_pretty(&tools).expect("JSON can be written") + "\n";
        goldens::check(&folder.join("tools.json"), &text);
        let route = |route: &host::component::Route| match route.tools.as_slice() {
            [] => format!("{route}\n"),
            tools => format!("{route} ({})\n", tools.join(", ")),
        };
        let routes: String = tested.component().routes.iter().map(route).collect();
        if !routes.is_empty() {
            goldens::check(&folder.join("routes.txt"), &routes);
        }
    }
}

/// It says what it does in both languages and takes no arguments but those it names.
#[tokio::test]
async fn every_tool_is_described_in_both_languages_with_closed_input() {
    for (name, _) in components() {
        let tested = Bench::of(&name).grant_all().start().await;
        for tool in tested.component().tools() {
            let text = &tool.meta["madoguchi/text"];
            for field in [&text["en"]["title"], &text["en"]["description"], &text["ja"]["title"]] {
                assert!(field.as_str().is_some_and(|it| !it.is_empty()), "{}: {text}", tool.name);
            }
            // Who types kana finds it.
            let reading = text["ja"]["reading"].as_str().unwrap_or_default();
            let is_kanji = |it: char| ('\u{4e00}'..='\u{9fff}').contains(&it);
            assert!(!reading.is_empty() && !reading.contains(is_kanji), "{}: {reading}", tool.name);
            assert!(!tool.description.is_empty() && tool.title.is_some(), "SYS-7: {}", tool.name);
            assert!(tool.output_schema.is_some(), "SYS-7: {}", tool.name);
            let verb = tool.name.split('_').next().unwrap_or_default();
            let takes_away = TAKES_AWAY.iter().any(|it| *it == verb || *it == &*tool.name);
            assert_eq!(tool.hints.destructive, takes_away, "SYS-7: {}", tool.name);
            for description in [&tool.description, text["en"]["description"].as_str().unwrap()] {
                let length = description.chars().count();
                assert!(length <= DESCRIPTION_CHARS_MAX, "{}: {length} characters", tool.name);
            }
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
            let properties = tool.input_schema["properties"].as_object().expect("an object");
            for argument in properties.keys() {
                assert!(text["en"]["arguments"][argument].is_string(), "{}: {argument}", tool.name);
            }
        }
    }
}
