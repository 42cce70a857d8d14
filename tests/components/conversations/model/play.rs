//! Plays a history against the component and the model, which must agree: calls, and the state as people see it.

use std::{collections::BTreeMap, time::Duration};

use proptest::{prelude::*, test_runner::TestCaseResult};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{
    bench::{Bench, Tested},
    fixtures::{agent, credentials},
};
use workbench::solo::SoloOutcome;

use super::{Act, IDS, NAMES, Step, Target, Who, World, rules::named, words};

/// Number of histories per component, each in its own project.
const PROJECTS: usize = 40;

/// Time between steps, so that no two are simultaneous.
const TICK: Duration = Duration::from_millis(7);

/// Maximum number of calls until an agent has received everything.
const LAST_CALLS: usize = 40;

/// The component's answer, with the model's names for ids.
type Outcome = Result<Value, (String, u16)>;

/// A component, the number of its histories, and its clock in milliseconds.
pub(super) struct Stage {
    component: Tested,
    /// Where its database lies.
    _folder: TempDir,
    is_on_postgres: bool,
    histories: usize,
    now: u64,
}

/// One history in the component.
struct Play<'a> {
    component: &'a Tested,
    project: String,
    tokens: [Vec<String>; 3],
    talks: Vec<String>,
    /// What the messages contain, by their ids.
    contents: BTreeMap<String, String>,
}

impl Stage {
    /// A component with projects enough.
    pub(super) async fn open(is_on_postgres: bool) -> Self {
        let projects: Vec<_> = (0..PROJECTS).map(|it| format!("p{it}")).collect();
        let elsewhere = ["elsewhere".to_owned()];
        let name = |it: &String| (it.clone(), json!({ "name": it }));
        let worker = |it: usize| (IDS[it].to_owned(), agent(NAMES[it], &projects));
        let outsider = ("outsider".to_owned(), agent("Outsider", &elsewhere));
        let settings = json!({
            "projects": projects.iter().chain(&elsewhere).map(name).collect::<serde_json::Map<_, _>>(),
            "agents": (0..3).map(worker).chain([outsider]).collect::<serde_json::Map<_, _>>(),
        });
        let bench = Bench::of("conversations").grant_all().at("2026-11-20T10:00:00");
        let folder = scratch();
        let bench = bench.settings(settings).database(&folder.path().join("conversations.sqlite"));
        let bench = if is_on_postgres { bench.on_postgres() } else { bench };
        let component = bench.start().await;
        Self { component, _folder: folder, is_on_postgres, histories: 0, now: 0 }
    }

    /// Plays a history in a project of its own.
    pub(super) async fn play(&mut self, steps: &[Step]) -> TestCaseResult {
        if self.histories == PROJECTS {
            *self = Self::open(self.is_on_postgres).await;
        }
        let project = format!("p{}", self.histories);
        self.histories += 1;
        let (component, tokens) = (&self.component, Default::default());
        let (talks, contents) = (Vec::new(), BTreeMap::new());
        let mut play = Play { component, project, tokens, talks, contents };
        let ended = play.all(steps, &mut self.now).await;
        // Open items expire before the next history.
        component.pass(Duration::from_secs(7_200));
        component.run_schedule().await.expect("it sweeps");
        component.run_schedule().await.expect("it sweeps");
        component.published();
        ended
    }
}

impl Play<'_> {
    async fn all(&mut self, steps: &[Step], now: &mut u64) -> TestCaseResult {
        let mut world = World { now: *now, ..World::default() };
        let ended = self.live(&mut world, steps).await;
        *now = world.now + 7_200_000;
        ended
    }

    async fn live(&mut self, world: &mut World, steps: &[Step]) -> TestCaseResult {
        for (at, step) in steps.iter().enumerate() {
            let _ = self.both(world, step, &format!("said {at}")).await?;
        }
        for who in 0..3 {
            if !world.is_live(who) {
                let _ = self.both(world, &Step::Authenticate(who), "").await?;
            }
            self.receive_all(world, who).await?;
        }
        for at in 0..self.talks.len() {
            prop_assert_eq!(
                self.transcript(at).await,
                world.transcript(at),
                "{} at the end",
                named(at)
            );
        }
        Ok(())
    }

    /// Lets an agent receive everything that is there for it.
    async fn receive_all(&mut self, world: &mut World, who: Who) -> TestCaseResult {
        for _ in 0..LAST_CALLS {
            let call = |act| Step::Act { who, old: false, act };
            let got = self.both(world, &call(Act::Next), "").await?;
            let ended = match got.as_ref().map(|it| it["action"].as_str()) {
                Ok(Some("get_pending_messages")) => {
                    self.both(world, &call(Act::Pending), "").await?.is_err()
                }
                Ok(Some("wait_for_messages" | "logout" | "exit")) | Err(_) => true,
                _ => false,
            };
            if ended {
                return Ok(());
            }
        }
        prop_assert!(false, "{} is always given one more action", IDS[who]);
        Ok(())
    }

    /// Runs one step in both, and compares their answers and what people then see.
    async fn both(
        &mut self,
        world: &mut World,
        step: &Step,
        text: &str,
    ) -> Result<Outcome, TestCaseError> {
        let got = self.step(step, text).await;
        let talk = got.as_ref().ok().and_then(|it| it["talk"].as_str());
        let hint = talk.and_then(|it| it.strip_prefix('c')).and_then(|it| it.parse().ok());
        let expected = world.step(step, text, hint);
        let expected = expected.map_err(|(code, status)| (code.to_owned(), status));
        prop_assert_eq!(&got, &expected, "component and model after {:?}", step);
        if !matches!(step, Step::Pass(_)) {
            world.expiry();
            prop_assert_eq!(self.summary().await, world.seen(), "what is seen after {:?}", step);
        }
        self.component.pass(TICK);
        world.now += 7;
        Ok(got)
    }

    async fn step(&mut self, step: &Step, line: &str) -> Outcome {
        match step {
            Step::Authenticate(who) => {
                let answer =
                    self.call("authenticate", credentials(IDS[*who], &self.project)).await?;
                self.tokens[*who].push(text(&answer["session_token"]));
                Ok(json!({ "purpose": answer["purpose"], "name": answer["agent_name"] }))
            }
            Step::Act { who, old, act } => {
                let tokens = &self.tokens[*who];
                let token = if *old { tokens.first() } else { tokens.last() };
                let token = token.map_or("sess_none", String::as_str).to_owned();
                self.act(*who, &token, act, line).await
            }
            Step::Pass(seconds) => {
                self.component.pass(Duration::from_secs(*seconds));
                Ok(Value::Null)
            }
            Step::Sweep => {
                self.component.run_schedule().await.expect("it sweeps");
                Ok(Value::Null)
            }
            Step::Pause(at) => {
                self.person("pause_conversation", *at, json!({ "paused": true })).await
            }
            Step::Resume(at) => {
                self.person("pause_conversation", *at, json!({ "paused": false })).await
            }
            Step::Stop(at) => self.person("stop_conversation", *at, json!({})).await,
            Step::Write(at) => self.person("write_message", *at, json!({ "content": line })).await,
        }
    }

    async fn person(&mut self, tool: &str, at: usize, mut arguments: Value) -> Outcome {
        arguments["conversation_id"] = self.id(at).into();
        let answer = self.call(tool, arguments).await?;
        for message in answer["messages"].as_array().expect("a transcript") {
            self.contents.insert(text(&message["id"]), text(&message["content"]));
        }
        let conversation = &answer["conversation"];
        let talk = self.talk(&conversation["conversation_id"]);
        Ok(json!({ "talk": talk, "state": conversation["state"] }))
    }

    async fn act(&mut self, who: Who, token: &str, act: &Act, message: &str) -> Outcome {
        let (tool, mut arguments) = request(who, act, message);
        arguments["session_token"] = token.into();
        if let Act::End { talk: Some(at), .. } = act {
            arguments["conversation_id"] = self.id(*at).into();
        }
        let answer = self.call(tool, arguments).await?;
        Ok(match act {
            Act::Start { .. } => {
                self.talks.push(text(&answer["conversation_id"]));
                let talk = self.talk(&answer["conversation_id"]);
                json!({ "talk": talk, "status": answer["status"], "to": answer["target_agent_id"] })
            }
            Act::End { .. } => {
                let talk = self.talk(&answer["conversation_id"]);
                json!({ "talk": talk, "status": answer["status"] })
            }
            Act::Send { client, .. } => {
                self.sent(&answer, "target_agent_id", &words(IDS[who], *client, message))
            }
            Act::Respond { client, .. } => {
                self.sent(&answer, "receiver_id", &words(IDS[who], *client, message))
            }
            Act::Pending => {
                let pending = answer["pending_messages"].as_array().expect("a list");
                let pending: Vec<_> = pending.iter().map(|it| self.message(it)).collect();
                json!({ "pending": pending })
            }
            Act::Next => self.next(&answer),
            Act::Logout => json!({}),
        })
    }

    /// The answer of a sent message, with its content for its id.
    fn sent(&mut self, answer: &Value, to: &str, message: &str) -> Value {
        let id = text(&answer["message_id"]);
        let content = self.contents.entry(id).or_insert_with(|| message.to_owned()).clone();
        let talk = self.talk(&answer["conversation_id"]);
        json!({ "message": content, "talk": talk, "to": answer[to] })
    }

    fn message(&mut self, message: &Value) -> Value {
        let content =
            self.contents.entry(text(&message["id"])).or_insert_with(|| text(&message["content"]));
        assert_eq!(message["content"], **content, "one id is one message: {message}");
        json!([message["senderId"], message["content"], self.talk(&message["conversationId"])])
    }

    /// The specified part of the answer of `get_next_action`.
    fn next(&self, next: &Value) -> Value {
        let talk = self.talk(&next["conversation_id"]);
        let action = &next["action"];
        match action.as_str().expect("an action") {
            "conversation_request" => json!({
                "action": action, "talk": talk, "from": next["from_agent_id"],
                "name": next["from_agent_name"], "purpose": next["purpose"], "state": next["state"],
                "instruction": next["instruction"],
            }),
            "conversation_ended" => json!({
                "action": action, "talk": talk, "ended_by": next["ended_by"],
                "reason": next["reason"], "reason_text": next["reason_text"],
            }),
            "conversation_expired" => {
                json!({ "action": action, "talk": talk, "target": next["target"] })
            }
            "wait_for_messages" => json!({
                "action": action, "state": next["state"], "wait_seconds": next["wait_seconds"],
            }),
            "get_pending_messages" => json!({ "action": action, "state": next["state"] }),
            _ => json!({ "action": action, "reason": next["reason"] }),
        }
    }
}

/// A folder in memory where the system has one: a history is mostly writes, each of which a disk would
/// have to confirm.
fn scratch() -> TempDir {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    folder.expect("a temporary folder can be made")
}

/// A text that must be there.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

// The component's state as people see it, in the model's form, and its calls.

impl Play<'_> {
    /// Every conversation of the project as a person's list has it, oldest first.
    async fn summary(&self) -> Vec<Value> {
        let list = self.call("list_conversations", json!({ "project_id": self.project })).await;
        let list = list.expect("the operator sees every project");
        assert_eq!(list.get("next_cursor"), None, "so few fit on one page");
        let mut listed: Vec<_> = list["conversations"].as_array().expect("a list").clone();
        listed.sort_by_key(|it| self.place(&it["conversation_id"]));
        listed.iter().map(summary).collect()
    }

    /// The trace and the messages of a conversation.
    async fn transcript(&self, at: usize) -> Value {
        let arguments = json!({ "conversation_id": self.talks[at], "limit": 200 });
        let conversation =
            self.call("get_conversation", arguments).await.expect("the operator sees it");
        let steps = conversation["steps"].as_array().expect("steps").iter();
        let steps = steps.map(|it| json!([it["state"], it["caused_by"], it["cause"]]));
        let messages = conversation["messages"].as_array().expect("messages").iter();
        let messages = messages.map(|message| {
            let read = message.get("readAt").is_some();
            json!([
                message["sequence"],
                message["senderId"],
                message["recipientId"],
                message["content"],
                read
            ])
        });
        json!({ "steps": steps.collect::<Vec<_>>(), "messages": messages.collect::<Vec<_>>() })
    }

    /// A call: its output, or the code and the status of its refusal.
    async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        match self.component.round(tool, arguments, json!({})).await {
            SoloOutcome::Done(output) => {
                let json = output.structured.expect("the tool has a structured output");
                Ok(serde_json::from_str(&json).expect("the output is JSON"))
            }
            SoloOutcome::Failed(failure) => {
                let status = failure["status"].as_u64().and_then(|it| u16::try_from(it).ok());
                Err((text(&failure["error"]), status.unwrap_or_default()))
            }
            other => panic!("{tool} neither answers nor refuses: {other:?}"),
        }
    }

    fn place(&self, id: &Value) -> usize {
        let place = self.talks.iter().position(|it| *id == **it);
        place.unwrap_or_else(|| panic!("nobody started {id}"))
    }

    /// A conversation's name for its id; null for none.
    fn talk(&self, id: &Value) -> Value {
        if id.is_null() { Value::Null } else { named(self.place(id)).into() }
    }

    /// The id of the conversation at that place, or one of none.
    fn id(&self, at: usize) -> &str {
        let at = at.checked_rem(self.talks.len());
        at.map_or("conv_none", |it| &self.talks[it])
    }
}

/// One conversation as the model has it.
fn summary(conversation: &Value) -> Value {
    let members = conversation["members"].as_array().expect("members");
    let of = |name: &str| members.iter().map(|it| it[name].clone()).collect::<Vec<_>>();
    json!({
        "state": conversation["state"], "purpose": conversation["purpose"],
        "sides": of("agent_id"), "unread": of("unread"),
        "messages": conversation["messages"], "turns": conversation["turns"], "max_turns": conversation["max_turns"],
        "ended_by": conversation["ended_by"], "end_reason": conversation["end_reason"],
        "reason_text": conversation["reason_text"], "paused": conversation.get("paused_at").is_some(),
    })
}

/// The tool and its arguments, without the token and the conversation's id.
fn request(who: Who, act: &Act, text: &str) -> (&'static str, Value) {
    let to = |target: Target| match target {
        Target::Agent(agent) => IDS[agent],
        Target::Person => IDS[3],
        Target::Unknown => "nobody",
        Target::Outsider => "outsider",
    };
    let (tool, mut arguments) = match act {
        Act::Start { target, purpose, initial, max_turns } => {
            let purpose = purpose.then(|| format!("{text} for"));
            let arguments = json!({
                "target_agent_id": to(*target), "purpose": purpose,
                "initial_message": initial.then_some(text), "max_turns": max_turns,
            });
            ("start_conversation", arguments)
        }
        Act::End { last_words, why, .. } => {
            let why = why.then(|| format!("{text} because"));
            let arguments =
                json!({ "final_message": last_words.then_some(text), "reason_text": why });
            ("end_conversation", arguments)
        }
        Act::Send { target, client } => {
            let content = words(IDS[who], *client, text);
            let client = client.map(|it| format!("client {}", it.0));
            let arguments = json!({
                "target_agent_id": to(*target), "content": content, "client_message_id": client,
            });
            ("send_message", arguments)
        }
        Act::Respond { target, client } => {
            let content = words(IDS[who], *client, text);
            let client = client.map(|it| format!("client {}", it.0));
            let arguments = json!({
                "target_agent_id": target.map(|it| IDS[it]), "content": content,
                "client_message_id": client,
            });
            ("respond_chat", arguments)
        }
        Act::Pending => ("get_pending_messages", json!({})),
        Act::Next => ("get_next_action", json!({})),
        Act::Logout => ("logout", json!({})),
    };
    let given = arguments.as_object_mut().expect("arguments are an object");
    given.retain(|_, it| !it.is_null());
    (tool, arguments)
}
