//! Which conversations are listed: by project, state, agent and words; kept in the address.

use output::conversations::State;
use serde_json::{Map, Value};

use crate::route::{decoded, encoded};

/// The states, in the order of a conversation's life.
pub(crate) const STATES: [State; 5] =
    [State::Pending, State::Active, State::Terminating, State::Ended, State::Expired];
/// Characters that are searched for at most.
pub(crate) const QUERY_MAX: usize = 200;

/// What the reader asks for; empty is everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) project: String,
    pub(crate) state: Option<State>,
    pub(crate) agent: String,
    pub(crate) query: String,
}

/// The state of that name.
pub(crate) fn state_of(name: &str) -> Option<State> {
    STATES.into_iter().find(|it| it.name() == name)
}

impl Filter {
    /// Whether it asks for everything.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn parts(&self) -> [(&'static str, &'static str, &str); 4] {
        let state = self.state.map(State::name).unwrap_or_default();
        [
            ("project", "project_id", &self.project),
            ("state", "state", state),
            ("agent", "agent_id", &self.agent),
            ("q", "query", self.query.trim()),
        ]
    }

    /// As it stands in the address: `state=active&q=…`.
    pub(crate) fn query_string(&self) -> String {
        let parts = self.parts();
        let parts = parts.iter().filter(|it| !it.2.is_empty());
        parts.map(|it| format!("{}={}", it.0, encoded(it.2))).collect::<Vec<_>>().join("&")
    }

    /// Reads what stands in the address; what it does not know is left out.
    pub(crate) fn of_query(query: &str) -> Self {
        let mut filter = Self::default();
        for (name, value) in query.split('&').filter_map(|it| it.split_once('=')) {
            let value: String = decoded(value).chars().take(QUERY_MAX).collect();
            match name {
                "project" => filter.project = value,
                "state" => filter.state = state_of(&value),
                "agent" => filter.agent = value,
                "q" => filter.query = value,
                _ => {}
            }
        }
        filter
    }

    /// The arguments of `list_conversations`.
    pub(crate) fn arguments(&self, cursor: Option<&str>) -> Value {
        let parts = self.parts();
        let parts = parts.iter().filter(|it| !it.2.is_empty());
        let mut arguments: Map<String, Value> =
            parts.map(|it| (it.1.to_owned(), it.2.into())).collect();
        if let Some(cursor) = cursor {
            arguments.insert("cursor".to_owned(), cursor.into());
        }
        Value::Object(arguments)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn filter_stands_in_the_address_and_comes_back_from_it() {
        let filter = Filter {
            project: "demo".to_owned(),
            state: Some(State::Terminating),
            agent: "worker-a".to_owned(),
            query: "しり とり&x=1".to_owned(),
        };
        assert_eq!(Filter::of_query(&filter.query_string()), filter);
        assert_eq!(Filter::default().query_string(), "");
        assert_eq!(Filter::of_query("state=dragon&x=1&q"), Filter::default());
    }

    #[test]
    fn only_what_is_asked_for_goes_to_the_tool() {
        assert_eq!(Filter::default().arguments(None), json!({}));
        let filter = Filter { state: Some(State::Active), query: " ".into(), ..Filter::default() };
        let wanted = json!({ "state": "active", "cursor": "c" });
        assert_eq!(filter.arguments(Some("c")), wanted);
    }
}
