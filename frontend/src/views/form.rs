//! A form of a schema: its fields, faults and button; also used for a tool's questions, whose answers are sent with the
//! repeated call.

use std::collections::BTreeSet;

use leptos::prelude::*;
use serde_json::{Value, json};

use super::field::FieldView;
use super::notice::coded;
use super::output::safe_url;
use crate::browser;
use crate::call::{Reply, responses};
use crate::error::Problem;
use crate::form::{Draft, Fault, Field, Form};
use crate::mcp::wire::{Ask, Explained, Question};
use crate::page::page;
use crate::text::{Key, Lang};

#[derive(Clone, Copy)]
pub(crate) struct Filling {
    pub(crate) form: Memo<Form>,
    pub(crate) draft: RwSignal<Draft>,
    /// The host's errors.
    pub(crate) problems: RwSignal<Vec<Problem>>,
    /// Fields that the reader has left: untouched fields show no faults.
    touched: RwSignal<BTreeSet<String>>,
    submitted: RwSignal<bool>,
    faults: Memo<Vec<Fault>>,
    /// Distinguishes the fields of two forms on one page.
    name: &'static str,
    index: usize,
}

impl Filling {
    pub(crate) fn new(
        form: Memo<Form>,
        draft: RwSignal<Draft>,
        name: &'static str,
        index: usize,
    ) -> Self {
        let faults = move |_: Option<&Vec<Fault>>| {
            form.with(|form| draft.with(|draft| form.arguments(draft))).err().unwrap_or_default()
        };
        Self {
            form,
            draft,
            problems: RwSignal::new(Vec::new()),
            touched: RwSignal::new(BTreeSet::new()),
            submitted: RwSignal::new(false),
            faults: Memo::new(faults),
            name,
            index,
        }
    }

    /// Id of a field's element.
    pub(crate) fn id(self, field: &Field) -> String {
        format!("{}{}-{}", self.name, self.index, field.id())
    }

    /// The fault of a field, once the reader has left it.
    pub(crate) fn message(self, pointer: &str) -> Option<String> {
        let is_due = self.submitted.get() || self.touched.with(|it| it.contains(pointer));
        let fault = self.faults.with(|it| it.iter().find(|it| it.pointer == pointer).cloned());
        let own = fault.filter(|_| is_due).map(|it| it.message(Lang::spoken()));
        own.or_else(|| self.problem(pointer))
    }

    /// The host's error for a field or something inside it.
    fn problem(self, pointer: &str) -> Option<String> {
        let is_here = |it: &&Problem| self.field_of(&it.pointer).as_deref() == Some(pointer);
        self.problems.with(|it| it.iter().find(is_here).map(|it| it.message.clone()))
    }

    /// The field of a problem: the closest enclosing one.
    fn field_of(self, pointer: &str) -> Option<String> {
        self.form.with(|form| {
            let fields = form.all().into_iter().filter(|field| {
                let rest = pointer.strip_prefix(&field.pointer);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            fields.max_by_key(|it| it.pointer.len()).map(|it| it.pointer.clone())
        })
    }

    /// Stores typed input and clears the host's error.
    pub(crate) fn put(self, field: &Field, change: impl FnOnce(&mut Draft)) {
        self.draft.update(change);
        let pointer = &field.pointer;
        if self.problems.with_untracked(|it| !it.is_empty()) {
            self.problems.update(|it| it.retain(|it| !it.pointer.starts_with(pointer)));
        }
    }

    /// Marks a field as left.
    pub(crate) fn touch(self, field: &Field) {
        self.touched.update(|touched| {
            touched.insert(field.pointer.clone());
        });
    }

    /// Like `touch`, from a field's own event: an input removed while focused fires it after its view is gone.
    pub(crate) fn leave(self, field: StoredValue<Field>) {
        field.try_with_value(|it| self.touch(it));
    }

    /// The arguments; none if there are faults; they are announced, and the first faulty field is focused.
    pub(crate) fn submit(self) -> Option<Value> {
        self.problems.set(Vec::new());
        let arguments =
            self.form.with_untracked(|form| self.draft.with_untracked(|it| form.arguments(it)));
        self.submitted.set(arguments.is_err());
        match arguments {
            Ok(arguments) => Some(arguments),
            Err(faults) => {
                let count = faults.len().to_string();
                page().announce_fill(Key::ErrorSummary, &[&count]);
                self.focus_first(&faults[0].pointer);
                None
            }
        }
    }

    /// Shows the host's errors at their fields.
    pub(crate) fn take(self, problems: Vec<Problem>) {
        let first = problems.iter().find_map(|it| self.field_of(&it.pointer));
        self.problems.set(problems);
        if let Some(first) = first {
            self.focus_first(&first);
        }
    }

    fn focus_first(self, pointer: &str) {
        let id = self.form.with_untracked(|form| {
            form.all().into_iter().find(|it| it.pointer == pointer).map(|it| self.id(it))
        });
        if let Some(id) = id {
            browser::focus_soon(id);
        }
    }

    pub(crate) fn clear(self) {
        self.draft.set(Draft::default());
        self.touched.set(BTreeSet::new());
        self.submitted.set(false);
        self.problems.set(Vec::new());
    }
}

/// All faults, linked to their fields.
#[component]
pub(crate) fn Faults(filling: Filling) -> impl IntoView {
    let link = move |fault: Fault| {
        let field = filling
            .form
            .with(|form| form.all().into_iter().find(|it| it.pointer == fault.pointer).cloned())?;
        let id = filling.id(&field);
        let message = fault.message(Lang::spoken());
        Some(view! {
            <li>
                <button type="button" class="link" on:click=move |_| browser::focus(&id)>
                    {field.label}
                </button>
                " "{message}
            </li>
        })
    };
    move || {
        let faults = filling.faults.get();
        let is_due = filling.submitted.get() && !faults.is_empty();
        is_due.then(|| {
            view! {
                <div class="notice is-error">
                    <p class="notice-title">
                        {Key::ErrorSummary.fill(&[&faults.len().to_string()])}
                    </p>
                    <ul>{faults.into_iter().filter_map(link).collect_view()}</ul>
                </div>
            }
        })
    }
}

/// The fields; each stays while the schema has it.
#[component]
pub(crate) fn Fields(filling: Filling) -> impl IntoView {
    let fields = move |is_for_programs: bool| {
        let fields = filling.form.with(|it| it.fields.clone());
        fields.into_iter().filter(|it| it.is_for_programs == is_for_programs).collect::<Vec<_>>()
    };
    let has_folded = Memo::new(move |_| !fields(true).is_empty());
    // A group with values or faults is opened and stays open.
    let is_open = Memo::new(move |was: Option<&bool>| {
        let is_used = |field: &Field| {
            filling.draft.with(|draft| !draft.text(field).is_empty())
                || filling.message(&field.pointer).is_some()
        };
        was == Some(&true) || fields(true).iter().any(is_used)
    });
    let drawn = move |is_for_programs: bool| {
        view! {
            <For each=move || fields(is_for_programs) key=|field| format!("{field:?}") let:field>
                <FieldView filling field/>
            </For>
        }
    };
    view! {
        {drawn(false)}
        {move || has_folded.get().then(|| view! {
            <details class="fields-more" open=move || is_open.get()>
                <summary>{Key::Details}</summary>
                <div class="fields-folded">{drawn(true)}</div>
            </details>
        })}
    }
}

/// Maximum number of questions of one call.
const QUESTIONS_MAX: usize = 100;

/// Draws the questions; the answers, in the protocol's format, go to `on_answer`.
#[component]
pub(crate) fn Questions(
    questions: Vec<Question>,
    #[prop(into)] on_answer: Callback<Value>,
    /// Distinguishes the questions of one conversation.
    #[prop(optional)]
    number: u32,
) -> impl IntoView {
    let fillings: Vec<(Question, Filling)> = questions
        .into_iter()
        .take(QUESTIONS_MAX)
        .enumerate()
        .map(|(index, it)| (it.clone(), filling(&it, number as usize * QUESTIONS_MAX + index)))
        .collect();
    let fillings = StoredValue::new(fillings);
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let replies = fillings.with_value(|fillings| {
            let reply = |(question, filling): &(Question, Filling)| {
                Some((question.key.clone(), reply(question, *filling)?))
            };
            fillings.iter().map(reply).collect::<Option<Vec<_>>>()
        });
        if let Some(replies) = replies {
            on_answer.run(responses(&replies));
        }
    };
    let decline = move |_| {
        let decline = |it: &(Question, Filling)| (it.0.key.clone(), Reply::Decline);
        let replies = fillings.with_value(|it| it.iter().map(decline).collect::<Vec<_>>());
        on_answer.run(responses(&replies));
    };
    page().announce_key(Key::Question);
    let title_id = match number {
        0 => "question-title".to_owned(),
        number => format!("question-title-{number}"),
    };
    if number == 0 {
        browser::focus_soon(title_id.clone());
    } else {
        // In a conversation, a reader who is writing keeps the focus.
        browser::focus_if_lost(title_id.clone());
    }
    let labelled = title_id.clone();
    let question = |(question, filling)| view! { <QuestionView question filling/> };
    view! {
        <form class="questions" novalidate on:submit=send aria-labelledby=labelled>
            <h2 id=title_id tabindex="-1">{Key::Question}</h2>
            {fillings.get_value().into_iter().map(question).collect_view()}
            <div class="actions">
                <button type="submit" class="main-action">{Key::QuestionSend}</button>
                <button type="button" class="quiet" on:click=decline>{Key::QuestionDecline}</button>
            </div>
        </form>
    }
}

fn filling(question: &Question, index: usize) -> Filling {
    let schema = match &question.ask {
        Ask::Form(schema) => schema.clone(),
        _ => json!({}),
    };
    let form = Form::from_schema(&schema, &|_| Explained::default());
    Filling::new(
        Memo::new(move |_| form.clone()),
        RwSignal::new(Draft::default()),
        "question",
        index,
    )
}

/// None while the form has faults.
fn reply(question: &Question, filling: Filling) -> Option<Reply> {
    match question.ask {
        Ask::Form(_) => filling.submit().map(Reply::Accept),
        Ask::Url(_) => Some(Reply::Accept(json!({}))),
        Ask::Unknown => Some(Reply::Decline),
    }
}

#[component]
fn QuestionView(question: Question, filling: Filling) -> impl IntoView {
    let ask = match question.ask {
        Ask::Form(_) => any_view! { <Faults filling/><Fields filling/> },
        Ask::Url(url) => {
            let link = safe_url(&url).map(|url| {
                view! {
                    <a class="button" href=url target="_blank" rel="noopener noreferrer">{Key::OpenPage}</a>
                }
            });
            any_view! {
                <p>{Key::QuestionUrl}</p>
                <p><code>{url}</code></p>
                {link}
            }
        }
        Ask::Unknown => any_view! { <p>{Key::QuestionUnknown}</p> },
    };
    view! {
        <div class="question">
            <p class="question-text">{coded(&question.message)}</p>
            {ask}
        </div>
    }
}
