//! Projects and their agents: presence, chats, and for the operator their definitions.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::agent_card::AgentCard;
use super::define::{Begin, DefineAgent, DefineProject};
use crate::access;
use crate::browser;
use crate::call::Loaded;
use crate::families::conversations::CHAT;
use crate::families::conversations::agents::{self, AgentsState, Panel, Passkey};
use crate::families::conversations::place::{Agents, Seat};
use crate::mcp;
use crate::page::page;
use crate::route::FamilyRoute;
use crate::text::Key;
use crate::views::notice::{Empty, loaded};
use crate::views::output::copy;
use crate::views::part::drawn_by;

/// The list of projects, or one chat.
#[component]
pub(crate) fn AgentsView() -> impl IntoView {
    provide_context(AgentsState::open());
    let seat = Memo::new(move |_| page().route.with(Agents::from_route).and_then(|it| it.0));
    move || match seat.get() {
        Some(seat) => {
            let address = Agents(Some(seat)).hash();
            drawn_by(&CHAT, move |it| (it.0)(&address))
        }
        None => any_view! { <List/> },
    }
}

#[component]
pub(super) fn List() -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    // A passkey is shown until the reader leaves.
    on_cleanup(move || {
        agents_state.passkey.try_set(None);
        agents_state.panel.try_set(Panel::Nothing);
    });
    browser::focus_soon("stage");
    let stage = Memo::new(move |_| agents_state.projects.with(|it| it.map(|_| ())));
    let retry = Callback::new(move |()| agents_state.retry());
    let is_operator = Memo::new(move |_| agents_state.is_operator());
    let is_open = Memo::new(move |_| agents_state.is_open(&Panel::DefineProject));
    view! {
        <div class="agents">
            <header class="agents-head">
                <div>
                    <h1 tabindex="-1" id="stage">{Key::AgentsTitle}</h1>
                    <p class="hint">{Key::AgentsHint}</p>
                </div>
                {move || is_operator.get().then(|| view! {
                    <button type="button" class="quiet" id="define-project"
                        aria-expanded=move || is_open.get().to_string()
                        on:click=move |_| agents_state.toggle(Panel::DefineProject)>
                        <span aria-hidden="true">"＋"</span>{Key::DefineProject}
                    </button>
                })}
            </header>
            {move || is_open.get().then(|| view! { <DefineProject/> })}
            <PasskeyView/>
            {move || loaded(stage.get(), 8, retry, |()| any_view! { <Cards/> })}
        </div>
    }
}

#[component]
fn Cards() -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let ids = Memo::new(move |_| agents_state.project_ids());
    let is_empty = Memo::new(move |_| ids.with(Vec::is_empty));
    move || {
        if is_empty.get() {
            return any_view! { <Empty title=Key::AgentsNone hint=Key::AgentsNoneHint/> };
        }
        any_view! {
            <For each=move || ids.get() key=Clone::clone children=|id| view! { <ProjectCard id/> }/>
        }
    }
}

#[component]
fn ProjectCard(id: String) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let heading = format!("project-{id}");
    let labelled = heading.clone();
    let project = Memo::new({
        let id = id.clone();
        move |_| agents_state.project(&id)
    });
    let name = Memo::new(move |_| project.with(|it| it.as_ref().map(|it| it.name.clone())));
    let is_configured =
        Memo::new(move |_| project.with(|it| it.as_ref().is_some_and(|it| it.is_configured)));
    let agents = Memo::new(move |_| {
        project.with(|project| {
            let agents = project.iter().flat_map(|it| &it.agents);
            agents.map(|it| it.agent.agent_id.clone()).collect::<Vec<_>>()
        })
    });
    let is_empty = Memo::new(move |_| agents.with(Vec::is_empty));
    let one = {
        let id = id.clone();
        move |agent| view! { <AgentCard seat=Seat { project: id.clone(), agent }/> }
    };
    view! {
        <section class="project" aria-labelledby=labelled>
            <header class="project-head">
                <h2 id=heading>{move || name.get()}</h2>
                <code class="agents-id">{id.clone()}</code>
                {move || is_configured.get().then(|| view! {
                    <span class="hint">{Key::ProjectConfigured}</span>
                })}
            </header>
            <Actions id=id/>
            {move || is_empty.get().then(|| view! { <p class="hint">{Key::AgentsNoneHere}</p> })}
            <ul class="agent-list"
                aria-label=move || Key::AgentsOf.fill(&[&name.get().unwrap_or_default()])>
                <For each=move || agents.get() key=Clone::clone children=one/>
            </ul>
        </section>
    }
}

/// Actions of a project and their forms.
#[component]
fn Actions(id: String) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let is_operator = Memo::new(move |_| agents_state.is_operator());
    let can_begin = Memo::new(move |_| page().tool("begin_conversation").is_some());
    let (begin, define) = (Panel::Begin(id.clone()), Panel::DefineAgent(id.clone()));
    let is_beginning = Memo::new({
        let begin = begin.clone();
        move |_| agents_state.is_open(&begin)
    });
    let is_defining = Memo::new({
        let define = define.clone();
        move |_| agents_state.is_open(&define)
    });
    let (begin_id, define_id) = (format!("begin-{id}"), format!("define-{id}"));
    let (opener, definer) = (begin_id.clone(), define_id.clone());
    let (for_begin, for_define) = (id.clone(), id);
    view! {
        <div class="actions">
            {move || can_begin.get().then(|| {
                let begin = begin.clone();
                view! {
                    <button type="button" class="quiet small" id=begin_id.clone()
                        aria-expanded=move || is_beginning.get().to_string()
                        on:click=move |_| agents_state.toggle(begin.clone())>{Key::Begin}</button>
                }
            })}
            {move || is_operator.get().then(|| {
                let define = define.clone();
                view! {
                    <button type="button" class="quiet small" id=define_id.clone()
                        aria-expanded=move || is_defining.get().to_string()
                        on:click=move |_| agents_state.toggle(define.clone())>
                        <span aria-hidden="true">"＋"</span>{Key::DefineAgent}
                    </button>
                }
            })}
        </div>
        {move || is_beginning.get().then(|| view! {
            <Begin project=for_begin.clone() opener=opener.clone()/>
        })}
        {move || is_defining.get().then(|| view! {
            <DefineAgent project=for_define.clone() opener=definer.clone()/>
        })}
    }
}

/// The invitation; with the passkey if it was just created.
#[component]
pub(super) fn Invite(
    seat: Seat,
    name: String,
    #[prop(optional, into)] passkey: Option<String>,
) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let prompt = RwSignal::new(Loaded::<String>::Loading);
    let arguments = StoredValue::new(agents::invitation(&seat, passkey.as_deref()));
    let load = move || {
        prompt.set(Loaded::Loading);
        spawn_local(async move {
            let found = mcp::prompt(agents::INVITATION, &arguments.get_value()).await;
            prompt.try_set(found.map_or_else(Loaded::Failed, Loaded::Ready));
        });
    };
    load();
    let opener = format!("invite-{}-{}", seat.project, seat.agent);
    let has_passkey = passkey.is_some();
    let note = if has_passkey { Key::InvitePasskey } else { Key::InviteNoPasskey };
    let retry = Callback::new(move |()| load());
    browser::focus_soon("invite-title");
    view! {
        <section class="agent-below invite" aria-labelledby="invite-title">
            <h4 id="invite-title" tabindex="-1">{move || Key::AgentInviteNamed.fill(&[&name])}</h4>
            <p class="hint">{Key::InviteHint}</p>
            <Connection/>
            <h5>{Key::InvitePrompt}</h5>
            <p class="hint">{note}</p>
            {move || loaded(prompt.get(), 4, retry, |text| {
                    let copied = text.clone();
                    any_view! {
                        <textarea class="code invite-prompt" id="invite-prompt" rows="10" readonly
                            aria-label=Key::InvitePromptName
                            prop:value=text></textarea>
                        <div class="actions">
                            <button type="button" class="small" on:click=move |_| copy(&copied, Key::Copied)>
                                {Key::InviteCopyPrompt}
                            </button>
                        </div>
                    }
                })}
            {(!has_passkey).then(|| view! {
                <div class="actions">
                    <button type="button" class="quiet small" on:click=move |_| {
                        agents_state.panel.set(Panel::Nothing);
                        browser::focus_soon(opener.clone());
                    }>{Key::Close}</button>
                </div>
            })}
        </section>
    }
}

/// How to connect to this host.
#[component]
fn Connection() -> impl IntoView {
    let address = browser::address();
    let wants_token = access::is_entered();
    let line = agents::connection(&address, wants_token);
    let endpoint = agents::endpoint(&address);
    let copied = line.clone();
    view! {
        <h5>{Key::InviteConnect}</h5>
        <p class="hint">{move || Key::InviteConnectHint.fill(&[&endpoint])}</p>
        {wants_token.then(|| view! { <p class="hint">{Key::InviteToken}</p> })}
        <pre class="invite-line" id="invite-line" tabindex="0" role="group"
            aria-label=Key::InviteConnect><code>{line}</code></pre>
        <div class="actions">
            <button type="button" class="quiet small" on:click=move |_| copy(&copied, Key::Copied)>
                {Key::InviteCopyLine}
            </button>
        </div>
    }
}

/// The passkey, if one was just created.
#[component]
fn PasskeyView() -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    move || agents_state.passkey.get().map(|passkey| view! { <NewPasskey passkey/> })
}

#[component]
fn NewPasskey(passkey: Passkey) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let is_inviting = RwSignal::new(false);
    page().announce_key(Key::PasskeyMade);
    browser::focus_soon("passkey-title");
    let passkey = StoredValue::new(passkey);
    let name = move || passkey.with_value(|it| it.name.clone());
    let done = move |_| {
        agents_state.passkey.set(None);
        browser::focus_soon("stage");
    };
    view! {
        <section class="notice is-warning passkey" aria-labelledby="passkey-title">
            <h2 class="notice-title" id="passkey-title" tabindex="-1">
                {move || Key::PasskeyTitle.fill(&[&name()])}
            </h2>
            <p>{Key::PasskeyOnce}</p>
            <code class="passkey-value" id="passkey-value">
                {passkey.with_value(|it| it.passkey.clone())}
            </code>
            <div class="actions">
                <button type="button" class="small"
                    on:click=move |_| passkey.with_value(|it| copy(&it.passkey, Key::Copied))>
                    {Key::PasskeyCopy}
                </button>
                <button type="button" class="quiet small"
                    aria-label=move || Key::AgentInviteNamed.fill(&[&name()])
                    aria-expanded=move || is_inviting.get().to_string()
                    on:click=move |_| is_inviting.update(|it| *it = !*it)>{Key::AgentInvite}</button>
                <button type="button" class="quiet small" on:click=done>{Key::PasskeyDone}</button>
            </div>
            {move || is_inviting.get().then(|| passkey.with_value(|it| view! {
                <Invite seat=it.seat.clone() name=it.name.clone() passkey=it.passkey.clone()/>
            }))}
        </section>
    }
}
