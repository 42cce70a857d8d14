//! What a dialogue sends, and how it is left.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::{Acted, Crew, Dialogue, texts, texts::Farewell};
use crate::{assistant::Trouble, documents::number, failure::Failure};

/// How often an assistant that fails is asked again, and how long it may ask to be left alone.
const TRIES_MAX: u32 = 3;
const RETRY: Duration = Duration::from_secs(1);
const RETRY_MAX_S: u64 = 60;
/// How soon it is tried again to write where a person holds the conversation up.
const PAUSED: Duration = Duration::from_secs(2);

/// Something that is to be sent; sent twice it arrives once.
pub(super) struct Unsent {
    text: String,
    client_message_id: String,
    is_opening: bool,
}

impl Unsent {
    pub(super) fn new(text: String, is_opening: bool) -> Self {
        Self { text, client_message_id: number().unwrap_or_default(), is_opening }
    }
}

impl Dialogue {
    /// Nobody has decided: it is tried again, or the conversation is left.
    pub(super) async fn failed(
        &mut self,
        crew: &Crew<'_>,
        trouble: &Trouble,
    ) -> Result<Acted, Failure> {
        self.failures += 1;
        let (agent, key) = (&self.scene.agent_id, self.scene.key());
        tracing::warn!("{agent} has no answer in {key}: {}", texts::why(trouble));
        if self.failures >= TRIES_MAX {
            return self.leave(crew, Farewell::Failed).await;
        }
        let wanted = match trouble {
            Trouble::Undecided(it) => it.retry_after_s.map(|it| it.min(RETRY_MAX_S)),
            Trouble::Tool(_) | Trouble::NoTools(_) => None,
        };
        let wait = wanted.map_or(RETRY * self.failures, Duration::from_secs);
        self.retry_at = Some(Instant::now() + wait);
        Ok(Acted::GoesOn)
    }

    /// Sends what is to be sent.
    pub(super) async fn send(&mut self, crew: &Crew<'_>) -> Result<Acted, Failure> {
        let Some(unsent) = &self.unsent else { return Ok(Acted::GoesOn) };
        let mut arguments = json!({
            "session_token": &**crew.token,
            "target_agent_id": self.scene.partner,
            "content": unsent.text,
            "client_message_id": unsent.client_message_id,
        });
        let tool = if unsent.is_opening { "send_message" } else { "respond_chat" };
        if let (true, Some(id)) = (unsent.is_opening, &self.scene.conversation) {
            arguments["conversation_id"] = id.as_str().into();
        }
        match crew.tools.call(tool, arguments).await {
            Ok(_) => {
                if let Some(sent) = self.unsent.take() {
                    self.said(&sent.text);
                }
                Ok(Acted::GoesOn)
            }
            Err(failure) if failure.error == "invalid_session" => Err(failure),
            Err(failure) if failure.error == "conversation_paused" => {
                self.retry_at = Some(Instant::now() + PAUSED);
                Ok(Acted::GoesOn)
            }
            Err(failure) if failure.status >= 500 => Err(failure),
            // The conversation has ended meanwhile: nobody waits for it any more.
            Err(failure) => {
                tracing::debug!("{} is not heard: {}", self.scene.agent_id, failure.message);
                self.unsent = None;
                Ok(if self.scene.conversation.is_some() { Acted::Over } else { Acted::GoesOn })
            }
        }
    }

    /// Ends the conversation with a last word; a person's chat, which only the person ends, with silence.
    pub(super) async fn leave(
        &mut self,
        crew: &Crew<'_>,
        farewell: Farewell,
    ) -> Result<Acted, Failure> {
        let text = farewell.text(self.scene.language);
        self.news = 0;
        self.opens = false;
        let Some(id) = &self.scene.conversation else {
            self.is_silent = true;
            self.unsent = Some(Unsent::new(text, false));
            return self.send(crew).await;
        };
        let arguments = json!({
            "session_token": &**crew.token,
            "conversation_id": id,
            "final_message": text,
            "reason_text": farewell.reason(),
        });
        match crew.tools.call("end_conversation", arguments).await {
            Err(failure) if failure.error == "invalid_session" || failure.status >= 500 => {
                Err(failure)
            }
            // Ended, or it was over already.
            _ => Ok(Acted::Over),
        }
    }
}
