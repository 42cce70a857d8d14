//! The place where everything waits that only the reader may allow.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::cards::asked;
use super::notice::{Empty, Notice, Skeleton};
use super::questions::Questions;
use crate::approvals::{Approval, Inbox, Word};
use crate::browser;
use crate::call::Loaded;
use crate::dates;
use crate::error::CallError;
use crate::page::{Page, next_number, page};
use crate::table::{fits, text};
use crate::text::Key;

/// The id of the place's heading, to which one comes back from what is answered.
const TITLE: &str = "approvals-title";

/// What waits, the oldest first.
#[component]
pub(crate) fn ApprovalsView() -> impl IntoView {
    let page = page();
    let inbox: Inbox = expect_context();
    inbox.load();
    let retry = Callback::new(move |()| inbox.load());
    let ids = Memo::new(move |_| {
        let id = |it: &Value| Some(text(it, "id")?.to_owned());
        let ids = |all: &Vec<Value>| all.iter().filter_map(id).collect::<Vec<_>>();
        inbox.waiting.with(|it| it.here().map(ids))
    });
    let list = move || match ids.get() {
        None => match inbox.waiting.get() {
            Loaded::Failed(error) => view! { <Notice error on_retry=retry/> }.into_any(),
            _ => view! { <Skeleton lines=4/> }.into_any(),
        },
        Some(ids) if ids.is_empty() => {
            let title = Signal::derive(move || page.say(Key::ApprovalsNone).to_owned());
            view! { <Empty title/> }.into_any()
        }
        Some(_) => view! {
            <ul class="inbox">
                <For each=move || ids.get().unwrap_or_default() key=Clone::clone let:id>
                    <li><Card id/></li>
                </For>
            </ul>
        }
        .into_any(),
    };
    view! {
        <div class="inbox-place">
            <h1 id=TITLE tabindex="-1">{move || page.say(Key::ApprovalsTitle)}</h1>
            <p class="hint">{move || page.say(Key::ApprovalsHint)}</p>
            {list}
        </div>
    }
}

/// One call, and the reader's answer to it.
#[component]
fn Card(id: String) -> impl IntoView {
    let page = page();
    let inbox: Inbox = expect_context();
    let approval = Memo::new(move |_| {
        let is_it = |it: &&Value| text(it, "id") == Some(&id);
        inbox.waiting.with(|all| all.here()?.iter().find(is_it).and_then(fits::<Approval>))
    });
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CallError>);
    let say = Callback::new(move |word: Word| {
        let Some(approval) = approval.get_untracked().filter(|_| !is_busy.get_untracked()) else {
            return;
        };
        is_busy.set(true);
        spawn_local(async move {
            let said = inbox.say(&approval, &word).await;
            let _ = is_busy.try_set(false);
            match said {
                Ok(approval) => over(page, &approval),
                Err(it) => drop(error.try_set(Some(it))),
            }
        });
    });
    let drawn = move || approval.get().map(|it| view! { <Asked approval=it is_busy say/> });
    view! {
        {drawn}
        {move || error.get().map(|error| view! { <Notice error/> })}
    }
}

/// Tells what came of it.
fn over(page: Page, approval: &Approval) {
    match (approval.state.as_str(), &approval.error) {
        // It asks something, or is asked anew: it stays where it is.
        ("waiting" | "asking", _) => return,
        ("done", _) => page.notify(Key::ApprovalMade),
        ("denied", _) => page.notify(Key::ApprovalNotMade),
        (_, Some(error)) => {
            let said = page.lang.get_untracked().fill(Key::ApprovalWentWrong, &[&error.message]);
            page.announce(said);
            page.show(Key::ApprovalWentWrong, &error.message);
        }
        _ => {}
    }
    browser::focus_soon(TITLE);
}

#[component]
fn Asked(approval: Approval, is_busy: RwSignal<bool>, say: Callback<Word>) -> impl IntoView {
    let page = page();
    let id = format!("inbox-{}", next_number());
    let labelled = id.clone();
    let mut lines = approval.words.lines().map(str::to_owned);
    let first = lines.next().unwrap_or_else(|| approval.tool.clone());
    let lines: Vec<_> = lines.collect();
    let asker = StoredValue::new(approval.asked_by.clone());
    let asked_by = move || {
        asker.with_value(|it| match it.split_once(':') {
            Some(("assistant", name)) => page.fill(Key::ApprovalAssistant, &[name]),
            Some((_, name)) => page.fill(Key::ApprovalComponent, &[name]),
            None => it.clone(),
        })
    };
    let (at, until) = (approval.asked_at.clone(), approval.expires_at.clone());
    let moment = move |time: &str| dates::moment(time, page.lang.get());
    let is_changed = !approval.changed.is_empty();
    let questions: Vec<_> = approval.questions.iter().cloned().map(asked).collect();
    let number = next_number();
    let answer = move |answers: Value| say.run(Word::Answers(answers));
    let actions = if questions.is_empty() {
        view! {
            <div class="actions approval-actions">
                <button type="button" class="main-action" disabled=is_busy
                    on:click=move |_| say.run(Word::Allow)>
                    {move || page.say(if is_busy.get() { Key::ApprovalRunning } else { Key::ApprovalAllow })}
                </button>
                <button type="button" class="quiet" disabled=is_busy
                    on:click=move |_| say.run(Word::Deny)>
                    {move || page.say(Key::CardDeny)}
                </button>
            </div>
        }
        .into_any()
    } else {
        view! { <Questions questions number on_answer=answer/> }.into_any()
    };
    view! {
        <section class="approval is-open" aria-labelledby=labelled
            aria-busy=move || is_busy.get().to_string()>
            <h2 class="approval-title" id=id>{first}</h2>
            {is_changed.then(|| view! {
                <p class="approval-grave">{move || page.say(Key::ApprovalChanged)}</p>
            })}
            {lines.into_iter().map(|it| view! { <p class="inbox-line">{it}</p> }).collect_view()}
            <dl class="inbox-facts">
                <div><dt>{move || page.say(Key::ApprovalAsker)}</dt><dd>{asked_by}</dd></div>
                <div><dt>{move || page.say(Key::ApprovalAt)}</dt><dd>{move || moment(&at)}</dd></div>
                {until.map(|until| view! {
                    <div>
                        <dt>{move || page.say(Key::ApprovalUntil)}</dt>
                        <dd>{move || moment(&until)}</dd>
                    </div>
                })}
            </dl>
            {actions}
        </section>
    }
}
