//! Routes of conversations: the filtered list, one conversation, and the agents.

use output::conversations::State;
use serde_json::{Map, Value};

use crate::route::{Address, FamilyRoute, decoded, encoded};

/// `#/conversations?project=…&state=…&agent=…&q=…` and `#/conversations/ID`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    List(Filter),
    Conversation(String),
}

/// `#/agents`, and `#/agents/PROJECT/AGENT`: the reader's chat with an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Agents(pub(crate) Option<Seat>);

/// An agent's seat in a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seat {
    pub(crate) project: String,
    pub(crate) agent: String,
}

impl FamilyRoute for At {
    fn read(path: &[&str], query: &str) -> Option<Self> {
        match path {
            ["conversations"] => Some(Self::List(Filter::of_query(query))),
            ["conversations", id, ..] => Some(Self::Conversation((*id).to_owned())),
            _ => None,
        }
    }

    fn address(&self) -> Address {
        match self {
            Self::List(filter) => Address::new(&["conversations"], filter.query_string()),
            Self::Conversation(id) => Address::new(&["conversations", id], String::new()),
        }
    }
}

impl FamilyRoute for Agents {
    fn read(path: &[&str], _: &str) -> Option<Self> {
        match path {
            ["agents", project, agent, ..] => {
                let seat = Seat { project: (*project).to_owned(), agent: (*agent).to_owned() };
                Some(Self(Some(seat)))
            }
            ["agents", ..] => Some(Self(None)),
            _ => None,
        }
    }

    fn address(&self) -> Address {
        match &self.0 {
            None => Address::new(&["agents"], String::new()),
            Some(seat) => Address::new(&["agents", &seat.project, &seat.agent], String::new()),
        }
    }
}

/// The states in the order of a conversation's life.
pub(crate) const STATES: [State; 5] =
    [State::Pending, State::Active, State::Terminating, State::Ended, State::Expired];
/// Maximum number of characters of a query.
pub(crate) const QUERY_MAX: usize = 200;

/// Filter of the list; the default matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) project: String,
    pub(crate) state: Option<State>,
    pub(crate) agent: String,
    pub(crate) query: String,
}

/// Parses the name of a state.
pub(crate) fn state_of(name: &str) -> Option<State> {
    STATES.into_iter().find(|it| it.name() == name)
}

impl Filter {
    /// Whether it matches everything.
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

    /// Formats it for the address: `state=active&q=…`.
    fn query_string(&self) -> String {
        let parts = self.parts();
        let parts = parts.iter().filter(|it| !it.2.is_empty());
        parts.map(|it| format!("{}={}", it.0, encoded(it.2))).collect::<Vec<_>>().join("&")
    }

    /// Parses the query of an address; unknown parts are ignored.
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
    use crate::route::Route;

    #[test]
    fn address_round_trips() {
        crate::families::register();
        let filter = Filter { query: "り ん".to_owned(), ..Filter::default() };
        for at in [At::List(Filter::default()), At::List(filter), At::Conversation("c_0".into())] {
            assert_eq!(At::from_route(&Route::parse(&at.hash())), Some(at));
        }
        let seat = Seat { project: "demo".to_owned(), agent: "a/b".to_owned() };
        for agents in [Agents(None), Agents(Some(seat))] {
            assert_eq!(Agents::from_route(&Route::parse(&agents.hash())), Some(agents));
        }
        assert_eq!(Agents::from_route(&Route::parse("#/agents/demo")), Some(Agents(None)));
    }

    #[test]
    fn filter_round_trips_through_address() {
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
    fn sends_only_set_filters_to_tool() {
        assert_eq!(Filter::default().arguments(None), json!({}));
        let filter = Filter { state: Some(State::Active), query: " ".into(), ..Filter::default() };
        let wanted = json!({ "state": "active", "cursor": "c" });
        assert_eq!(filter.arguments(Some("c")), wanted);
    }
}
