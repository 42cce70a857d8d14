//! The found routes, with the data for rules and explanations, and the format of prices.

use language::{
    Language,
    say::grouped,
    turn::{Answered, Failure, ToolResult},
};
use output::navigation::minutes;
use serde::Deserialize;
use serde_json::Value;

use super::{
    constraints::Constraints,
    plan::{COMPARE, SEARCH, TRAVEL_MODE, travel_mode},
};

/// The member of a result's `_meta` with details of its routes.
const DETAILS: &str = "navigation/details";

/// A found route.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// The search that found it, and its index there.
    pub(super) call: String,
    pub(super) index: usize,
    /// Whether it is from the other side of a contrast.
    pub(super) is_without: bool,
    pub(super) summary: String,
    pub(super) metres: u64,
    pub(super) seconds: u64,
    /// Seconds with traffic, where known.
    pub(super) seconds_in_traffic: Option<u64>,
    pub(super) right_turns: usize,
    /// The toll, by default in yen; none where unknown.
    pub(super) toll: Option<Toll>,
    /// Whether it has neither toll nor ferry, where known.
    pub(super) is_free: bool,
    /// Whether it is the best of all possible routes by the preference.
    pub(super) is_best: bool,
    pub(super) warnings: Vec<String>,
    /// The steps with their lengths.
    pub(super) steps: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Toll {
    pub(super) currency: String,
    pub(super) amount: f64,
    pub(super) is_estimate: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Route {
    summary: String,
    distance: Measure,
    duration: Measure,
    duration_in_traffic: Option<Measure>,
    steps: Vec<Step>,
    warnings: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Measure {
    value: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Step {
    instruction: String,
    distance: String,
    maneuver: Option<String>,
}

impl Step {
    fn shown(&self) -> String {
        match self.distance.is_empty() {
            true => self.instruction.clone(),
            false => format!("{} ({})", self.instruction, self.distance),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    preferred: Option<String>,
    routes: Vec<RouteDetails>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RouteDetails {
    toll: Option<Toll>,
    toll_metres: Option<u64>,
    ferry_metres: Option<u64>,
}

impl Found {
    /// Returns the seconds, with traffic where known (NAV-X5).
    pub(super) fn time(&self) -> u64 {
        self.seconds_in_traffic.unwrap_or(self.seconds)
    }

    /// Returns the price, where known.
    pub(super) fn price(&self) -> Option<u64> {
        let toll = self.toll.as_ref().map(|it| it.amount.max(0.0) as u64);
        toll.or(self.is_free.then_some(0))
    }

    /// Returns the seconds lost in traffic, where known.
    pub(super) fn delay(&self) -> Option<u64> {
        self.seconds_in_traffic.map(|it| it.saturating_sub(self.seconds))
    }

    /// Returns the minutes lost in traffic between the times that are shown, where known.
    pub(super) fn lost_minutes(&self) -> Option<u64> {
        self.seconds_in_traffic.map(|it| minutes(it).saturating_sub(minutes(self.seconds)))
    }

    /// Whether it is the same route from another search.
    fn is_same(&self, other: &Self) -> bool {
        let key = |it: &Self| (it.metres, it.seconds, it.right_turns);
        self.summary == other.summary && key(self) == key(other)
    }

    fn from_route(route: Route, details: Option<RouteDetails>) -> Self {
        let details = details.unwrap_or_default();
        let turns = route.steps.iter().filter_map(|it| it.maneuver.as_deref());
        Self {
            summary: route.summary,
            metres: route.distance.value,
            seconds: route.duration.value,
            seconds_in_traffic: route.duration_in_traffic.map(|it| it.value),
            right_turns: turns.filter(|it| is_right_turn(it)).count(),
            steps: route.steps.iter().map(Step::shown).collect(),
            is_free: details.toll_metres == Some(0) && details.ferry_metres == Some(0),
            toll: details.toll,
            warnings: route.warnings,
            ..Self::default()
        }
    }
}

/// Whether it is a right turn across the traffic: bends, ramps and forks are none.
fn is_right_turn(maneuver: &str) -> bool {
    matches!(maneuver, "turn-right" | "turn-sharp-right" | "uturn-right")
}

/// Returns the routes of the searches for the mode of `constraints`, each once, or the failure.
pub(super) fn routes<'a>(
    answered: &'a [Answered],
    constraints: &Constraints,
) -> Option<Result<Vec<Found>, &'a Failure>> {
    let (mut all, mut is_found, mut failed) = (Vec::<Found>::new(), false, None);
    let mode = travel_mode(constraints);
    let is_match = |answered: &&Answered| {
        answered.call.name == SEARCH
            && answered.call.meta.get(TRAVEL_MODE).and_then(Value::as_str) == mode
    };
    let searches = answered.iter().filter(is_match);
    for (at, search) in searches.enumerate() {
        let (structured, meta) = match &search.result {
            ToolResult::Output { structured, meta, .. } => (structured, meta),
            ToolResult::Failed(failure) => {
                failed.get_or_insert(failure);
                continue;
            }
        };
        is_found = true;
        for (index, found) in parse_routes(structured, meta).into_iter().enumerate() {
            // A route of the other side may be among those of the first search.
            match all.iter_mut().find(|it| it.is_same(&found)) {
                Some(it) => it.is_without |= at > 0,
                None => all.push(Found {
                    call: search.call.id.clone(),
                    index,
                    is_without: at > 0,
                    ..found
                }),
            }
        }
    }
    if is_found { Some(Ok(all)) } else { failed.map(Err) }
}

/// Parses the routes of a search.
fn parse_routes(structured: &Value, meta: &Value) -> Vec<Found> {
    let details: Details = parse_or_default(&meta[DETAILS]);
    let is_best = details.preferred.is_some();
    let mut details = details.routes.into_iter();
    let routes = structured["routes"].as_array().into_iter().flatten();
    let mut found: Vec<_> =
        routes.map(|it| Found::from_route(parse_or_default(it), details.next())).collect();
    if let Some(first) = found.first_mut() {
        first.is_best = is_best;
    }
    found
}

/// Returns metres and seconds of the distance table, if it was requested and has them.
pub(super) fn table(answered: &[Answered]) -> Option<(u64, u64)> {
    let table = answered.iter().find(|it| it.call.name == COMPARE)?;
    let ToolResult::Output { structured, .. } = &table.result else { return None };
    let element = structured.pointer("/rows/0/elements/0")?;
    let value = |name: &str| element[name]["value"].as_u64();
    Some((value("distance")?, value("duration_in_traffic").or(value("duration"))?))
}

/// Parses a value; invalid ones become the default.
fn parse_or_default<'de, T: Default + Deserialize<'de>>(value: &'de Value) -> T {
    T::deserialize(value).unwrap_or_default()
}

/// Formats `1,320円`, `約1,320円（目安）`.
pub(super) fn price(toll: &Toll, language: Language) -> String {
    let amount = grouped(&(toll.amount.max(0.0).round() as u64).to_string());
    let is_yen = matches!(toll.currency.as_str(), "JPY" | "");
    let price = match (is_yen, language) {
        (true, Language::Japanese) => format!("{amount}円"),
        (true, Language::English) => format!("¥{amount}"),
        (false, _) => format!("{:.2} {}", toll.amount, toll.currency),
    };
    match toll.is_estimate {
        true => language.pick(format!("約{price}（目安）"), format!("about {price}")),
        false => price,
    }
}
