//! What is opened about one agent: its invitation, its form, and what is asked before something is done.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::ProjectAgent;
use serde_json::{Value, json};

use super::define_agent::DefineAgent;
use super::invite::Invite;
use crate::browser;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::conversations::agents::agents_state::{AgentsState, Panel, Passkey};
use crate::families::conversations::place::Seat;
use crate::families::tell_not_done;
use crate::page::page;
use crate::text::Key;
use crate::views::notice::Notice;

/// What was opened about this agent.
#[component]
pub(super) fn Below(seat: Seat, agent: Memo<ProjectAgent>) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let open = Memo::new(move |_| {
        agents_state.panel.with(|it| match it {
            Panel::Invite(own) | Panel::Renew(own) | Panel::Retire(own) | Panel::Change(own)
                if *own == seat =>
            {
                Some(it.clone())
            }
            _ => None,
        })
    });
    let name = Memo::new(move |_| agent.with(|it| it.agent.name.clone()));
    move || {
        Some(match open.get()? {
            Panel::Invite(seat) => view! { <Invite seat name=name.get_untracked()/> }.into_any(),
            Panel::Renew(seat) => view! { <Ask seat name is_retiring=false/> }.into_any(),
            Panel::Retire(seat) => view! { <Ask seat name is_retiring=true/> }.into_any(),
            Panel::Change(seat) => {
                let opener = format!("change-{}-{}", seat.project, seat.agent);
                let present = agent.get_untracked();
                let form = view! { <DefineAgent project=seat.project opener present/> };
                view! { <div class="agent-below">{form}</div> }.into_any()
            }
            _ => return None,
        })
    }
}

/// Asks once before a passkey stops working, or an agent goes.
#[component]
fn Ask(seat: Seat, name: Memo<String>, is_retiring: bool) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let error = RwSignal::new(None::<CallError>);
    let is_busy = agents_state.is_busy;
    let (ask, yes, prefix) = match is_retiring {
        true => (Key::AgentRetireAsk, Key::AgentRetireYes, "retire"),
        false => (Key::AgentRenewAsk, Key::AgentRenewYes, "renew"),
    };
    let opener = StoredValue::new(format!("{prefix}-{}-{}", seat.project, seat.agent));
    let confirm = move |_| {
        if is_busy.get_untracked() {
            return;
        }
        is_busy.set(true);
        let (seat, name) = (seat.clone(), name.get_untracked());
        spawn_local(async move {
            let tool = if is_retiring { "retire_agent" } else { "renew_passkey" };
            let done = fetch::<Value>(tool, json!({ "agent_id": seat.agent })).await;
            let _ = is_busy.try_set(false);
            let is_open = !error.is_disposed();
            if is_open && done.is_ok() {
                agents_state.panel.set(Panel::Nothing);
            }
            match done {
                Ok(output) => settle(agents_state, seat, name, &output, is_retiring),
                Err(it) if !is_open => tell_not_done(&it),
                Err(it) => error.set(Some(it)),
            }
        });
    };
    browser::focus_soon("ask-no");
    view! {
        <div class="agent-below agent-ask" role="group" aria-label=move || ask.fill(&[&name.get()])
            on:keydown=move |event| if browser::takes_escape(&event) { agents_state.close(&opener.get_value()) }>
            <p>{move || ask.fill(&[&name.get()])}</p>
            <div class="actions">
                <button type="button" class="quiet small" id="ask-no"
                    on:click=move |_| agents_state.close(&opener.get_value())>{Key::AgentLeave}</button>
                <button type="button" class="small is-grave" id="ask-yes" on:click=confirm
                    aria-disabled=move || is_busy.get().then_some("true")>{yes}</button>
            </div>
            {move || error.get().map(|error| view! { <Notice error/> })}
        </div>
    }
}

fn settle(agents_state: AgentsState, seat: Seat, name: String, output: &Value, is_retiring: bool) {
    agents_state.load();
    if is_retiring {
        page().announce_fill(Key::AgentRetired, &[&name]);
        page().show(Key::AgentRetired, &name);
        browser::focus_if_lost("stage");
    } else if let Some(passkey) = output.get("passkey").and_then(Value::as_str) {
        agents_state.passkey.set(Some(Passkey { seat, name, passkey: passkey.to_owned() }));
    }
}
