//! The table of families: what the rest of the page knows of them, without knowing which there are.

use std::sync::OnceLock;

use leptos::prelude::{AnyView, Callback, With};
use output::form::{OpenForm, Values};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::dates;
use crate::error::{self, Refusal};
use crate::page::page;
use crate::part::Part;
use crate::route::{self, Address, Route};
use crate::text::{Key, Lang};

static ALL: OnceLock<&'static [&'static Family]> = OnceLock::new();

/// Takes the families of the page, in the order of their places.
pub(crate) fn register(families: &'static [&'static Family]) {
    let _ = ALL.set(families);
    route::read_by(known);
    error::advise_by(advice);
}

fn all() -> impl Iterator<Item = &'static &'static Family> {
    ALL.get().copied().unwrap_or_default().iter()
}

/// A phrase, and what is filled into it.
pub(crate) type Phrase = (Key, Vec<String>);

/// What the page knows of one family.
pub(crate) struct Family {
    /// Its places, as the header has them.
    pub(crate) places: &'static [Place],
    /// The views that its tools name.
    pub(crate) views: &'static [View],
    /// What may be done at its first place, as the front door says it.
    pub(crate) door: Option<Key>,
    /// How the page learns what of its reader's goes on.
    pub(crate) mine: Option<Mine>,
    /// How the finder finds something of it.
    pub(crate) seek: Option<Seek>,
    /// A message for an assistant that has its tools, and the tool by which a host is known to serve it.
    pub(crate) example: Option<(&'static str, Key)>,
    /// How its own assistant greets.
    pub(crate) greeting: Option<Greeting>,
    /// What a person allows who allows a call of the tool with these arguments, where there is a better text
    /// than the tool's title.
    pub(crate) asks: fn(&str, &Value, Lang) -> Option<Phrase>,
    /// What to do about a refusal of its tools, where there is a better text than the tool's own.
    pub(crate) advice: fn(&Refusal, Lang) -> Option<String>,
    /// Makes the state that outlives its views.
    pub(crate) provide: fn(),
    /// How those views draw, in their order; loaded when it is first needed.
    pub(crate) outputs: &'static Part<Outputs>,
    /// How forms are filled in that an assistant asks for.
    pub(crate) forms: Option<&'static Part<Forms>>,
}

/// How the page learns what of its reader's goes on in a family.
pub(crate) struct Mine {
    /// The tool that lists it.
    pub(crate) tool: &'static str,
    /// What it is called with; none while nothing is known of the reader.
    pub(crate) arguments: fn() -> Option<Value>,
    /// The resource that changes with it, if there is one.
    pub(crate) resource: Option<&'static str>,
    /// What the tool's output says of it; none where nothing goes on.
    pub(crate) read: fn(&Value) -> Option<Ongoing>,
}

/// How the finder finds something in a family.
pub(crate) struct Seek {
    /// The tool that lists it.
    pub(crate) tool: &'static str,
    /// What it is called with to find this.
    pub(crate) arguments: fn(&str) -> Value,
    /// What its output has.
    pub(crate) read: fn(&Value) -> Vec<Found>,
    /// What the things are called.
    pub(crate) kind: Key,
}

/// Something that the finder leads to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) title: String,
    /// The title in English, where that is another.
    pub(crate) english: Option<String>,
    pub(crate) route: Route,
    /// Whether the tool itself took what was sought into account.
    pub(crate) is_found: bool,
}

impl Found {
    /// What it is called in that language.
    pub(crate) fn label(&self, lang: Lang) -> &str {
        match (lang, &self.english) {
            (Lang::En, Some(english)) => english,
            _ => &self.title,
        }
    }
}

/// Something of the reader's that goes on.
#[derive(Clone, PartialEq)]
pub(crate) struct Ongoing {
    pub(crate) phrase: Phrase,
    /// The first of its values in English, where that is another.
    pub(crate) english: Option<String>,
    /// When it is, `YYYY-MM-DDTHH:MM:SS`: the last of its values, as the reader writes it.
    pub(crate) at: Option<String>,
    pub(crate) route: Route,
    /// How many wait for the reader; 0 where nothing does.
    pub(crate) waiting: usize,
}

impl Ongoing {
    /// What it says in that language.
    pub(crate) fn say(&self, lang: Lang) -> String {
        let (key, values) = &self.phrase;
        let mut values = values.iter().map(String::as_str).collect::<Vec<_>>();
        if let (Lang::En, Some(english), Some(first)) = (lang, &self.english, values.first_mut()) {
            *first = english;
        }
        let at = self.at.as_ref().map(|it| dates::day_and_time(it, lang));
        values.extend(at.as_deref());
        lang.fill(*key, &values)
    }
}

/// How a family draws what its tools put out, a view an entry.
pub(crate) struct Outputs(pub(crate) &'static [Drawing]);

/// How the outputs of one view are drawn.
pub(crate) struct Drawing {
    /// Draws `structuredContent`, with the whole result beside it; none where it is not what it should be.
    pub(crate) draw: fn(&Value, &Value) -> Option<AnyView>,
    /// The output in one line.
    pub(crate) tell: fn(&Value) -> Option<Phrase>,
}

static NO_OUTPUTS: Part<Outputs> = Part::always(&Outputs(&[]));

/// Called with the outcome of a form, and whether that was just now and here.
pub(crate) type Closed = Callback<(OpenForm, bool)>;

/// Forms in a conversation.
#[derive(Clone, Copy)]
pub(crate) struct Forms {
    /// One with a handle.
    pub(crate) kept: fn(String, Option<Closed>) -> AnyView,
    /// One that is kept nowhere, by its schema; its values, or that there are none, go to the callback.
    pub(crate) loose: fn(Value, Callback<Option<Values>>) -> AnyView,
    /// Closes the one with this handle, which nothing waits for any more.
    pub(crate) cancel: fn(String),
}

/// A family of which the page knows nothing yet.
pub(crate) const NONE: Family = Family {
    places: &[],
    views: &[],
    door: None,
    mine: None,
    seek: None,
    example: None,
    greeting: None,
    asks: |_, _, _| None,
    advice: |_, _| None,
    provide: || {},
    outputs: &NO_OUTPUTS,
    forms: None,
};

/// How an assistant greets a person who has written nothing yet.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Greeting {
    /// The assistant's name.
    pub(crate) assistant: &'static str,
    pub(crate) title: Key,
    pub(crate) hint: Key,
    /// Messages that people may send to it.
    pub(crate) examples: &'static [Key],
}

/// How a stage of a place is drawn.
pub(crate) struct Draw(pub(crate) fn(&str) -> AnyView);

/// A place of the page.
pub(crate) struct Place {
    /// The tool by which a host is known to serve it.
    pub(crate) tool: &'static str,
    pub(crate) name: Key,
    /// The path of its icon, of 20 by 20.
    pub(crate) icon: &'static str,
    /// Where its link leads.
    pub(crate) start: fn() -> Route,
    /// Writes an address of its own as it is always written; none for another.
    pub(crate) read: fn(&Address) -> Option<Address>,
    /// Which of its stages is shown at a route; none where that is elsewhere. Within one stage, what is there
    /// stays.
    pub(crate) stage: fn(&Route) -> Option<String>,
    /// Draws a stage; loaded when it is first needed.
    pub(crate) code: &'static Part<Draw>,
    pub(crate) title: fn(&Route) -> String,
}

/// What is known of the outputs that name this view.
pub(crate) struct View {
    pub(crate) name: &'static str,
    /// The pictures in it, each an object with `mimeType` and `data`.
    pub(crate) pictures: Option<fn(&Value) -> Vec<&Value>>,
    /// Whether its pictures are an assistant's answer, and stand there.
    pub(crate) is_answer: bool,
    /// What a conversation says of an output that stands elsewhere in it.
    pub(crate) elsewhere: Option<Key>,
}

impl View {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, pictures: None, is_answer: false, elsewhere: None }
    }
}

/// The place that shows a route, and which of its stages.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    at: usize,
    pub(crate) stage: String,
}

impl Shown {
    /// The first place, as it is entered.
    pub(crate) fn first() -> Option<Self> {
        Self::of(&places().next()?.start())
    }

    /// None where the route is no family's.
    pub(crate) fn of(route: &Route) -> Option<Self> {
        let mut all = places().enumerate();
        all.find_map(|(at, it)| Some(Self { at, stage: (it.stage)(route)? }))
    }

    /// The code that draws it.
    pub(crate) fn code(&self) -> Option<&'static Part<Draw>> {
        places().nth(self.at).map(|it| it.code)
    }
}

impl Place {
    /// Whether there is a way to it: the host serves it, or that is not known yet and the page opens there.
    pub(crate) fn is_shown(&self) -> bool {
        let is_known = page().tools.with(|it| it.here().is_some());
        let is_first = || places().next().is_some_and(|it| it.tool == self.tool);
        page().tool(self.tool).is_some() || (!is_known && is_first())
    }

    pub(crate) fn has(&self, route: &Route) -> bool {
        (self.stage)(route).is_some()
    }

    /// Where its link leads.
    pub(crate) fn start(&self) -> Route {
        (self.start)()
    }
}

/// All places, in the order of the header.
pub(crate) fn places() -> impl Iterator<Item = &'static Place> {
    all().flat_map(|it| it.places)
}

/// The address as its family writes it; none where no family knows it.
fn known(address: &Address) -> Option<Address> {
    places().find_map(|it| (it.read)(address))
}

/// What the window is called at a route of a family's.
pub(crate) fn title(route: &Route) -> Option<String> {
    let place = places().find(|it| it.has(route))?;
    Some((place.title)(route))
}

/// How the assistant of that name greets, where it is a family's own.
pub(crate) fn greeting(assistant: &str) -> Option<Greeting> {
    all().filter_map(|it| it.greeting).find(|it| it.assistant == assistant)
}

/// Messages for an assistant that has all tools that the host serves.
pub(crate) fn examples() -> Vec<Key> {
    let served = all().filter_map(|it| it.example);
    let is_known = page().tools.with(|it| it.here().is_some());
    served.filter(|it| !is_known || page().tool(it.0).is_some()).map(|it| it.1).collect()
}

/// What may be done at the places that the host serves, as the front door says it.
pub(crate) fn doors() -> Vec<(Key, Route)> {
    let doors = all().filter_map(|it| Some((it.door?, it.places.first()?)));
    doors.filter(|it| it.1.is_shown()).map(|it| (it.0, it.1.start())).collect()
}

/// How the page learns what of its reader's goes on.
pub(crate) fn mine() -> impl Iterator<Item = &'static Mine> {
    all().filter_map(|it| it.mine.as_ref())
}

/// How the finder finds something in the families.
pub(crate) fn seeks() -> impl Iterator<Item = &'static Seek> {
    all().filter_map(|it| it.seek.as_ref())
}

/// Whether the page opens at the first place: not where the host is known not to serve it.
pub(crate) fn has_first() -> bool {
    places().next().is_some_and(|it| it.is_shown())
}

/// Makes the state of all of them.
pub(crate) fn provide() {
    all().for_each(|it| (it.provide)());
}

fn view(name: Option<&str>) -> Option<&'static View> {
    let name = name?;
    all().flat_map(|it| it.views).find(|it| it.name == name)
}

/// The code that draws and describes the outputs of that view; of one that no family has, none that is to be loaded.
pub(crate) fn outputs(name: Option<&str>) -> &'static Part<Outputs> {
    let family = all().find(|it| it.views.iter().any(|it| Some(it.name) == name));
    family.map_or(&NO_OUTPUTS, |it| it.outputs)
}

fn drawing(name: Option<&str>) -> Option<&'static Drawing> {
    let family =
        all().find_map(|it| Some((it, it.views.iter().position(|it| Some(it.name) == name)?)));
    let (family, at) = family?;
    family.outputs.here()?.0.get(at)
}

/// Draws an output by the view of that name, if its code is here and it fits it.
pub(crate) fn draw(name: Option<&str>, value: &Value, raw: &Value) -> Option<AnyView> {
    (drawing(name)?.draw)(value, raw)
}

/// An output in one line, if it is what the view of that name is for, or the view is one that no family has.
pub(crate) fn tell(name: Option<&str>, value: &Value) -> Option<Phrase> {
    if view(name).is_some() {
        return (drawing(name)?.tell)(value);
    }
    name.filter(|_| !value.is_null()).map(|_| (Key::Answer, Vec::new()))
}

/// Whether such an output is looked at rather than unfolded: it has a view, be it one of a family that the page does
/// not know, whose outputs are drawn as readable data.
pub(crate) fn is_looked_at(name: Option<&str>) -> bool {
    name.is_some() && view(name).is_none_or(|it| it.elsewhere.is_none())
}

/// Whether a family draws outputs of that view.
pub(crate) fn is_known(name: Option<&str>) -> bool {
    view(name).is_some()
}

/// What a conversation says of an output that stands elsewhere in it.
pub(crate) fn elsewhere(name: Option<&str>) -> Option<Key> {
    view(name)?.elsewhere
}

/// Whether such an output stands among the pictures of an answer.
pub(crate) fn is_answer(name: Option<&str>) -> bool {
    view(name).is_some_and(|it| it.is_answer)
}

/// Whether such an output is made of pictures.
pub(crate) fn has_pictures(name: Option<&str>) -> bool {
    view(name).is_some_and(|it| it.pictures.is_some())
}

/// The pictures in an output; those of an answer stand with it already, where it `has_pictures`.
pub(crate) fn pictures<'a>(
    name: Option<&str>,
    value: &'a Value,
    answer_has_pictures: bool,
) -> Vec<&'a Value> {
    let view = view(name).filter(|it| !(it.is_answer && answer_has_pictures));
    view.and_then(|it| it.pictures).map_or_else(Vec::new, |it| it(value))
}

/// What a person allows who allows the call.
pub(crate) fn asks(tool: &str, params: &Value, lang: Lang) -> Option<Phrase> {
    all().find_map(|it| (it.asks)(tool, params, lang))
}

/// What to do about a refusal, where a family says.
pub(crate) fn advice(refusal: &Refusal, lang: Lang) -> Option<String> {
    all().find_map(|it| (it.advice)(refusal, lang))
}

/// The list of that name in an output. What every visit has reads outputs so: types of them are for parts.
pub(crate) fn listed<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The text of that name in an output, if it has one.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// The value as `T`, if it is one.
pub(crate) fn fits<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

pub(crate) fn counted(key: Key, count: usize) -> Option<Phrase> {
    Some((key, vec![count.to_string()]))
}

/// The code by which forms are filled in that an assistant asks for.
pub(crate) fn forms() -> Option<&'static Part<Forms>> {
    all().find_map(|it| it.forms)
}

/// Loads the code of all families, one after another.
pub(crate) async fn load() {
    for family in all() {
        for place in family.places {
            place.code.fetch().await;
        }
        family.outputs.fetch().await;
    }
}
