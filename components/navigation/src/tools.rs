//! The tools of navigation.
//!
//! The app that shows routes on a map in MCP clients (APP-4), and its resource.

use std::time::SystemTime;

use output::navigation::{Comparison, DETAILS, Details, Place, Routes};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolkit::{
    Example, Hints, Stop, Text, Tool, User,
    apps::App,
    example,
    resources::{Contents, Page, Resources},
};

use crate::{
    arguments,
    ask::{Avoid, CompareAsk, Language, Prefer, RouteAsk, Traffic},
    provider,
    refusals::{self, ProviderError},
    settings::{self, Kind, Tiles},
};

toolkit::export_tools!(
    readings "readings.txt";
    RouteSearch,
    DistanceCompare,
    Geocode,
);

/// 指定された出発地と目的地のルートを検索します。渋滞回避、高速道路回避などの条件を指定できます。alternatives=trueで複数ルート候補を取得できます。
/// en: Searches routes from an origin to a destination. Conditions can be given, such as avoiding congestion or
/// motorways. With alternatives=true several routes are returned.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteSearch {
    /// 出発地（住所または地名）
    /// en: Where from (an address or a place's name)
    origin: String,
    /// 目的地（住所または地名）
    /// en: Where to (an address or a place's name)
    destination: String,
    /// 回避する要素のリスト
    /// en: What to avoid
    #[serde(default)]
    avoid: Vec<AvoidWord>,
    /// 代替ルートも取得するかどうか（trueで最大3ルート）
    /// en: Whether to return alternative routes too (up to 3 with true)
    #[serde(default)]
    alternatives: bool,
    /// 出発時刻。'now'で現在時刻。リアルタイム交通情報を考慮する場合に指定。
    /// en: When to leave: `now`, RFC 3339, or seconds since 1970. Give it where traffic counts.
    #[serde(default = "now")]
    departure_time: String,
    /// 交通予測モデル。departure_time指定時のみ有効。
    /// en: How traffic is predicted; only with departure_time
    #[serde(default)]
    traffic_model: TrafficWord,
}

/// Roads to avoid.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AvoidWord {
    Tolls,
    Highways,
    Ferries,
}

/// The traffic model.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TrafficWord {
    #[default]
    BestGuess,
    Pessimistic,
    Optimistic,
}

/// Returns the default departure.
fn now() -> String {
    "now".to_owned()
}

impl Tool for RouteSearch {
    const NAME: &str = "route_search";
    const TITLE: Text = Text { ja: "ルート検索", en: "Search routes" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("routes");
    const APP: Option<&str> = Some(ROUTES.uri);
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("tools/search/input.json"));
    const META: Option<&str> = Some(include_str!("tools/search/meta.json"));
    type Output = Routes;

    fn call(self, user: &User) -> Result<Routes, Stop> {
        let ask = self.ask(user)?;
        if ask.is_to_itself() {
            return Err(refusals::stop(&ProviderError::SamePlace { place: ask.origin }));
        }
        let arrival = arguments::arrival(user, SystemTime::now())?;
        let (routes, details) = self.found(&ask, arrival)?;
        for line in lines(&routes, &details, ask.language) {
            user.show(line);
        }
        user.tell(DETAILS, details);
        Ok(routes)
    }
}

impl RouteSearch {
    /// Searches by the configured provider, and puts the preferred route first.
    fn found(
        &self,
        ask: &RouteAsk,
        arrival: Option<SystemTime>,
    ) -> Result<(Routes, Details), Stop> {
        let (provider, is_builtin) =
            (provider::configured()?, settings::provider()? == Kind::Builtin);
        // Without a search for the best, the best of the offered routes is chosen.
        let is_chosen = ask.prefer != Prefer::Fastest && !is_builtin;
        let asked = RouteAsk { alternatives: ask.alternatives || is_chosen, ..ask.clone() };
        let found = match arrival {
            None => provider.routes(&asked),
            Some(at) => provider::arriving(&*provider, &asked, at, SystemTime::now()),
        };
        let (mut routes, mut details) = found.map_err(|it| refusals::stop(&it))?;
        provider::put_first(ask.prefer, &mut routes, &mut details, ask.language);
        if !ask.alternatives {
            routes.routes.truncate(1);
            details.routes.truncate(1);
        }
        Ok((routes, details))
    }

    fn ask(&self, user: &User) -> Result<RouteAsk, Stop> {
        let avoids = |it| self.avoid.contains(&it);
        let language = refusals::language();
        Ok(RouteAsk {
            origin: arguments::place("/origin", &self.origin, language)?,
            destination: arguments::place("/destination", &self.destination, language)?,
            via: arguments::via(user, language)?,
            prefer: arguments::prefer(user)?,
            avoid: Avoid {
                tolls: avoids(AvoidWord::Tolls),
                highways: avoids(AvoidWord::Highways),
                ferries: avoids(AvoidWord::Ferries),
            },
            alternatives: self.alternatives,
            departure: arguments::departure(&self.departure_time, SystemTime::now())?,
            traffic: match self.traffic_model {
                TrafficWord::BestGuess => Traffic::BestGuess,
                TrafficWord::Pessimistic => Traffic::Pessimistic,
                TrafficWord::Optimistic => Traffic::Optimistic,
            },
            mode: arguments::mode(user)?,
            language,
        })
    }
}

/// Formats a line per route for clients without a view: name, length and duration.
fn lines(routes: &Routes, details: &Details, language: Language) -> Vec<String> {
    let line = |(index, route): (usize, &output::navigation::Route)| {
        let (distance, duration) = (&route.distance.text, &route.duration.text);
        let mut line = format!("{}: {distance}, {duration}", route.summary);
        if let Some(traffic) = &route.duration_in_traffic {
            line += &match language {
                Language::Japanese => format!("（交通状況を考慮すると{}）", traffic.text),
                Language::English => format!(" ({} in traffic)", traffic.text),
            };
        }
        if let Some(toll) = details.routes.get(index).and_then(|it| it.toll.as_ref()) {
            let about = if toll.is_estimate { "≈ " } else { "" };
            line += &format!(", {about}{} {}", toll.amount, toll.currency);
        }
        if let (0, Some(from), Some(to)) = (index, &details.departure_time, &details.arrival_time) {
            line += &format!(" ({from} → {to})");
        }
        line
    };
    routes.routes.iter().enumerate().map(line).collect()
}

/// 複数の出発地・目的地の組み合わせで距離と所要時間を一括比較します。異なるルートの所要時間を比較する場合に使用します。
/// en: Compares distances and times of several origins and destinations at once. Used to compare how long different
/// routes take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DistanceCompare {
    /// 出発地のリスト
    /// en: Where from: 1 to 25 places
    origins: Vec<String>,
    /// 目的地のリスト
    /// en: Where to: 1 to 25 places, at most 100 pairs
    destinations: Vec<String>,
    /// 出発時刻。'now'で現在時刻。
    /// en: When to leave: `now`, RFC 3339, or seconds since 1970
    #[serde(default = "now")]
    departure_time: String,
}

impl Tool for DistanceCompare {
    const NAME: &str = "distance_compare";
    const TITLE: Text = Text { ja: "距離・所要時間の比較", en: "Compare distances" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("comparison");
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("tools/compare/input.json"));
    type Output = Comparison;

    fn call(self, user: &User) -> Result<Comparison, Stop> {
        // Checks the number first, so that huge lists cost nothing.
        let language = refusals::language();
        let origins = arguments::places("/origins", &self.origins, language)?;
        let destinations = arguments::places("/destinations", &self.destinations, language)?;
        arguments::pairs(origins.len(), destinations.len())?;
        let departure = arguments::departure(&self.departure_time, SystemTime::now())?;
        let ask = CompareAsk { origins, destinations, departure, language };
        let comparison = provider::configured()?.compare(&ask).map_err(|it| refusals::stop(&it))?;
        user.show(text(&comparison, &ask));
        Ok(comparison)
    }
}

/// Formats a line per pair for clients without a view.
fn text(comparison: &Comparison, ask: &CompareAsk) -> String {
    let mut lines = Vec::new();
    for (origin, row) in ask.origins.iter().zip(&comparison.rows) {
        for (destination, element) in ask.destinations.iter().zip(&row.elements) {
            let duration = element.duration_in_traffic.as_ref().or(element.duration.as_ref());
            let text = match (&element.distance, duration) {
                (Some(distance), Some(duration)) => format!("{}, {}", distance.text, duration.text),
                _ => element.status.clone(),
            };
            lines.push(match ask.language {
                Language::Japanese => format!("{origin}→{destination}: {text}"),
                Language::English => format!("{origin} to {destination}: {text}"),
            });
        }
    }
    lines.join("\n")
}

/// 地名や住所を緯度・経度に変換します。地図上にマーカーを配置する際に使用します。
/// en: Turns a place's name or address into latitude and longitude. Used to put markers on a map.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Geocode {
    /// 変換したい地名または住所
    /// en: The place's name or address
    address: String,
}

impl Tool for Geocode {
    const NAME: &str = "geocode";
    const TITLE: Text = Text { ja: "座標変換", en: "Find a place" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("place");
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("tools/geocode/input.json"));
    type Output = Place;

    fn call(self, user: &User) -> Result<Place, Stop> {
        let language = refusals::language();
        let address = arguments::place("/address", &self.address, language)?;
        let place = provider::configured()?.place(&address, language);
        let place = place.map_err(|it| refusals::stop(&it))?;
        let (lat, lng) = (place.location.lat, place.location.lng);
        user.show(format!("{}: {lat:.5}, {lng:.5}", place.formatted_address));
        Ok(place)
    }
}

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

/// The app that shows routes on the bundled map or on the operator's tiles.
pub const ROUTES: App = App {
    uri: "ui://navigation/routes",
    name: "routes_app",
    title: Text { ja: "ルート地図", en: "Route map" },
    style: include_str!("../app/routes.css"),
    script: &[
        NO_TILES,
        "const LAND = ",
        include_str!("../../output/map/land.json"),
        ";\nconst ROADS = ",
        include_str!("../../output/map/roads.json"),
        ";\nconst PLACES = ",
        include_str!("../../output/map/places.json"),
        ";\n",
        include_str!("../app/routes.js"),
    ],
};

/// The placeholder for the operator's tiles in the script.
const NO_TILES: &str = "const TILES = null;\n";

/// The app.
pub struct NavigationResources;

impl Resources for NavigationResources {
    fn list(_: Option<&str>) -> Result<Page, Stop> {
        let tiles = settings::tiles()?;
        Ok(vec![ROUTES.resource(&origins(tiles.as_ref()))].into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        if uri != ROUTES.uri {
            return Ok(None);
        }
        let tiles = settings::tiles()?;
        let images = origins(tiles.as_ref());
        let Some(tiles) = tiles else { return Ok(Some(vec![ROUTES.contents(&images)])) };
        let Tiles { url, attribution, max_zoom } = tiles;
        let map = json!({ "url": url.as_str(), "attribution": attribution, "max_zoom": max_zoom });
        // Escapes texts so that they cannot end the script.
        let tiles = map.to_string().replace('<', "\\u003c");
        let html = ROUTES.html().replace(NO_TILES, &format!("const TILES = {tiles};\n"));
        Ok(Some(vec![ROUTES.contents_of(html, &images)]))
    }
}

/// Returns the origins of pictures.
fn origins(tiles: Option<&Tiles>) -> Vec<String> {
    tiles.into_iter().map(Tiles::origin).collect()
}

#[cfg(test)]
mod tests {
    use output::navigation::{Measure, Route, RouteDetails, Toll};

    use super::*;
    use crate::ask::Departure;

    /// As the specification prints them (NAV-20, NAV-25, NAV-30).
    const ROUTES: &str = include_str!("tools/search/sample.json");
    const COMPARISON: &str = include_str!("tools/compare/sample.json");
    const PLACE: &str = include_str!("tools/geocode/sample.json");

    fn is_kept<T: serde::de::DeserializeOwned + serde::Serialize>(sample: &str) {
        let given: serde_json::Value = serde_json::from_str(sample).unwrap();
        let read: T = serde_json::from_value(given.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), given);
    }

    #[test]
    fn specified_samples_round_trip() {
        is_kept::<Routes>(ROUTES);
        is_kept::<Comparison>(COMPARISON);
        is_kept::<Place>(PLACE);
    }

    #[test]
    fn line_has_length_duration_and_cost() {
        let mut routes: Routes = serde_json::from_str(ROUTES).unwrap();
        let toll = Toll { currency: "JPY".to_owned(), amount: 1240.0, is_estimate: true };
        let of_route = RouteDetails { toll: Some(toll), ..RouteDetails::default() };
        let details = Details { routes: vec![of_route], ..Details::default() };
        assert_eq!(
            lines(&routes, &details, Language::Japanese),
            ["首都高速経由: 32.4 km, 45分（交通状況を考慮すると52分）, ≈ 1240 JPY"]
        );
        routes.routes =
            vec![Route { duration_in_traffic: None, ..std::mem::take(&mut routes.routes[0]) }];
        routes.routes[0].duration = Measure { text: "45 min".to_owned(), value: 2_700 };
        let lines = lines(&routes, &Details::default(), Language::English);
        assert_eq!(lines, ["首都高速経由: 32.4 km, 45 min"]);
    }

    #[test]
    fn line_describes_a_pair() {
        let comparison: Comparison = serde_json::from_str(COMPARISON).unwrap();
        let ask = CompareAsk {
            origins: vec!["東京駅".to_owned()],
            destinations: vec!["横浜駅".to_owned()],
            departure: Departure::Now,
            language: Language::Japanese,
        };
        assert_eq!(text(&comparison, &ask), "東京駅→横浜駅: 32.4 km, 52分");
    }
}
