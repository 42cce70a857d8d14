//! What Nominatim is asked, and what its answers come to.

use serde_json::json;

use super::*;
use crate::provider::carrier::tests::Script;

fn hit(name: &str) -> serde_json::Value {
    json!({
        "place_id": 1, "osm_type": "node", "osm_id": 123, "lat": "35.6812", "lon": "139.7671",
        "category": "railway", "type": "station", "display_name": name
    })
}

#[test]
fn a_name_is_asked_for_politely_and_the_first_hit_counts() {
    let script = Script::of([json!([hit("東京駅, 千代田区"), hit("other")])]);
    let nominatim = Nominatim::new("https://places.example/nominatim/", &script);
    let place = place(Some(&nominatim), "東京駅", Language::Japanese).unwrap();
    assert_eq!(place.formatted_address, "東京駅, 千代田区");
    assert_eq!((place.place_id.as_str(), place.location.lat), ("osm:n123", 35.6812));
    let call = &script.calls()[0];
    assert_eq!(
        call.url.as_str(),
        "https://places.example/nominatim/search?q=%E6%9D%B1%E4%BA%AC%E9%A7%85&format=jsonv2&limit=1&accept-language=ja"
    );
    let (name, agent) = &call.headers[0];
    assert!(*name == "user-agent" && agent.starts_with("madoguchi/"), "{agent}");
}

/// Without a geocoder, a name is refused with what to do.
#[test]
fn coordinates_need_no_geocoder_and_a_name_without_gets_advice() {
    let none: Option<&Nominatim<&Script>> = None;
    let located = find(none, "35.5, 139.5", "/origin", Language::English).unwrap();
    assert_eq!((located.at.lat, located.name.as_str()), (35.5, "35.5, 139.5"));
    let error = find(none, "東京駅", "/origin", Language::English).unwrap_err();
    let ProviderError::Invalid { pointer, message } = error else { panic!("{error:?}") };
    assert!(pointer == "/origin" && message.contains("NOMINATIM_URL"), "{message}");
}

#[test]
fn asks_for_each_of_many_names_once_and_an_unknown_one_is_none() {
    let script = Script::of([json!([hit("東京駅")]), json!([])]);
    let nominatim = Nominatim::new("https://a.example", &script);
    let names = ["東京駅", "無い", "35,139", "東京駅"].map(str::to_owned);
    let found = find_all(Some(&nominatim), &names, "/origins", Language::Japanese).unwrap();
    let is_there: Vec<_> = found.iter().map(Option::is_some).collect();
    assert_eq!((is_there, script.calls().len()), (vec![true, false, true, true], 2));
}

#[test]
fn what_cannot_be_read_or_is_refused_is_told() {
    for (status, body, expected) in [
        (429, String::new(), "OverQueryLimit"),
        (
            403,
            "<html>".to_owned(),
            "Failed { message: \"the geocoder answers with the HTTP status 403",
        ),
        (503, String::new(), "Failed"),
        (200, "{}".to_owned(), "Failed"),
        (200, json!([{ "lat": "95", "lon": "0" }]).to_string(), "Failed"),
        (200, json!([{ "lat": 35.0, "lon": 139.0 }]).to_string(), "Failed"),
        (200, "[]".to_owned(), "UnknownPlace { pointer: \"/address\""),
    ] {
        let script = Script::with([(status, body.clone())]);
        let nominatim = Nominatim::new("https://a.example", &script);
        let error = place(Some(&nominatim), "東京駅", Language::Japanese).unwrap_err();
        assert!(format!("{error:?}").starts_with(expected), "{body}: {error:?}");
    }
}
