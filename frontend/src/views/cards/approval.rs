//! A call that changes something, before it begins: what would happen, and whether it may.

use leptos::prelude::*;
use serde_json::Value;

use super::arguments::Arguments;
use crate::browser;
use crate::chat::waiting::Reply;
use crate::page::{next_number, page};
use crate::table;
use crate::text::{Key, Lang};

/// Asks; once it is decided, shows the decision.
#[component]
pub(super) fn Approval(
    name: String,
    title: String,
    params: Value,
    reason: String,
    reply: Memo<Option<Reply>>,
    on_reply: Callback<Reply>,
) -> impl IntoView {
    let id = format!("approval-{}", next_number());
    let tool = StoredValue::new((name.clone(), title));
    let called = Memo::new(move |_| {
        tool.with_value(|(name, title)| {
            let known = page().tool(name).map(|it| it.title(Lang::spoken()));
            let own = Some(title.clone()).filter(|it| !it.is_empty());
            known.or(own).unwrap_or_else(|| name.clone())
        })
    });
    let asked = (name.clone(), params.clone());
    let what = move || match table::asks(&asked.0, &asked.1, Lang::spoken()) {
        Some((key, values)) => key.fill(&values.iter().map(String::as_str).collect::<Vec<_>>()),
        None => Key::CardAskWhat.fill(&[&called.get()]),
    };
    let is_grave = move || {
        let tool = tool.with_value(|it| page().tool(&it.0));
        tool.is_some_and(|it| it.annotations.destructive_hint == Some(true))
    };
    if reply.get_untracked().is_none() {
        page().announce_fill(Key::CardAskAnnounced, &[&called.get_untracked()]);
        // A reader who is writing goes on writing.
        browser::focus_if_lost(id.clone());
    }
    let (what, reason) = (StoredValue::new_local(what), StoredValue::new((name, params, reason)));
    let told = move || what.with_value(|it| it());
    let is_open = Memo::new(move |_| reply.with(Option::is_none));
    move || {
        if !is_open.get() {
            // What it came to stands above, in the call itself.
            return view! {
                <p class="approval-over"><Said reply/><span>{told}</span></p>
            }
            .into_any();
        }
        let (name, params, reason) = reason.get_value();
        view! {
            <section class="approval is-open" aria-labelledby=id.clone()>
                <h2 class="approval-title" id=id.clone() tabindex="-1">{Key::CardAsk}</h2>
                <p class="approval-what">{told}</p>
                {move || is_grave().then(|| view! {
                    <p class="approval-grave">{Key::CardAskGrave}</p>
                })}
                {(!reason.is_empty()).then(|| view! {
                    <p class="approval-why">
                        <span class="hint">{Key::Reason}{move || Lang::spoken().colon()}</span>{reason}
                    </p>
                })}
                <Arguments tool=name params/>
                <Buttons on_reply/>
            </section>
        }
        .into_any()
    }
}

#[component]
fn Buttons(on_reply: Callback<Reply>) -> impl IntoView {
    let button = |class: &'static str, key: Key, reply: Reply| {
        view! {
            <button type="button" class=class on:click=move |_| on_reply.run(reply.clone())>{key}</button>
        }
    };
    view! {
        <div class="actions approval-actions">
            {button("main-action", Key::CardAllow, Reply::Allow)}
            {button("quiet", Key::CardTrust, Reply::Trust)}
            {button("quiet is-grave", Key::CardDeny, Reply::Deny)}
        </div>
    }
}

/// What was decided.
#[component]
fn Said(reply: Memo<Option<Reply>>) -> impl IntoView {
    let said = move || match reply.get() {
        Some(Reply::Allow) => ("card-said is-good", Key::CardAllowed),
        Some(Reply::Trust) => ("card-said is-good", Key::CardTrusted),
        _ => ("card-said", Key::CardRefused),
    };
    view! { <span class=move || said().0>{move || said().1.say()}</span> }
}
