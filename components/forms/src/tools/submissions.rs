//! Answers: `submit_form`, `validate_form_submission`, `save_form_draft` and `close_form`; and reading them:
//! `get_form_submission`, `list_form_submissions` and `open_form`.

use output::form::{
    Drafted, Fault, Form, Outcome, Status, Submission, Submissions, Values, Wrongness,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use toolkit::{Content, Hints, Problem, Stop, Text, Tool, User, invalid};

use super::{bounded, labels_of, request::definition};
use crate::{
    clock, delivery, files, lookup,
    record::{self, Cursor, Record},
    refusals,
    store::{self, Filled},
};

// `submit_form`: answers a form once, after the same validation as on the page.

/// フォームの回答を送信。一度だけ送信でき、サーバー側でも検証される。
/// en: Answers a form: once, and checked by the server as well.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitForm {
    /// フォームのハンドル
    /// en: The form's handle
    #[schemars(length(max = 200))]
    handle: String,
    /// 入力値。キーはフィールドの name
    /// en: What is filled in, by the fields' names
    values: Values,
    /// 任意。検索で選んだ値の表示名。キーはフィールドの name、値は {"value", "label"} の配列
    /// en: Optional. What people read of values that came from look-ups: by the fields' names, lists of {"value",
    /// "label"}
    labels: Option<Values>,
    /// 任意。入力者の今日の日付（YYYY-MM-DD）
    /// en: Optional. What day it is for whoever fills in: YYYY-MM-DD
    #[schemars(length(max = 10))]
    today: Option<String>,
}

impl Tool for SubmitForm {
    const NAME: &str = "submit_form";
    const TITLE: Text = Text { ja: "フォーム送信", en: "Submit a form" };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Submission;

    fn call(self, _: &User) -> Result<Submission, Stop> {
        let Self { handle, values, labels, today } = self;
        let today = clock::today(today.as_deref())?;
        bounded("/values", &values)?;
        let found = record::find(&handle)?;
        if found.status != Status::Waiting {
            return Err(record::already_answered(&found));
        }
        let form = found.form()?;
        let labels = labels_of(&form, labels);
        bounded("/labels", &labels)?;
        let values = check(&form, &values, today)?.map_err(|it| refusals::faults(&it))?;
        let filled = Filled { values, labels };
        Ok(store::answer(&handle, &form, Status::Submitted, &filled)?.submission())
    }
}

/// Validates values by the form, by known options, and by the files' store.
///
/// # Errors
/// If the store is unavailable.
pub(super) fn check(
    form: &Form,
    values: &Values,
    today: output::form::Today,
) -> Result<Result<Values, Vec<Fault>>, Stop> {
    let mut checked = match form.check(values, today) {
        Ok(checked) => checked,
        Err(faults) => return Ok(Err(faults)),
    };
    let mut faults = lookup::unknown_options(form, &checked);
    faults.extend(files::check(form, &mut checked)?);
    Ok(if faults.is_empty() { Ok(checked) } else { Err(faults) })
}

// `validate_form_submission`: validates values without sending them (FORM-10).

/// 入力値がフォームの条件を満たすかを検証する。送信はしない。form_schema と handle のどちらか一方を指定する。
/// en: Says whether values would be taken by a form, without sending them. The form is given by its definition or by
/// its handle.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidateFormSubmission {
    /// フォーム定義（request_form と同じ）
    /// en: The form's definition, as for request_form
    form_schema: Option<Value>,
    /// フォームのハンドル
    /// en: The form's handle
    #[schemars(length(max = 200))]
    handle: Option<String>,
    /// 入力値。キーはフィールドの name
    /// en: What is filled in, by the fields' names
    values: Values,
    /// 任意。入力者の今日の日付（YYYY-MM-DD）
    /// en: Optional. What day it is for whoever fills in: YYYY-MM-DD
    #[schemars(length(max = 10))]
    today: Option<String>,
}

impl Tool for ValidateFormSubmission {
    const NAME: &str = "validate_form_submission";
    const TITLE: Text = Text { ja: "フォーム入力検証", en: "Check what is filled in" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    type Output = Outcome;

    fn call(self, _: &User) -> Result<Outcome, Stop> {
        let today = clock::today(self.today.as_deref())?;
        bounded("/values", &self.values)?;
        let form = match (self.form_schema, self.handle) {
            (Some(schema), None) => Form::read(&definition(Some(schema)))
                .map_err(|it| refusals::invalid_form_schema(&it))?,
            (None, Some(handle)) => record::find(&handle)?.form()?,
            _ => {
                let message = "must be given, or else handle; not both";
                return Err(Stop::InvalidArguments(vec![Problem::at("/form_schema", message)]));
            }
        };
        let language = refusals::language();
        Ok(match check(&form, &self.values, today)? {
            Ok(values) => Outcome { valid: true, errors: Vec::new(), values: Some(values) },
            Err(faults) => {
                let wrong = |fault: &Fault| Wrongness {
                    field: fault.field.clone(),
                    message: fault.message(language),
                };
                Outcome { valid: false, errors: faults.iter().map(wrong).collect(), values: None }
            }
        })
    }
}

// `save_form_draft`: stores input until the form is answered.

/// 入力途中の内容を下書きとして保存。
/// en: Keeps what was typed into a form so far.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveFormDraft {
    /// フォームのハンドル
    /// en: The form's handle
    #[schemars(length(max = 200))]
    handle: String,
    /// 入力途中の値。検証はしない。パスワードのような項目は保存しない
    /// en: What is typed so far, unchecked; what looks like a password is not kept
    values: Values,
    /// 任意。検索で選んだ値の表示名
    /// en: Optional. What people read of values that came from look-ups
    labels: Option<Values>,
    /// 任意。元になった下書きの番号。より新しい下書きがあれば保存せずに知らせる
    /// en: Optional. The number of the draft that this one follows: where a newer one is there, nothing is saved and
    /// the newer one is told
    revision: Option<u32>,
}

impl Tool for SaveFormDraft {
    const NAME: &str = "save_form_draft";
    const TITLE: Text = Text { ja: "フォーム下書き保存", en: "Save a form's draft" };
    const HINTS: Hints = Hints::ADDITIVE;
    const META: Option<&str> = Some(crate::tools::FOR_PAGES);
    type Output = Drafted;

    fn call(self, _: &User) -> Result<Drafted, Stop> {
        bounded("/values", &self.values)?;
        let form = record::find(&self.handle)?.form()?;
        let labels = labels_of(&form, self.labels);
        bounded("/labels", &labels)?;
        let filled = Filled { values: store::draft_values(&form, self.values), labels };
        let saved = store::draft(&self.handle, &form, &filled, self.revision)?;
        let saved_at = clock::written(saved.drafted_at.unwrap_or_default());
        Ok(Drafted { revision: saved.revision, saved_at })
    }
}

// `close_form`: cancels, declines or reopens a form.

/// フォームをキャンセル・辞退する。10分以内で依頼元がまだ結果を読んでいなければ再開もできる。
/// en: Cancels or declines a form, or takes it up again: within ten minutes, unless whoever asked has read that it was
/// closed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseForm {
    /// フォームのハンドル
    /// en: The form's handle
    #[schemars(length(max = 200))]
    handle: String,
    /// cancel: 入力せずに閉じる。decline: 回答を辞退する。reopen: 閉じたフォームを再開する
    /// en: cancel: close it unanswered. decline: refuse to answer. reopen: undo that
    action: Action,
}

/// What is done with the form.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Cancel,
    Decline,
    Reopen,
}

impl Tool for CloseForm {
    const NAME: &str = "close_form";
    const TITLE: Text = Text { ja: "フォームを閉じる", en: "Close a form" };
    const HINTS: Hints = Hints::DESTRUCTIVE;
    const META: Option<&str> = Some(crate::tools::FOR_PAGES);
    type Output = Submission;

    fn call(self, _: &User) -> Result<Submission, Stop> {
        let status = match self.action {
            Action::Cancel => Status::Cancelled,
            Action::Decline => Status::Declined,
            Action::Reopen => return Ok(store::reopen(&self.handle)?.submission()),
        };
        let found = record::find(&self.handle)?;
        // Idempotent, for callers that lost the result.
        if found.status == status {
            return Ok(found.submission());
        }
        if found.status != Status::Waiting {
            return Err(record::already_answered(&found));
        }
        let form = found.form()?;
        Ok(store::answer(&self.handle, &form, status, &Filled::default())?.submission())
    }
}

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
