//! Definitions that models read and that wait for the operator: old beside new; those of other servers' tools, with the
//! operator's answer to them.

use leptos::prelude::*;
use serde_json::json;

use super::TITLE;
use super::inventory::Inventory;
use crate::error::CallError;
use crate::operator::client;
use crate::operator::data::{Part, WaitingTool};
use crate::operator::reports::Server;
use crate::text::Key;
use crate::views::coded::coded;
use crate::views::notice::Notice;

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
                            children=move |server| view! { <li><Card inventory server/></li> }/>
                    </ul>
                </section>
            }
        })
    }
}

/// The tools of one server that wait, and the operator's answer to the very definitions that are shown.
#[component]
fn Card(inventory: Inventory, server: Server) -> impl IntoView {
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
