//! The interfaces `assistant-calls` and `dialogues`: for a component that runs assistants, calls of their tools and of
//! dialogue components.

use std::{sync::Arc, time::Duration};

use futures::{
    FutureExt,
    future::{join_all, ready},
};
use tokio::{task::JoinSet, time::timeout};
use wasmtime::component::Resource;

use super::{
    Acting, Acts, Requested, RunUsage, Surroundings,
    calls::{AT_ONCE_MAX, no_caller, too_many},
};
use crate::{
    bindings::{
        Calls, Counting,
        madoguchi::tool::{assistant_calls as wit, dialogues},
    },
    capability::state::CallState,
};

/// Bytes of the status with which a run ended, and of a provider's name.
const OUTCOME_BYTES_MAX: usize = 32;

impl CallState {
    /// The context of a configured assistant.
    fn acting(
        &self,
        assistant: String,
        manner: Option<wit::Manner>,
    ) -> Option<(Requested, Arc<dyn Surroundings>)> {
        let policy = self.context.setup.reach.assistants.as_ref()?.policy(&assistant)?.clone();
        let part = self.context.part.clone();
        let (language, capabilities) =
            manner.map_or((None, None), |it| (it.language, it.capabilities));
        let acting = Acting { assistant, policy, part, language, capabilities };
        self.requested(Acts::Assistant(Arc::new(acting)))
    }
}

impl wit::Host for CallState {
    async fn tools(&mut self, assistant: String) -> wasmtime::Result<Vec<wit::Tool>> {
        let offers = self.acting(assistant, None).map(|(by, around)| around.offers(&by));
        Ok(offers.unwrap_or_default())
    }

    async fn lacks(&mut self, assistant: String, tool: String) -> wasmtime::Result<bool> {
        let acting = self.acting(assistant, None);
        Ok(acting.is_some_and(|(by, around)| match by.acts {
            Acts::Assistant(it) => it.policy.names(&tool) && around.lacks(&tool),
            Acts::Itself(_) => false,
        }))
    }

    async fn call(
        &mut self,
        assistant: String,
        requests: Vec<wit::Request>,
        manner: wit::Manner,
    ) -> wasmtime::Result<Resource<Calls>> {
        let made = self.take_calls(requests.len());
        let acting = self.acting(assistant, Some(manner));
        let mut calls = JoinSet::new();
        for (index, request) in (0_u32..).zip(requests) {
            let refused = |why| ready(wit::Outcome::Failed(why)).boxed();
            let call = match &acting {
                None => refused(no_caller()),
                Some(_) if index as usize >= made => refused(too_many()),
                Some((by, around)) => around.call(by.clone(), request),
            };
            calls.spawn(async move {
                let began = std::time::Instant::now();
                let outcome = call.await;
                let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                wit::Ended { index, outcome, ms }
            });
        }
        Ok(self.table.push(Calls(calls))?)
    }

    async fn approvals(
        &mut self,
        assistant: String,
        ids: Vec<String>,
        ms_max: u64,
    ) -> wasmtime::Result<Vec<Option<wit::Approval>>> {
        let Some((by, around)) = self.acting(assistant, None) else {
            return Ok(ids.iter().map(|_| None).collect());
        };
        let (patience, rest) =
            (Duration::from_millis(ms_max), ids.len().saturating_sub(AT_ONCE_MAX));
        let asked = ids.into_iter().take(AT_ONCE_MAX);
        let asked = asked.map(|it| around.held_call(by.clone(), it, patience));
        let mut found = join_all(asked).await;
        found.extend((0..rest).map(|_| None));
        Ok(found)
    }

    async fn withdraw(&mut self, assistant: String, id: String) -> wasmtime::Result<()> {
        if let Some((by, around)) = self.acting(assistant, None) {
            around.withdraw(by, id).await;
        }
        Ok(())
    }
}

impl wit::HostCalls for CallState {
    async fn next(
        &mut self,
        calls: Resource<Calls>,
        ms_max: u64,
    ) -> wasmtime::Result<Option<wit::Ended>> {
        let next = self.table.get_mut(&calls)?.0.join_next();
        match timeout(Duration::from_millis(ms_max), next).await {
            Ok(Some(Ok(ended))) => Ok(Some(ended)),
            Ok(Some(Err(error))) => Err(wasmtime::Error::msg(format!("a call broke off: {error}"))),
            Ok(None) | Err(_) => Ok(None),
        }
    }

    async fn drop(&mut self, calls: Resource<Calls>) -> wasmtime::Result<()> {
        self.table.delete(calls)?;
        Ok(())
    }
}

impl wit::HostTally for CallState {
    async fn new(
        &mut self,
        assistant: String,
        provider: String,
    ) -> wasmtime::Result<Resource<Counting>> {
        let around = self.context.setup.reach.around.get().filter(|_| is_word(&provider));
        let is_there =
            self.context.setup.reach.assistants.as_ref().is_some_and(|it| it.has(&assistant));
        let tally = around.filter(|_| is_there).and_then(|it| it.tally(&assistant, &provider));
        Ok(self.table.push(Counting(tally))?)
    }

    async fn end(
        &mut self,
        tally: Resource<Counting>,
        outcome: String,
        usage: wit::Usage,
    ) -> wasmtime::Result<()> {
        let tally = self.table.get_mut(&tally)?.0.take().filter(|_| is_word(&outcome));
        let wit::Usage { input_tokens, cached_tokens, output_tokens, cost_usd } = usage;
        let cost_usd = cost_usd.filter(|it| it.is_finite() && *it >= 0.0);
        if let Some(tally) = tally {
            tally.end(outcome, RunUsage { input_tokens, cached_tokens, output_tokens, cost_usd });
        }
        Ok(())
    }

    async fn drop(&mut self, tally: Resource<Counting>) -> wasmtime::Result<()> {
        self.table.delete(tally)?;
        Ok(())
    }
}

impl dialogues::Host for CallState {
    async fn names(&mut self, language: dialogues::Language) -> Vec<dialogues::Name> {
        let Some(around) = self.context.setup.reach.around.get() else { return Vec::new() };
        around.names(language).await
    }

    async fn ask(
        &mut self,
        turn: dialogues::Turn,
        memories: Vec<(String, String)>,
        only: Option<String>,
    ) -> Vec<dialogues::Heard> {
        let Some(around) = self.context.setup.reach.around.get() else { return Vec::new() };
        let replies = around.consult(turn, memories, only).await;
        let to_wit = |(component, reply): super::NamedReply| dialogues::Heard {
            component: component.to_string(),
            reply,
        };
        replies.into_iter().map(to_wit).collect()
    }
}

/// Whether it can stand in the operator's metrics.
fn is_word(text: &str) -> bool {
    let is_right = |it: u8| it.is_ascii_lowercase() || it == b'_';
    (1..=OUTCOME_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_right)
}
