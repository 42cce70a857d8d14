//! Tools that may be called on a caller's behalf, by an assistant or by a component.

use std::sync::Arc;

use serde_json::{Map, Value};

use base::{caller::Caller, tool_set::Owner};
use registry::{Catalog, upstream::ServerTool};
use sandbox::definition::{Audience, Shown};

/// A tool that may be called on a caller's behalf.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub name: Arc<str>,
    pub title: Option<String>,
    pub description: String,
    /// JSON Schema of its arguments, as `tools/list` has it.
    pub schema: Arc<Map<String, Value>>,
    /// Whose it is: a component, or another server.
    pub owner: Arc<str>,
    /// Whether it changes nothing. What another server says of that counts where the operator trusts it.
    pub is_read_only: bool,
    /// Whether its server has changed it since it was first seen: nothing that was trusted before holds.
    pub is_changed: bool,
    /// What it says of itself.
    pub shown: Arc<Shown>,
    /// Which view draws its output.
    pub view: Option<String>,
}

impl Offer {
    /// What `caller` may call of what `catalog` has, as far as it is `among` those that are meant.
    pub fn all(
        catalog: &Catalog,
        caller: &Caller,
        among: impl Fn(Owner<'_>, &str) -> bool,
    ) -> Vec<Self> {
        let own = catalog.offers().filter(|(owner, it)| {
            it.audience != Audience::Host
                && among(*owner, &it.name)
                && caller.may_call(*owner, &it.name, it.hints.read_only)
        });
        let own = own.map(|(owner, it)| Self {
            name: it.name.clone(),
            title: it.title.clone(),
            description: it.description.clone(),
            schema: it.input_schema.clone(),
            owner: match owner {
                Owner::Component(name) | Owner::Server(name) => name.into(),
            },
            is_read_only: it.hints.read_only,
            is_changed: false,
            shown: it.shown.by(owner).into(),
            view: it.meta.get("madoguchi/view").and_then(|it| it.as_str()).map(str::to_owned),
        });
        let served = catalog
            .served()
            .tools()
            .filter(|it| among(Owner::Server(it.server.name()), &it.name) && it.is_open_to(caller));
        own.chain(served.map(|it| Self::served(it))).collect()
    }

    fn served(it: &ServerTool) -> Self {
        let says = |it: &Value| it.as_str().map(str::to_owned);
        Self {
            name: it.name.clone(),
            title: says(&it.listed["title"]),
            description: says(&it.listed["description"]).unwrap_or_default(),
            schema: it.input_schema.clone(),
            owner: it.server.name().clone(),
            is_read_only: it.is_read_only,
            is_changed: it.is_changed,
            shown: it.shown.clone(),
            view: says(&it.listed["_meta"]["madoguchi/view"]),
        }
    }

    /// Whether a person's `trusts` have it: by its name and what it says, or by its name alone where it
    /// is a component's, which only the operator changes.
    pub fn is_trusted_in(&self, trusts: &[String]) -> bool {
        let own = self.shown.trusted_as(&self.name);
        trusts.iter().any(|it| *it == own || !self.shown.is_served() && **it == *self.name)
    }
}
