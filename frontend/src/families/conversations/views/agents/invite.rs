//! The invitation of an agent from outside: how it connects, the instructions for it, and its passkey, shown once.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::access;
use crate::browser;
use crate::call::Loaded;
use crate::families::conversations::agents::agents_state::{AgentsState, Panel, Passkey};
use crate::families::conversations::agents::invitation;
use crate::families::conversations::place::Seat;
use crate::mcp;
use crate::page::page;
use crate::text::Key;
use crate::views::notice::loaded;
use crate::views::raw::copy;

/// The invitation; the passkey goes along where it has just been made.
#[component]
pub(super) fn Invite(
    seat: Seat,
    name: String,
    #[prop(optional, into)] passkey: Option<String>,
) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let prompt = RwSignal::new(Loaded::<String>::Loading);
    let arguments = StoredValue::new(invitation::arguments(&seat, passkey.as_deref()));
    let load = move || {
        prompt.set(Loaded::Loading);
        spawn_local(async move {
            let found = mcp::prompt(invitation::PROMPT, &arguments.get_value()).await;
            prompt.try_set(found.map_or_else(Loaded::Failed, Loaded::Here));
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
    let line = invitation::connection(&address, wants_token);
    let endpoint = invitation::endpoint(&address);
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

/// The passkey, if one was just made.
#[component]
pub(super) fn PasskeyView() -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    move || agents_state.passkey.get().map(|made| view! { <Made made/> })
}

#[component]
fn Made(made: Passkey) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let is_inviting = RwSignal::new(false);
    page().announce_key(Key::PasskeyMade);
    browser::focus_soon("passkey-title");
    let made = StoredValue::new(made);
    let name = move || made.with_value(|it| it.name.clone());
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
                {made.with_value(|it| it.passkey.clone())}
            </code>
            <div class="actions">
                <button type="button" class="small"
                    on:click=move |_| made.with_value(|it| copy(&it.passkey, Key::Copied))>
                    {Key::PasskeyCopy}
                </button>
                <button type="button" class="quiet small"
                    aria-label=move || Key::AgentInviteNamed.fill(&[&name()])
                    aria-expanded=move || is_inviting.get().to_string()
                    on:click=move |_| is_inviting.update(|it| *it = !*it)>{Key::AgentInvite}</button>
                <button type="button" class="quiet small" on:click=done>{Key::PasskeyDone}</button>
            </div>
            {move || is_inviting.get().then(|| made.with_value(|it| view! {
                <Invite seat=it.seat.clone() name=it.name.clone() passkey=it.passkey.clone()/>
            }))}
        </section>
    }
}
