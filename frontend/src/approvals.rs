//! Calls that wait for the reader's approval: an assistant or a component wants to make them on the reader's behalf.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::Loaded;
use crate::error::{CallError, Refusal};
use crate::page::{Admission, lasting, page};
use crate::rest;
use crate::route::encoded;
use crate::table::listed;
use crate::text::{Key, Lang};

/// Maximum number of approvals drawn at once.
const SHOWN_MAX: usize = 100;

/// One pending call, as listed by the host.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Approval {
    pub(crate) id: String,
    pub(crate) state: String,
    pub(crate) tool: String,
    /// The tool's title in the reader's language.
    pub(crate) title: Option<String>,
    /// The component or other server that offers the tool.
    pub(crate) owner: Option<String>,
    pub(crate) is_destructive: bool,
    /// The host's description: a sentence, then a line per detail.
    pub(crate) words: String,
    pub(crate) arguments: Value,
    pub(crate) arguments_sha256: String,
    pub(crate) reason: String,
    /// `assistant:NAME` or `component:NAME`.
    pub(crate) asked_by: String,
    pub(crate) asked_at: String,
    pub(crate) expires_at: Option<String>,
    /// What has changed about the tool since the last request.
    pub(crate) changed: Vec<String>,
    /// Questions of the tool, if it was run and asks any.
    pub(crate) questions: Vec<Question>,
    pub(crate) error: Option<Refusal>,
}

impl Approval {
    /// Whether the call was allowed; none while it waits or runs, and if it has expired or was replaced.
    pub(crate) fn was_allowed(&self) -> Option<bool> {
        match self.state.as_str() {
            "done" | "failed" | "begun" => Some(true),
            "denied" => Some(false),
            _ => None,
        }
    }
}

/// A tool's question: `schema` for a form, `url` for a page elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Question {
    pub(crate) key: String,
    pub(crate) message: String,
    pub(crate) schema: Option<Value>,
    pub(crate) url: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decision {
    Allow,
    Deny,
    /// `{KEY: {action, content}}`.
    Answers(Value),
}

/// All pending approvals, kept up to date while the page is open.
#[derive(Clone, Copy)]
pub(crate) struct Inbox {
    /// Each an unparsed [`Approval`]: most visits need only their number.
    pub(crate) waiting: RwSignal<Loaded<Vec<Value>>>,
    number: StoredValue<u32>,
}

/// Results of the reader's decisions.
#[derive(Clone, Copy)]
pub(crate) struct Answered {
    /// Why the last decision was not accepted. Its approval may have left the list.
    pub(crate) failed: RwSignal<Option<CallError>>,
    /// The last decision of this window: the approval's id and whether it was allowed. A chat of this window may wait
    /// for it.
    pub(crate) decided: RwSignal<Option<(String, bool)>>,
}

impl Answered {
    /// Returns the page's own instance.
    pub(crate) fn shared() -> Self {
        lasting(|| Self { failed: RwSignal::new(None), decided: RwSignal::new(None) })
    }
}

impl Inbox {
    pub(crate) fn new() -> Self {
        let inbox = Self { waiting: RwSignal::new(Loaded::Loading), number: StoredValue::new(0) };
        Effect::new(move |_| {
            page().approvals.track();
            page().lang.track();
            if page().admission.get() == Admission::Open {
                inbox.load();
            } else {
                inbox.waiting.set(Loaded::Loading);
            }
        });
        inbox
    }

    /// Fetches the list. The old list is shown meanwhile.
    pub(crate) fn load(self) {
        self.number.update_value(|it| *it = it.wrapping_add(1));
        let number = self.number.get_value();
        spawn_local(async move {
            let found = rest::get::<Value>("/api/approvals").await;
            if self.number.try_get_value() != Some(number) {
                return;
            }
            match found {
                Ok(value) => {
                    let listed = listed(&value, "approvals");
                    let listed = listed.iter().take(SHOWN_MAX).cloned().collect::<Vec<_>>();
                    let count = listed.len();
                    let before = self.waiting.with_untracked(|it| it.ready().map_or(0, Vec::len));
                    if count > before {
                        let lang = Lang::now();
                        let received = lang.fill(Key::ApprovalsAnnounced, &[&count.to_string()]);
                        page().announce(received);
                    }
                    self.waiting.set(Loaded::Ready(listed));
                }
                Err(error) if self.waiting.with_untracked(|it| it.ready().is_none()) => {
                    self.waiting.set(Loaded::Failed(error));
                }
                // An old list is better than none.
                Err(_) => {}
            }
        });
    }

    /// Sends the reader's decision about the arguments shown to them. Returns the call's new state.
    pub(crate) async fn say(
        self,
        approval: &Approval,
        decision: &Decision,
    ) -> Result<Approval, CallError> {
        let sha = &approval.arguments_sha256;
        let body = match decision {
            Decision::Allow => json!({ "allow": true, "argumentsSha256": sha }),
            Decision::Deny => json!({ "allow": false }),
            Decision::Answers(answers) => json!({ "answers": answers }),
        };
        let address = format!("/api/approvals/{}", encoded(&approval.id));
        let result = rest::post::<Approval>(&address, &body).await;
        self.load();
        if let Ok(now) = &result
            && now.id == approval.id
            && let Some(was_allowed) = now.was_allowed()
        {
            Answered::shared().decided.set(Some((now.id.clone(), was_allowed)));
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_approval_of_an_untitled_tool() {
        let listed = json!({ "id": "a", "tool": "reserve_seats", "title": null, "owner": "shop" });
        let approval: Approval = serde_json::from_value(listed).unwrap();
        assert_eq!((approval.title, approval.owner.as_deref()), (None, Some("shop")));
    }

    #[test]
    fn knows_whether_a_finished_call_was_allowed() {
        let was_allowed =
            |state: &str| Approval { state: state.to_owned(), ..Approval::default() }.was_allowed();
        assert_eq!(["done", "failed", "begun"].map(was_allowed), [Some(true); 3]);
        assert_eq!(was_allowed("denied"), Some(false));
        assert_eq!(["waiting", "asking", "running", "expired"].map(was_allowed), [None; 4]);
    }
}
