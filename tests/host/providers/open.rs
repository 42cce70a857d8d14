//! OSRM and Valhalla with Nominatim, configured by the environment alone.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use host::{Server, clock::Clock};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn osrm_and_nominatim_of_environment_find_routes_between_names() {
    let fake = FakeMaps::start().await;
    let url = fake.url.as_str();
    let environment = [("NAV_PROVIDER", "osrm"), ("OSRM_URL", url), ("NOMINATIM_URL", url)];
    let asking = Asking::start("", &environment);
    let routes = asking.routes(json!({ "alternatives": true, "avoid": ["tolls"] })).await;
    assert_eq!(routes["routes"].as_array().unwrap().len(), 3);
    assert_eq!(routes["routes"][0]["steps"][1]["instruction"], "右折して国道15号に入る");
    assert_eq!(routes["geocoded_waypoints"][0]["place_id"], "osm:n123");
    let asked = fake.received();
    let paths: Vec<_> = asked.iter().map(|it| it.path.as_str()).collect();
    let to = "/route/v1/driving/139.767100,35.681200;139.622300,35.465800";
    assert_eq!(paths, ["/search", "/search", to]);
    assert_eq!(asked[2].parameter("exclude"), Some("toll"));
    // A server that leaves out one class at a time is asked so, and a way without the others is taken.
    let routes = asking.routes(json!({ "avoid": ["tolls", "highways"] })).await;
    assert_eq!(routes["routes"][0]["summary"], "国道15号");
    let asked = fake.received();
    let names = asked.iter().filter(|it| it.path == "/search").count();
    assert_eq!(names, 2, "where a place is, is known from the search before");
    let last = asked.last().unwrap();
    assert!(matches!(last.parameter("exclude"), Some("toll" | "motorway")), "{}", last.path);
    let refusal = asking.no_routes(json!({ "destination": "どこにもない" })).await;
    assert_eq!(refusal["error"], "place_unknown", "{refusal}");
    let refusal = asking.no_routes(json!({ "destination": "65.0,25.0" })).await;
    assert_eq!(refusal["error"], "place_outside_map", "{refusal}");
    let compared = json!({ "origins": ["東京駅"], "destinations": ["横浜駅", "どこにもない"] });
    let table = asking.client.output("distance_compare", compared).await;
    let elements = &table["rows"][0]["elements"];
    assert_eq!(
        (&elements[0]["status"], &elements[1]["status"]),
        (&json!("OK"), &json!("NOT_FOUND"))
    );
}

/// What is cached for an answer stays cached with it, though the second passes in between.
#[tokio::test(flavor = "multi_thread")]
async fn a_place_stays_known_though_time_passes_in_the_search() {
    let fake = FakeMaps::start().await;
    let (url, port) = (&fake.url, fake.port());
    let folders = Folders::new();
    folders.put("navigation", &component_bytes("navigation"));
    folders.lend_code();
    let config = folders.config_with(&format!(
        "[components.navigation.settings]\nprovider = 'osrm'\nosrm_url = '{url}'\n\
         nominatim_url = '{url}'\n[[components.navigation.http]]\nhost = '127.0.0.1'\n\
         scheme = 'http'\nport = {port}\nprivate = true\n"
    ));
    let now = Arc::new(Mutex::new(Duration::from_secs(1_800_000_000)));
    let server = Server::start_at(config, Clock::Fixed(now.clone())).await.unwrap();
    let client = Client::new(&format!("http://{}", server.addr.unwrap()));
    let passes = tokio::spawn(async move {
        for _ in 0..100_000 {
            *now.lock().unwrap() += Duration::from_secs(1);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    client.output("route_search", route(json!({}))).await;
    passes.abort();
    client.output("route_search", route(json!({ "avoid": ["tolls"] }))).await;
    let names = fake.received().iter().filter(|it| it.path == "/search").count();
    assert_eq!(names, 2, "each place is searched once");
    server.stop().await;
}

/// Valhalla is configured by the environment.
#[tokio::test(flavor = "multi_thread")]
async fn valhalla_takes_coordinates_and_names_need_a_geocoder() {
    let fake = FakeMaps::start().await;
    let environment = [("NAV_PROVIDER", "valhalla"), ("VALHALLA_URL", fake.url.as_str())];
    let asking = Asking::start("", &environment);
    let ends = |to: &str| json!({ "origin": "35.68,139.76", "destination": to });
    let routes = asking.routes(ends("35.46,139.62")).await;
    assert_eq!(routes["routes"][0]["summary"], "首都高速 経由");
    let body = &fake.received()[0].body;
    assert_eq!(body["locations"][0], json!({ "lat": 35.68, "lon": 139.76 }));
    let mut several = ends("35.46,139.62");
    several["alternatives"] = json!(true);
    assert_eq!(asking.routes(several).await["routes"].as_array().unwrap().len(), 2);
    for (to, code) in [("-5,139.6", "zero_results"), ("65,25", "place_outside_map")] {
        let refusal = asking.no_routes(ends(to)).await;
        assert_eq!(refusal["error"], code, "{to}: {refusal}");
    }
    let refusal = asking.no_routes(json!({})).await;
    assert!(
        refusal["error"] == "invalid_request" && refusal.to_string().contains("NOMINATIM_URL"),
        "{refusal}"
    );
    let compared = json!({ "origins": ["35.68,139.76"], "destinations": ["35.4,139.6", "35,139"] });
    let table = asking.client.output("distance_compare", compared).await;
    assert_eq!(table["rows"][0]["elements"][1]["distance"]["value"], 5000);
}
