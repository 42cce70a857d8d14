//! Starts, ends and resumes canaries.

use std::sync::Arc;

use super::{Reloader, commands::refused};
use crate::{
    Result as Loading,
    canary::{Canary, CanaryShare},
    control::{ControlError, Result},
    loader::Terms,
    revisions::timestamp,
};
use base::{config::Reason, source::Source};
use sandbox::component::{LoadError, LoadedComponent, Version};

impl Reloader {
    /// Starts a canary of the waiting build, with the grants it asks for.
    ///
    /// The build passes all checks of a serving one, and its migrations are applied, because they only add.
    pub(super) async fn begin_canary(
        &mut self,
        name: &str,
        digest: Option<&str>,
        share: CanaryShare,
    ) -> Result<()> {
        share.check().map_err(ControlError::Share)?;
        let pending = self.pending(name, digest)?;
        let serving = self.control.registry.catalog().component(name).cloned();
        let serving = serving.ok_or_else(|| ControlError::NothingServes(name.to_owned()))?;
        let source = self.source(name, &pending.digest, &pending.origin).await;
        let Some(source) = source.map_err(|it| refused(name, it))? else {
            self.control.revision_store.change(name, |it| it.pending = None).await;
            return Err(ControlError::NothingPending(name.to_owned()));
        };
        let component = self.load_canary(name, &source).await.map_err(|it| refused(name, it))?;
        let limits = self.loader.config.swap.canary.clone();
        let tallies = self.loader.metrics.begin_canary(name);
        let gives_way = Arc::new(self.control.clone());
        let canary = Canary::new(
            (&serving, component),
            (share.clone(), limits),
            timestamp(),
            tallies,
            gives_way,
        );
        let has_ended = pending.ended.is_some();
        let text = share.to_string();
        let begun = |manifest: &mut crate::revisions::Manifest| {
            if let Some(pending) = &mut manifest.pending {
                pending.canary = Some(share);
                (pending.ended, pending.ended_reason) = (None, None);
            }
        };
        self.control.revision_store.change(name, begun).await;
        self.control.registry.begin_canary(Arc::new(canary));
        if has_ended {
            self.control.errors.lock().remove(name);
        }
        tracing::info!(
            component = name,
            digest = &pending.digest[..12],
            "canary: it answers {text}"
        );
        Ok(())
    }

    /// The build, ready to be called, with what its own section asks for: the build alone is given that.
    async fn load_canary(&self, name: &str, source: &Source) -> Loading<Arc<LoadedComponent>> {
        let mut loader = self.loader.clone();
        // Configured grants need no section, valid or not.
        if let Ok(Some(text)) = self.section(name, source) {
            let config = loader.config.accepting(name, &text).map_err(LoadError::Unusable)?;
            loader.config = Arc::new(config);
        }
        let manifest = self.control.revision_store.manifest(name);
        // Watched by other rules than a serving version.
        let version = Version::settled(manifest.next_number());
        let terms = Terms::as_before(version, true, (&manifest, &source.digest));
        Ok(loader.load(name, source, terms).await?.component)
    }

    /// Lets the canary answer no calls any more; its build waits on.
    pub(super) async fn stop_canary(&mut self, name: &str, digest: Option<&str>) -> Result<()> {
        let pending = self.pending(name, digest)?;
        if pending.canary.is_none() {
            return Err(ControlError::NoCanary(name.to_owned()));
        }
        let why = Reason::new("stopped", &[&name], "the operator stopped it".to_owned());
        self.end_canary(name, &pending.digest, why).await;
        tracing::info!(component = name, digest = &pending.digest[..12], "canary: stopped");
        Ok(())
    }

    async fn end_canary(&self, name: &str, digest: &str, why: Reason) {
        self.control.registry.end_canary(name);
        self.control.revision_store.change(name, |it| it.end_canary(digest, why)).await;
    }

    /// Removes canaries that were withdrawn, are no longer waiting, or lost their serving version. Starts those begun
    /// on other nodes.
    pub(super) async fn settle_canaries(&mut self) {
        if self.may_change() {
            return self.settle_all_canaries().await;
        }
        let (mut is_settled, mut failed) = (true, Vec::new());
        for name in self.control.revision_store.names() {
            let pending = self.control.revision_store.manifest(&name).pending;
            let canary = self.control.registry.catalog().canary(&name).cloned();
            is_settled &= match (pending.and_then(|it| Some((it.canary?, it.digest))), canary) {
                (None, None) => true,
                (None, Some(_)) => {
                    self.control.registry.end_canary(&name);
                    true
                }
                (Some((_, digest)), Some(it)) if **it.component.digest() == *digest => {
                    it.withdrawal_reason().is_none()
                }
                (Some((share, digest)), _) => {
                    let begun = self.begin_canary(&name, Some(&digest), share).await;
                    begun.map_err(|it| failed.push((name, digest, it))).is_ok()
                }
            };
        }
        if !is_settled && self.take_turn().await.is_ok() {
            for (name, digest, error) in failed {
                let text = format!("it could not begin on every node: {error}");
                let why = Reason::new("not_begun", &[&error], text);
                self.end_canary(&name, &digest, why).await;
                tracing::error!(component = name, digest = &digest[..12], "canary: ended: {error}");
            }
            self.settle_all_canaries().await;
            self.end_turn().await;
        }
    }

    /// Remembers which canaries another node has begun that do not answer here yet.
    pub(super) fn note_canaries_begun_elsewhere(&mut self) {
        let catalog = self.control.registry.catalog();
        let begun_elsewhere = self.control.revision_store.names().into_iter().filter_map(|name| {
            let pending = self.control.revision_store.manifest(&name).pending;
            let digest = pending.filter(|it| it.canary.is_some())?.digest;
            let is_here =
                catalog.canary(&name).is_some_and(|it| **it.component.digest() == *digest);
            let beside = catalog.component(&name).map(|it| it.digest().clone());
            (!is_here).then(|| (name, (digest.into(), beside)))
        });
        let begun_elsewhere = begun_elsewhere.collect();
        if let Some(node) = &mut self.node {
            node.begun_elsewhere = begun_elsewhere;
        }
    }

    /// Whether a canary of another node starts here at the next check.
    fn is_begun_elsewhere(&self, name: &str, digest: &str) -> bool {
        let begun = self.node.as_ref().and_then(|it| it.begun_elsewhere.get(name));
        let catalog = self.control.registry.catalog();
        let beside = catalog.component(name).map(|it| it.digest());
        begun.is_some_and(|(begun, then)| **begun == *digest && then.as_ref() == beside)
    }

    async fn settle_all_canaries(&self) {
        for name in self.control.revision_store.names() {
            let catalog = self.control.registry.catalog();
            let canary = catalog.canary(&name);
            let pending = self.control.revision_store.manifest(&name).pending;
            let Some(pending) = pending.filter(|it| it.canary.is_some()) else {
                if canary.is_some() {
                    self.control.registry.end_canary(&name);
                }
                continue;
            };
            let digest = &pending.digest;
            match canary.filter(|it| **it.component.digest() == **digest) {
                Some(canary) => {
                    let Some(why) = canary.withdrawal_reason() else { continue };
                    let text = format!(
                        "the canary gave way: {}; the version before answers all calls again",
                        why.text
                    );
                    tracing::error!(component = name, digest = &digest[..12], "{text}");
                    self.note_error(&name, text, None);
                    self.end_canary(&name, digest, why.clone()).await;
                }
                None if self.is_begun_elsewhere(&name, digest) => {}
                None => {
                    let text = "another version serves now than the one that it stood beside";
                    let why = Reason::new("replaced", &[&name], text.to_owned());
                    self.end_canary(&name, digest, why).await;
                    tracing::info!(
                        component = name,
                        digest = &digest[..12],
                        "canary: ended, for {text}"
                    );
                }
            }
        }
    }

    /// Resumes canaries after a restart, with new statistics.
    pub(super) async fn resume_canaries(&mut self) {
        for name in self.control.revision_store.names() {
            self.resume_canary(&name).await;
        }
    }

    /// Resumes a canary with current settings and the current serving version.
    pub(super) async fn resume_canary(&mut self, name: &str) {
        if !self.may_change() {
            // Starts on every node at its next check.
            return;
        }
        let pending = self.control.revision_store.manifest(name).pending;
        let Some((share, digest)) = pending.and_then(|it| Some((it.canary?, it.digest))) else {
            return;
        };
        if let Err(error) = self.begin_canary(name, Some(&digest), share).await {
            let text = format!("it could not go on: {error}");
            let why = Reason::new("not_resumed", &[&error], text);
            self.end_canary(name, &digest, why).await;
            tracing::error!(component = name, digest = &digest[..12], "canary: ended: {error}");
        }
    }
}
