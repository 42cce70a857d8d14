//! Resources and prompts of a component without a server.

use base::call::Failure;
use http::Method;
use sandbox::{
    capability::Written,
    component::{
        Agenda, Content, Contents, Datetime, Found, Job, JobOutcome, PromptInvocation, ReadRequest,
        RouteRequest,
    },
};
use serde_json::Value;
use tokio::sync::mpsc;

use super::Running;

impl Running {
    /// Reads `uri` like `resources/read`.
    ///
    /// # Errors
    /// The object that a client would read.
    pub async fn read(&self, uri: &str) -> Result<Vec<Contents>, Value> {
        let first_called_at = Datetime { seconds: 0, nanoseconds: 0 };
        let (answers, meta) = (Vec::new(), "{}".to_owned());
        let request =
            ReadRequest { uri: uri.to_owned(), answers, state: None, first_called_at, meta };
        let read = self.component.read_resource(&request, self.called()).await;
        read.map_err(|it| Failure::from(it).object())
    }

    /// The texts of a prompt's messages.
    ///
    /// # Errors
    /// The object that a client would read.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: &[(&str, &str)],
    ) -> Result<Vec<String>, Value> {
        let invocation = PromptInvocation {
            name: name.to_owned(),
            arguments: arguments.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect(),
            answers: Vec::new(),
            state: None,
            first_called_at: Datetime { seconds: 0, nanoseconds: 0 },
            meta: "{}".to_owned(),
        };
        let got = self.component.get_prompt(&invocation, self.called()).await;
        let output = got.map_err(|it| Failure::from(it).object())?;
        let text = |it| if let Content::Text(it) = it { Some(it.text) } else { None };
        Ok(output.messages.into_iter().filter_map(|it| text(it.content)).collect())
    }
}

// Jobs of a component without a server.

impl Running {
    /// Due jobs besides those with `running` keys.
    ///
    /// # Errors
    /// The error as logged.
    pub async fn due(&self, running: &[&str]) -> Result<Agenda, String> {
        if !self.component.has_jobs() {
            return Err("it has no jobs, or no leave to do them".to_owned());
        }
        let running: Vec<_> = running.iter().map(|it| (*it).to_owned()).collect();
        self.component.due(&running, None).await.map_err(|it| it.to_string())?
    }

    /// Runs a job.
    ///
    /// # Errors
    /// The error as logged.
    pub async fn run_job(&self, key: &str, input: &str) -> Result<JobOutcome, String> {
        let job = Job { key: key.to_owned(), input: input.to_owned() };
        self.component.run_job(&job, None).await.map_err(|it| it.to_string())?
    }
}

// A request to a component without a server.

/// Events that a request may write while nothing reads them.
const EVENTS_MAX: usize = 4_096;

/// Response of a request.
#[derive(Debug, PartialEq)]
pub struct Answered {
    /// The HTTP status of the answer.
    pub status: u16,
    /// The answer's body as JSON.
    pub body: Value,
    /// Events by name and data, if requested.
    pub events: Vec<(String, Value)>,
}

impl Running {
    /// Answers a request for one of its routes, as `METHOD /api/NAME/PATH` would be; with events, where
    /// the route writes any.
    ///
    /// # Errors
    /// The object that a client would read: there is no such route, or it stops.
    pub async fn request(&self, method: &str, path: &str, body: &str) -> Result<Answered, Value> {
        let refused = |status, why: &str| Failure::new("not_found", status, why).object();
        if let Some(why) = self.component.endpoints_error() {
            return Err(refused(404, &why));
        }
        let method = Method::from_bytes(method.as_bytes()).unwrap_or_default();
        let segments: Vec<_> = if path.is_empty() { Vec::new() } else { path.split('/').collect() };
        let (route, parameters) = match self.component.route(&method, &segments) {
            Found::Route(route, parameters) => (route, parameters),
            Found::Other(_) => return Err(refused(405, "The route has another method.")),
            Found::Nothing => return Err(refused(404, "There is no such route.")),
        };
        let now = self.component.setup.clock.now();
        let request = RouteRequest {
            method: method.to_string(),
            route: route.path.clone(),
            parameters,
            query: Vec::new(),
            content_type: None,
            body: Ok(body.as_bytes().to_owned()),
            wants_events: route.streams,
            received_at: Datetime { seconds: now.as_secs(), nanoseconds: now.subsec_nanos() },
            meta: "{}".to_owned(),
        };
        let (sender, mut events) = mpsc::channel::<Written>(EVENTS_MAX);
        let sender = route.streams.then_some(sender);
        let answer = self.component.handle(&request, self.called(), sender).await;
        let answer = answer.map_err(|it| Failure::from(it).object())?;
        let read = |json: &str| serde_json::from_str(json).unwrap_or_default();
        let mut answered =
            Answered { status: answer.status, body: read(&answer.body), events: Vec::new() };
        while let Ok(event) = events.try_recv() {
            answered.events.push((event.name, read(&event.data)));
        }
        Ok(answered)
    }
}
