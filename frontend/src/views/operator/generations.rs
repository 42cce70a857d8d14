//! What was installed of one component, newest first, and the way back to it.

use leptos::prelude::*;
use serde_json::json;

use super::inventory::Inventory;
use crate::dates;
use crate::error::CallError;
use crate::operator::data::{Component, Difference, Generation};
use crate::operator::{client, outcome, units};
use crate::text::{Key, Lang};
use crate::views::coded::coded;

/// All that are remembered.
#[component]
pub(super) fn Generations(
    inventory: Inventory,
    component: Memo<Component>,
    error: RwSignal<Option<CallError>>,
) -> impl IntoView {
    let newest_first = |it: &Component| {
        let with_way = |own: &Generation| (own.clone(), it.serves(own), it.may_return(own));
        it.generations.iter().rev().map(with_way).collect::<Vec<_>>()
    };
    let all = Memo::new(move |_| component.with(newest_first));
    let name = StoredValue::new(component.with_untracked(|it| it.name.clone()));
    let return_to = Callback::new(move |number: u64| {
        let name = name.get_value();
        let way_back = format!("op-more-{name}");
        inventory.order(error, (Key::OperatorBack, name.clone()), way_back, async move {
            let path = format!("{}/rollback", client::component(&name));
            inventory.operator.order(&path, &json!({ "to": number })).await
        });
    });
    view! {
        <section>
            <h4>
                {Key::OperatorGenerations}" "
                <span class="count">{move || all.with(Vec::len)}</span>
            </h4>
            <ol class="op-generations" reversed>
                {move || all.get().into_iter().map(|(own, serves, may_return)| view! {
                    <li><Entry inventory name own serves may_return return_to/></li>
                }).collect_view()}
            </ol>
        </section>
    }
}

/// One generation of a component.
#[component]
fn Entry(
    inventory: Inventory,
    name: StoredValue<String>,
    own: Generation,
    serves: bool,
    may_return: bool,
    return_to: Callback<u64>,
) -> impl IntoView {
    let Generation { number, digest, installed_at, size_bytes, origin, differences, status } = own;
    let shown = number.to_string();
    let title = move || Key::OperatorGeneration.fill(&[&shown]);
    let class = if serves { "op-state is-on" } else { "op-state" };
    let at = move || dates::moment(&installed_at, Lang::spoken());
    let button = may_return.then(|| {
        let label = move || {
            name.with_value(|it| Key::OperatorAgainNamed.fill(&[it, &number.to_string()]))
        };
        view! {
            <button type="button" class="quiet small" aria-disabled=move || inventory.is_busy.get().to_string() aria-label=label
                on:click=move |_| return_to.run(number)>{Key::OperatorAgain}</button>
        }
    });
    view! {
        <div class="op-generation">
            <b>{title}</b>
            <span class=class>{move || outcome::status(&status, Lang::spoken())}</span>
            {button}
        </div>
        <p class="op-facts">
            <span>{at}</span>
            <code>{units::digest(&digest)}</code>
            <span>{units::bytes(size_bytes)}</span>
            {(!origin.is_empty()).then(|| view! {
                <span>{move || Key::OperatorOrigin.fill(&[&origin])}</span>
            })}
        </p>
        {(!differences.is_empty()).then(|| view! {
            <ul class="op-sentences">
                {differences.into_iter().map(|it| view! { <li><Differs it/></li> }).collect_view()}
            </ul>
        })}
    }
}

/// In what it differs from the one before; what breaks callers is marked by text.
#[component]
fn Differs(it: Difference) -> impl IntoView {
    view! {
        <code>{it.tool}</code>" "<span lang="en">{coded(&it.what)}</span>
        {it.is_breaking.then(|| view! {
            " "<span class="badge is-grave">{Key::OperatorBreaking}</span>
        })}
    }
}
