//! Minimal tools, for tests and measurements of the host.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};
use toolkit::{Content, English, Hints, Stop, Text, Tool, User, caller, invalid, log, progress};

toolkit::export_tools!(Echo, Greet, GreetTwice, CountSlowly, Whoami, Announce);

/// 渡されたオブジェクトをそのまま返す。
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    /// 返すオブジェクト
    #[schemars(with = "Map<String, Value>")]
    value: Box<RawValue>,
}

impl Tool for Echo {
    const NAME: &str = "echo";
    const TITLE: Text = Text { ja: "こだま", en: "Echo" };
    const ENGLISH: English = English {
        description: "Answers with the object that it is given.",
        arguments: &[("value", "The object")],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Self;

    fn call(self, _: &User) -> Result<Self, Stop> {
        if self.value.get().starts_with('{') {
            Ok(self)
        } else {
            Err(invalid("/value", "must be an object"))
        }
    }
}

/// 名前を尋ねて挨拶する。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Greet {}

/// 名前を尋ね、確認してから挨拶する。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GreetTwice {}

/// What the user is asked for.
#[derive(Deserialize, JsonSchema)]
struct Name {
    /// お名前
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Greeting {
    greeting: String,
}

impl Tool for Greet {
    const NAME: &str = "greet";
    const TITLE: Text = Text { ja: "挨拶", en: "Greet" };
    const ENGLISH: English =
        English { description: "Asks for a name, then greets.", arguments: &[] };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Greeting;

    fn call(self, user: &User) -> Result<Greeting, Stop> {
        let Name { name } = user.ask("name", "What is your name?")?;
        Ok(Greeting { greeting: format!("Hello, {name}!") })
    }
}

impl Tool for GreetTwice {
    const NAME: &str = "greet_twice";
    const TITLE: Text = Text { ja: "確認して挨拶", en: "Greet after all" };
    const ENGLISH: English = English {
        description: "Asks for a name, asks whether it is right, then greets.",
        arguments: &[],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Greeting;

    fn call(self, user: &User) -> Result<Greeting, Stop> {
        let Name { name } = user.ask("name", "What is your name?")?;
        user.confirm(&format!("Are you {name}?"))?;
        Ok(Greeting { greeting: format!("Hello, {name}!") })
    }
}

/// ゆっくり数え、進み具合を知らせる。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CountSlowly {
    /// いくつまで数えるか（1〜20000）
    #[schemars(range(min = 1, max = 20000))]
    steps: u32,
}

#[derive(Serialize, JsonSchema)]
struct Counted {
    counted: u32,
}

/// Iterations of an empty loop per step: about a third of a millisecond.
const TURNS_A_STEP: u32 = 1_000_000;

impl Tool for CountSlowly {
    const NAME: &str = "count_slowly";
    const TITLE: Text = Text { ja: "ゆっくり数える", en: "Count slowly" };
    const ENGLISH: English = English {
        description: "Counts slowly and tells how far it is.",
        arguments: &[("steps", "How far to count (1 to 20000)")],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Counted;

    fn call(self, _: &User) -> Result<Counted, Stop> {
        if !(1..=20_000).contains(&self.steps) {
            return Err(invalid("/steps", "must be from 1 to 20000"));
        }
        for step in 1..=self.steps {
            for turn in 0..TURNS_A_STEP {
                std::hint::black_box(turn);
            }
            progress::report(step, Some(self.steps.into()), Some("counting"));
        }
        log::info("counted");
        Ok(Counted { counted: self.steps })
    }
}

/// 呼び出した人について分かることを返す。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Whoami {}

#[derive(Serialize, JsonSchema)]
struct Caller {
    principal: String,
    scopes: Vec<String>,
    locale: Option<String>,
    client_capabilities: Value,
}

impl Tool for Whoami {
    const NAME: &str = "whoami";
    const TITLE: Text = Text { ja: "私は誰", en: "Who am I" };
    const ENGLISH: English =
        English { description: "Tells what is known of the caller.", arguments: &[] };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Caller;

    fn call(self, _: &User) -> Result<Caller, Stop> {
        Ok(Caller {
            principal: caller::principal(),
            scopes: caller::scopes(),
            locale: caller::locale(),
            client_capabilities: caller::client_capabilities(),
        })
    }
}

/// 言葉を添えて返す。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Announce {
    /// 添える言葉
    words: Vec<String>,
    /// 最初の言葉の重さ（0〜1）
    priority: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct Announced {
    announced: usize,
}

impl Tool for Announce {
    const NAME: &str = "announce";
    const TITLE: Text = Text { ja: "知らせる", en: "Announce" };
    const ENGLISH: English = English {
        description: "Answers with words beside its output.",
        arguments: &[("words", "The words"), ("priority", "The first ones' priority (0 to 1)")],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Announced;

    fn call(self, user: &User) -> Result<Announced, Stop> {
        for (at, words) in self.words.iter().enumerate() {
            let content = Content::text(words);
            user.show_content(match self.priority.filter(|_| at == 0) {
                Some(priority) => content.annotated(serde_json::json!({ "priority": priority })),
                None => content,
            });
        }
        Ok(Announced { announced: self.words.len() })
    }
}
