//! Navigation: the constraints, the found routes, the planner's log and the conversation.

use output::navigation::{Comparison, DETAILS, Place as Found, Routes};

use crate::part::{Part, part};
use crate::route::FamilyRoute;
use crate::table::{Draw, Drawing, Family, Greeting, NONE, Outputs, Place, View, counted, fits};
use crate::text::Key;

#[macro_use]
mod words;

pub(crate) mod board;
pub(crate) mod client;
pub(crate) mod drawn;
pub(crate) mod event;
pub(crate) mod export;
pub(crate) mod found;
pub(crate) mod line;
pub(crate) mod log;
pub(crate) mod place;
pub(crate) mod query;
pub(crate) mod route_map;
pub(crate) mod run;
pub(crate) mod views;

use drawn::{ComparisonView, PlaceView, RoutesView};
use query::RouteQuery;
use views::NavigationView;

pub(super) static FAMILY: Family = Family {
    tools: ("navigation", Key::NavPlace),
    places: &[Place {
        tool: "route_search",
        name: Key::NavPlace,
        reading: "",
        icon: "M10 18s-6-5.5-6-10a6 6 0 0 1 12 0c0 4.5-6 10-6 10zM10 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z",
        start: || RouteQuery::default().route(),
        read: RouteQuery::canonical,
        stage: |route| RouteQuery::from_route(route).map(|_| String::new()),
        code: &PLACE,
        title: |_| Key::NavPlace.say().to_owned(),
    }],
    advice: |refusal, lang| {
        let key = match refusal.code.as_str() {
            "place_outside_map" if !refusal.about("map").is_empty() => {
                let outside = [refusal.about("place"), refusal.about("map")];
                return Some(lang.fill(Key::NavErrOutside, &outside));
            }
            "CLAUDE_API_ERROR" => Key::NavErrPlanner,
            "GOOGLE_MAPS_ERROR" if refusal.status != 503 => Key::NavErrMaps,
            "GOOGLE_MAPS_ERROR" | "over_query_limit" => Key::NavErrQuota,
            "provider_failed" => Key::NavErrMaps,
            "INTERNAL_ERROR" => Key::ErrInternal,
            _ => return None,
        };
        Some(lang.say(key).to_owned())
    },
    home_link: Some(Key::FrontRoute),
    views: &[View::new("routes"), View::new("comparison"), View::new("place")],
    example: Some(("route_search", Key::ChatExWay)),
    greeting: Some(Greeting {
        assistant: "navigation",
        title: Key::ChatWelcomeWay,
        hint: Key::ChatWelcomeWayHint,
        examples: &[Key::ChatExWay, Key::ChatExWayTraffic, Key::ChatExWayCompare],
    }),
    outputs: &OUTPUTS,
    ..NONE
};

static PLACE: Part<Draw> = part!(navigation: Draw = &Draw(|_| any_view! { <NavigationView/> }));

static OUTPUTS: Part<Outputs> = part!(navigation_cards: Outputs = &Outputs(&[
    Drawing {
        draw: |value, raw| {
            let routes = fits::<Routes>(value)?;
            // Optional details; a provider without them still has routes.
            let details = raw.get("_meta").and_then(|it| fits(it.get(DETAILS)?));
            Some(any_view! { <RoutesView routes details/> })
        },
        summary: |value| counted(Key::CardRoutes, fits::<Routes>(value)?.routes.len()),
    },
    Drawing {
        draw: |value, _| {
            let comparison = fits::<Comparison>(value)?;
            Some(any_view! { <ComparisonView comparison/> })
        },
        summary: |value| fits::<Comparison>(value).map(|_| (Key::CardComparison, Vec::new())),
    },
    Drawing {
        draw: |value, _| {
            let place = fits::<Found>(value)?;
            Some(any_view! { <PlaceView place/> })
        },
        summary: |_| Some((Key::CardPlace, Vec::new())),
    },
]));

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::error::Refusal;
    use crate::families;
    use crate::table::advice;
    use crate::text::Lang;

    fn advised(refusal: Value) -> Option<String> {
        families::register();
        advice(&Refusal::new(Some(&refusal), None), Lang::Ja)
    }

    #[test]
    fn place_outside_map_shows_the_covered_area() {
        let outside = json!({ "error": "place_outside_map", "status": 404, "message": "…",
            "data": { "place": "大阪駅", "map": "東京・川崎・横浜" } });
        let text = advised(outside).unwrap();
        assert!(text.contains("大阪駅") && text.contains("東京・川崎・横浜"), "{text}");
        assert_eq!(advised(json!({ "error": "place_outside_map", "message": "Too far." })), None);
    }

    #[test]
    fn used_up_quota_is_not_a_lost_connection() {
        let failed =
            |status: u16| advised(json!({ "error": "GOOGLE_MAPS_ERROR", "status": status }));
        assert_ne!(failed(503).unwrap(), failed(502).unwrap());
    }
}
