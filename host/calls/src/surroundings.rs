//! Services that the host gives components: tools of others, assistant runs, and dialogue components.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures::{
    FutureExt,
    future::{BoxFuture, join, join_all},
};
use tokio::{sync::mpsc, task::AbortHandle};
use tokio_util::task::AbortOnDropHandle;

use super::{Calls, on_behalf::failure_text};
use base::call::Failure;
use registry::Catalog;
use sandbox::{
    bindings::madoguchi::tool::{
        sentences::{Language, Reply, Turn},
        tasks::Facts,
        types::Name,
    },
    capability::{
        Ask, Asking, ENDED, HeldCall, NamedReply, Part, Requested, Running, Surroundings,
        ToolOffer, ToolOutcome, ToolRequest, Written, failed,
    },
    component::{LoadedComponent, Round, RunRole},
};

/// Events of a run that wait to be passed on.
const EVENTS_WAITING_MAX: usize = 8;

impl Surroundings for Calls {
    fn offers(&self, by: &Requested) -> Vec<ToolOffer> {
        self.tool_offers(by)
    }

    fn lacks(&self, tool: &str) -> bool {
        let catalog = self.registry.catalog();
        catalog.component_for(tool).is_none() && catalog.served.tool(tool).is_none()
    }

    fn call(&self, by: Requested, request: ToolRequest) -> BoxFuture<'static, ToolOutcome> {
        let calls = self.clone();
        let place = calls.approvals.next_place();
        in_own_task(async move {
            let outcome = calls.requested(&by, request, place).await;
            outcome.unwrap_or_else(|it| ToolOutcome::Failed(failure_text(&by, &it)))
        })
    }

    fn held_call(
        &self,
        by: Requested,
        id: String,
        patience: Duration,
    ) -> BoxFuture<'static, Option<HeldCall>> {
        let calls = self.clone();
        async move { calls.held_for(&by, &id, patience).await }.boxed()
    }

    fn withdraw(&self, by: Requested, id: String) -> BoxFuture<'static, ()> {
        let calls = self.clone();
        async move { calls.withdraw(&by, &id).await }.boxed()
    }

    fn tally(&self, assistant: &str, provider: &str) -> Option<Running> {
        Some(self.watch.metrics.run(assistant, provider))
    }

    fn run(&self, ask: Ask) -> AbortHandle {
        let calls = self.clone();
        let run = async move {
            let events = ask.events.clone();
            let ended = calls.ran(ask).await;
            let _ = events.send(ended).await;
        };
        tokio::spawn(run).abort_handle()
    }

    fn about(&self, assistant: String) -> BoxFuture<'static, Option<Facts>> {
        let component = self.assistants();
        in_own_task(async move {
            let failure_text = component?.about_assistant(&assistant).await;
            failure_text.unwrap_or_else(|error| {
                tracing::warn!("nothing is known of the assistant {assistant}: {error}");
                None
            })
        })
    }

    fn names(&self, language: Language) -> BoxFuture<'static, Vec<Name>> {
        let catalog = self.registry.catalog();
        in_own_task(async move { names(&catalog, language).await })
    }

    fn consult(
        &self,
        turn: Turn,
        memories: Vec<(String, String)>,
        only: Option<String>,
    ) -> BoxFuture<'static, Vec<NamedReply>> {
        let catalog = self.registry.catalog();
        in_own_task(
            async move { consult(&catalog, turn, memories.into_iter().collect(), only).await },
        )
    }
}

/// Runs `asked` in a task of its own, which ends with the one that waits for it. A turn that is given to a component
/// that answers another must not wait for that other's turn, as it would in the same task.
fn in_own_task<T: Send + 'static>(
    asked: impl Future<Output = T> + Send + 'static,
) -> BoxFuture<'static, T> {
    async move {
        match AbortOnDropHandle::new(tokio::spawn(asked)).await {
            Ok(it) => it,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime ends, and what waits with it.
                Err(_) => std::future::pending().await,
            },
        }
    }
    .boxed()
}

impl Calls {
    /// The component that runs assistants: the one that answers the chat, or else the first that has leave for it.
    fn assistants(&self) -> Option<Arc<LoadedComponent>> {
        let catalog = self.registry.catalog();
        let named = self.config.endpoints.chat().and_then(|it| catalog.component(it));
        let mut there = named.into_iter().chain(catalog.components());
        there.find(|it| it.runs_assistants()).cloned()
    }

    /// Runs an assistant; its last event.
    async fn ran(&self, ask: Ask) -> Written {
        let Ask { component, task, caller, part, trace, chain, events } = ask;
        let Some(runs) = self.assistants() else {
            let why = "no component that is served runs assistants (grants = [\"runs\"])";
            return failed("missing", 503, why);
        };
        let part = part.map(|part| {
            let role = RunRole { tokens_max: part.tokens_max, memory: part.memory };
            Part::new(&component, part.given).map(|part| (role, Arc::new(part)))
        });
        let (role, part) = match part.transpose() {
            Ok(part) => part.unzip(),
            Err(why) => return failed("failed", 400, &why),
        };
        let mut asking = Asking::of_request(trace, Arc::default());
        asking.chain = chain;
        let round = Round {
            caller,
            turn_state: runs.turn_state(),
            asking: Some(asking),
            ..Round::of_host()
        };
        let (sender, mut written) = mpsc::channel::<Written>(EVENTS_WAITING_MAX);
        let running = runs.run_assistant((task, role), part, round, sender);
        let passing = async {
            // Its result is sent once, at the end.
            while let Some(event) = written.recv().await {
                if event.name != ENDED && events.send(event).await.is_err() {
                    return;
                }
            }
        };
        match tokio::join!(running, passing).0 {
            Ok(data) => Written { name: ENDED.to_owned(), data },
            Err(error) => {
                let failure = Failure::from(error);
                failed("failed", failure.status, &failure.message)
            }
        }
    }
}

/// Asks all dialogue components about `turn` concurrently, so that a slow one delays the answer only once.
async fn consult(
    catalog: &Catalog,
    turn: Turn,
    memories: BTreeMap<String, String>,
    only: Option<String>,
) -> Vec<NamedReply> {
    let mut components: Vec<_> =
        catalog.components().filter(|it| it.exports.dialogue.is_some()).cloned().collect();
    if let Some(at) = components.iter().position(|it| Some(&**it.name()) == only.as_deref()) {
        components = vec![components.swap_remove(at)];
    }
    let replies = components.into_iter().map(|component| {
        let memory = memories.get(&**component.name()).cloned().or_else(|| turn.memory.clone());
        let turn = Turn { memory, ..turn.clone() };
        async move {
            let name = component.name().clone();
            match component.next_in_dialogue(&turn).await {
                Ok(reply) => reply.map(|it: Reply| (name, Ok(it))),
                Err(error) => {
                    tracing::warn!(component = &*name, "it understood nothing: {error}");
                    Some((name, Err(Failure::from(error).message)))
                }
            }
        }
    });
    join_all(replies).await.into_iter().flatten().collect()
}

/// Names and sample sentences of all components. What a component fails to give is omitted.
async fn names(catalog: &Catalog, language: Language) -> Vec<Name> {
    let tag = match language {
        Language::Ja => "ja",
        Language::En => "en",
    };
    let all = catalog.components().filter(|it| it.has_names()).map(|component| async move {
        let both = join(component.names(), component.samples(tag)).await;
        let failure_text = <[_; 2]>::from(both).into_iter().map(|text| {
            text.unwrap_or_else(|error| {
                let name = component.name();
                tracing::warn!(component = &**name, "it does not say its names: {error}");
                Vec::new()
            })
        });
        failure_text.flatten().collect::<Vec<_>>()
    });
    join_all(all).await.into_iter().flatten().collect()
}
