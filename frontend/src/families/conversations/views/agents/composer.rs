//! Where one writes to an agent: Enter sends, Shift + Enter breaks the line, an input method is left alone.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;
use output::text::is_blank;

use crate::browser;
use crate::dates;
use crate::families::conversations::agents::counted::{self, Fault, MESSAGE_MAX, MESSAGE_NEAR};
use crate::families::conversations::agents::line::Line;
use crate::text::{Key, Lang};

/// The composer of a chat with an agent.
#[component]
pub(super) fn Composer(name: Memo<String>) -> impl IntoView {
    let line: Line = expect_context();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        send(line);
    };
    let keydown = move |event: KeyboardEvent| {
        // The Enter that ends a word of an input method is its own.
        if browser::is_composing(&event) {
            return;
        }
        if event.key() == "Enter" && !event.shift_key() && !event.alt_key() {
            event.prevent_default();
            send(line);
        }
    };
    let input = move |event| {
        line.draft.set(event_target_value(&event));
        if line.fault.get_untracked().is_some() {
            line.fault.set(counted::fault(&line.draft.get_untracked()).filter(is_long));
        }
        line.keep();
    };
    let count = Memo::new(move |_| line.draft.with(|it| counted::length(it)));
    let invalid = move || (count.get() > MESSAGE_MAX).then_some("true");
    let is_empty = Memo::new(move |_| line.draft.with(|it| is_blank(it)));
    let counted = move || {
        let number = dates::number(count.get() as f64, Lang::spoken());
        Key::AgentCount.fill(&[&number])
    };
    let fault = move || match line.fault.get()? {
        Fault::TooLong(excess) => {
            let excess = dates::number(excess as f64, Lang::spoken());
            Some(Key::AgentTooLong.fill(&[&excess]))
        }
        Fault::Empty => None,
    };
    view! {
        <form class="agent-composer" on:submit=submit>
            <label class="only-heard" for="agent-input">
                {move || Key::AgentMessageTo.fill(&[&name.get()])}
            </label>
            // The copy beside it makes the two as high as the text. It is never cut short: what is too
            // long is announced, and stays.
            <div class="chat-grow" data-text=move || line.draft.get()>
                <textarea id="agent-input" rows="1" enterkeyhint="send"
                    aria-describedby="agent-keys agent-count agent-fault" aria-invalid=invalid
                    placeholder=move || Key::AgentMessageTo.fill(&[&name.get()])
                    prop:value=move || line.draft.get()
                    on:input=input on:keydown=keydown></textarea>
            </div>
            <p class="error" role="alert" id="agent-fault">{fault}</p>
            <div class="agent-tools">
                <span class="hint" id="agent-keys">{Key::SendKeys}</span>
                <span id="agent-count" class="hint agent-count"
                    class:is-near=move || { count.get() >= MESSAGE_NEAR }
                    class:is-over=move || { count.get() > MESSAGE_MAX }>{counted}</span>
                <button type="submit" class="main-action" id="agent-send"
                    disabled=move || is_empty.get()>{Key::Send}</button>
            </div>
        </form>
    }
}

fn is_long(fault: &Fault) -> bool {
    *fault != Fault::Empty
}

/// The keyboard stays where one writes.
fn send(line: Line) {
    line.send();
    browser::focus_soon("agent-input");
}
