//! One model of Gemini's: where it is, and one answer of it as a stream.

use serde_json::Value;

use super::{Reply, error};
use crate::{
    Body, ModelConfig, ModelError, Turn, Why,
    models::{
        events::Events,
        price::Price,
        wire::{Wire, WireError},
    },
};

/// Where Google has it.
const BASE_URL: &str = "https://generativelanguage.googleapis.com";

/// A model that can be asked.
#[derive(Clone)]
pub(in crate::models) struct Model {
    wire: Wire,
    path: String,
    name: String,
    price: Option<Price>,
    tokens_max: Option<u32>,
    draws: bool,
}

impl Model {
    /// The model `name`, as `config` says where it is.
    pub(in crate::models) fn new(name: &str, config: &ModelConfig) -> Result<Self, ModelError> {
        if !config.key {
            let what = "there is no key: set GEMINI_API_KEY, or key in [models.gemini]";
            return Err(ModelError::new(Why::Key, what));
        }
        let url = config.base_url.as_deref().unwrap_or(BASE_URL);
        // A version in the address is the one that is meant.
        let is_versioned = url.trim_end_matches('/').rsplit('/').next();
        let is_versioned = is_versioned.is_some_and(|it| matches!(it, "v1" | "v1beta" | "v1alpha"));
        let version = if is_versioned { "" } else { "v1beta/" };
        let name = name.trim().trim_start_matches("models/");
        let path = format!("{version}models/{name}:streamGenerateContent?alt=sse");
        let wire = Wire::new(url, "x-goog-api-key", config)?;
        // What comes from the cache costs a tenth (<https://ai.google.dev/gemini-api/docs/pricing>);
        // nothing is paid for going into it.
        let price = config.prices().map(|(input, output)| Price {
            input,
            output,
            cached_share: 0.1,
            caching_share: 1.0,
        });
        Ok(Self {
            wire,
            path,
            name: name.to_owned(),
            price,
            tokens_max: config.max_tokens,
            draws: false,
        })
    }

    /// The same, asked for pictures.
    pub(in crate::models) fn that_draws(self) -> Self {
        Self { draws: true, ..self }
    }

    /// Whether it takes pictures as parts of a function's response: Gemini 3 and what came after it
    /// (<https://ai.google.dev/gemini-api/docs/function-calling>, "Multimodal function responses").
    pub(super) fn takes_pictures(&self) -> bool {
        !["gemini-1", "gemini-2", "gemma"].iter().any(|it| self.name.starts_with(it))
    }

    pub(in crate::models) fn price(&self) -> Option<Price> {
        self.price
    }

    pub(super) fn tokens_max(&self) -> Option<u32> {
        self.tokens_max
    }

    /// Asks it; texts and pictures are passed on as they come.
    pub(in crate::models) fn ask(
        &self,
        body: &Value,
        turn: &Turn<'_>,
    ) -> Result<Reply, ModelError> {
        let read = |mut events: Events| {
            let mut reply = Reply::default();
            while let Some(piece) = events.next() {
                let piece = match piece {
                    // Nothing is lost that it says.
                    Err(WireError::Lost(_) | WireError::Late) if reply.has_ended() => break,
                    piece => piece?,
                };
                for part in reply.take(&piece)? {
                    match &part.body {
                        Body::Text(text) if text.is_empty() => {}
                        Body::Text(text) => turn.teller.say(text),
                        Body::Image(image) => turn.teller.show(image),
                    }
                }
            }
            match reply.has_ended() {
                true => Ok(reply),
                false => Err(WireError::Lost("the answer ended before its end".to_owned())),
            }
        };
        let reply = self.wire.answer(&self.path, &[], body, turn, error::of_piece, read);
        reply.map_err(|it| error::model_error(&it, self.draws))
    }
}
