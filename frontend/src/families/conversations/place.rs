//! Where among the conversations and agents the reader is.

use super::filter::Filter;
use crate::route::{Address, Spot};

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

impl Spot for At {
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

impl Spot for Agents {
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
            Some(it) => Address::new(&["agents", &it.project, &it.agent], String::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::Route;

    #[test]
    fn an_address_leads_back_to_itself() {
        crate::families::register();
        let filter = Filter { query: "り ん".to_owned(), ..Filter::default() };
        for at in [At::List(Filter::default()), At::List(filter), At::Conversation("c_0".into())] {
            assert_eq!(At::of(&Route::parse(&at.hash())), Some(at));
        }
        let seat = Seat { project: "demo".to_owned(), agent: "a/b".to_owned() };
        for agents in [Agents(None), Agents(Some(seat))] {
            assert_eq!(Agents::of(&Route::parse(&agents.hash())), Some(agents));
        }
        assert_eq!(Agents::of(&Route::parse("#/agents/demo")), Some(Agents(None)));
    }
}
