//! What a sentence is about: the first rule whose words are all there, and none of those that bar it.

use std::cell::OnceCell;

use super::{
    heard::Heard,
    meeting::Meets,
    names::Names,
    numbers::{Id, Unit},
    words::Word,
};

/// What a sentence asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Nothing is to be done, and that is said.
    Nothing,
    /// A reservation is to be undone.
    Cancel,
    /// Something that was done before is told.
    Told,
    /// It is understood that nothing here does it.
    Elsewhere,
    /// How a thing is done, or what there is.
    Help,
    Greeting,
    Thanks,
    /// Agents are to talk.
    Converse,
    Form,
    Thumbnail,
    Cards,
    History,
    Reservation,
    Book,
    Seats,
    Showtimes,
    Films,
    Route,
    Distances,
    Place,
}

/// What a rule looks at: words, or what else a sentence has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// One of these is there, and not denied.
    Says(&'static [Word]),
    /// One of these is there, and denied.
    Denies(&'static [Word]),
    /// Where the way begins is said.
    Origin,
    /// Where it ends is said.
    Destination,
    /// Both are said.
    Ends,
    /// More than one place on a side.
    SeveralPlaces,
    /// A place is looked for.
    Sought,
    /// A number of seats or people.
    People,
    Pieces,
    /// Seats by name.
    Seats,
    Has(Id),
    /// A theme or a colour that is known.
    KnownTheme,
    /// A kind of film.
    Genre,
    /// A film's name.
    Title,
    /// A date or a time.
    When,
    /// Fields of a form.
    Fields,
    /// An agent by its name.
    Agent,
    /// One that is to be asked something.
    Addressed,
}

/// One rule: all of `all`, none of `none`.
pub(super) struct Rule {
    pub(super) goal: Goal,
    pub(super) all: &'static [Sign],
    pub(super) none: &'static [Sign],
}

use Sign::{Denies, Says};

const FILM: Sign = Says(&[Word::Film, Word::See, Word::Showtimes, Word::Ticket]);
const PICTURE: Sign = Says(&[Word::Card, Word::Theme, Word::Thumbnail, Word::Compose]);
const WAY: Sign = Says(&[Word::Route, Word::Go, Word::Distance, Word::Duration]);
const ANY_FILM: Sign =
    Says(&[Word::Film, Word::See, Word::Ticket, Word::Seat, Word::Showtimes, Word::Reserve]);

const fn rule(goal: Goal, all: &'static [Sign], none: &'static [Sign]) -> Rule {
    Rule { goal, all, none }
}

/// The rules, the first that fits counts.
pub(super) const RULES: &[Rule] = &[
    rule(Goal::Nothing, &[Says(&[Word::NoDoing])], &[]),
    rule(Goal::Help, &[Says(&[Word::How])], &[Says(&[Word::Route, Word::Go])]),
    rule(Goal::Cancel, &[Says(&[Word::Cancel])], &[Says(&[Word::Form])]),
    // What agents are to talk about may be anything that comes below.
    rule(Goal::Nothing, &[Denies(&[Word::Converse, Word::Chain])], &[]),
    rule(Goal::Converse, &[Says(&[Word::Converse, Word::Chain]), Sign::Agent], &[]),
    rule(Goal::Converse, &[Says(&[Word::Converse, Word::Chain]), Says(&[Word::Agents])], &[]),
    rule(Goal::Converse, &[Sign::Addressed], &[Says(&[Word::History])]),
    // A form comes before all that it may ask about.
    rule(Goal::Nothing, &[Denies(&[Word::Form])], &[]),
    rule(Goal::Form, &[Says(&[Word::Form])], &[Denies(&[Word::Make])]),
    rule(
        Goal::Nothing,
        &[Denies(&[Word::Make, Word::Form])],
        &[Says(&[Word::Show, Word::Film, Word::Route])],
    ),
    rule(Goal::Nothing, &[Denies(&[Word::Thumbnail, Word::Compose])], &[Says(&[Word::Show])]),
    rule(Goal::Form, &[Says(&[Word::Inquire]), Sign::Fields], &[FILM, PICTURE, WAY]),
    rule(Goal::History, &[Says(&[Word::History])], &[]),
    rule(Goal::History, &[Sign::Has(Id::Conversation)], &[Says(&[Word::Record])]),
    rule(Goal::Thumbnail, &[Says(&[Word::Thumbnail])], &[]),
    rule(Goal::Thumbnail, &[Says(&[Word::Compose]), PICTURE], &[Sign::Ends]),
    rule(Goal::Cards, &[Says(&[Word::Card])], &[Sign::Ends, Says(&[Word::Film, Word::Seat])]),
    rule(
        Goal::Cards,
        &[Sign::KnownTheme],
        &[FILM, WAY, Says(&[Word::Seat, Word::Reserve]), Sign::Ends],
    ),
    rule(Goal::Cards, &[Says(&[Word::Theme])], &[FILM, WAY, Sign::Ends]),
    // What was done before is told, not asked for.
    rule(
        Goal::Told,
        &[Says(&[Word::Reserved])],
        &[Says(&[Word::Showtimes, Word::Free, Word::Vacant, Word::Reservation])],
    ),
    rule(Goal::Reservation, &[Sign::Has(Id::Reservation)], &[Denies(&[Word::Show])]),
    // Ways.
    rule(
        Goal::Distances,
        &[Says(&[Word::Distance, Word::Duration, Word::Compare]), Sign::SeveralPlaces],
        &[Sign::Seats],
    ),
    rule(
        Goal::Distances,
        &[Says(&[Word::Distance]), Sign::Origin, Sign::Destination],
        &[Says(&[Word::Route])],
    ),
    rule(Goal::Route, &[Sign::Origin, Sign::Destination, WAY], &[]),
    rule(Goal::Route, &[Says(&[Word::Route]), Sign::Destination], &[FILM]),
    rule(Goal::Route, &[Says(&[Word::Route]), Sign::Origin], &[FILM]),
    rule(Goal::Route, &[Sign::Origin, Sign::Destination], &[ANY_FILM]),
    rule(Goal::Route, &[Says(&[Word::Go, Word::Lead]), Sign::Destination], &[ANY_FILM, PICTURE]),
    rule(Goal::Elsewhere, &[Says(&[Word::Elsewhere])], &[FILM, Says(&[Word::Where])]),
    // The cinema.
    rule(
        Goal::Help,
        &[Says(&[Word::Where]), FILM],
        &[Sign::When, Sign::Title, Sign::Genre, Says(&[Word::Show, Word::Seat])],
    ),
    rule(Goal::Seats, &[Denies(&[Word::Reserve]), Says(&[Word::Free, Word::Vacant])], &[]),
    rule(Goal::Showtimes, &[Denies(&[Word::Reserve]), Says(&[Word::Showtimes])], &[]),
    rule(
        Goal::Films,
        &[
            Denies(&[Word::Reserve]),
            Says(&[Word::Film, Word::See]),
            Says(&[Word::Show, Word::List]),
        ],
        &[],
    ),
    rule(Goal::Nothing, &[Denies(&[Word::Reserve])], &[]),
    rule(Goal::Book, &[Says(&[Word::Reserve]), Sign::Seats], &[]),
    rule(Goal::Seats, &[Says(&[Word::Free]), Says(&[Word::Seat])], &[Says(&[Word::Reserve])]),
    rule(Goal::Seats, &[Says(&[Word::Vacant])], &[Says(&[Word::Reserve]), Sign::Origin]),
    rule(Goal::Seats, &[Sign::Has(Id::Showtime)], &[Says(&[Word::Reserve])]),
    rule(
        Goal::Book,
        &[Says(&[Word::Reserve]), Says(&[Word::Seat, Word::Ticket, Word::Film, Word::See])],
        &[],
    ),
    rule(Goal::Book, &[Says(&[Word::Reserve]), Sign::People], &[]),
    rule(Goal::Book, &[Says(&[Word::Reserve]), Sign::Pieces, Sign::Title], &[]),
    rule(Goal::Book, &[Says(&[Word::Ticket, Word::Seat]), Says(&[Word::Want])], &[]),
    rule(
        Goal::Book,
        &[Says(&[Word::Ticket, Word::Seat]), Sign::People],
        &[Says(&[Word::List, Word::Free, Word::Vacant, Word::Showtimes])],
    ),
    rule(
        Goal::Book,
        &[Says(&[Word::See]), Sign::People],
        &[Says(&[Word::List, Word::Free, Word::Vacant, Word::Showtimes])],
    ),
    rule(Goal::Book, &[Says(&[Word::Reserve]), Sign::When], &[Sign::Origin]),
    rule(Goal::Reservation, &[Says(&[Word::Reservation])], &[Says(&[Word::Seat, Word::Ticket])]),
    rule(
        Goal::Book,
        &[Says(&[Word::Film]), Sign::People],
        &[Says(&[Word::List, Word::Free, Word::Vacant, Word::Showtimes, Word::Show])],
    ),
    rule(Goal::Showtimes, &[Says(&[Word::Showtimes])], &[PICTURE]),
    rule(Goal::Showtimes, &[Sign::Has(Id::Movie)], &[PICTURE]),
    rule(Goal::Seats, &[Says(&[Word::Free]), FILM], &[]),
    rule(Goal::Seats, &[Says(&[Word::Free]), Sign::People], &[WAY]),
    rule(Goal::Showtimes, &[Says(&[Word::Playing]), Sign::Title], &[PICTURE]),
    rule(Goal::Films, &[Says(&[Word::Playing]), Sign::When], &[PICTURE]),
    rule(Goal::Films, &[FILM], &[]),
    rule(Goal::Films, &[Sign::Genre, Says(&[Word::List, Word::Show, Word::Want])], &[]),
    // Places come after what merely has the word in it.
    rule(Goal::Place, &[Says(&[Word::Where]), Sign::Sought], &[FILM, Says(&[Word::Seat])]),
    rule(Goal::Route, &[Says(&[Word::Route])], &[ANY_FILM, PICTURE]),
    rule(Goal::Distances, &[Says(&[Word::Distance])], &[]),
    rule(Goal::Book, &[Says(&[Word::Seat, Word::Ticket])], &[Says(&[Word::Where, Word::List])]),
    rule(Goal::Help, &[Says(&[Word::Help])], &[]),
    rule(Goal::Thanks, &[Says(&[Word::Thanks])], &[]),
    rule(Goal::Greeting, &[Says(&[Word::Greeting])], &[]),
];

/// What `heard` asks for, as far as the rules tell.
pub(super) fn goal(heard: &Heard) -> Option<Goal> {
    let facts = Facts::of(heard);
    let fits = |it: &&Rule| {
        it.all.iter().all(|it| facts.has(*it)) && !it.none.iter().any(|it| facts.has(*it))
    };
    RULES.iter().find(fits).map(|it| it.goal)
}

struct Facts<'a> {
    heard: &'a Heard,
    places: super::places::Places,
    lists: super::places::Places,
    has_theme: OnceCell<bool>,
    has_title: OnceCell<bool>,
    has_fields: OnceCell<bool>,
    is_sought: OnceCell<bool>,
}

impl<'a> Facts<'a> {
    fn of(heard: &'a Heard) -> Self {
        Self {
            heard,
            places: heard.places(false),
            lists: heard.places(true),
            has_theme: OnceCell::new(),
            has_title: OnceCell::new(),
            has_fields: OnceCell::new(),
            is_sought: OnceCell::new(),
        }
    }

    fn has(&self, sign: Sign) -> bool {
        let heard = self.heard;
        match sign {
            Says(words) => heard.has(words),
            Denies(words) => heard.denies(words),
            Sign::Origin => !self.places.origins.is_empty(),
            Sign::Destination => !self.places.destinations.is_empty(),
            Sign::Ends => !self.places.origins.is_empty() && !self.places.destinations.is_empty(),
            Sign::SeveralPlaces => {
                let (origins, destinations) = (&self.lists.origins, &self.lists.destinations);
                !destinations.is_empty()
                    && !origins.is_empty()
                    && origins.len() + destinations.len() > 2
            }
            Sign::Sought => *self.is_sought.get_or_init(|| heard.sought().is_some()),
            Sign::People => heard.numbers.counts.iter().any(|it| it.0 == Unit::People),
            Sign::Pieces => heard.numbers.pieces().is_some(),
            Sign::Seats => !heard.numbers.seats.is_empty(),
            Sign::Has(id) => heard.numbers.id(id).is_some(),
            Sign::KnownTheme => *self.has_theme.get_or_init(|| !heard.themes().is_empty()),
            Sign::Genre => heard.genre().is_some(),
            Sign::Title => *self.has_title.get_or_init(|| heard.title().is_some()),
            Sign::When => heard.when.date.is_some() || heard.when.hours.is_some(),
            Sign::Agent => heard.names_agent(),
            Sign::Addressed => heard.addresses_agent(),
            Sign::Fields => {
                *self.has_fields.get_or_init(|| !super::fields::fields(heard).is_empty())
            }
        }
    }
}
