//! Who reads the condition and says why a route was chosen: the page claims no AI where none runs.

use serde_json::Value;

use crate::text::Key;

/// The planner behind `POST /api/navigate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planner {
    /// The host's own, without a model.
    Builtin,
    Claude,
    /// A model of another provider.
    Model,
}

impl Planner {
    /// As `GET /api/health` names it.
    pub(crate) fn of_health(health: &Value) -> Option<Self> {
        let text = |pointer: &str| health.pointer(pointer).and_then(Value::as_str);
        match (text("/assistants/navigation/provider"), text("/services/claude")) {
            (Some("builtin"), _) | (None, Some("not_configured")) => Some(Self::Builtin),
            (Some("claude"), _) | (None, Some(_)) => Some(Self::Claude),
            (Some(_), _) => Some(Self::Model),
            (None, None) => None,
        }
    }

    /// What the mode says of itself.
    pub(crate) fn mode_hint(planner: Option<Self>) -> Key {
        if planner == Some(Self::Builtin) { Key::NavModePlannerHint } else { Key::NavModeAiHint }
    }

    /// Where the reasons come from.
    pub(crate) fn reason_hint(planner: Option<Self>) -> Key {
        match planner {
            Some(Self::Builtin) => Key::NavReasonPlannerHint,
            Some(Self::Claude | Self::Model) => Key::NavReasonAiHint,
            None => Key::NavReasonHint,
        }
    }

    /// What it is called in the conversation.
    pub(crate) fn name(planner: Option<Self>) -> Key {
        match planner {
            Some(Self::Claude | Self::Model) => Key::NavAi,
            Some(Self::Builtin) | None => Key::NavPlanner,
        }
    }

    /// What the place says that it runs on.
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

    #[test]
    fn an_ai_is_claimed_only_where_one_runs() {
        let of = |provider: &str, claude: &str| {
            Planner::of_health(&json!({ "services": { "claude": claude },
                "assistants": { "navigation": { "provider": provider } } }))
        };
        let builtin = of("builtin", "connected");
        assert_eq!(builtin, Some(Planner::Builtin), "a key alone makes no planner");
        assert_eq!(of("claude", "connected"), Some(Planner::Claude));
        assert_eq!(of("gemini", "not_configured"), Some(Planner::Model));
        let old = json!({ "services": { "claude": "not_configured" } });
        assert_eq!(Planner::of_health(&old), Some(Planner::Builtin));
        assert_eq!(Planner::of_health(&json!({})), None);
        assert_eq!(Planner::reason_hint(builtin), Key::NavReasonPlannerHint);
        assert_eq!(Planner::name(builtin), Key::NavPlanner);
        assert_eq!(Planner::Builtin.footer(), Key::NavFooterPlanner);
        assert_eq!(Planner::Model.footer(), Key::NavFooterAi, "Claude is not named either");
    }
}
