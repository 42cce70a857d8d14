//! `list_form_submissions`: what was asked for and what came of it, for the operator.

use output::form::{Status, Submissions};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use crate::{
    listing::{self, Cursor},
    record::Record,
};

/// Forms on one page.
const PAGE: usize = 50;

/// フォームの一覧を新しい順に取得。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFormSubmissions {
    /// 任意。この状態のフォームだけ
    status: Option<Status>,
    /// 任意。前のページの next_cursor
    #[schemars(length(max = 200))]
    cursor: Option<String>,
}

impl Tool for ListFormSubmissions {
    const NAME: &str = "list_form_submissions";
    const TITLE: Text = Text { ja: "フォーム一覧", en: "List forms" };
    const ENGLISH: English = English {
        description: "Lists forms, the newest first.",
        arguments: &[
            ("status", "Optional. Only forms that have come so far"),
            ("cursor", "Optional. next_cursor of the page before"),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const META: Option<&str> = Some(super::FOR_PAGES);
    type Output = Submissions;

    fn call(self, _: &User) -> Result<Submissions, Stop> {
        let cursor = self.cursor.as_deref().map(Cursor::read).transpose()?;
        let (found, more) = listing::page(self.status, cursor.as_ref(), PAGE)?;
        let next_cursor = found.last().filter(|_| more).map(|it| Cursor::behind(it).written());
        Ok(Submissions { forms: found.iter().map(Record::listed).collect(), next_cursor })
    }
}
