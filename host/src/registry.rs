//! Which tools are on offer, and the components behind them.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::watch;

use crate::{
    caller::Owner,
    component::LoadedComponent,
    definition::Tool,
    servers::{Offer, ServerTool},
};

/// Everything on offer at one moment. Never changes: a swap makes a new one.
#[derive(Clone, Default)]
pub struct Catalog {
    /// Counts the swaps since the start.
    generation: u64,
    components: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    tools: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    /// What other servers offer, by the server's name.
    offers: BTreeMap<Arc<str>, Arc<Offer>>,
    /// What they offered that are gone.
    away: BTreeMap<Arc<str>, Arc<Offer>>,
    /// The tools of servers, by the name under which they are called.
    served: BTreeMap<Arc<str>, Arc<ServerTool>>,
}

/// Two components offer one tool.
#[derive(Debug, thiserror::Error)]
#[error(
    "it offers the tool {tool}, which component {incumbent} offers already; rename one, or take one of the two out of the component folder"
)]
pub struct NameClash {
    /// The name.
    pub tool: Arc<str>,
    /// Who offered it first.
    pub incumbent: Arc<str>,
}

impl Catalog {
    /// Counts the swaps since the start.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The component that offers `tool`.
    pub fn component_for(&self, tool: &str) -> Option<&Arc<LoadedComponent>> {
        self.tools.get(tool)
    }

    /// The component named `name`.
    pub fn component(&self, name: &str) -> Option<&Arc<LoadedComponent>> {
        self.components.get(name)
    }

    /// The components, by name.
    pub fn components(&self) -> impl Iterator<Item = &Arc<LoadedComponent>> {
        self.components.values()
    }

    /// The tools: components by name, each component's tools in its own order (SYS-7).
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.components.values().flat_map(|it| it.tools())
    }

    /// The same with whose they are, without those that a server replaces.
    pub(crate) fn offers(&self) -> impl Iterator<Item = (Owner<'_>, &Tool)> {
        let each = self.components.values().flat_map(|component| {
            component.tools().iter().map(|it| (Owner::Component(component.name()), it))
        });
        each.filter(|(_, it)| self.served(&it.name).is_none())
    }

    /// The tools of other servers: servers by name, each server's tools in its own order.
    pub(crate) fn served_tools(&self) -> impl Iterator<Item = &Arc<ServerTool>> {
        let all = self.offers.values().flat_map(|it| &it.tools);
        all.filter(|it| self.served(&it.name).is_some_and(|other| Arc::ptr_eq(it, other)))
    }

    /// The tool of a server that is called by that name.
    pub(crate) fn served(&self, tool: &str) -> Option<&Arc<ServerTool>> {
        // Where there are no servers, and that is the rule, this looks nothing up.
        self.served.get(tool)
    }

    /// The same of a server that is gone.
    pub(crate) fn away(&self, tool: &str) -> Option<&Arc<ServerTool>> {
        self.away.values().flat_map(|it| &it.tools).find(|it| &*it.name == tool)
    }

    /// What the server of that name offers.
    pub(crate) fn offer(&self, server: &str) -> Option<&Arc<Offer>> {
        self.offers.get(server)
    }

    /// The servers' part of the counter, by the server's name.
    pub(crate) fn served_offers(&self) -> impl Iterator<Item = &Arc<Offer>> {
        self.offers.values()
    }

    /// The names of all tools on offer, whosever they are.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.offers().map(|(_, it)| &*it.name);
        own.chain(self.served_tools().map(|it| &*it.name))
    }

    /// Up to three tools whose names share most letters with `name`.
    pub(crate) fn similar(&self, name: &str) -> Vec<String> {
        let likeness = |it: &str| {
            let pairs = it.as_bytes().windows(2);
            pairs.filter(|pair| name.as_bytes().windows(2).any(|it| it == *pair)).count()
        };
        let all = self.tools.keys().chain(self.served.keys());
        let mut names: Vec<_> = all.map(|it| (likeness(it), it)).collect();
        names.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        names.iter().take(3).filter(|it| it.0 > 0).map(|it| it.1.to_string()).collect()
    }

    /// This catalog with `newcomer` in place of the component of the same name.
    fn with(&self, newcomer: &Arc<LoadedComponent>) -> Result<Self, NameClash> {
        let mut next = self.without(newcomer.name());
        for tool in newcomer.tools() {
            if let Some(incumbent) = next.tools.insert(tool.name.clone(), newcomer.clone()) {
                return Err(NameClash {
                    tool: tool.name.clone(),
                    incumbent: incumbent.name().clone(),
                });
            }
        }
        next.components.insert(newcomer.name().clone(), newcomer.clone());
        next.serve();
        Ok(next)
    }

    fn without(&self, name: &str) -> Self {
        let mut next = self.clone();
        next.generation += 1;
        next.components.remove(name);
        next.tools.retain(|_, owner| &**owner.name() != name);
        next.serve();
        next
    }

    /// Settles which server is called by which name: a component wins over a server that does not
    /// replace it, and of two servers the first by name.
    fn serve(&mut self) {
        self.served.clear();
        for tool in self.offers.values().flat_map(|it| &it.tools) {
            if tool.replaces || !self.tools.contains_key(&tool.name) {
                self.served.entry(tool.name.clone()).or_insert_with(|| tool.clone());
            }
        }
    }
}

/// The current catalog, and a bell that rings when it changes.
#[derive(Clone, Default)]
pub struct Registry {
    current: watch::Sender<Arc<Catalog>>,
}

impl Registry {
    /// The catalog as it is now; the calls made through it outlive any swap.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.current.borrow().clone()
    }

    /// Rings on every swap; `tools/list_changed` hangs on it.
    pub fn changes(&self) -> watch::Receiver<Arc<Catalog>> {
        self.current.subscribe()
    }

    /// Whether `newcomer` could be put in place now.
    pub(crate) fn check(&self, newcomer: &Arc<LoadedComponent>) -> Result<(), NameClash> {
        self.catalog().with(newcomer).map(|_| ())
    }

    /// Puts `component` in place, whole or not at all.
    pub fn install(&self, component: &Arc<LoadedComponent>) -> Result<(), NameClash> {
        let mut result = Ok(());
        self.current.send_if_modified(|current| match current.with(component) {
            Ok(next) => {
                *current = Arc::new(next);
                true
            }
            Err(clash) => {
                result = Err(clash);
                false
            }
        });
        result
    }

    /// Puts `component`, which has only other settings, in place without ringing the bell.
    pub(crate) fn refresh(&self, component: &Arc<LoadedComponent>) {
        self.current.send_if_modified(|current| {
            if let Ok(mut next) = current.with(component) {
                next.generation = current.generation;
                *current = Arc::new(next);
            }
            false
        });
    }

    /// Puts what a server offers in place; the names that others have already.
    pub(crate) fn offer(&self, offer: Offer) -> Vec<Arc<str>> {
        let (server, offer) = (offer.server.name.clone(), Arc::new(offer));
        self.current.send_modify(|current| {
            let mut next = Catalog::clone(current);
            next.generation += 1;
            next.away.remove(&server);
            next.offers.insert(server.clone(), offer.clone());
            next.serve();
            *current = Arc::new(next);
        });
        let catalog = self.catalog();
        let is_hidden = |it: &&Arc<ServerTool>| {
            !catalog.served(&it.name).is_some_and(|other| Arc::ptr_eq(it, other))
        };
        offer.tools.iter().filter(is_hidden).map(|it| it.name.clone()).collect()
    }

    /// Takes what a server offered off the counter, and keeps it in mind.
    pub(crate) fn withdraw(&self, server: &str) {
        self.current.send_if_modified(|current| {
            let Some(offer) = current.offers.get(server).cloned() else { return false };
            let mut next = Catalog::clone(current);
            next.generation += 1;
            next.offers.remove(server);
            next.away.insert(server.into(), offer);
            next.serve();
            *current = Arc::new(next);
            true
        });
    }

    /// Takes the component named `name` off the counter.
    pub(crate) fn remove(&self, name: &str) {
        self.current.send_if_modified(|current| {
            let known = current.components.contains_key(name);
            if known {
                *current = Arc::new(current.without(name));
            }
            known
        });
    }
}
