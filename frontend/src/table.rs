//! The table of families: what the rest of the page uses of them, without knowing any of them.

use std::sync::OnceLock;

use leptos::prelude::{AnyView, Callback, With};
use output::form::{OpenForm, Values};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::dates;
use crate::error::{self, Refusal};
use crate::mcp::wire::Tool;
use crate::page::page;
use crate::part::Part;
use crate::route::{self, Address, Route};
use crate::text::{Key, Lang};

static ALL: OnceLock<&'static [&'static Family]> = OnceLock::new();

/// Registers the page's families, in the order of their links.
pub(crate) fn register(families: &'static [&'static Family]) {
    let _ = ALL.set(families);
    route::set_canonicalize(canonical);
    error::advise_by(advice);
}

fn all() -> impl Iterator<Item = &'static &'static Family> {
    ALL.get().copied().unwrap_or_default().iter()
}

/// A phrase and its values.
pub(crate) type Phrase = (Key, Vec<String>);

/// Description of one family.
pub(crate) struct Family {
    /// The component of its tools, and their title.
    pub(crate) tools: (&'static str, Key),
    /// Its views, as linked in the header.
    pub(crate) places: &'static [Place],
    /// The views that its tools name for their outputs.
    pub(crate) views: &'static [View],
    /// Text of its link on the home view.
    pub(crate) home_link: Option<Key>,
    /// How to learn about the reader's ongoing activities.
    pub(crate) activity: Option<ActivitySource>,
    /// How the finder searches it.
    pub(crate) search: Option<Search>,
    /// An example message for an assistant with all tools, and the tool that a host must offer for it.
    pub(crate) example: Option<(&'static str, Key)>,
    /// Greeting of its own assistant.
    pub(crate) greeting: Option<Greeting>,
    /// What a person approves with a call of its tool of that name with these arguments, if there is a better text than
    /// the tool's title.
    pub(crate) approval_text: fn(&str, &Value, Lang) -> Option<Phrase>,
    /// How it says what a call of its tools would do.
    pub(crate) facts: Option<Facts>,
    /// Advice about a refusal of its tools, if there is a better text than the tool's own.
    pub(crate) advice: fn(&Refusal, Lang) -> Option<String>,
    /// Notes a tool's output that has just come in a conversation of this browser.
    pub(crate) note: fn(&str, &Value),
    /// Creates the state that outlives its views.
    pub(crate) provide: fn(),
    /// How its outputs are drawn, in the order of `views`; loaded on first use.
    pub(crate) outputs: &'static Part<Outputs>,
    /// How forms requested by an assistant are filled in.
    pub(crate) forms: Option<&'static Part<Forms>>,
    /// What its places draw by parts of their own.
    pub(crate) within: &'static [&'static Part<Draw>],
}

/// How to learn about the reader's ongoing activities in a family.
pub(crate) struct ActivitySource {
    /// The tool that lists them.
    pub(crate) tool: &'static str,
    /// The arguments of each of its calls; none while the reader is unknown.
    pub(crate) arguments: fn() -> Vec<Value>,
    /// The resource that changes with them, if there is one.
    pub(crate) resource: Option<&'static str>,
    /// Reads the outputs of the calls; empty if nothing is going on.
    pub(crate) read: fn(&[Value]) -> Vec<Ongoing>,
}

/// How the finder searches a family.
pub(crate) struct Search {
    /// The searched tool.
    pub(crate) tool: &'static str,
    /// Its arguments for a query.
    pub(crate) arguments: fn(&str) -> Value,
    /// Reads its output.
    pub(crate) read: fn(&Value) -> Vec<Found>,
    /// Label of the items.
    pub(crate) kind: Key,
}

/// An item that the finder links to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) title: String,
    /// The English title, if different.
    pub(crate) english: Option<String>,
    pub(crate) route: Route,
    /// Whether the tool itself applied the query.
    pub(crate) is_found: bool,
}

impl Found {
    /// The title in that language.
    pub(crate) fn label(&self, lang: Lang) -> &str {
        match (lang, &self.english) {
            (Lang::En, Some(english)) => english,
            _ => &self.title,
        }
    }
}

/// An ongoing activity of the reader's.
#[derive(Clone, PartialEq)]
pub(crate) struct Ongoing {
    pub(crate) phrase: Phrase,
    /// The first value in English, if different.
    pub(crate) english: Option<String>,
    /// Its time, `YYYY-MM-DDTHH:MM:SS`, and the zone of it: the last value, formatted for the reader.
    pub(crate) at: Option<(String, Option<String>)>,
    pub(crate) route: Route,
    /// Number of items that wait for the reader.
    pub(crate) waiting: usize,
}

impl Ongoing {
    /// Its text in that language.
    pub(crate) fn say(&self, lang: Lang) -> String {
        let (key, values) = &self.phrase;
        let mut values = values.iter().map(String::as_str).collect::<Vec<_>>();
        if let (Lang::En, Some(english), Some(first)) = (lang, &self.english, values.first_mut()) {
            *first = english;
        }
        let at = self.at.as_ref().map(|it| dates::local(&it.0, it.1.as_deref(), lang));
        values.extend(at.as_deref());
        lang.fill(*key, &values)
    }
}

/// How a family says what a call of its tools would do, to the person who is to allow it.
pub(crate) struct Facts {
    /// Which of these arguments it draws; others are shown as they are.
    pub(crate) covered: fn(&Value) -> &'static [&'static str],
    /// Draws them; loaded on first use.
    pub(crate) code: &'static Part<DrawFacts>,
}

/// Draws the arguments of a call.
pub(crate) struct DrawFacts(pub(crate) fn(Value) -> AnyView);

/// How a family draws its tools' outputs, an entry per view.
pub(crate) struct Outputs(pub(crate) &'static [Drawing]);

/// How the outputs of one view are drawn.
pub(crate) struct Drawing {
    /// Draws `structuredContent`, with the whole result as second argument; none if it is malformed.
    pub(crate) draw: fn(&Value, &Value) -> Option<AnyView>,
    /// Summarises the output in one line.
    pub(crate) summary: fn(&Value) -> Option<Phrase>,
}

static NO_OUTPUTS: Part<Outputs> = Part::always(&Outputs(&[]));

/// Called with the outcome of a form, and whether it was just closed in this view.
pub(crate) type Closed = Callback<(OpenForm, bool)>;

/// Forms in a conversation.
#[derive(Clone, Copy)]
pub(crate) struct Forms {
    /// Draws a form with a handle.
    pub(crate) with_handle: fn(String, Option<Closed>) -> AnyView,
    /// Draws a form by its schema, without a handle; its values, if any, go to the callback.
    pub(crate) without_handle: fn(Value, Callback<Option<Values>>) -> AnyView,
    /// Cancels the form with this handle, which nothing waits for any more.
    pub(crate) cancel: fn(String),
}

/// A family of which nothing is known yet.
pub(crate) const NONE: Family = Family {
    tools: ("", Key::Counter),
    places: &[],
    views: &[],
    home_link: None,
    activity: None,
    search: None,
    example: None,
    greeting: None,
    approval_text: |_, _, _| None,
    facts: None,
    advice: |_, _| None,
    note: |_, _| {},
    provide: || {},
    outputs: &NO_OUTPUTS,
    forms: None,
    within: &[],
};

/// An assistant's greeting for a person who has written nothing yet.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Greeting {
    /// The assistant's name.
    pub(crate) assistant: &'static str,
    pub(crate) title: Key,
    pub(crate) hint: Key,
    /// Example messages.
    pub(crate) examples: &'static [Key],
}

/// Draws a stage of a view.
pub(crate) struct Draw(pub(crate) fn(&str) -> AnyView);

/// A view with a link in the header.
pub(crate) struct Place {
    /// The tool that a host must offer for it.
    pub(crate) tool: &'static str,
    pub(crate) name: Key,
    /// Its Japanese name as kana, where that has other letters.
    pub(crate) reading: &'static str,
    /// The path of its icon, 20 by 20 units.
    pub(crate) icon: &'static str,
    /// The route of its link.
    pub(crate) start: fn() -> Route,
    /// Canonical form of an address of its own; none for another.
    pub(crate) read: fn(&Address) -> Option<Address>,
    /// Its stage at a route; none for a route of another view. Within one stage, what is drawn stays.
    pub(crate) stage: fn(&Route) -> Option<String>,
    /// Draws a stage; loaded on first use.
    pub(crate) code: &'static Part<Draw>,
    pub(crate) title: fn(&Route) -> String,
}

/// Properties of the outputs that name this view.
pub(crate) struct View {
    pub(crate) name: &'static str,
    /// Its pictures, each an object with `mimeType` and `data`.
    pub(crate) pictures: Option<fn(&Value) -> Vec<&Value>>,
    /// Whether its pictures are part of an assistant's answer.
    pub(crate) is_answer: bool,
    /// What a conversation shows instead of an output that stands elsewhere in it.
    pub(crate) elsewhere: Option<Key>,
}

impl View {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, pictures: None, is_answer: false, elsewhere: None }
    }
}

/// The view of a route, and its stage.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    at: usize,
    pub(crate) stage: String,
}

impl Shown {
    /// The first view, at its start.
    pub(crate) fn first() -> Option<Self> {
        Self::from_route(&places().next()?.start())
    }

    /// None if the route is no family's.
    pub(crate) fn from_route(route: &Route) -> Option<Self> {
        let mut all = places().enumerate();
        all.find_map(|(at, it)| Some(Self { at, stage: (it.stage)(route)? }))
    }

    /// The code that draws it.
    pub(crate) fn code(&self) -> Option<&'static Part<Draw>> {
        places().nth(self.at).map(|it| it.code)
    }
}

impl Place {
    /// Whether it is linked: the host serves it, or that is not known yet and the page opens there.
    pub(crate) fn is_shown(&self) -> bool {
        let is_known = page().tools.with(|it| it.ready().is_some());
        let is_first = || places().next().is_some_and(|it| it.tool == self.tool);
        page().tool(self.tool).is_some() || (!is_known && is_first())
    }

    pub(crate) fn has(&self, route: &Route) -> bool {
        (self.stage)(route).is_some()
    }

    /// The route of its link.
    pub(crate) fn start(&self) -> Route {
        (self.start)()
    }
}

/// All views, in the order of the header.
pub(crate) fn places() -> impl Iterator<Item = &'static Place> {
    all().flat_map(|it| it.places)
}

/// Canonical form of the address; none if no family knows it.
fn canonical(address: &Address) -> Option<Address> {
    places().find_map(|it| (it.read)(address))
}

/// Window title of a family's route.
pub(crate) fn title(route: &Route) -> Option<String> {
    let place = places().find(|it| it.has(route))?;
    Some((place.title)(route))
}

/// Greeting of that assistant, if it is a family's own.
pub(crate) fn greeting(assistant: &str) -> Option<Greeting> {
    all().filter_map(|it| it.greeting).find(|it| it.assistant == assistant)
}

/// The component of each family's tools, and their title.
pub(crate) fn tool_groups() -> impl Iterator<Item = (&'static str, Key)> {
    all().map(|it| it.tools)
}

/// Example messages for an assistant with all of the host's tools.
pub(crate) fn examples() -> Vec<Key> {
    let served = all().filter_map(|it| it.example);
    let is_known = page().tools.with(|it| it.ready().is_some());
    served.filter(|it| !is_known || page().tool(it.0).is_some()).map(|it| it.1).collect()
}

/// Links of the home view to the views that the host serves.
pub(crate) fn home_links() -> Vec<(Key, Route)> {
    let home_links = all().filter_map(|it| Some((it.home_link?, it.places.first()?)));
    home_links.filter(|it| it.1.is_shown()).map(|it| (it.0, it.1.start())).collect()
}

/// The activities of all families.
pub(crate) fn activity_sources() -> impl Iterator<Item = &'static ActivitySource> {
    all().filter_map(|it| it.activity.as_ref())
}

pub(crate) fn searches() -> impl Iterator<Item = &'static Search> {
    all().filter_map(|it| it.search.as_ref())
}

/// Whether the page opens at the first view: not if the host is known not to serve it.
pub(crate) fn has_first() -> bool {
    places().next().is_some_and(|it| it.is_shown())
}

/// Has the families note a tool's output that has just come in a conversation.
pub(crate) fn note(tool: &str, value: &Value) {
    all().for_each(|it| (it.note)(tool, value));
}

/// Creates the state of all families.
pub(crate) fn provide() {
    all().for_each(|it| (it.provide)());
}

fn view(name: Option<&str>) -> Option<&'static View> {
    let name = name?;
    all().flat_map(|it| it.views).find(|it| it.name == name)
}

/// The code that draws and summarises the outputs of that view; an empty part for an unknown view.
pub(crate) fn outputs(name: Option<&str>) -> &'static Part<Outputs> {
    let family = all().find(|it| it.views.iter().any(|it| Some(it.name) == name));
    family.map_or(&NO_OUTPUTS, |it| it.outputs)
}

fn drawing(name: Option<&str>) -> Option<&'static Drawing> {
    let family =
        all().find_map(|it| Some((it, it.views.iter().position(|it| Some(it.name) == name)?)));
    let (family, at) = family?;
    family.outputs.loaded()?.0.get(at)
}

/// Draws an output by the view of that name, if its code is loaded and the output fits.
pub(crate) fn draw(name: Option<&str>, value: &Value, raw: &Value) -> Option<AnyView> {
    (drawing(name)?.draw)(value, raw)
}

/// Summarises an output in one line, if it fits the view of that name or the view is unknown.
pub(crate) fn summary(name: Option<&str>, value: &Value) -> Option<Phrase> {
    if view(name).is_some() {
        return (drawing(name)?.summary)(value);
    }
    name.filter(|_| !value.is_null()).map(|_| (Key::Answer, Vec::new()))
}

/// Whether such an output is drawn rather than unfolded: it names a view. Outputs of unknown views are drawn as
/// readable data.
pub(crate) fn has_view(name: Option<&str>) -> bool {
    name.is_some() && view(name).is_none_or(|it| it.elsewhere.is_none())
}

/// Whether a family draws outputs of that view.
pub(crate) fn is_known(name: Option<&str>) -> bool {
    view(name).is_some()
}

/// What a conversation shows instead of an output that stands elsewhere in it.
pub(crate) fn elsewhere(name: Option<&str>) -> Option<Key> {
    view(name)?.elsewhere
}

/// Whether such an output is part of an answer's pictures.
pub(crate) fn is_answer(name: Option<&str>) -> bool {
    view(name).is_some_and(|it| it.is_answer)
}

/// Whether such an output consists of pictures.
pub(crate) fn has_pictures(name: Option<&str>) -> bool {
    view(name).is_some_and(|it| it.pictures.is_some())
}

/// The pictures in an output; those of an answer are drawn already, if it `has_pictures`.
pub(crate) fn pictures<'a>(
    name: Option<&str>,
    value: &'a Value,
    answer_has_pictures: bool,
) -> Vec<&'a Value> {
    let view = view(name).filter(|it| !(it.is_answer && answer_has_pictures));
    view.and_then(|it| it.pictures).map_or_else(Vec::new, |it| it(value))
}

/// The family of the tool's component. A tool of that name elsewhere is none of its.
fn of_tool(tool: &Tool) -> Option<&'static Family> {
    let component = tool.component()?;
    all().copied().find(|it| it.tools.0 == component)
}

/// What a person approves with the call.
pub(crate) fn approval_text(tool: &Tool, params: &Value, lang: Lang) -> Option<Phrase> {
    (of_tool(tool)?.approval_text)(&tool.name, params, lang)
}

/// How the family of the tool says what a call would do.
pub(crate) fn facts(tool: &Tool) -> Option<&'static Facts> {
    of_tool(tool)?.facts.as_ref()
}

/// A family's advice about a refusal, if there is any.
pub(crate) fn advice(refusal: &Refusal, lang: Lang) -> Option<String> {
    all().find_map(|it| (it.advice)(refusal, lang))
}

/// The lists of that name in several outputs.
pub(crate) fn all_listed<'a>(
    values: &'a [Value],
    name: &'static str,
) -> impl Iterator<Item = &'a Value> {
    values.iter().flat_map(move |it| listed(it, name))
}

/// A list in an output by name. Code of every visit reads outputs so: types of them belong to parts.
pub(crate) fn listed<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text in an output by name.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// The value as `T`, if it fits.
pub(crate) fn fits<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

pub(crate) fn counted(key: Key, count: usize) -> Option<Phrase> {
    Some((key, vec![count.to_string()]))
}

/// The code that fills in forms requested by an assistant.
pub(crate) fn forms() -> Option<&'static Part<Forms>> {
    all().find_map(|it| it.forms)
}

/// Loads the code of all families, one after another.
pub(crate) async fn load() {
    for family in all() {
        for place in family.places {
            place.code.fetch().await;
        }
        for part in family.within {
            part.fetch().await;
        }
        family.outputs.fetch().await;
    }
}
