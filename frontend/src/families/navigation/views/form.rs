//! The search form: both places, the mode, and the condition (NAV-62).

use std::time::Duration;

use leptos::ev::{FocusEvent, KeyboardEvent, SubmitEvent};
use leptos::prelude::*;
use leptos::task::spawn_local;
use output::form::Choice;

use crate::browser;
use crate::error::CallError;
use crate::families::navigation::board::{Board, End, Side};
use crate::families::navigation::client;
use crate::families::navigation::place::suggestion;
use crate::families::navigation::query::{CONDITION_MAX, Mode, PLACE_MAX, Planner};
use crate::families::navigation::run::Run;
use crate::lookup::combo::{Combo, Found, Press, Step};
use crate::lookup::{Hold, Options};
use crate::page::{Connection, page};
use crate::text::{Key, Lang};

/// The five phrases of the guidelines (NAV-51).
const PHRASES: [Key; 5] = [
    Key::NavPhraseTraffic,
    Key::NavPhraseHighways,
    Key::NavPhraseFastest,
    Key::NavPhraseCompare,
    Key::NavPhraseRights,
];

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

/// Prevents sending by Enter that ends input-method composition.
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

/// Buttons to search and stop, and what is missing.
#[component]
fn Actions() -> impl IntoView {
    let board: Board = expect_context();
    let is_running = Memo::new(move |_| board.run.with(Run::is_running));
    let lack = Memo::new(move |_| board.query().lack());
    let missing = move || {
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
        <p class="hint nav-lack" id="nav-lack">{missing}</p>
    }
}

/// State of an end's field.
#[derive(Clone, Copy)]
struct Field {
    board: Board,
    side: Side,
    end: End,
    hold: StoredValue<Option<Hold>, LocalStorage>,
}

/// The field of one end.
#[component]
fn EndField(side: Side) -> impl IntoView {
    let board: Board = expect_context();
    let field = Field { board, side, end: board.end(side), hold: StoredValue::new_local(None) };
    let is_shown =
        Memo::new(move |_| field.end.combo.with(|it| it.is_open && !it.options().is_empty()));
    let leave = move |event: FocusEvent| {
        // The options must not cover the next field once the focus is elsewhere.
        field.end.combo.try_update(Combo::close);
        if browser::is_left(&event) {
            // The map moves to the origin before a search (S3:332).
            if side == Side::From {
                board.find(side);
            }
        }
    };
    view! {
        <div class="field nav-end" on:focusout=leave>
            <div class="nav-end-top">
                <label class="label" for=field.part("")>{move || field.name().say()}</label>
                {(side == Side::From).then(|| view! { <LocateButton/> })}
            </div>
            <div class="combo">
                <div class="nav-box" class:is-goal=side == Side::To>
                    {input(field, is_shown)}
                    {clear(field)}
                </div>
                {move || is_shown.get().then(|| popup(field))}
            </div>
            <p class="combo-note" id=field.part("-note")>{move || field.note()}</p>
        </div>
    }
}

impl Field {
    fn part(self, part: &str) -> String {
        let side = if self.side == Side::From { "from" } else { "to" };
        format!("nav-{side}{part}")
    }

    fn name(self) -> Key {
        if self.side == Side::From { Key::NavFrom } else { Key::NavTo }
    }

    fn note(self) -> &'static str {
        if let Some(key) = self.board.locate_error.get().filter(|_| self.side == Side::From) {
            return key.say();
        }
        let is_failed =
            self.end.combo.with(|it| it.is_open && matches!(it.found, Found::Failed(_)));
        if is_failed { Key::NavSuggestFailed.say() } else { "" }
    }

    /// Changes the box and performs the resulting step. Returns whether the key was handled.
    fn change(self, change: impl FnOnce(&mut Combo) -> Step) -> bool {
        match self.end.combo.try_update(change) {
            None | Some(Step::Pass | Step::RemoveLast) => return false,
            Some(Step::Done) => {}
            Some(Step::Ask { number, text, after_ms }) => self.ask(number, text, after_ms),
            Some(Step::Choose(choice)) => self.choose(&choice),
            Some(Step::Clear) => self.end.put("", None),
        }
        true
    }

    fn type_in(self, text: &str) {
        if self.end.combo.with_untracked(|it| it.text == text && it.is_open) {
            return;
        }
        self.board.locate_error.set(None);
        self.end.point.set(None);
        self.change(|it| it.type_in(text));
    }

    fn ask(self, number: u32, text: String, after_ms: u32) {
        let hold = Hold::new();
        let stop = hold.stop();
        // Replacing it aborts the previous one.
        self.hold.set_value(Some(hold));
        spawn_local(async move {
            browser::sleep(Duration::from_millis(after_ms.into())).await;
            let is_awaited = self.end.combo.try_with_untracked(|it| it.awaits(number));
            if let (Some(true), Some(stop)) = (is_awaited, stop) {
                self.answer(number, client::places(&text, stop).await);
            }
        });
    }

    fn answer(self, number: u32, answer: Result<Options, CallError>) {
        if self.end.combo.try_update(|it| it.answer(number, answer)) != Some(true) {
            return;
        }
        let lang = Lang::now();
        let announcement = self.end.combo.with_untracked(|it| match &it.found {
            _ if !it.is_open => None,
            Found::Ready(options) if options.is_empty() => {
                Some(lang.say(Key::NavSuggestNone).to_owned())
            }
            Found::Ready(options) => {
                Some(lang.fill(Key::LookupCount, &[&options.len().to_string()]))
            }
            _ => None,
        });
        if let Some(announcement) = announcement {
            page().announce(announcement);
        }
    }

    fn choose(self, choice: &Choice) {
        let place = suggestion(choice);
        self.end.put(&choice.label, Some(place.location));
        page().announce_fill(Key::LookupChosen, &[&choice.label]);
    }
}

fn input(field: Field, is_shown: Memo<bool>) -> impl IntoView {
    let Field { end, .. } = field;
    let is_composing = StoredValue::new(false);
    let text = Memo::new(move |_| end.text());
    let node = browser::mirrored(move || text.get());
    let type_in = move || {
        if let Some(input) = node.get_untracked() {
            field.type_in(&input.value());
        }
    };
    let press = move |event: KeyboardEvent| {
        let is_command = event.ctrl_key() || event.meta_key() || event.alt_key();
        let press = Press::from_key(&event.key()).filter(|_| !is_command);
        if browser::is_composing(&event) {
            return;
        }
        if press.is_some_and(|press| field.change(|it| it.press(press))) {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    let active = move || {
        let active = end.combo.with(|it| it.active.filter(|_| it.is_open));
        active.map(|it| field.part(&format!("-option{it}")))
    };
    view! {
        <input type="text" role="combobox" node_ref=node id=field.part("") autocomplete="off"
            spellcheck="false" autocapitalize="none" maxlength=PLACE_MAX aria-required="true"
            aria-autocomplete="list" aria-haspopup="listbox"
            aria-expanded=move || if is_shown.get() { "true" } else { "false" }
            aria-controls=move || is_shown.get().then(|| field.part("-list"))
            aria-activedescendant=active aria-describedby=field.part("-note")
            placeholder=Key::NavPlaceHint
            on:compositionstart=move |_| is_composing.set_value(true)
            on:compositionend=move |_| {
                is_composing.set_value(false);
                type_in();
            }
            on:input=move |_| {
                // Unfinished kana is no place yet.
                if !is_composing.get_value() {
                    type_in();
                }
            }
            on:keydown=press/>
    }
}

fn clear(field: Field) -> impl IntoView {
    let Field { end, .. } = field;
    let is_there = Memo::new(move |_| end.combo.with(|it| !it.text.is_empty()));
    let empty = move |_| {
        end.put("", None);
        browser::focus(&field.part(""));
        page().announce_key(Key::LookupCleared);
    };
    move || {
        is_there.get().then(|| {
            view! {
                <button type="button" class="combo-clear" on:click=empty
                    aria-label=move || Key::NavClear.fill(&[field.name().say()])>"×"</button>
            }
        })
    }
}

fn popup(field: Field) -> impl IntoView {
    let Field { end, .. } = field;
    let options = Memo::new(move |_| end.combo.with(|it| it.options().to_vec()));
    let active = Memo::new(move |_| end.combo.with(|it| it.active));
    Effect::new(move |_| {
        if let Some(active) = active.get() {
            browser::reveal(&field.part(&format!("-option{active}")));
        }
    });
    let option = move |(index, choice): (usize, Choice)| {
        let is_active = move || active.get() == Some(index);
        let (label, detail) = (choice.label.clone(), suggestion(&choice).detail);
        view! {
            <li role="option" class="option" id=field.part(&format!("-option{index}"))
                class:is-active=is_active
                aria-selected=move || if is_active() { "true" } else { "false" }
                on:click=move |_| field.choose(&choice)>
                <span>{label}</span>
                <span class="option-detail">{detail}</span>
            </li>
        }
    };
    // Pressing an option keeps the focus in the box.
    view! {
        <div class="popup" on:mousedown=move |event| event.prevent_default()>
            <ul role="listbox" class="listbox" id=field.part("-list")
                aria-label=move || field.name().say()>
                {move || options.get().into_iter().enumerate().map(option).collect_view()}
            </ul>
        </div>
    }
}

/// The button for the reader's position.
#[component]
fn LocateButton() -> impl IntoView {
    let board: Board = expect_context();
    let key = move || if board.is_locating.get() { Key::NavLocating } else { Key::NavHere };
    view! {
        <button type="button" class="quiet small nav-here"
            aria-disabled=move || board.is_locating.get().then_some("true")
            on:click=move |_| {
                if !board.is_locating.get_untracked() {
                    board.locate();
                }
            }>
            <span aria-hidden="true">"◎"</span>
            {move || key().say()}
        </button>
    }
}
