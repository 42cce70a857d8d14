//! Prompts, and what could be filled into their arguments.

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{
    Content, English, Stop, Text, User,
    completions::{Completion, Request},
    prompt::{Messages, Prompt},
};

use crate::PNG;

/// A prompt of the suite: its struct with its arguments, its name, and its messages.
macro_rules! prompt {
    (
        $(#[$about:meta])*
        $prompt:ident($name:literal $(, $(#[$what:meta])* $argument:ident)*)
        |$this:ident, $user:ident| $run:block
    ) => {
        $(#[$about])*
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $prompt {
            $($(#[$what])* $argument: String,)*
        }

        impl Prompt for $prompt {
            const NAME: &'static str = $name;
            const TITLE: Text = Text { ja: $name, en: $name };
            const ENGLISH: English = crate::english();

            fn get($this, $user: &User) -> Result<Messages, Stop> {
                Ok($run)
            }
        }
    };
}

prompt! {
    /// A text.
    SimplePrompt("test_simple_prompt") |self, _user| {
        Messages::new().user("This is a simple prompt for testing.")
    }
}

prompt! {
    /// A text with two arguments.
    PromptWithArguments("test_prompt_with_arguments",
        /// First test argument
        arg1,
        /// Second test argument
        arg2
    ) |self, _user| {
        let Self { arg1, arg2 } = self;
        Messages::new().user(format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))
    }
}

#[allow(non_snake_case, reason = "the suite names the argument so")]
mod with_resource {
    use super::*;

    prompt! {
        /// A resource and a text.
        PromptWithResource("test_prompt_with_embedded_resource",
            /// URI of the resource to embed
            resourceUri
        ) |self, _user| {
            let text = "Embedded resource content for testing.";
            Messages::new()
                .user(Content::embedded_text(&self.resourceUri, "text/plain", text))
                .user("Please process the embedded resource above.")
        }
    }
}
pub(crate) use with_resource::PromptWithResource;

prompt! {
    /// An image and a text.
    PromptWithImage("test_prompt_with_image") |self, _user| {
        Messages::new()
            .user(Content::image(PNG, "image/png"))
            .user("Please analyze the image above.")
    }
}

/// What the prompt asks for.
#[derive(Deserialize, JsonSchema)]
struct Context {
    context: String,
}

prompt! {
    /// Asks before it has a message.
    AskingPrompt("test_input_required_result_prompt") |self, user| {
        let asked = "What context should the prompt use?";
        let Context { context } = user.ask("user_context", asked)?;
        Messages::new().user(format!("Use this context: {context}"))
    }
}

/// What could be filled in as the arguments of `test_prompt_with_arguments`.
pub(crate) fn complete(request: &Request) -> Result<Completion, Stop> {
    Ok(match request.prompt() {
        Some(PromptWithArguments::NAME) => request.among(["paris", "park", "party"]),
        _ => Completion::none(),
    })
}
