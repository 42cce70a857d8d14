//! The component with a map that the operator grants: sound, foreign, damaged.

use std::path::Path;

use host::grants::Grant;
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    maps::{helsinki, helsinki_extract},
};
use workbench::solo::SoloOutcome;

async fn with_map(map: &Path) -> Tested {
    let grants = ["sql", "settings", "clock", "random", "http", "files", "endpoints", "assistants"];
    let all = Grant::ALL.into_iter().filter(|it| grants.contains(&&*it.to_string()));
    all.fold(Bench::of("navigation"), Bench::grant).file("map", map).start().await
}

fn ask(origin: &str, destination: &str) -> Value {
    json!({ "origin": origin, "destination": destination, "alternatives": true })
}

#[tokio::test]
async fn route_on_an_imported_map_leads_from_name_to_name_and_back() {
    let tested = with_map(&helsinki().file).await;
    let there = tested.call("route_search", ask("Kiasma", "Hakaniemi")).await;
    let route = &there["routes"][0];
    let metres = route["distance"]["value"].as_f64().unwrap();
    // 1.0 km as the crow flies.
    assert!((900.0..4000.0).contains(&metres), "{route}");
    let line = polyline::decode_polyline(route["polyline"].as_str().unwrap(), 5).unwrap();
    let (first, last) = (line.0[0], line.0[line.0.len() - 1]);
    assert!((first.y - 60.1717).abs() < 0.003 && (first.x - 24.9366).abs() < 0.006, "{first:?}");
    assert!((last.y - 60.1787).abs() < 0.003 && (last.x - 24.9515).abs() < 0.006, "{last:?}");
    assert!(!route["steps"].as_array().unwrap().is_empty());
    let back = tested.call("route_search", ask("Hakaniemi", "Kiasma")).await;
    assert_ne!(back["routes"][0]["polyline"], route["polyline"], "one-way streets");
    let spot = tested.call("route_search", ask("60.1717,24.9366", "60.1787,24.9515")).await;
    assert!(spot["routes"][0]["distance"]["value"].as_f64().unwrap() > 900.0, "{spot}");
}

#[tokio::test]
async fn knows_places_of_an_imported_map_and_keeps_the_built_in_ones() {
    let tested = with_map(&helsinki().file).await;
    for name in ["Helsinki", "ヘルシンキ", "Helsingfors"] {
        let place = tested.call("geocode", json!({ "address": name })).await;
        let lat = place["location"]["lat"].as_f64().unwrap();
        assert!((60.1..60.3).contains(&lat), "{name}: {place}");
    }
    let tokyo = tested.call("route_search", ask("東京駅", "横浜駅")).await;
    assert!(tokyo["routes"][0]["distance"]["value"].as_f64().unwrap() > 20_000.0, "{tokyo}");
    let apart = tested.failure("route_search", ask("東京駅", "Kiasma")).await;
    assert!(
        ["zero_results", "place_outside_map"].iter().any(|it| apart["error"] == *it),
        "{apart}"
    );
}

#[tokio::test]
async fn rejects_file_that_is_no_map() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        file
    };
    let map = &helsinki().bytes;
    let mut newer = map.clone();
    newer[4..16].fill(0xff);
    let files = [
        helsinki_extract(),
        put("empty", b""),
        put("text", "{\"type\":\"FeatureCollection\"}".repeat(1000).as_bytes()),
        put("zeros", &[0; 1 << 16]),
        put("newer", &newer),
        put("head", &map[..100]),
    ];
    for file in files {
        let tested = with_map(&file).await;
        for (tool, arguments) in [
            ("route_search", ask("Kiasma", "Hakaniemi")),
            ("geocode", json!({ "address": "Kiasma" })),
        ] {
            let failure = tested.failure(tool, arguments).await;
            assert_eq!(failure["error"], "map_unreadable", "{}: {failure}", file.display());
            assert_eq!(failure["status"], 500, "{failure}");
            assert!(failure["message"].as_str().is_some_and(|it| !it.is_empty()), "{failure}");
        }
    }
}

#[tokio::test]
async fn damaged_map_gives_a_route_or_an_error_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("map");
    let map = &helsinki().bytes;
    let (mut routes, mut unreadable) = (0, 0);
    let cut = (1..8).map(|it| map[..map.len() * it / 8].to_vec());
    let flipped = (0..40).map(|number| {
        let mut bytes = map.clone();
        let at = (number * 7919 + 13) * 4001 % bytes.len();
        bytes[at..].iter_mut().take(64).for_each(|it| *it = !*it);
        bytes
    });
    for bytes in cut.chain(flipped) {
        std::fs::write(&file, bytes).unwrap();
        let tested = with_map(&file).await;
        match tested.round("route_search", ask("Kiasma", "Hakaniemi"), json!({})).await {
            SoloOutcome::Done(_) => routes += 1,
            SoloOutcome::Failed(failure) => {
                // A name whose block is damaged may be a name that is not there.
                let text = ["map_unreadable", "place_unknown", "zero_results", "place_outside_map"];
                assert!(text.iter().any(|it| failure["error"] == *it), "{failure}");
                unreadable += usize::from(failure["error"] == "map_unreadable");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(routes > 0 && unreadable > 0, "{routes} {unreadable}");
}
