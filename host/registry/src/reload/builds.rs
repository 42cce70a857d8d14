//! Installs a build as a revision: checks it against its terms, swaps it in and stores it.

use std::{sync::Arc, time::Instant};

use base::{
    config::{Reason, defaults, sentences, servers::Changed, wanted},
    grants::Refused,
    source::Source,
};
use sandbox::component::{LoadError, LoadedComponent, Version};
use store::blocking;

use super::{READY_MAX, Reloader, Unfinished, refused};
use crate::{
    Result,
    canary::{Canary, CanaryShare},
    control::{ControlError, Result as CommandResult},
    difference::{Difference, Surface},
    loader::{Before, Loaded, Terms},
    revisions::{Manifest, Pending, Revision, Status, timestamp},
};

/// Origin of builds loaded by command.
pub(super) const BY_OPERATOR: &str = "the operator";
/// Origin of a revision that replaces a failed build.
const FROM_REVISIONS: &str = "the version before";

/// A build that is ready to be put in place.
pub(super) struct Build {
    pub(super) source: Source,
    pub(super) loaded: Loaded,
    /// Whether it serves in place of a file that is no good.
    pub(super) stands_in: bool,
}

impl Reloader {
    /// Puts the folder's file in place of what serves now, if it is another and good.
    pub(super) async fn replace(&mut self, name: &str) {
        self.unfinished.remove(name);
        if self.loader.config.component(name).enabled == Some(false) {
            return;
        }
        let source = match self.read(name).await {
            Ok(source) => source,
            Err(error) => return self.refuse(name, name, &error),
        };
        let (origin, digest) = (source.origin.clone(), source.digest.clone());
        if let Err(error) = self.take_turn().await {
            // Read again at the next check.
            self.stamps.remove(name);
            return self.refuse(name, &origin, &error);
        }
        let done = self.put_in_place(name, source).await;
        if let Err(LoadError::Unreached(_)) = done {
            self.stamps.remove(name);
        } else if self.node.is_some() {
            self.control.revision_store.change(name, |it| it.file = Some(digest)).await;
        }
        match done {
            Err(error @ (LoadError::Compile(_) | LoadError::Unusable(_))) => {
                let since = Instant::now();
                self.unfinished.insert(name.to_owned(), Unfinished { since, origin, error });
            }
            Err(error) => self.refuse(name, &origin, &error),
            Ok(()) => {}
        }
        self.end_turn().await;
    }

    /// Tries `source` and puts it in place; the same bytes again change nothing.
    pub(super) async fn put_in_place(&mut self, name: &str, source: Source) -> Result<()> {
        let began = Instant::now();
        let serving = self.control.registry.catalog().component(name).cloned();
        if serving.as_ref().is_some_and(|it| **it.digest() == source.digest) {
            self.control.errors.lock().remove(name);
            // The event for the file that serves may come late: what the operator has loaded since then waits on.
            let origin = |it: &Pending| it.origin == source.origin;
            if self.control.revision_store.manifest(name).pending.as_ref().is_some_and(origin) {
                self.control.revision_store.change(name, |it| it.pending = None).await;
            }
            return Ok(());
        }
        let digest = source.digest.clone();
        let build = self.attempt(name, source, serving.is_some()).await?;
        let (generation, tried) = (build.loaded.component.generation(), began.elapsed());
        self.install(name, build).await?;
        tracing::info!(
            component = name,
            generation,
            digest = &digest[..12],
            "{} after {tried:.0?}, written down after {:.0?}",
            if serving.is_some() { "replaced" } else { "installed" },
            began.elapsed()
        );
        Ok(())
    }

    /// Makes `source` ready to serve, on the terms that the generation before it sets.
    async fn attempt(&self, name: &str, source: Source, is_swap: bool) -> Result<Build> {
        let manifest = self.control.revision_store.manifest(name);
        if let Some(rejected) = manifest.rejection(&source.digest) {
            let (number, status) = (rejected.number, rejected.status);
            return Err(LoadError::Rejected { component: name.to_owned(), number, status });
        }
        if manifest.refused.contains(&source.digest) {
            return Err(LoadError::Unwanted { component: name.to_owned() });
        }
        let terms = self.terms(name, &manifest, &source, is_swap);
        let loaded = match self.asks(name, &manifest, &source) {
            Ok(()) => self.loader.load(name, &source, terms).await,
            Err(error) => Err(error),
        };
        let error = match loaded {
            Ok(loaded) => return Ok(Build { source, loaded, stands_in: false }),
            Err(error) => self.unless_given(name, &source, error),
        };
        if error.waits_for_leave() {
            self.hold(name, &source, &error).await;
        }
        Err(error)
    }

    /// The section of a build that asks for grants. `None` for bundled components or without requests.
    pub(super) fn section(&self, name: &str, source: &Source) -> Result<Option<String>> {
        if self.loader.library.is_bundled(name) {
            return Ok(None);
        }
        let text = defaults::section(&source.bytes).map_err(LoadError::Unusable)?;
        let Some(text) = text else { return Ok(None) };
        let asked = sentences(name, &text).map_err(LoadError::Unusable)?;
        Ok((!asked.is_empty()).then_some(text))
    }

    /// Stands against a build that asks for what the operator has decided nothing about: neither in the
    /// configuration file nor by accepting this build, or one that asked for the same.
    fn asks(&self, name: &str, manifest: &Manifest, source: &Source) -> Result<()> {
        let digest = &source.digest;
        let is_known = manifest.accepted.contains(digest) || manifest.has_served(digest);
        let is_configured = || self.loader.config.components.contains_key(name);
        if is_known || manifest.given.is_none() && is_configured() {
            return Ok(());
        }
        let text = self.section(name, source)?.filter(|it| manifest.given.as_ref() != Some(it));
        let Some(text) = text else { return Ok(()) };
        self.loader.config.component_asking(name, &text).map_err(LoadError::Unusable)?;
        Err(asks(name, &text))
    }

    /// `error`, or where it is only that nothing is granted which the build's own section asks for, what
    /// that is. What the configuration file refuses stays refused.
    fn unless_given(&self, name: &str, source: &Source, error: LoadError) -> LoadError {
        let LoadError::Refused(refused) = &error else { return error };
        let Ok(Some(text)) = self.section(name, source) else { return error };
        let config = &self.loader.config;
        let Ok(asked) = config.component_asking(name, &text) else { return error };
        let given = config.component(name);
        let granted = given.grants.unwrap_or_default();
        let is_asked = match refused {
            Refused::NotGranted { .. } => asked.grants.is_some_and(|it| !it.is_subset(&granted)),
            // Its own stubs apply by default.
            Refused::NotOffered { .. } | Refused::OtherVersion { .. } => {
                given.stubs.is_some() && asked.stubs != given.stubs
            }
        };
        if is_asked { asks(name, &text) } else { error }
    }

    fn terms(&self, name: &str, manifest: &Manifest, source: &Source, is_swap: bool) -> Terms {
        let digest = &source.digest;
        let last = manifest.last();
        if let Some(serving) = manifest.serving().filter(|serving| serving.digest == *digest) {
            return Terms::as_before(Version::settled(serving.number), is_swap, (manifest, digest));
        }
        let number = manifest.next_number();
        let version = match last {
            Some(_) => Version::as_canary(number, Arc::new(self.control.clone())),
            None => Version::settled(number),
        };
        let is_accepted = manifest.accepted.contains(digest);
        Terms {
            may_need_more_grants: is_accepted || manifest.has_served(digest),
            may_break: is_accepted || !self.loader.config.swap.refuse_breaking,
            may_reword: is_accepted
                || manifest.has_served(digest)
                || source.origin == BY_OPERATOR
                || self.loader.config.component(name).changed != Some(Changed::Keep),
            before: last.map(|last| Before {
                generation: last.number,
                grants: last.grants.clone(),
                tools: self.tools(name, &last.digest),
            }),
            ..Terms::as_before(version, is_swap, (manifest, digest))
        }
    }

    /// The tools of the build with that digest: it serves, or they are written down.
    fn tools(&self, name: &str, digest: &str) -> Option<Vec<Surface>> {
        let serving = self.control.registry.catalog().component(name).cloned();
        match serving.filter(|it| **it.digest() == *digest) {
            Some(it) => Some(Surface::all(&it)),
            None => self.control.revision_store.tools(name, digest),
        }
    }

    /// Gives the component what the build that the operator accepts asks for.
    pub(super) async fn give(&mut self, name: &str, source: &Source) -> Result<()> {
        // Configured grants need no section, valid or not.
        let Ok(Some(text)) = self.section(name, source) else { return Ok(()) };
        self.loader.config.accept(name, &text).map_err(LoadError::Unusable)?;
        self.control.revision_store.change(name, |it| it.given = Some(text)).await;
        Ok(())
    }

    /// Keeps a build until the operator accepts it, or another one comes.
    async fn hold(&self, name: &str, source: &Source, why: &LoadError) {
        self.control.revision_store.keep(name, source, None).await;
        let before = self.control.revision_store.manifest(name).pending;
        let before = before.filter(|it| it.digest == source.digest);
        let (canary, ended, ended_reason) =
            before.map(|it| (it.canary, it.ended, it.ended_reason)).unwrap_or_default();
        let pending = Pending {
            digest: source.digest.clone(),
            origin: source.origin.clone(),
            why: why.to_string(),
            reasons: why.reasons(),
            rewordings: match why {
                LoadError::Reworded { rewordings, .. } => rewordings.clone(),
                _ => Vec::new(),
            },
            canary,
            ended,
            ended_reason,
        };
        self.control.revision_store.change(name, |it| it.pending = Some(pending)).await;
    }

    /// The first source that can serve: the file, the generation that served, the binary.
    pub(super) async fn first_good(&self, name: &str) -> Option<Build> {
        let in_folder = self.stamps.contains_key(name);
        let read = || self.loader.library.read(name).map_err(LoadError::from);
        let first = match in_folder {
            true => read().inspect_err(|it| self.refuse(name, name, it)).ok(),
            false => self.loader.library.read_bundled(name),
        };
        if let Some(source) = first {
            let origin = source.origin.clone();
            match self.attempt(name, source, false).await {
                Ok(build) => return Some(build),
                Err(error) => self.report(name, &origin, &error),
            }
        }
        if let Some(build) = self.last_revision(name).await {
            return Some(build);
        }
        let bundled = in_folder.then(|| self.loader.library.read_bundled(name)).flatten()?;
        let attempt = self.attempt(name, bundled, false).await;
        let refused = |error: &LoadError| self.refuse(name, "the binary", error);
        let build = attempt.inspect_err(refused).ok()?;
        Some(Build { stands_in: true, ..build })
    }

    /// Reports why a build does not serve at startup.
    pub(super) fn report(&self, name: &str, origin: &str, error: &LoadError) {
        match error {
            // The operator decided so, and knows.
            LoadError::Rejected { status: Status::RolledBack, number: it, .. } => {
                tracing::info!(component = name, "{origin}: generation {it} stays rolled back");
            }
            LoadError::Unwanted { .. } => {
                tracing::info!(component = name, "{origin}: stays refused by the operator");
            }
            error => self.refuse(name, origin, error),
        }
    }

    /// The generation that served last, ready to serve again.
    async fn last_revision(&self, name: &str) -> Option<Build> {
        let manifest = self.control.revision_store.manifest(name);
        let serving = manifest.serving()?;
        let source = self.source(name, &serving.digest, FROM_REVISIONS).await;
        let refused = |error: &LoadError| self.refuse(name, FROM_REVISIONS, error);
        let source = source.inspect_err(refused).ok()??;
        let version = Version::settled(serving.number);
        let terms = Terms::as_before(version, false, (&manifest, &source.digest));
        let loaded = self.loader.load(name, &source, terms).await;
        let loaded = loaded.inspect_err(refused).ok()?;
        Some(Build { source, loaded, stands_in: true })
    }

    /// Puts a build in place, then writes it down.
    pub(super) async fn install(&mut self, name: &str, build: Build) -> Result<()> {
        let Build { source, loaded, stands_in } = build;
        let component = loaded.component;
        // Nothing else changes the registry: what may be put in place now can be in a moment.
        self.control.registry.check(&component)?;
        let generation = Revision {
            number: component.generation(),
            digest: source.digest.clone(),
            installed_at: timestamp(),
            size_bytes: source.bytes.len() as u64,
            origin: source.origin.clone(),
            grants: component.needed.clone(),
            differences: loaded.differences.clone(),
            status: Status::Serving,
        };
        let mut after = self.control.revision_store.manifest(name);
        after.is_configured |= loaded.is_configured;
        match after.generation(generation.number) {
            Some(_) => after.serve(generation.number),
            None => after.install(generation),
        }
        let tools = Some(Surface::all(&component));
        if self.node.is_some() {
            self.control.revision_store.keep(name, &source, tools.clone()).await;
            self.agree(name, &after).await?;
        }
        // First, so that a client that is notified of the swap finds its generation.
        self.control.revision_store.note(name, |it| *it = after);
        let before = self.control.registry.catalog().component(name).cloned();
        self.control.registry.install(&component)?;
        match loaded.failure {
            Some(error) => self.report_error(&component, &error, loaded.is_configured),
            // A stand-in serves for a bad file: the problem stays until the file is good.
            None if stands_in => {}
            None => _ = self.control.errors.lock().remove(name),
        }
        log_differences(name, &loaded.differences);
        if let Some(before) = before {
            self.keep_ready(before);
        }
        self.control.revision_store.keep(name, &source, tools).await;
        self.control.revision_store.write_down(name).await;
        Ok(())
    }

    /// Reports an error of a component that serves nevertheless.
    pub(super) fn report_error(
        &self,
        component: &LoadedComponent,
        error: &LoadError,
        is_configured: bool,
    ) {
        let kept = match (is_configured, component.are_settings_refused) {
            (true, _) => "",
            (false, true) => "; its calls are refused until that is mended",
            (false, false) => "; it serves what it took over before",
        };
        let is_frozen = matches!(error, LoadError::Frozen);
        let what = if is_frozen { "its disk" } else { "its settings" };
        self.warn(component.name(), what, error, kept);
    }

    /// Keeps a version that served ready to serve again at once.
    pub(super) fn keep_ready(&mut self, component: Arc<LoadedComponent>) {
        let ready = self.ready.entry(component.name().to_string()).or_default();
        ready.retain(|it| it.digest() != component.digest());
        ready.push(component);
        let surplus = ready.len().saturating_sub(READY_MAX);
        ready.drain(..surplus);
    }

    /// Removes a component whose file is gone. A bundled one reverts to the embedded build.
    pub(super) async fn remove(&mut self, name: &str) {
        // On failure, tried again at the next check.
        if let Err(error) = self.take_turn().await {
            return self.refuse(name, "its file is gone", &error);
        }
        if let Some(source) = self.loader.library.read_bundled(name) {
            self.forget(name);
            match self.put_in_place(name, source).await {
                Ok(()) => tracing::info!(component = name, "back to the bundled version"),
                Err(error) => self.refuse(name, "the binary", &error),
            }
        } else if let Err(error) = self.take_away(name).await {
            self.refuse(name, "its file is gone", &error);
        }
        self.end_turn().await;
    }

    pub(super) async fn take_away(&mut self, name: &str) -> Result<()> {
        let mut after = self.control.revision_store.manifest(name);
        after.end_serving(Status::Removed);
        after.file = None;
        self.agree(name, &after).await?;
        self.forget(name);
        self.control.registry.remove(name);
        self.control.revision_store.change(name, |it| *it = after).await;
        tracing::info!(component = name, "removed, for its file is gone");
        Ok(())
    }

    /// The folder's file of that name, read and digested off the async workers.
    pub(super) async fn read(&self, name: &str) -> Result<Source> {
        let (library, name) = (self.loader.library.clone(), name.to_owned());
        blocking(move || Ok(library.read(&name)?)).await
    }
}

/// Logs in what a version differs from the one before.
fn log_differences(name: &str, differences: &[Difference]) {
    for difference in differences {
        tracing::info!(component = name, "{difference}");
    }
    let breaks = differences.iter().filter(|it| it.is_breaking).count();
    if breaks > 0 {
        tracing::warn!(component = name, breaks, "it breaks callers of the version before");
    }
}

/// The error of a build that asks for grants.
fn asks(name: &str, text: &str) -> LoadError {
    match wanted(name, text) {
        Ok(asked) => LoadError::Asks { component: name.to_owned(), asked },
        Err(what) => LoadError::Unusable(what),
    }
}

// Starts, ends and resumes canaries.

impl Reloader {
    /// Starts a canary of the waiting build, with the grants it asks for.
    ///
    /// The build passes all checks of a serving one, and its migrations are applied, because they only add.
    pub(super) async fn begin_canary(
        &mut self,
        name: &str,
        digest: Option<&str>,
        share: CanaryShare,
    ) -> CommandResult<()> {
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
        let begun = |manifest: &mut Manifest| {
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
    async fn load_canary(&self, name: &str, source: &Source) -> Result<Arc<LoadedComponent>> {
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
    pub(super) async fn stop_canary(
        &mut self,
        name: &str,
        digest: Option<&str>,
    ) -> CommandResult<()> {
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
