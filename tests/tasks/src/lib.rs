//! Tools whose calls are tasks, in all supported ways, with the names of the official conformance suite.

use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, question::together, refused};

toolkit::export_tools!(
    Greet,
    SlowCompute,
    FailingJob,
    ProtocolErrorJob,
    ConfirmDelete,
    MultiInput,
    ToolWithTask,
);

/// The suite reads English.
const fn english() -> English {
    English { description: "A fixture of the conformance suite.", arguments: &[] }
}

/// A form with a name.
#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// A form with a yes or a no.
#[derive(Deserialize, JsonSchema)]
struct Confirm {
    confirm: bool,
}

/// Waits without an instance until `seconds` after the call began.
fn sleep(user: &User, seconds: f64) -> Result<(), Stop> {
    let until = user.first_called_at() + Duration::from_secs_f64(seconds);
    match SystemTime::now() < until {
        true => Err(Stop::wait(Vec::<String>::new(), until)),
        false => Ok(()),
    }
}

/// Greets at once.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Greet {
    /// Whom
    name: String,
}

impl Tool for Greet {
    const NAME: &str = "greet";
    const TITLE: Text = Text { ja: "挨拶", en: "Greet" };
    const ENGLISH: English = english();
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        user.show(format!("Hello, {}!", self.name));
        Ok(())
    }
}

/// Takes that long.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SlowCompute {
    /// Seconds
    #[schemars(range(min = 0, max = 3600))]
    seconds: f64,
    /// What it is called
    #[serde(default)]
    label: String,
    /// How much more it says
    #[serde(default)]
    bytes: u16,
}

impl Tool for SlowCompute {
    const NAME: &str = "slow_compute";
    const TITLE: Text = Text { ja: "ゆっくり計算", en: "Compute slowly" };
    const ENGLISH: English = english();
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        sleep(user, self.seconds.clamp(0.0, 3_600.0))?;
        user.show(format!("computed {}{}", self.label, "x".repeat(self.bytes.into())));
        Ok(())
    }
}

/// Is refused after a while, and only ever a task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FailingJob {}

impl Tool for FailingJob {
    const NAME: &str = "failing_job";
    const TITLE: Text = Text { ja: "失敗する仕事", en: "A job that fails" };
    const ENGLISH: English = english();
    const META: Option<&str> = Some(r#"{"madoguchi/task":"required"}"#);
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        sleep(user, 1.0)?;
        Err(refused("job_failed", 422, "The job failed."))
    }
}

/// Breaks down, as a task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProtocolErrorJob {}

impl Tool for ProtocolErrorJob {
    const NAME: &str = "protocol_error_job";
    const TITLE: Text = Text { ja: "壊れる仕事", en: "A job that breaks down" };
    const ENGLISH: English = english();
    const META: Option<&str> = Some(r#"{"madoguchi/task":"always"}"#);
    type Output = ();

    fn call(self, _: &User) -> Result<(), Stop> {
        panic!("as it should");
    }
}

/// Asks before it deletes, through its task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConfirmDelete {
    /// What
    filename: String,
}

impl Tool for ConfirmDelete {
    const NAME: &str = "confirm_delete";
    const TITLE: Text = Text { ja: "確かめて消す", en: "Delete after all" };
    const ENGLISH: English = english();
    const META: Option<&str> = Some(r#"{"madoguchi/task":"always"}"#);
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        let question = format!("Delete {}?", self.filename);
        let Confirm { confirm } = user.ask("confirm", &question)?;
        let word = if confirm { "deleted" } else { "kept" };
        user.show(format!("{word} {}", self.filename));
        Ok(())
    }
}

/// Asks two things at once, through its task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MultiInput {}

impl Tool for MultiInput {
    const NAME: &str = "multi_input";
    const TITLE: Text = Text { ja: "二つ尋ねる", en: "Ask two things" };
    const ENGLISH: English = english();
    const META: Option<&str> = Some(r#"{"madoguchi/task":"always"}"#);
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        let (Name { name }, Confirm { confirm }) = together((
            user.ask("name", "What is your name?"),
            user.ask("confirm", "Are you sure?"),
        ))?;
        user.show(format!("{name}: {confirm}"));
        Ok(())
    }
}

/// Asks for a name, and becomes a task once it has it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolWithTask {}

impl Tool for ToolWithTask {
    const NAME: &str = "test_tool_with_task";
    const TITLE: Text = Text { ja: "尋ねてから仕事", en: "Ask, then work" };
    const ENGLISH: English = english();
    const META: Option<&str> = Some(r#"{"madoguchi/task":"required"}"#);
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        let Name { name } = user.ask("user_name", "What is your name?")?;
        user.show(format!("Hello, {name}!"));
        Ok(())
    }
}
