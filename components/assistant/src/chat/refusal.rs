//! Errors with the specified shape and texts (ILL-41, ILL-42).

use serde_json::{Value, json};
use toolkit::{log, routes::Answer, sql};

use crate::{ErrorKind, Failure, Language, ModelError, RunError};

/// `{error, details}` with its HTTP status.
#[derive(Debug)]
pub(super) struct Refusal {
    status: u16,
    error: String,
    details: String,
    retry_after_s: Option<u64>,
    /// Scope that the caller lacks.
    scope: Option<String>,
}

impl Refusal {
    fn new(status: u16, error: impl Into<String>, details: impl Into<String>) -> Self {
        let (error, details) = (error.into(), details.into());
        Self { status, error, details, retry_after_s: None, scope: None }
    }

    /// The request has no message.
    pub(super) fn no_message(details: impl Into<String>, language: Language) -> Self {
        let error = language.pick("message は必須のフィールドです", "message is required");
        Self::new(400, error, details)
    }

    /// The body is invalid; `details` say where and how to fix it.
    pub(super) fn invalid(details: impl Into<String>, language: Language) -> Self {
        let error = language
            .pick("リクエストボディの解析に失敗しました", "The request's body could not be read");
        Self::new(400, error, details)
    }

    /// The body did not arrive.
    pub(super) fn body_unreadable(language: Language) -> Self {
        let details = language
            .pick("本文を最後まで受信できませんでした", "The body did not arrive to its end");
        Self::invalid(details, language)
    }

    /// The body is too large.
    pub(super) fn too_large(most: u32, language: Language) -> Self {
        let details = language.pick(
            format!("本文は{most}バイトまでです。画像を減らすか、turnで会話を続けてください"),
            format!("A body may have {most} bytes; send fewer pictures, or go on by turn"),
        );
        let error = language.pick("リクエストが大きすぎます", "The request is too large");
        Self::new(413, error, details)
    }

    /// `name` is an approval, which only the host accepts.
    pub(super) fn host_only(name: &str, language: Language) -> Self {
        let details = language.pick(
            format!(
                "{name}はここでは受け付けません。待っている呼び出しには POST /api/approvals/ID（waitingのapproval）で答えてから、turnだけを送ってください。信頼するツールはヘッダー Madoguchi-Trusts に書きます"
            ),
            format!(
                "{name} is not taken here: answer a call that waits at POST /api/approvals/ID (the approval of waiting), then send the turn alone. Tools that are trusted stand in the header Madoguchi-Trusts"
            ),
        );
        Self::invalid(details, language)
    }

    /// No assistant has this name; `names` lists those that exist.
    pub(super) fn no_assistant(name: &str, names: &str, language: Language) -> Self {
        let details = language.pick(
            format!("assistant {name:?} はありません。あるのは: {names}"),
            format!("There is no assistant {name:?}; there are {names}"),
        );
        Self::invalid(details, language)
    }

    /// The turn to continue from does not exist for this caller.
    pub(super) fn turn_not_found(language: Language) -> Self {
        let error = language.pick(
            "会話の続きが見つかりません。もう一度送信してください。",
            "There is nothing to go on from; send the message again.",
        );
        let details = language.pick(
            "このturnは残っていないか、別の利用者のものです。historyを添えてmessageを送れば続けられます",
            "This turn is no longer kept, or is another caller's; send the message with its history",
        );
        Self::new(404, error, details)
    }

    /// The turn to continue from cannot be read now.
    pub(super) fn turn_unreadable(why: &sql::Error, language: Language) -> Self {
        log::error(&format!("a kept conversation cannot be read now: {why:?}"));
        let error =
            language.pick("会話を読み出せませんでした", "The conversation cannot be read now");
        let details = language.pick(
            "会話は残っているはずです。少し待って、もう一度送信してください",
            "It should still be there: wait a moment and send the same again",
        );
        Self { retry_after_s: Some(1), ..Self::new(503, error, details) }
    }

    /// The pending turn cannot be saved, so that it could not be answered later.
    pub(super) fn turn_not_saved(details: String, language: Language) -> Self {
        let error = language.pick("会話を保存できませんでした", "The conversation cannot be kept");
        Self::new(500, error, details)
    }

    /// A run failed; `makes_pictures` tells whether it was to make one.
    pub(super) fn from_run_error(
        error: RunError,
        makes_pictures: bool,
        language: Language,
    ) -> Self {
        match error {
            RunError::ModelError(it) => Self::of_model_error(it, makes_pictures, language),
            RunError::Tool(failure) => Self::of_tool(*failure),
            RunError::NoTools(tool) => {
                let error = language
                    .pick("MCPサーバーが設定されていません。", "No MCP server is configured.");
                let details = language.pick(
                    format!("{tool}を提供するコンポーネントもサーバーもありません。/api/healthで確認できます"),
                    format!("No component and no server offers {tool}; /api/health says what there is"),
                );
                Self::new(500, error, details)
            }
        }
    }

    /// The model failed (ILL-42).
    pub(super) fn of_model_error(
        error: ModelError,
        makes_pictures: bool,
        language: Language,
    ) -> Self {
        let (status, japanese, english) = match error.kind {
            ErrorKind::Key => (
                500,
                "サーバー設定エラー。管理者にお問い合わせください。",
                "The server is not set up rightly; ask its operator.",
            ),
            ErrorKind::Missing => (
                500,
                "設定されているモデルが見つかりません。管理者にお問い合わせください。",
                "The model that is set up is not there; ask the operator.",
            ),
            ErrorKind::TooLong => (
                413,
                "会話が長くなりすぎて、モデルが受け付けません。新しい会話を始めてください。",
                "The conversation has become too long for the model; begin a new one.",
            ),
            ErrorKind::Refused => (
                500,
                "モデルの提供元がこのリクエストを受け付けませんでした。同じ内容を送り直しても変わりません。内容や画像を変えるか、新しい会話を始めてください。",
                "The model's provider does not accept this request, and would not accept it again; change its words or pictures, or begin a new conversation.",
            ),
            ErrorKind::RateLimited => (
                429,
                "リクエストが多すぎます。しばらくしてからお試しください。",
                "Too many requests; try again in a while.",
            ),
            ErrorKind::Blocked => (
                400,
                "コンテンツポリシーにより生成がブロックされました。プロンプトを変更してお試しください。",
                "The content policy does not allow it; try other words.",
            ),
            ErrorKind::Slow => (
                504,
                "リクエストがタイムアウトしました。再度お試しください。",
                "It took too long; try again.",
            ),
            ErrorKind::NoPictures => (
                400,
                "このモデルは画像生成に対応していません。別のモデルをお試しください。",
                "This model cannot make pictures; try another one.",
            ),
            ErrorKind::Failed if makes_pictures => (
                500,
                "画像生成に失敗しました。しばらくしてからお試しください。",
                "The picture could not be made; try again in a while.",
            ),
            ErrorKind::Failed => (
                500,
                "応答の生成に失敗しました。しばらくしてからお試しください。",
                "There is no answer; try again in a while.",
            ),
        };
        let refusal = Self::new(status, language.pick(japanese, english), error.details);
        Self { retry_after_s: error.retry_after_s, ..refusal }
    }

    fn of_tool(failure: Failure) -> Self {
        let is_right = (400..600).contains(&failure.status);
        let status = if is_right { failure.status } else { 500 };
        let scope = failure.data.get("scope").and_then(Value::as_str).map(str::to_owned);
        let scope = scope.filter(|_| failure.error == "insufficient_scope");
        Self { scope, ..Self::new(status, failure.message, failure.error) }
    }

    /// Text for the person.
    pub(super) fn error(&self) -> &str {
        &self.error
    }

    /// Details for the operator.
    pub(super) fn details(&self) -> &str {
        &self.details
    }

    fn body(&self) -> Value {
        json!({ "error": self.error, "details": self.details })
    }

    /// Event data, including what HTTP has in its status and headers.
    pub(super) fn event(&self) -> Value {
        let mut event = self.body();
        event["status"] = self.status.into();
        if let Some(seconds) = self.retry_after_s {
            event["retryAfter"] = seconds.into();
        }
        event
    }

    /// The HTTP answer.
    pub(super) fn answer(self) -> Answer {
        let retry_after_s = self.retry_after_s.map(|it| u32::try_from(it).unwrap_or(u32::MAX));
        let scope = self.scope.clone();
        Answer { retry_after_s, scope, ..Answer::of(self.status, &self.body()) }
    }
}
