//! A form from opening to answer: fetched by its handle, sent, closed, reopened.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::form::{OpenForm, Status, Submission, Values};
use serde_json::json;

use super::{FormState, keeping};
use crate::browser;
use crate::call::fetch;
use crate::dates;
use crate::error::CallError;
use crate::page::page;
use crate::text::Key;

/// State of a form for its reader.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stage {
    Loading,
    Failed(CallError),
    /// To be filled in.
    Open(Arc<OpenForm>),
    /// Closed; and whether just now on this page.
    Closed(Arc<OpenForm>, bool),
}

/// The running or failed action.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Step {
    #[default]
    None,
    Sending,
    Closing,
    /// A file of this field is still being uploaded or was refused.
    Uploading(usize),
    /// Sending failed.
    NotSent(CallError),
    /// Closing or reopening failed.
    NotClosed(CallError),
}

impl Step {
    fn is_busy(&self) -> bool {
        matches!(self, Self::Sending | Self::Closing)
    }
}

/// Ways to close a form without an answer, or to reopen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Close {
    Cancel,
    Decline,
    Reopen,
}

impl Close {
    fn name(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Decline => "decline",
            Self::Reopen => "reopen",
        }
    }
}

/// One form on the page.
#[derive(Clone, Copy)]
pub(crate) struct FormSession {
    handle: StoredValue<String>,
    pub(crate) stage: RwSignal<Stage>,
    pub(crate) step: RwSignal<Step>,
    /// The fields that prevented the last submission.
    pub(crate) faulty: RwSignal<Vec<usize>>,
    number: u32,
}

impl FormSession {
    /// Opens the form of that handle.
    pub(crate) fn open(handle: &str) -> Self {
        let session = Self {
            handle: StoredValue::new(handle.to_owned()),
            stage: RwSignal::new(Stage::Loading),
            step: RwSignal::new(Step::None),
            faulty: RwSignal::new(Vec::new()),
            number: browser::next_number(),
        };
        session.load();
        Effect::new(move |before: Option<()>| {
            page().refreshed.track();
            if before.is_some() {
                session.check_again();
            }
        });
        session
    }

    /// Id of an element.
    pub(crate) fn id(self, part: &str) -> String {
        format!("request{}-{part}", self.number)
    }

    pub(crate) fn handle(self) -> String {
        self.handle.try_get_value().unwrap_or_default()
    }

    /// Fetches the form.
    pub(crate) fn load(self) {
        self.stage.set(Stage::Loading);
        self.refresh();
    }

    fn refresh(self) {
        spawn_local(self.ask());
    }

    async fn ask(self) {
        let arguments = json!({ "handle": self.handle() });
        let stage = match fetch::<OpenForm>("open_form", arguments).await {
            Ok(form) if form.status == Status::Waiting => Stage::Open(Arc::new(form)),
            Ok(form) => Stage::Closed(Arc::new(form), false),
            Err(error) => Stage::Failed(error),
        };
        // A running action reports its own result.
        if self.step.try_with_untracked(Step::is_busy) != Some(false) {
            return;
        }
        // A reader who is typing is not interrupted, unless the form can no longer be answered.
        let is_typing = match self.stage.try_get_untracked() {
            // Of two concurrent requests, the other was faster.
            Some(Stage::Closed(..)) => return,
            now => matches!(now, Some(Stage::Open(_))),
        };
        let is_news = match &stage {
            Stage::Closed(..) => true,
            Stage::Failed(CallError::Refused(it)) => it.code == "not_found" || !is_typing,
            _ => !is_typing,
        };
        if is_news {
            let _ = self.stage.try_set(stage);
            let _ = self.step.try_set(Step::None);
        }
    }

    /// Checks whether the form was answered elsewhere meanwhile.
    pub(crate) fn check_again(self) {
        let is_done = self.stage.with_untracked(|it| matches!(it, Stage::Closed(..)));
        if !is_done && !self.is_busy() {
            self.refresh();
        }
    }

    fn is_busy(self) -> bool {
        self.step.with_untracked(Step::is_busy)
    }

    /// Sends the values, or shows what is missing.
    pub(crate) fn send(self, form_state: FormState) {
        if self.is_busy() || form_state.is_closed.get_untracked() {
            return;
        }
        if let Some(index) = form_state.uploading() {
            self.step.set(Step::Uploading(index));
            page().announce_key(Key::FormUploading);
            return;
        }
        match form_state.submission() {
            Ok(values) => self.submit(form_state, values),
            Err(places) => self.blame(form_state, places),
        }
    }

    /// Shows the errors and focuses their summary.
    fn blame(self, form_state: FormState, places: Vec<usize>) {
        let count = places.len().to_string();
        form_state.is_tried.set(true);
        self.step.set(Step::None);
        self.faulty.set(places);
        page().announce_fill(Key::ErrorSummary, &[&count]);
        browser::focus_soon(self.id("summary"));
    }

    fn submit(self, form_state: FormState, values: Values) {
        self.faulty.set(Vec::new());
        self.step.set(Step::Sending);
        page().announce_key(Key::FormSending);
        let mut labels = form_state.labels();
        labels.retain(|name, _| values.contains_key(name));
        let arguments = json!({
            "handle": self.handle(), "values": values, "labels": labels,
            "today": dates::Day::today().to_string(),
        });
        spawn_local(async move {
            let answer = fetch::<Submission>("submit_form", arguments).await;
            if self.stage.try_get_untracked().is_none() {
                return;
            }
            match answer {
                Ok(submission) => {
                    form_state.is_closed.set(true);
                    keeping::forget(&submission.handle);
                    self.close_with(submission, Some(labels));
                    page().announce_key(Key::FormSent);
                }
                Err(error) => self.not_sent(form_state, error),
            }
        });
    }

    fn not_sent(self, form_state: FormState, error: CallError) {
        page().end_progress();
        if is_answered(&error) {
            self.step.set(Step::None);
            return self.refresh();
        }
        let (places, _) = form_state.take(error.problems());
        if places.is_empty() {
            self.step.set(Step::NotSent(error));
            browser::focus_soon(self.id("trouble"));
        } else {
            self.blame(form_state, places);
        }
    }

    /// Cancels, declines or reopens it.
    pub(crate) fn close(self, how: Close) {
        if self.is_busy() {
            return;
        }
        self.step.set(Step::Closing);
        let arguments = json!({ "handle": self.handle(), "action": how.name() });
        spawn_local(async move {
            let answer = fetch::<Submission>("close_form", arguments).await;
            if self.stage.try_get_untracked().is_none() {
                return;
            }
            match answer {
                Ok(submission) if how != Close::Reopen => {
                    self.close_with(submission, None);
                    let is_cancel = how == Close::Cancel;
                    let key = if is_cancel { Key::FormCancelled } else { Key::FormDeclined };
                    page().announce_key(key);
                }
                Ok(_) => {
                    self.step.set(Step::None);
                    page().announce_key(Key::FormReopened);
                    self.stage.set(Stage::Loading);
                    self.ask().await;
                    browser::focus_soon(self.id("title"));
                }
                Err(error) if is_answered(&error) => {
                    self.step.set(Step::None);
                    self.refresh();
                }
                Err(error) => self.step.set(Step::NotClosed(error)),
            }
        });
    }

    fn close_with(self, submission: Submission, labels: Option<Values>) {
        let opened = match self.stage.get_untracked() {
            Stage::Open(it) | Stage::Closed(it, _) => (*it).clone(),
            _ => OpenForm::default(),
        };
        let closed = OpenForm {
            status: submission.status,
            values: submission.values,
            answered_at: submission.answered_at,
            labels: labels.or(opened.labels),
            ..opened
        };
        self.step.set(Step::None);
        self.stage.set(Stage::Closed(Arc::new(closed), true));
        browser::focus_soon(self.id("title"));
    }
}

/// Cancels the form of that handle. After a failure it stays open and can be cancelled in its view.
pub(crate) fn cancel(handle: String) {
    let arguments = json!({ "handle": handle, "action": Close::Cancel.name() });
    spawn_local(async move { drop(fetch::<Submission>("close_form", arguments).await) });
}

/// Whether another person was faster.
fn is_answered(error: &CallError) -> bool {
    matches!(error, CallError::Refused(refusal) if refusal.code == "already_answered")
}
