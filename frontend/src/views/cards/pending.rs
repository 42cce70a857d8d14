//! What an answer waits for, and the answer to it: each kind by its own view.

use leptos::prelude::*;
use serde_json::Value;

use super::arguments::Arguments;
use super::form::FormCard;
use super::picker::Picker;
use crate::browser;
use crate::chat::waiting::{Pending, Reply, Waiting};
use crate::mcp::wire::{Ask, Question};
use crate::page::page;
use crate::table;
use crate::text::{Key, Lang};
use crate::views::questions::Questions;

/// Questions of one tool asked at once at most.
const QUESTIONS_MAX: usize = 20;

/// Draws it; what the reader says goes to `on_reply`, with the call that it belongs to.
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
                any_view! { <Asked questions reply on_reply=say/> }
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

/// A tool's own questions; once answered, that they are.
#[component]
fn Asked(
    questions: Vec<crate::approvals::Question>,
    reply: Memo<Option<Reply>>,
    on_reply: Callback<Reply>,
) -> impl IntoView {
    let questions: Vec<Question> = questions.into_iter().take(QUESTIONS_MAX).map(asked).collect();
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
            let is_given = matches!(&reply, Reply::Answers(it) if is_accepted(it));
            let key = if is_given { Key::CardAnswersSent } else { Key::CardAnswersNone };
            any_view! { <p class="card-said">{key}</p> }
        }
    }
}

pub(crate) fn asked(question: crate::approvals::Question) -> Question {
    let crate::approvals::Question { key, message, schema, url } = question;
    let ask = match (schema, url) {
        (Some(schema), _) => Ask::Form(schema),
        (None, Some(url)) => Ask::Url(url),
        (None, None) => Ask::Unknown,
    };
    Question { key, message, ask }
}

/// Whether one of the questions was answered.
fn is_accepted(answers: &Value) -> bool {
    let mut answers = answers.as_object().into_iter().flat_map(|it| it.values());
    answers.any(|it| it.get("action").and_then(Value::as_str) == Some("accept"))
}

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
    let id = format!("approval-{}", browser::next_number());
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
            return any_view! { <p class="approval-over"><Said reply/><span>{told}</span></p> };
        }
        let (name, params, reason) = reason.get_value();
        any_view! {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_is_a_form_or_a_page_or_nothing_that_is_known() {
        let question = |schema: Option<Value>, url: Option<&str>| {
            asked(crate::approvals::Question {
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
    fn answers_are_given_where_one_is_accepted() {
        assert!(is_accepted(&json!({ "a": { "action": "decline" }, "b": { "action": "accept" } })));
        assert!(!is_accepted(&json!({ "a": { "action": "decline" } })));
        assert!(!is_accepted(&json!(null)));
    }
}
