//! Examples that the host tries before it serves the component: found and refused routes.

use serde_json::json;
use toolkit::{Example, Tool, example};

use crate::tools::{DistanceCompare, Geocode, RouteSearch};

/// Returns examples over the built-in network, without settings and files.
pub fn examples() -> Vec<Example> {
    vec![
        example(
            "a way from Tokyo to Yokohama (NAV-20)",
            RouteSearch::NAME,
            json!({ "origin": "東京駅", "destination": "横浜駅" }),
        )
        .gives(json!({
            "geocoded_waypoints":
                [{ "types": ["train_station"] }, { "types": ["train_station"] }]
        })),
        example(
            "a place that nobody knows is told apart from one outside",
            RouteSearch::NAME,
            json!({ "origin": "ここではないどこか", "destination": "横浜駅" }),
        )
        .refuses("place_unknown"),
        example(
            "what is outside of the map says so",
            RouteSearch::NAME,
            json!({ "origin": "東京駅", "destination": "48.8584,2.2945" }),
        )
        .refuses("place_outside_map"),
        example("an address must not be empty", Geocode::NAME, json!({ "address": " " }))
            .refuses_the_arguments(),
        example(
            "a pair of which one is unknown keeps its place (NAV-25)",
            DistanceCompare::NAME,
            json!({ "origins": ["東京駅"], "destinations": ["横浜駅", "ここではないどこか"] }),
        )
        .gives(
            json!({ "rows": [{ "elements": [{ "status": "OK" }, { "status": "NOT_FOUND" }] }] }),
        ),
    ]
}
