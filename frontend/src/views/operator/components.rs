//! The components: what waits first, then a way to load one, then each of them.

use std::time::Duration;

use leptos::prelude::*;

use super::component::Row;
use super::load::Load;
use super::report::Inventory;
use super::waiting::{Waiting, WaitingTools};
use crate::operator::{Operator, repeat};
use crate::text::Key;
use crate::views::notice::Empty;

/// How often the host is asked for what there is.
const EVERY: Duration = Duration::from_secs(5);

/// The part `Components`; the one that is `named` by the address is open.
#[component]
pub(super) fn ComponentsView(named: Memo<Option<String>>) -> impl IntoView {
    let operator: Operator = expect_context();
    let inventory = Inventory::new(operator);
    repeat(
        EVERY,
        move || inventory.is_busy.try_get_untracked() == Some(false),
        move || inventory.look(),
    );
    inventory.all.shown(
        move || inventory.look(),
        move || {
            any_view! {
                <Waiting inventory/>
                <WaitingTools inventory/>
                <List inventory named/>
                <Load inventory/>
            }
        },
    )
}

/// The list of components.
#[component]
fn List(inventory: Inventory, named: Memo<Option<String>>) -> impl IntoView {
    let names = Memo::new(move |_| {
        let names = |all: &Vec<_>| -> Vec<String> {
            all.iter().map(|it: &crate::operator::data::Component| it.name.clone()).collect()
        };
        inventory.all.found.with(|it| it.here().map(names).unwrap_or_default())
    });
    let is_empty = Memo::new(move |_| names.with(Vec::is_empty));
    let missing = move || named.get().filter(|it| names.with(|all| !all.contains(it)));
    view! {
        <section class="op-part" aria-labelledby="op-components">
            <h2 id="op-components" class="section-title">
                {Key::OperatorComponents}
                <span class="count">{move || names.with(Vec::len)}</span>
            </h2>
            {move || missing().map(|name| view! {
                <p class="notice">{Key::OperatorNoSuch.fill(&[&name])}</p>
            })}
            {move || is_empty.get().then(|| view! {
                <Empty title=Key::OperatorNone hint=Key::OperatorNoneHint/>
            })}
            <ul class="op-list">
                <For each=move || names.get() key=Clone::clone let:name>
                    <li><Row inventory name named/></li>
                </For>
            </ul>
        </section>
    }
}
