//! The server's data: bytes, files and rows with their limits, and exports.

use leptos::prelude::*;

use super::TITLE;
use super::report::{Report, bar};
use crate::browser;
use crate::dates;
use crate::error::CallError;
use crate::operator::reports::{Storage, StoredPart, used};
use crate::operator::units;
use crate::text::{Key, Lang};
use crate::views::notice::coded;

/// MIME type of JSON lines.
const JSON_LINES: &str = "application/x-ndjson";

#[component]
pub(super) fn StorageView() -> impl IntoView {
    let report = Report::<Storage>::at("storage");
    let is_backing_up = RwSignal::new(false);
    report.shown(move |latest| {
        let names = Memo::new(move |_| {
            latest.with(|it| it.databases.iter().map(|it| it.name.clone()).collect::<Vec<_>>())
        });
        let is_elsewhere = Memo::new(move |_| latest.with(|it| it.kind == "postgresql"));
        let parts = Memo::new(move |_| latest.with(|it| it.parts.clone()));
        let all = move || {
            let bytes = units::bytes(latest.with(|it| it.bytes));
            Key::OperatorStorageAll.fill(&[&bytes, &latest.with(|it| it.folder.clone())])
        };
        view! {
            <p>{all}</p>
            <section class="op-part" aria-labelledby="op-backup">
                <h2 id="op-backup" class="section-title">{Key::OperatorBackup}</h2>
                <p>{Key::OperatorBackupHere}</p>
                {move || is_elsewhere.get().then(|| view! {
                    <p class="hint">{Key::OperatorBackupElsewhere}</p>
                })}
                <button type="button" on:click=move |_| backup(report, is_backing_up)
                    aria-disabled=move || report.is_busy.get().to_string()>
                    {move || if is_backing_up.get() { Key::OperatorBackupRuns } else { Key::OperatorBackupTake }.say()}
                </button>
                <p>{Key::OperatorBackupHint}</p>
                <pre class="op-command" tabindex="0">{move || latest.with(|it| it.backup.clone())}</pre>
            </section>
            <section class="op-part" aria-labelledby="op-databases">
                <h2 id="op-databases" class="section-title">{Key::OperatorDatabases}</h2>
                <ul class="op-list">
                    <For each=move || names.get() key=Clone::clone let:name>
                        <li><Database report latest name/></li>
                    </For>
                </ul>
                {move || is_elsewhere.get().then(|| view! {
                    <p class="hint">{Key::OperatorStorageElsewhere}</p>
                })}
            </section>
            <section class="op-part" aria-labelledby="op-parts">
                <h2 id="op-parts" class="section-title">{Key::OperatorStorageParts}</h2>
                <ul class="op-parts">
                    <For each=move || parts.get() key=|it| format!("{it:?}")
                        children=move |it| view! { <li><b><code>{it.name.clone()}</code></b>{sizes(it)}</li> }/>
                </ul>
            </section>
        }
    })
}

/// Creates a backup and saves it by the browser.
fn backup(report: Report<Storage>, is_backing_up: RwSignal<bool>) {
    if report.is_busy.get_untracked() {
        return;
    }
    is_backing_up.set(true);
    report.order((Key::OperatorBackedUp, String::new()), TITLE, async move {
        let taken = report.operator.backup().await;
        let _ = is_backing_up.try_set(false);
        let (name, archive) = taken?;
        let saved = browser::save(&name, &archive);
        saved.map_err(|_| CallError::page("the browser did not take the file"))
    });
}

/// Its size as text and as a bar.
fn sizes(part: StoredPart) -> impl IntoView {
    let bytes = units::bytes(part.bytes);
    let (files, is_elsewhere) = (part.files, part.files == 0 && part.bytes > 0);
    let limit = part.limit_bytes;
    let text = move || {
        let count = dates::number(files as f64, Lang::spoken());
        match limit.map(units::bytes) {
            // A database server has no files of its own here.
            Some(limit) if is_elsewhere => format!("{bytes} / {limit}"),
            None if is_elsewhere => bytes.clone(),
            Some(limit) => Key::OperatorKeptOf.fill(&[&bytes, &limit, &count]),
            None => Key::OperatorKept.fill(&[&bytes, &count]),
        }
    };
    let filled = limit.map(|limit| bar(0.0, used(part.bytes, limit), "op-bar-used"));
    view! { <span class="op-kept"><span>{text}</span>{filled}</span> }
}

/// A component's database with its tables. Open ones stay open while figures change.
#[component]
fn Database(report: Report<Storage>, latest: Memo<Storage>, name: String) -> impl IntoView {
    let id = format!("op-database-{name}");
    let own = name.clone();
    let part = Memo::new(move |_| {
        latest.with(|it| it.databases.iter().find(|it| it.name == own).cloned()).unwrap_or_default()
    });
    let tables = Memo::new(move |_| {
        part.with(|it| it.tables.iter().map(|it| it.name.clone()).collect::<Vec<_>>())
    });
    let has_tables = Memo::new(move |_| tables.with(|it| !it.is_empty()));
    let error = move || part.with(|it| it.error.clone());
    let component = StoredValue::new(name.clone());
    view! {
        <article class="op-card" aria-labelledby=id>
            <h3 id=id.clone()>{name}</h3>
            {move || sizes(part.get())}
            {move || error().map(|it| view! { <p class="op-wrong" lang="en">{coded(&it)}</p> })}
            {move || has_tables.get().then(|| view! {
                <details class="op-more">
                    <summary>{Key::OperatorTables}</summary>
                    <table role="table" class="data-table op-tables is-cards">
                        <thead role="rowgroup"><tr role="row">
                            <th role="columnheader" scope="col">{Key::OperatorTable}</th>
                            <th role="columnheader" scope="col">{Key::OperatorRowCount}</th>
                            <th role="columnheader" scope="col">
                                <span class="only-heard">{Key::OperatorExport}</span>
                            </th>
                        </tr></thead>
                        <tbody role="rowgroup">
                            <For each=move || tables.get() key=Clone::clone let:table>
                                <TableRow report part component table/>
                            </For>
                        </tbody>
                    </table>
                </details>
            })}
        </article>
    }
}

/// A table with its number of rows and an export button.
#[component]
fn TableRow(
    report: Report<Storage>,
    part: Memo<StoredPart>,
    component: StoredValue<String>,
    table: String,
) -> impl IntoView {
    let own = table.clone();
    let count = move || {
        let found = part.with(|it| it.tables.iter().find(|it| it.name == own).cloned());
        let found = found.unwrap_or_default();
        let key = if found.has_more { Key::OperatorRowsMore } else { Key::OperatorRows };
        key.fill(&[&dates::number(found.rows as f64, Lang::spoken())])
    };
    let own = table.clone();
    let take = move |_| {
        let (component, table) = (component.get_value(), own.clone());
        report.order((Key::OperatorExported, table.clone()), TITLE, async move {
            let lines = report.operator.export(&component, &table).await?;
            let file = format!("{component}-{table}.jsonl");
            let taken = browser::download(&file, lines.as_bytes(), JSON_LINES);
            taken.map_err(|_| CallError::page("the browser did not take the file"))
        });
    };
    let named = table.clone();
    let label = move || Key::OperatorExportNamed.fill(&[&named]);
    view! {
        <tr role="row">
            <th role="rowheader" scope="row"><code>{table}</code></th>
            <td role="cell" class="is-number">{count}</td>
            <td role="cell"><button type="button" class="plain" aria-label=label on:click=take
                aria-disabled=move || report.is_busy.get().to_string()>{Key::OperatorExport}</button></td>
        </tr>
    }
}
