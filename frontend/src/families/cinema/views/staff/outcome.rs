//! An edit in the admin views: the action, its outcome, and the confirmation before a removal.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::CatalogueImport;
use serde_json::Value;

use super::Staff;
use super::sheet::Sheet;
use crate::browser;
use crate::error::CallError;
use crate::families::cinema::staff::words::Text;
use crate::families::report_failure;
use crate::views::notice::Sure;

/// Maximum number of changes shown.
const SHOWN_MAX: usize = 200;
/// Id of the add button, which takes the focus if the button that opened a form is gone.
pub(super) const ADD: &str = "staff-add";

/// An action on a film or screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Doing {
    #[default]
    Nothing,
    New,
    Edit(String),
    Remove(String),
}

/// The current action of a view, as `D`, and its outcome.
pub(super) struct Editing<D: 'static> {
    pub(super) staff: Staff,
    pub(super) doing: RwSignal<D>,
    pub(super) import: RwSignal<Option<CatalogueImport>>,
    pub(super) error: RwSignal<Option<CallError>>,
    pub(super) is_busy: RwSignal<bool>,
    /// The element focused when it began.
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
            import: RwSignal::new(None),
            error: RwSignal::new(None),
            is_busy: RwSignal::new(false),
            opener: StoredValue::new_local(None),
        }
    }

    pub(super) fn start(self, doing: D) {
        self.error.set(None);
        self.import.set(None);
        self.opener.set_value(document().active_element());
        self.doing.set(doing);
    }

    /// Closes the current action and returns the focus to its opener.
    pub(super) fn stop(self) {
        self.doing.set(D::default());
        browser::focus_back(self.opener.get_value(), ADD);
    }

    /// Asks for confirmation.
    pub(super) fn sure(
        self,
        ask: Signal<String>,
        yes: Text,
        on_yes: Callback<()>,
    ) -> impl IntoView + use<D> {
        let on_no = Callback::new(move |()| self.stop());
        view! { <Sure id="staff-no" ask yes no=Text::SureNo on_yes on_no is_busy=self.is_busy/> }
    }

    /// Completes an action; one begun meanwhile stays open.
    pub(super) fn finish(self, done: &D) {
        if self.doing.with_untracked(|it| it == done) {
            self.stop();
        }
    }

    /// Reports a failed action: in place, or as a toast if another was begun meanwhile.
    pub(super) fn fail(self, done: &D, error: CallError) {
        if self.doing.try_with_untracked(|it| it == done) == Some(true) {
            self.error.set(Some(error));
        } else {
            report_failure(&error);
        }
    }

    /// Sends an edit; the cinema's faults go to the fields of `sheet`.
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
                Ok(import) if is_here => {
                    self.import.set(Some(import));
                    self.finish(&doing);
                }
                Ok(_) => {}
                Err(error) if sheet.is_some_and(|it| it.takes(&error)) => {}
                Err(error) => self.fail(&doing, error),
            }
        });
    }
}

/// The changes made, folded; the live region has announced them.
#[component]
pub(super) fn Outcome(import: RwSignal<Option<CatalogueImport>>) -> impl IntoView {
    move || {
        import.get().map(|import| {
            let count = import.changes_count.to_string();
            let label = if import.changes_count == 0 { Text::SavedSame } else { Text::Saved };
            let has_any = !import.changes.is_empty();
            let changes = StoredValue::new(import);
            view! {
                <div class="notice staff-saved">
                    <p class="notice-title">{move || label.fill(&[&count])}</p>
                    {has_any.then(|| view! {
                        <details>
                            <summary>{Text::ChangesShow}</summary>
                            <Changes import=changes.get_value()/>
                        </details>
                    })}
                </div>
            }
        })
    }
}

/// A line per change: its kind in words, and its subject.
#[component]
pub(super) fn Changes(import: CatalogueImport) -> impl IntoView {
    let shown = import.changes.len().min(SHOWN_MAX);
    let all = usize::try_from(import.changes_count).unwrap_or(usize::MAX);
    let more = all.saturating_sub(shown);
    let line = move |text: String| {
        let (sign, class) = match text.chars().next() {
            Some('+') => (Text::ChangeNew, "staff-change is-new"),
            Some('-') => (Text::ChangeGone, "staff-change is-gone"),
            _ => (Text::ChangeOther, "staff-change"),
        };
        let about = text.trim_start_matches(['+', '-', '~']).trim().to_owned();
        view! { <li class=class><b>{sign}</b><code>{about}</code></li> }
    };
    view! {
        <ul class="staff-changes">
            {import.changes.into_iter().take(SHOWN_MAX).map(line).collect_view()}
        </ul>
        {(more > 0).then(|| view! {
            <p class="hint">{move || Text::ChangesMore.fill(&[&more.to_string()])}</p>
        })}
    }
}

/// The buttons of a table row, to change and to remove it, labelled by `words`.
#[component]
pub(super) fn RowActions<D: Clone + Default + PartialEq + Send + Sync + 'static>(
    edits: Editing<D>,
    called: Signal<String>,
    edit: D,
    remove: D,
    texts: (Text, Text),
) -> impl IntoView {
    view! {
        <button type="button" class="quiet small"
            aria-label=move || Text::EditNamed.fill(&[&called.get()])
            on:click=move |_| edits.start(edit.clone())>{Text::Edit}</button>
        <button type="button" class="quiet small is-grave"
            aria-label=move || texts.1.fill(&[&called.get()])
            on:click=move |_| edits.start(remove.clone())>{texts.0}</button>
    }
}

/// The buttons of a form, to save and to close it.
#[component]
pub(super) fn FormActions(
    is_busy: RwSignal<bool>,
    stop: impl Fn() + Send + 'static,
) -> impl IntoView {
    view! {
        <div class="actions">
            <button type="submit" class="main-action"
                aria-disabled=move || is_busy.get().then_some("true")>
                {move || if is_busy.get() { Text::Saving } else { Text::Save }.say()}
            </button>
            <button type="button" class="quiet" on:click=move |_| stop()>{Text::Cancel}</button>
        </div>
    }
}
