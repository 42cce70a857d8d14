//! One agent as it is played: launched, told what is next, and gone when there is nothing more to do.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{sync::mpsc, time::Instant};

use super::{
    Stage,
    dialogue::{Acted, Crew, Dialogue, Scene, Written},
    purpose::Purpose,
    tools::Tools,
};
use crate::{assistant::AssistantConfig, failure::Failure};

/// Seconds that it waits at a time for what is next: while somebody may write, while nobody may, and
/// while something is still to be said.
const WAIT_S: u64 = 45;
const IDLE_S: u64 = 3;
const RETRY_S: u64 = 2;
/// Conversations that one agent holds at a time; messages of others stay unread.
const DIALOGUES_MAX: usize = 32;
/// Conversations that are remembered as over.
const OVER_MAX: usize = 64;
/// The least time between two questions what is next, so that a tool that answers at once does not spin.
const PACE: Duration = Duration::from_millis(5);

/// How a player left.
#[derive(Debug)]
pub(super) enum Left {
    /// There was nothing more to do, or it was sent away.
    Done,
    /// The server stops.
    Stopped,
    /// Something was wrong.
    Failed(String),
}

/// One agent of a project.
pub(super) struct Player {
    stage: Arc<Stage>,
    tools: Tools,
    assistant: Arc<AssistantConfig>,
    assistant_name: String,
    agent_id: String,
    name: String,
    project_id: String,
    inbox: mpsc::Receiver<Purpose>,
    /// The session's, once it is launched.
    token: Option<Arc<str>>,
    /// By conversation; chats with people by the person.
    dialogues: BTreeMap<String, Dialogue>,
    over: VecDeque<String>,
}

impl Player {
    pub(super) fn new(
        stage: &Arc<Stage>,
        assistant: Arc<AssistantConfig>,
        purpose: &Purpose,
        inbox: mpsc::Receiver<Purpose>,
    ) -> Self {
        Self {
            stage: stage.clone(),
            tools: Tools::new(stage.calls.clone()),
            assistant,
            assistant_name: purpose.assistant.clone(),
            agent_id: purpose.agent_id.clone(),
            name: purpose.name.clone(),
            project_id: purpose.project_id.clone(),
            inbox,
            token: None,
            dialogues: BTreeMap::new(),
            over: VecDeque::new(),
        }
    }

    /// Plays until there is nothing more to do.
    pub(super) async fn play(mut self) -> Left {
        match self.acts().await {
            Ok(()) => Left::Done,
            // Its session is over: what is left of its conversations is given anew.
            Err(failure) if failure.error == "invalid_session" => Left::Done,
            Err(failure) => Left::Failed(format!("{}: {}", failure.error, failure.message)),
        }
    }

    async fn acts(&mut self) -> Result<(), Failure> {
        if let Some(purpose) = self.inbox.recv().await {
            self.take_up(purpose).await?;
        }
        loop {
            while let Ok(purpose) = self.inbox.try_recv() {
                self.take_up(purpose).await?;
            }
            // What it was launched for is no longer there.
            let Some(token) = self.token.clone() else { return Ok(()) };
            self.speak(&token).await?;
            let began = Instant::now();
            let is_empty = self.dialogues.is_empty();
            let owes = self.dialogues.values().any(Dialogue::owes);
            let wait_s = if owes {
                RETRY_S
            } else if is_empty {
                IDLE_S
            } else {
                WAIT_S
            };
            let next = json!({ "session_token": &*token, "timeout_seconds": wait_s });
            let action = tokio::select! {
                biased;
                Some(purpose) = self.inbox.recv() => {
                    self.take_up(purpose).await?;
                    continue;
                }
                action = self.tools.call("get_next_action", next) => action?,
            };
            match action["action"].as_str().unwrap_or_default() {
                "conversation_request" => self.requested(&token, &action).await?,
                "get_pending_messages" => self.read(&token).await?,
                "conversation_ended" | "conversation_expired" => self.ended(&action),
                "exit" => return Ok(()),
                "logout" => return self.log_out(&token).await,
                _ if is_empty => return self.log_out(&token).await,
                _ => tokio::time::sleep_until(began + PACE).await,
            }
        }
    }

    /// Launches the agent for `purpose`: its session from now on, where it had one before.
    async fn take_up(&mut self, purpose: Purpose) -> Result<(), Failure> {
        let arguments = json!({ "purpose_id": purpose.id });
        let launched = match self.tools.call("launch_agent", arguments).await {
            Ok(launched) => launched,
            // It was withdrawn meanwhile, or somebody else has come for it.
            Err(failure) if failure.status < 500 => {
                tracing::debug!("{} is not launched: {}", self.agent_id, failure.message);
                return Ok(());
            }
            Err(failure) => return Err(failure),
        };
        let token = launched["session_token"].as_str().map(Arc::<str>::from);
        let Some(token) = token else { return Err(broken("launch_agent gave no session")) };
        self.token = Some(token.clone());
        let partner = purpose.partner_id.clone().unwrap_or_default();
        let scene = Scene {
            conversation: purpose.conversation_id,
            partner_name: purpose.partner_name.unwrap_or_else(|| partner.clone()),
            partner,
            purpose: purpose.purpose,
            is_initiator: purpose.role.as_deref() == Some("initiator"),
            ..self.scene()
        };
        self.join(&token, scene).await
    }

    fn scene(&self) -> Scene {
        Scene {
            agent_id: self.agent_id.clone(),
            name: self.name.clone(),
            project_id: self.project_id.clone(),
            ..Scene::default()
        }
    }

    /// Takes part in a conversation, or in a person's chat, from where it stands.
    async fn join(&mut self, token: &str, scene: Scene) -> Result<(), Failure> {
        let key = scene.key();
        if self.over.contains(&key)
            || self.dialogues.contains_key(&key)
            || self.dialogues.len() >= DIALOGUES_MAX
        {
            return Ok(());
        }
        let before = match &scene.conversation {
            None => Vec::new(),
            Some(id) => {
                let arguments =
                    json!({ "session_token": token, "conversation_id": id, "limit": 100 });
                match self.tools.call("get_conversation_messages", arguments).await {
                    Ok(found) if !is_open(&found["state"]) => {
                        self.is_over(key);
                        return Ok(());
                    }
                    Ok(found) => written(&found["messages"]),
                    Err(failure) if failure.error == "invalid_session" => return Err(failure),
                    Err(failure) => {
                        tracing::debug!("{key} is not joined: {}", failure.message);
                        self.is_over(key);
                        return Ok(());
                    }
                }
            }
        };
        self.dialogues.insert(key, Dialogue::new(scene, &before));
        Ok(())
    }

    async fn requested(&mut self, token: &str, action: &Value) -> Result<(), Failure> {
        let text = |name: &str| action[name].as_str().map(str::to_owned);
        let partner = text("from_agent_id").unwrap_or_default();
        let scene = Scene {
            conversation: text("conversation_id"),
            partner_name: text("from_agent_name").unwrap_or_else(|| partner.clone()),
            partner,
            purpose: text("purpose"),
            ..self.scene()
        };
        self.join(token, scene).await
    }

    /// Reads what was written to it, and gives each dialogue its own.
    async fn read(&mut self, token: &str) -> Result<(), Failure> {
        let arguments = json!({ "session_token": token });
        let found = self.tools.call("get_pending_messages", arguments).await?;
        let before = written(&found["context_messages"]);
        for message in written(&found["pending_messages"]) {
            // What a person writes into a conversation comes to both sides, and is of the conversation.
            let key = message.conversation_id.clone().unwrap_or_else(|| message.sender_id.clone());
            if !self.dialogues.contains_key(&key) {
                let partner = message.sender_id.clone();
                let scene = Scene {
                    conversation: message.conversation_id.clone(),
                    partner_name: partner.clone(),
                    partner,
                    ..self.scene()
                };
                self.join(token, scene).await?;
            }
            let Some(dialogue) = self.dialogues.get_mut(&key) else { continue };
            if message.conversation_id.is_none() {
                let is_here = |it: &&Written| {
                    let mine = it.sender_id == self.agent_id;
                    it.conversation_id.is_none() && (mine || it.sender_id == key)
                };
                let chat: Vec<_> = before.iter().filter(is_here).cloned().collect();
                dialogue.recall(&chat);
            }
            dialogue.hear(&message);
        }
        Ok(())
    }

    fn ended(&mut self, action: &Value) {
        if let Some(id) = action["conversation_id"].as_str() {
            self.is_over(id.to_owned());
        }
    }

    fn is_over(&mut self, key: String) {
        self.dialogues.remove(&key);
        self.over.push_back(key);
        if self.over.len() > OVER_MAX {
            self.over.pop_front();
        }
    }

    /// Says what its dialogues have to say.
    async fn speak(&mut self, token: &Arc<str>) -> Result<(), Failure> {
        let keys: Vec<_> = self.dialogues.keys().cloned().collect();
        for key in keys {
            let crew = Crew {
                stage: &self.stage,
                tools: &self.tools,
                assistant: &self.assistant,
                assistant_name: &self.assistant_name,
                token,
            };
            let Some(dialogue) = self.dialogues.get_mut(&key) else { continue };
            if let Acted::Over = dialogue.act(&crew).await? {
                self.is_over(key);
            }
        }
        Ok(())
    }

    async fn log_out(&mut self, token: &str) -> Result<(), Failure> {
        let left = self.tools.call("logout", json!({ "session_token": token })).await;
        // It may be over already, which is as well.
        left.map(|_| ()).or_else(|it| if it.status < 500 { Ok(()) } else { Err(it) })
    }
}

fn is_open(state: &Value) -> bool {
    matches!(state.as_str(), Some("pending" | "active"))
}

fn written(messages: &Value) -> Vec<Written> {
    let messages = messages.as_array().into_iter().flatten();
    messages.filter_map(|it| serde_json::from_value(it.clone()).ok()).collect()
}

pub(super) fn broken(what: &str) -> Failure {
    Failure::new("broken", 500, what)
}
