//! On what terms a build may take the place of the one before it.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    Result,
    difference::{self, Difference, Surface},
    generations::Manifest,
};
use base::grants::Grant;
use sandbox::component::{LoadError, LoadedComponent, Version};

/// On what terms a build may serve.
pub struct Terms {
    /// Whether something serves that would go on serving without it.
    pub is_swap: bool,
    /// Which version it would be.
    pub version: Arc<Version>,
    /// Whether it has passed its self-test here before.
    pub is_tested: bool,
    /// Whether it may need more than the one before: the operator said so, or it served before.
    pub may_want_more: bool,
    /// Whether it may fail the callers of the one before.
    pub may_break: bool,
    /// Whether the component has accepted its settings here before.
    pub was_configured: bool,
    /// What it would take the place of; none at a fresh start.
    pub before: Option<Before>,
}

/// What serves, or served last.
pub struct Before {
    pub generation: u64,
    pub grants: BTreeSet<Grant>,
    /// None where nothing is known of its tools any more.
    pub tools: Option<Vec<Surface>>,
}

impl Terms {
    /// What serves again as it did.
    pub fn as_before(
        version: Version,
        is_swap: bool,
        (manifest, digest): (&Manifest, &str),
    ) -> Self {
        Self {
            is_swap,
            version: Arc::new(version),
            is_tested: manifest.tested.iter().any(|it| it == digest),
            may_want_more: true,
            may_break: true,
            was_configured: manifest.is_configured,
            before: None,
        }
    }

    /// Stands against a build that wants more than the one before, before it runs at all.
    pub fn check_imports<'a>(
        &self,
        name: &str,
        imports: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        let wanted = imports.into_iter().filter_map(|it| Some((Grant::for_import(it)?, it)));
        self.check(name, wanted)
    }

    /// The same for everything that was found to be needed.
    pub fn check_needed(&self, component: &LoadedComponent) -> Result<()> {
        let wanted = component.needed().iter().map(|it| (*it, ""));
        self.check(component.name(), wanted)
    }

    fn check<'a>(&self, name: &str, wanted: impl Iterator<Item = (Grant, &'a str)>) -> Result<()> {
        let Some(before) = self.before.as_ref().filter(|_| !self.may_want_more) else {
            return Ok(());
        };
        let more = wanted.filter(|(grant, _)| !before.grants.contains(grant));
        let more = more.map(|(grant, import)| match import {
            "" => grant.to_string(),
            import => format!("{grant} ({import})"),
        });
        let more: Vec<_> = more.collect();
        if more.is_empty() {
            return Ok(());
        }
        let (component, before) = (name.to_owned(), before.generation);
        Err(LoadError::Greedier { component, before, wanted: more.join(", ") })
    }

    /// In what the tools differ; stands against a build whose differences break, if they may not.
    pub fn differences(&self, component: &LoadedComponent) -> Result<Vec<Difference>> {
        let before = self.before.as_ref().and_then(|it| Some((it.generation, it.tools.as_ref()?)));
        let Some((before, tools)) = before else { return Ok(Vec::new()) };
        let found = difference::between(tools, &Surface::all(component));
        let breaks = found.iter().filter(|it| it.is_breaking);
        let breaks: Vec<_> = breaks.map(|it| format!("{}: {}", it.tool, it.what)).collect();
        if breaks.is_empty() || self.may_break {
            return Ok(found);
        }
        let component = component.name().to_string();
        Err(LoadError::Breaking { component, before, breaks: breaks.join("; ") })
    }
}
