//! Rollout of builds to all nodes of a database (STO-30).
//!
//! 1. A component's [`Manifest`] is in the database, and every change raises its epoch. Bytes of builds are stored
//!    beside it, once per digest. The data folder has copies of both.
//! 2. One node at a time has the turn to change components; a dead one loses it. It catches up first, so that it
//!    decides on current state; then it works as on a single node.
//! 3. Before another build serves, the node with the turn proposes it. The others fetch and load it like a file and
//!    answer `prepared` or why not. Then the epoch is raised in one transaction, and all install it.
//! 4. Nodes that fail are awaited for `[swap] node_wait_s`. Then the others go on, and the failing ones leave
//!    rotation until they succeed; if the majority fails, the build is rejected.
//! 5. A node that starts or was away catches up before it joins rotation. New builds in its folder or program are
//!    proposed to all; old ones are ignored.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use super::Reloader;
use crate::{
    Result,
    difference::Surface,
    loader::{Loaded, Terms},
    revisions::{Manifest, Revision},
};
use base::source::Source;
use sandbox::component::{LoadError, LoadedComponent, Version};
use store::{
    blocking,
    database::postgres::{
        GONE_AFTER, ServerError,
        rollout::{Entry, Rollout, Seen, State},
    },
};

/// Maximum wait for the turn.
const TURN_MAX: Duration = Duration::from_secs(300);
/// Maximum wait for silent nodes, which may compile a large component.
const PREPARE_MAX: Duration = Duration::from_secs(180);
/// Retry delay after a failure.
const AGAIN: Duration = Duration::from_secs(5);
/// Retry delay for unreadable data, unless another epoch comes.
const UNREADABLE: Duration = Duration::from_secs(86_400);
/// Time limit to find out whether an epoch was raised.
const RAISE_MAX: Duration = Duration::from_secs(30);
/// Maximum length of a published failure reason, in characters.
const REASON_CHARS_MAX: usize = 1_000;

/// This node, among those on one database.
pub(super) struct Node {
    rollout: Rollout,
    /// The number by which the others wait for it.
    joined: Option<i64>,
    /// Components as the nodes have them, as far as this one knows.
    others: BTreeMap<String, (i64, Manifest)>,
    prepared: Option<Prepared>,
    /// Components that lag behind other nodes, with retry times.
    behind: BTreeMap<String, Instant>,
    /// Why it could not, where it has tried.
    failed: BTreeMap<String, String>,
    has_turn: bool,
    /// Canaries begun on other nodes before this one took its turn, and not yet here: component, digest, and digest
    /// of the serving version.
    pub(super) begun_elsewhere: BTreeMap<String, (Arc<str>, Option<Arc<str>>)>,
    /// Whether some state is not yet published.
    is_owing: bool,
    /// Time of the last update from other nodes.
    received_at: Instant,
}

/// A build proposed by another node and prepared here.
struct Prepared {
    of: (String, i64),
    /// `None` after a failure.
    loaded: Option<Loaded>,
    again: Instant,
}

impl Node {
    pub(super) fn new(rollout: Rollout) -> Self {
        Self {
            rollout,
            joined: None,
            others: BTreeMap::new(),
            prepared: None,
            behind: BTreeMap::new(),
            failed: BTreeMap::new(),
            has_turn: false,
            begun_elsewhere: BTreeMap::new(),
            is_owing: false,
            received_at: Instant::now(),
        }
    }

    fn epoch(&self, name: &str) -> i64 {
        self.others.get(name).map_or(0, |it| it.0)
    }

    /// Why this node should not be sent calls, without folders of this machine.
    fn out_of_rotation(&self) -> Option<String> {
        if let Some(name) = self.behind.keys().next() {
            return Some(format!(
                "{name} is not served here as on the other nodes; `madoguchi nodes` says why"
            ));
        }
        match (self.joined, self.received_at.elapsed() > GONE_AFTER) {
            (None, _) => Some("it has not caught up with the other nodes yet".to_owned()),
            (_, true) => Some("what the other nodes serve is not known here".to_owned()),
            _ => None,
        }
    }
}

fn lost(error: ServerError) -> LoadError {
    LoadError::Unreached(error.to_string())
}

fn read(entry: &Entry) -> Result<Manifest> {
    serde_json::from_str(&entry.manifest).map_err(|error| {
        LoadError::Other(format!("what the database keeps of its versions cannot be read: {error}"))
    })
}

impl Reloader {
    fn rollout(&self) -> Option<Rollout> {
        self.node.as_ref().map(|it| it.rollout.clone())
    }

    /// Waits until other nodes may have changed something; for ever where there are none.
    pub(super) fn changed(&self) -> impl Future<Output = ()> + use<> {
        let rollout = self.rollout();
        async move {
            match rollout {
                Some(it) => it.changed().await,
                None => std::future::pending().await,
            }
        }
    }

    /// Catches up with other nodes and joins them. Builds that only this node has are proposed to all.
    pub(super) async fn join(&mut self) {
        let joined = self.try_to_join().await;
        if let Err(error) = &joined {
            tracing::warn!("this node cannot join the others yet: {error}");
        }
        self.settle_rotation();
    }

    async fn try_to_join(&mut self) -> Result<()> {
        let Some(rollout) = self.rollout() else { return Ok(()) };
        self.take_turn().await?;
        let number = rollout.node();
        let names = self.names();
        let new: BTreeSet<_> =
            names.iter().filter(|it| self.epoch(it).is_none()).cloned().collect();
        self.load_all(&new).await;
        for name in &names {
            self.propose_own(name, new.contains(name)).await;
        }
        for name in self.control.revision_store.names() {
            let was_in_folder = self.control.revision_store.manifest(&name).file.is_some();
            let is_off = self.loader.config.component(&name).enabled == Some(false);
            if was_in_folder
                && !is_off
                && !names.contains(&name)
                && let Err(error) = self.take_away(&name).await
            {
                self.refuse(&name, "its file is gone", &error);
            }
        }
        let joined = rollout.join(self.control.here.address.as_deref()).await.map_err(lost);
        if let Some(node) = self.node.as_mut().filter(|_| joined.is_ok()) {
            node.joined = Some(number);
        }
        self.resume_canaries().await;
        self.end_turn().await;
        let names = self.node.iter().flat_map(|it| it.others.keys().cloned()).collect::<Vec<_>>();
        for name in names {
            self.publish_state(&rollout, &name).await;
        }
        joined
    }

    /// Brings what this node has in its folder or its program to all, where that is new and was not tried just now.
    async fn propose_own(&mut self, name: &str, is_tried: bool) {
        let in_folder = self.stamps.contains_key(name);
        let own = match in_folder {
            true => self.read(name).await.inspect_err(|it| self.refuse(name, name, it)).ok(),
            false => self.loader.library.read_bundled(name),
        };
        let Some(source) = own else { return };
        let (origin, digest) = (source.origin.clone(), source.digest.clone());
        let manifest = self.control.revision_store.manifest(name);
        if !is_tried
            && !manifest.is_old(&digest)
            && let Err(error) = self.put_in_place(name, source).await
        {
            self.report(name, &origin, &error);
        }
        let file = in_folder.then_some(digest);
        if manifest.file != file {
            self.control.revision_store.change(name, |it| it.file = file).await;
        }
    }

    /// The epoch of a component that the nodes know.
    pub(super) fn epoch(&self, name: &str) -> Option<i64> {
        self.node.as_ref()?.others.get(name).map(|it| it.0)
    }

    /// Does what other nodes have agreed on meanwhile, and prepares what one proposes.
    pub(super) async fn keep_up(&mut self) {
        let Some(node) = &self.node else { return };
        if node.joined != Some(node.rollout.node()) {
            return self.join().await;
        }
        if self.catch_up().await.is_err() {
            return;
        }
        if self.node.as_ref().is_some_and(|it| it.is_owing) && self.take_turn().await.is_ok() {
            self.end_turn().await;
        }
        self.settle_canaries().await;
    }

    /// Waits for the turn to change components, and catches up; at once where there are no other nodes.
    ///
    /// # Errors
    /// If the database is unavailable, or another node kept the turn too long.
    pub(super) async fn take_turn(&mut self) -> Result<()> {
        let Some(rollout) = self.rollout() else { return Ok(()) };
        let until = Instant::now() + TURN_MAX;
        loop {
            self.catch_up().await?;
            if rollout.claim().await.map_err(lost)? {
                break;
            }
            if Instant::now() > until {
                return Err(LoadError::Other(format!(
                    "another node has been changing components for {} s; `madoguchi nodes` says what the nodes are at",
                    TURN_MAX.as_secs()
                )));
            }
            rollout.changed().await;
        }
        if let Some(node) = &mut self.node {
            node.has_turn = true;
        }
        // Once more: from here on no other node changes anything.
        let caught_up = self.catch_up().await;
        match caught_up {
            Ok(()) => self.note_canaries_begun_elsewhere(),
            Err(_) => self.end_turn().await,
        }
        caught_up
    }

    /// Whether this node has the turn, or is alone.
    pub(super) fn may_change(&self) -> bool {
        self.node.as_ref().is_none_or(|it| it.has_turn)
    }

    /// Tells the other nodes what else was decided, and gives them the turn.
    pub(super) async fn end_turn(&mut self) {
        let Some(rollout) = self.rollout() else { return };
        let mut outcome = Ok(());
        for name in self.control.revision_store.names() {
            let manifest = self.control.revision_store.manifest(&name);
            let others = self.node.as_ref().and_then(|it| it.others.get(&name));
            if outcome.is_ok() && others.is_none_or(|it| it.1 != manifest.shared()) {
                outcome = self.agree(&name, &manifest).await;
            }
        }
        let released = rollout.release().await.map_err(lost);
        if let Err(error) = outcome.as_ref().and(released.as_ref()) {
            tracing::warn!("the other nodes are told later what was changed: {error}");
        }
        if let Some(node) = &mut self.node {
            node.has_turn = false;
            node.is_owing = outcome.is_err() || released.is_err();
        }
    }

    /// Catches up with what the nodes have agreed on.
    async fn catch_up(&mut self) -> Result<()> {
        let Some(rollout) = self.rollout() else { return Ok(()) };
        let done = match rollout.look().await {
            Ok(read) => self.act_on(&rollout, read).await,
            Err(error) => Err(error),
        };
        if let Some(node) = self.node.as_mut().filter(|_| done.is_ok()) {
            node.received_at = Instant::now();
        }
        self.settle_rotation();
        done.map_err(lost)
    }

    async fn act_on(&mut self, rollout: &Rollout, read: Seen) -> Result<(), ServerError> {
        for (name, epoch) in read.epochs {
            if self.epoch(&name).is_none_or(|it| it < epoch)
                && let Some(entry) = rollout.entry(&name).await?
            {
                self.take_over(&entry).await;
            }
        }
        let Some(node) = &self.node else { return Ok(()) };
        let now = Instant::now();
        let due = node.behind.iter().filter(|it| *it.1 <= now).map(|it| it.0.clone());
        let mut due: Vec<_> = due.collect();
        // Removed components free their tool names first.
        due.sort_by_key(|it| self.control.revision_store.manifest(it).serving().is_some());
        for name in due {
            self.follow(rollout, &name).await?;
        }
        let is_over = |of: &(String, i64)| {
            read.proposal.as_ref().is_none_or(|it| (&it.component, it.epoch) != (&of.0, of.1))
        };
        let over = self.node.as_mut().and_then(|it| it.prepared.take_if(|it| is_over(&it.of)));
        if let Some(prepared) = over {
            // The proposal was dropped or is serving by now.
            self.publish_state(rollout, &prepared.of.0).await;
        }
        if let Some(proposal) = &read.proposal {
            self.prepare(rollout, proposal).await?;
        }
        self.control.registry.set_failing_nodes(read.failing);
        Ok(())
    }

    /// Takes over what the nodes remember of a component.
    async fn take_over(&mut self, entry: &Entry) {
        let (name, now) = (&entry.component, Instant::now());
        let before = self.control.revision_store.manifest(name);
        let read = read(entry);
        let Some(node) = &mut self.node else { return };
        let (manifest, due) = match &read {
            Ok(it) => (it.shared(), now),
            // Until another epoch comes.
            Err(_) => (before.shared(), now + UNREADABLE),
        };
        node.others.insert(name.clone(), (entry.epoch, manifest));
        node.behind.insert(name.clone(), due);
        let manifest = match read {
            Ok(it) => it,
            Err(error) => return self.refuse(name, "the database", &error),
        };
        match &manifest.given {
            Some(text) if before.given != manifest.given => {
                if let Err(what) = self.loader.config.accept(name, text) {
                    tracing::warn!(
                        component = name,
                        "what it was given cannot be used here: {what}"
                    );
                }
            }
            None if before.given.is_some() => self.loader.config.take_back(name),
            _ => {}
        }
        let is_configured = manifest.is_configured || before.is_configured;
        let (tested, file) = (before.tested, before.file);
        let manifest = Manifest { tested, file, is_configured, ..manifest };
        self.control.revision_store.change(name, |it| *it = manifest).await;
    }

    /// Serves what the nodes agreed on, or reports why it cannot.
    async fn follow(&mut self, rollout: &Rollout, name: &str) -> Result<(), ServerError> {
        let epoch = self.epoch(name).unwrap_or_default();
        let manifest = self.control.revision_store.manifest(name);
        let is_off = self.loader.config.component(name).enabled == Some(false);
        let done = match manifest.serving() {
            Some(_) if is_off => Ok(()),
            Some(revision) => self.serve(name, epoch, (revision, &manifest)).await,
            None => {
                if self.control.registry.catalog().component(name).is_some() {
                    tracing::info!(component = name, epoch, "taken away, as on the other nodes");
                }
                self.ready.remove(name);
                self.control.errors.lock().remove(name);
                self.control.registry.remove(name);
                Ok(())
            }
        };
        let Some(node) = &mut self.node else { return Ok(()) };
        let Err(error) = done else {
            node.behind.remove(name);
            node.failed.remove(name);
            return rollout.acknowledge((name, epoch), State::Serving, "").await;
        };
        let why = shortened(&error);
        node.behind.insert(name.to_owned(), Instant::now() + AGAIN);
        if node.failed.insert(name.to_owned(), why.clone()).is_none_or(|it| it != why) {
            let of = format!("epoch {epoch}, which the other nodes serve");
            self.refuse(name, &of, &error);
        }
        if self.control.registry.catalog().component(name).is_none() {
            self.serve_before(name, &manifest).await;
        }
        rollout.acknowledge((name, epoch), State::Failed, &why).await
    }

    async fn serve(
        &mut self,
        name: &str,
        epoch: i64,
        (revision, manifest): (&Revision, &Manifest),
    ) -> Result<()> {
        let before = self.control.registry.catalog().component(name).cloned();
        let is_it = |component: &Arc<LoadedComponent>| {
            **component.digest() == *revision.digest && component.generation() == revision.number
        };
        if before.as_ref().is_some_and(is_it) {
            if self.node.as_ref().is_some_and(|it| it.failed.contains_key(name)) {
                self.control.errors.lock().remove(name);
            }
            return Ok(());
        }
        let is_this = |it: &mut Prepared| (&*it.of.0, it.of.1) == (name, epoch);
        let prepared = self.node.as_mut().and_then(|it| it.prepared.take_if(is_this));
        let loaded = match prepared.and_then(|it| it.loaded) {
            Some(it) => it,
            None => {
                // Readiness checks learn meanwhile that this node lags behind.
                self.settle_rotation();
                self.load_agreed(name, (revision, manifest), false).await?
            }
        };
        self.control.registry.install(&loaded.component)?;
        match &loaded.failure {
            Some(it) => self.report_error(&loaded.component, it, loaded.is_configured),
            None => _ = self.control.errors.lock().remove(name),
        }
        if loaded.is_configured && !manifest.is_configured {
            self.control.revision_store.change(name, |it| it.is_configured = true).await;
        }
        if let Some(before) = before {
            self.keep_ready(before);
        }
        let generation = revision.number;
        tracing::info!(component = name, generation, epoch, "serves, as on the other nodes");
        Ok(())
    }

    /// Serves the previous version until the agreed one is ready.
    async fn serve_before(&mut self, name: &str, manifest: &Manifest) {
        let Some(revision) = manifest.previous() else { return };
        match self.load_agreed(name, (revision, manifest), false).await {
            Ok(loaded) => {
                if let Err(error) = self.control.registry.install(&loaded.component) {
                    tracing::warn!(component = name, "nor does the version before: {error}");
                }
            }
            Err(error) => tracing::warn!(component = name, "nor does the version before: {error}"),
        }
    }

    /// The component in that revision, ready to serve on terms that were agreed on before.
    async fn load_agreed(
        &self,
        name: &str,
        (revision, manifest): (&Revision, &Manifest),
        is_new: bool,
    ) -> Result<Loaded> {
        if let Some(ready) = self.ready_again(name, revision) {
            let (failure, differences) = (None, Vec::new());
            return Ok(Loaded { component: ready, failure, is_configured: true, differences });
        }
        let (number, digest) = (revision.number, &revision.digest);
        let source = self.source(name, digest, &revision.origin).await?;
        let source = source.ok_or_else(|| {
            LoadError::Other(format!("the bytes of generation {number} are kept nowhere any more"))
        })?;
        let mut loader = self.loader.clone();
        if let Some(text) = &manifest.given {
            let config = loader.config.accepting(name, text).map_err(LoadError::Unusable)?;
            loader.config = Arc::new(config);
        }
        let version = match is_new && manifest.generations.len() > 1 {
            true => Version::as_canary(number, Arc::new(self.control.clone())),
            false => Version::settled(number),
        };
        let is_swap = self.control.registry.catalog().component(name).is_some();
        // Each node tries a build once by itself.
        let tested = self.control.revision_store.manifest(name).tested;
        let manifest = Manifest { tested, ..manifest.clone() };
        let terms = Terms::as_before(version, is_swap, (&manifest, digest));
        let loaded = loader.load(name, &source, terms).await?;
        self.control.revision_store.change(name, |it| it.pass(digest)).await;
        let tools = Some(Surface::all(&loaded.component));
        self.control.revision_store.keep(name, &source, tools).await;
        Ok(loaded)
    }

    /// Prepares a proposal and publishes the result.
    async fn prepare(&mut self, rollout: &Rollout, entry: &Entry) -> Result<(), ServerError> {
        let (name, of) = (&entry.component, (entry.component.clone(), entry.epoch));
        let before = self.node.as_ref().and_then(|it| it.prepared.as_ref());
        if let Some(tried) = before.filter(|tried| tried.of == of)
            && (tried.loaded.is_some() || tried.again > Instant::now())
        {
            return Ok(());
        }
        let is_off = self.loader.config.component(name).enabled == Some(false);
        let loaded = match read(entry) {
            Ok(manifest) if !is_off => match manifest.serving() {
                Some(agreed) => {
                    let next = self.control.revision_store.manifest(name).next_number();
                    let is_new = agreed.number >= next;
                    self.load_agreed(name, (agreed, &manifest), is_new).await.map(Some)
                }
                None => Ok(None),
            },
            Ok(_) => Ok(None),
            Err(error) => Err(error),
        };
        let (state, why) = match &loaded {
            Ok(_) => (State::Prepared, String::new()),
            Err(error) => {
                let epoch = entry.epoch;
                tracing::error!(component = name, epoch, "another node's build: refused: {error}");
                self.loader.metrics.load_failed();
                (State::Failed, shortened(error))
            }
        };
        let again = Instant::now() + AGAIN;
        if let Some(node) = &mut self.node {
            node.prepared = Some(Prepared { of, loaded: loaded.ok().flatten(), again });
        }
        rollout.acknowledge((name, entry.epoch), state, &why).await
    }

    /// Makes all nodes agree on `after`: waits until they have prepared it, then raises the epoch. Does nothing on a
    /// single node.
    ///
    /// # Errors
    /// If they disagree; nothing changes then.
    pub(super) async fn agree(&mut self, name: &str, after: &Manifest) -> Result<()> {
        let Some(rollout) = self.rollout() else { return Ok(()) };
        let Some(node) = &self.node else { return Ok(()) };
        let manifest = after.shared();
        let text =
            serde_json::to_string(&manifest).map_err(|it| LoadError::Other(it.to_string()))?;
        let digest = |it: &Manifest| it.serving().map(|it| it.digest.clone());
        let served = node.others.get(name).and_then(|it| digest(&it.1));
        let serves = digest(after);
        let epoch = rollout.next_epoch().await.map_err(lost)?;
        let entry = Entry { component: name.to_owned(), epoch, manifest: text };
        let kept: Vec<_> = after.kept().into_iter().collect();
        for digest in rollout.missing(&kept).await.map_err(lost)? {
            match self.control.revision_store.read(name, &digest, "") {
                Some(source) => rollout.keep(&digest, &source.bytes).await.map_err(lost)?,
                None if Some(&digest) == serves.as_ref() => {
                    let why = "its bytes are kept nowhere, so other nodes could not serve it";
                    return Err(LoadError::Other(why.to_owned()));
                }
                None => {}
            }
        }
        if serves.is_some() && serves != served {
            let agreed = self.wait_for_nodes(&rollout, &entry).await;
            if let Err(error) = agreed {
                // Should this fail, too, the next turn takes it away.
                let _ = rollout.withdraw().await;
                return Err(error);
            }
        }
        raise(&rollout, &entry, &kept).await?;
        if let Some(node) = &mut self.node {
            node.others.insert(name.to_owned(), (entry.epoch, manifest));
            if serves != served {
                node.behind.remove(name);
                node.failed.remove(name);
            }
        }
        self.publish_state(&rollout, name).await;
        Ok(())
    }

    /// Publishes this node's state of a component. A failure only delays it.
    async fn publish_state(&self, rollout: &Rollout, name: &str) {
        let Some(node) = &self.node else { return };
        let (state, why) = match (node.behind.contains_key(name), node.failed.get(name)) {
            (true, why) => (State::Failed, why.map_or("", String::as_str)),
            _ => (State::Serving, ""),
        };
        let _ = rollout.acknowledge((name, node.epoch(name)), state, why).await;
    }

    /// Waits until other nodes have prepared a proposal.
    async fn wait_for_nodes(&self, rollout: &Rollout, entry: &Entry) -> Result<()> {
        let Entry { component: name, epoch, .. } = entry;
        if !rollout.propose(entry).await.map_err(lost)? {
            return Err(taken());
        }
        let patience = Duration::from_secs(self.loader.config.swap.node_wait_s);
        let (began, mut failed_at) = (Instant::now(), None);
        loop {
            let answers = rollout.answers(name, *epoch).await.map_err(lost)?;
            let failed: Vec<_> =
                answers.iter().filter(|it| it.is_prepared == Some(false)).collect();
            let is_open = answers.iter().any(|it| it.is_prepared.is_none());
            if !is_open && failed.is_empty() {
                return Ok(());
            }
            let since: Option<Instant> = match failed.is_empty() {
                true => None,
                false => Some(*failed_at.get_or_insert_with(Instant::now)),
            };
            failed_at = since;
            let is_over = match is_open {
                true => began.elapsed() >= PREPARE_MAX,
                false => since.is_some_and(|it| it.elapsed() >= patience),
            };
            if !is_over {
                rollout.changed().await;
                continue;
            }
            let late = answers.iter().filter(|it| it.is_prepared.is_none());
            let late = late.map(|it| format!("{} is not ready after {PREPARE_MAX:?}", it.node));
            let reasons: Vec<_> =
                failed.iter().map(|it| format!("{}: {}", it.node, it.why)).chain(late).collect();
            let reasons = reasons.join("; ");
            let ready = answers.iter().filter(|it| it.is_prepared == Some(true)).count() + 1;
            if answers.len() + 1 - ready > ready {
                return Err(LoadError::Other(format!("most nodes cannot serve it: {reasons}")));
            }
            tracing::error!(
                component = name,
                epoch,
                "the other nodes go on without those that cannot serve it: {reasons}"
            );
            return Ok(());
        }
    }

    /// The bytes of a build, from this node or the database.
    ///
    /// # Errors
    /// If they do not match their digest, or the database is unavailable.
    pub(super) async fn source(
        &self,
        name: &str,
        digest: &str,
        origin: &str,
    ) -> Result<Option<Source>> {
        if let Some(source) = self.control.revision_store.read(name, digest, origin) {
            return Ok(Some(source));
        }
        let Some(rollout) = self.rollout() else { return Ok(None) };
        if let Some(source) =
            self.loader.library.read_bundled(name).filter(|source| source.digest == digest)
        {
            return Ok(Some(source));
        }
        let Some(bytes) = rollout.bytes(digest).await.map_err(lost)? else { return Ok(None) };
        let origin = origin.to_owned();
        let source = blocking(move || Ok::<_, LoadError>(Source::new(bytes, origin))).await?;
        if source.digest != digest {
            return Err(LoadError::Other(format!(
                "the bytes that the database keeps of it are damaged: their digest is {}, and not {digest}",
                source.digest
            )));
        }
        Ok(Some(source))
    }

    fn settle_rotation(&self) {
        let Some(node) = &self.node else { return };
        self.control.registry.set_out_of_rotation(node.out_of_rotation());
    }
}

/// Raises the epoch. Where the answer is lost, checks whether the epoch was raised.
async fn raise(rollout: &Rollout, entry: &Entry, kept: &[&str]) -> Result<()> {
    let until = Instant::now() + RAISE_MAX;
    loop {
        let raised = rollout.raise(entry, kept).await;
        if matches!(raised, Ok(true)) {
            return Ok(());
        }
        // An earlier attempt may have done it.
        match (rollout.entry(&entry.component).await, raised) {
            (Ok(Some(it)), _) if it.epoch == entry.epoch && it.manifest == entry.manifest => {
                return Ok(());
            }
            (Ok(_), Ok(_)) => return Err(taken()),
            (_, Err(error)) if Instant::now() > until => return Err(lost(error)),
            (Err(error), _) if Instant::now() > until => return Err(lost(error)),
            _ => tokio::time::sleep(Duration::from_millis(500)).await,
        }
    }
}

fn taken() -> LoadError {
    LoadError::Unreached(
        "this node was taken for gone, and another one has the turn; try again".into(),
    )
}

/// A failure reason as published.
fn shortened(error: &LoadError) -> String {
    error.to_string().chars().take(REASON_CHARS_MAX).collect()
}
