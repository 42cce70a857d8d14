//! A combobox for one value or several, by keyboard, mouse and touch.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::form::{Choice, Count, Field, Lookup, is_same, text_of};
use serde_json::Value;

use super::choices::{is_full, picked, tally};
use super::{Spot, around, cut};
use crate::browser;
use crate::error::CallError;
use crate::lookup::combo::{Combo, Found, Step};
use crate::lookup::{self, Hold, Options, narrow};
use crate::page::page;
use crate::text::{Key, Lang};

/// Source of the options.
pub(super) enum Source {
    /// A fixed list.
    Fixed(Options),
    /// A look-up.
    Search(Lookup),
}

/// A combobox and its field.
#[derive(Clone, Copy)]
pub(super) struct Picker {
    pub(super) spot: Spot,
    pub(super) combo: RwSignal<Combo>,
    pub(super) source: StoredValue<Source>,
    pub(super) label: StoredValue<String>,
    /// Limits of the number of values, if multiple.
    pub(super) count: Option<Count>,
    /// Minimum number of characters for a search.
    pub(super) chars_min: usize,
    hold: StoredValue<Option<Hold>, LocalStorage>,
}

pub(super) fn combobox(spot: Spot, field: Field, source: Source, count: Option<Count>) -> AnyView {
    let widget = boxed(spot, &field, source, count);
    let below = count.map_or_else(|| ().into_any(), |count| tally(spot, count));
    around(spot, field, widget, below)
}

pub(super) fn boxed(spot: Spot, field: &Field, source: Source, count: Option<Count>) -> AnyView {
    let picker = Picker::new(spot, field, source, count);
    picker.follow();
    super::popup::draw(picker, field)
}

impl Picker {
    fn new(spot: Spot, field: &Field, source: Source, count: Option<Count>) -> Self {
        let (chars_min, debounce_ms) = match &source {
            Source::Fixed(_) => (0, 0),
            Source::Search(lookup) => (lookup.chars_min, lookup.debounce_ms),
        };
        Self {
            spot,
            combo: RwSignal::new(Combo::new(chars_min, debounce_ms)),
            source: StoredValue::new(source),
            label: StoredValue::new(cut(&field.label, super::LABEL_MAX)),
            count,
            chars_min,
            hold: StoredValue::new_local(None),
        }
    }

    /// Keeps the box in step with the field's value.
    fn follow(self) {
        if self.count.is_some() {
            return;
        }
        Effect::new(move |before: Option<bool>| {
            let label = self.held().first().map(|it| it.label.clone());
            let combo = self.combo.get_untracked();
            match &label {
                Some(label) if combo.text != *label || !combo.is_settled => {
                    self.combo.update(|it| it.settle(Some(label)));
                }
                // A reader who types has cleared it themselves.
                None if before == Some(true) && !combo.is_open => {
                    self.combo.update(|it| it.settle(None));
                }
                _ => {}
            }
            label.is_some()
        });
    }

    /// The field's values with labels.
    pub(super) fn held(self) -> Vec<Choice> {
        let values = match self.count {
            Some(_) => picked(self.spot),
            None => self.spot.form_state.value(self.spot.index).into_iter().collect(),
        };
        let chosen = self.spot.form_state.chosen(self.spot.index);
        let label_of = |value: &Value| {
            let find = |all: &[Choice]| all.iter().find(|it| is_same(&it.value, value)).cloned();
            let of_source = || {
                self.source.with_value(|it| match it {
                    Source::Fixed(options) => find(options),
                    Source::Search(_) => None,
                })
            };
            find(&chosen).or_else(of_source)
        };
        let known = |value: Value| {
            label_of(&value).unwrap_or_else(|| Choice { label: text_of(&value), value })
        };
        values.into_iter().map(known).collect()
    }

    /// Whether no more can be chosen.
    pub(super) fn is_full(self) -> bool {
        self.count.is_some_and(|it| is_full(it, picked(self.spot).len()))
    }

    /// Performs a step. Returns whether the key was handled.
    pub(super) fn run(self, step: Step) -> bool {
        match step {
            Step::Pass => return false,
            Step::Done => {}
            Step::Ask { number, text, after_ms } => self.ask(number, text, after_ms),
            Step::Choose(choice) => self.choose(choice),
            Step::Clear => self.clear(),
            Step::RemoveLast => {
                match untrack(|| self.held()).pop().filter(|_| self.count.is_some()) {
                    Some(last) => self.remove(&last),
                    None => return false,
                }
            }
        }
        true
    }

    /// Changes the box and performs the resulting step.
    pub(super) fn change(self, change: impl FnOnce(&mut Combo) -> Step) -> bool {
        let step = self.combo.try_update(change);
        step.is_some_and(|step| self.run(step))
    }

    /// Handles typed text: the chosen value is cleared.
    pub(super) fn type_in(self, text: &str) {
        if self.combo.with_untracked(|it| it.text == text && it.is_open) {
            return;
        }
        self.change(|it| it.type_in(text));
        if self.count.is_none() {
            self.spot.form_state.put(self.spot.index, None);
        }
    }

    fn ask(self, number: u32, text: String, after_ms: u32) {
        let fixed = self.source.with_value(|it| match it {
            Source::Fixed(options) => Some(narrow(options, &text)),
            Source::Search(_) => None,
        });
        if let Some(options) = fixed {
            return self.answer(number, Ok(options));
        }
        let hold = Hold::new();
        let stop = hold.stop();
        // Replacing it aborts the previous one.
        self.hold.set_value(Some(hold));
        let form = self.spot.form_state.own_id("lookups");
        let parent = untrack(|| self.spot.form_state.parent(self.spot.index));
        let url = self.source.with_value(|it| match it {
            Source::Search(lookup) => Some((lookup.clone(), lookup.url(&text, parent.as_ref()))),
            Source::Fixed(_) => None,
        });
        let Some((lookup, url)) = url else { return };
        spawn_local(async move {
            browser::sleep(Duration::from_millis(after_ms.into())).await;
            let is_awaited = self.combo.try_with_untracked(|it| it.awaits(number));
            if is_awaited == Some(true) {
                self.answer(number, lookup::fetch(&form, &lookup, &url, stop).await);
            }
        });
    }

    fn answer(self, number: u32, answer: Result<Options, CallError>) {
        if self.combo.try_update(|it| it.answer(number, answer)) != Some(true) {
            return;
        }
        let lang = Lang::now();
        let announcement = self.combo.with_untracked(|it| match &it.found {
            _ if !it.is_open => None,
            Found::Ready(options) if options.is_empty() => {
                Some(lang.fill(Key::LookupNone, &[&it.text]))
            }
            Found::Ready(options) => {
                Some(lang.fill(Key::LookupCount, &[&options.len().to_string()]))
            }
            Found::Failed(_) => Some(lang.say(Key::LookupFailed).to_owned()),
            Found::Nothing | Found::Loading => None,
        });
        if let Some(announcement) = announcement {
            page().announce(announcement);
        }
    }

    /// Chooses an option; of several, a chosen one is removed.
    pub(super) fn choose(self, choice: Choice) {
        if self.spot.form_state.is_closed.get_untracked() {
            return;
        }
        if self.count.is_none() {
            self.combo.update(|it| it.settle(Some(&choice.label)));
            self.say(Key::LookupChosen, &choice.label);
            return self.spot.form_state.choose(self.spot.index, vec![choice]);
        }
        let mut held = untrack(|| self.held());
        self.combo.update(|it| it.settle(None));
        if held.iter().any(|it| is_same(&it.value, &choice.value)) {
            return self.remove(&choice);
        }
        if untrack(|| self.is_full()) {
            return;
        }
        self.say(Key::LookupChosen, &choice.label);
        held.push(choice);
        self.spot.form_state.choose(self.spot.index, held);
    }

    /// Removes one of several values.
    pub(super) fn remove(self, choice: &Choice) {
        let mut held = untrack(|| self.held());
        held.retain(|it| !is_same(&it.value, &choice.value));
        self.say(Key::LookupRemoved, &choice.label);
        self.spot.form_state.choose(self.spot.index, held);
    }

    /// Clears the box, and the field if it holds one value.
    pub(super) fn clear(self) {
        self.combo.update(|it| it.settle(None));
        if self.count.is_none() {
            self.spot.form_state.put(self.spot.index, None);
        }
        page().announce_key(Key::LookupCleared);
    }

    fn say(self, key: Key, value: &str) {
        page().announce_fill(key, &[value]);
    }
}
