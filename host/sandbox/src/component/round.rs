//! One round of a call: its context, its caller, and its run in an instance.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::runtime::Handle;
use wasmtime::{Store, component::Instance};

use super::{
    CallError, Called, Invocation, LoadError, LoadedComponent, Output, Stop,
    concurrency::{Place, Places},
    error::limit_of,
    exports::Tools,
    output_check,
};
use crate::{
    capability::state::{CallContext, CallState, Round},
    listed::Unfit,
    scheduler::{TurnState, Turns},
};

impl LoadedComponent {
    /// Runs one round of a call in an instance of its own, gone when the round ends.
    ///
    /// Results are checked: `structured` and other JSON fields are JSON objects.
    pub fn call<'a>(&'a self, invocation: &'a Invocation, round: Round) -> Called<'a, Output> {
        Box::pin(async move {
            let check = |output: &Output| {
                self.output_check.output(&invocation.name, output, self.setup.limits.check_outputs)
            };
            match &self.exports.tools {
                Tools::Own(export) => {
                    self.answered(round, check, async |store, instance| {
                        let tools = export.load(&mut *store, &instance)?;
                        Ok(tools.call_call(store, invocation).await?.map_err(CallError::Stopped))
                    })
                    .await
                }
                Tools::Awaiting(export) => {
                    self.answered(round, check, async |store, instance| {
                        let called = export.call(store, instance, invocation).await?;
                        Ok(called.map_err(CallError::Stopped))
                    })
                    .await
                }
                Tools::Listed(listed) => {
                    let call_id = round.call_id;
                    self.answered(round, check, async |store, instance| {
                        let ran = listed.run(store, instance, invocation).await?;
                        Ok(ran.map_err(|unfit| match unfit {
                            Unfit::Stopped(stop) => CallError::Stopped(stop),
                            Unfit::Broken(what) => self.broken(call_id, what),
                        }))
                    })
                    .await
                }
                Tools::Lifted(lifted) => {
                    let bytes_max = self.setup.limits.output_bytes_max;
                    let call = lifted.prepare(invocation, bytes_max).map_err(CallError::Stopped)?;
                    self.answered(round, check, async |store, instance| {
                        Ok(call.run(store, instance).await?.map_err(CallError::Stopped))
                    })
                    .await
                }
            }
        })
    }

    /// Runs a round that may end in questions, in a slot, and checks its output by `check`.
    pub(super) async fn answered<T>(
        &self,
        round: Round,
        check: impl FnOnce(&T) -> Result<(), String>,
        body: impl AsyncFnOnce(
            &mut Store<CallState>,
            Instance,
        ) -> wasmtime::Result<Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let (_place, deadline) =
            self.place((&self.queues.calls, &round), self.setup.limits.deadline_ms).await?;
        let _running = self.setup.tally.running.hold();
        let call_id = round.call_id;
        let result = self.round(self.context(round, deadline), body).await;
        self.count(&result).await;
        let result = result?;
        let checked = match &result {
            Ok(it) => check(it),
            Err(CallError::Stopped(Stop::InputRequired(it)))
                if it.questions.len() > output_check::QUESTIONS_MAX =>
            {
                let (component, limit) = (self.name.clone(), "questions_max");
                return Err(CallError::LimitExceeded { component, call_id, limit });
            }
            Err(CallError::Stopped(Stop::InputRequired(it))) => output_check::questions(it),
            Err(_) => Ok(()),
        };
        checked.map_err(|what| self.broken(call_id, what))?;
        result
    }

    /// Runs `body` in one of the places of the component's calls.
    pub(super) async fn in_place<T>(
        &self,
        round: Round,
        body: impl AsyncFnOnce(&mut Store<CallState>, Instance) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        let (_place, deadline) =
            self.place((&self.queues.calls, &round), self.setup.limits.deadline_ms).await?;
        self.round(self.context(round, deadline), body).await
    }

    /// Runs `body` in a slot of `places` with the limit `route_ms_max`, and counts it as a call. `context` adds to
    /// the common context.
    pub(super) async fn in_long_place<T>(
        &self,
        places: &Places,
        round: Round,
        context: impl FnOnce(CallContext) -> CallContext,
        body: impl AsyncFnOnce(&mut Store<CallState>, Instance) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        let (_place, deadline) =
            self.place((places, &round), self.setup.limits.route_ms_max).await?;
        let _running = self.setup.tally.running.hold();
        let result = self.round(context(self.context(round, deadline)), body).await;
        let result = result.map_err(|it| it.of_deadline("route_ms_max"));
        self.count(&result).await;
        result
    }

    /// Counts how a call of the version ended.
    async fn count<T>(&self, result: &Result<T, CallError>) {
        let has_trapped =
            matches!(result, Err(CallError::Trapped { .. } | CallError::LimitExceeded { .. }));
        self.setup.version.count(&self.name, has_trapped).await;
    }

    /// Queries the component while it is loaded, without a slot.
    pub(super) async fn described<T>(
        &self,
        body: impl AsyncFnOnce(&mut Store<CallState>, Instance) -> wasmtime::Result<T>,
    ) -> Result<T, LoadError> {
        let deadline = Instant::now() + Duration::from_millis(self.setup.limits.deadline_ms);
        self.round(self.context(Round::of_host(), deadline), body)
            .await
            .map_err(LoadError::Describe)
    }

    /// Takes a slot for `round` and computes the deadline, which includes the wait. Fails if the settings were
    /// rejected, because the component would answer as if there were none.
    async fn place<'a>(
        &self,
        (places, round): (&'a Places, &Round),
        ms_max: u64,
    ) -> Result<(Place<'a>, Instant), CallError> {
        self.check_settings()?;
        let patience = Duration::from_millis(ms_max);
        let deadline = Instant::now() + patience;
        let place = places.take(round.caller.share(), patience, &self.setup.tally).await;
        place.map(|place| (place, deadline)).map_err(|retry_after_ms| self.busy(retry_after_ms))
    }

    pub(super) fn check_settings(&self) -> Result<(), CallError> {
        let refused = || CallError::SettingsRefused { component: self.name.clone() };
        if self.are_settings_refused { Err(refused()) } else { Ok(()) }
    }

    fn busy(&self, retry_after_ms: u64) -> CallError {
        CallError::Busy { component: self.name.clone(), retry_after_ms }
    }

    /// Error for invalid output.
    pub(super) fn broken(&self, call_id: u64, what: impl Into<String>) -> CallError {
        CallError::Broken { component: self.name.clone(), call_id, what: what.into() }
    }

    /// The turn state of the component's next call.
    pub fn turn_state(&self) -> Arc<TurnState> {
        self.usage.turn_state()
    }

    /// Threads for calls that take turns.
    pub fn heavy(&self) -> Option<Handle> {
        self.sandbox.heavy().cloned()
    }

    /// Calls that are in `wait` now.
    pub fn waiting(&self) -> usize {
        self.queues.waiters.taken()
    }

    pub(super) fn context(&self, round: Round, deadline: Instant) -> CallContext {
        CallContext {
            component: self.name.clone(),
            setup: self.setup.clone(),
            round,
            deadline,
            memory: self.memory.clone(),
            events: None,
            is_job: false,
            part: None,
        }
    }

    /// Runs `body` on a fresh store under the component's limits, over by the context's deadline.
    pub(super) async fn round<T>(
        &self,
        context: CallContext,
        body: impl AsyncFnOnce(&mut Store<CallState>, Instance) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        let (call_id, component) = (context.round.call_id, self.name.clone());
        let deadline = context.deadline;
        let patience = deadline.saturating_duration_since(Instant::now());
        let tally = self.setup.tally.clone();
        let instance = self.sandbox.instances.take(&tally.instances, patience).await;
        let Some(_instance) = instance else {
            return Err(self.busy(self.queues.calls.retry_after_ms()));
        };
        let (turn_state, span) = (context.round.turn_state.clone(), context.round.span.clone());
        let owner = context.round.caller.share();
        let mut store = self.sandbox.store(self.pre.engine(), context);
        let result = {
            // In a box, or its kilobytes would be moved once for each future around it.
            let mut body = Box::pin(async {
                let instance = {
                    let _span = span.child("instantiate");
                    self.pre.instantiate_async(&mut store).await?
                };
                body(&mut store, instance).await
            });
            let whose = (&self.usage, owner);
            let turns = Turns::new(body.as_mut(), turn_state, whose, &self.sandbox.scheduler);
            tokio::time::timeout_at(deadline.into(), turns).await
        };
        let exceeded =
            |limit| CallError::LimitExceeded { component: component.clone(), call_id, limit };
        match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(source)) => {
                let broken = store.data().limiter.broken.or_else(|| limit_of(&source));
                if let Some(limit) = broken {
                    return Err(exceeded(limit));
                }
                let places = self.lines.places(&source).await;
                Err(CallError::Trapped { component, call_id, source, places })
            }
            Err(_) => Err(exceeded("deadline_ms")),
        }
    }
}
