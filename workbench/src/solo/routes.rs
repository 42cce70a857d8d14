//! A request to a component without a server.

use http::Method;
use serde_json::Value;
use tokio::sync::mpsc;

use super::Running;
use base::failure::Failure;
use sandbox::{
    capability::Written,
    component::{Datetime, Found, RouteRequest},
};

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
