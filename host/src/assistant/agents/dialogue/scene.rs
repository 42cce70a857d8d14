//! Who talks with whom about what, and what was written.

use serde::{Deserialize, Serialize};

use crate::assistant::Language;

/// Something that was said in a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Said {
    pub(super) by: By,
    pub(super) text: String,
}

/// Who said it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum By {
    /// The agent itself.
    Own,
    Partner,
    /// A third party, by its id: a person who steps in.
    Other(String),
}

/// Who talks with whom about what.
#[derive(Clone, Debug)]
pub(in crate::assistant::agents) struct Scene {
    pub(in crate::assistant::agents) agent_id: String,
    /// The agent's name for people.
    pub(in crate::assistant::agents) name: String,
    pub(in crate::assistant::agents) project_id: String,
    /// None is a person's chat.
    pub(in crate::assistant::agents) conversation: Option<String>,
    pub(in crate::assistant::agents) partner: String,
    pub(in crate::assistant::agents) partner_name: String,
    pub(in crate::assistant::agents) purpose: Option<String>,
    pub(in crate::assistant::agents) is_initiator: bool,
    pub(in crate::assistant::agents) language: Language,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            agent_id: String::new(),
            name: String::new(),
            project_id: String::new(),
            conversation: None,
            partner: String::new(),
            partner_name: String::new(),
            purpose: None,
            is_initiator: false,
            language: Language::Japanese,
        }
    }
}

impl Scene {
    /// By what a dialogue is known.
    pub(in crate::assistant::agents) fn key(&self) -> String {
        self.conversation.clone().unwrap_or_else(|| self.partner.clone())
    }

    /// Takes the language of the purpose, or of the first thing that was said.
    pub(super) fn set_language<'a>(&mut self, mut said: impl Iterator<Item = &'a str>) {
        let text = self.purpose.as_deref().or_else(|| said.next());
        self.language = text.map_or(self.language, |it| Language::of(None, it));
    }

    /// What was written, with whose it is.
    pub(super) fn said(&self, message: &Written) -> Said {
        let by = match &message.sender_id {
            it if *it == self.agent_id => By::Own,
            it if *it == self.partner => By::Partner,
            it => By::Other(it.clone()),
        };
        Said { by, text: message.content.clone() }
    }

    /// As a model is told it: what others say with whose it is, so that nobody speaks for another.
    pub(super) fn told(&self, said: &Said) -> String {
        let sender = match &said.by {
            By::Own => return said.text.clone(),
            By::Partner => &self.partner,
            By::Other(it) => it,
        };
        format!("[{sender}]\n{}", said.text)
    }
}

/// A message as the tools have it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::assistant::agents) struct Written {
    pub(in crate::assistant::agents) sender_id: String,
    pub(in crate::assistant::agents) content: String,
    pub(in crate::assistant::agents) conversation_id: Option<String>,
    pub(in crate::assistant::agents) sequence: u64,
    pub(in crate::assistant::agents) read_at: Option<String>,
}
