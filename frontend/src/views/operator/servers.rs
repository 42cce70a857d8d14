//! The upstream servers: state, tools and errors; and this server's settings with their sources.

use leptos::prelude::*;
use serde_json::json;

use super::report::Report;
use super::{TITLE, fact};
use crate::dates;
use crate::operator::reports::{Server, Servers, Setting, Settings, Source, value};
use crate::operator::{client, units};
use crate::route::{OperatorTab, Route};
use crate::text::{Key, Lang};
use crate::views::notice::{Empty, coded};

#[component]
pub(super) fn ServersView() -> impl IntoView {
    let report = Report::<Servers>::at("servers");
    report.shown(move |latest| {
        let names = Memo::new(move |_| {
            latest.with(|it| it.servers.iter().map(|it| it.name.clone()).collect::<Vec<_>>())
        });
        view! {
            <section class="op-part" aria-labelledby="op-servers">
                <h2 id="op-servers" class="section-title">{Key::OperatorServersTitle}</h2>
                {move || names.with(Vec::is_empty).then(|| view! {
                    <Empty title=Key::OperatorServersNone hint=Key::OperatorServersNoneHint/>
                })}
                <ul class="op-list">
                    <For each=move || names.get() key=Clone::clone let:name>
                        <li><Card report latest name/></li>
                    </For>
                </ul>
            </section>
        }
    })
}

#[component]
fn Card(report: Report<Servers>, latest: Memo<Servers>, name: String) -> impl IntoView {
    let own = name.clone();
    let server = Memo::new(move |_| {
        latest.with(|it| it.servers.iter().find(|it| it.name == own).cloned()).unwrap_or_default()
    });
    let id = format!("op-server-{name}");
    let read = move |f: fn(&Server) -> String| move || server.with(f);
    let is_on = move || server.with(|it| it.status == "running");
    let state = move || {
        server
            .with(|it| match it.status.as_str() {
                "running" => Key::OperatorServerRuns,
                "connecting" => Key::OperatorServerConnects,
                _ => Key::OperatorServerAway,
            })
            .say()
    };
    let number = move |value: u64| dates::number(value as f64, Lang::spoken());
    let calls = move || number(server.with(|it| it.activity.calls));
    let errors = move || number(server.with(|it| it.activity.errors));
    let times = move || {
        let (calls, half, most) =
            server.with(|it| (it.activity.calls, it.activity.p50_us, it.activity.p99_us));
        format!("{} / {}", units::within(half, calls), units::within(most, calls))
    };
    let last = move || {
        let (error, at) = server.with(|it| (it.last_error.clone(), it.last_error_at.clone()));
        let error = error.filter(|_| server.with(|it| it.error.is_none()))?;
        let at = at.map(|it| dates::moment(&it, Lang::spoken())).unwrap_or_default();
        Some(view! {
            <p class="hint">{Key::OperatorServerLast.fill(&[&at])}" "<span lang="en">{coded(&error)}</span></p>
        })
    };
    let tools = Memo::new(move |_| server.with(|it| it.tools.clone()));
    let waiting = Memo::new(move |_| server.with(|it| it.waiting.len()));
    let again = StoredValue::new(name.clone());
    let reconnect = move |_| {
        let name = again.get_value();
        report.order((Key::OperatorReconnected, name.clone()), TITLE, async move {
            report.operator.order(&client::server(&name, "reconnect"), &json!({})).await
        });
    };
    view! {
        <article class="op-card" aria-labelledby=id>
            <div class="op-card-head">
                <h3 id=id.clone()>{name}</h3>
                <span class="op-state" class:is-on=is_on>{state}</span>
                <p class="op-facts"><code>{read(|it| it.address.clone())}</code></p>
            </div>
            {move || server.with(|it| it.error.clone()).map(|it| view! { <p class="op-wrong" lang="en">{coded(&it)}</p> })}
            {last}
            {move || (waiting.get() > 0).then(|| view! {
                <p><a href=Route::Operator(OperatorTab::Components(None)).hash()>
                    {Key::OperatorServerWaits.fill(&[&waiting.get().to_string()])}
                </a></p>
            })}
            <dl class="op-numbers">
                {fact(Key::OperatorCalls, calls)}
                {fact(Key::OperatorErrorCount, errors)}
                {fact(Key::OperatorTimes, times)}
            </dl>
            <details class="op-more">
                <summary>{move || Key::OperatorServerTools.fill(&[&tools.with(Vec::len).to_string()])}</summary>
                <ul class="op-tools">
                    <For each=move || tools.get() key=Clone::clone let:tool>
                        <li>{tool_link(tool)}</li>
                    </For>
                </ul>
            </details>
            <div class="actions">
                <button type="button" class="quiet small" on:click=reconnect
                    aria-disabled=move || report.is_busy.get().to_string()
                    aria-label=move || again.with_value(|it| Key::OperatorReconnectNamed.fill(&[it]))>
                    {Key::OperatorReconnect}
                </button>
            </div>
        </article>
    }
}

/// Link to a tool in the tools view.
fn tool_link(tool: String) -> impl IntoView {
    let href = Route::Counter(Some(tool.clone())).hash();
    view! { <a href=href><code>{tool}</code></a> }
}

#[component]
pub(super) fn SettingsView() -> impl IntoView {
    let report = Report::<Settings>::at("settings");
    let sought = RwSignal::new(String::new());
    let only_set = RwSignal::new(false);
    report.shown(move |latest| {
        let fitting = Memo::new(move |_| {
            let sought = sought.with(|it| it.trim().to_lowercase());
            let fits =
                |it: &&Setting| it.has(&sought) && (it.is_set_by_operator() || !only_set.get());
            latest.with(|it| it.settings.iter().filter(fits).cloned().collect::<Vec<_>>())
        });
        let is_none = Memo::new(move |_| fitting.with(Vec::is_empty));
        let counted = move || {
            let all = latest.with(|it| it.settings.len()).to_string();
            Key::OperatorSettingsShown.fill(&[&fitting.with(Vec::len).to_string(), &all])
        };
        view! {
            <p>{Key::OperatorSettingsHint}</p>
            <div class="op-filters">
                <div class="field">
                    <label class="label" for="op-setting">{Key::OperatorSettingsSeek}</label>
                    <input id="op-setting" type="search" autocomplete="off" spellcheck="false"
                        prop:value=sought
                        on:input=move |event| sought.set(event_target_value(&event))/>
                </div>
                <label class="op-check">
                    <input type="checkbox" prop:checked=only_set
                        on:change=move |event| only_set.set(event_target_checked(&event))/>
                    {Key::OperatorSettingsSaid}
                </label>
            </div>
            <p class="op-counted" role="status">{counted}</p>
            <div class="table-scroll op-settings" tabindex="0" role="region"
                aria-label=Key::OperatorSettings>
                <table role="table" class="data-table is-cards">
                    <thead role="rowgroup"><tr role="row">
                        <th role="columnheader" scope="col">{Key::OperatorSettingName}</th>
                        <th role="columnheader" scope="col">{Key::OperatorSettingValue}</th>
                        <th role="columnheader" scope="col">{Key::OperatorSettingSource}</th>
                    </tr></thead>
                    <tbody role="rowgroup">
                        <For each=move || fitting.get() key=|it| format!("{it:?}")
                            children=move |it| row(it)/>
                    </tbody>
                </table>
            </div>
            {move || is_none.get().then(|| view! { <Empty title=Key::OperatorSettingsNone/> })}
        }
    })
}

fn row(setting: Setting) -> impl IntoView {
    let (is_hidden, is_unset) = (setting.is_hidden, setting.value.is_null());
    let plain = value(&setting.value);
    let shown = move || match (is_hidden, is_unset, plain.is_empty()) {
        (true, ..) => any_view! { <i>{Key::OperatorSettingHidden}</i> },
        (_, true, _) => any_view! { <span class="op-unset">{units::NONE}</span> },
        (.., true) => any_view! { <code>"\"\""</code> },
        _ => any_view! { <code>{plain.clone()}</code> },
    };
    let is_set = setting.is_set_by_operator();
    let source = move || match &setting.source {
        Source::Default | Source::Other => Key::OperatorByDefault.say().to_owned(),
        Source::Component => Key::OperatorByComponent.say().to_owned(),
        Source::File { file, line } => Key::OperatorByFile.fill(&[file, &line.to_string()]),
        Source::Environment { variable } => Key::OperatorByVariable.fill(&[variable]),
        Source::Flag { flag } => Key::OperatorByFlag.fill(&[flag]),
    };
    view! {
        <tr role="row">
            <th role="rowheader" scope="row"><code>{setting.name}</code></th>
            <td role="cell">{shown}</td>
            <td role="cell" class:op-unset=!is_set>{source}</td>
        </tr>
    }
}
