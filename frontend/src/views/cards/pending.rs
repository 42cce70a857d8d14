//! Pending items of an answer, each drawn by kind; also a form requested by the assistant (FORM-3), which is read-only
//! once it is the next message (FORM-5).

use leptos::html;
use leptos::prelude::*;
use output::form::{OpenForm, Status};
use serde_json::Value;

use super::call_card::Arguments;
use super::picker::Picker;
use crate::apps::Owner;
use crate::browser;
use crate::cards::{masked, submitted};
use crate::chat::entry::{Pending, Reply, Waiting};
use crate::form::is_for_programs;
use crate::mcp::wire::{Ask, Question};
use crate::page::page;
use crate::table::{self, Closed, Forms};
use crate::text::{Key, Lang};
use crate::views::form::Questions;
use crate::views::output::Structured;
use crate::views::part::drawn_by;

/// Maximum number of questions of one call.
const QUESTIONS_MAX: usize = 20;

/// Draws the item; the reader's reply goes to `on_reply` with its call.
#[component]
pub(crate) fn PendingCard(
    pending: Memo<Option<Pending>>,
    #[prop(into)] on_reply: Callback<(String, Reply)>,
) -> impl IntoView {
    let waiting = Memo::new(move |_| pending.with(|it| it.as_ref().map(|it| it.waiting.clone())));
    let reply = Memo::new(move |_| pending.with(|it| it.as_ref().and_then(|it| it.reply.clone())));
    move || {
        let waiting = waiting.get()?;
        let id = waiting.call_id().to_owned();
        let say = Callback::new(move |reply: Reply| on_reply.run((id.clone(), reply)));
        Some(match waiting {
            Waiting::Approval { name, title, params, reason, .. } => {
                any_view! { <Approval name title params reason reply on_reply=say/> }
            }
            Waiting::Questions { questions, .. } => {
                any_view! { <ToolQuestions questions reply on_reply=say/> }
            }
            Waiting::Form { schema, handle, .. } => {
                any_view! { <FormCard schema handle reply on_reply=say/> }
            }
            Waiting::Choice { pictures, .. } => {
                any_view! { <Picker pictures reply on_reply=say/> }
            }
        })
    }
}

/// A tool's questions; once answered, a note of that.
#[component]
fn ToolQuestions(
    questions: Vec<crate::approvals::Question>,
    reply: Memo<Option<Reply>>,
    on_reply: Callback<Reply>,
) -> impl IntoView {
    let questions: Vec<Question> =
        questions.into_iter().take(QUESTIONS_MAX).map(as_question).collect();
    let questions = StoredValue::new(questions);
    let number = browser::next_number();
    let answer = move |answers: Value| on_reply.run(Reply::Answers(answers));
    move || match reply.get() {
        None => any_view! {
            <div class="card-ask">
                <Questions questions=questions.get_value() number on_answer=answer/>
            </div>
        },
        Some(reply) => {
            // `Allow` stands for answers given outside of the chat.
            let is_given = match &reply {
                Reply::Answers(answers) => is_accepted(answers),
                other => *other == Reply::Allow,
            };
            let key = if is_given { Key::CardAnswersSent } else { Key::CardAnswersNone };
            any_view! { <p class="card-said">{key}</p> }
        }
    }
}

pub(crate) fn as_question(question: crate::approvals::Question) -> Question {
    let crate::approvals::Question { key, message, schema, url } = question;
    let ask = match (schema, url) {
        (Some(schema), _) => Ask::Form(schema),
        (None, Some(url)) => Ask::Url(url),
        (None, None) => Ask::Unknown,
    };
    Question { key, message, ask }
}

/// Whether at least one question was answered.
fn is_accepted(answers: &Value) -> bool {
    let mut answers = answers.as_object().into_iter().flat_map(|it| it.values());
    answers.any(|it| it.get("action").and_then(Value::as_str) == Some("accept"))
}

/// Asks for approval; afterwards shows the decision.
#[component]
pub(super) fn Approval(
    name: String,
    title: String,
    params: Value,
    reason: String,
    reply: Memo<Option<Reply>>,
    on_reply: Callback<Reply>,
) -> impl IntoView {
    let id = format!("approval-{}", browser::next_number());
    let tool = StoredValue::new((name.clone(), title));
    let called = Memo::new(move |_| tool.with_value(|(name, title)| titled(name, title)));
    let call = StoredValue::new((name.clone(), params.clone()));
    let description = move || {
        call.with_value(|(name, params)| tool.with_value(|it| sentence(name, params, &it.1)))
    };
    let is_grave = move || {
        let tool = tool.with_value(|it| page().tool(&it.0));
        tool.is_some_and(|it| it.annotations.destructive_hint == Some(true))
    };
    if reply.get_untracked().is_none() {
        page().announce_fill(Key::CardAskAnnounced, &[&called.get_untracked()]);
        // A reader who is writing keeps the focus.
        browser::focus_if_lost(id.clone());
    }
    let reason = StoredValue::new((name, params, reason));
    let is_open = Memo::new(move |_| reply.with(Option::is_none));
    move || {
        if !is_open.get() {
            // The outcome stands above, in the call itself.
            return any_view! { <p class="approval-over"><DecisionText reply/><span>{description}</span></p> };
        }
        let (name, params, reason) = reason.get_value();
        any_view! {
            <section class="approval is-open" aria-labelledby=id.clone()>
                <h2 class="approval-title" id=id.clone() tabindex="-1">{Key::CardAsk}</h2>
                <p class="approval-what">{description}</p>
                {move || is_grave().then(|| view! {
                    <p class="approval-grave">{Key::CardAskGrave}</p>
                })}
                <Wanted tool=name params reason/>
                <Buttons on_reply/>
            </section>
        }
    }
}

/// The title of a tool in the reader's language, else as the host has it.
fn titled(name: &str, title: &str) -> String {
    let current = page().tool(name).map(|it| it.title(Lang::spoken()));
    let own = Some(title).filter(|it| !it.is_empty()).unwrap_or(name);
    current.unwrap_or_else(|| own.to_owned())
}

/// What a call would do, in a sentence.
pub(crate) fn sentence(name: &str, params: &Value, title: &str) -> String {
    let tool = page().tool(name);
    match tool.and_then(|it| table::approval_text(&it, params, Lang::spoken())) {
        Some((key, values)) => key.fill(&values.iter().map(String::as_str).collect::<Vec<_>>()),
        None => Key::CardAskWhat.fill(&[&titled(name, title)]),
    }
}

/// Why a call would be made and what it would do, as its family says it; what is technical about it is folded.
#[component]
pub(crate) fn Wanted(
    tool: String,
    params: Value,
    reason: String,
    /// The component or other server that offers the tool, if known; else its owner in the page's own list.
    #[prop(optional_no_strip)]
    owner: Option<String>,
) -> impl IntoView {
    let call = StoredValue::new((tool, params));
    let drawn = move || {
        let (tool, params) = call.get_value();
        let facts = page().tool(&tool).and_then(|it| table::facts(&it));
        let covered = facts.map_or(&[][..], |it| (it.covered)(&params));
        let mut rest = params.clone();
        // Of a tool that no family explains, every argument may matter.
        if let (Value::Object(rest), Some(_)) = (&mut rest, facts) {
            rest.retain(|name, _| !covered.contains(&name.as_str()) && !is_for_programs(name));
        }
        let is_rest_shown = covered.is_empty() || rest.as_object().is_some_and(|it| !it.is_empty());
        let facts = facts.filter(|_| !covered.is_empty());
        any_view! {
            {facts.map(|it| drawn_by(it.code, move |it| (it.0)(params.clone())))}
            {is_rest_shown.then(|| view! { <Arguments tool params=rest is_plain=true/> })}
        }
    };
    let (tool, params) = call.get_value();
    let name = tool.clone();
    let owner = move || {
        let listed = || page().tool(&call.with_value(|it| it.0.clone()));
        let listed = || Some(Owner::of_tool(&listed()?)?.name().to_owned());
        owner.clone().or_else(listed).map(|it| format!(" · {it}"))
    };
    view! {
        {(!reason.is_empty()).then(|| view! {
            <p class="approval-why">
                <span class="hint">{Key::Reason}{move || Lang::spoken().colon()}</span>{reason}
            </p>
        })}
        {drawn}
        <details class="approval-details">
            <summary>{Key::Details}</summary>
            <p class="hint"><code>{name}</code>{owner}</p>
            <Arguments tool params/>
        </details>
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
            {button("quiet is-grave", Key::CardDeny, Reply::Deny)}
            {button("quiet", Key::CardTrust, Reply::Trust)}
        </div>
    }
}

#[component]
fn DecisionText(reply: Memo<Option<Reply>>) -> impl IntoView {
    let text = move || match reply.get() {
        Some(Reply::Allow) => ("card-said is-good", Key::CardAllowed),
        Some(Reply::Trust) => ("card-said is-good", Key::CardTrusted),
        _ => ("card-said", Key::CardRefused),
    };
    view! { <span class=move || text().0>{move || text().1.say()}</span> }
}

/// The form. One with a handle goes through the forms component, which checks it again (FORM-10) and notifies other
/// requesters (FORM-11); then its values go to the assistant.
#[component]
fn FormCard(
    schema: Value,
    handle: Option<String>,
    reply: Memo<Option<Reply>>,
    on_reply: Callback<Reply>,
) -> AnyView {
    let Some(handle) = handle else {
        return any_view! { <Loose schema reply on_reply/> };
    };
    // Already closed on arrival: the reader decides whether to continue with its outcome.
    let found = RwSignal::new(None::<Reply>);
    let closed = move |(form, is_fresh): (OpenForm, bool)| {
        if reply.get_untracked().is_some() {
            return;
        }
        let reply = reply_of(&form);
        if is_fresh { on_reply.run(reply) } else { found.set(Some(reply)) }
    };
    let is_over = Memo::new(move |_| reply.with(Option::is_some));
    let form = move || {
        let handle = handle.clone();
        if is_over.get() {
            return any_view! { <Over handle reply/> };
        }
        any_view! {
            {stored_form(handle, Some(Callback::new(closed)))}
            {move || found.get().map(|reply| view! {
                <div class="actions">
                    <span class="hint">{Key::CardFormDone}</span>
                    <button type="button" on:click=move |_| on_reply.run(reply.clone())>
                        {Key::CardFormGoOn}
                    </button>
                </div>
            })}
        }
    };
    any_view! { <div class="card-form">{form}</div> }
}

/// The form of that handle, drawn by its family.
fn stored_form(handle: String, on_closed: Option<Closed>) -> Option<AnyView> {
    let draw = move |it: &Forms| (it.with_handle)(handle.clone(), on_closed);
    table::forms().map(|code| drawn_by(code, draw))
}

/// A form without a handle, drawn by its family.
fn unstored_form(
    schema: Value,
    on_answer: Callback<Option<output::form::Values>>,
) -> Option<AnyView> {
    let draw = move |it: &Forms| (it.without_handle)(schema.clone(), on_answer);
    table::forms().map(|code| drawn_by(code, draw))
}

/// A form whose outcome the assistant has: folded and read-only, as stored by the component.
#[component]
fn Over(handle: String, reply: Memo<Option<Reply>>) -> impl IntoView {
    let details = NodeRef::<html::Details>::new();
    let is_unfolded = RwSignal::new(false);
    let unfold = move |_| {
        is_unfolded.set(details.get_untracked().is_some_and(|it| it.has_attribute("open")));
    };
    let summary = move || match reply.get() {
        Some(Reply::Submitted(_)) => Key::CardFormSent.say(),
        _ => Key::CardFormCancelled.say(),
    };
    view! {
        <details class="card-form-over" node_ref=details on:toggle=unfold>
            <summary class="card-said">{summary}</summary>
            {move || is_unfolded.get().then(|| {
                let handle = handle.clone();
                stored_form(handle, None)
            })}
        </details>
    }
}

/// The text for the assistant when a form is closed.
fn reply_of(form: &OpenForm) -> Reply {
    match (form.status, &form.values) {
        (Status::Submitted, Some(values)) => Reply::Submitted(submitted(values)),
        (Status::Submitted, None) => Reply::Submitted("{}".to_owned()),
        _ => Reply::Cancelled,
    }
}

/// A form without a handle.
#[component]
fn Loose(schema: Value, reply: Memo<Option<Reply>>, on_reply: Callback<Reply>) -> impl IntoView {
    let schema = StoredValue::new(schema);
    let send = move |values: Option<output::form::Values>| {
        on_reply.run(values.map_or(Reply::Cancelled, |it| Reply::Submitted(submitted(&it))));
    };
    move || match reply.get() {
        None => any_view! {
            <div class="card-form">{unstored_form(schema.get_value(), Callback::new(send))}</div>
        },
        Some(Reply::Submitted(text)) => {
            let values = serde_json::from_str::<Value>(&text).unwrap_or(Value::String(text));
            any_view! {
                <div class="card-form is-over">
                    <p class="card-said is-good">{Key::CardFormSent}</p>
                    <Structured value=masked(&values)/>
                </div>
            }
        }
        Some(_) => any_view! { <p class="card-said">{Key::CardFormCancelled}</p> },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parses_form_page_and_unknown_questions() {
        let question = |schema: Option<Value>, url: Option<&str>| {
            as_question(crate::approvals::Question {
                schema,
                url: url.map(str::to_owned),
                ..Default::default()
            })
        };
        assert_eq!(question(Some(json!({})), None).ask, Ask::Form(json!({})));
        assert_eq!(
            question(None, Some("https://a.example")).ask,
            Ask::Url("https://a.example".to_owned())
        );
        assert_eq!(question(None, None).ask, Ask::Unknown);
    }

    #[test]
    fn recognises_an_accepted_answer() {
        assert!(is_accepted(&json!({ "a": { "action": "decline" }, "b": { "action": "accept" } })));
        assert!(!is_accepted(&json!({ "a": { "action": "decline" } })));
        assert!(!is_accepted(&json!(null)));
    }

    #[test]
    fn submitted_form_sends_values_and_others_cancel() {
        let form = |status: Status, values: Option<Value>| OpenForm {
            status,
            values: values.map(|it| serde_json::from_value(it).unwrap()),
            ..OpenForm::default()
        };
        let sent = form(Status::Submitted, Some(json!({ "a": 1 })));
        assert_eq!(reply_of(&sent), Reply::Submitted("{\n  \"a\": 1\n}".to_owned()));
        assert_eq!(reply_of(&form(Status::Cancelled, None)), Reply::Cancelled);
        assert_eq!(reply_of(&form(Status::Declined, None)), Reply::Cancelled);
    }
}
