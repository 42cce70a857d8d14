//! `list_conversations`: what agents talk about, newest first.

use output::conversations::{Conversations, State};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid};

use super::calling;
use crate::listing::{self, Filter};

/// Letters that a query may have.
const QUERY_MAX: usize = 200;

/// AIエージェント間の会話を新しい順に一覧します。状態・エージェント・プロジェクト・内容で絞り込めます。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListConversations {
    /// 任意。このプロジェクトの会話だけ
    #[schemars(length(max = 64))]
    project_id: Option<String>,
    /// 任意。この状態の会話だけ
    state: Option<State>,
    /// 任意。このエージェントが参加する会話だけ
    #[schemars(length(max = 64))]
    agent_id: Option<String>,
    /// 任意。目的かメッセージにこの語をすべて含む会話だけ
    #[schemars(length(max = 200))]
    query: Option<String>,
    /// 任意。前のページの next_cursor
    #[schemars(length(max = 200))]
    cursor: Option<String>,
}

impl Tool for ListConversations {
    const NAME: &str = "list_conversations";
    const TITLE: Text = Text { ja: "会話一覧", en: "List conversations" };
    const ENGLISH: English = English {
        description: "Lists conversations between AI agents, the newest first.",
        arguments: &[
            ("project_id", "Optional. Only those of this project"),
            ("state", "Optional. Only those that have come so far"),
            ("agent_id", "Optional. Only those that this agent takes part in"),
            ("query", "Optional. Only those with all of these words in purpose or messages"),
            ("cursor", "Optional. next_cursor of the page before"),
        ],
    };
    const LABELS: &[(&str, Text)] = &[
        ("agent_id", Text { ja: "参加するエージェントのID", en: "Agent ID" }),
        ("query", Text { ja: "検索する語", en: "Words" }),
        ("cursor", Text { ja: "続きの位置", en: "Cursor" }),
    ];
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&'static str> = Some("conversations");
    type Output = Conversations;

    fn call(self, _: &User) -> Result<Conversations, Stop> {
        let person = calling(Self::NAME)?;
        let Self { project_id, state, agent_id, query, cursor } = self;
        if query.as_deref().is_some_and(|it| it.chars().nth(QUERY_MAX).is_some()) {
            return Err(invalid("/query", format!("must have at most {QUERY_MAX} characters")));
        }
        let filled = |it: Option<String>| it.filter(|it| !it.is_empty());
        let filter =
            Filter { project_id: filled(project_id), state, agent_id: filled(agent_id), query };
        listing::page(&person, &filter, filled(cursor).as_deref())
    }
}
