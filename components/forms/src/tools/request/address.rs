//! A form behind an address that the client opens: it is kept before the question, and waited for.

use output::form::{FormRequest, Status};
use toolkit::{
    Stop, User,
    question::{AnswerAction, Ask, Question},
};

use super::Asked;
use crate::{
    clock,
    refusals::say,
    settings,
    store::{self, Filled},
};

/// Tells the question apart from others.
const KEY: &str = "form";

impl Asked {
    /// Sends the person to the form's page, and waits for the answer a while.
    pub(super) fn address(&self, user: &User) -> Result<FormRequest, Stop> {
        let handle = match user.remembered::<String>() {
            Some(handle) => handle,
            None => {
                let handle = store::fresh_handle();
                self.keep(&handle, None)?;
                user.remember(&handle);
                handle
            }
        };
        let url = self.url(&handle).unwrap_or_default();
        let please = say("フォームに入力してください", "Please fill in the form");
        let message = format!("{please}: {}", self.form.title);
        let answer = user.put(Question::new(KEY, &message, Ask::Url(url)))?;
        match answer.action {
            AnswerAction::Accept => self.await_answer(user, &handle),
            AnswerAction::Decline => self.refuse(user, &handle, Status::Declined),
            AnswerAction::Cancel => self.refuse(user, &handle, Status::Cancelled),
        }
    }

    /// The answer, once it is there; after a while, that it is not.
    fn await_answer(&self, user: &User, handle: &str) -> Result<FormRequest, Stop> {
        let form = store::read(handle)?;
        if form.status != Status::Waiting {
            return Ok(self.answered(user, handle, form.status, form.values()));
        }
        if let Some(wait) = clock::wait(user, store::uri(handle), settings::wait_s()?) {
            return Err(wait);
        }
        Ok(self.waiting(user, handle, true))
    }

    /// The person did not want to go there. Whoever was faster on the page has answered.
    fn refuse(&self, user: &User, handle: &str, status: Status) -> Result<FormRequest, Stop> {
        let closed = store::answer(handle, &self.form, status, &Filled::default());
        if let Err(stop) = closed
            && !matches!(&stop, Stop::Refused(it) if it.code == "already_answered")
        {
            return Err(stop);
        }
        let form = store::read(handle)?;
        Ok(self.answered(user, handle, form.status, form.values()))
    }
}
