//! Completions: more topics than the limit, and the numbers of books.

use toolkit::bindings::{
    completions::exports::madoguchi::tool::completions as wit,
    resources::madoguchi::tool::stops::Stop,
};

use crate::Library;

impl wit::Guest for Library {
    fn complete(request: wit::Request) -> Result<wit::Completion, Stop> {
        let values: Vec<String> = match (&request.reference, &*request.argument) {
            (wit::Reference::Prompt(name), "topic") if name == "recommend" => {
                let topics = (0..150).map(|it| format!("topic {it}"));
                topics.filter(|it| it.starts_with(&request.value)).collect()
            }
            (wit::Reference::Prompt(name), "mood") if name == "recommend" => {
                // Uses the arguments filled in already.
                request.arguments.iter().map(|it| format!("{} mood", it.1)).collect()
            }
            (wit::Reference::Template(_), "number") => vec!["1".to_owned(), "2".to_owned()],
            _ => Vec::new(),
        };
        Ok(wit::Completion { total: Some(values.len() as u32), has_more: false, values })
    }
}

#[cfg(target_arch = "wasm32")]
toolkit::bindings::completions::export_completions_world!(
    Library with_types_in toolkit::bindings::completions
);
