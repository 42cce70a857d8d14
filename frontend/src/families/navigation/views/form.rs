//! What is searched for: the two places, who chooses, and the condition (NAV-62).

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;

use super::end::EndField;
use crate::browser;
use crate::families::navigation::board::{Board, Side};
use crate::families::navigation::planner::Planner;
use crate::families::navigation::query::{CONDITION_MAX, Mode};
use crate::families::navigation::run::Run;
use crate::page::{Connection, page};
use crate::text::{Key, Lang};

/// The five of the guidelines (NAV-51).
const PHRASES: [Key; 5] = [
    Key::NavPhraseTraffic,
    Key::NavPhraseHighways,
    Key::NavPhraseFastest,
    Key::NavPhraseCompare,
    Key::NavPhraseRights,
];

/// The form of a search.
#[component]
pub(super) fn SearchForm() -> impl IntoView {
    let board: Board = expect_context();
    let is_ai = Memo::new(move |_| board.mode.get() == Mode::Ai);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        board.search();
        browser::focus_if_lost("nav-stop");
    };
    view! {
        <form class="nav-form" on:submit=submit on:keydown=keep_composing
            aria-label=Key::NavSearch>
            <Modes/>
            <div class="nav-ends">
                <EndField side=Side::From/>
                <button type="button" class="quiet nav-swap" title=Key::NavSwap
                    aria-label=Key::NavSwap on:click=move |_| board.swap()>
                    <span aria-hidden="true">"⇅"</span>
                </button>
                <EndField side=Side::To/>
            </div>
            {move || is_ai.get().then(|| view! { <Condition/> })}
            <Actions/>
        </form>
    }
}

/// The Enter that ends a word of an input method sends nothing.
fn keep_composing(event: KeyboardEvent) {
    if event.key() == "Enter" && browser::is_composing(&event) {
        event.prevent_default();
    }
}

#[component]
fn Modes() -> impl IntoView {
    let board: Board = expect_context();
    let mode = move |mode: Mode| {
        view! {
            <label class="nav-mode" class:is-ai=mode == Mode::Ai>
                <input type="radio" name="nav-mode" value=mode.name()
                    prop:checked=move || board.mode.get() == mode
                    on:change=move |_| board.mode.set(mode)/>
                <span>{move || mode.key().say()}</span>
            </label>
        }
    };
    let hint = move || {
        match board.mode.get() {
            Mode::Ai => Planner::mode_hint(board.planner.get()),
            Mode::Normal => Key::NavModeNormalHint,
            Mode::Walk => Key::NavModeWalkHint,
        }
        .say()
    };
    view! {
        <fieldset class="nav-modes" role="radiogroup" aria-describedby="nav-mode-hint">
            <legend class="only-heard">{Key::NavMode}</legend>
            <div class="nav-mode-row">{Mode::ALL.map(mode).into_iter().collect_view()}</div>
            <p class="hint" id="nav-mode-hint">{hint}</p>
        </fieldset>
    }
}

#[component]
fn Condition() -> impl IntoView {
    let board: Board = expect_context();
    let phrase = move |key: Key| {
        let put = move |_| {
            let phrase = Lang::now().say(key);
            board.condition.set(phrase.to_owned());
            page().announce_fill(Key::NavPhrasePut, &[phrase]);
        };
        let is_put = move || board.condition.with(|it| it == key.say());
        view! {
            <li>
                <button type="button" class="nav-phrase" on:click=put
                    aria-pressed=move || if is_put() { "true" } else { "false" }>{key}</button>
            </li>
        }
    };
    view! {
        <div class="field">
            <label class="label" for="nav-condition">{Key::NavCondition}</label>
            <input type="text" id="nav-condition" autocomplete="off" maxlength=CONDITION_MAX
                placeholder=Key::NavConditionHint
                prop:value=move || board.condition.get()
                on:input=move |event| board.condition.set(event_target_value(&event))/>
            <ul class="nav-phrases" aria-label=Key::NavPhrases>
                {PHRASES.map(phrase).into_iter().collect_view()}
            </ul>
        </div>
    }
}

/// The one that searches, the one that stops, and what is missing.
#[component]
fn Actions() -> impl IntoView {
    let board: Board = expect_context();
    let is_running = Memo::new(move |_| board.run.with(Run::is_running));
    let lack = Memo::new(move |_| board.query().lack());
    let said = move || {
        if is_running.get() {
            return "";
        }
        if page().connection.get() == Connection::Offline {
            return Key::NavOffline.say();
        }
        lack.get().map_or("", |it| it.key().say())
    };
    view! {
        <div class="actions nav-actions">
            <button type="submit" id="nav-search" class="main-action nav-search"
                aria-describedby="nav-lack"
                disabled=move || is_running.get() || lack.get().is_some()>
                {move || if is_running.get() { Key::NavSearching } else { Key::NavSearch }.say()}
            </button>
            {move || is_running.get().then(|| view! {
                <button type="button" id="nav-stop" class="quiet" on:click=move |_| board.stop()>
                    {Key::Stop}
                </button>
            })}
        </div>
        <p class="hint nav-lack" id="nav-lack">{said}</p>
    }
}
