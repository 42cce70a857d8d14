//! Options from a look-up: searched, or loaded as a whole, possibly depending on another field.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::form::{Choice, Count, Field, Lookup};
use serde_json::Value;

use super::choices::{self, LISTED_MAX};
use super::combobox::{self, Source};
use super::{Spot, around, cut, described};
use crate::error::CallError;
use crate::lookup::{self, Hold, Loading, Offer, Options, Settled, settle};
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::notice::details;

/// `autocomplete` (FORM-26), and `multi-autocomplete` (FORM-27) with its limits.
pub(super) fn search(spot: Spot, field: Field, lookup: Lookup, count: Option<Count>) -> AnyView {
    combobox::combobox(spot, field, Source::Search(lookup), count)
}

/// The loaded options of one field.
#[derive(Clone, Copy)]
struct LoadedOptions {
    spot: Spot,
    loading: RwSignal<Loading>,
    lookup: StoredValue<Lookup>,
    default: StoredValue<Option<Value>>,
    hold: StoredValue<Option<Hold>, LocalStorage>,
}

/// `async-select` (FORM-29) and `cascading-select` (FORM-28).
pub(super) fn whole(spot: Spot, field: Field, lookup: Lookup) -> AnyView {
    let parent_name = lookup.depends_on.as_ref().map(|(name, _)| name.clone());
    let form = spot.form_state.form();
    let parent_label = parent_name.as_ref().and_then(|it| Some(form.field(it)?.label.clone()));
    let parent_label = cut(&parent_label.unwrap_or_default(), super::LABEL_MAX);
    let loaded_options = LoadedOptions {
        spot,
        loading: RwSignal::new(Loading::default()),
        lookup: StoredValue::new(lookup),
        default: StoredValue::new(field.default.clone()),
        hold: StoredValue::new_local(None),
    };
    loaded_options.follow(parent_name.is_some());
    let offer = Memo::new(move |_| loaded_options.loading.with(|it| it.offer.clone()));
    let own = StoredValue::new(field.clone());
    let widget = move || {
        let disabled = |text: String| own.with_value(|field| shut(spot, field, text, false));
        match offer.get() {
            Offer::Waiting => disabled(Key::OptionsWait.fill(&[&parent_label])),
            Offer::Loading => {
                let text = Key::OptionsLoading.say().to_owned();
                own.with_value(|field| shut(spot, field, text, true))
            }
            Offer::Ready(options) if options.is_empty() => {
                disabled(Key::LookupEmpty.say().to_owned())
            }
            Offer::Ready(options) => own.with_value(|field| open(spot, field, options)),
            Offer::Failed(error) => {
                let shut = disabled(Key::LookupFailed.say().to_owned());
                failed(loaded_options, shut, &error)
            }
        }
    };
    around(spot, field, widget.into_any(), ().into_any())
}

impl LoadedOptions {
    /// Loads the options now and whenever the parent's value changes.
    fn follow(self, is_dependent: bool) {
        let spot = self.spot;
        let parent = Memo::new(move |_| spot.form_state.parent(spot.index));
        Effect::new(move |_| {
            let parent = parent.get();
            if is_dependent && parent.is_none() {
                self.hold.set_value(None);
                self.loading.update(Loading::wait);
            } else {
                self.load(parent);
            }
        });
    }

    fn load(self, parent: Option<Value>) {
        let Some(number) = self.loading.try_update(Loading::ask) else { return };
        let hold = Hold::new();
        let stop = hold.stop();
        self.hold.set_value(Some(hold));
        let form = self.spot.form_state.own_id("lookups");
        let lookup = self.lookup.get_value();
        let url = lookup.url("", parent.as_ref());
        spawn_local(async move {
            let answer = lookup::fetch(&form, &lookup, &url, stop).await;
            self.answer(number, answer);
        });
    }

    fn answer(self, number: u32, answer: Result<Options, CallError>) {
        let options = answer.as_ref().ok().cloned();
        if self.loading.try_update(|it| it.answer(number, answer)) != Some(true) {
            return;
        }
        let Some(options) = options else { return page().announce_key(Key::LookupFailed) };
        self.settle(&options);
        if self.has_begun() {
            let form = self.spot.form_state.form();
            let label = form.fields.get(self.spot.index).map(|it| it.label.clone());
            let label = cut(&label.unwrap_or_default(), super::LABEL_MAX);
            page().announce_fill(Key::OptionsLoaded, &[&label, &options.len().to_string()]);
        }
    }

    fn settle(self, options: &[Choice]) {
        let (form_state, index) = (self.spot.form_state, self.spot.index);
        let value = untrack(|| form_state.value(index));
        let default = self.default.get_value();
        match settle(options, value.as_ref(), default.as_ref()) {
            Settled::Same => {}
            Settled::Put(choice) if self.has_begun() => form_state.choose(index, vec![choice]),
            Settled::Put(choice) => form_state.adopt(index, vec![choice]),
            Settled::Clear => form_state.put(index, None),
        }
    }

    /// Whether the reader has filled in anything: earlier changes are not announced.
    fn has_begun(self) -> bool {
        self.spot.form_state.changes.get_untracked() > 0
    }

    fn retry(self) {
        self.load(untrack(|| self.spot.form_state.parent(self.spot.index)));
    }
}

/// A disabled list with the reason.
fn shut(spot: Spot, field: &Field, text: String, is_busy: bool) -> AnyView {
    any_view! {
        <select id=spot.id() disabled aria-busy=is_busy.then_some("true") class:is-busy=is_busy
            aria-describedby=described(spot, field, &[]) aria-invalid=move || spot.invalid()>
            <option>{text}</option>
        </select>
    }
}

fn open(spot: Spot, field: &Field, options: Options) -> AnyView {
    if options.len() > LISTED_MAX {
        return combobox::boxed(spot, field, Source::Fixed(options), None);
    }
    choices::list(spot, field, options, described(spot, field, &[]))
}

fn failed(loaded_options: LoadedOptions, shut: AnyView, error: &CallError) -> AnyView {
    let error = StoredValue::new(error.clone());
    let why = move || error.with_value(|it| lookup::why(it, Lang::spoken()));
    let more = move || error.with_value(|it| details(it, &why()));
    any_view! {
        {shut}
        <div class="load-failed">
            <p>{why}</p>
            {more}
            <button type="button" class="quiet small" on:click=move |_| loaded_options.retry()>
                {Key::Retry}
            </button>
        </div>
    }
}
