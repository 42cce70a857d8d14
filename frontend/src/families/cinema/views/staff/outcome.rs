//! An edit of the staff's: what is done, what came of it, and the question before something is removed.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::CatalogueImport;
use serde_json::Value;

use super::Staff;
use super::sheet::Sheet;
use crate::browser;
use crate::error::CallError;
use crate::families::cinema::staff::words::Word;
use crate::families::tell_not_done;
use crate::views::notice::Sure;

/// How many changes are shown.
const SHOWN_MAX: usize = 200;
/// The id of the button that adds one; the keyboard goes there when what opened a form has gone.
pub(super) const ADD: &str = "staff-add";

/// What is done with which film or screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Doing {
    #[default]
    Nothing,
    New,
    Edit(String),
    Remove(String),
}

/// What is done in a part, as `D` has it, and what came of it.
pub(super) struct Editing<D: 'static> {
    pub(super) staff: Staff,
    pub(super) doing: RwSignal<D>,
    pub(super) came: RwSignal<Option<CatalogueImport>>,
    pub(super) error: RwSignal<Option<CallError>>,
    pub(super) is_busy: RwSignal<bool>,
    /// What had the keyboard when it was begun.
    opener: StoredValue<Option<web_sys::Element>, LocalStorage>,
}

impl<D> Clone for Editing<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Editing<D> {}

impl<D: Clone + Default + PartialEq + Send + Sync> Editing<D> {
    pub(super) fn new(staff: Staff) -> Self {
        Self {
            staff,
            doing: RwSignal::new(D::default()),
            came: RwSignal::new(None),
            error: RwSignal::new(None),
            is_busy: RwSignal::new(false),
            opener: StoredValue::new_local(None),
        }
    }

    pub(super) fn start(self, doing: D) {
        self.error.set(None);
        self.came.set(None);
        self.opener.set_value(document().active_element());
        self.doing.set(doing);
    }

    /// Closes what is open, and gives the keyboard back to what opened it.
    pub(super) fn stop(self) {
        self.doing.set(D::default());
        browser::focus_back(self.opener.get_value(), ADD);
    }

    /// Asks whether what was begun is meant.
    pub(super) fn sure(
        self,
        ask: Signal<String>,
        yes: Word,
        on_yes: Callback<()>,
    ) -> impl IntoView + use<D> {
        let on_no = Callback::new(move |()| self.stop());
        view! { <Sure id="staff-no" ask yes no=Word::SureNo on_yes on_no is_busy=self.is_busy/> }
    }

    /// That is done; what was begun meanwhile stays open.
    pub(super) fn finish(self, done: &D) {
        if self.doing.with_untracked(|it| it == done) {
            self.stop();
        }
    }

    /// That came to nothing: it is said where it was done, or by the page where something else was begun meanwhile.
    pub(super) fn fail(self, done: &D, error: CallError) {
        if self.doing.try_with_untracked(|it| it == done) == Some(true) {
            self.error.set(Some(error));
        } else {
            tell_not_done(&error);
        }
    }

    /// Sends an edit; what the cinema finds wrong with a field goes to the `sheet` that has it.
    pub(super) fn send(self, tool: &'static str, arguments: Value, sheet: Option<Sheet>) {
        if self.is_busy.get_untracked() {
            return;
        }
        self.is_busy.set(true);
        self.error.set(None);
        let doing = self.doing.get_untracked();
        spawn_local(async move {
            let done = self.staff.edit(tool, arguments).await;
            let is_here = self.is_busy.try_set(false).is_none();
            match done {
                Ok(came) if is_here => {
                    self.came.set(Some(came));
                    self.finish(&doing);
                }
                Ok(_) => {}
                Err(error) if sheet.is_some_and(|it| it.takes(&error)) => {}
                Err(error) => self.fail(&doing, error),
            }
        });
    }
}

/// What has changed, folded; the live region has said that it did.
#[component]
pub(super) fn Outcome(came: RwSignal<Option<CatalogueImport>>) -> impl IntoView {
    move || {
        came.get().map(|came| {
            let count = came.changes_count.to_string();
            let word = if came.changes_count == 0 { Word::SavedSame } else { Word::Saved };
            let has_any = !came.changes.is_empty();
            let changes = StoredValue::new(came);
            view! {
                <div class="notice staff-saved">
                    <p class="notice-title">{move || word.fill(&[&count])}</p>
                    {has_any.then(|| view! {
                        <details>
                            <summary>{Word::ChangesShow}</summary>
                            <Changes came=changes.get_value()/>
                        </details>
                    })}
                </div>
            }
        })
    }
}

/// The lines of what changes: a sign, in words, and what it is about.
#[component]
pub(super) fn Changes(came: CatalogueImport) -> impl IntoView {
    let shown = came.changes.len().min(SHOWN_MAX);
    let all = usize::try_from(came.changes_count).unwrap_or(usize::MAX);
    let more = all.saturating_sub(shown);
    let line = move |text: String| {
        let (word, class) = match text.chars().next() {
            Some('+') => (Word::ChangeNew, "staff-change is-new"),
            Some('-') => (Word::ChangeGone, "staff-change is-gone"),
            _ => (Word::ChangeOther, "staff-change"),
        };
        let about = text.trim_start_matches(['+', '-', '~']).trim().to_owned();
        view! { <li class=class><b>{word}</b><code>{about}</code></li> }
    };
    view! {
        <ul class="staff-changes">
            {came.changes.into_iter().take(SHOWN_MAX).map(line).collect_view()}
        </ul>
        {(more > 0).then(|| view! {
            <p class="hint">{move || Word::ChangesMore.fill(&[&more.to_string()])}</p>
        })}
    }
}

/// The buttons in a row: one changes what it is about, the other removes it, which the `words` say.
#[component]
pub(super) fn RowActions<D: Clone + Default + PartialEq + Send + Sync + 'static>(
    edits: Editing<D>,
    called: Signal<String>,
    edit: D,
    remove: D,
    words: (Word, Word),
) -> impl IntoView {
    view! {
        <button type="button" class="quiet small"
            aria-label=move || Word::EditNamed.fill(&[&called.get()])
            on:click=move |_| edits.start(edit.clone())>{Word::Edit}</button>
        <button type="button" class="quiet small is-grave"
            aria-label=move || words.1.fill(&[&called.get()])
            on:click=move |_| edits.start(remove.clone())>{words.0}</button>
    }
}

/// The buttons below a form: one saves, the other closes it.
#[component]
pub(super) fn FormActions(
    is_busy: RwSignal<bool>,
    stop: impl Fn() + Send + 'static,
) -> impl IntoView {
    view! {
        <div class="actions">
            <button type="submit" class="main-action"
                aria-disabled=move || is_busy.get().then_some("true")>
                {move || if is_busy.get() { Word::Saving } else { Word::Save }.say()}
            </button>
            <button type="button" class="quiet" on:click=move |_| stop()>{Word::Cancel}</button>
        </div>
    }
}
