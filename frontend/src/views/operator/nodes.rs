//! The hosts that work on one database, where there is one that several can share: which take requests, and why one
//! does not.

use std::time::Duration;

use leptos::prelude::*;

use crate::dates;
use crate::operator::data::{Node, Nodes};
use crate::operator::{Operator, repeat};
use crate::page::page;
use crate::text::Key;

/// How often they are asked for.
const EVERY: Duration = Duration::from_secs(5);

/// All of them; nothing where this server is alone.
#[component]
pub(super) fn NodesPart() -> impl IntoView {
    let (page, operator): (_, Operator) = (page(), expect_context());
    let told = RwSignal::new(Nodes::default());
    repeat(
        EVERY,
        || true,
        move || async move {
            // What was reported before is better than nothing; that it is old is said above.
            if let Ok(found) = operator.get::<Nodes>("nodes").await {
                let _gone = told.try_set(found);
            }
        },
    );
    let is_shared = Memo::new(move |_| told.with(|it| it.shared));
    let nodes = Memo::new(move |_| told.with(|it| it.nodes.clone()));
    let head = move |key: Key| view! { <th scope="col">{move || page.say(key)}</th> };
    move || {
        is_shared.get().then(|| view! {
            <section class="op-part" aria-labelledby="op-nodes">
                <h2 id="op-nodes" class="section-title">{move || page.say(Key::OperatorNodes)}</h2>
                <div class="table-scroll" tabindex="0" role="region"
                    aria-label=move || page.say(Key::OperatorNodes)>
                    <table class="data-table">
                        <thead><tr>
                            {head(Key::OperatorName)}
                            {head(Key::OperatorNodeState)}
                            {head(Key::OperatorNodeAddress)}
                            {head(Key::OperatorNodeVersion)}
                            {head(Key::OperatorNodeEpoch)}
                            {head(Key::OperatorNodeSeen)}
                        </tr></thead>
                        <tbody>
                            <For each=move || nodes.get() key=|it| format!("{it:?}") let:node>
                                <Row node/>
                            </For>
                        </tbody>
                    </table>
                </div>
            </section>
        })
    }
}

/// One of them.
#[component]
fn Row(node: Node) -> impl IntoView {
    let page = page();
    let (is_wrong, epoch) = (!node.is_in_rotation(), node.epoch());
    let state = match (node.is_gone, &node.not_ready) {
        (true, _) => Key::OperatorNodeGone,
        (_, Some(_)) => Key::OperatorNodeOut,
        _ => Key::OperatorNodeIn,
    };
    let failed = node.components.into_iter().filter_map(|it| Some((it.name, it.epoch, it.why?)));
    let failed = failed.map(|(name, epoch, why)| format!("{name} {epoch}: {why}"));
    let why = node.not_ready.into_iter().chain(failed);
    let why = why.map(|it| view! { <div class="op-note" lang="en">{it}</div> }).collect_view();
    let (id, seen_at) = (node.id.to_string(), node.seen_at);
    let here = node.is_here;
    view! {
        <tr>
            <th scope="row">
                {node.name}
                <div class="op-note">
                    {move || page.fill(Key::OperatorNodeNumber, &[&id])}
                    {move || here.then(|| page.say(Key::OperatorNodeHere))}
                </div>
            </th>
            <td class:op-wrong=is_wrong>{move || page.say(state)}{why}</td>
            <td>{node.address.unwrap_or_default()}</td>
            <td>{node.version}</td>
            <td>{epoch.map(|it| it.to_string())}</td>
            <td>{move || dates::second(&seen_at, page.lang.get())}</td>
        </tr>
    }
}
