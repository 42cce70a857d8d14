//! Tools that need more rounds than one: what they ask is in the result, and the call is repeated.

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Stop, Text, Tool, User, caller, question::together, refused};

use crate::tool;

/// A form with a name.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Name {
    name: String,
}

/// A form with a colour.
#[derive(Deserialize, JsonSchema)]
struct Colour {
    color: String,
}

/// A form with a yes or a no.
#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

/// Asks for a name. The suite sends the answer along at once, without the state that comes with the
/// question.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskElicitation {}

impl Tool for AskElicitation {
    const NAME: &'static str = "test_input_required_result_elicitation";
    const TITLE: Text = Text { ja: "名前を尋ねる", en: "Ask for a name" };
    const ENGLISH: English = crate::english();
    const TAKES_UNASKED_ANSWERS: bool = true;
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        let Name { name } = user.ask("user_name", "What is your name?")?;
        user.show(format!("Hello, {name}!"));
        Ok(())
    }
}

tool! {
    /// Asks the client's model.
    AskSampling("test_input_required_result_sampling") |self, user| {
        let sampled = user.sample("capital_question", "What is the capital of France?", 100)?;
        user.show(format!("The model says: {}", sampled.text()));
    }
}

tool! {
    /// Asks for the client's folders.
    AskRoots("test_input_required_result_list_roots") |self, user| {
        let roots = user.roots("client_roots")?;
        let roots = roots.iter().map(|it| it.uri.as_str()).collect::<Vec<_>>();
        user.show(format!("The roots are: {}", roots.join(", ")));
    }
}

tool! {
    /// Asks, and knows afterwards what it remembered.
    AskWithState("test_input_required_result_request_state") |self, user| {
        user.remember("asked");
        let Confirmation { ok } = user.ask("confirm", "Please confirm")?;
        let state = user.remembered::<String>();
        if state.as_deref() != Some("asked") {
            return Err(refused("state_lost", 500, "What was remembered is gone."));
        }
        user.show(format!("state-ok, confirmed: {ok}"));
    }
}

tool! {
    /// Asks a person, a model and the client at once.
    AskSeveral("test_input_required_result_multiple_inputs") |self, user| {
        let (Name { name }, greeting, roots) = together((
            user.ask("user_name", "What is your name?"),
            user.sample("greeting", "Generate a greeting", 50),
            user.roots("client_roots"),
        ))?;
        user.show(format!("{} {name}, of {} roots", greeting.text(), roots.len()));
    }
}

tool! {
    /// Asks twice, one after the other.
    AskInRounds("test_input_required_result_multi_round") |self, user| {
        user.remember("round 1");
        let Name { name } = user.ask("step1", "Step 1: What is your name?")?;
        user.remember("round 2");
        let Colour { color } = user.ask("step2", "Step 2: What is your favorite color?")?;
        user.show(format!("{name} likes {color}."));
    }
}

tool! {
    /// Asks with a state that no one else can change: the host seals it.
    AskWithSealedState("test_input_required_result_tampered_state") |self, user| {
        let Confirmation { ok } = user.ask("confirm", "Please confirm")?;
        user.show(format!("confirmed: {ok}"));
    }
}

tool! {
    /// Asks what this client can answer.
    AskForWhatTheClientCan("test_input_required_result_capabilities") |self, user| {
        let can = caller::client_capabilities();
        if can.get("sampling").is_some() {
            let sampled = user.sample("greeting", "Generate a greeting", 50)?;
            user.show(sampled.text());
        }
        if can.get("elicitation").is_some() {
            let Name { name } = user.ask("user_name", "What is your name?")?;
            user.show(format!("Hello, {name}!"));
        }
        if can.get("roots").is_some() {
            user.show(format!("{} roots", user.roots("client_roots")?.len()));
        }
    }
}
