//! The built-in provider over the bundled network, natively.

use std::time::{Duration, UNIX_EPOCH};

use graph::{Class, Text};

use super::*;
use crate::{ask::Avoid, network::NETWORK};

/// A stretch of a main road, to the north.
pub(super) fn leg(name: &str, metres: f64) -> Leg {
    let name = Text { local: name.to_owned(), en: String::new() };
    Leg {
        points: [35.0, 35.01].map(|lat| graph::Point { lat, lng: 139.0 }).to_vec(),
        metres,
        seconds: metres / 10.0,
        class: Class::Trunk,
        name,
        number: String::new(),
        toll: false,
        ramp: false,
        roundabout: false,
        turn: 0.0,
        others: Vec::new(),
        junction: Text::default(),
    }
}

/// 19:00 on Friday, 20 November 2026 in Japan.
fn evening() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_795_168_800)
}

fn ask(origin: &str, destination: &str) -> RouteAsk {
    RouteAsk {
        origin: origin.to_owned(),
        destination: destination.to_owned(),
        avoid: Avoid::default(),
        alternatives: false,
        departure: Departure::Now,
        traffic: Traffic::BestGuess,
        prefer: Prefer::Fastest,
        via: Vec::new(),
        mode: Mode::Drive,
        language: Language::Japanese,
    }
}

fn answer(ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
    routes(&[Graph::open(NETWORK).unwrap()], ask, evening())
}

fn instructions(routes: &Routes) -> Vec<&str> {
    routes.routes[0].steps.iter().map(|it| it.instruction.as_str()).collect()
}

#[test]
fn expressway_is_entered_and_left_at_named_entrances() {
    let (routes, details) = answer(&ask("東京駅", "横浜駅")).unwrap();
    let texts = instructions(&routes);
    let is_said =
        |begin: &str, end: &str| texts.iter().any(|it| it.contains(begin) && it.ends_with(end));
    assert!(is_said("出入口から首都高速", "に入る"), "{texts:?}");
    assert!(is_said("JCTを", "に入る"), "{texts:?}");
    assert!(
        is_said("出入口で首都高速", "を出る") || is_said("出入口で首都高速", "に入る"),
        "{texts:?}"
    );
    let toll = details.routes[0].toll.clone().unwrap();
    assert!((1_000.0..2_000.0).contains(&toll.amount) && toll.is_estimate, "{toll:?}");
    let kilometres = routes.routes[0].distance.value / 1_000;
    assert!((28..36).contains(&kilometres), "{kilometres} km");
}

#[test]
fn avoids_motorways_without_tolls() {
    let avoid = Avoid { highways: true, ..Avoid::default() };
    let (routes, details) = answer(&RouteAsk { avoid, ..ask("東京駅", "横浜駅") }).unwrap();
    assert!(routes.routes[0].summary.contains("京浜"), "{}", routes.routes[0].summary);
    assert_eq!((&details.routes[0].toll, details.routes[0].highway_metres), (&None, Some(0)));
}

#[test]
fn walks_without_expressways_and_traffic() {
    let walk = RouteAsk { mode: Mode::Walk, ..ask("東京駅", "品川駅") };
    let (routes, details) = answer(&walk).unwrap();
    let route = &routes.routes[0];
    assert_eq!(route.duration_in_traffic, None);
    assert_eq!(details.travel_mode, "walking");
    assert_eq!(details.routes[0].highway_metres, Some(0));
    let pace = f64::from(u32::try_from(route.distance.value).unwrap())
        / f64::from(u32::try_from(route.duration.value).unwrap());
    assert!((0.8..2.0).contains(&pace), "{pace} m/s");
    assert!(route.warnings.iter().any(|it| it.contains("歩道")), "{:?}", route.warnings);
}

#[test]
fn distinguishes_outside_cities_and_unknown_words() {
    for (origin, destination, pointer) in
        [("大阪駅", "横浜駅", "/origin"), ("東京駅", "Osaka", "/destination")]
    {
        let Err(ProviderError::OutsideMap { pointer: at, map, .. }) =
            answer(&ask(origin, destination))
        else {
            panic!("{origin} to {destination}")
        };
        assert_eq!(at, pointer);
        assert!(!map.is_empty());
    }
    let Err(ProviderError::UnknownPlace { pointer, place }) =
        answer(&ask("東京駅", "ここではないどこか"))
    else {
        panic!("it is unknown")
    };
    assert_eq!((&*pointer, &*place), ("/destination", "ここではないどこか"));
}

#[test]
fn round_trip_needs_a_stop() {
    let same = ProviderError::SamePlace { place: "東京駅".to_owned() };
    for destination in ["東京駅", "Tokyo Station"] {
        assert_eq!(answer(&ask("東京駅", destination)).unwrap_err(), same, "{destination}");
    }
    let via = vec!["品川駅".to_owned()];
    let (routes, _) = answer(&RouteAsk { via, ..ask("東京駅", "東京駅") }).unwrap();
    assert!(routes.routes[0].distance.value > 5_000, "{:?}", routes.routes[0].distance);
    assert_eq!(instructions(&routes).last(), Some(&"東京駅に到着"));
}

#[test]
fn names_turns_by_googles_maneuvers() {
    let maneuvers = [
        "turn-slight-left",
        "turn-sharp-left",
        "uturn-left",
        "turn-left",
        "turn-slight-right",
        "turn-sharp-right",
        "uturn-right",
        "turn-right",
        "straight",
        "ramp-left",
        "ramp-right",
        "merge",
        "fork-left",
        "fork-right",
        "ferry",
        "roundabout-left",
        "roundabout-right",
        "keep-left",
        "keep-right",
    ];
    for (origin, destination) in
        [("東京駅", "横浜駅"), ("渋谷駅", "羽田空港"), ("新宿駅", "川崎駅"), ("上野駅", "品川駅")]
    {
        let asked = RouteAsk { alternatives: true, ..ask(origin, destination) };
        let (routes, details) = answer(&asked).unwrap();
        for (route, details) in routes.routes.iter().zip(&details.routes) {
            let mut used = route.steps.iter().filter_map(|it| it.maneuver.as_deref());
            assert!(used.all(|it| maneuvers.contains(&it)), "{:?}", route.steps);
            assert_eq!(details.steps_at.len(), route.steps.len());
            let empty = route.steps.iter().find(|it| it.instruction.is_empty());
            assert_eq!(empty, None);
        }
    }
}

#[test]
fn finds_place_by_name_reading_and_numbers() {
    let graphs = [Graph::open(NETWORK).unwrap()];
    let find = |address: &str| place(&graphs, address, Language::Japanese);
    for address in ["東京駅", "とうきょうえき", "ﾄｳｷｮｳ 駅", "Tokyo Station", "東京", "丸の内"]
    {
        let found = find(address).unwrap();
        assert!((found.location.lat - 35.681).abs() < 0.02, "{address}: {found:?}");
        assert!(!found.place_id.is_empty() && !found.formatted_address.is_empty());
    }
    let spot = find("35.6812,139.7671").unwrap();
    assert_eq!((spot.location.lat, spot.location.lng), (35.6812, 139.7671));
    let address = &spot.formatted_address;
    assert!(address.contains("東京駅から0 m、最寄りの道路は"), "{address}");
    let english = place(&graphs, "35.6850,139.7700", Language::English).unwrap();
    assert!(english.formatted_address.contains(" m from "), "{english:?}");
    assert!(english.formatted_address.contains("nearest road: "), "{english:?}");
    let paris = find("48.8584,2.2945").unwrap();
    assert_eq!(paris.formatted_address, "48.85840,2.29450", "where it is needs no map");
    assert!(find("Helsinki").is_ok(), "nor does a city that is known");
    assert!(matches!(find("ぬ"), Err(ProviderError::UnknownPlace { .. })));
}

#[test]
fn suggests_names_and_names_points_by_vicinity() {
    let graphs = [Graph::open(NETWORK).unwrap()];
    let found = suggestions(&graphs, "よこはま", 5, Language::Japanese).unwrap();
    assert!(found.len() <= 5 && found.iter().any(|it| it.name == "横浜駅"), "{found:?}");
    let at = |lat, lng| graph::Point { lat, lng };
    let near = nearest(&graphs, at(35.6812, 139.7671), Language::English).unwrap();
    assert_eq!(near.as_deref(), Some("Tokyo Station"));
    assert_eq!(nearest(&graphs, at(0.0, -30.0), Language::English).unwrap(), None);
    let about = about(&graphs, Language::English);
    assert_eq!(about.map.as_deref(), Some("Tokyo–Kawasaki–Yokohama"));
    assert!(!about.attribution.is_empty() && about.bounds.is_some_and(|it| it[0][0] < it[1][0]));
}

#[test]
fn pairs_match_routes_and_keep_their_status() {
    let graphs = [Graph::open(NETWORK).unwrap()];
    let texts = |of: &[&str]| of.iter().map(|it| (*it).to_owned()).collect();
    let ask_table = CompareAsk {
        origins: texts(&["東京駅", "ここではないどこか"]),
        destinations: texts(&["横浜駅", "大阪駅"]),
        departure: Departure::Now,
        language: Language::Japanese,
    };
    let table = compare(&graphs, &ask_table, evening()).unwrap();
    let status = |row: usize, element: usize| table.rows[row].elements[element].status.as_str();
    assert_eq!((status(0, 0), status(0, 1)), ("OK", "ZERO_RESULTS"));
    assert_eq!((status(1, 0), status(1, 1)), ("NOT_FOUND", "NOT_FOUND"));
    let (routes, _) = answer(&ask("東京駅", "横浜駅")).unwrap();
    let (pair, route) = (&table.rows[0].elements[0], &routes.routes[0]);
    let near = |a: u64, b: u64| assert!(a.abs_diff(b) <= 1, "{a} {b}");
    near(pair.distance.as_ref().unwrap().value, route.distance.value);
    near(pair.duration.as_ref().unwrap().value, route.duration.value);
    let traffic = |it: &Option<output::navigation::Measure>| it.as_ref().unwrap().value;
    near(traffic(&pair.duration_in_traffic), traffic(&route.duration_in_traffic));
}

#[test]
fn reports_a_place_far_from_the_road_and_refuses_one_in_the_bay() {
    let (routes, details) = answer(&ask("横浜駅", "35.4270,139.6800")).unwrap();
    let metres = details.destination.unwrap().road_metres.unwrap();
    assert!((1_000..2_500).contains(&metres), "{metres} m");
    let warning = &routes.routes[0].warnings[0];
    assert!(warning.contains("道路から") && warning.contains("離れています"), "{warning}");
    let (routes, details) = answer(&ask("東京駅", "横浜駅")).unwrap();
    assert!(details.origin.unwrap().road_metres.is_some_and(|it| it < 300));
    assert!(!routes.routes[0].warnings[0].contains("離れています"));
    let error = answer(&ask("横浜駅", "35.5,139.85")).unwrap_err();
    let ProviderError::OffRoad { pointer, metres, .. } = error else { panic!("{error:?}") };
    assert!(pointer == "/destination" && metres > 2_500);
}

#[test]
fn shortest_route_comes_first_with_the_fastest() {
    let shortest =
        RouteAsk { prefer: Prefer::Shortest, alternatives: true, ..ask("渋谷駅", "横浜駅") };
    let (routes, details) = answer(&shortest).unwrap();
    assert_eq!(details.preferred.as_deref(), Some("shortest"));
    let metres: Vec<_> = routes.routes.iter().map(|it| it.distance.value).collect();
    assert!(metres.len() >= 2 && metres[1..].iter().all(|it| *it > metres[0]), "{metres:?}");
    let (fast, _) = answer(&ask("渋谷駅", "横浜駅")).unwrap();
    assert!(routes.routes[1..].iter().any(|it| it.distance == fast.routes[0].distance));
    let cheapest = RouteAsk { prefer: Prefer::Cheapest, ..ask("東京駅", "横浜駅") };
    let (_, details) = answer(&cheapest).unwrap();
    assert_eq!((&details.routes[0].toll, details.routes[0].toll_metres), (&None, Some(0)));
}

#[test]
fn visits_stops_in_order() {
    let via = vec!["品川駅".to_owned(), "川崎駅".to_owned()];
    let (routes, details) = answer(&RouteAsk { via, ..ask("東京駅", "横浜駅") }).unwrap();
    let texts = instructions(&routes);
    let at =
        |what: &str| texts.iter().position(|it| *it == what).unwrap_or_else(|| panic!("{texts:?}"));
    assert!(at("品川駅に到着") < at("川崎駅に到着") && at("川崎駅に到着") < at("横浜駅に到着"));
    assert_eq!(details.via.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["品川駅", "川崎駅"]);
    assert_eq!(details.routes[0].steps_at.len(), routes.routes[0].steps.len());
    let legs = [("東京駅", "品川駅"), ("品川駅", "川崎駅"), ("川崎駅", "横浜駅")];
    let alone = legs.map(|(a, b)| answer(&ask(a, b)).unwrap().0.routes[0].distance.value);
    let sum: u64 = alone.iter().sum();
    assert!(routes.routes[0].distance.value.abs_diff(sum) <= 3_000, "{sum}");
    let via = vec!["ここではないどこか".to_owned()];
    let error = answer(&RouteAsk { via, ..ask("東京駅", "横浜駅") }).unwrap_err();
    assert!(matches!(error, ProviderError::UnknownPlace { pointer, .. } if pointer == "/via/0"));
}

#[test]
fn bicycle_avoids_expressways_and_beats_walking() {
    let by = |mode| answer(&RouteAsk { mode, ..ask("東京駅", "品川駅") }).unwrap();
    let ((cycle, details), (walk, _)) = (by(Mode::Cycle), by(Mode::Walk));
    assert_eq!((&*details.travel_mode, details.routes[0].highway_metres), ("bicycling", Some(0)));
    let seconds = |it: &Routes| it.routes[0].duration.value;
    assert!(seconds(&cycle) * 2 < seconds(&walk) && cycle.routes[0].duration_in_traffic.is_none());
}

#[test]
fn accepts_and_reports_a_misspelt_name_and_asks_back_on_others() {
    let (routes, details) = answer(&ask("Shinjku Station", "横浜駅")).unwrap();
    assert_eq!(details.origin.unwrap().name, "新宿駅");
    assert!(routes.routes[0].warnings[0].contains("「Shinjku Station」"), "{:?}", routes.routes[0]);
    let error = answer(&ask("みなとみらあ", "横浜駅")).unwrap_err();
    let ProviderError::NotQuite { pointer, close, .. } = error else { panic!("{error:?}") };
    assert!(
        pointer == "/origin" && close.iter().any(|it| it.contains("みなとみらい")),
        "{close:?}"
    );
    let (routes, _) = answer(&ask("東京都千代田区丸の内9丁目99番", "横浜駅")).unwrap();
    assert!(routes.routes[0].warnings[0].contains("丸の内」として"), "{:?}", routes.routes[0]);
}
