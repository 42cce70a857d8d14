//! The routes that are shown, as plain state: which is chosen, which step is lit up, what the map draws.

use std::sync::Arc;

use leptos::prelude::*;
use output::navigation::{Details, End, Route, RouteDetails, Routes};

use super::steps::{span, step_at};
use crate::families::navigation::export::ExportedRoute;
use crate::families::navigation::line::{self, Point};
use crate::families::navigation::views::route_map::{Pin, Scene, Tone};
use crate::text::{Key, Lang};

/// Routes drawn at most; the tool promises three.
const ROUTES_MAX: usize = 10;
/// Characters of a step that are shown at most.
const TOLD_MAX: usize = 300;

/// A route with its line, ready to be drawn.
pub(super) struct Drawn {
    pub(super) route: Route,
    pub(super) details: Option<RouteDetails>,
    line: Arc<Vec<Point>>,
}

/// The routes, and what of them the reader looks at. There is one at least.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    drawn: StoredValue<Vec<Drawn>>,
    ends: StoredValue<(Option<Pin>, Option<Pin>)>,
    attribution: StoredValue<String>,
    chosen: RwSignal<usize>,
    pub(super) step: RwSignal<Option<usize>>,
}

impl Shown {
    /// What to show of an output; none of one without routes.
    pub(super) fn of(routes: Routes, details: Option<Details>) -> Option<Self> {
        let details = details.unwrap_or_default();
        let mut of_route = details.routes.into_iter();
        let with_line = |route: Route| Drawn {
            line: Arc::new(line::decode(&route.polyline).unwrap_or_default()),
            details: of_route.next(),
            route,
        };
        let drawn: Vec<Drawn> = routes.routes.into_iter().take(ROUTES_MAX).map(with_line).collect();
        let first = drawn.first()?;
        // Ends that were not given are those of the first line.
        let start = pin(details.origin).or(first.line.first().map(bare));
        let goal = pin(details.destination).or(first.line.last().map(bare));
        Some(Self {
            drawn: StoredValue::new(drawn),
            ends: StoredValue::new((start, goal)),
            attribution: StoredValue::new(details.attribution),
            chosen: RwSignal::new(0),
            step: RwSignal::new(None),
        })
    }

    /// Whether there is anything for a map.
    pub(super) fn has_line(self) -> bool {
        self.drawn.with_value(|it| it.iter().any(|it| it.line.len() > 1))
    }

    /// Looks at all of them.
    pub(super) fn with<T>(self, look: impl FnOnce(&[Drawn]) -> T) -> T {
        self.drawn.with_value(|it| look(it))
    }

    /// Looks at the chosen one.
    pub(super) fn with_chosen<T>(self, look: impl FnOnce(&Drawn) -> T) -> T {
        let index = self.chosen.get();
        self.with(|it| look(&it[index]))
    }

    /// The number of the chosen one.
    pub(super) fn chosen(self) -> usize {
        self.chosen.get()
    }

    /// Chooses another one.
    pub(super) fn choose(self, index: usize) {
        self.step.set(None);
        if index < self.with(<[Drawn]>::len) {
            self.chosen.set(index);
        }
    }

    /// Lights up the step on which a point of the chosen line lies.
    pub(super) fn light(self, point: usize) {
        let found = untrack(|| self.with_chosen(|it| step_at(it.details.as_ref(), point)));
        self.step.set(found);
    }

    /// The lit step as text, with its number.
    pub(super) fn step_text(self, lang: Lang) -> Option<String> {
        let index = self.step.get()?;
        let step = self.with_chosen(|it| it.route.steps.get(index).cloned())?;
        let text: String = step.instruction.chars().take(TOLD_MAX).collect();
        Some(lang.fill(Key::RouteStepLit, &[&(index + 1).to_string(), &text]))
    }

    /// Whether the steps of the chosen one are known on the map.
    pub(super) fn is_placed(self) -> bool {
        self.with_chosen(|it| span(it.details.as_ref(), it.line.len(), 0).is_some())
    }

    /// What the ends are called.
    pub(super) fn names(self) -> (String, String) {
        let name = |it: &Option<Pin>| it.as_ref().map(|it| it.name.clone()).unwrap_or_default();
        self.ends.with_value(|(start, goal)| (name(start), name(goal)))
    }

    /// What the map draws.
    pub(super) fn scene(self) -> Scene {
        let chosen = self.chosen.get();
        let lit = self.step.get();
        let step = self.with(|it| {
            let it = &it[chosen];
            span(it.details.as_ref(), it.line.len(), lit?)
        });
        let (start, goal) = self.ends.get_value();
        Scene {
            lines: self.with(|it| it.iter().map(|it| Arc::clone(&it.line)).collect()),
            chosen,
            start,
            goal,
            step,
            area: None,
            tone: Tone::Plain,
            attribution: self.attribution.get_value(),
        }
    }

    /// The chosen one as a file.
    pub(super) fn exported(self) -> ExportedRoute {
        let (from, to) = self.names();
        let attribution = self.attribution.get_value();
        untrack(|| {
            self.with_chosen(|it| {
                ExportedRoute::of(
                    &it.route,
                    it.details.as_ref(),
                    &it.line,
                    (&from, &to),
                    &attribution,
                )
            })
        })
    }
}

fn pin(end: Option<End>) -> Option<Pin> {
    let end = end?;
    let (lat, lng) = (end.location.lat, end.location.lng);
    let is_on_globe = lat.abs() <= 90.0 && lng.abs() <= 180.0;
    is_on_globe.then_some(Pin { lat, lng, name: end.name })
}

fn bare((lat, lng): &Point) -> Pin {
    Pin { lat: *lat, lng: *lng, name: String::new() }
}

#[cfg(test)]
mod tests {
    use output::navigation::Step;

    use super::*;

    const LINE: &str = "_p~iF~ps|U_ulLnnqC_mqNvxq`@";

    fn route(line: &str) -> Route {
        let step = |text: &str| Step { instruction: text.to_owned(), ..Step::default() };
        let steps = vec![step("出る"), step("曲がる"), step("着く")];
        Route { polyline: line.to_owned(), steps, ..Route::default() }
    }

    fn shown(lines: &[&str], details: Option<Details>) -> Shown {
        let routes = lines.iter().map(|it| route(it)).collect();
        Shown::of(Routes { routes, ..Routes::default() }, details).unwrap()
    }

    #[test]
    fn clicked_point_lights_its_step_and_another_route_clears_it() {
        let owner = Owner::new();
        owner.set();
        let of_route = RouteDetails { steps_at: vec![0, 1, 2], ..RouteDetails::default() };
        let details = Details { routes: vec![of_route; 2], ..Details::default() };
        let shown = shown(&[LINE, LINE], Some(details));
        shown.light(1);
        assert_eq!(shown.step_text(Lang::Ja).as_deref(), Some("2. 曲がる"));
        assert_eq!(shown.scene().step, Some((1, 2)));
        shown.choose(1);
        assert_eq!(
            (shown.chosen(), shown.step_text(Lang::Ja), shown.scene().step),
            (1, None, None)
        );
        shown.choose(7);
        assert_eq!(shown.chosen(), 1, "there is no such route");
    }

    /// Broken ones are shown without a map.
    #[test]
    fn routes_without_details_show_their_line_broken_ones_no_map() {
        let owner = Owner::new();
        owner.set();
        let whole = shown(&[LINE], None);
        assert!(whole.has_line() && !whole.is_placed());
        let start = whole.scene().start.unwrap();
        assert_eq!((start.lat, start.lng, start.name.as_str()), (38.5, -120.2, ""));
        let broken = shown(&["?", "\u{0}"], None);
        assert!(!broken.has_line() && broken.scene().start.is_none());
        broken.light(3);
        assert_eq!(broken.step_text(Lang::En), None);
        assert!(Shown::of(Routes::default(), None).is_none());
    }

    #[test]
    fn an_end_that_is_not_on_the_globe_is_no_pin() {
        let end = |lat, lng| {
            let location = output::navigation::Point { lat, lng };
            Some(End { name: "x".to_owned(), location, ..End::default() })
        };
        assert!(pin(end(35.0, 139.0)).is_some());
        assert!(pin(end(135.0, 139.0)).is_none() && pin(end(f64::NAN, 0.0)).is_none());
    }
}
