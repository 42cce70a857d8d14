//! Reading: `get_form_submission`, `list_form_submissions` and `open_form`.

use output::form::{Status, Submission, Submissions};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Content, Hints, Stop, Text, Tool, User, invalid};

use crate::{
    clock, delivery, files,
    record::{self, Cursor, Record},
    store,
};

// `get_form_submission`: the answer of a form (FORM-11).

/// Maximum seconds of a waiting call.
const TIMEOUT_S_MAX: u32 = 300;
/// Maximum seconds without progress notifications; common clients give up after 60.
const QUIET_S_MAX: u32 = 50;

/// フォームの回答を取得。未回答なら status は waiting。timeout_seconds を指定すると回答されるまで待つ。waiting が返ったらもう一度呼び出す。
/// en: Gets what was filled into a form. While nobody has answered, its status is waiting; with timeout_seconds the
/// call waits for the answer. Where it is still waiting, call again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetFormSubmission {
    /// フォームのハンドル（request_form の _meta["forms/form"].handle）
    /// en: The form's handle, as request_form gave it in _meta["forms/form"]
    #[schemars(length(max = 200))]
    handle: String,
    /// 任意。回答を待つ秒数（0〜300、既定は0。progressToken がなければ最大50）
    /// en: Optional. How long to wait for the answer: 0 to 300; 0 if absent; 50 at most without a progressToken
    #[schemars(range(min = 0, max = 300))]
    timeout_seconds: Option<u32>,
}

impl Tool for GetFormSubmission {
    const NAME: &str = "get_form_submission";
    const TITLE: Text = Text { ja: "フォーム回答取得", en: "Get a form's answer" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    type Output = Submission;

    fn call(self, user: &User) -> Result<Submission, Stop> {
        let seconds = self.timeout_seconds.unwrap_or(0);
        if seconds > TIMEOUT_S_MAX {
            let message = format!("must be an integer from 0 to {TIMEOUT_S_MAX}, not {seconds}");
            return Err(invalid("/timeout_seconds", message));
        }
        let seconds = if user.wants_progress() { seconds } else { seconds.min(QUIET_S_MAX) };
        let form = store::load_for_caller(&self.handle)?;
        if form.status == Status::Waiting
            && let Some(wait) = {
                let what = delivery::in_one_line(&form.title, &self.handle, None);
                clock::wait(user, store::uri(&self.handle), seconds, &what)
            }
        {
            return Err(wait);
        }
        show_files(user, &form);
        Ok(form.submission())
    }
}

/// Links to an answer's files, which are resources (FORM-36).
fn show_files(user: &User, found: &Record) {
    let (Ok(form), Some(values)) = (found.form(), found.values()) else { return };
    for file in files::named(&form, &values) {
        user.show_content(Content::link(&file.uri(&found.handle), &file.name));
    }
}

// `list_form_submissions`: forms and their state, for the operator.

/// Forms per page.
const PAGE: usize = 50;
/// Maximum handles of forms of chats.
const CHATS_MAX: usize = 200;

/// フォームの一覧を新しい順に取得。
/// en: Lists forms, the newest first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFormSubmissions {
    /// 任意。この状態のフォームだけ
    /// en: Optional. Only forms that have come so far
    status: Option<Status>,
    /// 任意。前のページの next_cursor
    /// en: Optional. next_cursor of the page before
    #[schemars(length(max = 200))]
    cursor: Option<String>,
    /// 任意。チャットの中で尋ねたフォームのうち、一覧に含めるもののハンドル。"*" はすべて
    /// en: Optional. Of the forms that chats asked, the handles of those to list as well; "*" for all
    #[serde(default)]
    #[schemars(length(max = 200))]
    in_chats: Vec<String>,
}

impl Tool for ListFormSubmissions {
    const NAME: &str = "list_form_submissions";
    const TITLE: Text = Text { ja: "フォーム一覧", en: "List forms" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const META: Option<&str> = Some(crate::tools::FOR_PAGES);
    type Output = Submissions;

    fn call(self, _: &User) -> Result<Submissions, Stop> {
        let cursor = self.cursor.as_deref().map(Cursor::read).transpose()?;
        if self.in_chats.len() > CHATS_MAX {
            return Err(invalid("/in_chats", format!("must have at most {CHATS_MAX} handles")));
        }
        let (found, more) = record::page(self.status, &self.in_chats, cursor.as_ref(), PAGE)?;
        let next_cursor = found.last().filter(|_| more).map(|it| Cursor::behind(it).written());
        Ok(Submissions { forms: found.iter().map(Record::listed).collect(), next_cursor })
    }
}

// `open_form`: everything a page needs to show a form.

/// フォームを画面に表示するための内容を取得。
/// en: Gets all that a page needs to show a form.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenForm {
    /// フォームのハンドル
    /// en: The form's handle
    #[schemars(length(max = 200))]
    handle: String,
}

impl Tool for OpenForm {
    const NAME: &str = "open_form";
    const TITLE: Text = Text { ja: "フォームを開く", en: "Open a form" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const META: Option<&str> = Some(crate::tools::FOR_PAGES);
    type Output = output::form::OpenForm;

    fn call(self, _: &User) -> Result<output::form::OpenForm, Stop> {
        Ok(record::find(&self.handle)?.open())
    }
}
