//! The navigation component alone, by requirement: NAV-20 to NAV-40, over the bundled network.

mod asking;
mod comparing;
mod looking;
mod maps;
mod routing;
mod sentences;

use graph::{Class, Link, Network, Node, Place, PlaceKind, Point, Text};
use host::{
    caller::Caller,
    component::{Content, Output},
};
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tests::bench::{Bench, Tested};
use workbench::solo::SoloOutcome;

/// Navigation at 8:00 on Friday, 20 November 2026 in Japan: a working day's rush hour.
fn bench() -> Bench {
    Bench::of("navigation").grant_all().at("2026-11-19T23:00:00")
}

/// The same component, started.
async fn open() -> Tested {
    bench().start().await
}

/// A caller who reads English.
fn english() -> Caller {
    let mut caller = Caller::anonymous();
    caller.locale = Some("en-GB".into());
    caller
}

/// From Tokyo's station to Yokohama's, with more arguments.
fn to_yokohama(more: Value) -> Value {
    let mut arguments = json!({ "origin": "東京駅", "destination": "横浜駅" });
    for (name, value) in more.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    arguments
}

/// The whole result of a call that must succeed.
async fn result(navigation: &Tested, tool: &str, arguments: Value) -> Output {
    match navigation.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => output,
        other => panic!("{tool} did not succeed: {other:?}"),
    }
}

/// The result's `_meta` for pages.
fn details(output: &Output) -> Value {
    let meta: Value = serde_json::from_str(output.meta.as_deref().unwrap()).unwrap();
    meta["navigation/details"].clone()
}

/// The object of a result.
fn object(output: &Output) -> Value {
    serde_json::from_str(output.structured.as_deref().unwrap()).unwrap()
}

/// The texts beside a result's object.
fn texts(output: &Output) -> Vec<&str> {
    let texts = output.content.iter().filter_map(|content| match content {
        Content::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Why a call is refused: the code, and what it is about.
async fn refused(navigation: &Tested, tool: &str, arguments: Value) -> (String, Value) {
    let failure = navigation.failure(tool, arguments).await;
    (failure["error"].as_str().unwrap().to_owned(), failure)
}

/// The pointer of the first error in the arguments.
async fn pointer(navigation: &Tested, tool: &str, arguments: Value) -> String {
    let failure = navigation.failure(tool, arguments).await;
    assert_eq!(failure["error"], "invalid_params", "{failure}");
    failure["data"]["problems"][0]["pointer"].as_str().unwrap().to_owned()
}

/// The tests' own map, in a file: a street between two villages in the middle of the Atlantic.
fn map() -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), graph::write::write(&island()).unwrap()).unwrap();
    file
}

fn island() -> Network {
    let text = |name: &str| Text { local: name.to_owned(), en: String::new() };
    let at = |lng: f64| Point { lat: 0.5, lng: -30.0 + lng };
    let node = |lng: f64| Node { at: at(lng), name: Text::default() };
    let link = |from: u32, to: u32| Link {
        from,
        to,
        shape: Vec::new(),
        metres: at(f64::from(from) / 100.0).metres_to(at(f64::from(to) / 100.0)),
        class: Class::Primary,
        kmh: 50,
        name: text("Shore Road"),
        number: "7".to_owned(),
        cars: (true, true),
        walkers: true,
        cycles: (true, true),
        stops: true,
        toll: false,
        ramp: false,
        roundabout: false,
    };
    let village = |name: &str, lng: f64| Place {
        id: format!("island:{name}"),
        name: text(name),
        aliases: Vec::new(),
        address: text("Atlantis"),
        kind: PlaceKind::Town,
        at: at(lng),
        weight: 10,
    };
    Network {
        name: "Atlantis".to_owned(),
        attribution: "© the tests".to_owned(),
        drives_on_left: false,
        nodes: vec![node(0.0), node(0.01), node(0.02)],
        links: vec![link(0, 1), link(1, 2)],
        forbidden: Vec::new(),
        places: vec![village("Westhaven", 0.0), village("Easthaven", 0.02)],
    }
}
