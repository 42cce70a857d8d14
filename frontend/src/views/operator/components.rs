//! The components: pending ones first, then the upload, then the list.

use std::time::Duration;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{File, FileList};

use super::component::Row;
use super::report::Inventory;
use super::waiting::{WAITING, Waiting, WaitingTools};
use crate::browser;
use crate::error::CallError;
use crate::operator::data::Components;
use crate::operator::{Operator, Sent, repeat, units};
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::drop::FileDrop;
use crate::views::notice::{Empty, Notice};

const EVERY: Duration = Duration::from_secs(5);

/// The view `Components`; the component `named` by the address is open.
#[component]
pub(super) fn ComponentsView(named: Memo<Option<String>>) -> impl IntoView {
    let operator: Operator = expect_context();
    let inventory = Inventory::new(operator);
    repeat(
        EVERY,
        move || inventory.is_busy.try_get_untracked() == Some(false),
        move || inventory.fetch(),
    );
    inventory.all.shown(
        move || inventory.fetch(),
        move || {
            any_view! {
                <Waiting inventory/>
                <WaitingTools inventory/>
                <List inventory named/>
                <Load inventory/>
            }
        },
    )
}

#[component]
fn List(inventory: Inventory, named: Memo<Option<String>>) -> impl IntoView {
    let names = Memo::new(move |_| {
        let names = |all: &Vec<_>| -> Vec<String> {
            all.iter().map(|it: &crate::operator::data::Component| it.name.clone()).collect()
        };
        inventory.all.found.with(|it| it.ready().map(names).unwrap_or_default())
    });
    let is_empty = Memo::new(move |_| names.with(Vec::is_empty));
    let missing = move || named.get().filter(|it| names.with(|all| !all.contains(it)));
    view! {
        <section class="op-part" aria-labelledby="op-components">
            <h2 id="op-components" class="section-title">
                {Key::OperatorComponents}
                <span class="count">{move || names.with(Vec::len)}</span>
            </h2>
            {move || missing().map(|name| view! {
                <p class="notice">{Key::OperatorNoSuch.fill(&[&name])}</p>
            })}
            {move || is_empty.get().then(|| view! {
                <Empty title=Key::OperatorNone hint=Key::OperatorNoneHint/>
            })}
            <ul class="op-list">
                <For each=move || names.get() key=Clone::clone let:name>
                    <li><Row inventory name named/></li>
                </For>
            </ul>
        </section>
    }
}

/// Ids of the file button and the name field.
const CHOOSE: &str = "op-load-choose";
const NAME: &str = "op-load-name";

impl Sent {
    /// The result as a sentence.
    fn title(&self, lang: Lang) -> String {
        match self {
            Self::Serves(name, number) => {
                lang.fill(Key::OperatorLoaded, &[name, &number.to_string()])
            }
            Self::Waits(name) => lang.fill(Key::OperatorLoadWaits, &[name]),
            Self::Refused(name, _) => lang.fill(Key::OperatorLoadRefused, &[name]),
            Self::Wrong(file, size) => wrong_file(file, *size, lang).unwrap_or_default(),
            Self::Failed(error) => error.title(lang).to_owned(),
        }
    }

    fn why(&self, lang: Lang) -> Option<String> {
        match self {
            Self::Waits(_) => Some(lang.say(Key::OperatorLoadWaitsHint).to_owned()),
            Self::Refused(_, error) => Some(error.advice(lang)),
            _ => None,
        }
    }
}

/// State of the upload form.
#[derive(Clone, Copy)]
struct LoadForm {
    inventory: Inventory,
    file: RwSignal<Option<File>, LocalStorage>,
    name: RwSignal<String>,
    is_name_wrong: RwSignal<bool>,
    is_sending: RwSignal<bool>,
}

impl LoadForm {
    /// Takes the first of the chosen files.
    fn choose(self, files: &FileList) {
        let Some(file) = files.get(0) else { return };
        // Sizes are integers below 2^53.
        let (name, size) = (file.name(), file.size() as u64);
        let lang = Lang::now();
        if let Some(wrong) = wrong_file(&name, size, lang) {
            self.file.set(None);
            self.inventory.operator.sent.set(Some(Sent::Wrong(name, size)));
            return page().announce(wrong);
        }
        self.inventory.operator.sent.set(None);
        self.is_name_wrong.set(false);
        self.name.set(name_of(&name));
        self.file.set(Some(file));
        browser::focus_soon(NAME);
    }

    fn clear(self) {
        self.file.set(None);
        browser::focus_soon(CHOOSE);
    }

    fn send(self) {
        let Some(file) = self.file.get_untracked() else { return };
        let name = self.name.get_untracked().trim().to_owned();
        if self.is_sending.get_untracked() {
            return;
        }
        if !is_name(&name) {
            self.is_name_wrong.set(true);
            return browser::focus(NAME);
        }
        self.is_name_wrong.set(false);
        self.is_sending.set(true);
        let Inventory { operator, .. } = self.inventory;
        operator.sent.set(None);
        page().announce_key(Key::OperatorSending);
        let waited = untrack(|| self.waiting(&name));
        spawn_local(async move {
            let answer = operator.load(&name, &file).await;
            // The view may have been left; the result is reported all the same.
            let waits = match &answer {
                Ok(_) => None,
                Err(_) => waiting(operator, &name).await,
            };
            self.inventory.fetch().await;
            let is_left = self.is_sending.try_set(false).is_some();
            let result = match answer {
                Ok(installed) => Sent::Serves(name, installed.generation.unwrap_or_default()),
                Err(error) if waits.is_some() && is_put_off(&error, waits != waited) => {
                    Sent::Waits(name)
                }
                Err(CallError::Refused(it)) if it.status == 422 => {
                    Sent::Refused(name, CallError::Refused(it))
                }
                Err(error) => Sent::Failed(error),
            };
            self.report(result, is_left);
        });
    }

    /// Shows and announces the result; an accepted file is dropped.
    fn report(self, result: Sent, is_left: bool) {
        let lang = Lang::now();
        // A visible error notice announces itself.
        if is_left || !matches!(result, Sent::Failed(_)) {
            let why = result.why(lang).unwrap_or_default();
            page().announce(format!("{} {why}", result.title(lang)));
        }
        if matches!(result, Sent::Serves(..) | Sent::Waits(_)) {
            let _ = self.file.try_set(None);
        }
        self.inventory.operator.sent.set(Some(result));
        browser::focus_if_lost(CHOOSE);
    }

    /// The digest of the pending build of that name.
    fn waiting(self, name: &str) -> Option<String> {
        self.inventory.read(name, |it| it.pending.as_ref().map(|it| it.digest.clone())).flatten()
    }
}

/// The digest of the pending build of that name, fetched now.
async fn waiting(operator: Operator, name: &str) -> Option<String> {
    let found = operator.get::<Components>("components").await.ok()?;
    let own = found.components.into_iter().find(|it| it.name == name)?;
    own.pending.map(|it| it.digest)
}

/// Whether a build was not refused but is pending.
fn is_put_off(error: &CallError, is_new: bool) -> bool {
    let CallError::Refused(refusal) = error else { return false };
    refusal.status == 422 && (is_new || refusal.message.contains("madoguchi accept"))
}

/// The drop zone, the form, and the result.
#[component]
pub(super) fn Load(inventory: Inventory) -> impl IntoView {
    let form = LoadForm {
        inventory,
        file: RwSignal::new_local(None),
        name: RwSignal::new(String::new()),
        is_name_wrong: RwSignal::new(false),
        is_sending: RwSignal::new(false),
    };
    let id = |it: &str| it.to_owned();
    let has_file = move || form.file.with(Option::is_some);
    // A build that the operator has decided on is no longer pending.
    let result = Memo::new(move |_| {
        let is_true = |it: &Sent| match it {
            Sent::Waits(name) => form.waiting(name).is_some(),
            _ => true,
        };
        inventory.operator.sent.get().filter(is_true)
    });
    view! {
        <section class="op-part" aria-labelledby="op-load">
            <h2 id="op-load" class="section-title">{Key::OperatorLoad}</h2>
            <FileDrop ids=[id(CHOOSE), id("op-load-file"), id("op-load-rules")] accept=id(".wasm")
                texts=[Key::OperatorDrop.into(), Key::OperatorChooseFile.into()]
                is_shut=form.is_sending take=move |files: &FileList| form.choose(files)>
                <p class="drop-rules" id="op-load-rules">{Key::OperatorLoadRules}</p>
            </FileDrop>
            {move || has_file().then(|| view! { <Naming form/> })}
            {move || result.get().map(|result| view! { <Outcome result/> })}
        </section>
    }
}

/// The chosen file, its component name, and the upload button.
#[component]
fn Naming(form: LoadForm) -> impl IntoView {
    let about = form.file.with_untracked(|file| {
        file.as_ref().map(|it| format!("{} · {}", it.name(), units::bytes(it.size() as u64)))
    });
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        form.send();
    };
    let becomes = move || {
        let name = form.name.get().trim().to_owned();
        match form.inventory.read(&name, |_| ()) {
            Some(()) => Key::OperatorNameKnown.fill(&[&name]),
            None => Key::OperatorNameNew.say().to_owned(),
        }
    };
    let wrong = move || form.is_name_wrong.get().then_some(Key::OperatorNameWrong);
    view! {
        <form class="op-card op-load" on:submit=submit novalidate
            aria-busy=move || form.is_sending.get().to_string()>
            <p class="file-name">{about}</p>
            <div class="field">
                <label class="label" for=NAME>{Key::Name}</label>
                <input id=NAME type="text" autocomplete="off" spellcheck="false" autocapitalize="off"
                    maxlength=NAME_MAX required readonly=form.is_sending
                    aria-describedby="op-load-becomes op-load-hint op-load-wrong"
                    aria-invalid=move || form.is_name_wrong.get().to_string()
                    prop:value=form.name
                    on:input=move |event| {
                        form.is_name_wrong.set(false);
                        form.name.set(event_target_value(&event));
                    }/>
                <p id="op-load-becomes">{becomes}</p>
                <p id="op-load-hint" class="hint">{Key::OperatorNameHint}</p>
                <p id="op-load-wrong" class="error" role="alert">{wrong}</p>
            </div>
            <div class="actions">
                <button type="submit" class="main-action"
                    aria-disabled=move || form.is_sending.get().to_string()>
                    {move || match form.is_sending.get() {
                        true => Key::OperatorSending,
                        false => Key::OperatorSend,
                    }.say()}
                </button>
                <button type="button" class="quiet" disabled=form.is_sending
                    on:click=move |_| form.clear()>{Key::OperatorSendNot}</button>
            </div>
        </form>
    }
}

/// The result, also announced.
#[component]
fn Outcome(result: Sent) -> impl IntoView {
    if let Sent::Failed(error) = result {
        return any_view! { <Notice error/> };
    }
    let is_bad = matches!(result, Sent::Refused(..) | Sent::Wrong(..));
    let waits = matches!(result, Sent::Waits(_));
    let result = StoredValue::new(result);
    let go = move |_| {
        browser::reveal(WAITING);
        browser::focus(WAITING);
    };
    any_view! {
        <div class="notice" class:is-error=is_bad>
            <p class="notice-title">{move || result.with_value(|it| it.title(Lang::spoken()))}</p>
            <p>{move || result.with_value(|it| it.why(Lang::spoken()))}</p>
            {waits.then(|| view! {
                <button type="button" class="quiet small" on:click=go>{Key::OperatorLoadWaitsGo}</button>
            })}
        </div>
    }
}

/// The host's maximum size.
const BYTES_MAX: u64 = 64 << 20;
/// Maximum number of characters of a component's name.
pub(crate) const NAME_MAX: usize = 64;

/// Why a file cannot be sent.
fn wrong_file(file: &str, size: u64, lang: Lang) -> Option<String> {
    if !file.to_lowercase().ends_with(".wasm") {
        return Some(lang.fill(Key::OperatorNotWasm, &[file]));
    }
    match size {
        0 => Some(lang.fill(Key::OperatorEmptyFile, &[file])),
        1..=BYTES_MAX => None,
        _ => Some(lang.fill(Key::OperatorTooLarge, &[file, &units::bytes(size)])),
    }
}

/// A component's name for a file name, without the number of a repeated download.
pub(crate) fn name_of(file: &str) -> String {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = match base.rsplit_once('.') {
        Some((stem, ending)) if ending.eq_ignore_ascii_case("wasm") => stem,
        _ => base,
    };
    let numbered = stem.strip_suffix(')').and_then(|it| it.rsplit_once(" ("));
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    numbered.filter(|it| is_number(it.1)).map_or(stem, |it| it.0).to_owned()
}

/// Whether a component name is valid.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || b"-_".contains(&it);
    (1..=NAME_MAX).contains(&name.len())
        && name.as_bytes()[0].is_ascii_lowercase()
        && name.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Refusal;

    fn refused(status: u16, message: &str) -> CallError {
        let message = message.to_owned();
        CallError::Refused(Box::new(Refusal { status, message, ..Refusal::default() }))
    }

    #[test]
    fn distinguishes_pending_from_refused_build() {
        assert!(is_put_off(&refused(422, "sky: refused: it asks"), true));
        assert!(is_put_off(
            &refused(422, "it waits to be allowed, with: madoguchi accept sky"),
            false
        ));
        assert!(!is_put_off(&refused(422, "it is no component"), false), "an older one waits");
        assert!(!is_put_off(&refused(403, "no"), true) && !is_put_off(&CallError::Offline, true));
    }

    #[test]
    fn suggests_component_name_from_file() {
        for (file, expected) in [
            ("weather.wasm", "weather"),
            ("weather.WASM", "weather"),
            ("my-tool_2.wasm", "my-tool_2"),
            ("weather (1).wasm", "weather"),
            ("weather (x).wasm", "weather (x)"),
            ("weather", "weather"),
            (".wasm", ""),
        ] {
            assert_eq!(name_of(file), expected, "{file}");
        }
    }

    #[test]
    fn accepts_component_names_the_host_accepts() {
        for good in ["a", "weather", "my-tool_2"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "2a", "Weather", "a b", "天気", &"a".repeat(65)] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn rejects_empty_large_and_foreign_files() {
        assert_eq!(wrong_file("a.wasm", 1, Lang::En), None);
        assert_eq!(wrong_file("a.wasm", BYTES_MAX, Lang::En), None);
        let large = wrong_file("a.wasm", BYTES_MAX + (10 << 20), Lang::En);
        assert_eq!(large.as_deref(), Some("a.wasm has 74 MB; at most 64 MB can be loaded."));
        assert!(
            wrong_file("a.wasm", 0, Lang::Ja).is_some()
                && wrong_file("a.zip", 9, Lang::Ja).is_some()
        );
    }
}
