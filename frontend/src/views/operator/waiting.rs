//! What waits for the operator's approval: builds, and definitions of other servers' tools, old beside new.

use leptos::prelude::*;
use serde_json::json;

use super::TITLE;
use super::canary::Trial;
use super::report::Inventory;
use crate::error::CallError;
use crate::operator::data::{Part, Pending, Rewording, WaitingTool};
use crate::operator::reports::Server;
use crate::operator::{client, units};
use crate::text::Key;
use crate::views::coded::coded;
use crate::views::notice::Notice;

/// The id of the heading.
pub(super) const WAITING: &str = "op-waiting";

/// All that wait; nothing where none does.
#[component]
pub(super) fn Waiting(inventory: Inventory) -> impl IntoView {
    let all = Memo::new(move |_| inventory.pending());
    let is_any = Memo::new(move |_| all.with(|it| !it.is_empty()));
    move || {
        is_any.get().then(|| {
            view! {
                <section class="op-part" aria-labelledby=WAITING>
                    <h2 id=WAITING class="section-title" tabindex="-1">{Key::OperatorWaits}</h2>
                    <ul class="op-list">
                        <For each=move || all.get() key=|(name, it)| (name.clone(), it.digest.clone())
                            children=move |(name, pending)| view! { <li><Card inventory name pending/></li> }/>
                    </ul>
                </section>
            }
        })
    }
}

/// One build, and the operator's answer to it.
#[component]
fn Card(inventory: Inventory, name: String, pending: Pending) -> impl IntoView {
    let error = RwSignal::new(None::<CallError>);
    let own = StoredValue::new((name.clone(), pending.digest.clone()));
    let say = move |verb: &'static str, key: Key| {
        let (name, digest) = own.get_value();
        let said = (key, name.clone());
        inventory.order(error, said, TITLE, async move {
            let path = format!("{}/{verb}", client::component(&name));
            inventory.operator.order(&path, &json!({ "digest": digest })).await
        });
    };
    let of = StoredValue::new(name.clone());
    let named = move |key: Key| move || own.with_value(|it| key.fill(&[&it.0]));
    let id = format!("op-waits-{name}");
    let labelled = id.clone();
    let reasons: Vec<_> = pending.reasons().into_iter().map(str::to_owned).collect();
    let origin = pending.origin.clone();
    view! {
        <section class="op-card is-waiting" aria-labelledby=labelled
            aria-busy=move || inventory.is_busy.get().to_string()>
            <h3 id=id>{name}</h3>
            <p class="op-facts">
                {(!origin.is_empty()).then(|| view! {
                    <span>{move || Key::OperatorOrigin.fill(&[&origin])}</span>
                })}
                <code>{units::digest(&pending.digest)}</code>
            </p>
            {(!reasons.is_empty()).then(|| view! {
                <p>{Key::OperatorWhy}</p>
                <ul class="op-sentences">
                    {reasons.into_iter().map(|it| view! { <li lang="en">{coded(&it)}</li> }).collect_view()}
                </ul>
            })}
            {pending.rewordings.into_iter().map(|Rewording { of, pinned, waiting }| view! {
                <section>
                    <h4 lang="en">{of}</h4>
                    <Parts all=Part::between(&pinned, &waiting)/>
                </section>
            }).collect_view()}
            <Trial inventory name=of error/>
            {move || error.get().map(|error| view! { <Notice error/> })}
            <div class="actions">
                <button type="button" class="main-action" aria-disabled=move || inventory.is_busy.get().to_string()
                    aria-label=named(Key::OperatorAcceptNamed)
                    on:click=move |_| say("accept", Key::OperatorAccepted)>{Key::OperatorAccept}</button>
                <button type="button" class="quiet" aria-disabled=move || inventory.is_busy.get().to_string()
                    aria-label=named(Key::OperatorRefuseNamed)
                    on:click=move |_| say("refuse", Key::OperatorRefused)>{Key::OperatorRefuse}</button>
            </div>
        </section>
    }
}

/// The id of the heading.
const TOOLS_WAITING: &str = "op-tools-waiting";

/// The parts in which two definitions differ, each as it is and as it would be.
#[component]
pub(super) fn Parts(all: Vec<Part>) -> impl IntoView {
    let side = move |key: Key, text: Option<String>| {
        text.map(|text| {
            view! {
                <dd>
                    <span class="op-side">{key}</span>
                    <code>{text}</code>
                </dd>
            }
        })
    };
    let part = move |it: Part| {
        view! {
            <div>
                <dt>{it.name}</dt>
                {side(Key::OperatorReadNow, it.pinned)}
                {side(Key::OperatorReadThen, it.waiting)}
            </div>
        }
    };
    view! { <dl class="op-definition">{all.into_iter().map(part).collect_view()}</dl> }
}

/// The servers with tools whose definitions wait; nothing where none does.
#[component]
pub(super) fn WaitingTools(inventory: Inventory) -> impl IntoView {
    let is_any = Memo::new(move |_| inventory.servers.with(|it| !it.is_empty()));
    move || {
        is_any.get().then(|| {
            view! {
                <section class="op-part" aria-labelledby=TOOLS_WAITING>
                    <h2 id=TOOLS_WAITING class="section-title">{Key::OperatorToolsWait}</h2>
                    <p class="hint">{Key::OperatorToolsWaitHint}</p>
                    <ul class="op-list">
                        <For each=move || inventory.servers.get() key=Server::key
                            children=move |server| view! { <li><ServerCard inventory server/></li> }/>
                    </ul>
                </section>
            }
        })
    }
}

/// The tools of one server that wait, and the operator's answer to the very definitions that are shown.
#[component]
fn ServerCard(inventory: Inventory, server: Server) -> impl IntoView {
    let error = RwSignal::new(None::<CallError>);
    let looked_at = |it: &WaitingTool| json!({ "tool": it.tool, "digest": it.digest });
    let body = json!({ "tools": server.waiting.iter().map(looked_at).collect::<Vec<_>>() });
    let own = StoredValue::new((server.name.clone(), body));
    let say = move |verb: &'static str, key: Key| {
        let (name, body) = own.get_value();
        let said = (key, name.clone());
        inventory.order(error, said, TITLE, async move {
            inventory.operator.order(&client::server(&name, verb), &body).await
        });
    };
    let named = move |key: Key| move || own.with_value(|it| key.fill(&[&it.0]));
    let id = format!("op-tools-{}", server.name);
    let labelled = id.clone();
    let tool = |it: WaitingTool| {
        let differs = |it: String| view! { <li lang="en">{coded(&it)}</li> };
        let differences = it.differences.iter().map(|it| it.what.clone());
        view! {
            <section>
                <h4>{it.tool.clone()}</h4>
                <ul class="op-sentences">{differences.map(differs).collect_view()}</ul>
                <Parts all=Part::between(&it.pinned, &it.waiting)/>
            </section>
        }
    };
    view! {
        <section class="op-card is-waiting" aria-labelledby=labelled
            aria-busy=move || inventory.is_busy.get().to_string()>
            <h3 id=id>{server.name}</h3>
            {server.waiting.into_iter().map(tool).collect_view()}
            {move || error.get().map(|error| view! { <Notice error/> })}
            <div class="actions">
                <button type="button" class="main-action" aria-label=named(Key::OperatorAcceptToolsNamed)
                    aria-disabled=move || inventory.is_busy.get().to_string()
                    on:click=move |_| say("accept", Key::OperatorToolsAccepted)>{Key::OperatorAccept}</button>
                <button type="button" class="quiet" aria-label=named(Key::OperatorRefuseToolsNamed)
                    aria-disabled=move || inventory.is_busy.get().to_string()
                    on:click=move |_| say("refuse", Key::OperatorToolsRefused)>{Key::OperatorRefuse}</button>
            </div>
        </section>
    }
}
