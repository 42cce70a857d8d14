//! One tool: its description, its form, and the outcome of its call.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::list::Grade;
use crate::apps::live::{Called, Outcome};
use crate::browser;
use crate::call::{Call, Caller};
use crate::cards::masked;
use crate::form::{Form, is_empty};
use crate::mcp::wire::{Progress, Tool};
use crate::page::page;
use crate::route::Route;
use crate::text::{Key, Lang};
use crate::views::apps::Shown;
use crate::views::form::{Faults, Fields, Filling, Questions};
use crate::views::notice::{Notice, Skeleton, coded};
use crate::views::output::{OutputView, Raw, app, has_app};

/// The tool of that name, which may disappear and return.
#[component]
pub(super) fn ToolPlace(name: String) -> impl IntoView {
    let own = name.clone();
    let tool = Memo::new(move |_| page().tool(&own));
    let is_here = Memo::new(move |_| tool.with(Option::is_some));
    browser::focus_soon("tool-name");
    move || {
        if is_here.get() {
            let tool = Memo::new(move |_| tool.get().unwrap_or_default());
            return any_view! { <ToolView tool/> };
        }
        let name = name.clone();
        any_view! {
            <a class="back only-narrow" href=Route::Counter(None).hash()>{Key::Back}</a>
            <div class="notice is-calm">
                <h1 class="notice-title" id="tool-name" tabindex="-1">
                    {move || Key::ToolGone.fill(&[&name])}
                </h1>
                <p>{Key::ToolGoneHint}</p>
            </div>
        }
    }
}

#[component]
fn ToolView(tool: Memo<Tool>) -> impl IntoView {
    let name = tool.with_untracked(|it| it.name.clone());
    let form = Memo::new(move |_| {
        let lang = Lang::spoken();
        tool.with(|tool| Form::from_schema(&tool.input_schema, &|name| tool.argument(lang, name)))
    });
    let draft = RwSignal::from(page().draft(&name));
    let filling = Filling::new(form, draft, "tool", 0);
    Effect::new(move |_| {
        form.with(|form| draft.with(|draft| page().keep_draft(&name, form, draft)));
    });
    let caller = Caller::new();
    on_cleanup(move || caller.leave());
    let call = move || {
        if let Some(arguments) = filling.submit() {
            tool.with_untracked(|it| caller.start(&it.name, &it.input_schema, arguments));
        }
    };
    speak(caller, filling);
    view! {
        <article class="tool">
            <a class="back only-narrow" href=Route::Counter(None).hash()>{Key::Back}</a>
            <ToolHead tool/>
            <form class="tool-form" novalidate aria-label=Key::Arguments
                on:submit=move |event| {
                    event.prevent_default();
                    call();
                }>
                <Faults filling/>
                {move || tool.with(|it| is_empty(&it.input_schema)).then(|| view! {
                    <p class="hint">{Key::NoArguments}</p>
                })}
                <Fields filling/>
                <Actions caller filling/>
            </form>
            <ResultView tool caller on_retry=Callback::new(move |()| call())/>
        </article>
    }
}

/// Announces a call's outcome once, and assigns its errors to fields.
fn speak(caller: Caller, filling: Filling) {
    Effect::new(move |was_running: Option<bool>| {
        let is_running = caller.call.with(Call::is_running);
        if is_running && was_running != Some(true) {
            page().announce_key(Key::Calling);
        }
        caller.call.with(|call| match call {
            Call::Done { .. } => page().announce_key(Key::AnswerDone),
            Call::Failed(error) => filling.take(error.problems()),
            _ => {}
        });
        is_running
    });
}

#[component]
fn ToolHead(tool: Memo<Tool>) -> impl IntoView {
    let grade = Memo::new(move |_| tool.with(Grade::of_tool));
    let badge = move || match grade.get() {
        Grade::Look => ("badge is-look", Key::ReadsOnly),
        Grade::Undo if tool.with(|it| it.annotations.destructive_hint == Some(true)) => {
            ("badge is-grave", Key::Destructive)
        }
        _ => ("badge is-do", Key::Changes),
    };
    let server =
        move || page().server.with(|it| it.title.clone().unwrap_or_else(|| it.name.clone()));
    view! {
        <header class="tool-head">
            <h1 id="tool-name" tabindex="-1">{move || tool.with(|it| it.title(Lang::spoken()))}</h1>
            <p class="tool-facts">
                <span class=move || badge().0>{move || badge().1.say()}</span>
                <code>{move || tool.with(|it| it.name.clone())}</code>
                <span class="tool-server">{server}</span>
            </p>
            {move || {
                let about = tool.with(|it| it.description(Lang::spoken()));
                let (first, rest) = parted(&about);
                let more = rest.map(|rest| view! {
                    <details class="tool-more">
                        <summary>{Key::Details}</summary>
                        <p class="tool-about">{coded(rest)}</p>
                    </details>
                });
                view! { <p class="tool-about">{coded(first)}</p>{more} }
            }}
        </header>
    }
}

/// The first paragraph of a description, and the rest if it is long: a manual would push the form away.
fn parted(about: &str) -> (&str, Option<&str>) {
    const LINES_MAX: usize = 6;
    match about.split_once("\n\n") {
        Some((first, rest)) if about.lines().count() > LINES_MAX => (first, Some(rest.trim())),
        _ => (about, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_only_long_descriptions() {
        assert_eq!(parted("One.\n\nTwo."), ("One.\n\nTwo.", None));
        assert_eq!(parted("One.\n\n1\n2\n3\n4\n5\n"), ("One.", Some("1\n2\n3\n4\n5")));
    }
}

#[component]
fn Actions(caller: Caller, filling: Filling) -> impl IntoView {
    let is_running = move || caller.call.with(Call::is_running);
    let has_answer = move || caller.call.with(|it| matches!(it, Call::Done { .. }));
    let text = move || {
        match () {
            () if is_running() => Key::Stop,
            () if has_answer() => Key::CallAgain,
            () => Key::CallTool,
        }
        .say()
    };
    // The button becomes the call button before this click ends, and must not call.
    let stop = move |event: MouseEvent| {
        if untrack(is_running) {
            event.prevent_default();
            caller.stop();
        }
    };
    view! {
        <div class="actions">
            // The same button throughout, so that it keeps the focus.
            <button type=move || if is_running() { "button" } else { "submit" }
                class="main-action" class:is-stop=is_running on:click=stop>{text}</button>
            <button type="button" class="plain" on:click=move |_| {
                filling.clear();
                caller.reset();
            }>{Key::Clear}</button>
        </div>
    }
}

#[component]
fn ResultView(tool: Memo<Tool>, caller: Caller, on_retry: Callback<()>) -> AnyView {
    let answer = Callback::new(move |responses: Value| caller.answer(responses));
    if tool.with_untracked(has_app) {
        return any_view! { <AppResult tool caller on_retry answer/> };
    }
    let drawn = move || match caller.call.get() {
        Call::Idle => ().into_any(),
        Call::Running(progress) => any_view! {
            <section class="answer" aria-busy="true">
                <ProgressView progress/>
                <Skeleton lines=4/>
            </section>
        },
        Call::Asked(questions) => any_view! {
            <section class="answer"><Questions questions on_answer=answer/></section>
        },
        Call::Failed(error) => any_view! {
            <section class="answer"><Notice error on_retry/>{request(tool, caller)}</section>
        },
        Call::Done { output, seconds } => {
            let took = move || Key::Seconds.fill(&[&format!("{seconds:.2}")]);
            any_view! {
                <section class="answer" aria-labelledby="answer-title">
                    <h2 id="answer-title" class="section-title">
                        {Key::Answer}<span class="count">{took}</span>
                    </h2>
                    <OutputView tool=tool.get_untracked() output/>
                    {request(tool, caller)}
                </section>
            }
        }
    };
    drawn.into_any()
}

/// The sent arguments for viewing and copying, without secrets.
fn request(tool: Memo<Tool>, caller: Caller) -> impl IntoView {
    let value = json!({
        "method": "tools/call",
        "params": {
            "name": tool.with_untracked(|it| it.name.clone()),
            "arguments": masked(&caller.arguments()),
        },
    });
    view! { <Raw value title=Key::CallRequest/> }
}

/// The tool's app, shown from the start of the call, with the call's state below.
#[component]
fn AppResult(
    tool: Memo<Tool>,
    caller: Caller,
    on_retry: Callback<()>,
    answer: Callback<Value>,
) -> impl IntoView {
    let drawn = move || {
        (caller.begun.get() > 0).then(|| {
            untrack(|| {
                let arguments = caller.arguments();
                let outcome = move || match caller.call.get() {
                    Call::Done { output, .. } => Outcome::Done(output.raw),
                    Call::Failed(error) => Outcome::Cancelled(error.title(Lang::En).to_owned()),
                    _ => Outcome::Running,
                };
                let called = Signal::derive(move || Called {
                    arguments: arguments.clone(),
                    outcome: outcome(),
                });
                let data = ViewFn::from(move || match caller.call.get() {
                    Call::Done { output, .. } => {
                        any_view! { <OutputView tool=tool.get_untracked() output/> }
                    }
                    _ => ().into_any(),
                });
                app(Shown { tool: tool.get_untracked(), called, data })
            })
        })
    };
    let stands = move || match caller.call.get() {
        Call::Idle | Call::Done { .. } => ().into_any(),
        Call::Running(progress) => any_view! { <ProgressView progress/> },
        Call::Asked(questions) => any_view! { <Questions questions on_answer=answer/> },
        Call::Failed(error) => any_view! { <Notice error on_retry/> },
    };
    let is_begun = Memo::new(move |_| caller.begun.get() > 0);
    move || {
        is_begun.get().then(|| {
            view! {
                <section class="answer" aria-labelledby="answer-title">
                    <h2 id="answer-title" class="section-title">{Key::Answer}</h2>
                    {stands}
                    {drawn}
                </section>
            }
        })
    }
}

#[component]
fn ProgressView(progress: Option<Progress>) -> impl IntoView {
    let Progress { progress, total, message } = progress.unwrap_or_default();
    let text = move || message.clone().unwrap_or_else(|| Key::Calling.say().to_owned());
    let bar = total.filter(|total| *total > 0.0).map(|total| {
        view! {
            <progress max=total.to_string() value=progress.to_string()
                aria-label=Key::Calling></progress>
        }
    });
    view! { <p class="progress">{text}</p>{bar} }
}
