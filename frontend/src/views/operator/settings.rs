//! What the server is set to, and which flag, variable or line of the file says so.

use leptos::prelude::*;

use super::report::Report;
use crate::operator::reports::{Setting, Settings, Source, value};
use crate::operator::units;
use crate::text::Key;
use crate::views::notice::Empty;

/// The part `Settings`.
#[component]
pub(super) fn SettingsView() -> impl IntoView {
    let report = Report::<Settings>::at("settings");
    let sought = RwSignal::new(String::new());
    let is_said_only = RwSignal::new(false);
    report.shown(move |told| {
        let fitting = Memo::new(move |_| {
            let sought = sought.with(|it| it.trim().to_lowercase());
            let fits = |it: &&Setting| it.has(&sought) && (it.is_said() || !is_said_only.get());
            told.with(|it| it.settings.iter().filter(fits).cloned().collect::<Vec<_>>())
        });
        let is_none = Memo::new(move |_| fitting.with(Vec::is_empty));
        let counted = move || {
            let all = told.with(|it| it.settings.len()).to_string();
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
                    <input type="checkbox" prop:checked=is_said_only
                        on:change=move |event| is_said_only.set(event_target_checked(&event))/>
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

fn row(it: Setting) -> impl IntoView {
    let (is_hidden, is_unset) = (it.is_hidden, it.value.is_null());
    let plain = value(&it.value);
    let told = move || match (is_hidden, is_unset, plain.is_empty()) {
        (true, ..) => any_view! { <i>{Key::OperatorSettingHidden}</i> },
        (_, true, _) => any_view! { <span class="op-unset">{units::NONE}</span> },
        (.., true) => any_view! { <code>"\"\""</code> },
        _ => any_view! { <code>{plain.clone()}</code> },
    };
    let is_said = it.is_said();
    let source = move || match &it.source {
        Source::Default | Source::Other => Key::OperatorByDefault.say().to_owned(),
        Source::Component => Key::OperatorByComponent.say().to_owned(),
        Source::File { file, line } => Key::OperatorByFile.fill(&[file, &line.to_string()]),
        Source::Environment { variable } => Key::OperatorByVariable.fill(&[variable]),
        Source::Flag { flag } => Key::OperatorByFlag.fill(&[flag]),
    };
    view! {
        <tr role="row">
            <th role="rowheader" scope="row"><code>{it.name}</code></th>
            <td role="cell">{told}</td>
            <td role="cell" class:op-unset=!is_said>{source}</td>
        </tr>
    }
}
