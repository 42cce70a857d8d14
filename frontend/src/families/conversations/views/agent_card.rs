//! An agent's card: identity, presence, and the reader's actions.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::{AgentKind, ChatStatus, ProjectAgent};
use serde_json::{Value, json};

use super::agents::Invite;
use super::define::DefineAgent;
use crate::browser;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::conversations::agents::{AgentsState, Panel, Passkey};
use crate::families::conversations::place::{Agents, Seat};
use crate::families::report_failure;
use crate::page::page;
use crate::route::FamilyRoute;
use crate::text::{Key, Lang};
use crate::views::notice::Notice;

/// Label and CSS class of a chat's state.
pub(super) fn status(status: ChatStatus) -> (Key, &'static str) {
    match status {
        ChatStatus::Connected => (Key::Online, "chat-state is-connected"),
        ChatStatus::Connecting => (Key::ChatStateConnecting, "chat-state is-connecting"),
        ChatStatus::Disconnected => (Key::ChatStateDisconnected, "chat-state is-disconnected"),
    }
}

/// The assistant that acts as an agent, in the reader's language.
fn assistant_title(agents_state: AgentsState, agent: &ProjectAgent) -> String {
    let Some(name) = &agent.agent.assistant else {
        return Key::AgentOutside.say().to_owned();
    };
    let title = agents_state.assistants.with(|assistants| {
        let own = assistants.iter().find(|it| it.name == *name)?;
        let ja = own.title_ja.clone().filter(|_| Lang::spoken().tag() == "ja");
        Some(ja.unwrap_or_else(|| own.title.clone()))
    });
    Key::AgentPlayed.fill(&[&title.unwrap_or_else(|| name.clone())])
}

#[component]
pub(super) fn AgentCard(seat: Seat) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    agents_state.fetch_assistants();
    let agent = Memo::new({
        let seat = seat.clone();
        move |_| agents_state.agent(&seat).unwrap_or_default()
    });
    let kind = Memo::new(move |_| agent.with(|it| it.agent.kind));
    let class = move || match kind.get() {
        AgentKind::Ai => "agent is-ai",
        AgentKind::Human => "agent is-human",
    };
    let id = seat.agent.clone();
    view! {
        <li class=class>
            <Icon kind/>
            <div class="agent-who">
                <h3>{move || agent.with(|it| it.agent.name.clone())}</h3>
                <code class="agents-id">{id}</code>
                <Badges agent/>
                <Facts agent/>
            </div>
            <Acts seat=seat.clone() agent/>
            <Below seat agent/>
        </li>
    }
}

/// Decoration: the text says the same.
#[component]
fn Icon(kind: Memo<AgentKind>) -> impl IntoView {
    // A head with an antenna, or a head with shoulders.
    let path = move || match kind.get() {
        AgentKind::Ai => {
            "M12 2v4M6 6h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2ZM9 11v2M15 11v2M8 22h8"
        }
        AgentKind::Human => "M12 4a4 4 0 1 1 0 8a4 4 0 1 1 0-8ZM4 21c0-4 3.5-6 8-6s8 2 8 6",
    };
    view! {
        <svg class="agent-icon" viewBox="0 0 24 24" aria-hidden="true" fill="none"
            stroke="currentColor" stroke-width="2" stroke-linecap="round"><path d=path></path></svg>
    }
}

#[component]
fn Badges(agent: Memo<ProjectAgent>) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let is_me = move || agent.with(|it| it.agent.agent_id == agents_state.me());
    let kind = move || match agent.with(|it| it.agent.kind) {
        AgentKind::Ai => Key::AgentAi,
        AgentKind::Human => Key::AgentHuman,
    };
    let is_ai = Memo::new(move |_| agent.with(|it| it.agent.kind == AgentKind::Ai));
    // An agent run by the host answers though it is not present.
    let presence =
        Memo::new(move |_| agent.with(|it| (it.agent.online, it.agent.assistant.is_some())));
    let online = move || match presence.get() {
        (true, _) => (Key::AgentOnline, "chat-state is-connected"),
        (false, true) => (Key::AgentReady, "chat-state is-connected"),
        (false, false) => (Key::OfflineState, "chat-state is-disconnected"),
    };
    view! {
        <p class="agent-badges">
            <span class="badge agent-kind">{move || kind().say()}</span>
            {move || is_me().then(|| view! { <span class="badge">{Key::AgentYou}</span> })}
            // Unknown for people.
            {move || is_ai.get().then(|| view! {
                <span class=move || online().1>{move || online().0.say()}</span>
            })}
        </p>
    }
}

#[component]
fn Facts(agent: Memo<ProjectAgent>) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let is_ai = Memo::new(move |_| agent.with(|it| it.agent.kind == AgentKind::Ai));
    let skills = move || {
        let comma = Lang::spoken().comma();
        agent.with(|it| (!it.agent.skills.is_empty()).then(|| it.agent.skills.join(comma)))
    };
    let passkey = move || {
        let is_shown = agent.with(|it| it.agent.assistant.is_none() || it.has_passkey);
        let has = agent.with(|it| it.has_passkey);
        is_shown.then_some(if has { Key::AgentHasPasskey } else { Key::AgentNoPasskey })
    };
    view! {
        <ul class="agent-facts">
            {move || is_ai.get().then(|| view! {
                <li>{move || agent.with(|it| assistant_title(agents_state, it))}</li>
                {move || passkey().map(|key| view! { <li>{key}</li> })}
            })}
            {move || skills().map(|skills| view! {
                <li>{Key::AgentSkills}{move || Lang::spoken().colon()}{skills}</li>
            })}
        </ul>
    }
}

/// The reader's actions.
#[component]
fn Acts(seat: Seat, agent: Memo<ProjectAgent>) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let name = Memo::new(move |_| agent.with(|it| it.agent.name.clone()));
    let is_ai = Memo::new(move |_| agent.with(|it| it.agent.kind == AgentKind::Ai));
    let is_outside =
        Memo::new(move |_| is_ai.get() && agent.with(|it| it.agent.assistant.is_none()));
    // Agents of the configuration are changed there.
    let is_ours =
        Memo::new(move |_| agents_state.is_operator() && agent.with(|it| !it.is_configured));
    let id = StoredValue::new(format!("{}-{}", seat.project, seat.agent));
    let seat = StoredValue::new(seat);
    let act = move |prefix: &'static str, panel: fn(Seat) -> Panel, say: Key, named: Key| {
        let own = panel(seat.get_value());
        let is_open = Memo::new({
            let own = own.clone();
            move |_| agents_state.is_open(&own)
        });
        let class = if prefix == "retire" { "plain small is-retire" } else { "plain small" };
        view! {
            <button type="button" class=class id=format!("{prefix}-{}", id.get_value())
                aria-expanded=move || is_open.get().to_string()
                aria-label=move || named.fill(&[&name.get()])
                on:click=move |_| agents_state.toggle(own.clone())>{say}</button>
        }
    };
    view! {
        <div class="agent-acts">
            {move || is_ai.get().then(|| view! { <ChatLink seat=seat.get_value() agent/> })}
            {move || is_outside.get().then(|| {
                act("invite", Panel::Invite, Key::AgentInvite, Key::AgentInviteNamed)
            })}
            {move || (is_outside.get() && is_ours.get()).then(|| {
                act("renew", Panel::Renew, Key::AgentRenew, Key::AgentRenewNamed)
            })}
            {move || (is_ai.get() && is_ours.get()).then(|| {
                act("change", Panel::Change, Key::AgentChange, Key::AgentChangeNamed)
            })}
            {move || is_ours.get().then(|| {
                act("retire", Panel::Retire, Key::AgentRetire, Key::AgentRetireNamed)
            })}
        </div>
    }
}

/// Link to the chat, with its unread count and state.
#[component]
fn ChatLink(seat: Seat, agent: Memo<ProjectAgent>) -> impl IntoView {
    let unread = Memo::new(move |_| agent.with(|it| it.unread));
    let state = Memo::new(move |_| agent.with(|it| it.chat));
    let label = move || {
        let name = agent.with(|it| it.agent.name.clone());
        let chat = Key::AgentChatNamed.fill(&[&name]);
        match unread.get() {
            0 => chat,
            count => {
                let count = Key::TalkUnread.fill(&[&count.to_string()]);
                format!("{chat}{}{count}", Lang::spoken().comma())
            }
        }
    };
    view! {
        <a class="button quiet small" href=Agents(Some(seat)).hash() aria-label=label>
            {Key::AgentChat}
            {move || (unread.get() > 0).then(|| view! {
                <span class="unread" aria-hidden="true">{move || unread.get()}</span>
            })}
        </a>
        // A chat that was not begun has no state to show: presence stands beside the name.
        {move || (state.get() != ChatStatus::Disconnected).then(|| view! {
            <span class=status(state.get()).1>{status(state.get()).0}</span>
        })}
    }
}

/// The open panel of this agent.
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
            Panel::Invite(seat) => any_view! { <Invite seat name=name.get_untracked()/> },
            Panel::Renew(seat) => any_view! { <Ask seat name is_retiring=false/> },
            Panel::Retire(seat) => any_view! { <Ask seat name is_retiring=true/> },
            Panel::Change(seat) => {
                let opener = format!("change-{}-{}", seat.project, seat.agent);
                let present = agent.get_untracked();
                let form = view! { <DefineAgent project=seat.project opener present/> };
                any_view! { <div class="agent-below">{form}</div> }
            }
            _ => return None,
        })
    }
}

/// Asks for confirmation before a passkey is revoked or an agent retired.
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
                Err(failure) if !is_open => report_failure(&failure),
                Err(failure) => error.set(Some(failure)),
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
        page().notify_fill(Key::AgentRetired, &name);
        browser::focus_if_lost("stage");
    } else if let Some(passkey) = output.get("passkey").and_then(Value::as_str) {
        agents_state.passkey.set(Some(Passkey { seat, name, passkey: passkey.to_owned() }));
    }
}
