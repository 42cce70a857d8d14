//! `get_form_submission`: what was answered, once it was (FORM-11).

use output::form::{Status, Submission};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Content, English, Hints, Stop, Text, Tool, User, invalid};

use crate::{clock, files, record, store, words};

/// How long a call may wait, in seconds.
const TIMEOUT_S_MAX: u32 = 300;
/// The same for a caller without progress notifications: ordinary clients give up after 60.
const QUIET_S_MAX: u32 = 50;

/// フォームの回答を取得。未回答なら status は waiting。timeout_seconds を指定すると回答されるまで待つ。waiting が返ったらもう一度呼び出す。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetFormSubmission {
    /// フォームのハンドル（request_form の _meta["forms/form"].handle）
    #[schemars(length(max = 200))]
    handle: String,
    /// 任意。回答を待つ秒数（0〜300、既定は0。progressToken がなければ最大50）
    #[schemars(range(min = 0, max = 300))]
    timeout_seconds: Option<u32>,
}

impl Tool for GetFormSubmission {
    const NAME: &str = "get_form_submission";
    const TITLE: Text = Text { ja: "フォーム回答取得", en: "Get a form's answer" };
    const ENGLISH: English = English {
        description: "Gets what was filled into a form. While nobody has answered, its status is \
                      waiting; with timeout_seconds the call waits for the answer. Where it is still \
                      waiting, call again.",
        arguments: &[
            ("handle", "The form's handle, as request_form gave it in _meta[\"forms/form\"]"),
            (
                "timeout_seconds",
                "Optional. How long to wait for the answer: 0 to 300; 0 if absent; 50 at most without a \
                 progressToken",
            ),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    type Output = Submission;

    fn call(self, user: &User) -> Result<Submission, Stop> {
        let seconds = self.timeout_seconds.unwrap_or(0);
        if seconds > TIMEOUT_S_MAX {
            let message = format!("must be an integer from 0 to {TIMEOUT_S_MAX}, not {seconds}");
            return Err(invalid("/timeout_seconds", message));
        }
        let seconds = if user.wants_progress() { seconds } else { seconds.min(QUIET_S_MAX) };
        let form = store::shown(&self.handle)?;
        if form.status == Status::Waiting
            && let Some(wait) = {
                let what = words::in_one_line(&form.title, &self.handle, None);
                clock::wait(user, store::uri(&self.handle), seconds, &what)
            }
        {
            return Err(wait);
        }
        show_files(user, &form);
        Ok(form.submission())
    }
}

/// Links to the files of an answer: their bytes are read as resources (FORM-36).
fn show_files(user: &User, found: &record::Record) {
    let (Ok(form), Some(values)) = (found.form(), found.values()) else { return };
    for file in files::named(&form, &values) {
        user.show_content(Content::link(&file.uri(&found.handle), &file.name));
    }
}
