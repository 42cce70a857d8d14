//! What a sentence is about: the first rule whose words are all there, and none of those that bar it.

use self::facts::Facts;
use super::{heard::Heard, names::Names, numbers::Id, words::Word};

mod facts;

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
    /// What it costs.
    Price,
    /// Forms that there are.
    Forms,
    /// Conversations that there are.
    Talks,
    /// Agents that there are.
    Agents,
    /// Themes and cards that there are.
    Themes,
    /// A conversation is to end.
    Halt,
    /// A reservation is to become another one.
    Change,
    /// Something is named, and not what is to be done with it.
    Look,
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
    /// It asks something rather than orders it.
    Question,
    /// What was answered in a form.
    Answers,
    /// It asks for forms that there are.
    WhichForm,
    /// Whoever is talking.
    Talkers,
    /// A conversation by its number.
    Numbered,
    /// It asks how something went.
    Past,
    /// A form, with nothing done to it but that it is wanted.
    BareForm,
    /// On foot or by bicycle, which no table of distances knows.
    ByFoot,
    /// The shortest way is wished.
    Shortest,
    /// Cards of a mood or a motif.
    Mood,
    /// Films by what people think of them, or by their length.
    Rated,
    /// How long a film may take.
    Length,
    /// What was reserved or bought.
    Booked,
    /// Forms, wanted or not.
    Forms,
    /// It ends with leaving it be.
    GivesUp,
    /// Something is to be sent to somebody.
    Sending,
    /// An errand that begins with what nothing here does: sending, calling, buying.
    Errand,
    /// Several showings are told apart by when they begin.
    Occasion,
    /// Where the way begins is said.
    Origin,
    /// Where it ends is said.
    Destination,
    /// Both are said.
    Ends,
    /// The nearest of a kind of place, which no tool knows.
    Nearby,
    /// Something is wished of a way.
    Wished,
    /// A point on the map.
    Coordinates,
    /// A place that is looked for and known by name.
    Spotted,
    /// Places are compared by how far they are.
    Compared,
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
    /// A card by a name that is known.
    KnownCard,
    /// Several things that are on cards, or how one looks.
    Motifs,
    /// Cards are picked from a theme.
    Picked,
    /// How cards or a theme are to be laid out: a title, a background, one against the other.
    Laid,
    /// A kind of film.
    Genre,
    /// A film's name.
    Title,
    /// A date or a time.
    When,
    /// Fields of a form.
    Fields,
    /// A list of them: two or more that are fields for sure.
    Listed,
    /// Cards or themes by names that no table knows.
    Named,
    /// Any number of things.
    Counted,
    /// A sentence that ends with where to go.
    Towards,
    /// An agent by its name.
    Agent,
    /// One that is to be asked something.
    Addressed,
    /// Agents that are made to do something together.
    Caused,
    /// How often agents are to speak.
    Rounds,
    /// The last conversation, whatever it is about.
    Latest,
    /// A conversation is to wait, or to go on.
    Paused,
    /// Agents that one may talk to.
    Partners,
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
    rule(Goal::Nothing, &[Sign::GivesUp], &[]),
    rule(Goal::Nothing, &[Denies(&[Word::Converse, Word::Chain])], &[]),
    // What agents are to do may be anything that comes below.
    rule(Goal::Converse, &[Sign::Caused, Sign::Rounds], &[]),
    rule(Goal::Converse, &[Sign::Caused], &[Says(&[Word::Halt])]),
    rule(
        Goal::Converse,
        &[Says(&[Word::Agents]), Sign::Rounds],
        &[Says(&[Word::Exists, Word::Show, Word::Running, Word::Ended, Word::Form])],
    ),
    rule(Goal::Help, &[Says(&[Word::How])], &[Says(&[Word::Route, Word::Go]), Sign::Addressed]),
    rule(Goal::Nothing, &[Denies(&[Word::Cancel])], &[]),
    rule(
        Goal::Price,
        &[Says(&[Word::Price])],
        &[Says(&[Word::Form, Word::Route, Word::Make, Word::Inquire]), Sign::Ends, Sign::Addressed],
    ),
    rule(
        Goal::Cancel,
        &[Says(&[Word::Cancel])],
        &[Says(&[Word::Form, Word::Talks, Word::Elsewhere]), Sign::Addressed],
    ),
    rule(Goal::Halt, &[Sign::Paused], &[FILM, PICTURE, WAY, Says(&[Word::Form, Word::NoDoing])]),
    rule(Goal::Agents, &[Sign::Partners], &[FILM, PICTURE, Says(&[Word::Form])]),
    rule(
        Goal::Talks,
        &[Sign::Latest, Says(&[Word::History, Word::Talks])],
        &[Says(&[Word::Make, Word::Form, Word::Halt]), Sign::Has(Id::Conversation), FILM],
    ),
    rule(
        Goal::Talks,
        &[Says(&[Word::Talks]), Sign::Question],
        &[
            Says(&[Word::Converse, Word::Chain, Word::Make, Word::Form, Word::Halt, Word::Can]),
            Sign::Has(Id::Conversation),
            FILM,
            PICTURE,
        ],
    ),
    rule(
        Goal::Talks,
        &[Sign::Agent, Says(&[Word::Running, Word::Ended])],
        &[Says(&[Word::Converse, Word::Chain, Word::Make, Word::Form, Word::Halt])],
    ),
    rule(
        Goal::Talks,
        &[Says(&[Word::History]), Says(&[Word::Talks, Word::Agents])],
        &[Sign::Has(Id::Conversation)],
    ),
    rule(
        Goal::Talks,
        &[
            Says(&[Word::Talks]),
            Says(&[Word::Running, Word::Ended, Word::List, Word::Exists, Word::Show]),
        ],
        &[
            Says(&[Word::Converse, Word::Chain, Word::Make, Word::Form, Word::Halt]),
            Sign::Has(Id::Conversation),
        ],
    ),
    rule(Goal::Halt, &[Says(&[Word::Halt]), Sign::Numbered], &[Says(&[Word::Form])]),
    rule(
        Goal::Talks,
        &[Says(&[Word::Running]), Sign::Talkers],
        &[FILM, PICTURE, WAY, Says(&[Word::Form, Word::Halt])],
    ),
    rule(
        Goal::Halt,
        &[Says(&[Word::Halt]), Says(&[Word::Talks])],
        &[Says(&[Word::Chain, Word::Make, Word::Form])],
    ),
    // What was said already is told.
    rule(
        Goal::Talks,
        &[Sign::Agent, Sign::Past],
        &[Says(&[Word::Chain, Word::Make, Word::Form, Word::Halt]), Sign::Has(Id::Conversation)],
    ),
    rule(
        Goal::Talks,
        &[Sign::Agent, Says(&[Word::Talks]), Sign::Question],
        &[
            Says(&[Word::Converse, Word::Chain, Word::Make, Word::Form, Word::Halt, Word::Can]),
            Sign::Has(Id::Conversation),
        ],
    ),
    rule(Goal::Halt, &[Says(&[Word::Halt]), Says(&[Word::Chain])], &[Sign::Rounds]),
    // What agents are to talk about may be anything that comes below.
    rule(Goal::Nothing, &[Denies(&[Word::Converse, Word::Chain])], &[]),
    rule(Goal::Converse, &[Says(&[Word::Converse, Word::Chain]), Sign::Agent], &[]),
    rule(Goal::Converse, &[Says(&[Word::Converse, Word::Chain]), Says(&[Word::Agents])], &[]),
    rule(Goal::Converse, &[Sign::Addressed], &[Says(&[Word::History, Word::Talks])]),
    // What there is is told, and nothing new is begun.
    rule(Goal::Elsewhere, &[Says(&[Word::Delete])], &[Says(&[Word::Make, Word::Inquire])]),
    rule(
        Goal::Change,
        &[
            Says(&[Word::Change]),
            Says(&[Word::Seat, Word::Ticket, Word::Reserve, Word::Reservation, Word::Mine]),
        ],
        &[Sign::Counted],
    ),
    rule(Goal::Halt, &[Says(&[Word::Halt]), Says(&[Word::Talks, Word::Chain, Word::Agents])], &[]),
    rule(
        Goal::Talks,
        &[
            Says(&[Word::Talks, Word::Chain]),
            Says(&[Word::Running, Word::Ended, Word::List, Word::Exists, Word::Show]),
        ],
        &[Says(&[Word::Make, Word::Form]), Sign::Has(Id::Conversation)],
    ),
    rule(
        Goal::Talks,
        &[Says(&[Word::Agents]), Says(&[Word::Running, Word::Ended])],
        &[Says(&[Word::Make, Word::Form])],
    ),
    rule(
        Goal::Agents,
        &[Says(&[Word::Agents]), Says(&[Word::List, Word::Exists, Word::Who, Word::Show])],
        &[Says(&[Word::Make, Word::Form, Word::Converse, Word::Chain])],
    ),
    rule(
        Goal::Forms,
        &[
            Says(&[Word::Form]),
            Says(&[Word::Exists, Word::List, Word::Show, Word::Ended, Word::Who]),
        ],
        &[Says(&[Word::Make, Word::Inquire, Word::Want]), Sign::Fields],
    ),
    // What is not to be made anew is looked for among what there is.
    rule(
        Goal::Forms,
        &[Denies(&[Word::Form, Word::Make]), Says(&[Word::Exists, Word::List]), Sign::Forms],
        &[FILM, PICTURE, WAY, Says(&[Word::Talks, Word::Agents])],
    ),
    rule(
        Goal::Forms,
        &[Says(&[Word::Form]), Sign::WhichForm],
        &[Says(&[Word::Make, Word::Want, Word::Cancel, Word::Delete, Word::Halt])],
    ),
    rule(
        Goal::Forms,
        &[Says(&[Word::Form]), Sign::Question],
        &[
            Says(&[Word::Make, Word::Inquire, Word::Want, Word::Cancel, Word::Delete, Word::Halt]),
            Says(&[Word::Where, Word::Seat, Word::Ticket, Word::Reserve]),
            Sign::Fields,
            Sign::Agent,
        ],
    ),
    rule(
        Goal::Forms,
        &[Sign::Answers, Says(&[Word::Show, Word::List, Word::Exists])],
        &[FILM, PICTURE, WAY, Says(&[Word::Make, Word::Inquire, Word::Agents]), Sign::Agent],
    ),
    rule(
        Goal::Themes,
        &[Says(&[Word::Theme]), Says(&[Word::Exists, Word::List, Word::Names])],
        &[Sign::KnownTheme, Sign::Named, Says(&[Word::Thumbnail, Word::Make, Word::Form]), FILM],
    ),
    rule(
        Goal::Themes,
        &[Says(&[Word::Card]), Says(&[Word::Exists, Word::List])],
        &[
            Sign::KnownTheme,
            Sign::Named,
            Sign::Pieces,
            Says(&[Word::Thumbnail, Word::Make, Word::Form]),
            FILM,
        ],
    ),
    // Sending a form by mail is nothing that is done here.
    rule(Goal::Elsewhere, &[Sign::Errand, Says(&[Word::Form])], &[Says(&[Word::Make])]),
    // A form comes before all that it may ask about.
    rule(Goal::Nothing, &[Denies(&[Word::Form])], &[]),
    // What asks for none makes none.
    rule(
        Goal::Form,
        &[Says(&[Word::Form]), Sign::BareForm],
        &[
            Denies(&[Word::Make]),
            Says(&[Word::Where, Word::Cancel, Word::Delete, Word::Halt, Word::Change]),
        ],
    ),
    rule(Goal::Form, &[Says(&[Word::Form]), Says(&[Word::Make])], &[Denies(&[Word::Make])]),
    rule(
        Goal::Nothing,
        &[Denies(&[Word::Make, Word::Form])],
        &[Says(&[Word::Show, Word::Film, Word::Route])],
    ),
    rule(Goal::Nothing, &[Denies(&[Word::Thumbnail, Word::Compose])], &[Says(&[Word::Show])]),
    rule(Goal::Form, &[Says(&[Word::Inquire]), Sign::Fields], &[FILM, PICTURE, WAY]),
    rule(Goal::Form, &[Sign::Listed], &[FILM, PICTURE, WAY, Sign::Ends, Sign::Title, RESERVED]),
    rule(Goal::History, &[Says(&[Word::History])], &[]),
    rule(Goal::History, &[Sign::Has(Id::Conversation)], &[Says(&[Word::Record])]),
    rule(Goal::Thumbnail, &[Says(&[Word::Thumbnail])], &[]),
    rule(Goal::Thumbnail, &[Says(&[Word::Compose]), PICTURE], &[Sign::Ends]),
    rule(
        Goal::Thumbnail,
        &[Sign::Laid],
        &[FILM, WAY, Says(&[Word::Seat, Word::Reserve, Word::Show, Word::Form])],
    ),
    rule(
        Goal::Cards,
        &[Sign::Motifs],
        &[
            FILM,
            WAY,
            Sign::Ends,
            Sign::Agent,
            Says(&[
                Word::Where,
                Word::Form,
                Word::Seat,
                Word::Reserve,
                Word::Talks,
                Word::Thumbnail,
            ]),
        ],
    ),
    rule(Goal::Cards, &[Sign::Picked], &[FILM, Says(&[Word::Seat, Word::Reserve, Word::Form])]),
    rule(Goal::Cards, &[Says(&[Word::Card])], &[Sign::Ends, Says(&[Word::Film, Word::Seat])]),
    rule(
        Goal::Cards,
        &[Sign::KnownTheme],
        &[FILM, WAY, Says(&[Word::Seat, Word::Reserve]), Sign::Ends],
    ),
    rule(
        Goal::Cards,
        &[Sign::KnownCard],
        &[
            FILM,
            WAY,
            Says(&[Word::Seat, Word::Reserve, Word::Form, Word::Cancel, Word::Playing]),
            Sign::Ends,
            Sign::When,
            Sign::Agent,
        ],
    ),
    rule(
        Goal::Cards,
        &[Sign::Mood],
        &[FILM, WAY, Sign::Ends, Sign::Agent, Says(&[Word::Seat, Word::Reserve, Word::Form])],
    ),
    rule(Goal::Cards, &[Says(&[Word::Theme])], &[FILM, WAY, Sign::Ends]),
    rule(Goal::Reservation, &[Says(&[Word::Mine])], &[]),
    // What was reserved before is asked about.
    rule(
        Goal::Reservation,
        &[
            Says(&[Word::Reserved]),
            Says(&[Word::Reserve, Word::Reserved]),
            Sign::Question,
            Sign::Booked,
        ],
        &[Says(&[Word::Showtimes, Word::Free, Word::Vacant, Word::Cancel])],
    ),
    // What was done before is told, not asked for.
    rule(
        Goal::Told,
        &[Says(&[Word::Reserved])],
        &[Says(&[Word::Showtimes, Word::Free, Word::Vacant, Word::Reservation])],
    ),
    rule(Goal::Reservation, &[Sign::Has(Id::Reservation)], &[Denies(&[Word::Show])]),
    rule(
        Goal::Elsewhere,
        &[Sign::Sending],
        &[PICTURE, Says(&[Word::Form, Word::Agents, Word::Talks, Word::Chain]), Sign::Agent],
    ),
    rule(
        Goal::Elsewhere,
        &[Sign::Errand],
        &[
            FILM,
            PICTURE,
            Says(&[Word::Form, Word::Agents, Word::Talks, Word::Chain, Word::Seat]),
            Sign::Agent,
        ],
    ),
    // Ways.
    rule(Goal::Elsewhere, &[Sign::Nearby], &[ANY_FILM, Sign::Compared]),
    rule(Goal::Distances, &[Sign::Compared], &[Sign::Seats]),
    rule(
        Goal::Distances,
        &[Says(&[Word::Distance, Word::Duration, Word::Compare]), Sign::SeveralPlaces],
        &[Sign::Seats, Sign::Shortest],
    ),
    rule(
        Goal::Distances,
        &[Says(&[Word::Distance]), Sign::Origin, Sign::Destination],
        &[Says(&[Word::Route]), Sign::ByFoot, Sign::Shortest],
    ),
    rule(Goal::Route, &[Sign::Origin, Sign::Destination, WAY], &[]),
    rule(Goal::Route, &[Sign::Origin, Sign::Destination, Sign::Shortest], &[ANY_FILM]),
    rule(
        Goal::Route,
        &[Sign::Ends, Sign::Wished],
        &[ANY_FILM, PICTURE, Says(&[Word::Form, Word::Inquire])],
    ),
    rule(Goal::Route, &[Says(&[Word::Route]), Sign::Destination], &[FILM]),
    rule(Goal::Route, &[Says(&[Word::Route]), Sign::Origin], &[FILM]),
    rule(Goal::Route, &[Sign::Origin, Sign::Destination], &[ANY_FILM, Sign::Pieces]),
    rule(Goal::Route, &[Says(&[Word::Go, Word::Lead]), Sign::Destination], &[ANY_FILM, PICTURE]),
    rule(Goal::Elsewhere, &[Says(&[Word::Elsewhere])], &[FILM, Says(&[Word::Where])]),
    // The cinema.
    rule(
        Goal::Films,
        &[Sign::Occasion, Sign::When, Sign::Question],
        &[
            Sign::Title,
            Sign::Counted,
            PICTURE,
            WAY,
            FILM,
            Sign::Ends,
            Says(&[Word::Form, Word::Talks]),
        ],
    ),
    rule(
        Goal::Help,
        &[Says(&[Word::Where]), FILM],
        &[Sign::When, Sign::Title, Sign::Genre, Says(&[Word::Show, Word::Seat])],
    ),
    rule(
        Goal::Films,
        &[Says(&[Word::About])],
        &[Says(&[Word::Route, Word::Agents, Word::Card, Word::Form]), Sign::Answers],
    ),
    rule(Goal::Seats, &[Denies(&[Word::Reserve]), Says(&[Word::Free, Word::Vacant])], &[]),
    rule(Goal::Showtimes, &[Denies(&[Word::Reserve]), Says(&[Word::Showtimes])], &[]),
    rule(Goal::Showtimes, &[Denies(&[Word::Reserve]), Sign::Occasion, Sign::Title], &[]),
    rule(
        Goal::Films,
        &[
            Denies(&[Word::Reserve]),
            Says(&[Word::Film, Word::See]),
            Says(&[Word::Show, Word::List]),
        ],
        &[],
    ),
    rule(
        Goal::Look,
        &[Denies(&[Word::Reserve]), Sign::Title, Says(&[Word::Show, Word::List])],
        &[],
    ),
    rule(Goal::Seats, &[Denies(&[Word::Reserve]), Says(&[Word::Seat]), Sign::Title], &[]),
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
        &[Says(&[Word::Ticket, Word::Seat]), Sign::Counted],
        &[Says(&[Word::List, Word::Free, Word::Vacant, Word::Showtimes, Word::Card])],
    ),
    rule(
        Goal::Book,
        &[Says(&[Word::See]), Sign::People],
        &[Says(&[Word::List, Word::Free, Word::Vacant, Word::Showtimes])],
    ),
    rule(Goal::Book, &[Says(&[Word::Reserve]), Sign::When], &[Sign::Origin]),
    rule(
        Goal::Reservation,
        &[Says(&[Word::Reservation])],
        &[Says(&[Word::Seat, Word::Ticket, Word::Want, Word::Make])],
    ),
    rule(
        Goal::Book,
        &[Says(&[Word::Reservation]), Says(&[Word::Want, Word::Make])],
        &[Says(&[Word::Show])],
    ),
    rule(
        Goal::Book,
        &[Says(&[Word::Film]), Sign::People],
        &[Says(&[Word::List, Word::Free, Word::Vacant, Word::Showtimes, Word::Show])],
    ),
    rule(
        Goal::Book,
        &[Says(&[Word::Film, Word::See]), Sign::Counted, Sign::When],
        &[
            Says(&[
                Word::List,
                Word::Free,
                Word::Vacant,
                Word::Showtimes,
                Word::Show,
                Word::Exists,
            ]),
            Sign::Question,
            PICTURE,
            WAY,
        ],
    ),
    rule(Goal::Showtimes, &[Says(&[Word::Showtimes])], &[PICTURE]),
    rule(
        Goal::Seats,
        &[Says(&[Word::Wheelchair]), Sign::Title],
        &[PICTURE, WAY, Says(&[Word::Where, Word::Form])],
    ),
    rule(Goal::Showtimes, &[Sign::Has(Id::Movie)], &[PICTURE]),
    rule(
        Goal::Showtimes,
        &[Sign::Occasion, Sign::Title],
        &[PICTURE, WAY, Sign::Counted, Says(&[Word::Form])],
    ),
    rule(
        Goal::Book,
        &[Sign::Occasion, Sign::Counted, Sign::Title],
        &[PICTURE, WAY, Sign::Ends, Says(&[Word::Form, Word::List, Word::Exists])],
    ),
    rule(
        Goal::Book,
        &[Sign::Occasion, Sign::Counted, Sign::When],
        &[PICTURE, WAY, Sign::Ends, Says(&[Word::Form, Word::List, Word::Show, Word::Exists])],
    ),
    rule(
        Goal::Films,
        &[Sign::Length],
        &[Sign::ByFoot, PICTURE, WAY, Sign::Ends, Says(&[Word::Form])],
    ),
    rule(
        Goal::Films,
        &[Says(&[Word::Free, Word::Vacant]), Says(&[Word::Film]), Sign::Question, Sign::When],
        &[Sign::Title, Sign::Counted, Says(&[Word::Reserve])],
    ),
    rule(Goal::Seats, &[Says(&[Word::Free]), FILM], &[]),
    rule(Goal::Seats, &[Says(&[Word::Free]), Sign::People], &[WAY]),
    rule(Goal::Showtimes, &[Says(&[Word::Playing]), Sign::Title], &[PICTURE]),
    rule(Goal::Films, &[Says(&[Word::Playing]), Sign::When], &[PICTURE]),
    rule(
        Goal::Films,
        &[Sign::Rated],
        &[PICTURE, WAY, Sign::Ends, Says(&[Word::Form, Word::Agents, Word::Talks])],
    ),
    rule(Goal::Films, &[FILM], &[]),
    rule(
        Goal::Films,
        &[Sign::Genre, Says(&[Word::List, Word::Show, Word::Want, Word::Exists])],
        &[Sign::Counted],
    ),
    rule(
        Goal::Book,
        &[Sign::Genre, Sign::Counted, Sign::When],
        &[Says(&[Word::List, Word::Free, Word::Vacant, Word::Show, Word::Exists]), PICTURE, WAY],
    ),
    rule(Goal::Films, &[Sign::Genre, Sign::When], &[]),
    rule(
        Goal::Films,
        &[Sign::Genre],
        &[
            WAY,
            PICTURE,
            Says(&[Word::Form, Word::Elsewhere, Word::Agents, Word::Help, Word::Versus]),
        ],
    ),
    rule(Goal::Films, &[Says(&[Word::Compare]), Sign::Title], &[WAY, PICTURE]),
    rule(Goal::Book, &[Sign::Title, Sign::When, Sign::Counted], &[WAY, PICTURE]),
    rule(Goal::Book, &[Sign::Title, Sign::Seats], &[WAY, PICTURE]),
    rule(Goal::Book, &[Sign::Title, Sign::People, Says(&[Word::Want])], &[WAY, PICTURE]),
    rule(Goal::Book, &[Sign::Title, Says(&[Word::Reserve])], &[WAY, PICTURE]),
    // Places come after what merely has the word in it.
    rule(
        Goal::Place,
        &[Says(&[Word::Show]), Sign::Spotted],
        &[ANY_FILM, PICTURE, WAY, Says(&[Word::Form, Word::Talks, Word::Agents])],
    ),
    rule(Goal::Place, &[Sign::Coordinates], &[ANY_FILM, Sign::Ends]),
    rule(Goal::Place, &[Says(&[Word::Where]), Sign::Sought], &[FILM, Says(&[Word::Seat])]),
    rule(Goal::Route, &[Says(&[Word::Route])], &[ANY_FILM, PICTURE]),
    rule(Goal::Distances, &[Says(&[Word::Distance])], &[]),
    rule(Goal::Book, &[Says(&[Word::Seat, Word::Ticket])], &[Says(&[Word::Where, Word::List])]),
    rule(
        Goal::Route,
        &[Sign::Towards],
        &[ANY_FILM, PICTURE, Says(&[Word::Form, Word::Elsewhere, Word::Agents])],
    ),
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

/// What a sentence without a rule is likely to ask for, since it names a time, a number or seats beside a
/// name that may be a film's.
pub(super) fn guess(heard: &Heard) -> Option<Goal> {
    let others = [
        Word::Card,
        Word::Theme,
        Word::Thumbnail,
        Word::Form,
        Word::Route,
        Word::Go,
        Word::Elsewhere,
        Word::Agents,
        Word::Talks,
        Word::Make,
        Word::Not,
        Word::Where,
        Word::Help,
        Word::Delete,
        Word::Versus,
        Word::Chain,
    ];
    if heard.has(&others) || heard.leftover().is_none() {
        return None;
    }
    let facts = Facts::of(heard);
    let is_ways = facts.has(Sign::Origin) || facts.has(Sign::Destination);
    match () {
        () if is_ways => None,
        () if facts.has(Sign::Counted) || facts.has(Sign::Seats) => Some(Goal::Book),
        () if facts.has(Sign::When) || heard.has(&[Word::Playing]) => Some(Goal::Showtimes),
        () => None,
    }
}

/// Goals that single words of `heard` speak for, the likeliest first.
pub(super) fn goals(heard: &Heard) -> Vec<Goal> {
    const NEAR: &[(Goal, &[Word])] = &[
        (Goal::Book, &[Word::Reserve, Word::Ticket]),
        (Goal::Seats, &[Word::Seat, Word::Vacant, Word::Free]),
        (Goal::Films, &[Word::Film, Word::See, Word::About, Word::Playing]),
        (Goal::Showtimes, &[Word::Showtimes]),
        (Goal::Thumbnail, &[Word::Thumbnail, Word::Compose]),
        (Goal::Cards, &[Word::Card, Word::Theme, Word::Versus]),
        (Goal::Form, &[Word::Form, Word::Inquire]),
        (Goal::Converse, &[Word::Converse, Word::Chain, Word::Agents, Word::Talks]),
        (Goal::Route, &[Word::Route, Word::Go, Word::Lead]),
        (Goal::Distances, &[Word::Distance, Word::Duration, Word::Compare]),
        (Goal::Place, &[Word::Where]),
        (Goal::Reservation, &[Word::Reservation, Word::Mine]),
    ];
    let is_there = |words: &&[Word]| heard.tokens.iter().any(|it| words.contains(&it.word));
    NEAR.iter().filter(|it| is_there(&it.1)).map(|it| it.0).collect()
}

/// What is reserved, or was.
const RESERVED: Sign =
    Says(&[Word::Reservation, Word::Reserve, Word::Mine, Word::Cancel, Word::Seat, Word::Ticket]);
