//! Watches the component folder and settings files. It loads, self-tests and installs new builds, and keeps the serving
//! version where a build fails.

mod builds;
mod rollout;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use base::source::{FILE_BYTES_MAX, Source, Stamp, name_of};
use futures::future::BoxFuture;
use notify::Watcher;
use sandbox::component::{LoadError, LoadedComponent, Version};
use store::{blocking, database::Database, disk};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    Result,
    control::{Command, Control, ControlError, Order, ReportedError, Result as CommandResult},
    loader::{self, Loader, Terms},
    revisions::{Manifest, Pending, Revision, Status},
};
use builds::BY_OPERATOR;
use rollout::Node;

/// Events that come within this time are one change: a copy writes in many pieces.
const DEBOUNCE: Duration = Duration::from_millis(20);
/// Poll interval, because some file systems send no events.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// A file that is away for less than this is being replaced, not removed.
const REMOVED_AFTER: Duration = Duration::from_secs(1);

/// A file that has not changed for this long is written to its end: until then what is wrong with it may be that.
const QUIET_AFTER: Duration = Duration::from_secs(1);

/// Versions kept ready beside the serving one, so that a rollback is immediate.
const READY_MAX: usize = 2;

/// Brings components from the library to the registry; nothing else does.
pub struct Reloader {
    loader: Loader,
    control: Control,
    stamps: BTreeMap<String, Stamp>,
    settings_stamps: BTreeMap<String, loader::Stamp>,
    missing: BTreeMap<String, Instant>,
    /// Files that are no good, and may still be being written.
    unfinished: BTreeMap<String, Unfinished>,
    /// Why the folder is unreadable.
    unread: Option<String>,
    /// Components with unapplied settings because of a full disk.
    frozen: BTreeSet<String>,
    /// Components with damaged databases, already reported.
    damaged: BTreeSet<String>,
    /// Versions that served a while ago, by component.
    ready: BTreeMap<String, Vec<Arc<LoadedComponent>>>,
    /// This node among those of a shared database.
    node: Option<Node>,
}

/// What is wrong with a file that may still be being written.
struct Unfinished {
    since: Instant,
    origin: String,
    error: LoadError,
}

impl Reloader {
    pub fn new(loader: Loader, control: Control) -> Self {
        Self {
            node: control.rollout.clone().map(Node::new),
            loader,
            control,
            stamps: BTreeMap::new(),
            settings_stamps: BTreeMap::new(),
            missing: BTreeMap::new(),
            unfinished: BTreeMap::new(),
            unread: None,
            frozen: BTreeSet::new(),
            damaged: BTreeSet::new(),
            ready: BTreeMap::new(),
        }
    }

    /// Installs what the other nodes serve, where there are any, and then what this one brings.
    pub fn start(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.stamps = self.files().unwrap_or_default();
            match self.node {
                Some(_) => self.join().await,
                None => self.load_all(&self.names()).await,
            }
            let catalog = self.control.registry.catalog();
            let served = catalog.components().map(|it| it.name().to_string());
            for name in self.names().into_iter().chain(served) {
                self.settings_stamps.insert(name.clone(), self.loader.stamp(&name));
                let has_error = self.control.errors.lock().contains_key(&name);
                if self.is_frozen(&name) || has_error && !self.has_room().await {
                    self.frozen.insert(name);
                }
            }
            self.resume_canaries().await;
        })
    }

    /// Installs each component from the first source that is good: the folder, the generation
    /// that served last, the binary.
    async fn load_all(&mut self, names: &BTreeSet<String>) {
        let all = self.names();
        let gone = |it: &&String| !all.contains(*it) && self.epoch(it).is_none();
        for name in self.control.revision_store.names().iter().filter(gone) {
            if self.control.revision_store.manifest(name).serving().is_some() {
                self.control
                    .revision_store
                    .change(name, |it| it.end_serving(Status::Removed))
                    .await;
            }
        }
        let this = &*self;
        let first = names.iter().map(async |name| (name, this.first_good(name).await));
        // Compiled side by side, installed in the order of their names.
        for (name, found) in futures::future::join_all(first).await {
            if let Some(build) = found {
                let origin = build.source.origin.clone();
                if let Err(error) = self.install(name, build).await {
                    self.refuse(name, &origin, &error);
                }
            }
        }
    }

    /// The components that should serve.
    fn names(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.loader.library.bundled().into_iter().collect();
        let is_unread = self.unread.is_some();
        if self.loader.library.folder().is_none() || is_unread {
            // Builds loaded by the operator exist nowhere else, and an unreadable folder changes nothing.
            let is_loaded = |name: &String| {
                let manifest = self.control.revision_store.manifest(name);
                manifest.serving().is_some_and(|it| is_unread || it.origin == BY_OPERATOR)
            };
            names.extend(self.control.revision_store.names().into_iter().filter(is_loaded));
        }
        names.retain(|it| !self.control.revision_store.manifest(it).is_unloaded);
        names.extend(self.stamps.keys().cloned());
        names.retain(|it| self.loader.config.component(it).enabled != Some(false));
        names
    }

    /// Looks for changes, and obeys commands, until `stop`.
    pub fn watch(
        mut self,
        mut commands: mpsc::Receiver<Command>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let (sender, mut events) = mpsc::channel(1);
            let watcher = self.watcher(sender);
            let mut tick = tokio::time::interval(LOOK_EVERY);
            loop {
                let is_writing = !self.unfinished.is_empty();
                let changed = self.changed();
                tokio::select! {
                    () = stop.cancelled() => break,
                    () = changed => {
                        self.keep_up().await;
                        continue;
                    }
                    Some(command) = commands.recv() => {
                        self.execute(command).await;
                        continue;
                    }
                    _ = tick.tick() => {}
                    () = tokio::time::sleep(QUIET_AFTER), if is_writing => {}
                    _ = events.recv() => {
                        tokio::time::sleep(DEBOUNCE).await;
                        while events.try_recv().is_ok() {}
                    }
                }
                self.look().await;
                self.settle_canaries().await;
            }
            drop(watcher);
        })
    }

    fn watcher(&self, sender: mpsc::Sender<()>) -> Option<notify::RecommendedWatcher> {
        let folder = self.loader.library.folder()?;
        let ring = move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|it| !it.kind.is_access()) {
                // A full channel has a notification waiting already.
                let _ = sender.try_send(());
            }
        };
        let watcher = notify::recommended_watcher(ring).and_then(|mut watcher| {
            watcher.watch(folder, notify::RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        let report = |error: &notify::Error| {
            let folder = folder.display();
            tracing::warn!("{folder}: no news of changes ({error}); looking every 2 s");
        };
        watcher.inspect_err(report).ok()
    }

    /// Files of the folder. `None` if unreadable, which is reported once.
    fn files(&mut self) -> Option<BTreeMap<String, Stamp>> {
        match self.loader.library.files() {
            Ok(files) => {
                self.unread = None;
                Some(files.into_iter().collect())
            }
            Err(error) => {
                let why = error.to_string();
                if self.unread.as_ref() != Some(&why) {
                    tracing::error!(
                        "the components' folder cannot be read: {why}; what serves goes on serving"
                    );
                }
                self.unread = Some(why);
                None
            }
        }
    }

    /// Loads, reloads and removes components after changes in the folder.
    async fn look_at(&mut self, files: BTreeMap<String, Stamp>) {
        for (name, stamp) in &files {
            self.missing.remove(name);
            if self.stamps.insert(name.clone(), *stamp).as_ref() != Some(stamp) {
                self.replace(name).await;
            }
        }
        let is_quiet = |it: &Unfinished| it.since.elapsed() >= QUIET_AFTER;
        let quiet = self.unfinished.iter().filter(|it| is_quiet(it.1));
        for name in quiet.map(|it| it.0.clone()).collect::<Vec<_>>() {
            if let Some(file) = self.unfinished.remove(&name) {
                self.refuse(&name, &file.origin, &file.error);
            }
        }
        let gone: Vec<_> =
            self.stamps.keys().filter(|it| !files.contains_key(*it)).cloned().collect();
        for name in gone {
            let since = *self.missing.entry(name.clone()).or_insert_with(Instant::now);
            if since.elapsed() >= REMOVED_AFTER {
                self.remove(&name).await;
            }
        }
    }

    /// Acts on everything that has changed since the last look.
    async fn look(&mut self) {
        match self.files() {
            Some(files) => self.look_at(files).await,
            // Nothing is gone as long as that is not known.
            None => self.missing.clear(),
        }
        let served: Vec<_> =
            self.control.registry.catalog().components().map(|it| it.name().to_string()).collect();
        for name in served {
            let stamp = self.loader.stamp(&name);
            let before = self.settings_stamps.insert(name.clone(), stamp.clone());
            let is_frozen =
                self.is_frozen(&name) || self.frozen.contains(&name) && !self.has_room().await;
            let has_thawed = !is_frozen && self.frozen.remove(&name);
            if is_frozen {
                self.frozen.insert(name.clone());
            }
            if let Some(why) = self.new_damage(&name) {
                self.warn(&name, "its database", &LoadError::Other(why), "");
            }
            if has_thawed || before.is_some_and(|it| it != stamp) {
                match self.reconfigured(&name).await {
                    Ok(()) => self.resume_canary(&name).await,
                    Err((what, error)) => {
                        self.refuse(&name, what, &error);
                        if !self.has_room().await {
                            self.frozen.insert(name);
                        }
                    }
                }
            }
        }
    }

    /// Whether the disk of the data folder takes what components write down of their settings.
    async fn has_room(&self) -> bool {
        disk::takes_writes(&self.loader.config.data).await
    }

    /// The database of the component that serves.
    fn database(&self, name: &str) -> Option<Database> {
        self.control.registry.catalog().component(name)?.setup.database.clone()
    }

    /// Whether it can only be read for the time being.
    fn is_frozen(&self, name: &str) -> bool {
        self.database(name).is_some_and(|it| it.is_frozen())
    }

    /// New damage of its database, reported once.
    fn new_damage(&mut self, name: &str) -> Option<String> {
        let damage = self.database(name)?.damage()?.to_owned();
        self.damaged.insert(name.to_owned()).then_some(damage)
    }

    /// Reconfigures a component after changes of settings files. The error names what failed.
    async fn reconfigured(&self, name: &str) -> Result<(), (&'static str, LoadError)> {
        let Some(serving) = self.control.registry.catalog().component(name).cloned() else {
            return Ok(());
        };
        let of_settings = |error: LoadError| ("its settings", error);
        let settings = self.loader.settings(name).map_err(|it| of_settings(it.into()))?;
        let (http, error) = self.loader.http(name);
        error.map_or(Ok(()), |it| Err(("its secrets", it.into())))?;
        let (reach, error) = self.loader.reach(name).await.map_err(|it| ("its grants", it))?;
        error.map_or(Ok(()), |it| Err(("its grants", it.into())))?;
        let mut next = Arc::new(serving.with_settings(settings, http, reach));
        next.configure().await.map_err(of_settings)?;
        if !self.control.revision_store.manifest(name).is_configured {
            self.control.revision_store.change(name, |it| it.is_configured = true).await;
        }
        // With other settings there may be other things to read.
        if next.exports.resources.is_some() {
            next = Arc::new(next.listed().await.map_err(of_settings)?);
        }
        // A component that refused all calls had no lists.
        match serving.are_settings_refused {
            true => self.control.registry.install(&next).map_err(|it| of_settings(it.into()))?,
            false => self.control.registry.refresh(&next),
        }
        self.control.errors.lock().remove(name);
        tracing::info!(component = name, "took over its changed settings");
        Ok(())
    }

    fn refuse(&self, name: &str, origin: &str, error: &LoadError) {
        let kept = match self.control.registry.catalog().component(name) {
            Some(it) if it.are_settings_refused => "; its calls stay refused until that is mended",
            Some(_) => "; the version before keeps serving",
            None => "",
        };
        self.warn(name, origin, error, kept);
    }

    /// Logs an error and reports it in `/api/health`, with what serves instead.
    fn warn(&self, name: &str, origin: &str, error: &LoadError, kept: &str) {
        self.loader.metrics.load_failed();
        tracing::error!(component = name, "{origin}: refused: {error}{kept}");
        self.note_error(name, format!("{origin}: {error}{kept}"), error.path());
        if let Some(noted) = self.control.errors.lock().get_mut(name) {
            noted.waits = error.waits_for_leave();
        }
    }

    /// Forgets a removed component.
    fn forget(&mut self, name: &str) {
        self.stamps.remove(name);
        self.missing.remove(name);
        self.unfinished.remove(name);
        self.ready.remove(name);
        self.control.errors.lock().remove(name);
    }

    /// Reports an error in `/api/health` without local paths: those of this server, and `path`.
    fn note_error(&self, name: &str, message: String, path: Option<&Path>) {
        let config = &self.loader.config;
        let folders = [path.and_then(Path::parent), config.components_folder.as_deref()];
        let folders = folders.into_iter().flatten().chain([&*config.data, &*config.base]);
        let mut public = message.clone();
        for folder in folders.filter(|it| it.parent().is_some()) {
            public = public.replace(&format!("{}/", folder.display()), "");
        }
        self.control
            .errors
            .lock()
            .insert(name.to_owned(), ReportedError { message, public, waits: false });
    }
}

// Commands of the operator, and the automatic rollback of a version whose first calls all trapped.

impl Reloader {
    /// Carries out one command and answers its sender.
    async fn execute(&mut self, command: Command) {
        let Command { name, order, answer } = command;
        if let Err(error) = self.take_turn().await {
            let _ = answer.send(Err(ControlError::Nodes(error.to_string())));
            return;
        }
        let result = match order {
            Order::Load(bytes) => self.load(&name, bytes).await,
            Order::Unload => self.unload(&name).await,
            Order::Rollback(to) => self.rollback(&name, to).await,
            Order::Accept(digest) => self.accept(&name, digest.as_deref()).await,
            Order::Refuse(digest) => self.refuse_pending(&name, digest.as_deref()).await,
            Order::Canary(digest, share) => {
                self.begin_canary(&name, digest.as_deref(), share).await
            }
            Order::StopCanary(digest) => self.stop_canary(&name, digest.as_deref()).await,
            // Withdrawn ones are removed below.
            Order::GiveWay => Ok(()),
            Order::GiveBack(generation) => self.give_back(&name, generation).await,
        };
        self.settle_canaries().await;
        self.end_turn().await;
        // The sender may be gone; the result stands.
        let _ = answer.send(result);
    }

    async fn load(&mut self, name: &str, bytes: Vec<u8>) -> CommandResult<()> {
        if name_of(format!("{name}.wasm").as_ref()).is_none_or(|it| it != name) {
            return Err(ControlError::Name(name.chars().take(64).collect()));
        }
        if self.loader.config.component(name).enabled == Some(false) {
            return Err(ControlError::Disabled(name.to_owned()));
        }
        if bytes.len() as u64 > FILE_BYTES_MAX {
            let error = format!("{} bytes; a component may have {FILE_BYTES_MAX}", bytes.len());
            let error = std::io::Error::new(std::io::ErrorKind::FileTooLarge, error);
            return Err(refused(name, error.into()));
        }
        let source = Source::new(bytes, BY_OPERATOR.to_owned());
        // An operator who names the very bytes wants them tried.
        if self.control.revision_store.manifest(name).is_unwanted(&source.digest) {
            self.control.revision_store.change(name, |it| it.forgive(&source.digest)).await;
        }
        self.put_and_keep(name, source).await
    }

    /// Puts `source` in place, and then into the folder, from which the next start takes it.
    async fn put_and_keep(&mut self, name: &str, source: Source) -> CommandResult<()> {
        let (library, bytes, file) =
            (self.loader.library.clone(), source.bytes.clone(), name.to_owned());
        let digest = source.digest.clone();
        self.put_in_place(name, source).await.map_err(|error| {
            tracing::warn!(component = name, "the operator's build: refused: {error}");
            refused(name, error)
        })?;
        blocking(move || library.put(&file, &bytes)).await.map_err(ControlError::Folder)?;
        if self.node.is_some() {
            // Were it seen as new later, it would replace what other nodes have put in place meanwhile.
            let files = self.files().unwrap_or_default().into_iter();
            self.stamps.extend(files.filter(|it| it.0 == name));
            self.control.revision_store.note(name, |it| it.file = Some(digest));
        }
        Ok(())
    }

    /// The build that waits: the one of that digest, where one is named.
    fn pending(&self, name: &str, digest: Option<&str>) -> CommandResult<Pending> {
        let pending = self.control.component(name)?.pending;
        let pending = pending.ok_or_else(|| ControlError::NothingPending(name.to_owned()))?;
        match digest.is_none_or(|it| it == pending.digest) {
            true => Ok(pending),
            false => Err(ControlError::AnotherPending(name.to_owned())),
        }
    }

    async fn refuse_pending(&mut self, name: &str, digest: Option<&str>) -> CommandResult<()> {
        let Pending { digest, why, .. } = self.pending(name, digest)?;
        self.control.revision_store.change(name, |it| it.refuse(&digest)).await;
        self.control.errors.lock().remove(name);
        tracing::info!(component = name, digest = &digest[..12], "refused by the operator: {why}");
        Ok(())
    }

    async fn accept(&mut self, name: &str, digest: Option<&str>) -> CommandResult<()> {
        let pending = self.pending(name, digest)?;
        let source = self.source(name, &pending.digest, &pending.origin).await;
        let Some(source) = source.map_err(|error| refused(name, error))? else {
            self.control.revision_store.change(name, |it| it.pending = None).await;
            return Err(ControlError::NothingPending(name.to_owned()));
        };
        self.give(name, &source).await.map_err(|error| refused(name, error))?;
        self.control.revision_store.change(name, |it| it.accept(&pending.digest)).await;
        let (digest, why) = (&pending.digest[..12], &pending.why);
        tracing::info!(component = name, digest, "accepted by the operator: {why}");
        if source.origin == BY_OPERATOR {
            return self.put_and_keep(name, source).await;
        }
        self.put_in_place(name, source).await.map_err(|error| refused(name, error))
    }

    async fn unload(&mut self, name: &str) -> CommandResult<()> {
        if self.control.registry.catalog().component(name).is_none()
            && !self.stamps.contains_key(name)
        {
            return Err(ControlError::Unknown(name.to_owned()));
        }
        let mut after = self.control.revision_store.manifest(name);
        after.end_serving(Status::Removed);
        let after = Manifest { pending: None, given: None, file: None, is_unloaded: true, ..after };
        self.agree(name, &after).await.map_err(|error| refused(name, error))?;
        let (library, file) = (self.loader.library.clone(), name.to_owned());
        let taken_away = blocking(move || library.take_away(&file)).await;
        if self.node.is_none() {
            taken_away.map_err(ControlError::Folder)?;
        } else if let Err(error) = taken_away {
            tracing::warn!(
                component = name,
                "its file stays in the folder, and is not served: {error}"
            );
        }
        self.forget(name);
        self.control.registry.remove(name);
        self.control.revision_store.change(name, |it| *it = after).await;
        self.loader.config.take_back(name);
        tracing::info!(component = name, "unloaded by the operator");
        Ok(())
    }

    async fn rollback(&mut self, name: &str, to: Option<u64>) -> CommandResult<()> {
        let manifest = self.control.revision_store.manifest(name);
        if manifest.generations.is_empty() {
            return Err(ControlError::Unknown(name.to_owned()));
        }
        let number = to.or_else(|| manifest.previous().map(|it| it.number));
        let number = number.ok_or_else(|| ControlError::NoPrevious(name.to_owned()))?;
        if manifest.serving().is_some_and(|it| it.number == number) {
            return Err(ControlError::Serves { component: name.to_owned(), number });
        }
        let target = manifest.generation(number).ok_or_else(|| self.no_generation(name, number))?;
        self.go_to(name, target, Status::RolledBack).await?;
        self.control.errors.lock().remove(name);
        tracing::info!(
            component = name,
            "generation {number} serves again, as the operator wishes"
        );
        Ok(())
    }

    /// Puts the generation before `number` back, if that is the one that serves.
    async fn give_back(&mut self, name: &str, number: u64) -> CommandResult<()> {
        let manifest = self.control.revision_store.manifest(name);
        if manifest.serving().is_none_or(|it| it.number != number) {
            return Ok(());
        }
        let previous = manifest.previous();
        let previous = previous.ok_or_else(|| ControlError::NoPrevious(name.to_owned()))?;
        self.go_to(name, previous, Status::Returned).await?;
        let error = format!(
            "its first three calls trapped; generation {} serves again; to try it once more, run: madoguchi rollback {name} --to {number}",
            previous.number
        );
        tracing::error!(component = name, "generation {number}: {error}");
        self.note_error(name, format!("generation {number}: {error}"), None);
        Ok(())
    }

    /// Lets `target` serve at once; the one that serves ends with `status`.
    async fn go_to(&mut self, name: &str, target: &Revision, status: Status) -> CommandResult<()> {
        let number = target.number;
        let before = self.control.registry.catalog().component(name).cloned();
        let component = match self.ready_again(name, target) {
            Some(component) => component,
            None => self.load_again(name, target).await?,
        };
        self.control.registry.check(&component).map_err(|error| refused(name, error.into()))?;
        let mut after = self.control.revision_store.manifest(name);
        after.go_to(number, status);
        self.agree(name, &after).await.map_err(|error| refused(name, error))?;
        self.control.revision_store.note(name, |it| *it = after);
        let installed = self.control.registry.install(&component);
        installed.map_err(|error| refused(name, error.into()))?;
        if let Some(before) = before {
            self.keep_ready(before);
        }
        self.control.revision_store.write_down(name).await;
        self.back_into_the_folder(name, target).await
    }

    /// Writes a restored component to the folder for the next start.
    async fn back_into_the_folder(&self, name: &str, target: &Revision) -> CommandResult<()> {
        // Nodes on one database start with what that has.
        if self.node.is_some()
            || self.stamps.contains_key(name)
            || self.loader.library.bundled().iter().any(|it| it == name)
        {
            return Ok(());
        }
        let source = self.control.revision_store.read(name, &target.digest, &target.origin);
        let put = source.map_or(Ok(()), |it| self.loader.library.put(name, &it.bytes));
        put.map_err(ControlError::Folder)
    }

    /// The version of `target` as it served a while ago: nothing of it has to run.
    ///
    /// The version is configured again in the background, because the other version's data may differ.
    fn ready_again(&self, name: &str, target: &Revision) -> Option<Arc<LoadedComponent>> {
        let ready = self.ready.get(name)?.iter().find(|it| **it.digest() == *target.digest)?;
        let settings = self.loader.settings(name).ok()?;
        let again = Arc::new(ready.as_version(Version::settled(target.number), settings));
        let (component, errors) = (again.clone(), self.control.errors.clone());
        tokio::spawn(async move {
            if let Err(error) = component.configure().await {
                let name = component.name().to_string();
                tracing::error!(component = name, "its settings: {error}");
                let mut errors = errors.lock();
                // Components' messages about settings contain no paths.
                let message = format!("its settings: {error}");
                errors
                    .insert(name, ReportedError { public: message.clone(), message, waits: false });
            }
        });
        Some(again)
    }

    async fn load_again(
        &self,
        name: &str,
        target: &Revision,
    ) -> CommandResult<Arc<LoadedComponent>> {
        let number = target.number;
        let source = self.source(name, &target.digest, &target.origin).await;
        let source = source.map_err(|error| refused(name, error))?;
        let source = source.ok_or_else(|| self.no_generation(name, number))?;
        let manifest = self.control.revision_store.manifest(name);
        let terms = Terms::as_before(Version::settled(number), true, (&manifest, &target.digest));
        let loaded = self.loader.load(name, &source, terms).await;
        Ok(loaded.map_err(|error| refused(name, error))?.component)
    }

    fn no_generation(&self, name: &str, number: u64) -> ControlError {
        let manifest = self.control.revision_store.manifest(name);
        let kept = manifest
            .generations
            .iter()
            .filter(|it| self.control.revision_store.has(name, &it.digest));
        let kept: Vec<_> = kept.map(|it| it.number.to_string()).collect();
        let kept = if kept.is_empty() { "none".to_owned() } else { kept.join(", ") };
        ControlError::NoGeneration { component: name.to_owned(), number, kept }
    }
}

fn refused(name: &str, error: LoadError) -> ControlError {
    ControlError::Load { component: name.to_owned(), source: Box::new(error) }
}
