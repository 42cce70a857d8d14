//! The search query, formatted in the view's address (so that a link repeats the search), and the planner of its
//! condition.

use serde_json::Value;

use crate::route::{Address, FamilyRoute, decoded, encoded};
use crate::text::{Key, at_most};

/// Maximum number of characters of a place (NAV-7).
pub(crate) const PLACE_MAX: usize = 200;
/// Maximum number of characters of a condition (NAV-7).
pub(crate) const CONDITION_MAX: usize = 2_000;

/// Who chooses the route, and the mode of travel (NAV-18).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// The planner, by the condition.
    #[default]
    Ai,
    /// By car, in the router's order.
    Normal,
    Walk,
}

impl Mode {
    pub(crate) const ALL: [Self; 3] = [Self::Ai, Self::Normal, Self::Walk];

    /// Name in addresses.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ai => "ai",
            Self::Normal => "normal",
            Self::Walk => "walk",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Label for the reader.
    pub(crate) fn key(self) -> Key {
        match self {
            Self::Ai => Key::NavModeAi,
            Self::Normal => Key::NavModeNormal,
            Self::Walk => Key::NavModeWalk,
        }
    }

    /// Name in `_meta["navigation/travelMode"]`.
    pub(crate) fn travel(self) -> &'static str {
        if self == Self::Walk { "walking" } else { "driving" }
    }
}

/// A search and its selected route.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RouteQuery {
    pub(crate) from: String,
    pub(crate) to: String,
    /// A condition as a sentence, read only by the planner.
    pub(crate) condition: String,
    pub(crate) mode: Mode,
    /// The route chosen by hand, from 0; none for the default.
    pub(crate) chosen: Option<usize>,
}

/// What is missing for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    From,
    To,
    TooLong,
}

impl Lack {
    /// The message for the reader.
    pub(crate) fn key(self) -> Key {
        match self {
            Self::From => Key::NavLackFrom,
            Self::To => Key::NavLackTo,
            Self::TooLong => Key::NavTooLong,
        }
    }
}

impl FamilyRoute for RouteQuery {
    /// `#/navigation?from=…&to=…&condition=…&mode=…&route=…`
    fn read(path: &[&str], query: &str) -> Option<Self> {
        matches!(path, ["navigation"]).then(|| Self::of_query(query))
    }

    fn address(&self) -> Address {
        Address::new(&["navigation"], self.query())
    }
}

impl RouteQuery {
    /// Parses the query of an address; unknown parts are ignored.
    pub(crate) fn of_query(text: &str) -> Self {
        let mut query = Self::default();
        for (name, value) in text.split('&').filter_map(|it| it.split_once('=')) {
            let value = decoded(value);
            match name {
                "from" => query.from = at_most(&value, PLACE_MAX),
                "to" => query.to = at_most(&value, PLACE_MAX),
                "condition" => query.condition = at_most(&value, CONDITION_MAX),
                "mode" => query.mode = Mode::of_name(&value).unwrap_or_default(),
                // Routes are counted from one in addresses.
                "route" => {
                    query.chosen = value.parse::<usize>().ok().and_then(|it| it.checked_sub(1))
                }
                _ => {}
            }
        }
        query
    }

    /// Formats the query of the address; empty for a default query.
    pub(crate) fn query(&self) -> String {
        if *self == Self::default() {
            return String::new();
        }
        let mut parts = Vec::new();
        let texts = [("from", &self.from), ("to", &self.to), ("condition", &self.condition)];
        for (name, value) in texts {
            if !value.is_empty() {
                parts.push(format!("{name}={}", encoded(value)));
            }
        }
        parts.push(format!("mode={}", self.mode.name()));
        parts.extend(self.chosen.map(|it| format!("route={}", it + 1)));
        parts.join("&")
    }

    /// The query with trimmed texts, and without those that the mode ignores.
    pub(crate) fn trimmed(&self) -> Self {
        let trim = |text: &str| text.trim().to_owned();
        let condition = if self.mode == Mode::Ai { trim(&self.condition) } else { String::new() };
        Self { from: trim(&self.from), to: trim(&self.to), condition, ..self.clone() }
    }

    /// What is missing for a search (NAV-62).
    pub(crate) fn lack(&self) -> Option<Lack> {
        let query = self.trimmed();
        let chars = |text: &str| text.chars().count();
        match () {
            () if query.from.is_empty() => Some(Lack::From),
            () if query.to.is_empty() => Some(Lack::To),
            () if chars(&query.from).max(chars(&query.to)) > PLACE_MAX => Some(Lack::TooLong),
            () if chars(&query.condition) > CONDITION_MAX => Some(Lack::TooLong),
            () => None,
        }
    }

    /// Whether the planner is needed: without a condition, the router's routes suffice.
    pub(crate) fn is_planned(&self) -> bool {
        self.mode == Mode::Ai && !self.condition.trim().is_empty()
    }

    /// Whether it is the same search, regardless of the selected route.
    pub(crate) fn is_same_search(&self, other: &Self) -> bool {
        Self { chosen: None, ..self.trimmed() } == Self { chosen: None, ..other.trimmed() }
    }

    /// Whether it has the same ends, regardless of mode and condition.
    pub(crate) fn is_same_way(&self, other: &Self) -> bool {
        let (own, other) = (self.trimmed(), other.trimmed());
        own.from == other.from && own.to == other.to
    }
}

/// The planner behind `POST /api/navigate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planner {
    /// The host's own, without a model.
    Builtin,
    Claude,
    /// Another provider's model.
    Model,
}

impl Planner {
    /// Parses its name in `GET /api/health`.
    pub(crate) fn of_health(health: &Value) -> Option<Self> {
        let text = |pointer: &str| health.pointer(pointer).and_then(Value::as_str);
        match (text("/assistants/navigation/provider"), text("/services/claude")) {
            (Some("builtin"), _) | (None, Some("not_configured")) => Some(Self::Builtin),
            (Some("claude"), _) | (None, Some(_)) => Some(Self::Claude),
            (Some(_), _) => Some(Self::Model),
            (None, None) => None,
        }
    }

    /// Hint on the mode.
    pub(crate) fn mode_hint(planner: Option<Self>) -> Key {
        if planner == Some(Self::Builtin) { Key::NavModePlannerHint } else { Key::NavModeAiHint }
    }

    /// Hint on the origin of reasons.
    pub(crate) fn reason_hint(planner: Option<Self>) -> Key {
        match planner {
            Some(Self::Builtin) => Key::NavReasonPlannerHint,
            Some(Self::Claude | Self::Model) => Key::NavReasonAiHint,
            None => Key::NavReasonHint,
        }
    }

    /// Name in the conversation.
    pub(crate) fn name(planner: Option<Self>) -> Key {
        match planner {
            Some(Self::Claude | Self::Model) => Key::NavAi,
            Some(Self::Builtin) | None => Key::NavPlanner,
        }
    }

    /// Text of the view's footer.
    pub(crate) fn footer(self) -> Key {
        match self {
            Self::Builtin => Key::NavFooterPlanner,
            Self::Claude => Key::NavFooter,
            Self::Model => Key::NavFooterAi,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn query(mode: Mode) -> RouteQuery {
        RouteQuery {
            from: "東京駅".to_owned(),
            to: "横浜駅 & 西口".to_owned(),
            condition: "渋滞を避けて 100%".to_owned(),
            mode,
            chosen: Some(1),
        }
    }

    #[test]
    fn link_contains_the_whole_search() {
        for mode in Mode::ALL {
            let query = query(mode);
            assert_eq!(RouteQuery::of_query(&query.query()), query);
        }
        assert_eq!(RouteQuery::default().query(), "");
        assert_eq!(RouteQuery::of_query(""), RouteQuery::default());
    }

    #[test]
    fn reads_valid_parts_of_broken_link() {
        let read = RouteQuery::of_query("from=a&mode=boat&route=0&to&x=y&condition=%E6");
        assert_eq!(
            read,
            RouteQuery { from: "a".into(), condition: "\u{fffd}".into(), ..RouteQuery::default() }
        );
        let long = format!("from={}", "x".repeat(9_000));
        assert_eq!(RouteQuery::of_query(&long).from.len(), PLACE_MAX);
    }

    #[test]
    fn search_needs_two_places_and_planner_a_condition() {
        let mut own = query(Mode::Ai);
        assert!(own.lack().is_none() && own.is_planned());
        own.condition = " \u{3000}".to_owned();
        assert!(own.lack().is_none() && !own.is_planned(), "from A to B is enough");
        let link = RouteQuery::of_query(
            "from=%E6%9D%B1%E4%BA%AC%E9%A7%85&to=%E5%A4%A7%E9%98%AA%E9%A7%85&mode=ai",
        );
        assert!(link.lack().is_none() && !link.is_planned());
        let normal = query(Mode::Normal);
        assert!(normal.lack().is_none() && !normal.is_planned(), "no planner reads it there");
        own.to = String::new();
        assert_eq!(own.lack(), Some(Lack::To));
        own.from = "  ".to_owned();
        assert_eq!(own.lack(), Some(Lack::From));
        let long = RouteQuery { from: "駅".repeat(PLACE_MAX + 1), ..query(Mode::Walk) };
        assert_eq!(long.lack(), Some(Lack::TooLong));
    }

    #[test]
    fn choosing_a_route_is_no_new_search() {
        let own = query(Mode::Ai);
        let mut other = RouteQuery { chosen: None, ..own.clone() };
        assert!(own.is_same_search(&other));
        other.condition = "一番早い".to_owned();
        assert!(!own.is_same_search(&other) && own.is_same_way(&other));
        let back = RouteQuery { from: own.to.clone(), to: own.from.clone(), ..own.clone() };
        assert!(!own.is_same_way(&back));
    }

    #[test]
    fn claims_ai_only_if_one_runs() {
        let planner = |provider: &str, claude: &str| {
            Planner::of_health(&json!({ "services": { "claude": claude },
                "assistants": { "navigation": { "provider": provider } } }))
        };
        let builtin = planner("builtin", "connected");
        assert_eq!(builtin, Some(Planner::Builtin), "a key alone makes no planner");
        assert_eq!(planner("claude", "connected"), Some(Planner::Claude));
        assert_eq!(planner("gemini", "not_configured"), Some(Planner::Model));
        let old = json!({ "services": { "claude": "not_configured" } });
        assert_eq!(Planner::of_health(&old), Some(Planner::Builtin));
        assert_eq!(Planner::of_health(&json!({})), None);
        assert_eq!(Planner::reason_hint(builtin), Key::NavReasonPlannerHint);
        assert_eq!(Planner::name(builtin), Key::NavPlanner);
        assert_eq!(Planner::Builtin.footer(), Key::NavFooterPlanner);
        assert_eq!(Planner::Model.footer(), Key::NavFooterAi, "Claude is not named either");
    }
}
