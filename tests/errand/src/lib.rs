//! A component that calls other components' tools, correctly and in all forbidden ways.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolkit::{
    English, Hints, Stop, Text, Tool, User,
    calls::{self, Outcome, Request},
    routes::{Answer, Request as Asked, Route},
};

toolkit::export_tools!(RunErrand, TryErrands, ListErrands, KeepNote);
toolkit::export_routes!(routes);
toolkit::export_schedule!(by_itself);

/// 頼まれたツールを呼び、その結果を返す。許可が要るときは待つ。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunErrand {
    /// 呼び出し
    calls: Vec<Errand>,
}

/// One call of a tool.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Errand {
    /// ツール
    tool: String,
    /// 引数
    arguments: Map<String, Value>,
    /// 理由
    #[serde(default)]
    reason: String,
}

impl Errand {
    fn request(&self) -> Request {
        Request::of(&self.tool, Value::Object(self.arguments.clone())).because(&self.reason)
    }
}

/// The outputs of the tools.
#[derive(Serialize, JsonSchema)]
struct Outputs {
    outputs: Vec<Value>,
}

impl Tool for RunErrand {
    const NAME: &str = "run_errand";
    const TITLE: Text = Text { ja: "使い", en: "Run an errand" };
    const ENGLISH: English = English {
        description: "Calls the tools and returns what they put out; waits for leave where it is needed.",
        arguments: &[
            ("calls", "The calls"),
            ("calls.tool", "The tool"),
            ("calls.arguments", "Its arguments"),
            ("calls.reason", "Why"),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Outputs;

    fn call(self, _: &User) -> Result<Outputs, Stop> {
        let requests: Vec<_> = self.calls.iter().map(Errand::request).collect();
        Ok(Outputs { outputs: calls::all(&requests)? })
    }
}

/// 呼び出しを試し、何が起きたかをそのまま返す。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TryErrands {
    /// 呼び出し
    #[serde(default)]
    calls: Vec<Errand>,
    /// 見る許可の番号
    #[serde(default)]
    held: Vec<String>,
}

impl Tool for TryErrands {
    const NAME: &str = "try_errands";
    const TITLE: Text = Text { ja: "試す", en: "Try errands" };
    const ENGLISH: English = English {
        description: "Tries calls and tells what came of each.",
        arguments: &[
            ("calls", "The calls"),
            ("calls.tool", "The tool"),
            ("calls.arguments", "Its arguments"),
            ("calls.reason", "Why"),
            ("held", "Approvals to look at"),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Outputs;

    fn call(self, _: &User) -> Result<Outputs, Stop> {
        Ok(Outputs { outputs: tried(&self.calls, &self.held) })
    }
}

/// 呼べるツールを並べる。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListErrands {}

impl Tool for ListErrands {
    const NAME: &str = "list_errands";
    const TITLE: Text = Text { ja: "使いの一覧", en: "List errands" };
    const ENGLISH: English =
        English { description: "Lists the tools that can be called.", arguments: &[] };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Outputs;

    fn call(self, _: &User) -> Result<Outputs, Stop> {
        let shown = |offer: calls::Offer| {
            json!({
                "name": offer.name, "owner": offer.owner, "asks_first": offer.asks_first,
                "read_only": offer.read_only,
            })
        };
        Ok(Outputs { outputs: calls::offers().into_iter().map(shown).collect() })
    }
}

/// メモを残す。自分のツールを呼ぶときのためのもの。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeepNote {
    /// メモ
    text: String,
}

impl Tool for KeepNote {
    const NAME: &str = "keep_note";
    const TITLE: Text = Text { ja: "メモ", en: "Keep a note" };
    const ENGLISH: English =
        English { description: "Keeps a note.", arguments: &[("text", "The note")] };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Outputs;

    fn call(self, _: &User) -> Result<Outputs, Stop> {
        Ok(Outputs { outputs: vec![self.text.into()] })
    }
}

fn routes() -> Vec<Route> {
    vec![Route::post("tries", tries)]
}

fn tries(request: &Asked) -> Result<Answer, Stop> {
    let asked = Value::Object(request.object()?);
    let asked: TryErrands = serde_json::from_value(asked)
        .map_err(|error| toolkit::refused("invalid_params", 400, error.to_string()))?;
    Ok(Answer::ok(&json!({ "outputs": tried(&asked.calls, &asked.held) })))
}

fn tried(calls: &[Errand], held: &[String]) -> Vec<Value> {
    let requests: Vec<_> = calls.iter().map(Errand::request).collect();
    let mut outcomes = calls::call(&requests);
    outcomes.extend(calls::held(held));
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let shown = |outcome| match outcome {
        Outcome::Done(it) => json!({ "done": json(&it) }),
        Outcome::Held(id) => json!({ "held": id }),
        Outcome::Failed(it) => json!({ "failed": json(&it) }),
    };
    outcomes.into_iter().map(shown).collect()
}

/// Calls tools from the schedule, without a caller.
fn by_itself() -> Result<(), String> {
    let offers = calls::offers().len();
    let request = Request::of("echo", json!({ "value": {} }));
    match calls::call(&[request]).pop() {
        Some(Outcome::Failed(failure)) => Err(format!("{offers} offers; {failure}")),
        _ => Err("a call was made without a caller".to_owned()),
    }
}
