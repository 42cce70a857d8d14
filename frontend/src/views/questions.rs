//! What a tool asks the user before it goes on; the answers go out with the same call again.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::form::{Faults, Fields, Filling};
use crate::browser;
use crate::call::{Reply, responses};
use crate::form::{Draft, Form};
use crate::mcp::wire::{Ask, Explained, Question};
use crate::page::page;
use crate::text::Key;
use crate::views::coded::coded;

/// Questions of one call drawn at most; more would be a mistake.
const QUESTIONS_MAX: usize = 100;

/// Draws the questions; the answers, as the protocol wants them, go to `on_answer`.
#[component]
pub(crate) fn Questions(
    questions: Vec<Question>,
    #[prop(into)] on_answer: Callback<Value>,
    /// Tells the questions of one conversation apart.
    #[prop(optional)]
    number: u32,
) -> impl IntoView {
    let asked: Vec<(Question, Filling)> = questions
        .into_iter()
        .take(QUESTIONS_MAX)
        .enumerate()
        .map(|(index, it)| (it.clone(), filling(&it, number as usize * QUESTIONS_MAX + index)))
        .collect();
    let asked = StoredValue::new(asked);
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let replies = asked.with_value(|asked| {
            let reply = |(question, filling): &(Question, Filling)| {
                Some((question.key.clone(), reply(question, *filling)?))
            };
            asked.iter().map(reply).collect::<Option<Vec<_>>>()
        });
        if let Some(replies) = replies {
            on_answer.run(responses(&replies));
        }
    };
    let decline = move |_| {
        let decline = |it: &(Question, Filling)| (it.0.key.clone(), Reply::Decline);
        let replies = asked.with_value(|it| it.iter().map(decline).collect::<Vec<_>>());
        on_answer.run(responses(&replies));
    };
    page().announce_key(Key::Question);
    let title_id = match number {
        0 => "question-title".to_owned(),
        number => format!("question-title-{number}"),
    };
    if number == 0 {
        browser::focus_soon(title_id.clone());
    } else {
        // In a conversation, a reader who is writing goes on writing.
        browser::focus_if_lost(title_id.clone());
    }
    let labelled = title_id.clone();
    let question = |(question, filling)| view! { <QuestionView question filling/> };
    view! {
        <form class="questions" novalidate on:submit=send aria-labelledby=labelled>
            <h2 id=title_id tabindex="-1">{Key::Question}</h2>
            {asked.get_value().into_iter().map(question).collect_view()}
            <div class="actions">
                <button type="submit" class="main-action">{Key::QuestionSend}</button>
                <button type="button" class="quiet" on:click=decline>{Key::QuestionDecline}</button>
            </div>
        </form>
    }
}

fn filling(question: &Question, index: usize) -> Filling {
    let schema = match &question.ask {
        Ask::Form(schema) => schema.clone(),
        _ => json!({}),
    };
    let form = Form::of(&schema, &|_| Explained::default());
    Filling::new(
        Memo::new(move |_| form.clone()),
        RwSignal::new(Draft::default()),
        "question",
        index,
    )
}

/// None while the form is not yet right.
fn reply(question: &Question, filling: Filling) -> Option<Reply> {
    match question.ask {
        Ask::Form(_) => filling.submit().map(Reply::Accept),
        Ask::Url(_) => Some(Reply::Accept(json!({}))),
        Ask::Unknown => Some(Reply::Decline),
    }
}

#[component]
fn QuestionView(question: Question, filling: Filling) -> impl IntoView {
    let ask = match question.ask {
        Ask::Form(_) => any_view! { <Faults filling/><Fields filling/> },
        Ask::Url(url) => {
            let link = super::output::safe_url(&url).map(|url| {
                view! {
                    <a class="button" href=url target="_blank" rel="noopener noreferrer">{Key::OpenPage}</a>
                }
            });
            any_view! {
                <p>{Key::QuestionUrl}</p>
                <p><code>{url}</code></p>
                {link}
            }
        }
        Ask::Unknown => any_view! { <p>{Key::QuestionUnknown}</p> },
    };
    view! {
        <div class="question">
            <p class="question-text">{coded(&question.message)}</p>
            {ask}
        </div>
    }
}
