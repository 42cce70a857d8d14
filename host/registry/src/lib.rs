//! The catalog: tools, prompts and resources on offer, and their components.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::watch;

use base::{caller::Caller, toolsets::Owner};
use sandbox::{
    component::{LoadError, LoadedComponent, NameClash},
    definition::{Shown, Template, Tool},
};

pub mod canary;
pub mod control;
pub mod difference;
pub mod library;
pub mod loader;
pub mod reload;
pub mod revisions;
pub mod upstream;

use canary::Canary;
use store::database::postgres::rollout::Failing;
use upstream::Served;

/// Result of loading.
type Result<T, E = LoadError> = std::result::Result<T, E>;

/// Maximum length of a compared tool name, in bytes.
const NAME_BYTES_MAX: usize = 128;

/// Everything on offer at one moment. Never changes: a swap makes a new one.
#[derive(Clone, Default)]
pub struct Catalog {
    /// Counts the swaps since the start.
    generation: u64,
    components: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    /// Builds that answer some of the calls of the component of their name.
    canaries: BTreeMap<Arc<str>, Arc<Canary>>,
    tools: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    prompts: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    /// Resources listed when their component was loaded, by URI.
    resources: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    changed: Changed,
    /// Whether the first load still goes on, so that there is more to come.
    is_loading: bool,
    /// Offers of upstream servers.
    pub served: Served,
}

/// Change counts of each list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    pub tools: u64,
    pub prompts: u64,
    pub resources: u64,
}

impl Changed {
    /// Records which lists changed with this generation.
    fn note(&mut self, generation: u64, [tools, prompts, resources]: [bool; 3]) {
        self.tools = if tools { generation } else { self.tools };
        self.prompts = if prompts { generation } else { self.prompts };
        self.resources = if resources { generation } else { self.resources };
    }
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

    /// The build that answers some of the calls of the component named `name`.
    pub fn canary(&self, name: &str) -> Option<&Arc<Canary>> {
        self.canaries.get(name)
    }

    /// The components, by name.
    pub fn components(&self) -> impl Iterator<Item = &Arc<LoadedComponent>> {
        self.components.values()
    }

    /// The tools: components by name, each component's tools in its own order (SYS-7).
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.components.values().flat_map(|it| it.tools())
    }

    /// Tools on offer with owners: components not replaced by a server, then servers.
    pub fn offers(&self) -> impl Iterator<Item = (Owner<'_>, &Tool)> {
        let own = self.components.values().flat_map(|component| {
            component.tools().iter().map(|it| (Owner::Component(component.name()), it))
        });
        let own = own.filter(|(_, it)| self.served.tool(&it.name).is_none());
        own.chain(self.served.tools().map(|it| it.offer()))
    }

    /// The offered tool of that name with its owner.
    pub fn offered_tool(&self, tool: &str) -> Option<(Owner<'_>, &Tool)> {
        if let Some(served) = self.served.tool(tool) {
            return Some(served.offer());
        }
        let component = self.component_for(tool)?;
        let own = component.tools().iter().find(|it| *it.name == *tool)?;
        Some((Owner::Component(component.name()), own))
    }

    /// Whether `caller`'s toolset has the tool.
    pub fn knows_of(&self, caller: &Caller, tool: &str) -> bool {
        caller.toolset.is_none()
            || self
                .offered_tool(tool)
                .is_some_and(|(owner, it)| caller.knows_of(owner, &it.name, it.hints))
    }

    /// Whether `caller`'s toolset shows prompts and resources of `owner`: if it has one of its tools or all of them.
    pub fn shows(&self, caller: &Caller, owner: Owner<'_>) -> bool {
        let Some(toolset) = &caller.toolset else { return true };
        let mut own = self.offers().filter(|(its, _)| *its == owner).peekable();
        match own.peek() {
            None => toolset.has_all_of(owner),
            Some(_) => own.any(|(_, it)| toolset.has(owner, &it.name, it.hints)),
        }
    }

    /// Whether `caller` may see and use the prompts, resources and look-ups of `owner`.
    pub fn may_use(&self, caller: &Caller, owner: Owner<'_>) -> bool {
        caller.may_use(owner) && self.shows(caller, owner)
    }

    /// The names of all tools on offer, whosever they are.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.offers().map(|(_, it)| &*it.name)
    }

    /// Digests of a tool's current definition, with its owner.
    pub fn shown(&self, tool: &str) -> Option<Shown> {
        self.offered_tool(tool).map(|(owner, it)| it.shown.with_owner(owner))
    }

    /// The component that offers the prompt.
    pub fn component_for_prompt(&self, name: &str) -> Option<&Arc<LoadedComponent>> {
        self.prompts.get(name)
    }

    /// The component for `uri`: the one that listed it, else the first by name with a matching template.
    pub fn component_for_resource(&self, uri: &str) -> Option<&Arc<LoadedComponent>> {
        self.resources.get(uri).or_else(|| {
            let fits = |it: &Template| it.uri_template.matches(uri);
            self.components.values().find(|it| it.offers().templates.iter().any(fits))
        })
    }

    /// The component with exactly this template.
    pub fn component_for_template(&self, text: &str) -> Option<&Arc<LoadedComponent>> {
        let is_it = |it: &Template| it.uri_template.text() == text;
        self.components.values().find(|it| it.offers().templates.iter().any(is_it))
    }

    /// Change counts.
    pub fn changed(&self) -> Changed {
        self.changed
    }

    /// Up to three tools visible to `caller` with similar names. Empty for overlong names.
    pub fn similar(&self, name: &str, caller: &Caller) -> Vec<String> {
        if name.len() > NAME_BYTES_MAX {
            return Vec::new();
        }
        let likeness = |other: &str| {
            let pairs = other.as_bytes().windows(2);
            pairs.filter(|pair| name.as_bytes().windows(2).any(|it| it == *pair)).count()
        };
        let open = self.offers().filter(|(owner, it)| caller.may_call(*owner, &it.name, it.hints));
        let mut names: Vec<_> = open.map(|(_, it)| (likeness(&it.name), &it.name)).collect();
        names.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        names.iter().take(3).filter(|it| it.0 > 0).map(|it| it.1.to_string()).collect()
    }

    /// This catalog with `newcomer` in place of the component of the same name.
    fn with(&self, newcomer: &Arc<LoadedComponent>) -> Result<Self, NameClash> {
        let (mut next, offers) = (self.without(newcomer.name()), newcomer.offers());
        let tools = newcomer.tools().iter().map(|it| &it.name);
        claim("tool", &mut next.tools, tools, newcomer)?;
        claim("prompt", &mut next.prompts, offers.prompts.iter().map(|it| &it.name), newcomer)?;
        let resources = offers.resources.iter().map(|it| &it.uri);
        claim("resource", &mut next.resources, resources, newcomer)?;
        for text in offers.templates.iter().map(|it| it.uri_template.text()) {
            if let Some(served) = next.component_for_template(text) {
                let (what, incumbent) = ("resource template", served.name().clone());
                return Err(NameClash { what, name: text.into(), incumbent, how: "" });
            }
        }
        next.note(newcomer);
        next.components.insert(newcomer.name().clone(), newcomer.clone());
        next.settle();
        Ok(next)
    }

    fn without(&self, name: &str) -> Self {
        let mut next = self.clone();
        next.generation += 1;
        if let Some(gone) = next.components.remove(name) {
            next.note(&gone);
        }
        // Its canary ran beside the replaced version.
        next.canaries.remove(name);
        let stays = |owner: &Arc<LoadedComponent>| &**owner.name() != name;
        next.tools.retain(|_, owner| stays(owner));
        next.prompts.retain(|_, owner| stays(owner));
        next.resources.retain(|_, owner| stays(owner));
        next.settle();
        next
    }

    fn note(&mut self, component: &LoadedComponent) {
        let prompts = !component.offers().prompts.is_empty();
        self.changed.note(self.generation, [true, prompts, component.exports.resources.is_some()]);
    }
}

/// Claims `names` for the newcomer, or names the conflict.
fn claim<'a>(
    what: &'static str,
    owners: &mut BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    names: impl Iterator<Item = &'a Arc<str>>,
    newcomer: &Arc<LoadedComponent>,
) -> Result<(), NameClash> {
    for name in names {
        if let Some(earlier) = owners.insert(name.clone(), newcomer.clone()) {
            let is_lifted = newcomer.is_lifted() || earlier.is_lifted();
            let how = if is_lifted { "by a prefix under [components.NAME], " } else { "" };
            let (name, incumbent) = (name.clone(), earlier.name().clone());
            return Err(NameClash { what, name, incumbent, how });
        }
    }
    Ok(())
}

/// The current catalog, and a notification when it changes.
#[derive(Clone, Default)]
pub struct Registry {
    current: watch::Sender<Arc<Catalog>>,
    nodes: Arc<Mutex<Nodes>>,
}

/// State of the nodes on one database.
#[derive(Default)]
struct Nodes {
    out_of_rotation: Option<String>,
    failing: Vec<Failing>,
}

impl Registry {
    /// The current catalog. Calls made through it survive swaps.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.current.borrow().clone()
    }

    /// Why this node should be sent no calls, where it does not serve what the other nodes on its database do (STO-32);
    /// without a folder or a secret.
    pub fn out_of_rotation(&self) -> Option<String> {
        self.nodes.lock().out_of_rotation.clone()
    }

    pub(crate) fn set_out_of_rotation(&self, why: Option<String>) {
        let before = std::mem::replace(&mut self.nodes.lock().out_of_rotation, why.clone());
        match (before, why) {
            (before, Some(why)) if before.as_ref() != Some(&why) => {
                tracing::warn!("out of rotation: {why}");
            }
            (Some(_), None) => tracing::info!("in rotation again"),
            _ => {}
        }
    }

    /// Components that other nodes fail to serve.
    pub fn failing_nodes(&self) -> Vec<Failing> {
        self.nodes.lock().failing.clone()
    }

    pub(crate) fn set_failing_nodes(&self, failing: Vec<Failing>) {
        self.nodes.lock().failing = failing;
    }

    /// Notifies of swaps, for `tools/list_changed`.
    pub fn changes(&self) -> watch::Receiver<Arc<Catalog>> {
        self.current.subscribe()
    }

    /// Marks the initial load as running or finished.
    pub fn set_loading(&self, is_loading: bool) {
        self.current.send_modify(|it| Arc::make_mut(it).is_loading = is_loading);
    }

    /// Waits until the first load is over.
    pub async fn loaded(&self) {
        // The sender is kept here, so the channel stays open.
        let _ = self.current.subscribe().wait_for(|it| !it.is_loading).await;
    }

    /// Whether `newcomer` could be put in place now.
    pub fn check(&self, newcomer: &Arc<LoadedComponent>) -> Result<(), NameClash> {
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

    /// Puts `component`, which has only other settings, in place without notifying.
    pub fn refresh(&self, component: &Arc<LoadedComponent>) {
        self.current.send_if_modified(|current| {
            if let Ok(mut next) = current.with(component) {
                (next.generation, next.changed) = (current.generation, current.changed);
                *current = Arc::new(next);
            }
            false
        });
    }

    /// Lets `canary` answer its share of the calls of the component of its name. What is on offer stays the same, so
    /// no change is published.
    pub fn begin_canary(&self, canary: Arc<Canary>) {
        let name = canary.component.name().clone();
        self.current.send_if_modified(|current| {
            if current.components.contains_key(&name) {
                Arc::make_mut(current).canaries.insert(name, canary);
            }
            false
        });
    }

    /// Takes the canary of the component named `name` away; calls that run on it finish there.
    pub fn end_canary(&self, name: &str) {
        self.current.send_if_modified(|current| {
            if current.canaries.contains_key(name) {
                Arc::make_mut(current).canaries.remove(name);
            }
            false
        });
    }

    /// Takes the component named `name` off the counter.
    pub fn remove(&self, name: &str) {
        self.current.send_if_modified(|current| {
            let exists = current.components.contains_key(name);
            if exists {
                *current = Arc::new(current.without(name));
            }
            exists
        });
    }
}
