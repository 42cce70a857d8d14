//! The families of tools that the page knows, a folder each: state, views, words, places. This table is
//! all that the rest of the page knows of them.

use leptos::prelude::{AnyView, With};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::page::Page;
use crate::route::{Address, Route};
use crate::text::{Key, Lang};

#[macro_use]
mod conversations;
#[macro_use]
mod forms;
#[macro_use]
mod navigation;
mod cinema;
mod illustrations;

pub(crate) use forms::views::{FormInline, FormLoose};

/// All of them, in the order of their places.
const ALL: [&Family; 5] = [
    &cinema::FAMILY,
    &navigation::FAMILY,
    &conversations::FAMILY,
    &forms::FAMILY,
    &illustrations::FAMILY,
];

/// A phrase, and what is filled into it.
pub(crate) type Phrase = (Key, Vec<String>);

/// What the page knows of one family.
pub(crate) struct Family {
    /// Its places, as the header has them.
    places: &'static [Place],
    /// The views that its tools name.
    views: &'static [View],
    /// What may be said to an assistant that has its tools, and the tool by which a host is known to serve it.
    example: Option<(&'static str, Key)>,
    /// How its own assistant greets.
    greeting: Option<Greeting>,
    /// What a person allows who allows a call of the tool with these arguments, where there are better words
    /// than the tool's title.
    asks: fn(&str, &Value, Lang) -> Option<Phrase>,
    /// Makes the state that outlives its views.
    provide: fn(Page),
    /// Forgets what this browser keeps of its reader.
    forget: fn(),
}

/// A family of which the page knows nothing yet.
const NONE: Family = Family {
    places: &[],
    views: &[],
    example: None,
    greeting: None,
    asks: |_, _, _| None,
    provide: |_| {},
    forget: || {},
};

/// How an assistant greets who has said nothing yet.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Greeting {
    /// The assistant's name.
    assistant: &'static str,
    pub(crate) title: Key,
    pub(crate) hint: Key,
    /// What may be said to it.
    pub(crate) examples: &'static [Key],
}

/// A place of the page.
pub(crate) struct Place {
    /// The tool by which a host is known to serve it.
    tool: &'static str,
    pub(crate) name: Key,
    /// Where its link leads.
    start: fn() -> Route,
    /// Writes an address of its own as it is always written; none for another.
    read: fn(&Address) -> Option<Address>,
    /// Which of its stages is shown at a route; none where that is elsewhere. Within one stage, what is there
    /// stays.
    stage: fn(&Route) -> Option<String>,
    draw: fn(&str) -> AnyView,
    title: fn(Page, &Route) -> String,
}

/// How the outputs are drawn that name this view.
pub(crate) struct View {
    name: &'static str,
    /// Draws `structuredContent`, with the whole result beside it; none where it is not what it should be.
    draw: fn(&Value, &Value) -> Option<AnyView>,
    /// The output in one line.
    tell: fn(&Value) -> Option<Phrase>,
    /// The pictures in it, each an object with `mimeType` and `data`.
    pictures: Option<fn(&Value) -> Vec<&Value>>,
    /// Whether its pictures are an assistant's answer, and stand there.
    is_answer: bool,
    /// What a conversation says of an output that stands elsewhere in it.
    elsewhere: Option<Key>,
}

impl View {
    const fn new(
        name: &'static str,
        draw: fn(&Value, &Value) -> Option<AnyView>,
        tell: fn(&Value) -> Option<Phrase>,
    ) -> Self {
        Self { name, draw, tell, pictures: None, is_answer: false, elsewhere: None }
    }
}

/// The place that shows a route, and which of its stages.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    at: usize,
    stage: String,
}

impl Shown {
    /// None where the route is no family's.
    pub(crate) fn of(route: &Route) -> Option<Self> {
        let mut all = places().enumerate();
        all.find_map(|(at, it)| Some(Self { at, stage: (it.stage)(route)? }))
    }

    pub(crate) fn draw(&self) -> Option<AnyView> {
        places().nth(self.at).map(|it| (it.draw)(&self.stage))
    }
}

impl Place {
    /// Whether there is a way to it: the host serves it, or that is not known yet and the page opens there.
    pub(crate) fn is_shown(&self, page: Page) -> bool {
        let is_known = page.tools.with(|it| it.here().is_some());
        page.tool(self.tool).is_some() || (!is_known && self.has(&Route::default()))
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
    ALL.iter().flat_map(|it| it.places)
}

/// Where the page opens.
pub(crate) fn first() -> Route {
    (cinema::FAMILY.places[0].start)()
}

/// The address as its family writes it; none where no family knows it.
pub(crate) fn known(address: &Address) -> Option<Address> {
    places().find_map(|it| (it.read)(address))
}

/// What the window is called at a route of a family's.
pub(crate) fn title(page: Page, route: &Route) -> Option<String> {
    let place = places().find(|it| it.has(route))?;
    Some((place.title)(page, route))
}

/// How the assistant of that name greets, where it is a family's own.
pub(crate) fn greeting(assistant: &str) -> Option<Greeting> {
    ALL.iter().filter_map(|it| it.greeting).find(|it| it.assistant == assistant)
}

/// What may be said to an assistant that has all tools that the host serves.
pub(crate) fn examples(page: Page) -> Vec<Key> {
    let served = ALL.iter().filter_map(|it| it.example);
    let is_known = page.tools.with(|it| it.here().is_some());
    served.filter(|it| !is_known || page.tool(it.0).is_some()).map(|it| it.1).collect()
}

/// Whether the page opens at the first place: not where the host is known not to serve it.
pub(crate) fn has_first(page: Page) -> bool {
    places().next().is_some_and(|it| it.is_shown(page))
}

/// Makes the state of all of them.
pub(crate) fn provide(page: Page) {
    ALL.iter().for_each(|it| (it.provide)(page));
}

/// Forgets what this browser keeps of its reader.
pub(crate) fn forget() {
    ALL.iter().for_each(|it| (it.forget)());
}

fn view(name: Option<&str>) -> Option<&'static View> {
    let name = name?;
    ALL.iter().flat_map(|it| it.views).find(|it| it.name == name)
}

/// Draws an output by the view of that name, if it fits it.
pub(crate) fn draw(name: Option<&str>, value: &Value, raw: &Value) -> Option<AnyView> {
    (view(name)?.draw)(value, raw)
}

/// An output in one line, if it is what the view of that name is for.
pub(crate) fn tell(name: Option<&str>, value: &Value) -> Option<Phrase> {
    (view(name)?.tell)(value)
}

/// Whether such an output is looked at rather than unfolded.
pub(crate) fn is_looked_at(name: Option<&str>) -> bool {
    view(name).is_some_and(|it| it.elsewhere.is_none())
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
    ALL.iter().find_map(|it| (it.asks)(tool, params, lang))
}

/// The value as `T`, if it is one.
fn fits<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

fn counted(key: Key, count: usize) -> Option<Phrase> {
    Some((key, vec![count.to_string()]))
}
