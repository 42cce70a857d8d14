//! Commands of the operator, and the automatic rollback of a version whose first calls all trapped.

use std::sync::Arc;

use super::{Reloader, builds::BY_OPERATOR};
use crate::{
    control::{Command, ControlError, Order, ReportedError, Result},
    loader::Terms,
    revisions::{Manifest, Pending, Revision, Status},
};
use base::source::{FILE_BYTES_MAX, Source, name_of};
use sandbox::component::{LoadError, LoadedComponent, Version};
use store::blocking;

impl Reloader {
    /// Carries out one command and answers its sender.
    pub(super) async fn execute(&mut self, command: Command) {
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

    async fn load(&mut self, name: &str, bytes: Vec<u8>) -> Result<()> {
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
    async fn put_and_keep(&mut self, name: &str, source: Source) -> Result<()> {
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
    pub(super) fn pending(&self, name: &str, digest: Option<&str>) -> Result<Pending> {
        let pending = self.control.component(name)?.pending;
        let pending = pending.ok_or_else(|| ControlError::NothingPending(name.to_owned()))?;
        match digest.is_none_or(|it| it == pending.digest) {
            true => Ok(pending),
            false => Err(ControlError::AnotherPending(name.to_owned())),
        }
    }

    async fn refuse_pending(&mut self, name: &str, digest: Option<&str>) -> Result<()> {
        let Pending { digest, why, .. } = self.pending(name, digest)?;
        self.control.revision_store.change(name, |it| it.refuse(&digest)).await;
        self.control.errors.lock().remove(name);
        tracing::info!(component = name, digest = &digest[..12], "refused by the operator: {why}");
        Ok(())
    }

    async fn accept(&mut self, name: &str, digest: Option<&str>) -> Result<()> {
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

    async fn unload(&mut self, name: &str) -> Result<()> {
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

    async fn rollback(&mut self, name: &str, to: Option<u64>) -> Result<()> {
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
    async fn give_back(&mut self, name: &str, number: u64) -> Result<()> {
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
    async fn go_to(&mut self, name: &str, target: &Revision, status: Status) -> Result<()> {
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
    async fn back_into_the_folder(&self, name: &str, target: &Revision) -> Result<()> {
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
    pub(super) fn ready_again(
        &self,
        name: &str,
        target: &Revision,
    ) -> Option<Arc<LoadedComponent>> {
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

    async fn load_again(&self, name: &str, target: &Revision) -> Result<Arc<LoadedComponent>> {
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

pub(super) fn refused(name: &str, error: LoadError) -> ControlError {
    ControlError::Load { component: name.to_owned(), source: Box::new(error) }
}
