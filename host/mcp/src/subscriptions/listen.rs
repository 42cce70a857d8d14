//! Clients of the modern era that listen (`subscriptions/listen`): served past the SDK, whose filter knows nothing of
//! tasks, and which says that it listens before it does.

use std::{collections::BTreeSet, sync::Arc};

use parking_lot::Mutex;
use rmcp::{
    ErrorData,
    model::{
        CustomNotification, CustomResult, ErrorCode, ServerNotification, SubscriptionFilter,
        SubscriptionsListenResult, TaskStatusNotification, TaskStatusNotificationParams,
    },
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{LISTEN, SUBSCRIPTIONS_MAX, Subscriptions, Wanted, send};
use crate::{Context, McpServer, Result, tasks, wire};
use base::unreadable;
use sandbox::definition::check_uri;

/// Where the filter is put: the SDK, which cannot read that, leaves the request to us as it stands.
const SET_ASIDE: &str = "madoguchi/notifications";
/// Resources of which it is looked whether they can be told of; the rest is left out.
const ASKED_MAX: usize = 4 * SUBSCRIPTIONS_MAX;
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// What a client wants to be notified of.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Filter {
    task_ids: Option<Vec<String>>,
    #[serde(flatten)]
    lists: SubscriptionFilter,
}

/// The bytes of a request to listen, as it is to reach the SDK; none of any other.
pub(crate) fn set_aside(request: &[u8]) -> Option<Vec<u8>> {
    let mut request: Value = serde_json::from_slice(request).ok()?;
    if request["method"] != LISTEN {
        return None;
    }
    let params = request.get_mut("params")?.as_object_mut()?;
    let filter = params.remove("notifications")?;
    params.insert(SET_ASIDE.to_owned(), filter);
    serde_json::to_vec(&request).ok()
}

impl McpServer {
    /// Serves a client that listens, `params` as they were set aside, until it goes; none where they were not.
    ///
    /// # Errors
    /// That it must take tasks, that its filter cannot be read, or that there are too many listeners.
    pub(crate) async fn serve_listener(
        &self,
        params: Option<&Value>,
        context: &Context,
    ) -> Result<Option<CustomResult>> {
        let Some(filter) = params.and_then(|it| it.get(SET_ASIDE)) else { return Ok(None) };
        let Filter { task_ids, mut lists } = Filter::deserialize(filter).map_err(|error| {
            let why = unreadable::why(&error.to_string());
            ErrorData::invalid_params(format!("params of {LISTEN}: {why}"), None)
        })?;
        if task_ids.is_some() && !tasks::takes_tasks(context) {
            return Err(tasks::needs_tasks());
        }
        let caller = self.caller(context);
        if let Some(uris) = &mut lists.resource_subscriptions {
            uris.truncate(ASKED_MAX);
            uris.retain(|it| check_uri(it).is_ok() && self.may_tell(it, &caller));
            uris.truncate(SUBSCRIPTIONS_MAX);
        }
        // What is false or empty is as if it were not there.
        let lists = lists.intersection(&lists);
        // Listens from here on, so that nothing in between is lost.
        let caller = Arc::new(Mutex::new(caller));
        let news = Subscriptions::new(&self.registry, &self.events, caller);
        let listening = self.listening(&news)?;
        let mut accepted = serde_json::to_value(&lists).unwrap_or_default();
        let mut own = BTreeSet::new();
        if let Some(ids) = task_ids {
            for id in ids.into_iter().take(SUBSCRIPTIONS_MAX) {
                if self.detailed(&id, context).await.is_ok() {
                    own.insert(id);
                }
            }
            accepted["taskIds"] = json!(own);
        }
        let mut wanted = Wanted { lists, tasks: own };
        let params = json!({ "notifications": accepted });
        let acknowledged = CustomNotification::new(ACKNOWLEDGED, Some(params));
        // What happened to a task before its client listened would not be told otherwise.
        if send(context, ServerNotification::CustomNotification(acknowledged)).await
            && self.tell_tasks(&mut wanted.tasks, |_| true, context).await
        {
            self.tell_until_gone((news, listening), wanted, context).await;
        }
        let mut result = SubscriptionsListenResult::complete(context.id.clone());
        result.meta.set_server_info(rmcp::ServerHandler::get_info(self).server_info);
        let result = serde_json::to_value(result).map_err(|_| wire::cancelled())?;
        Ok(Some(CustomResult::new(result)))
    }

    /// Tells how those of `tasks` stand of which `is_told` says so; whether the client takes it. What is over, or whose
    /// time is up, is left out from then on: it changes no more.
    pub(super) async fn tell_tasks(
        &self,
        tasks: &mut BTreeSet<String>,
        is_told: impl Fn(&str) -> bool,
        context: &Context,
    ) -> bool {
        let ids: Vec<_> = tasks.iter().filter(|it| is_told(it)).cloned().collect();
        for id in ids {
            let task = self.detailed(&id, context).await;
            let is_over = match &task {
                Ok(task) => task.status().is_terminal(),
                Err(error) => error.code == ErrorCode::INVALID_PARAMS,
            };
            if is_over {
                tasks.remove(&id);
            }
            let Ok(task) = task else { continue };
            let status = TaskStatusNotification::new(TaskStatusNotificationParams::new(task));
            if !send(context, ServerNotification::TaskStatusNotification(status)).await {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_filters_of_listeners_aside_and_nothing_else() {
        let listen = [
            r#"{"id":1,"method":"subscriptions/listen","params":{"notifications":{"taskIds":["a"]}}}"#,
            r#"{"id":1,"method":"subscriptions\/listen","params":{"notifications":{}}}"#,
        ];
        let others = [
            r#"{"id":1,"method":"subscriptions/listen","params":{}}"#,
            r#"{"id":1,"method":"tools/call","params":{"notifications":{"taskIds":["a"]}}}"#,
            "no JSON \"subscriptions/listen\"",
        ];
        for other in others {
            assert_eq!(set_aside(other.as_bytes()), None, "{other}");
        }
        let aside = |it: &str| -> Value {
            serde_json::from_slice(&set_aside(it.as_bytes()).unwrap()).unwrap()
        };
        assert_eq!(aside(listen[0])["params"], json!({ SET_ASIDE: { "taskIds": ["a"] } }));
        assert_eq!(aside(listen[1])["params"], json!({ SET_ASIDE: {} }));
    }
}
