//! What went wrong, in the specified shape and words (ILL-41, ILL-42).

use axum::{
    extract::rejection::BytesRejection,
    response::{IntoResponse, Response},
};
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    api::refused,
    assistant::{Language, Trouble, Undecided, Why},
    failure::Failure,
};

/// `{error, details}`, with the status that belongs to it.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    error: String,
    details: String,
    retry_after_s: Option<u64>,
    /// What the caller would need.
    scope: Option<String>,
}

impl Refusal {
    fn new(status: StatusCode, error: impl Into<String>, details: impl Into<String>) -> Self {
        let (error, details) = (error.into(), details.into());
        Self { status, error, details, retry_after_s: None, scope: None }
    }

    /// There is nothing that the person says.
    pub(super) fn no_message(details: impl Into<String>, language: Language) -> Self {
        let error = language.pick("message は必須のフィールドです", "message is required");
        Self::new(StatusCode::BAD_REQUEST, error, details)
    }

    /// The body is not as it must be; `details` say where, and what to mend.
    pub(super) fn invalid(details: impl Into<String>, language: Language) -> Self {
        let error = language
            .pick("リクエストボディの解析に失敗しました", "The request's body could not be read");
        Self::new(StatusCode::BAD_REQUEST, error, details)
    }

    /// The body did not arrive, or is too long.
    pub(super) fn unread(rejection: &BytesRejection, most: usize, language: Language) -> Self {
        let status = rejection.status();
        if status != StatusCode::PAYLOAD_TOO_LARGE {
            let details = language
                .pick("本文を最後まで受信できませんでした", "The body did not arrive to its end");
            return Self { status, ..Self::invalid(details, language) };
        }
        let details = language.pick(
            format!("本文は{most}バイトまでです。画像を減らすか、turnで会話を続けてください"),
            format!("A body may have {most} bytes; send fewer pictures, or go on by turn"),
        );
        let error = language.pick("リクエストが大きすぎます", "The request is too large");
        Self::new(status, error, details)
    }

    /// The gateway is closed to whoever sent it (ILL-44).
    pub(super) fn closed(language: Language) -> Self {
        let error = language.pick("認証が必要です", "A password is needed");
        let details = language.pick(
            "POST /api/auth にパスワードを送ってください",
            "Send the password to POST /api/auth",
        );
        Self::new(StatusCode::UNAUTHORIZED, error, details)
    }

    /// The turn to go on from is not there, for this caller.
    pub(super) fn gone(language: Language) -> Self {
        let error = language.pick(
            "会話の続きが見つかりません。もう一度送信してください。",
            "There is nothing to go on from; send the message again.",
        );
        let details = language.pick(
            "このturnは残っていないか、別の利用者のものです。historyを添えてmessageを送れば続けられます",
            "This turn is no longer kept, or is somebody else's; send the message with its history",
        );
        Self::new(StatusCode::NOT_FOUND, error, details)
    }

    /// The turn that waits cannot be kept, so that nobody could answer it.
    pub(super) fn unkept(details: String, language: Language) -> Self {
        let error = language.pick("会話を保存できませんでした", "The conversation cannot be kept");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error, details)
    }

    /// A run had no end. `makes_pictures`, whether it was asked for one.
    pub(super) fn of(trouble: Trouble, makes_pictures: bool, language: Language) -> Self {
        match trouble {
            Trouble::Undecided(it) => Self::of_undecided(it, makes_pictures, language),
            Trouble::Tool(failure) => Self::of_tool(failure),
            Trouble::NoTools(tool) => {
                let error = language
                    .pick("MCPサーバーが設定されていません。", "No MCP server is configured.");
                let details = language.pick(
                    format!("{tool}を提供するコンポーネントもサーバーもありません。/api/healthで確認できます"),
                    format!("No component and no server offers {tool}; /api/health says what there is"),
                );
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, error, details)
            }
        }
    }

    /// Whoever decides did not (ILL-42).
    pub(super) fn of_undecided(it: Undecided, makes_pictures: bool, language: Language) -> Self {
        let (status, japanese, english) = match it.why {
            Why::Key => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "サーバー設定エラー。管理者にお問い合わせください。",
                "The server is not set up rightly; ask its operator.",
            ),
            Why::Missing => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "設定されているモデルが見つかりません。管理者にお問い合わせください。",
                "The model that is set up is not there; ask the operator.",
            ),
            Why::TooLong => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "会話が長くなりすぎて、モデルが受け付けません。新しい会話を始めてください。",
                "The conversation has become too long for the model; begin a new one.",
            ),
            Why::Refused => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "モデルの提供元がこのリクエストを受け付けませんでした。同じ内容を送り直しても変わりません。内容や画像を変えるか、新しい会話を始めてください。",
                "The model's provider does not accept this request, and would not accept it again; change its words or pictures, or begin a new conversation.",
            ),
            Why::RateLimited => (
                StatusCode::TOO_MANY_REQUESTS,
                "リクエストが多すぎます。しばらくしてからお試しください。",
                "Too many requests; try again in a while.",
            ),
            Why::Blocked => (
                StatusCode::BAD_REQUEST,
                "コンテンツポリシーにより生成がブロックされました。プロンプトを変更してお試しください。",
                "The content policy does not allow it; try other words.",
            ),
            Why::Slow => (
                StatusCode::GATEWAY_TIMEOUT,
                "リクエストがタイムアウトしました。再度お試しください。",
                "It took too long; try again.",
            ),
            Why::NoPictures => (
                StatusCode::BAD_REQUEST,
                "このモデルは画像生成に対応していません。別のモデルをお試しください。",
                "This model cannot make pictures; try another one.",
            ),
            Why::Failed if makes_pictures => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "画像生成に失敗しました。しばらくしてからお試しください。",
                "The picture could not be made; try again in a while.",
            ),
            Why::Failed => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "応答の生成に失敗しました。しばらくしてからお試しください。",
                "There is no answer; try again in a while.",
            ),
        };
        let refusal = Self::new(status, language.pick(japanese, english), it.details);
        Self { retry_after_s: it.retry_after_s, ..refusal }
    }

    fn of_tool(failure: Failure) -> Self {
        let status = StatusCode::from_u16(failure.status).ok();
        let status = status.filter(|it| it.is_client_error() || it.is_server_error());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let scope = failure.data.get("scope").and_then(Value::as_str).map(str::to_owned);
        let scope = scope.filter(|_| failure.error == "insufficient_scope");
        Self { scope, ..Self::new(status, failure.message, failure.error) }
    }

    /// What the person reads.
    pub(super) fn error(&self) -> &str {
        &self.error
    }

    /// The reason, for the operator.
    pub(super) fn details(&self) -> &str {
        &self.details
    }

    fn body(&self) -> Value {
        json!({ "error": self.error, "details": self.details })
    }

    /// The same as the data of an event: what HTTP would say in its status and headers beside it.
    pub(super) fn event(&self) -> Value {
        refused::event(self.status, self.body(), self.retry_after_s)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        refused::response(self.status, self.body(), self.retry_after_s, self.scope.as_deref())
    }
}
