//! `submit_form`: a form is answered, once, with what passes the same check as in the page.

use output::form::{Fault, Form, Status, Submission, Values};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use super::{bounded, labels_of};
use crate::{clock, files, options, record, refusals, states, store, store::Filled};

/// フォームの回答を送信。一度だけ送信でき、サーバー側でも検証される。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitForm {
    /// フォームのハンドル
    #[schemars(length(max = 200))]
    handle: String,
    /// 入力値。キーはフィールドの name
    values: Values,
    /// 任意。検索で選んだ値の表示名。キーはフィールドの name、値は {"value", "label"} の配列
    labels: Option<Values>,
    /// 任意。入力者の今日の日付（YYYY-MM-DD）
    #[schemars(length(max = 10))]
    today: Option<String>,
}

impl Tool for SubmitForm {
    const NAME: &str = "submit_form";
    const TITLE: Text = Text { ja: "フォーム送信", en: "Submit a form" };
    const ENGLISH: English = English {
        description: "Answers a form: once, and checked by the server as well.",
        arguments: &[
            ("handle", "The form's handle"),
            ("values", "What is filled in, by the fields' names"),
            (
                "labels",
                "Optional. What people read of values that came from look-ups: by the fields' names, \
                 lists of {\"value\", \"label\"}",
            ),
            ("today", "Optional. What day it is for whoever fills in: YYYY-MM-DD"),
        ],
    };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Submission;

    fn call(self, _: &User) -> Result<Submission, Stop> {
        let Self { handle, values, labels, today } = self;
        let today = clock::today(today.as_deref())?;
        bounded("/values", &values)?;
        let found = record::find(&handle)?;
        if found.status != Status::Waiting {
            return Err(states::already_answered(&found));
        }
        let form = found.form()?;
        let labels = labels_of(&form, labels);
        bounded("/labels", &labels)?;
        let values = check(&form, &values, today)?.map_err(|it| refusals::faults(&it))?;
        let filled = Filled { values, labels };
        Ok(store::answer(&handle, &form, Status::Submitted, &filled)?.submission())
    }
}

/// What would be taken, or all that is wrong: the form's own check, the options that are known here, and
/// a look at each file.
///
/// # Errors
/// When the store of files cannot be asked.
pub(super) fn check(
    form: &Form,
    values: &Values,
    today: output::form::Today,
) -> Result<Result<Values, Vec<Fault>>, Stop> {
    let mut checked = match form.check(values, today) {
        Ok(checked) => checked,
        Err(faults) => return Ok(Err(faults)),
    };
    let mut faults = options::check(form, &checked);
    faults.extend(files::check(form, &mut checked)?);
    Ok(if faults.is_empty() { Ok(checked) } else { Err(faults) })
}
