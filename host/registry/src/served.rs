//! The servers' part of the catalog: which of their tools, prompts and resources are on offer, and
//! who is asked for which.

use std::{collections::BTreeMap, sync::Arc};

use super::{Catalog, Registry};
use crate::upstream::{Counter, Offer, ServerPrompt, ServerTool, Upstream};

/// What other servers offer.
#[derive(Clone, Default)]
pub struct Served {
    /// By the server's name.
    offers: BTreeMap<Arc<str>, Arc<Offer>>,
    /// What they offered that are gone.
    away: BTreeMap<Arc<str>, Arc<Offer>>,
    /// The tools, by the name under which they are called.
    tools: BTreeMap<Arc<str>, Arc<ServerTool>>,
}

impl Served {
    /// The tools: servers by name, each server's tools in its own order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<ServerTool>> {
        let all = self.offers.values().flat_map(|it| &it.tools);
        all.filter(|it| self.tool(&it.name).is_some_and(|other| Arc::ptr_eq(it, other)))
    }

    /// The tool that is called by that name.
    pub fn tool(&self, name: &str) -> Option<&Arc<ServerTool>> {
        self.tools.get(name)
    }

    /// The same of a server that is gone.
    pub fn away(&self, tool: &str) -> Option<&Arc<ServerTool>> {
        self.away.values().flat_map(|it| &it.tools).find(|it| &*it.name == tool)
    }

    /// The server of a prompt of that name, or of a resource or template that it lists, where it is
    /// gone.
    pub fn away_with(&self, name: &str) -> Option<&Arc<dyn Upstream>> {
        let has = |it: &&Arc<Offer>| it.prompt(name).is_some() || it.has(name) || it.fits(name);
        self.away.values().find(has).map(|it| &it.server)
    }

    /// What each server offers, by the server's name.
    pub fn offers(&self) -> impl Iterator<Item = &Arc<Offer>> {
        self.offers.values()
    }
}

impl Catalog {
    /// Settles which server is called by which name: a component wins over a server that does not
    /// replace it, and of two servers the first by name.
    pub(super) fn settle(&mut self) {
        self.served.tools.clear();
        for tool in self.served.offers.values().flat_map(|it| &it.tools) {
            if tool.replaces || !self.tools.contains_key(&tool.name) {
                self.served.tools.entry(tool.name.clone()).or_insert_with(|| tool.clone());
            }
        }
    }

    /// The server's prompt of that name, where no component has one of it.
    pub fn served_prompt(&self, name: &str) -> Option<(&Arc<dyn Upstream>, &Arc<ServerPrompt>)> {
        if self.prompts.contains_key(name) {
            return None;
        }
        self.served.offers().find_map(|it| Some((&it.server, it.prompt(name)?)))
    }

    /// The server that is to be asked for what is at `uri`, where no component is: the first that
    /// lists it, or else the first one of whose templates it fits.
    pub fn server_for_resource(&self, uri: &str) -> Option<&Arc<dyn Upstream>> {
        if self.component_for_resource(uri).is_some() {
            return None;
        }
        let listed = self.served.offers().find(|it| it.has(uri));
        listed.or_else(|| self.served.offers().find(|it| it.fits(uri))).map(|it| &it.server)
    }

    /// The first server with the template that reads exactly so, where no component has it.
    pub fn server_for_template(&self, text: &str) -> Option<&Arc<dyn Upstream>> {
        if self.component_for_template(text).is_some() {
            return None;
        }
        self.served.offers().find(|it| it.has_template(text)).map(|it| &it.server)
    }

    /// Notes which lists an offer that comes or goes stands on.
    fn note_offer(&mut self, offer: &Offer) {
        let generation = self.generation;
        if !offer.tools.is_empty() {
            self.changed.tools = generation;
        }
        if !offer.prompts.is_empty() {
            self.changed.prompts = generation;
        }
        if !offer.resources.is_empty() || !offer.templates.is_empty() {
            self.changed.resources = generation;
        }
    }
}

impl Counter for Registry {
    fn offered(&self, server: &str) -> Option<String> {
        self.catalog().served.offers.get(server).map(|it| it.digest.clone())
    }

    fn offer(&self, offer: Offer) -> Vec<Arc<str>> {
        let (server, offer) = (offer.server.name().clone(), Arc::new(offer));
        self.current.send_modify(|current| {
            let mut next = Catalog::clone(current);
            next.generation += 1;
            next.served.away.remove(&server);
            if let Some(before) = next.served.offers.insert(server.clone(), offer.clone()) {
                next.note_offer(&before);
            }
            next.note_offer(&offer);
            next.settle();
            *current = Arc::new(next);
        });
        let catalog = self.catalog();
        let is_hidden = |it: &&Arc<ServerTool>| {
            !catalog.served.tool(&it.name).is_some_and(|other| Arc::ptr_eq(it, other))
        };
        offer.tools.iter().filter(is_hidden).map(|it| it.name.clone()).collect()
    }

    fn withdraw(&self, server: &str) {
        self.current.send_if_modified(|current| {
            let Some(offer) = current.served.offers.get(server).cloned() else { return false };
            let mut next = Catalog::clone(current);
            next.generation += 1;
            next.served.offers.remove(server);
            next.note_offer(&offer);
            next.served.away.insert(server.into(), offer);
            next.settle();
            *current = Arc::new(next);
            true
        });
    }
}

impl Offer {
    fn prompt(&self, name: &str) -> Option<&Arc<ServerPrompt>> {
        self.prompts.iter().find(|it| it.name == name)
    }

    fn has(&self, uri: &str) -> bool {
        self.resources.iter().any(|it| it.uri == uri)
    }

    fn has_template(&self, text: &str) -> bool {
        self.templates.iter().any(|it| it.text == text)
    }

    /// Whether one of its templates fits; one that we cannot read fits nothing.
    fn fits(&self, uri: &str) -> bool {
        let mut templates = self.templates.iter().filter_map(|it| it.uri.as_ref());
        templates.any(|it| it.matches(uri))
    }
}
