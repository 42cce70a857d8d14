//! The routes of a component and its responses.

use std::{collections::BTreeSet, fmt};

use http::Method;
use serde::de::IgnoredAny;
use tokio::sync::mpsc;

use super::{CallError, Called, LoadError, LoadedComponent, Refusal, Round, Stop, offers::stopped};
use crate::{
    bindings::exports::madoguchi::tool::routes as wit,
    capability::{Written, state::CallContext},
};

pub use wit::{Answer, Request, Unread};

/// Routes of one component, segments of one route, and bytes of one segment.
const ROUTES_MAX: usize = 256;
const SEGMENTS_MAX: usize = 16;
const SEGMENT_BYTES_MAX: usize = 64;
/// Seconds after which a client may come back, at most.
const RETRY_AFTER_S_MAX: u32 = 24 * 60 * 60;

/// A route that the component declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: Method,
    /// Declared path behind the component's name.
    pub path: String,
    /// The tools of which the scope of any one is enough.
    pub tools: Vec<String>,
    /// Bytes that a body may have.
    pub body_bytes_max: usize,
    /// Whether it writes events for clients that accept them.
    pub streams: bool,
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Fixed(String),
    Named(String),
}

/// Route for a path and method.
pub enum Found<'a> {
    /// A route, with its parameters.
    Route(&'a Route, Vec<(String, String)>),
    /// Routes for other methods alone.
    Other(Vec<&'a Method>),
    Nothing,
}

impl Route {
    fn read(route: wit::Route, tools: &BTreeSet<&str>) -> Result<Self, String> {
        let wrong = |what: &str| format!("{} {}: {what}", shown(&route.method), shown(&route.path));
        let methods = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
        let method = methods.into_iter().find(|method| method.as_str() == route.method);
        let method = method
            .ok_or_else(|| wrong("GET, POST, PUT, PATCH or DELETE is a method of a route"))?;
        let segments: Option<Vec<_>> = match route.path.as_str() {
            "" => Some(Vec::new()),
            path => path.split('/').map(Segment::read).collect(),
        };
        let segments = segments.filter(|it| it.len() <= SEGMENTS_MAX).ok_or_else(|| {
            wrong(
                "a path is 1 to 16 segments of A-Z a-z 0-9 . _ - or {name}, without a slash at its ends",
            )
        })?;
        let mut names = BTreeSet::new();
        if let Some(twice) = segments.iter().filter_map(Segment::name).find(|it| !names.insert(*it))
        {
            return Err(wrong(&format!("{{{twice}}} stands twice in it")));
        }
        if let Some(tool) = route.tools.iter().find(|it| !tools.contains(it.as_str())) {
            return Err(wrong(&format!("the component has no tool {}", shown(tool))));
        }
        let body_bytes_max = usize::try_from(route.body_bytes_max).unwrap_or(usize::MAX);
        let (path, tools, streams) = (route.path, route.tools, route.streams);
        Ok(Self { method, path, tools, body_bytes_max, streams, segments })
    }

    /// Parameters of `path`, if it matches.
    fn parameters(&self, path: &[&str]) -> Option<Vec<(String, String)>> {
        if path.len() != self.segments.len() {
            return None;
        }
        let mut parameters = Vec::new();
        for (segment, found) in self.segments.iter().zip(path) {
            match segment {
                Segment::Fixed(text) if text == found => {}
                Segment::Named(name) if !found.is_empty() => {
                    parameters.push((name.clone(), (*found).to_owned()));
                }
                _ => return None,
            }
        }
        Some(parameters)
    }

    /// Method and path without parameter names, unique among routes.
    fn shape(&self) -> (&str, Vec<Option<&Segment>>) {
        let fixed = |it: &'_ &Segment| it.name().is_none();
        (self.method.as_str(), self.segments.iter().map(|it| Some(it).filter(fixed)).collect())
    }
}

/// Such as `POST loans/{book}`.
impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl Segment {
    fn read(text: &str) -> Option<Self> {
        let fits = |text: &str, more: &[u8]| {
            let is_right = |it: u8| it.is_ascii_alphanumeric() || more.contains(&it);
            (1..=SEGMENT_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_right)
        };
        match text.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
            Some(name) => fits(name, b"_").then(|| Self::Named(name.to_owned())),
            None => {
                let is_own = fits(text, b"._-") && !matches!(text, "." | "..");
                is_own.then(|| Self::Fixed(text.to_owned()))
            }
        }
    }

    fn name(&self) -> Option<&str> {
        if let Self::Named(name) = self { Some(name) } else { None }
    }
}

/// The routes that a component declares.
fn read_all(declared: Vec<wit::Route>, tools: &BTreeSet<&str>) -> Result<Vec<Route>, String> {
    if declared.len() > ROUTES_MAX {
        return Err(format!("{} are declared; at most {ROUTES_MAX} can be", declared.len()));
    }
    let read = |it| Route::read(it, tools);
    let routes: Vec<_> = declared.into_iter().map(read).collect::<Result<_, _>>()?;
    let mut shapes = BTreeSet::new();
    if let Some(twice) = routes.iter().find(|it| !shapes.insert(it.shape())) {
        return Err(format!("{twice} is there already, perhaps with other names in braces"));
    }
    Ok(routes)
}

/// A text of a component's, short enough for an error.
fn shown(text: &str) -> String {
    text.chars().take(SEGMENT_BYTES_MAX).collect()
}

impl LoadedComponent {
    /// Its routes, which it knows without a database and without settings.
    pub(super) async fn describe_routes(&self) -> Result<Vec<Route>, LoadError> {
        let Some(export) = &self.exports.routes else { return Ok(Vec::new()) };
        let declared = self.described(calls!(export.call_routes()));
        let tools = self.tools.iter().map(|it| &*it.name).collect();
        let routes = read_all(declared.await?, &tools);
        routes.map_err(|it| LoadError::Other(format!("its routes: {it}")))
    }

    /// Finds the route for a method and decoded path. Fixed segments take precedence over parameters.
    pub fn route(&self, method: &Method, path: &[&str]) -> Found<'_> {
        let all = self.routes.iter().filter_map(|it| Some((it, it.parameters(path)?)));
        let all: Vec<_> = all.collect();
        let fitting = all.iter().filter(|(it, _)| it.method == *method);
        // The one with a fixed segment at the first difference wins.
        let named =
            |it: &Route| it.segments.iter().map(|it| it.name().is_some()).collect::<Vec<_>>();
        match fitting.min_by_key(|(it, _)| named(it)) {
            Some((route, parameters)) => Found::Route(route, parameters.clone()),
            None if all.is_empty() => Found::Nothing,
            None => Found::Other(all.iter().map(|it| &it.0.method).collect()),
        }
    }

    /// Answers a request in its own instance. What it writes meanwhile goes to `events`.
    pub fn handle<'a>(
        &'a self,
        request: &'a Request,
        round: Round,
        events: Option<mpsc::Sender<Written>>,
    ) -> Called<'a, Answer> {
        Box::pin(async move {
            let call_id = round.call_id;
            let broken = |what: &str| self.broken(call_id, format!("a route's answer: {what}"));
            let Some(export) = &self.exports.routes else { return Err(broken("it has no routes")) };
            let context = |it: CallContext| CallContext { events, ..it };
            // Places of their own: a route may call the component's tools, and would wait for itself.
            let places = &self.queues.routes;
            let result =
                self.in_long_place(places, round, context, calls!(export.call_handle(request)));
            let nothing = || {
                let name = &self.name;
                CallError::Stopped(Stop::Refused(Refusal {
                    code: "not_found".to_owned(),
                    message: format!("The component {name} has nothing there."),
                    status: 404,
                    details: None,
                }))
            };
            let mut answer = result.await?.map_err(|it| stopped(it, nothing))?;
            if !(200..=599).contains(&answer.status) {
                return Err(broken("its status is not between 200 and 599"));
            }
            if serde_json::from_str::<IgnoredAny>(&answer.body).is_err() {
                return Err(broken("its body is not JSON"));
            }
            answer.retry_after_s = answer.retry_after_s.map(|it| it.min(RETRY_AFTER_S_MAX));
            Ok(answer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(method: &str, path: &str) -> wit::Route {
        let (method, path) = (method.to_owned(), path.to_owned());
        wit::Route { method, path, tools: Vec::new(), body_bytes_max: 1, streams: false }
    }

    fn read(routes: &[(&str, &str)]) -> Result<Vec<Route>, String> {
        let routes = routes.iter().map(|(method, path)| route(method, path)).collect();
        read_all(routes, &BTreeSet::from(["lend"]))
    }

    #[test]
    fn rejects_wrong_routes_with_correct_form() {
        for (wrong, part) in [
            (&[("post", "loans")][..], "POST"),
            (&[("TRACE", "loans")], "PUT"),
            (&[("GET", "/loans")], "without a slash"),
            (&[("GET", "loans/")], "without a slash"),
            (&[("GET", "a//b")], "without a slash"),
            (&[("GET", "..")], "segments"),
            (&[("GET", "a b")], "segments"),
            (&[("GET", "{}")], "segments"),
            (&[("GET", "{a b}")], "segments"),
            (&[("GET", "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q")], "16 segments"),
            (&[("GET", "{id}/{id}")], "{id} stands twice"),
            (&[("GET", "a/{b}"), ("GET", "a/{c}")], "is there already"),
        ] {
            let error = read(wrong).unwrap_err();
            assert!(error.contains(part), "{wrong:?}: {error}");
        }
        let unknown = wit::Route { tools: vec!["buy".to_owned()], ..route("GET", "a") };
        let error = read_all(vec![unknown], &BTreeSet::from(["lend"])).unwrap_err();
        assert!(error.contains("no tool buy"), "{error}");
        let many = vec![("GET", "a"); ROUTES_MAX + 1];
        assert!(read(&many).unwrap_err().contains("257 are declared"));
        assert!(read(&[("GET", ""), ("POST", ""), ("GET", "{a}"), ("GET", "b")]).is_ok());
    }

    #[test]
    fn extracts_parameters_at_braces() {
        let routes = read(&[("GET", "loans/{id}/by/{who}")]).unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let found = routes[0].parameters(&["loans", "7/8", "by", "窓"]).unwrap();
        assert_eq!(found, [pair("id", "7/8"), pair("who", "窓")]);
        for other in [&["loans", "", "by", "x"][..], &["loans", "7", "by"], &["x", "7", "by", "x"]]
        {
            assert_eq!(routes[0].parameters(other), None, "{other:?}");
        }
    }
}
