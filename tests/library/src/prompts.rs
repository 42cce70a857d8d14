//! Prompts: one with arguments, one that asks first, one that never returns.

use toolkit::bindings::{
    prompts::exports::madoguchi::tool::prompts as wit,
    resources::madoguchi::tool::stops::{InputRequired, Stop},
};

use crate::{Library, is_other, spin, taste, tasted, text};

/// The prompt's text about the library.
const INSTRUCTIONS: &str = "Books are found by their subject.";

impl wit::Guest for Library {
    fn definitions() -> Vec<wit::Definition> {
        let prompt = |name: &str, arguments| wit::Definition {
            name: if is_other("prompts") { format!("other_{name}") } else { name.to_owned() },
            title: Some("A title".to_owned()),
            description: Some("Begins a conversation.".to_owned()),
            arguments,
            meta: None,
        };
        let argument = |name: &str, required| wit::Argument {
            name: name.to_owned(),
            title: None,
            description: None,
            required,
        };
        let all = wit::Definition {
            meta: Some(format!(r#"{{"madoguchi/instructions":"{INSTRUCTIONS}"}}"#)),
            ..prompt("by_taste", Vec::new())
        };
        vec![
            prompt("recommend", vec![argument("topic", true), argument("mood", false)]),
            all,
            prompt("spin_prompt", Vec::new()),
        ]
    }

    fn get(invocation: wit::Invocation) -> Result<wit::Output, Stop> {
        let words = match invocation.name.as_str() {
            "recommend" => {
                let of =
                    |name| invocation.arguments.iter().find(|it| it.0 == name).map(|it| &*it.1);
                let mood = of("mood").unwrap_or("any");
                format!("A book on {} for {mood} mood, please.", of("topic").unwrap_or_default())
            }
            "by_taste" => match tasted(&invocation.answers) {
                Some(taste) => format!("A book on {taste}, please."),
                None => {
                    let (questions, state) = (vec![taste()], None);
                    return Err(Stop::InputRequired(InputRequired { questions, state }));
                }
            },
            "spin_prompt" => spin(),
            _ => return Err(Stop::NotFound),
        };
        let message = |role, content: &str| wit::Message { role, content: text(content) };
        Ok(wit::Output {
            description: Some("About books".to_owned()),
            messages: vec![
                message(wit::Role::User, &words),
                message(wit::Role::Assistant, "Gladly."),
            ],
            meta: None,
        })
    }
}

#[cfg(target_arch = "wasm32")]
toolkit::bindings::prompts::export_prompts_world!(
    Library with_types_in toolkit::bindings::prompts
);
