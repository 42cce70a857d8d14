//! `calls`: tools that a component calls on its caller's behalf.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, OnceLock, Weak},
};

use futures::future::{BoxFuture, join_all};

use crate::{
    bindings::madoguchi::tool::calls as wit, call::TraceHeaders, caller::Caller,
    capability::state::CallState, failure::Failure, tool_set::ToolSet,
};

pub(crate) use wit::{Offer as ToolOffer, Outcome as ToolOutcome, Request};

/// Calls of tools that one function makes at once, and approvals that it asks for.
const AT_ONCE_MAX: usize = 64;

/// The tools that one component may call, and who calls them for it.
#[derive(Clone, Default)]
pub(crate) struct ToolCalls {
    pub(crate) tools: ToolSet,
    /// Those that run without being allowed one by one.
    pub(crate) trusts: BTreeSet<String>,
    pub(crate) executor: Executor,
}

/// What a component's calls go by while it answers a call or a request.
#[derive(Clone, Default)]
pub(crate) struct Asking {
    /// The components of which calls of tools wait for this one, and the one that makes it, the outermost
    /// first. A request for a route is no call of a tool.
    pub(crate) chain: Vec<Arc<str>>,
    trace: TraceHeaders,
    /// The approvals of the whole call.
    held: Arc<Mutex<Vec<String>>>,
    /// Those whose outcomes this round has been given.
    used: Arc<Mutex<BTreeSet<String>>>,
}

impl Asking {
    /// That of a call that came through `chain`, whose earlier rounds left the approvals `held`.
    pub(crate) fn of_call(chain: Vec<Arc<str>>, trace: TraceHeaders, held: &[String]) -> Self {
        let held = Arc::new(Mutex::new(held.to_vec()));
        Self { chain, trace, held, used: Arc::default() }
    }

    /// That of a request for a route.
    pub(crate) fn of_request(trace: TraceHeaders) -> Self {
        Self { trace, ..Self::default() }
    }

    /// That of the next round.
    pub(crate) fn round(&self) -> Self {
        Self { used: Arc::default(), ..self.clone() }
    }

    /// The approvals of the call.
    pub(crate) fn held(&self) -> Vec<String> {
        self.held.lock().unwrap_or_else(|it| it.into_inner()).clone()
    }

    /// One more, whose outcome is given now.
    pub(crate) fn hold(&self, id: &str) {
        self.held.lock().unwrap_or_else(|it| it.into_inner()).push(id.to_owned());
        self.uses(id);
    }

    /// Takes the approval `id` for one request of this round; false where another one has it.
    pub(crate) fn uses(&self, id: &str) -> bool {
        self.used.lock().unwrap_or_else(|it| it.into_inner()).insert(id.to_owned())
    }
}

/// Who asks, on whose behalf.
#[derive(Clone)]
pub(crate) struct Requested {
    pub(crate) component: Arc<str>,
    pub(crate) caller: Caller,
    pub(crate) tools: Arc<ToolCalls>,
    pub(crate) asking: Asking,
    pub(crate) trace: TraceHeaders,
}

/// Who calls tools for components.
pub(crate) trait CallsTools: Send + Sync {
    /// The tools that may be called.
    fn offers(&self, by: &Requested) -> Vec<ToolOffer>;

    /// Makes one call.
    fn call(&self, by: Requested, request: Request) -> BoxFuture<'static, ToolOutcome>;

    /// What became of a call that was held.
    fn held(&self, by: Requested, id: String) -> BoxFuture<'static, ToolOutcome>;
}

/// Who calls tools, once the server is put together, and for as long as it is there: components hold
/// this, and are held by the one who calls them.
#[derive(Clone, Default)]
pub(crate) struct Executor(Arc<OnceLock<Weak<dyn CallsTools>>>);

impl Executor {
    /// Takes `calls`, whoever keeps it.
    pub(crate) fn put(&self, calls: &Arc<impl CallsTools + 'static>) {
        let calls = Arc::downgrade(calls);
        let _ = self.0.set(calls);
    }
}

impl CallState {
    /// Who asks; none where there is no caller, or nobody who calls tools.
    fn requested(&self) -> Option<(Requested, Arc<dyn CallsTools>)> {
        let context = &self.context;
        let calls = &context.reach.calls;
        let executor = calls.executor.0.get()?.upgrade()?;
        let asking = context.asking.clone()?;
        let parent = context.span.traceparent().map(Into::into);
        let trace = match parent {
            Some(_) => TraceHeaders { parent, state: None },
            None => asking.trace.clone(),
        };
        let requested = Requested {
            component: context.component.clone(),
            caller: context.caller.clone(),
            tools: Arc::new(calls.clone()),
            asking,
            trace,
        };
        Some((requested, executor))
    }
}

impl wit::Host for CallState {
    async fn offers(&mut self) -> Vec<ToolOffer> {
        self.requested().map(|(by, executor)| executor.offers(&by)).unwrap_or_default()
    }

    async fn call(&mut self, requests: Vec<Request>) -> Vec<ToolOutcome> {
        let most = AT_ONCE_MAX.min(usize::try_from(self.tool_calls_left).unwrap_or(usize::MAX));
        let made = requests.len().min(most);
        self.tool_calls_left -= u32::try_from(made).unwrap_or(self.tool_calls_left);
        let Some((by, executor)) = self.requested() else {
            return requests.iter().map(|_| failed(&no_caller())).collect();
        };
        let rest = requests.len() - made;
        let calls = requests.into_iter().take(made).map(|it| executor.call(by.clone(), it));
        let mut outcomes = join_all(calls).await;
        outcomes.extend((0..rest).map(|_| failed(&too_many())));
        outcomes
    }

    async fn held(&mut self, ids: Vec<String>) -> Vec<ToolOutcome> {
        let Some((by, executor)) = self.requested() else {
            return ids.iter().map(|_| failed(&no_caller())).collect();
        };
        let rest = ids.len().saturating_sub(AT_ONCE_MAX);
        let asked = ids.into_iter().take(AT_ONCE_MAX).map(|it| executor.held(by.clone(), it));
        let mut outcomes = join_all(asked).await;
        outcomes.extend((0..rest).map(|_| failed(&too_many())));
        outcomes
    }
}

pub(crate) fn failed(failure: &Failure) -> ToolOutcome {
    ToolOutcome::Failed(failure.object().to_string())
}

fn no_caller() -> Failure {
    let message = "There is no caller on whose behalf a tool could be called; calls are there while a call or a request is answered.";
    Failure::new("no_caller", 403, message)
}

fn too_many() -> Failure {
    let message = "Too many calls of tools: 64 at once, and tool_calls_max in one call.";
    Failure::new("too_many_calls", 429, message)
}
