//! A form requested by an agent and filled in by the reader: the values of its fields and their errors.

#[macro_use]
mod words;

mod filled;
pub(crate) mod keeping;
mod place;
mod plan;
pub(crate) mod saver;
pub(crate) mod session;
pub(crate) mod upload;
pub(crate) mod views;

use std::sync::Arc;

use leptos::prelude::*;
use output::form::{Choice, Field, Form, FormRequest, Kind, Language, Today, Values};
use serde_json::{Value, json};

use crate::dates;
use crate::error::Problem;
use crate::page::page;
use crate::part::{Part, part};
use crate::route::FamilyRoute;
use crate::table::{
    ActivitySource, Draw, Drawing, Family, Forms, Found, NONE, Ongoing, Outputs, Place, Search,
    View, all_listed, fits, listed, text,
};
use crate::text::{Key, Lang};
use crate::views::part::drawn_by;
pub(crate) use filled::choices_of;
use filled::{Entry, Filled};
use place::At;
use views::{FormInline, FormLoose, FormPlace, FormsView};

pub(super) static FAMILY: Family = Family {
    tools: ("forms", Key::FormsPlace),
    places: &[Place {
        tool: "list_form_submissions",
        name: Key::FormsPlace,
        reading: "",
        icon: "M5 3h10v14H5zM8 7h4M8 10h4M8 13h2",
        start: || At::List(None).route(),
        read: At::canonical,
        stage: |route| match At::from_route(route)? {
            At::List(_) => Some(String::new()),
            At::Form(handle) => Some(handle),
        },
        code: &PLACE,
        title: |route| match At::from_route(route) {
            Some(At::Form(_)) => {
                page().form_title.get().unwrap_or_else(|| Key::FormPlace.say().to_owned())
            }
            _ => Key::FormsTitle.say().to_owned(),
        },
    }],
    views: &[View { elsewhere: Some(Key::CardFormBelow), ..View::new("form_request") }],
    activity: Some(ActivitySource {
        tool: "list_form_submissions",
        // What a chat of this browser asks is announced as the chat's.
        arguments: || vec![json!({ "status": "waiting" })],
        resource: Some("form://submissions.csv"),
        read: |outputs| {
            let asked = keeping::asked();
            let is_own =
                |it: &&Value| text(it, "handle").is_none_or(|it| asked.iter().all(|own| own != it));
            let waiting = all_listed(outputs, "forms").filter(is_own).count();
            let phrase = (Key::FrontForms, vec![waiting.to_string()]);
            let route = At::List(None).route();
            let ongoing = Ongoing { phrase, english: None, at: None, route, waiting };
            Some(ongoing).filter(|_| waiting > 0).into_iter().collect()
        },
    }),
    search: Some(Search {
        tool: "list_form_submissions",
        arguments: |_| json!({ "in_chats": keeping::asked() }),
        read: |value| {
            let found = |form: &Value| {
                Some(Found {
                    title: text(form, "title")?.to_owned(),
                    english: None,
                    route: At::Form(text(form, "handle")?.to_owned()).route(),
                    is_found: false,
                })
            };
            listed(value, "forms").iter().filter_map(found).collect()
        },
        kind: Key::FinderForm,
    }),
    example: Some(("request_form", Key::ChatExForm)),
    forms: Some(&FORMS),
    outputs: &OUTPUTS,
    within: &[&LIST, &FORM],
    ..NONE
};

/// The list and a form are parts of their own.
static PLACE: Part<Draw> = Part::always(&Draw(|stage| {
    let (part, stage) = (if stage.is_empty() { &LIST } else { &FORM }, stage.to_owned());
    drawn_by(part, move |it| (it.0)(&stage))
}));

static LIST: Part<Draw> = part!(forms: Draw = &Draw(|_| any_view! { <FormsView/> }));

static FORM: Part<Draw> =
    part!(form: Draw = &Draw(|handle| any_view! { <FormPlace handle=handle.to_owned()/> }));

static FORMS: Part<Forms> = part!(form: Forms = &Forms {
    with_handle: |handle, on_closed| match on_closed {
        Some(on_closed) => {
            keeping::note_asked(&handle);
            any_view! { <FormInline handle on_closed/> }
        }
        None => any_view! { <FormInline handle/> },
    },
    without_handle: |schema, on_answer| any_view! { <FormLoose schema on_answer/> },
    cancel: session::cancel,
});

static OUTPUTS: Part<Outputs> = part!(form: Outputs = &Outputs(&[Drawing {
    draw: |value, raw| {
        fits::<FormRequest>(value)?;
        let handle = raw.pointer("/_meta/forms~1form/handle")?.as_str()?.to_owned();
        Some(any_view! { <FormInline handle/> })
    },
    summary: |_| None,
}
]));

/// A form being filled in. Each field has its own signals, so that a key in one of 500 fields redraws one field.
#[derive(Clone, Copy)]
pub(crate) struct FormState {
    filled: StoredValue<Arc<Filled>>,
    /// Whether it can no longer be changed.
    pub(crate) is_closed: RwSignal<bool>,
    /// Whether the reader tried to send it: from then on all errors are shown.
    pub(crate) is_tried: RwSignal<bool>,
    /// Counts changes; watched by the saver of drafts.
    pub(crate) changes: RwSignal<u32>,
    /// Number of filled required fields among those shown, and of all.
    pub(crate) progress: RwSignal<(usize, usize)>,
    /// Distinguishes two forms on one page.
    number: u32,
    /// The level of its title among the page's headings.
    title_level: u8,
}

impl FormState {
    /// Creates the state with the form's initial values.
    pub(crate) fn new(form: Form, number: u32, title_level: u8) -> Self {
        let filled = Filled::new(match Self::today() {
            Some(today) => form.on(today),
            None => form,
        });
        let progress = filled.progress();
        Self {
            filled: StoredValue::new(Arc::new(filled)),
            is_closed: RwSignal::new(false),
            is_tried: RwSignal::new(false),
            changes: RwSignal::new(0),
            progress: RwSignal::new(progress),
            number,
            title_level,
        }
    }

    pub(crate) fn form(self) -> Arc<Form> {
        self.filled.with_value(|it| Arc::clone(&it.form))
    }

    /// The level of a heading among the page's: as the form says below its title, and at most one below the heading
    /// before it.
    pub(crate) fn level(self, index: usize) -> u8 {
        level(&self.form().fields, index, self.title_level)
    }

    /// Id of a field's element.
    pub(crate) fn id(self, index: usize) -> String {
        format!("form{}-field{index}", self.number)
    }

    /// Id of a part of the form.
    pub(crate) fn own_id(self, part: &str) -> String {
        format!("form{}-{part}", self.number)
    }

    /// The value of a field.
    pub(crate) fn value(self, index: usize) -> Option<Value> {
        self.entry(index)?.value.get()
    }

    /// Stores a value; dependent fields are cleared if it has changed.
    pub(crate) fn put(self, index: usize, value: Option<Value>) {
        self.change(|filled| filled.put(index, value));
    }

    /// The chosen options of a look-up field, with labels.
    pub(crate) fn chosen(self, index: usize) -> Vec<Choice> {
        self.entry(index).map(|it| it.chosen.get()).unwrap_or_default()
    }

    /// Stores the options chosen from a look-up: one, or several if the field takes several. The field then holds their
    /// values.
    pub(crate) fn choose(self, index: usize, chosen: Vec<Choice>) {
        self.change(|filled| filled.choose(index, chosen));
    }

    /// Like `choose`, without the reader: for a default among options that have just arrived, or labels of an existing
    /// value. No draft is saved for it.
    pub(crate) fn adopt(self, index: usize, chosen: Vec<Choice>) {
        self.apply(|filled| filled.choose(index, chosen));
    }

    /// Marks a field as left by the reader.
    pub(crate) fn touch(self, index: usize) {
        let entry = self.entry(index).filter(|it| !it.is_touched.get_untracked());
        entry.iter().for_each(|it| it.is_touched.set(true));
    }

    /// The error of a field, once it is due, in the reader's language.
    pub(crate) fn message(self, index: usize) -> Option<String> {
        let entry = self.entry(index)?;
        let is_due = (self.is_tried.get() | entry.is_touched.get()) & entry.is_shown.get();
        let own = is_due.then(|| self.fault(index)).flatten();
        own.or_else(|| entry.problem.get())
    }

    fn fault(self, index: usize) -> Option<String> {
        let form = self.form();
        let field = form.fields.get(index)?;
        let value = self.value(index);
        let fault = form.check_field(field, value.as_ref(), Self::today()?)?;
        Some(fault.message(language(Lang::spoken())))
    }

    /// Whether a field is shown (`showIf`).
    pub(crate) fn is_shown(self, index: usize) -> bool {
        self.entry(index).is_some_and(|it| it.is_shown.get())
    }

    /// The value that a field depends on (`dependsOn`); none while that is empty or hidden.
    pub(crate) fn parent(self, index: usize) -> Option<Value> {
        let parent = self.filled()?.plan.parent(index)?;
        let is_shown = self.is_shown(parent);
        self.value(parent).filter(|it| is_shown && plan::is_something(it))
    }

    /// Today, for the reader.
    pub(crate) fn today() -> Option<Today> {
        let day = dates::Day::today().to_string().parse().ok()?;
        Some(Today { earliest: day, latest: day })
    }

    /// Sets how many files of a field are missing: being uploaded, failed or refused. A form with missing files is not
    /// sent.
    pub(crate) fn set_uploads(self, index: usize, count: usize) {
        self.entry(index).iter().for_each(|it| it.uploads.set(count));
    }

    /// Whether files of a field are missing.
    pub(crate) fn is_uploading(self, index: usize) -> bool {
        self.entry(index).is_some_and(|it| it.uploads.get() > 0)
    }

    /// The first field with a missing file.
    pub(crate) fn uploading(self) -> Option<usize> {
        self.filled()?.fields.iter().position(|it| it.uploads.get_untracked() > 0)
    }

    /// Labels of look-up values, by field name.
    pub(crate) fn labels(self) -> Values {
        self.filled().map(|it| it.labels()).unwrap_or_default()
    }

    /// Values and labels to store, without secrets.
    pub(crate) fn draft(self) -> (Values, Values) {
        self.filled().map(|it| it.draft()).unwrap_or_default()
    }

    /// Restores a draft. Fields missing in it are cleared, except those that no draft contains.
    pub(crate) fn restore(self, values: &Values, labels: &Values) {
        if let Some(filled) = self.filled() {
            filled.restore(values, labels);
            self.progress.set(filled.progress());
        }
    }

    /// The submission, or the invalid fields in order.
    pub(crate) fn submission(self) -> Result<Values, Vec<usize>> {
        let Some((filled, today)) = self.filled().zip(Self::today()) else {
            return Err(Vec::new());
        };
        filled.submission(today)
    }

    /// Assigns the host's errors to their fields. Returns those fields, and the errors of no field.
    pub(crate) fn take(self, problems: Vec<Problem>) -> (Vec<usize>, Vec<Problem>) {
        match self.filled() {
            Some(filled) => filled.take(problems),
            None => (Vec::new(), problems),
        }
    }

    fn filled(self) -> Option<Arc<Filled>> {
        // An answer may arrive after the form has left the page.
        self.filled.try_get_value()
    }

    fn entry(self, index: usize) -> Option<Entry> {
        self.filled.try_with_value(|it| it.fields.get(index).cloned()).flatten()
    }

    fn change(self, change: impl FnOnce(&Filled) -> bool) {
        if self.apply(change) {
            self.changes.update(|it| *it = it.wrapping_add(1));
        }
    }

    fn apply(self, change: impl FnOnce(&Filled) -> bool) -> bool {
        let Some(filled) = self.filled() else { return false };
        if self.is_closed.get_untracked() || !change(&filled) {
            return false;
        }
        let progress = filled.progress();
        if self.progress.get_untracked() != progress {
            self.progress.set(progress);
        }
        true
    }
}

/// The level of the heading at `index`, below a title of that level.
fn level(fields: &[Field], index: usize, title: u8) -> u8 {
    let own = |it: &Field| match it.kind {
        Kind::Heading(level) => Some(level.clamp(1, 4)),
        Kind::Divider if !it.label.trim().is_empty() => Some(2),
        _ => None,
    };
    let headings = fields.iter().take(index + 1).filter_map(own);
    headings.fold(title, |before, own| (title + own).min(before + 1))
}

/// Converts to the language type of the shared crate.
pub(crate) fn language(lang: Lang) -> Language {
    match lang {
        Lang::Ja => Language::Japanese,
        Lang::En => Language::English,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_skips_no_level_of_the_page() {
        let heading = |level: u8| json!({ "type": "heading", "level": level, "label": "a" });
        let divider = json!({ "type": "divider", "label": "b" });
        let text = json!({ "type": "text", "name": "c", "label": "c" });
        let fields = json!([heading(3), text, heading(3), divider, heading(1), heading(4)]);
        let form = Form::read(&json!({ "title": "t", "fields": fields })).unwrap();
        let levels = |title| [0, 2, 3, 4, 5].map(|it| level(&form.fields, it, title));
        assert_eq!(levels(1), [2, 3, 3, 2, 3]);
        assert_eq!(levels(2), [3, 4, 4, 3, 4]);
    }
}
