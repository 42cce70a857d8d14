//! How Claude last answered, for health: nothing is asked for its sake (NAV-15).

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::assistant::{Models, Provider};

/// The models as they are configured, and whether the last answer of Claude's was none.
#[derive(Clone)]
pub(crate) struct Heard {
    pub(super) models: Arc<Models>,
    /// From where the models' files count.
    pub(super) base: Arc<Path>,
    has_failed: Arc<AtomicBool>,
}

impl Heard {
    pub(super) fn new(models: &Models, base: &Path) -> Self {
        let (models, base) = (Arc::new(models.clone()), base.into());
        Self { models, base, has_failed: Arc::default() }
    }

    /// Keeps in mind how it answered.
    pub(super) fn note(&self, has_failed: bool) {
        self.has_failed.store(has_failed, Ordering::Relaxed);
    }

    /// In the specification's words; as if it worked, before it was ever asked.
    pub(in crate::api) fn word(&self) -> &'static str {
        match self.models.claude.is_ready(Provider::Claude, &self.base) {
            false => "not_configured",
            true if self.has_failed.load(Ordering::Relaxed) => "error",
            true => "connected",
        }
    }
}
