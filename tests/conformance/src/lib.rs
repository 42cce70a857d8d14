//! Everything that the official conformance suite wants of a server, each fixture a few lines of a
//! component: tools, questions, prompts, resources and completions under the names that it asks for.

mod diagnostics;
mod prompts;
mod questions;
mod resources;
mod rounds;
mod schemas;
mod tools;

use diagnostics::{
    LoggingTool, MissingCapability, Reconnection, StreamingElicitation, TriggerPromptChange,
    TriggerToolChange,
};
use prompts::{
    AskingPrompt, PromptWithArguments, PromptWithImage, PromptWithResource, SimplePrompt,
};
use questions::{Elicitation, ElicitationDefaults, ElicitationEnums, Sampling};
use resources::TestResources;
use rounds::{
    AskElicitation, AskForWhatTheClientCan, AskInRounds, AskRoots, AskSampling, AskSeveral,
    AskWithSealedState, AskWithState,
};
use schemas::{CustomHeader, JsonSchema202012};
use tools::{
    AudioContent, EmbeddedResource, ErrorHandling, ImageContent, MultipleContentTypes, SimpleText,
    ToolWithLogging, ToolWithProgress,
};

toolkit::export_tools!(
    SimpleText,
    ImageContent,
    AudioContent,
    EmbeddedResource,
    MultipleContentTypes,
    ErrorHandling,
    ToolWithProgress,
    ToolWithLogging,
    Sampling,
    Elicitation,
    ElicitationDefaults,
    ElicitationEnums,
    AskElicitation,
    AskSampling,
    AskRoots,
    AskWithState,
    AskSeveral,
    AskInRounds,
    AskWithSealedState,
    AskForWhatTheClientCan,
    MissingCapability,
    StreamingElicitation,
    LoggingTool,
    TriggerToolChange,
    TriggerPromptChange,
    Reconnection,
    JsonSchema202012,
    CustomHeader,
);
toolkit::export_prompts!(
    SimplePrompt,
    PromptWithArguments,
    PromptWithResource,
    PromptWithImage,
    AskingPrompt,
);
toolkit::export_resources!(TestResources);
toolkit::export_completions!(prompts::complete);

/// One red pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\xdac\xf8\xcf\xc0\0\0\x03\x01\x01\0\xf7\x03AC\0\0\0\0IEND\xaeB`\x82";
/// One sample of silence.
const WAV: &[u8] =
    b"RIFF&\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0\x80>\0\0\x02\0\x10\0data\x02\0\0\0\0\0";

/// A tool that shows something: its struct, its name, and what it does. Its arguments, where it has
/// any, are texts.
#[macro_export]
macro_rules! tool {
    (
        $(#[$about:meta])*
        $tool:ident($name:literal $(, $(#[$what:meta])* $argument:ident)*)
        |$this:ident, $user:ident| $run:block
    ) => {
        $(#[$about])*
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $tool {
            $($(#[$what])* $argument: String,)*
        }

        impl toolkit::Tool for $tool {
            const NAME: &'static str = $name;
            const TITLE: toolkit::Text = toolkit::Text { ja: $name, en: $name };
            const ENGLISH: toolkit::English = $crate::english();
            type Output = ();

            fn call($this, $user: &toolkit::User) -> Result<(), toolkit::Stop> {
                $run
                Ok(())
            }
        }
    };
}

/// The suite reads English, and so do the doc comments here.
const fn english() -> toolkit::English {
    toolkit::English { description: "A fixture of the conformance suite.", arguments: &[] }
}
