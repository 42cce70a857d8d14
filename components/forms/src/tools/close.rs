//! `close_form`: a form is cancelled or declined, which is an answer too; or taken up again.

use output::form::{Status, Submission};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use crate::{record, states, store, store::Filled};

/// フォームをキャンセル・辞退する。10分以内で依頼元がまだ結果を読んでいなければ再開もできる。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseForm {
    /// フォームのハンドル
    #[schemars(length(max = 200))]
    handle: String,
    /// cancel: 入力せずに閉じる。decline: 回答を辞退する。reopen: 閉じたフォームを再開する
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
    const ENGLISH: English = English {
        description: "Cancels or declines a form, or takes it up again: within ten minutes, unless \
                      whoever asked has read that it was closed.",
        arguments: &[
            ("handle", "The form's handle"),
            ("action", "cancel: close it unanswered. decline: refuse to answer. reopen: undo that"),
        ],
    };
    const HINTS: Hints = Hints::DESTRUCTIVE;
    const META: Option<&str> = Some(super::FOR_PAGES);
    type Output = Submission;

    fn call(self, _: &User) -> Result<Submission, Stop> {
        let status = match self.action {
            Action::Cancel => Status::Cancelled,
            Action::Decline => Status::Declined,
            Action::Reopen => return Ok(store::reopen(&self.handle)?.submission()),
        };
        let found = record::find(&self.handle)?;
        // The same again changes nothing: an answer that got lost on its way is asked for anew.
        if found.status == status {
            return Ok(found.submission());
        }
        if found.status != Status::Waiting {
            return Err(states::already_answered(&found));
        }
        let form = found.form()?;
        Ok(store::answer(&self.handle, &form, status, &Filled::default())?.submission())
    }
}
