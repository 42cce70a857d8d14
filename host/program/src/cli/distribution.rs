//! The commands `madoguchi add | update | outdated | remove | show | push`: components of registries. Added components
//! go into the component folder, where a running server finds them.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, BufRead, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use clap::Args;
use distribution::{
    Error,
    pull::{self, Pulled},
    push,
    reference::{Named, Reference},
    repository::{self, Referrer},
    signatures::{Signed, Signer},
    store::{LockFile, Locked, Store},
};
use host::{Config, config::sentences, revisions::Manifest};
use serde_json::{Value, json};
use workbench::inspect::{Inspection, inspect};

use super::{Json, print_error, print_line, running::TakenUp, with_causes};

/// Adds a component of a registry.
#[derive(Args)]
pub(crate) struct Add {
    /// oci://HOST/NAME:TAG, oci://HOST/NAME@sha256:DIGITS or NAMESPACE:NAME@VERSION
    reference: String,
    /// What it is called here [default: the last part of its name there]
    #[arg(num_args = 0..=2, value_name = "as NAME")]
    rename: Vec<String>,
    #[command(flatten)]
    how: How,
}

/// How a component of a registry is installed.
#[derive(Args, Clone, Copy)]
struct How {
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Take it though it is older than what is installed
    #[arg(long)]
    allow_older: bool,
}

/// Takes what the tags of added components name now.
#[derive(Args)]
pub(crate) struct Update {
    /// The component's name [default: all that were added]
    name: Option<String>,
    /// Another tag than the one that it was taken by
    #[arg(long, value_name = "TAG", requires = "name")]
    to: Option<String>,
    #[command(flatten)]
    how: How,
}

/// Removes a component that was added.
#[derive(Args)]
pub(crate) struct Remove {
    /// The component's name
    name: String,
}

/// Shows a component that was added, or what would be added.
#[derive(Args)]
pub(crate) struct Show {
    /// The component's name, or what `madoguchi add` takes
    name: String,
    #[command(flatten)]
    json: Json,
}

/// Gives a component to a registry.
#[derive(Args)]
pub(crate) struct Push {
    /// The component's file
    file: PathBuf,
    /// oci://HOST/NAME:TAG
    reference: String,
    /// Sign it with the private key in this file (PEM, PKCS#8; Ed25519, or ECDSA with the curve P-256)
    #[arg(long, value_name = "KEY.pem")]
    sign: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

impl Add {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        config.check_registries()?;
        let named: Named = self.reference.parse()?;
        let chosen = match &self.rename[..] {
            [] => None,
            [word, name] if word == "as" => Some(name.clone()),
            _ => bail!("another name is said so: madoguchi add {} as NAME", self.reference),
        };
        let folder = folder(config)?;
        let store = Store::open(&config.data)?;
        let place = pull::resolve(config, named).await?;
        let name = chosen.unwrap_or_else(|| place.last().to_owned());
        let lock = store.lock()?;
        check_name(config, folder, &name, &lock)?;
        install(config, &store, (&name, &place), self.how).await
    }
}

impl Update {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        config.check_registries()?;
        folder(config)?;
        let store = Store::open(&config.data)?;
        let lock = store.lock()?;
        let names = match &self.name {
            Some(name) => vec![(name.clone(), locked(&lock, name)?.clone())],
            None => lock.components.into_iter().collect(),
        };
        let mut code = ExitCode::SUCCESS;
        for (name, locked) in names {
            let place = match &self.to {
                Some(tag) => locked.place()?.with_tag(tag)?,
                None => locked.place()?,
            };
            if place.tag.is_none() {
                print_line(&format!(
                    "{name}: stays at {}, by which it was added; --to TAG takes another",
                    locked.manifest
                ))?;
                continue;
            }
            match install(config, &store, (&name, &place), self.how).await {
                Ok(ended) if ended == ExitCode::SUCCESS => {}
                Ok(ended) => code = ended,
                // A failing one does not stop the others.
                Err(error) if self.name.is_none() => {
                    print_error(&format!("{name}: {}", with_causes(&error)));
                    code = ExitCode::FAILURE;
                }
                Err(error) => return Err(error.context(name)),
            }
        }
        Ok(code)
    }
}

/// Lists the added components of which the registry has something else.
pub(crate) async fn outdated(json: Json, config: &Config) -> anyhow::Result<ExitCode> {
    config.check_registries()?;
    let lock = LockFile::look(&config.data)?;
    let (mut lines, mut objects, mut code) = (Vec::new(), Vec::new(), ExitCode::SUCCESS);
    for (name, locked) in &lock.components {
        match newer(config, locked).await {
            Ok((moved, newest)) => {
                let tag = locked.tag.as_deref().unwrap_or_default();
                if let Some(digest) = &moved {
                    lines.push(format!("{name}: {tag} is another one now, {digest}; madoguchi update {name} takes it"));
                }
                if let Some(newest) = &newest {
                    lines.push(format!("{name}: {newest} is newer than {tag}; madoguchi update {name} --to {newest} takes it"));
                }
                if moved.is_some() || newest.is_some() {
                    objects.push(json!({ "name": name, "tag": locked.tag, "moved": moved, "newest": newest }));
                }
            }
            Err(error) => {
                print_error(&format!("{name}: {error}"));
                code = ExitCode::FAILURE;
            }
        }
    }
    if json.is_wanted {
        lines = vec![serde_json::to_string_pretty(&json!({ "outdated": objects }))?];
    } else if lines.is_empty() && code == ExitCode::SUCCESS {
        lines.push("Everything that was added is as its registry has it.".to_owned());
    }
    lines.iter().try_for_each(|it| print_line(it))?;
    Ok(code)
}

/// The tag's new digest, if it changed, and a newer version's tag.
async fn newer(
    config: &Config,
    locked: &Locked,
) -> Result<(Option<String>, Option<String>), Error> {
    let place = locked.place()?;
    let Some(tag) = &place.tag else { return Ok((None, None)) };
    let now = pull::digest(config, &place).await?;
    let tags = repository::tags(config, &place).await?;
    Ok(((now != locked.manifest).then(|| now.to_string()), repository::newest(&tags, tag)))
}

impl Remove {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        config.check_registries()?;
        let (name, folder) = (&self.name, folder(config)?);
        let store = Store::open(&config.data)?;
        let mut lock = store.lock()?;
        locked(&lock, name)?;
        TakenUp::unload(config, name).await?;
        let file = file(folder, name);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| file.display().to_string());
            }
            _ => {}
        }
        lock.components.remove(name);
        store.keep(&lock)?;
        collect(config, &store, &lock)?;
        print_line(&format!("{name}: removed"))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Show {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        config.check_registries()?;
        let lock = LockFile::look(&config.data)?;
        let Some(locked) = lock.components.get(&self.name) else {
            let place = match self.name.parse() {
                Ok(named) => pull::resolve(config, named).await?,
                Err(_) => {
                    bail!("{} was not added from a registry, and is no reference to one", self.name)
                }
            };
            let pulled = pull::pull(config, place.last(), &place).await?;
            let found = inspect(place.last(), &pulled.component, config).await?;
            match self.json.is_wanted {
                true => print_line(&serde_json::to_string_pretty(&object(&pulled, &found))?)?,
                false => lines(&pulled, &found).iter().try_for_each(|it| print_line(it))?,
            }
            return Ok(ExitCode::SUCCESS);
        };
        let about = pull::about(config, &locked.place()?, &locked.manifest).await;
        let state = state(config, &self.name, locked);
        if self.json.is_wanted {
            let mut object = serde_json::to_value(locked)?;
            object["file"] = state.into();
            object["referrers"] = json!(about.as_ref().ok());
            print_line(&serde_json::to_string_pretty(&object)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let tag = locked.tag.as_ref().map(|it| format!(":{it}")).unwrap_or_default();
        print_line(&format!(
            "{}: {}{tag}, installed at {}",
            self.name, locked.reference, locked.installed_at
        ))?;
        print_line(&format!("  manifest   {}", locked.manifest))?;
        print_line(&format!("  component  {} ({state})", locked.component))?;
        print_line(&format!(
            "  signed by  {}",
            locked.signer.as_deref().unwrap_or("nothing that was verified")
        ))?;
        match about {
            Ok(about) => {
                referrers(&about).iter().try_for_each(|it| print_line(&format!("  {it}")))?
            }
            Err(error) => print_error(&error.to_string()),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// State of the component's file in the component folder.
fn state(config: &Config, name: &str, locked: &Locked) -> &'static str {
    let folder = config.components_folder.as_deref();
    let bytes = folder.and_then(|it| fs::read(file(it, name)).ok());
    match bytes.map(|it| host::digest::digest(&it) == locked.component.digits()) {
        Some(true) => "as in the component folder",
        Some(false) => "the component folder has other bytes",
        None => "not in the component folder",
    }
}

impl Push {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        config.check_registries()?;
        let Named::Reference(place) = self.reference.parse()? else {
            bail!("name the very place to push to: oci://HOST/NAME:TAG");
        };
        let bytes =
            host::source::read(&self.file).with_context(|| self.file.display().to_string())?;
        let signer = self.sign.as_deref().map(Signer::read).transpose()?;
        let pushed = push::push(config, &place, bytes.bytes, &made_at()?, signer.as_ref()).await;
        let pushed = pushed.with_context(|| self.file.display().to_string())?;
        if self.json.is_wanted {
            let object = json!({ "reference": place.to_string(), "manifest": pushed.digest, "component": pushed.component });
            print_line(&serde_json::to_string_pretty(&object)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        print_line(&format!("{place}: pushed"))?;
        print_line(&format!("  manifest   {}", pushed.digest))?;
        print_line(&format!("  component  {}", pushed.component))?;
        if let Some(signer) = signer {
            print_line("  signed; who takes it verifies that by this key:")?;
            print_line(signer.public().trim_end())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Creation time of a pushed component: `SOURCE_DATE_EPOCH` for reproducibility, or now.
fn made_at() -> anyhow::Result<String> {
    let now = jiff::Timestamp::now().as_second();
    let epoch_variable = std::env::var("SOURCE_DATE_EPOCH").ok().filter(|it| !it.is_empty());
    let second = epoch_variable.map_or(Ok(now), |it| it.parse()).context("SOURCE_DATE_EPOCH")?;
    Ok(jiff::Timestamp::from_second(second).context("SOURCE_DATE_EPOCH")?.to_string())
}

fn folder(config: &Config) -> anyhow::Result<&Path> {
    let folder = config.components_folder.as_deref();
    folder.context(
        "there is no component folder to add to: --components FOLDER, MADOGUCHI_COMPONENTS or components_folder in the configuration names one",
    )
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.wasm"))
}

fn locked<'a>(lock: &'a LockFile, name: &str) -> anyhow::Result<&'a Locked> {
    lock.components.get(name).with_context(|| {
        let names: Vec<_> = lock.components.keys().map(String::as_str).collect();
        let names = if names.is_empty() { "nothing was".to_owned() } else { names.join(", ") };
        format!("{name} was not added from a registry; {names}")
    })
}

/// Stands against names that no component may have, and against those of others.
fn check_name(config: &Config, folder: &Path, name: &str, lock: &LockFile) -> anyhow::Result<()> {
    if host::source::name_of(format!("{name}.wasm").as_ref()).is_none_or(|it| it != name) {
        bail!("{name:?} is no component's name: {}; say another one: as NAME", host::source::NAMES);
    }
    if config.embedded.component(name).is_some() {
        bail!(
            "{name} is a component of this program, whose grants it would have; say another name: as NAME"
        );
    }
    if !lock.components.contains_key(name) && file(folder, name).exists() {
        bail!(
            "{} is there and was not added from a registry; say another name (as NAME), or move it away",
            file(folder, name).display()
        );
    }
    Ok(())
}

/// Takes what `place` names, shows it, asks, and puts it into the component folder.
async fn install(
    config: &Config,
    store: &Store,
    (name, place): (&str, &Reference),
    how: How,
) -> anyhow::Result<ExitCode> {
    let folder = folder(config)?;
    let mut lock = store.lock()?;
    let pulled = pull::pull(config, name, place).await?;
    let before = lock.components.get(name);
    let bytes = fs::read(file(folder, name));
    let is_there =
        bytes.is_ok_and(|it| host::digest::digest(&it) == pulled.component_digest.digits());
    let is_same = |it: &Locked| it.manifest == pulled.manifest_digest && it.tag == place.tag;
    if is_there && before.is_some_and(is_same) {
        print_line(&format!("{name}: {place} is what is installed"))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(before) = before.filter(|_| !how.allow_older) {
        before.check_not_older(&pulled)?;
    }
    let found = inspect(name, &pulled.component, config).await;
    let found = found.with_context(|| format!("{place}: it is no component that serves here"))?;
    lines(&pulled, &found).iter().try_for_each(|it| print_line(it))?;
    if !how.yes && !ask(&format!("Install it as {name}? [y/N] "))? {
        print_line(&format!("{name}: nothing was changed"))?;
        return Ok(ExitCode::FAILURE);
    }
    let server = TakenUp::look(config, name).await?;
    store.put(&pulled.component_digest, &pulled.component)?;
    store.put(&pulled.manifest_digest, &pulled.manifest)?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let to = file(folder, name);
    host::source::write(&to, &pulled.component).with_context(|| to.display().to_string())?;
    lock.note(name, &pulled, host::revisions::timestamp());
    store.keep(&lock)?;
    collect(config, store, &lock)?;
    match server {
        Some(server) => server.wait(pulled.component_digest.digits()).await,
        None => {
            print_line(&format!("{name}: installed; it serves from the next start"))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Removes what neither the lock file nor a revision needs. What cannot be read of revisions removes nothing.
fn collect(config: &Config, store: &Store, lock: &LockFile) -> anyhow::Result<()> {
    let mut also = BTreeSet::new();
    for entry in fs::read_dir(config.data.join("generations")).into_iter().flatten().flatten() {
        let Ok(text) = fs::read(entry.path().join("manifest.json")) else { continue };
        let Ok(manifest) = serde_json::from_slice::<Manifest>(&text) else { return Ok(()) };
        also.extend(manifest.kept().into_iter().map(str::to_owned));
    }
    store.collect(lock, &also)?;
    Ok(())
}

fn ask(question: &str) -> io::Result<bool> {
    let mut out = io::stdout();
    out.write_all(question.as_bytes())?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if !answer.ends_with('\n') {
        print_line("")?;
    }
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Describes a component before installation.
fn lines(pulled: &Pulled, found: &Inspection) -> Vec<String> {
    let mut lines = vec![format!("{}", pulled.reference)];
    lines.push(format!("  manifest   {}", pulled.manifest_digest));
    let bytes = pulled.component.len();
    lines.push(format!("  component  {} ({bytes} bytes)", pulled.component_digest));
    lines.extend(pulled.created.iter().map(|it| format!("  made       {it}")));
    lines.push(format!("  {}", signed(&pulled.signed)));
    lines.extend(referrers(&pulled.referrers).into_iter().map(|it| format!("  {it}")));
    lines.extend(
        pulled.left_out.iter().map(|it| format!("  A layer beside it is not taken: {it}.")),
    );
    lines.push("What it can touch, once it is granted, and nothing else:".to_owned());
    lines.extend(found.touches().into_iter().map(|it| format!("  {it}")));
    if let Some(Ok(asked)) = found.defaults.as_ref().map(|it| sentences(&found.name, it)) {
        lines.push("What it asks for, and does not have before it is accepted:".to_owned());
        lines.extend(asked.into_iter().map(|it| format!("  it {it}")));
    }
    let tools: Vec<_> = found.tools.iter().filter_map(|it| it["name"].as_str()).collect();
    lines.push(match (&found.trouble, tools.is_empty()) {
        (Some(trouble), _) => format!("What it offers cannot be told: {trouble}"),
        (None, true) => "It offers no tools.".to_owned(),
        (None, false) => format!("It offers {}.", tools.join(", ")),
    });
    if let Some(refused) = &found.refused {
        lines.push(format!(
            "It waits, or does not serve, with the present configuration: {refused}"
        ));
    }
    lines
}

fn object(pulled: &Pulled, found: &Inspection) -> Value {
    json!({
        "reference": pulled.reference.to_string(), "manifest": pulled.manifest_digest,
        "component": pulled.component_digest, "created": pulled.created,
        "signer": pulled.signed.signer(), "referrers": pulled.referrers, "touches": found.touches(),
        "inspection": found,
    })
}

fn signed(signed: &Signed) -> String {
    match signed {
        Signed::By(signer) => format!("It is signed by {signer}, as the configuration requires."),
        Signed::Unchecked(0) => {
            "It is not signed, and the configuration requires no signature.".to_owned()
        }
        Signed::Unchecked(number) => format!(
            "The configuration requires no signature; of {number} beside it, none was verified."
        ),
    }
}

fn referrers(all: &[Referrer]) -> Vec<String> {
    let line =
        |it: &Referrer| format!("beside it: {} ({} bytes, {})", it.media_type, it.size, it.digest);
    all.iter().map(line).collect()
}
