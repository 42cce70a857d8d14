//! Watches the component folder and the settings' files: loads, self-tests and installs what is
//! new, and keeps what served before where the new is no good.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use notify::Watcher;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    component::LoadError,
    grants::hosts::Hosts,
    library::{Library, Source, Stamp},
    loader::{Loaded, Loader, blocking},
    reach,
    registry::Registry,
    settings::{self, Settings},
};

/// Events that come within this time are one change: a copy writes in many pieces.
const DEBOUNCE: Duration = Duration::from_millis(20);
/// How often to look where no event tells: some file systems have none.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// A file that is away for less than this is being replaced, not removed.
const REMOVED_AFTER: Duration = Duration::from_secs(1);

/// What is wrong with which component, for `/api/health` and the operator.
pub(crate) type Troubles = Arc<Mutex<BTreeMap<String, String>>>;

/// Brings components from the library to the registry.
pub(crate) struct Reloader {
    library: Library,
    loader: Loader,
    registry: Registry,
    troubles: Troubles,
    seen: BTreeMap<String, Stamp>,
    settings_seen: BTreeMap<String, (settings::Stamp, reach::Stamp)>,
    missing: BTreeMap<String, Instant>,
}

impl Reloader {
    pub(crate) fn new(
        library: Library,
        loader: Loader,
        registry: Registry,
        troubles: Troubles,
    ) -> Self {
        Self {
            library,
            loader,
            registry,
            troubles,
            seen: BTreeMap::new(),
            settings_seen: BTreeMap::new(),
            missing: BTreeMap::new(),
        }
    }

    /// Installs each component from the first source that is good: the folder, the last good
    /// version, the binary.
    pub(crate) async fn start(&mut self) {
        self.seen = self.library.files().into_iter().collect();
        let mut names: BTreeSet<String> = self.seen.keys().cloned().collect();
        names.extend(self.library.bundled());
        names.retain(|it| self.loader.config().component(it).enabled != Some(false));
        let this = &*self;
        let first = names.iter().map(async |name| (name, this.first_good(name).await));
        // Compiled side by side, installed in the order of their names.
        for (name, found) in futures::future::join_all(first).await {
            if let Some((loaded, source)) = found
                && let Err(error) = self.install(name, loaded, &source).await
            {
                self.refuse(name, &source.origin, &error);
            }
        }
        for name in &names {
            self.settings_seen.insert(name.clone(), self.loader.settings_stamp(name));
        }
    }

    /// Looks for changes until `stop`.
    pub(crate) async fn watch(mut self, stop: CancellationToken) {
        let (sender, mut events) = mpsc::channel(1);
        let watcher = self.watcher(sender);
        let mut tick = tokio::time::interval(LOOK_EVERY);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = tick.tick() => {}
                _ = events.recv() => {
                    tokio::time::sleep(DEBOUNCE).await;
                    while events.try_recv().is_ok() {}
                }
            }
            self.look().await;
        }
        drop(watcher);
    }

    fn watcher(&self, sender: mpsc::Sender<()>) -> Option<notify::RecommendedWatcher> {
        let folder = self.library.folder()?;
        let ring = move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|it| !it.kind.is_access()) {
                // A full channel has a ring waiting already.
                let _ = sender.try_send(());
            }
        };
        let watcher = notify::recommended_watcher(ring).and_then(|mut it| {
            it.watch(folder, notify::RecursiveMode::NonRecursive)?;
            Ok(it)
        });
        watcher
            .inspect_err(|error| {
                tracing::warn!(
                    "{}: no news of changes ({error}); looking every 2 s",
                    folder.display()
                );
            })
            .ok()
    }

    /// Acts on everything that has changed since the last look.
    async fn look(&mut self) {
        let files: BTreeMap<_, _> = self.library.files().into_iter().collect();
        for (name, stamp) in &files {
            self.missing.remove(name);
            if self.seen.insert(name.clone(), *stamp).as_ref() != Some(stamp) {
                self.replace(name).await;
            }
        }
        let gone: Vec<_> =
            self.seen.keys().filter(|it| !files.contains_key(*it)).cloned().collect();
        for name in gone {
            let since = *self.missing.entry(name.clone()).or_insert_with(Instant::now);
            if since.elapsed() >= REMOVED_AFTER {
                self.remove(&name).await;
            }
        }
        let served: Vec<_> =
            self.registry.catalog().components().map(|it| it.name().to_string()).collect();
        for name in served {
            let stamp = self.loader.settings_stamp(&name);
            let before = self.settings_seen.insert(name.clone(), stamp.clone());
            if before.is_some_and(|it| it != stamp) {
                self.reconfigure(&name).await;
            }
        }
    }

    /// Puts the folder's file in place of what serves now, if it is another and good.
    async fn replace(&mut self, name: &str) {
        if self.loader.config().component(name).enabled == Some(false) {
            return;
        }
        let began = Instant::now();
        let source = match self.read(name).await {
            Ok(source) => source,
            Err(error) => return self.refuse(name, name, &error),
        };
        let serving = self.registry.catalog().component(name).cloned();
        if serving.as_ref().is_some_and(|it| **it.digest() == source.digest) {
            self.troubles().remove(name);
            return;
        }
        let loaded = self.loader.load(name, &source, serving.is_some()).await;
        let installed = match loaded {
            Ok(loaded) => self.install(name, loaded, &source).await,
            Err(error) => Err(error),
        };
        match installed {
            Ok(()) => tracing::info!(
                component = name,
                digest = &source.digest[..12],
                "{} after {:.0?}",
                if serving.is_some() { "replaced" } else { "installed" },
                began.elapsed()
            ),
            Err(error) => self.refuse(name, &source.origin, &error),
        }
    }

    /// Takes a component away whose file is gone; a bundled one goes back to what it was.
    async fn remove(&mut self, name: &str) {
        self.seen.remove(name);
        self.missing.remove(name);
        self.library.forget_good(name);
        self.troubles().remove(name);
        if let Some(source) = self.library.read_bundled(name) {
            let installed = match self.loader.load(name, &source, true).await {
                Ok(loaded) => self.install(name, loaded, &source).await,
                Err(error) => Err(error),
            };
            match installed {
                Ok(()) => tracing::info!(component = name, "back to the bundled version"),
                Err(error) => self.refuse(name, &source.origin, &error),
            }
            return;
        }
        self.registry.remove(name);
        self.loader.metrics().swapped();
        tracing::info!(component = name, "removed, for its file is gone");
    }

    /// Lets a component prepare itself anew from its settings, whose files have changed.
    async fn reconfigure(&self, name: &str) {
        let Some(serving) = self.registry.catalog().component(name).cloned() else { return };
        let settings = match self.loader.settings(name) {
            Ok(settings) => settings,
            Err(error) => return self.refuse(name, "its settings", &error.into()),
        };
        let http = match self.loader.http(name) {
            (http, None) => http,
            (_, Some(error)) => return self.refuse(name, "its secrets", &error.into()),
        };
        let reach = match self.loader.reach(name).await {
            Ok((reach, None)) => reach,
            Ok((_, Some(error))) => return self.refuse(name, "its grants", &error.into()),
            Err(error) => return self.refuse(name, "its grants", &error),
        };
        let next = Arc::new(serving.with_settings(settings, http, reach));
        match next.configure().await {
            Ok(()) => {
                self.registry.refresh(&next);
                self.troubles().remove(name);
                tracing::info!(component = name, "took over its changed settings");
            }
            Err(error) => self.refuse(name, "its settings", &error),
        }
    }

    async fn first_good(&self, name: &str) -> Option<(Loaded, Source)> {
        let file = self.seen.contains_key(name).then(|| self.library.read(name));
        let file = file
            .and_then(|it| it.inspect_err(|error| self.warn(name, name, &error.to_string())).ok());
        let sources = [file, self.library.read_good(name), self.library.read_bundled(name)];
        // The good version stands in for a file that is bad, not for one that is bundled.
        let in_folder = self.seen.contains_key(name);
        let sources = sources.into_iter().enumerate().filter(|(at, _)| *at != 1 || in_folder);
        for source in sources.filter_map(|(_, it)| it) {
            match self.loader.load(name, &source, false).await {
                Ok(loaded) => return Some((loaded, source)),
                Err(error) => self.warn(name, &source.origin, &error.to_string()),
            }
        }
        None
    }

    /// The folder's file of that name, read and digested off the async workers.
    async fn read(&self, name: &str) -> Result<Source, LoadError> {
        let (library, name) = (self.library.clone(), name.to_owned());
        blocking(move || Ok(library.read(&name)?)).await
    }

    async fn install(&self, name: &str, loaded: Loaded, source: &Source) -> Result<(), LoadError> {
        self.registry.install(&loaded.component)?;
        self.loader.metrics().swapped();
        if source.origin.ends_with(".wasm") {
            let (library, kept) = (self.library.clone(), (name.to_owned(), source.clone()));
            let keep = blocking(move || Ok(library.keep_good(&kept.0, &kept.1)?));
            if let Err(error) = keep.await {
                tracing::warn!(component = name, "the good version cannot be kept: {error}");
            }
        }
        match loaded.trouble {
            Some(error) => self.refuse(name, "its settings", &error),
            // A stand-in serves for a bad file: the trouble stays until the file is good.
            None if source.origin.ends_with(".wasm") => _ = self.troubles().remove(name),
            None => {}
        }
        Ok(())
    }

    fn refuse(&self, name: &str, origin: &str, error: &LoadError) {
        self.warn(name, origin, &error.to_string());
    }

    fn warn(&self, name: &str, origin: &str, error: &str) {
        self.loader.metrics().load_failed();
        let serving = self.registry.catalog().component(name).is_some();
        let kept = if serving { "; the version before keeps serving" } else { "" };
        tracing::error!(component = name, "{origin}: refused: {error}{kept}");
        self.troubles().insert(name.to_owned(), format!("{origin}: {error}{kept}"));
    }

    fn troubles(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.troubles.lock().unwrap_or_else(|it| it.into_inner())
    }
}

impl Loader {
    /// What it takes from files: its settings and secrets, and the files and folders themselves.
    fn settings_stamp(&self, name: &str) -> (settings::Stamp, reach::Stamp) {
        let (config, base) = (self.config().component(name), &self.config().base);
        let secrets = Hosts::files(&config.http.unwrap_or_default(), base);
        (Settings::stamp(&config.settings, base, secrets), self.reach_stamp(name))
    }
}
