//! What each built component touches (`world.wit`) and offers (`tools.json`), held as goldens.

use std::{collections::BTreeSet, io::Write, path::PathBuf, time::Duration};

use host::{caller::Caller, component::ResourceBody};
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    component_bytes, fixtures, root,
};
use wit_component::{DecodedWasm, WitPrinter};
use workbench::solo::SoloOutcome;

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
        fixtures::check_golden(&folder.join("world.wit"), &world(&component_bytes(&name)));
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
        fixtures::check_golden(&folder.join("tools.json"), &text);
        let route = |route: &host::component::Route| match route.tools.as_slice() {
            [] => format!("{route}\n"),
            tools => format!("{route} ({})\n", tools.join(", ")),
        };
        let routes: String = tested.component().routes.iter().map(route).collect();
        if !routes.is_empty() {
            fixtures::check_golden(&folder.join("routes.txt"), &routes);
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

// The apps of the bundled components: each is one small file that loads nothing and calls existing tools
// (APP-3 to APP-7).

/// Each app with its component, and the tools whose output it draws.
const APPS: [(&str, &str, &[&str]); 4] = [
    (
        "cinema",
        "ui://cinema/seats",
        &[
            "list_available_seats",
            "reserve_seats",
            "get_reservation",
            "cancel_reservation",
            "transfer_reservation",
        ],
    ),
    (
        "conversations",
        "ui://conversations/conversation",
        &["begin_conversation", "get_conversation"],
    ),
    ("forms", "ui://forms/form", &["request_form"]),
    ("navigation", "ui://navigation/routes", &["route_search"]),
];

/// Bytes of an app as a host gets it over a compressing proxy: a fifth of what the requirement allows.
const BROTLI_BYTES_MAX: usize = 60 << 10;

const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// The page and the `_meta` of an app's URI.
async fn app(component: &Tested, uri: &str) -> (String, Value) {
    let contents = component.read(uri).await.expect("it is there");
    let [one] = &contents[..] else { panic!("{} pieces", contents.len()) };
    assert_eq!((&*one.uri, one.mime_type.as_deref()), (uri, Some(MIME_TYPE)));
    let ResourceBody::Text(html) = &one.body else { panic!("it is no text") };
    let meta = serde_json::from_str(one.meta.as_deref().expect("a policy")).unwrap();
    (html.clone(), meta)
}

fn brotli_bytes(text: &str) -> usize {
    let mut writer = brotli::CompressorWriter::new(Vec::new(), 4_096, 9, 22);
    writer.write_all(text.as_bytes()).unwrap();
    writer.into_inner().len()
}

#[tokio::test]
async fn each_app_is_one_small_file_that_loads_nothing() {
    for (name, uri, _) in APPS {
        let component = Bench::of(name).grant_all().start().await;
        let (html, meta) = app(&component, uri).await;
        let bytes = brotli_bytes(&html);
        assert!(bytes <= BROTLI_BYTES_MAX, "{uri}: {bytes} bytes as brotli");
        let policy = json!({ "connectDomains": [], "resourceDomains": [] });
        assert_eq!(meta["ui"], json!({ "csp": policy, "prefersBorder": true }), "{uri}");
        assert!(html.starts_with("<!doctype html>"), "{uri}");
        assert_eq!(html.matches("<script").count(), 1, "{uri}");
        let rest = html.replace("http://www.w3.org/2000/svg", "");
        for outside in ["src=", "href=", "@import", "url(", "http://", "https://", "<link", "<base"]
        {
            assert!(!rest.contains(outside), "{uri} has {outside}");
        }
        // Texts of others become nodes, never HTML or code; and the usual policy knows no WebAssembly.
        for unsafe_ in [
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "new Function",
            "WebAssembly",
        ] {
            assert!(!html.contains(unsafe_), "{uri} has {unsafe_}");
        }
        assert!(html.contains("source !== host"), "{uri} hears its host alone");
    }
}

#[tokio::test]
async fn tools_name_the_app_of_their_own_component() {
    for (name, uri, tools) in APPS {
        let component = Bench::of(name).grant_all().start().await;
        let named = component
            .component()
            .tools()
            .iter()
            .filter(|it| it.meta.get("ui").is_some_and(|it| it.get("resourceUri").is_some()));
        let named: Vec<_> = named.collect();
        assert!(named.iter().all(|it| it.meta["ui"]["resourceUri"] == uri), "{name}");
        let named: BTreeSet<&str> = named.iter().map(|it| &*it.name).collect();
        assert_eq!(named, tools.iter().copied().collect(), "{name}");
        let listed = &component.component().offers().resources;
        let listed = listed.iter().find(|it| &*it.uri == uri).expect("it is listed");
        assert_eq!(listed.listed["mimeType"], MIME_TYPE);
        assert_eq!(
            listed.listed["_meta"],
            app(&component, uri).await.1,
            "the same in list and contents"
        );
    }
}

/// The names of tools that the script calls.
fn called(html: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for begin in ["app.call(\"", "act(\""] {
        for piece in html.split(begin).skip(1) {
            names.extend(piece.split('"').next().map(str::to_owned));
        }
    }
    names
}

#[tokio::test]
async fn every_tool_that_an_app_calls_is_its_components() {
    for (name, uri, _) in APPS {
        let component = Bench::of(name).grant_all().start().await;
        let called = called(&app(&component, uri).await.0);
        assert!(!called.is_empty(), "{uri}");
        let tools = component.component().tools();
        for wanted in called {
            let tool = tools.iter().find(|it| *it.name == *wanted);
            let tool = tool.unwrap_or_else(|| panic!("{uri} calls {wanted}, which is not there"));
            let visibility = &tool.meta.get("ui").cloned().unwrap_or_default()["visibility"];
            let is_for_apps = visibility.is_null() || visibility == &json!(["app"]);
            assert!(is_for_apps, "{wanted}: {visibility}");
        }
    }
}

#[tokio::test]
async fn operators_tiles_add_their_origin_to_the_map_policy() {
    let uri = "ui://navigation/routes";
    let tiles = json!({
        "url": "https://tiles.example/{z}/{x}/{y}.png",
        "attribution": "© </script><script>alert(1)",
    });
    let bench = Bench::of("navigation").grant_all();
    let navigation = bench.settings(json!({ "tiles": tiles })).start().await;
    let (html, meta) = app(&navigation, uri).await;
    assert_eq!(meta["ui"]["csp"]["resourceDomains"], json!(["https://tiles.example"]));
    assert_eq!(meta["ui"]["csp"]["connectDomains"], json!([]));
    assert!(html.contains("https://tiles.example/{z}/{x}/{y}.png"));
    assert_eq!(html.matches("<script").count(), 1, "a text ends no script");
    let listed = &navigation.component().offers().resources;
    assert_eq!(listed[0].listed["_meta"], meta);
    let wrong = json!({ "tiles": { "url": "http://elsewhere.example/{z}", "attribution": "" } });
    let error = Bench::of("navigation").grant_all().settings(wrong).try_start().await.err();
    assert!(error.is_some_and(|it| it.contains("tiles")), "it is told what to fix");
}

/// 10:00 on Friday, 20 November 2026 at the cinema, and a showing of that day.
const MORNING: &str = "2026-11-20T01:00:00";

const NOON: &str = "st-20261120-mini-1220";

/// A person whose client shows apps, or does not.
fn person(principal: &str, shows_apps: bool) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = principal.into();
    if shows_apps {
        let apps =
            json!({ "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": [MIME_TYPE] } } });
        caller.client_capabilities = apps.to_string().into();
    }
    caller
}

/// The `_meta` of a call's result.
async fn meta(component: &Tested, tool: &str, arguments: Value) -> Value {
    match component.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => {
            serde_json::from_str(output.meta.as_deref().unwrap_or("{}")).unwrap()
        }
        other => panic!("{tool} did not succeed: {other:?}"),
    }
}

/// APP-6.
#[tokio::test]
async fn choice_is_stored_for_its_view_and_caller_alone() {
    let cinema = Bench::of("cinema").grant_all().at(MORNING).start().await;
    let seats = json!({ "showtime_id": NOON });
    cinema.speak(person("ann", false));
    assert_eq!(
        meta(&cinema, "list_available_seats", seats.clone()).await["cinema/view"],
        Value::Null
    );
    cinema.speak(person("ann", true));
    let view = meta(&cinema, "list_available_seats", seats.clone()).await["cinema/view"].clone();
    let other = meta(&cinema, "list_available_seats", seats).await["cinema/view"].clone();
    assert!(view.as_str().is_some_and(|it| it.len() > 15) && view != other, "{view} {other}");

    assert_eq!(cinema.call("keep_choice", json!({ "view": view })).await, json!({}));
    let choice = json!({ "user_id": "アン", "seat_ids": ["A1", "A2"], "idempotency_key": "k" });
    let kept = cinema.call("keep_choice", json!({ "view": view, "choice": choice })).await;
    assert_eq!(kept, json!({ "choice": choice }));
    assert_eq!(cinema.call("keep_choice", json!({ "view": view })).await, kept);
    assert_eq!(cinema.call("keep_choice", json!({ "view": other })).await, json!({}));

    cinema.speak(person("bob", true));
    assert_eq!(cinema.call("keep_choice", json!({ "view": view })).await, json!({}));
    let stolen = json!({ "view": view, "choice": { "user_id": "bob" } });
    assert_eq!(cinema.call("keep_choice", stolen).await, json!({}), "it is not his to change");
    cinema.speak(person("ann", true));
    assert_eq!(cinema.call("keep_choice", json!({ "view": view })).await, kept);

    cinema.pass(Duration::from_secs(86_400));
    cinema.run_schedule().await.unwrap();
    assert_eq!(cinema.call("keep_choice", json!({ "view": view })).await, json!({}), "a day later");
}

/// APP-6.
#[tokio::test]
async fn stored_choices_are_limited() {
    let cinema = Bench::of("cinema").grant_all().at(MORNING).start().await;
    for (wrong, pointer) in [
        (json!({ "view": "" }), "/view"),
        (json!({ "view": "x".repeat(201) }), "/view"),
        (json!({ "view": "v", "choice": { "user_id": "x".repeat(201) } }), "/choice/user_id"),
        (json!({ "view": "v", "choice": { "seat_ids": vec!["A1"; 101] } }), "/choice/seat_ids"),
        (json!({ "view": "v", "choice": { "seat_ids": ["x".repeat(201)] } }), "/choice/seat_ids"),
        (json!({ "view": "v", "choice": { "hold_token": "x".repeat(201) } }), "/choice/hold_token"),
    ] {
        let failure = cinema.failure("keep_choice", wrong).await;
        assert!(failure.to_string().contains(pointer), "{pointer}: {failure}");
    }
    for number in 0..501 {
        let one = json!({ "view": format!("v{number}"), "choice": { "user_id": "u" } });
        cinema.call("keep_choice", one).await;
        cinema.pass(Duration::from_secs(1));
    }
    let kept = async |view: &str| cinema.call("keep_choice", json!({ "view": view })).await;
    assert_eq!(kept("v0").await, json!({}), "the oldest is forgotten");
    assert_eq!(kept("v1").await, json!({ "choice": { "user_id": "u" } }));
}

/// A form with a field of each kind that needs more than its definition.
fn form() -> Value {
    json!({ "title": "申し込み", "fields": [
        { "name": "country", "type": "async-select", "label": "国", "loadUrl": "/api/demo/countries",
          "displayField": "name", "valueField": "code" },
        { "name": "prefecture", "type": "cascading-select", "label": "都道府県",
          "searchUrl": "/api/demo/prefectures", "dependsOn": "country", "dependsOnParam": "country_code",
          "displayField": "name", "valueField": "code" },
        { "name": "contact", "type": "autocomplete", "label": "担当者", "searchUrl": "/api/demo/users/search",
          "displayField": "name", "valueField": "id", "renderTemplate": "{name} ({department})" },
        { "name": "password", "type": "text", "label": "パスワード" },
    ] })
}

/// APP-7.
#[tokio::test]
async fn a_form_goes_to_the_app_where_apps_are_shown() {
    let forms =
        Bench::of("forms").grant_all().at(MORNING).page("http://counter.example").start().await;
    let mut able = person("ann", true);
    able.client_capabilities = json!({
        "extensions": { "io.modelcontextprotocol/ui": {} },
        "elicitation": { "form": {}, "url": {} },
    })
    .to_string()
    .into();
    forms.speak(able);
    let asked =
        json!({ "form_schema": { "title": "t", "fields": [{ "name": "a", "type": "checkbox" }] } });
    let place = meta(&forms, "request_form", asked).await["forms/form"].clone();
    let handle = place["handle"].as_str().expect("it waits, and nothing is asked").to_owned();
    assert_eq!(place["url"], format!("http://counter.example/f/{handle}"));
}

/// APP-7.
#[tokio::test]
async fn options_are_read_as_a_resource() {
    let forms = Bench::of("forms").grant_all().at(MORNING).start().await;
    forms.speak(person("ann", true));
    let place = meta(&forms, "request_form", json!({ "form_schema": form() })).await;
    let handle = place["forms/form"]["handle"].as_str().unwrap().to_owned();
    let options = async |rest: &str| {
        let read = forms.read(&format!("form://{handle}/options/{rest}")).await?;
        let ResourceBody::Text(text) = &read[0].body else { panic!("no text") };
        let choices: Value = serde_json::from_str(text).unwrap();
        Ok::<_, Value>(choices["choices"].as_array().unwrap().clone())
    };
    let countries = options("country").await.unwrap();
    assert!(
        countries.iter().any(|it| it["value"] == "JP" && it["label"].is_string()),
        "{countries:?}"
    );
    let all = options("prefecture?parent=%22JP%22").await.unwrap();
    assert!(all.len() > 40, "{}", all.len());
    let found = options("contact?typed=%E7%94%B0").await.unwrap();
    assert!(
        !found.is_empty() && found.iter().all(|it| it["label"].as_str().unwrap().contains('(')),
        "{found:?}"
    );
    for nothing in ["password", "gone"] {
        assert!(options(nothing).await.is_err(), "{nothing} has no options from elsewhere");
    }
    assert!(forms.read("form://gone/options/country").await.is_err());
    let opened = forms.call("open_form", json!({ "handle": handle })).await;
    assert_eq!(opened["secrets"], json!(["password"]));
}
