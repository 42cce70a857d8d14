//! Tools that ask, with forms given word for word, and show what came back.

use serde_json::{Value, json};
use toolkit::{
    Stop, User,
    question::{AnswerAction, Ask, Question},
};

use crate::tool;

tool! {
    /// Has the client's model answer a prompt.
    Sampling("test_sampling",
        /// What the model is asked.
        prompt
    ) |self, user| {
        let sampled = user.sample("prompt", &self.prompt, 100)?;
        user.show(format!("LLM response: {}", sampled.text()));
    }
}

tool! {
    /// Asks for a name and an address.
    Elicitation("test_elicitation",
        /// What the user is asked.
        message
    ) |self, user| {
        let form = json!({
            "type": "object",
            "properties": {
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            },
            "required": ["username", "email"],
        });
        let answer = put(user, &self.message, &form)?;
        user.show(format!("User response: {answer}"));
    }
}

tool! {
    /// Asks with a default for each kind of value.
    ElicitationDefaults("test_elicitation_sep1034_defaults") |self, user| {
        let states = ["active", "inactive", "pending"];
        let form = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "default": "John Doe" },
                "age": { "type": "integer", "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "status": { "type": "string", "enum": states, "default": "active" },
                "verified": { "type": "boolean", "default": true },
            },
            "required": [],
        });
        let answer = put(user, "Please check these values.", &form)?;
        user.show(format!("Elicitation completed: {answer}"));
    }
}

tool! {
    /// Asks with each kind of choice.
    ElicitationEnums("test_elicitation_sep1330_enums") |self, user| {
        let options = ["option1", "option2", "option3"];
        let titled = [
            json!({ "const": "value1", "title": "First Option" }),
            json!({ "const": "value2", "title": "Second Option" }),
            json!({ "const": "value3", "title": "Third Option" }),
        ];
        let form = json!({
            "type": "object",
            "properties": {
                "untitledSingle": { "type": "string", "enum": options },
                "titledSingle": { "type": "string", "oneOf": titled },
                "legacyEnum": {
                    "type": "string",
                    "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
                "titledMulti": { "type": "array", "items": { "anyOf": titled } },
            },
            "required": [],
        });
        let answer = put(user, "Please choose.", &form)?;
        user.show(format!("Elicitation completed: {answer}"));
    }
}

/// Puts a form as it is; the answer in the words of the suite, be it a refusal.
fn put(user: &User, message: &str, form: &Value) -> Result<String, Stop> {
    let answer = user.put(Question::new("form", message, Ask::Form(form.to_string())))?;
    let action = match answer.action {
        AnswerAction::Accept => "accept",
        AnswerAction::Decline => "decline",
        AnswerAction::Cancel => "cancel",
    };
    Ok(format!("action={action}, content={}", answer.content.as_deref().unwrap_or("{}")))
}
