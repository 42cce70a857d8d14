//! Tools that put out each kind of content, and tell how far they are.

use toolkit::{Content, log, progress, refused};

use crate::{PNG, WAV, tool};

tool! {
    /// Shows a text.
    SimpleText("test_simple_text") |self, user| {
        user.show("This is a simple text response for testing.");
    }
}

tool! {
    /// Shows an image.
    ImageContent("test_image_content") |self, user| {
        user.show_content(Content::image(PNG, "image/png"));
    }
}

tool! {
    /// Shows a sound.
    AudioContent("test_audio_content") |self, user| {
        user.show_content(Content::audio(WAV, "audio/wav"));
    }
}

tool! {
    /// Shows a resource.
    EmbeddedResource("test_embedded_resource") |self, user| {
        let text = "This is an embedded resource content.";
        user.show_content(Content::embedded_text("test://embedded-resource", "text/plain", text));
    }
}

tool! {
    /// Shows a text, an image and a resource.
    MultipleContentTypes("test_multiple_content_types") |self, user| {
        user.show("Multiple content types test:");
        user.show_content(Content::image(PNG, "image/png"));
        let json = r#"{"test":"data","value":123}"#;
        let uri = "test://mixed-content-resource";
        user.show_content(Content::embedded_text(uri, "application/json", json));
    }
}

tool! {
    /// Always refuses.
    ErrorHandling("test_error_handling") |self, _user| {
        let message = "This tool intentionally returns an error for testing";
        Err(refused("intentional", 400, message))?;
    }
}

tool! {
    /// Tells three times how far it is.
    ToolWithProgress("test_tool_with_progress") |self, user| {
        for done in [0, 50, 100] {
            progress::report(done, Some(100.0), None);
        }
        user.show("All of it is done.");
    }
}

tool! {
    /// Writes three lines to the log.
    ToolWithLogging("test_tool_with_logging") |self, user| {
        log::info("Tool execution started");
        log::info("Tool processing data");
        log::info("Tool execution completed");
        user.show("Three lines were written.");
    }
}
