//! `save_form_draft`: what was typed so far, kept until the form is answered.

use output::form::{Drafted, Values};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use super::{bounded, labels_of};
use crate::{clock, record, store, store::Filled};

/// 入力途中の内容を下書きとして保存。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveFormDraft {
    /// フォームのハンドル
    #[schemars(length(max = 200))]
    handle: String,
    /// 入力途中の値。検証はしない。パスワードのような項目は保存しない
    values: Values,
    /// 任意。検索で選んだ値の表示名
    labels: Option<Values>,
    /// 任意。元になった下書きの番号。より新しい下書きがあれば保存せずに知らせる
    revision: Option<u32>,
}

impl Tool for SaveFormDraft {
    const NAME: &str = "save_form_draft";
    const TITLE: Text = Text { ja: "フォーム下書き保存", en: "Save a form's draft" };
    const ENGLISH: English = English {
        description: "Keeps what was typed into a form so far.",
        arguments: &[
            ("handle", "The form's handle"),
            ("values", "What is typed so far, unchecked; what looks like a password is not kept"),
            ("labels", "Optional. What people read of values that came from look-ups"),
            (
                "revision",
                "Optional. The number of the draft that this one follows: where a newer one is \
                 there, nothing is saved and the newer one is told",
            ),
        ],
    };
    const HINTS: Hints = Hints::ADDITIVE;
    const META: Option<&str> = Some(super::FOR_PAGES);
    type Output = Drafted;

    fn call(self, _: &User) -> Result<Drafted, Stop> {
        bounded("/values", &self.values)?;
        let form = record::find(&self.handle)?.form()?;
        let labels = labels_of(&form, self.labels);
        bounded("/labels", &labels)?;
        let filled = Filled { values: store::kept(&form, self.values), labels };
        let saved = store::draft(&self.handle, &form, &filled, self.revision)?;
        let saved_at = clock::written(saved.drafted_at.unwrap_or_default());
        Ok(Drafted { revision: saved.revision, saved_at })
    }
}
