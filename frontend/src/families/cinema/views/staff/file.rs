//! The catalogue as a file: exported, and imported after a preview of the changes.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{CatalogueExport, CatalogueImport};
use serde_json::json;
use wasm_bindgen_futures::JsFuture;
use web_sys::FileList;

use super::outcome::Changes;
use super::{Staff, translated};
use crate::browser;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::cinema::staff::words::Text;
use crate::families::report_failure;
use crate::page::page;
use crate::views::drop::FileDrop;
use crate::views::notice::{Notice, coded};

/// Maximum number of characters of a file, as in the cinema.
const CHARS_MAX: usize = 300_000;
/// Maximum size in bytes of a file with that many characters.
const BYTES_MAX: f64 = 4.0 * CHARS_MAX as f64;
const CHOOSE: &str = "staff-choose";
const FOUND: &str = "staff-found";

/// A file to import.
#[derive(Clone, Debug, Default, PartialEq)]
struct Chosen {
    /// Its name; an earlier version has none.
    name: String,
    version: Option<u32>,
    format: &'static str,
    text: String,
}

impl Chosen {
    fn called(&self) -> String {
        self.version
            .map_or_else(|| self.name.clone(), |it| Text::VersionFile.fill(&[&it.to_string()]))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
enum Import {
    #[default]
    Nothing,
    Looking,
    /// The changes it would make.
    Found(CatalogueImport),
    Done(CatalogueImport),
    /// The file itself is invalid.
    Wrong(Text),
    Failed(CallError),
}

#[derive(Clone, Copy)]
struct Files {
    staff: Staff,
    chosen: RwSignal<Chosen>,
    import: RwSignal<Import>,
    is_busy: RwSignal<bool>,
}

impl Files {
    fn save(self, format: &'static str) {
        spawn_local(async move {
            let file =
                fetch::<CatalogueExport>("export_catalogue", json!({ "format": format })).await;
            let mime = if format == "csv" { "text/csv;charset=utf-8" } else { "application/json" };
            let saved = file.map(|export| {
                let name = format!("cinema-{}.{format}", export.import);
                (browser::download(&name, export.text.as_bytes(), mime), export.import)
            });
            match saved {
                Ok((Ok(()), version)) => Text::Exported.announce(&[&version.to_string()]),
                _ => Text::ExportFailed.announce(&[]),
            }
        });
    }

    /// Takes the first of the chosen files.
    fn choose(self, files: &FileList) {
        let Some(file) = files.get(0) else { return };
        let name = file.name();
        if file.size() > BYTES_MAX {
            return self.refuse(name, Text::ImportLarge);
        }
        spawn_local(async move {
            let text = JsFuture::from(file.text()).await.ok().and_then(|it| it.as_string());
            // Invalid UTF-8 is decoded with this character, which would end up in names.
            let text = text.filter(|it| !it.contains('\u{fffd}'));
            let format = if name.to_lowercase().ends_with(".csv") { "csv" } else { "json" };
            match text {
                None => self.refuse(name, Text::ImportUnread),
                Some(text) if text.chars().count() > CHARS_MAX => {
                    self.refuse(name, Text::ImportLarge);
                }
                Some(text) => {
                    // Spreadsheets begin their files with a byte order mark.
                    let text = text.trim_start_matches('\u{feff}').to_owned();
                    self.preview(Chosen { name, version: None, format, text }).await;
                }
            }
        });
    }

    fn refuse(self, name: String, why: Text) {
        self.chosen.set(Chosen { name, ..Chosen::default() });
        self.import.set(Import::Wrong(why));
        why.announce(&[]);
    }

    /// Fetches the changes a file would make.
    async fn preview(self, chosen: Chosen) {
        Text::ImportReading.announce(&[]);
        self.import.set(Import::Looking);
        self.chosen.set(chosen.clone());
        let arguments = json!({ "text": chosen.text, "format": chosen.format, "dry_run": true });
        let found = fetch::<CatalogueImport>("import_catalogue", arguments).await;
        // Another file may have been chosen meanwhile.
        if self.chosen.try_with_untracked(|it| *it == chosen) != Some(true) {
            return;
        }
        page().end_progress();
        self.import.set(match found {
            Ok(found) => Import::Found(found),
            Err(error) => Import::Failed(translated(error)),
        });
        browser::focus_soon(FOUND);
    }

    fn replace(self) {
        if self.is_busy.get_untracked() {
            return;
        }
        self.is_busy.set(true);
        let chosen = self.chosen.get_untracked();
        spawn_local(async move {
            let arguments = json!({ "text": chosen.text, "format": chosen.format });
            let done = self.staff.edit("import_catalogue", arguments).await;
            if self.is_busy.try_set(false).is_some() {
                if let Err(error) = &done {
                    report_failure(error);
                }
                return;
            }
            self.import.set(done.map_or_else(Import::Failed, Import::Done));
            browser::focus_soon(FOUND);
        });
    }

    fn clear(self) {
        self.import.set(Import::Nothing);
        self.chosen.set(Chosen::default());
        browser::focus_soon(CHOOSE);
    }

    /// Fetches the changes of returning to an earlier version.
    fn look_back(self, version: u32) {
        spawn_local(async move {
            let arguments = json!({ "import": version });
            match fetch::<CatalogueExport>("export_catalogue", arguments).await {
                Ok(file) => {
                    let version = Some(version);
                    let name = String::new();
                    self.preview(Chosen { name, version, format: "json", text: file.text }).await;
                }
                Err(error) => self.import.set(Import::Failed(translated(error))),
            }
        });
    }
}

#[component]
pub(super) fn FileView(staff: Staff) -> impl IntoView {
    let files = Files {
        staff,
        chosen: RwSignal::new(Chosen::default()),
        import: RwSignal::new(Import::Nothing),
        is_busy: RwSignal::new(false),
    };
    let id = |it: &str| it.to_owned();
    view! {
        <section class="op-part" aria-labelledby="staff-export">
            <h2 id="staff-export" class="section-title">{Text::ExportTitle}</h2>
            <p class="hint">{Text::ExportHint}</p>
            <div class="actions">
                <button type="button" class="quiet" on:click=move |_| files.save("json")>
                    {Text::ExportJson}
                </button>
                <button type="button" class="quiet" on:click=move |_| files.save("csv")>
                    {Text::ExportCsv}
                </button>
            </div>
        </section>
        <section class="op-part" aria-labelledby="staff-import">
            <h2 id="staff-import" class="section-title">{Text::ImportTitle}</h2>
            <p class="hint" id="staff-import-hint">{Text::ImportHint}</p>
            <FileDrop ids=[id(CHOOSE), id("staff-file"), id("staff-import-hint")] accept=id(".json,.csv")
                texts=[Text::ImportDrop.into(), Text::ImportChoose.into()] is_shut=false
                take=move |list: &FileList| files.choose(list)/>
            <Found files/>
        </section>
    }
}

/// The changes a file would make or has made, or its faults.
#[component]
fn Found(files: Files) -> impl IntoView {
    let called = move || files.chosen.with(|it| it.called());
    let decide = move || {
        view! {
            <div class="actions">
                <button type="button" class="is-grave" on:click=move |_| files.replace()
                    aria-disabled=move || files.is_busy.get().then_some("true")>
                    {move || if files.is_busy.get() { Text::Saving } else { Text::ImportYes }.say()}
                </button>
                <button type="button" class="quiet" on:click=move |_| files.clear()>{Text::ImportNo}</button>
            </div>
        }
    };
    move || match files.import.get() {
        Import::Nothing => ().into_any(),
        Import::Looking => any_view! { <p class="hint">{Text::ImportReading}</p> },
        Import::Wrong(why) => any_view! {
            <div class="notice is-error">
                <p class="notice-title">{move || Text::ImportWrong.fill(&[&called()])}</p>
                <p>{why}</p>
            </div>
        },
        Import::Failed(error) => {
            let problems = error.problems();
            if problems.is_empty() {
                return any_view! { <div id=FOUND tabindex="-1"><Notice error/></div> };
            }
            let problem = |it: crate::error::Problem| view! { <li>{coded(&it.message)}</li> };
            any_view! {
                <div class="notice is-error" id=FOUND tabindex="-1">
                    <p class="notice-title">{move || Text::ImportWrong.fill(&[&called()])}</p>
                    <ul class="staff-problems">{problems.into_iter().map(problem).collect_view()}</ul>
                </div>
            }
        }
        Import::Found(found) => {
            let count = found.changes_count.to_string();
            let has_any = found.changes_count > 0;
            let label = if has_any { Text::ImportOf } else { Text::ImportSame };
            any_view! {
                <div class="op-card">
                    <h3 id=FOUND tabindex="-1">{move || label.fill(&[&called(), &count])}</h3>
                    <Changes import=found/>
                    {has_any.then(decide)}
                </div>
            }
        }
        Import::Done(done) => {
            let (count, before) = (done.changes_count.to_string(), done.before.unwrap_or_default());
            let version = before.to_string();
            let back = version.clone();
            any_view! {
                <div class="notice staff-saved">
                    <p class="notice-title" id=FOUND tabindex="-1">
                        {move || Text::ImportDone.fill(&[&count, &version])}
                    </p>
                    <button type="button" class="quiet small" on:click=move |_| files.look_back(before)>
                        {move || Text::ImportBack.fill(&[&back])}
                    </button>
                </div>
            }
        }
    }
}
