//! Plans the tool calls for constraints, and has the selection rules (NAV-51).

use language::{
    say::capital,
    turn::{Answered, ToolCall, ToolResult},
};
use serde_json::{Map, Value, json};

use super::{
    RouteRequest,
    constraints::{self, Constraints, Mode, Outlook, Rule},
    found::Found,
};

/// The member of `_meta` with the mode.
pub(super) const TRAVEL_MODE: &str = "navigation/travelMode";
/// The member of `_meta` with the preference.
const PREFER: &str = "navigation/prefer";
/// The member of `_meta` with the stops.
const VIA: &str = "navigation/via";
/// The member of `_meta` with the arrival time.
const ARRIVAL_TIME: &str = "navigation/arrivalTime";
/// The code of a search that names an unknown place.
const UNKNOWN: &str = "place_unknown";
pub(in crate::sentences) const SEARCH: &str = "route_search";
pub(in crate::sentences) const COMPARE: &str = "distance_compare";

/// Returns the calls for `constraints`, all of one turn.
pub(super) fn calls(request: &RouteRequest, constraints: &Constraints) -> Vec<ToolCall> {
    let mut calls = vec![search(request, constraints)];
    calls.extend(constraints.without().map(|it| search(request, &it)));
    calls.extend(constraints.other_modes().map(|it| search(request, &it)));
    // The table supports driving only.
    if constraints.once.compare && !constraints.walking && !constraints.cycling && request.has_table
    {
        calls.push(compare(request, constraints));
    }
    for (at, call) in calls.iter_mut().enumerate() {
        call.id = format!("call-{}", at + 1);
    }
    calls
}

fn search(request: &RouteRequest, constraints: &Constraints) -> ToolCall {
    let mut arguments = Map::new();
    arguments.insert("origin".to_owned(), request.origin.as_str().into());
    arguments.insert("destination".to_owned(), request.destination.as_str().into());
    let avoid = avoid(constraints);
    if !avoid.is_empty() {
        arguments.insert("avoid".to_owned(), avoid.into());
    }
    if constraints.needs_several() {
        arguments.insert("alternatives".to_owned(), true.into());
    }
    if let Some(time) = departure(constraints) {
        arguments.insert("departure_time".to_owned(), time);
    }
    let outlook = constraints.outlook.map(|outlook| match outlook {
        Outlook::Pessimistic => "pessimistic",
        Outlook::Optimistic => "optimistic",
    });
    if let Some(outlook) = outlook {
        arguments.insert("traffic_model".to_owned(), outlook.into());
    }
    let mut meta = Map::new();
    meta.extend(travel_mode(constraints).map(|it| (TRAVEL_MODE.to_owned(), it.into())));
    // Searches for the best of all routes, not of the fastest ones.
    let prefer = match constraints.rule {
        Some(Rule::Shortest) => Some("shortest"),
        Some(Rule::Cheapest) => Some("cheapest"),
        _ => None,
    };
    meta.extend(prefer.map(|it| (PREFER.to_owned(), it.into())));
    let via = via(request, constraints);
    if !via.is_empty() {
        meta.insert(VIA.to_owned(), json!(via));
    }
    let due = constraints.due.map(constraints::rfc3339);
    meta.extend(
        due.or_else(|| constraints.arrival.clone()).map(|it| (ARRIVAL_TIME.to_owned(), it.into())),
    );
    let reason = reason(request, constraints);
    ToolCall { id: String::new(), name: SEARCH.to_owned(), arguments, meta, reason }
}

/// Returns the mode for tools; none for driving.
pub(super) fn travel_mode(constraints: &Constraints) -> Option<&'static str> {
    match constraints.mode() {
        Mode::Walk => Some("walking"),
        Mode::Cycle => Some("bicycling"),
        Mode::Drive => None,
    }
}

fn compare(request: &RouteRequest, constraints: &Constraints) -> ToolCall {
    let mut arguments = Map::new();
    arguments.insert("origins".to_owned(), json!([request.origin]));
    arguments.insert("destinations".to_owned(), json!([request.destination]));
    if let Some(time) = departure(constraints) {
        arguments.insert("departure_time".to_owned(), time);
    }
    let reason = request.language.pick(
        "比較のため、距離と所要時間を表でも確認",
        "To compare, distance and time are also looked up in a table",
    );
    ToolCall {
        id: String::new(),
        name: COMPARE.to_owned(),
        arguments,
        meta: Map::new(),
        reason: reason.to_owned(),
    }
}

/// Returns the stops, in order.
pub(super) fn via<'a>(request: &'a RouteRequest, constraints: &'a Constraints) -> &'a [String] {
    if constraints.via.is_empty() { &request.via } else { &constraints.via }
}

/// Returns the stops of a search, in order.
fn searched_stops(call: &ToolCall) -> Vec<String> {
    let stops = call.meta.get(VIA).and_then(Value::as_array).into_iter().flatten();
    stops.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the stops that the searches had; none where nothing was searched.
pub(super) fn stops_of(answered: &[Answered]) -> Option<Vec<String>> {
    answered.iter().find(|it| it.call.name == SEARCH).map(|it| searched_stops(&it.call))
}

/// Returns the stops without the one that no place was found for, if there is one. A stop with similar names is kept, so
/// that these are proposed.
pub(super) fn known_stops(answered: &[Answered]) -> Option<Vec<String>> {
    answered.iter().find_map(|answer| {
        let ToolResult::Failed(failure) = &answer.result else { return None };
        let pointer = failure.data.get("pointer")?.as_str()?;
        let index: usize = pointer.strip_prefix("/via/")?.parse().ok()?;
        let close = failure.data.get("close").and_then(Value::as_array);
        let is_unlike = close.is_none_or(Vec::is_empty);
        let mut stops = searched_stops(&answer.call);
        (failure.error == UNKNOWN && is_unlike && index < stops.len()).then(|| {
            stops.remove(index);
            stops
        })
    })
}

fn avoid(constraints: &Constraints) -> Vec<Value> {
    let all = [
        (constraints.no_tolls, "tolls"),
        (constraints.no_highways, "highways"),
        (constraints.no_ferries, "ferries"),
    ];
    all.into_iter().filter(|it| it.0).map(|it| it.1.into()).collect()
}

/// Returns the departure time, if one is requested or congestion is to be avoided, which does not affect walking
/// (NAV-X6).
fn departure(constraints: &Constraints) -> Option<Value> {
    match constraints.departure {
        Some(moment) => Some(constraints::rfc3339(moment).into()),
        None => (constraints.traffic && !constraints.walking && !constraints.cycling)
            .then(|| "now".into()),
    }
}

/// Returns the reason for the search (NAV-54).
fn reason(request: &RouteRequest, constraints: &Constraints) -> String {
    let language = request.language;
    let mut parts = Vec::new();
    let mut part = |japanese: &str, english: &str| {
        parts.push(language.pick(japanese, english).to_owned());
    };
    if constraints.traffic {
        part(
            "渋滞を避けるため出発時刻の交通状況を考慮",
            "traffic at departure counts, to avoid congestion",
        );
    }
    if constraints.no_highways {
        part("高速道路を避ける", "motorways are avoided");
    }
    if constraints.no_tolls {
        part("有料道路を避ける", "toll roads are avoided");
    }
    if constraints.no_ferries {
        part("フェリーを避ける", "ferries are avoided");
    }
    if constraints.walking {
        part("徒歩で移動", "one walks");
    }
    if constraints.cycling {
        part("自転車で移動", "one goes by bicycle");
    }
    match constraints.outlook {
        Some(Outlook::Pessimistic) => part("渋滞を多めに見込む", "heavy traffic is expected"),
        Some(Outlook::Optimistic) => part("渋滞を少なめに見込む", "light traffic is expected"),
        None => {}
    }
    match constraints.rule {
        Some(Rule::Fastest) => {
            part("複数の候補から最短時間を選ぶ", "the fastest of several is chosen")
        }
        Some(Rule::Shortest) => {
            part("距離が最も短いルートを探す", "the shortest way is looked for")
        }
        Some(Rule::Cheapest) => {
            part("料金の最も安いルートを探す", "the cheapest way is looked for")
        }
        Some(Rule::FewestRightTurns) => part(
            "複数の候補のstepsから右折の回数を数える",
            "right turns are counted in the steps of several routes",
        ),
        None if constraints.once.compare => part("候補を比較", "the candidates are compared"),
        None if constraints.needs_several() => {
            part("複数の候補から選ぶ", "one of several is chosen")
        }
        None => {}
    }
    if let Some(moment) = constraints.departure {
        let shown = constraints::shown(moment, request.now, language);
        part(&format!("{shown}に出発"), &format!("one leaves {shown}"));
    }
    if let Some(moment) = constraints.due {
        let shown = constraints::shown(moment, request.now, language);
        part(&format!("{shown}までに到着"), &format!("one is there by {shown}"));
    }
    let via = via(request, constraints);
    if !via.is_empty() {
        let (list, english) = (via.join("、"), via.join(", "));
        part(&format!("{list}を経由"), &format!("one goes by {english}"));
    }
    if parts.is_empty() {
        let plain =
            ("条件の指定がないため通常の検索", "a plain search, as nothing special was wished for");
        return capital(language.pick(plain.0, plain.1));
    }
    capital(&parts.join(language.pick("、", "; ")))
}

/// Maximum ratio of times to the fastest route for less traffic: a fifth longer.
const DETOUR: (u64, u64) = (6, 5);

/// Returns the index of the best route; none without routes.
pub(super) fn choose(constraints: &Constraints, routes: &[Found]) -> Option<usize> {
    if let Some(number) = constraints.once.pick
        && (1..=routes.len()).contains(&number)
    {
        return Some(number - 1);
    }
    let ranking = ranking(constraints, routes);
    ranking.get(constraints.others.checked_rem(routes.len())?).copied()
}

/// Returns the indices of `routes`, best first. Equal routes keep the provider's order.
pub(super) fn ranking(constraints: &Constraints, routes: &[Found]) -> Vec<usize> {
    let mut places: Vec<_> = (0..routes.len()).collect();
    match constraints.rule {
        Some(rule) => places.sort_by_key(|it| key(rule, &routes[*it])),
        // Without known traffic, none of them has less.
        None if constraints.traffic && is_traffic_known(routes) => {
            let fastest = routes.iter().map(Found::time).min().unwrap_or_default();
            let most = fastest.saturating_mul(DETOUR.0) / DETOUR.1;
            let key = |it: &Found| (it.time() > most, it.delay().unwrap_or(u64::MAX), it.time());
            places.sort_by_key(|it| key(&routes[*it]));
        }
        None => {}
    }
    places
}

/// Whether the traffic of any route is known.
pub(super) fn is_traffic_known(routes: &[Found]) -> bool {
    routes.iter().any(|it| it.seconds_in_traffic.is_some())
}

fn key(rule: Rule, route: &Found) -> (bool, u64, u64) {
    let time = route.time();
    let (first, second) = match rule {
        Rule::Fastest => (time, route.metres),
        Rule::Shortest => (route.metres, time),
        // An unknown toll does not count as free.
        Rule::Cheapest => (route.price().unwrap_or(u64::MAX), time),
        Rule::FewestRightTurns => (route.right_turns as u64, time),
    };
    // The provider's best of all is not compared with the others.
    (!(route.is_best && matches!(rule, Rule::Shortest | Rule::Cheapest)), first, second)
}
