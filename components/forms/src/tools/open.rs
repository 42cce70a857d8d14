//! `open_form`: a form with all that a page needs to show it.

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use crate::record;

/// フォームを画面に表示するための内容を取得。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenForm {
    /// フォームのハンドル
    #[schemars(length(max = 200))]
    handle: String,
}

impl Tool for OpenForm {
    const NAME: &str = "open_form";
    const TITLE: Text = Text { ja: "フォームを開く", en: "Open a form" };
    const ENGLISH: English = English {
        description: "Gets all that a page needs to show a form.",
        arguments: &[("handle", "The form's handle")],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const META: Option<&str> = Some(super::FOR_PAGES);
    type Output = output::form::OpenForm;

    fn call(self, _: &User) -> Result<output::form::OpenForm, Stop> {
        Ok(record::find(&self.handle)?.open())
    }
}
