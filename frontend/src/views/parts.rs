//! All shared parts of views in all their states, for developers, at `#/parts`. Visitors never load it; a test checks
//! it in every theme.

use leptos::prelude::*;

use super::notice::{Empty, Notice, Skeleton};
use crate::browser;
use crate::error::{CallError, Refusal};
use crate::operator::units;
use crate::text::{Key, Lang};

/// Button classes and their uses.
const BUTTONS: [(&str, &str); 7] = [
    ("", "action"),
    ("main-action", "main action"),
    ("quiet", "quiet"),
    ("quiet small", "quiet, small"),
    ("plain", "plain"),
    ("is-grave", "grave"),
    ("quiet is-grave", "quiet, grave"),
];

/// Names of the type scale, smallest first.
const TYPE: [&str; 7] = ["1", "2", "3", "4", "5", "6", "7"];

#[component]
pub(crate) fn PartsView() -> impl IntoView {
    browser::focus_soon("stage");
    view! {
        <div class="sample" lang="en">
            <h1 tabindex="-1" id="stage">"Parts"</h1>
            <Type/>
            <Buttons/>
            <Fields/>
            <States/>
            <Words/>
        </div>
    }
}

#[component]
fn Sample(title: &'static str, children: Children) -> impl IntoView {
    view! {
        <section class="sample-part">
            <h2 class="section-title">{title}</h2>
            {children()}
        </section>
    }
}

#[component]
fn Type() -> impl IntoView {
    let line = |size: &'static str| view! { <p class=format!("sample-text-{size}")>{format!("Text {size}  文字")}</p> };
    view! { <Sample title="Type">{TYPE.map(line).into_iter().collect_view()}</Sample> }
}

#[component]
fn Buttons() -> impl IntoView {
    let row = |(class, name): (&'static str, &'static str)| {
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td><button type="button" class=class>"Press"</button></td>
                <td><button type="button" class=class aria-disabled="true">"Busy"</button></td>
                <td><a class=format!("button {class}") href="#/parts">"Link"</a></td>
            </tr>
        }
    };
    view! {
        <Sample title="Buttons">
            <div class="table-scroll" tabindex="0" role="region" aria-label="Buttons">
                <table class="data-table">
                    <thead><tr>
                        <th scope="col">"Kind"</th><th scope="col">"At rest"</th>
                        <th scope="col">"Busy"</th><th scope="col">"As a link"</th>
                    </tr></thead>
                    <tbody>{BUTTONS.map(row).into_iter().collect_view()}</tbody>
                </table>
            </div>
        </Sample>
    }
}

#[component]
fn Fields() -> impl IntoView {
    view! {
        <Sample title="Fields">
            <div class="field">
                <label class="label" for="sample-text">"Text"</label>
                <p class="hint" id="sample-hint">"A hint says what is wanted."</p>
                <input id="sample-text" type="text" aria-describedby="sample-hint" prop:value="typed"/>
            </div>
            <div class="field">
                <label class="label" for="sample-wrong">"Text that is wrong"</label>
                <input id="sample-wrong" type="text" aria-invalid="true" aria-describedby="sample-why"/>
                <p class="error" id="sample-why">"Say a number from 1 to 9."</p>
            </div>
            <div class="field">
                <label class="label" for="sample-select">"One of a list"</label>
                <select id="sample-select"><option>"First"</option><option>"Second"</option></select>
            </div>
            <div class="field">
                <label class="label" for="sample-area">"Long text"</label>
                <textarea id="sample-area" rows="2"></textarea>
            </div>
            <fieldset class="preference">
                <legend>"Choices"</legend>
                <label class="choice"><input type="radio" name="sample" prop:checked=true/>"Chosen"</label>
                <label class="choice"><input type="radio" name="sample"/>"Not chosen"</label>
                <label class="choice"><input type="checkbox" prop:checked=true/>"Ticked"</label>
                <label class="choice"><input type="checkbox" disabled/>"Not to be ticked"</label>
            </fieldset>
        </Sample>
    }
}

/// Everything a view shows instead of its content.
#[component]
fn States() -> impl IntoView {
    let refusal = CallError::Refused(Box::new(Refusal {
        code: "seat_already_reserved".to_owned(),
        message: "Seat E9 is already occupied.".to_owned(),
        status: 409,
        ..Refusal::default()
    }));
    let retry = Callback::new(|()| {});
    view! {
        <Sample title="Loading, nothing, and what went wrong">
            <Skeleton lines=3/>
            <Empty title=Key::FinderNone/>
            <Notice error=CallError::Offline on_retry=retry/>
            <Notice error=refusal/>
            <Notice error=CallError::Stopped/>
            <div class="sure" role="group" aria-label="Question before something is done">
                <p>"Remove it?"</p>
                <button type="button" class="is-grave">"Yes, remove it"</button>
                <button type="button" class="quiet">"No, keep it"</button>
            </div>
        </Sample>
    }
}

/// Badges and chips.
#[component]
fn Words() -> impl IntoView {
    let ended = ["done", "asked", "refused", "trapped"];
    let chip = move |outcome: &'static str| {
        let (kind, _) = units::outcome(outcome, Lang::now());
        let text = move || units::outcome(outcome, Lang::spoken()).1;
        view! {
            <li><span class=kind.class()>
                <span class="op-mark" aria-hidden="true">{kind.mark()}</span>{text}
            </span></li>
        }
    };
    view! {
        <Sample title="Outcomes, states and counts">
            <ul class="sample-row">{ended.map(chip).into_iter().collect_view()}</ul>
            <p class="sample-row">
                <span class="op-state is-on">{Key::OperatorServes}</span>
                <span class="op-state">{Key::OperatorServesNot}</span>
                <span class="inbox-count">"3"</span>
                <span class="required">"required"</span>
                <code>"code"</code>
                <kbd>"Ctrl"</kbd>
            </p>
            <details class="op-more"><summary>{Key::Details}</summary><p>"Folded."</p></details>
        </Sample>
    }
}
