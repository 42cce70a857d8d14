//! Tools by which the suite provokes what a server does by itself: refusals, lines and notices.

use toolkit::{events, log};

use crate::{rounds::Name, tool};

tool! {
    /// Needs a model, which the client has not declared.
    MissingCapability("test_missing_capability") |self, user| {
        user.show(user.sample("prompt", "Is anybody there?", 100)?.text());
    }
}

tool! {
    /// Asks for a name; nothing but the question may come.
    StreamingElicitation("test_streaming_elicitation") |self, user| {
        let Name { .. } = user.ask("user_name", "What is your name?")?;
        user.show("Thank you.");
    }
}

tool! {
    /// Writes to the log, which only a client that asked for it may see.
    LoggingTool("test_logging_tool") |self, user| {
        log::info("A line for those who asked for it");
        user.show("A line was written.");
    }
}

tool! {
    /// Says that the list of tools has changed.
    TriggerToolChange("test_trigger_tool_change") |self, user| {
        events::publish("tools");
        user.show("The list of tools has changed.");
    }
}

tool! {
    /// Says that the prompts have changed.
    TriggerPromptChange("test_trigger_prompt_change") |self, user| {
        events::publish("prompts");
        user.show("The prompts have changed.");
    }
}

tool! {
    /// Does next to nothing, while the client loses its stream.
    Reconnection("test_reconnection") |self, user| {
        user.show("Reconnection test completed.");
    }
}
