//! The view of pending approvals.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::cards::{Wanted, as_question, sentence};
use super::form::Questions;
use super::notice::{Empty, Notice, Skeleton, coded};
use crate::approvals::{Answered, Approval, Decision, Inbox};
use crate::browser;
use crate::call::Loaded;
use crate::dates;
use crate::error::CallError;
use crate::page::page;
use crate::rest;
use crate::table::{fits, listed, text};
use crate::text::{Key, Lang};

/// Id of the heading, focused after an answer.
const TITLE: &str = "approvals-title";

/// The pending approvals, oldest first.
#[component]
pub(crate) fn ApprovalsView() -> impl IntoView {
    let (inbox, answered): (Inbox, _) = (expect_context(), Answered::shared());
    inbox.load();
    // Errors shown here are done with; later ones are shown when the reader comes back.
    on_cleanup(move || answered.failed.set(None));
    let assistants = RwSignal::new(Value::Null);
    provide_context(Assistants(assistants));
    let is_by_assistant = Memo::new(move |_| {
        let is_by_assistant =
            |it: &Value| text(it, "askedBy").is_some_and(|it| it.starts_with("assistant:"));
        inbox.waiting.with(|it| it.ready().is_some_and(|it| it.iter().any(is_by_assistant)))
    });
    Effect::new(move |_| {
        if is_by_assistant.get() {
            spawn_local(async move {
                // If this fails, the names of the assistants are shown instead of their titles.
                if let Ok(found) = rest::get("/api/assistant").await {
                    let _ = assistants.try_set(found);
                }
            });
        }
    });
    let retry = Callback::new(move |()| inbox.load());
    let ids = Memo::new(move |_| {
        let id = |it: &Value| Some(text(it, "id")?.to_owned());
        let ids = |all: &Vec<Value>| all.iter().filter_map(id).collect::<Vec<_>>();
        inbox.waiting.with(|it| it.ready().map(ids))
    });
    let list = move || match ids.get() {
        None => match inbox.waiting.get() {
            Loaded::Failed(error) => any_view! { <Notice error on_retry=retry/> },
            _ => any_view! { <Skeleton lines=4/> },
        },
        Some(ids) if ids.is_empty() => {
            any_view! { <Empty title=Key::ApprovalsNone/> }
        }
        Some(_) => any_view! {
            <ul class="inbox">
                <For each=move || ids.get().unwrap_or_default() key=Clone::clone let:id>
                    <li><Card id/></li>
                </For>
            </ul>
        },
    };
    view! {
        <div class="inbox-place">
            <h1 id=TITLE tabindex="-1">{Key::ApprovalsTitle}</h1>
            <p class="hint">{Key::ApprovalsHint}</p>
            {move || answered.failed.get().map(|error| view! { <Notice error/> })}
            {list}
        </div>
    }
}

/// The host's assistants, as listed.
#[derive(Clone, Copy)]
struct Assistants(RwSignal<Value>);

/// The title of the assistant of that name.
fn called<'a>(assistants: &'a Value, name: &'a str, lang: Lang) -> &'a str {
    let mut all = ["assistants", "players"].into_iter().flat_map(|it| listed(assistants, it));
    let own = all.find(|it| text(it, "name") == Some(name));
    let japanese = own.and_then(|it| text(it, "titleJa")).filter(|_| lang == Lang::Ja);
    japanese.or_else(|| text(own?, "title")).unwrap_or(name)
}

/// One pending call with the reader's answer.
#[component]
fn Card(id: String) -> impl IntoView {
    let (inbox, answered): (Inbox, _) = (expect_context(), Answered::shared());
    let approval = Memo::new(move |_| {
        let has_id = |it: &&Value| text(it, "id") == Some(&id);
        inbox.waiting.with(|all| all.ready()?.iter().find(has_id).and_then(fits::<Approval>))
    });
    let is_busy = RwSignal::new(false);
    let say = Callback::new(move |decision: Decision| {
        let Some(approval) = approval.get_untracked().filter(|_| !is_busy.get_untracked()) else {
            return;
        };
        is_busy.set(true);
        answered.failed.set(None);
        spawn_local(async move {
            let result = inbox.say(&approval, &decision).await;
            let _ = is_busy.try_set(false);
            match result {
                Ok(now) => over(&approval.id, &now),
                Err(error) => {
                    match untaken(&error) {
                        Some(key) => page().notify(key),
                        None => answered.failed.set(Some(error)),
                    }
                    browser::focus_soon(TITLE);
                }
            }
        });
    });
    let drawn = move || approval.get().map(|it| view! { <Pending approval=it is_busy say/> });
    view! { {drawn} }
}

/// The message if the call was no longer pending when the answer arrived.
fn untaken(error: &CallError) -> Option<Key> {
    let CallError::Refused(refusal) = error else { return None };
    match refusal.code.as_str() {
        "approval_expired" => Some(Key::ApprovalExpired),
        "tool_changed" => Some(Key::ApprovalAnew),
        "answered_already" | "allowed_already" | "unknown_approval" => Some(Key::ApprovalAnswered),
        _ => None,
    }
}

/// Announces the result of an answered approval by its state `now`.
fn over(answered: &str, now: &Approval) {
    match (now.state.as_str(), &now.error) {
        // Replaced by another approval.
        ("replaced", _) => page().notify(Key::ApprovalAnew),
        ("waiting" | "asking", _) if now.id != answered => page().notify(Key::ApprovalAnew),
        // It asks for input and stays.
        ("waiting" | "asking", _) => return,
        ("expired", _) => page().notify(Key::ApprovalExpired),
        ("done", _) => page().notify(Key::ApprovalMade),
        ("denied", _) => page().notify(Key::ApprovalNotMade),
        (_, Some(error)) => page().notify_fill(Key::ApprovalWentWrong, &error.message),
        _ => {}
    }
    browser::focus_soon(TITLE);
}

#[component]
fn Pending(approval: Approval, is_busy: RwSignal<bool>, say: Callback<Decision>) -> impl IntoView {
    let id = format!("inbox-{}", browser::next_number());
    let labelled = id.clone();
    let is_asking = !approval.questions.is_empty();
    let Approval { tool, arguments, reason, title, owner, .. } = approval.clone();
    let title = title.unwrap_or_default();
    let first = approval.words.lines().next().unwrap_or(&tool).to_owned();
    let asked_for = StoredValue::new((tool.clone(), arguments.clone()));
    let heading = move || match is_asking {
        true => coded(&first).into_any(),
        false => asked_for.with_value(|(tool, params)| sentence(tool, params, &title)).into_any(),
    };
    let Assistants(assistants) = expect_context();
    let asker = StoredValue::new(approval.asked_by.clone());
    let asked_by = move || {
        asker.with_value(|it| match it.split_once(':') {
            Some(("assistant", name)) => assistants
                .with(|all| Key::ApprovalAssistant.fill(&[called(all, name, Lang::spoken())])),
            Some((_, name)) => Key::ApprovalComponent.fill(&[name]),
            None => it.clone(),
        })
    };
    let (at, until) = (approval.asked_at.clone(), approval.expires_at.clone());
    let moment = move |time: &str| dates::moment(time, Lang::spoken());
    let is_changed = !approval.changed.is_empty();
    let questions: Vec<_> = approval.questions.iter().cloned().map(as_question).collect();
    let number = browser::next_number();
    let answer = move |answers: Value| say.run(Decision::Answers(answers));
    let busy = move || is_busy.get().then_some("true");
    let actions = if questions.is_empty() {
        any_view! {
            <div class="actions approval-actions">
                <button type="button" class="main-action" aria-disabled=busy
                    on:click=move |_| say.run(Decision::Allow)>
                    {move || if is_busy.get() { Key::ApprovalRunning } else { Key::ApprovalAllow }.say()}
                </button>
                <button type="button" class="quiet" aria-disabled=busy
                    on:click=move |_| say.run(Decision::Deny)>{Key::CardDeny}</button>
            </div>
        }
    } else {
        any_view! { <Questions questions number on_answer=answer/> }
    };
    view! {
        <section class="approval is-open" aria-labelledby=labelled
            aria-busy=move || is_busy.get().to_string()>
            <h2 class="approval-title" id=id>{heading}</h2>
            {is_changed.then(|| view! { <p class="approval-grave">{Key::ApprovalChanged}</p> })}
            {approval.is_destructive.then(|| view! { <p class="approval-grave">{Key::CardAskGrave}</p> })}
            <Wanted tool params=arguments reason owner/>
            <dl class="inbox-facts">
                <div><dt>{Key::AskedBy}</dt><dd>{asked_by}</dd></div>
                <div><dt>{Key::AskedAt}</dt><dd>{move || moment(&at)}</dd></div>
                {until.map(|until| view! {
                    <div>
                        <dt>{Key::ApprovalUntil}</dt>
                        <dd>{move || moment(&until)}</dd>
                    </div>
                })}
            </dl>
            {actions}
        </section>
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::Refusal;

    #[test]
    fn shows_assistant_by_its_title() {
        let own = json!({ "name": "counter", "title": "Counter", "titleJa": "窓口" });
        let all = json!({ "assistants": [own], "players": [{ "name": "talker" }] });
        assert_eq!(called(&all, "counter", Lang::Ja), "窓口");
        assert_eq!(called(&all, "counter", Lang::En), "Counter");
        assert_eq!(called(&all, "talker", Lang::Ja), "talker");
        assert_eq!(called(&Value::Null, "gone", Lang::En), "gone");
    }

    #[test]
    fn explains_late_answer() {
        let refused = |code: &str| {
            untaken(&CallError::Refused(Box::new(Refusal {
                code: code.to_owned(),
                ..Refusal::default()
            })))
        };
        assert_eq!(refused("approval_expired"), Some(Key::ApprovalExpired));
        assert_eq!(refused("tool_changed"), Some(Key::ApprovalAnew));
        assert_eq!(refused("answered_already"), Some(Key::ApprovalAnswered));
        // Correctable errors are shown in place, and the call stays pending.
        assert_eq!((refused("other_arguments"), untaken(&CallError::Offline)), (None, None));
    }
}
