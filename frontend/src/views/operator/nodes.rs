//! The hosts that work on one database, where there is one that several can share: which take requests, and why one
//! does not.

use std::time::Duration;

use leptos::prelude::*;

use super::fact;
use crate::dates;
use crate::operator::data::{Node, Nodes};
use crate::operator::{Operator, repeat, units};
use crate::text::{Key, Lang};
use crate::views::coded::coded;

/// How often they are asked for.
const EVERY: Duration = Duration::from_secs(5);

/// All of them; nothing where this server is alone.
#[component]
pub(super) fn NodesPart() -> impl IntoView {
    let operator: Operator = expect_context();
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
    let ids =
        Memo::new(move |_| told.with(|it| it.nodes.iter().map(|it| it.id).collect::<Vec<_>>()));
    move || {
        is_shared.get().then(|| {
            view! {
                <section class="op-part" aria-labelledby="op-nodes">
                    <h2 id="op-nodes" class="section-title">{Key::OperatorNodes}</h2>
                    <ul class="op-list op-nodes">
                        <For each=move || ids.get() key=|id| *id let:id>
                            <li><Card told id/></li>
                        </For>
                    </ul>
                </section>
            }
        })
    }
}

/// One of them.
#[component]
fn Card(told: RwSignal<Nodes>, id: i64) -> impl IntoView {
    let node = Memo::new(move |_| {
        told.with(|it| it.nodes.iter().find(|it| it.id == id).cloned()).unwrap_or_default()
    });
    let title = format!("op-node-{id}");
    let is_on = move || node.with(Node::is_in_rotation);
    let state = move || {
        node.with(|it| match (it.is_gone, &it.not_ready) {
            (true, _) => Key::OperatorNodeGone,
            (_, Some(_)) => Key::OperatorNodeOut,
            _ => Key::OperatorNodeIn,
        })
        .say()
    };
    let why = move || {
        let wrong = |text: String| view! { <p class="op-wrong" lang="en">{coded(&text)}</p> };
        node.with(|it| it.wrong().into_iter().map(wrong).collect_view())
    };
    let is_here = move || node.with(|it| it.is_here).then_some(Key::OperatorNodeHere);
    let of = move |of: fn(&Node) -> Option<String>| {
        move || node.with(of).unwrap_or_else(|| units::NONE.to_owned())
    };
    let seen = move || dates::second(&node.with(|it| it.seen_at.clone()), Lang::spoken());
    view! {
        <article class="op-card" aria-labelledby=title>
            <div class="op-card-head">
                <h3 id=title.clone()>{move || node.with(|it| it.name.clone())}</h3>
                <span class="op-state" class:is-on=is_on>{state}</span>
                <p class="op-facts">
                    {move || Key::OperatorNodeNumber.fill(&[&id.to_string()])}
                    {is_here}
                </p>
            </div>
            {why}
            <dl class="op-numbers">
                {fact(Key::OperatorNodeAddress, of(|it| it.address.clone()))}
                {fact(Key::OperatorNodeVersion, of(|it| Some(it.version.clone())))}
                {fact(Key::OperatorNodeEpoch, of(|it| Some(it.epoch()?.to_string())))}
                {fact(Key::OperatorNodeSeen, seen)}
            </dl>
        </article>
    }
}
