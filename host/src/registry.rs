//! Which tools are on offer, and the components behind them.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::watch;

use crate::{
    caller::{Caller, Owner},
    component::LoadedComponent,
    definition::Tool,
};

/// Everything on offer at one moment. Never changes: a swap makes a new one.
#[derive(Clone, Default)]
pub struct Catalog {
    /// Counts the swaps since the start.
    generation: u64,
    components: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    tools: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
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

    /// The same with whose they are.
    pub(crate) fn offers(&self) -> impl Iterator<Item = (Owner<'_>, &Tool)> {
        self.components.values().flat_map(|component| {
            component.tools().iter().map(|it| (Owner::Component(component.name()), it))
        })
    }

    /// Up to three tools whose names share most letters with `name`, of those that `caller` sees.
    pub(crate) fn similar(&self, name: &str, caller: &Caller) -> Vec<String> {
        let likeness = |it: &str| {
            let pairs = it.as_bytes().windows(2);
            pairs.filter(|pair| name.as_bytes().windows(2).any(|it| it == *pair)).count()
        };
        let seen = self.offers().filter(|(owner, it)| caller.may_call(*owner, it));
        let mut names: Vec<_> = seen.map(|(_, it)| (likeness(&it.name), &it.name)).collect();
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
        Ok(next)
    }

    fn without(&self, name: &str) -> Self {
        let mut next = self.clone();
        next.generation += 1;
        next.components.remove(name);
        next.tools.retain(|_, owner| &**owner.name() != name);
        next
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
