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
        let handle = self.talk(user)?.handle;
        let url = self.url(&handle).unwrap_or_default();
        let please = say("フォームに入力してください", "Please fill in the form");
        let message = format!("{please}: {}", self.form.title);
        let question = Question::new(KEY, &message, Ask::Url(url)).for_later();
        let answer = match user.put(question) {
            Err(Stop::InputRequired(_)) if user.is_unanswered() => {
                return Ok(self.waiting(user, &handle, Some("")));
            }
            answer => answer?,
        };
        let none = Filled::default();
        match answer.action {
            AnswerAction::Accept => self.await_answer(user, &handle),
            AnswerAction::Decline => self.settle(user, &handle, Status::Declined, &none),
            AnswerAction::Cancel => self.settle(user, &handle, Status::Cancelled, &none),
        }
    }

    /// The answer, once it is there; after a while, that it is not.
    fn await_answer(&self, user: &User, handle: &str) -> Result<FormRequest, Stop> {
        let form = store::read(handle)?;
        if form.status != Status::Waiting {
            return Ok(self.answered(user, &form));
        }
        let place = self.place(handle);
        match clock::wait(user, store::uri(handle), settings::wait_s()?, &place) {
            Some(wait) => Err(wait),
            None => Ok(self.waiting(user, handle, Some(""))),
        }
    }
}
