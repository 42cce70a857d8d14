//! `import_messages`: lines of `chat.jsonl` that were written elsewhere (CONV-6, CONV-X22).

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid};

use super::super::FOR_PAGES;
use crate::{
    imports::{self, Imported},
    person, visibility,
};

/// Lines of one call.
const LINES_MAX: usize = 200;

/// chat.jsonlの行を取り込みます。同じIDのメッセージは一度だけ取り込まれます。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportMessages {
    /// chat.jsonlの行（JSON、最大200行）
    lines: Vec<String>,
    /// 任意。プロジェクトID。省略時は両方のエージェントがいるプロジェクト
    #[schemars(length(max = 64))]
    project_id: Option<String>,
}

impl Tool for ImportMessages {
    const NAME: &str = "import_messages";
    const TITLE: Text = Text { ja: "メッセージの取り込み", en: "Import messages" };
    const ENGLISH: English = English {
        description: "Takes in lines of chat.jsonl. A message that is there already is not taken \
                      again.",
        arguments: &[
            ("lines", "Lines of chat.jsonl, each a JSON object; at most 200"),
            ("project_id", "Optional. The project; the one that both agents are in unless told"),
        ],
    };
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::IDEMPOTENT;
    type Output = Imported;

    fn call(self, _: &User) -> Result<Imported, Stop> {
        let person = person::must_be_operator(Self::NAME)?;
        if self.lines.len() > LINES_MAX {
            return Err(invalid("/lines", format!("must be at most {LINES_MAX} lines")));
        }
        let project_id = self.project_id.filter(|it| !it.is_empty());
        if let Some(project_id) = &project_id {
            visibility::must_see_project(&person, project_id)?;
        }
        imports::import(&self.lines, project_id.as_deref())
    }
}
