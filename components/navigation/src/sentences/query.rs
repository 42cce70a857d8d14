//! The plan for a query about routes, distances or places, by the tools of specification 4.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use language::{
    chat::CONTINUED,
    context::{TurnContext, failure, output, submitted},
    coverage::{Used, unused},
    message::Part,
    rules::Percent,
    say,
    scan::marks,
    turn::{Answered, Decision},
    utterance::Piece,
    words::Word,
};

use super::{
    ANSWERED,
    comparison::{ListStyle, Measure, Row},
    places::{Sentence, is_known_place},
    planner::{
        COMPARE, Planner, Remark, RouteRequest, SEARCH, asks_arrival, has_constraint,
        is_by_transit, return_constraints,
    },
    rules::{DISTANCE, DURATION, GO, Goal, LEAD, ROUTE, TOLLS},
};

const GEOCODE: &str = "geocode";
/// Maximum number of sentences that a query keeps, the last ones.
const SENTENCES_MAX: usize = 20;
/// Maximum number of characters of a place in a form.
const PLACE_MAX: usize = 200;

/// Places that only the person knows.
const PRIVATE: &str = "家|自宅|うち|会社|職場|学校|実家|現在地|ここ|今いる場所|いまいる場所|ホテル|home|my home|my house|my place|work|my work|the office|my office|office|here|my location|my current location|school|空港|駅|最寄り駅|最寄りの駅|airport|the airport|station|the station|there|そこ|あそこ";

/// Phrases of a way home, as in `take me home`: only the person knows where that is.
const HOME: &str = "go home|get home|drive home|walk home|way home|me home|back home|to my house|to my place|to my hotel|to the office|家に帰|家まで|自宅まで|自宅に|うちまで|ホテルまで|会社まで";

/// Phrases that remove a stop.
const LEFT_OUT: &str = "skip|without|not via|don't|no |forget|drop|scratch|remove|leave out|ditch|skipping|cut out|take out|もういい|はいいや|はいいです|はパス|取りやめ|なし|無し|やめ|抜き|いらない|要らない|飛ばし|とばし|外して|はずして|消して|カット";

/// Phrases that add a stop.
const ADDS: &str = "追加|入れて|加えて|足して|add|also|include";

/// Maximum number of places on one side of a distance table.
const COMPARED_MAX: usize = 25;

/// Maximum number of stops on a route, which is the limit of a search.
const STOPS_MAX: usize = 10;

/// The kind of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    #[default]
    Route,
    Distances,
    Place,
}

/// A query for a route, a distance table or a place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Query {
    kind: Kind,
    pub(super) origins: Vec<String>,
    pub(super) destinations: Vec<String>,
    /// Stops of the route.
    pub(super) via: Vec<String>,
    /// The constraints, sentence by sentence, without the places.
    #[serde(rename = "said")]
    pub(super) constraint_texts: Vec<String>,
    /// The measure of a comparison.
    pub(super) measure: Measure,
    #[serde(rename = "telling")]
    pub(super) style: ListStyle,
    pub(super) ranked: Vec<Row>,
    /// The place that was replaced by another one.
    pub(super) replaced: Option<String>,
    /// Whether the last sentence asks for a second route.
    pub(super) has_second: bool,
    /// Places that the last sentence avoids.
    #[serde(rename = "kept_off")]
    pub(super) avoided_places: Vec<String>,
    /// The query before this one, for taking it back.
    before: Option<Box<Self>>,
}

/// Returns the names of places, without private ones such as in `家から会社まで`.
fn names(pieces: Vec<Piece>) -> Vec<String> {
    let is_private = |name: &str| {
        let name = name.trim().to_lowercase();
        PRIVATE.split('|').any(|it| it == name)
    };
    pieces.into_iter().map(|it| it.text).filter(|it| !is_private(it)).collect()
}

/// Whether `lower` asks for the reversed route and nothing else: `逆は？`, `もう一回逆`.
fn is_reversal(lower: &str) -> bool {
    const LEADS: &str =
        "もう一回|もう一度|もっかい|じゃあ|では|その|and |ok |now |the |in the |again |go ";
    const TAILS: &str =
        "に行きたい|だったら|なら|だと|だったら|方向|向き|は|も|で|に| please| again| route| way";
    const ALONE: &str =
        "逆|反対|reverse|reversed|opposite|opposite direction|other direction|reverse direction";
    let mut text = lower.trim_matches(|it: char| !it.is_alphanumeric());
    while let Some(rest) = marks(LEADS).find_map(|it| text.strip_prefix(it)) {
        text = rest.trim_start();
    }
    while let Some(rest) = marks(TAILS).find_map(|it| text.strip_suffix(it)) {
        text = rest.trim_end();
    }
    marks(ALONE).any(|it| it == text)
}

impl Query {
    /// Returns it with the query that it follows, unless both are alike.
    pub(super) fn behind(self, before: Option<&Self>) -> Self {
        let Some(before) = before else { return self };
        let alone = |it: &Self| Self { before: None, ..it.clone() };
        let is_same = alone(&self) == alone(before);
        let earlier = if is_same { before.before.clone() } else { Some(Box::new(alone(before))) };
        Self { before: earlier, ..self }
    }

    /// Returns the query before this one; this one is then the one before.
    pub(super) fn undone(&self) -> Option<Self> {
        let before = self.before.as_deref()?;
        Some(before.clone().behind(Some(self)))
    }

    /// Whether this route is the one before, reversed.
    fn is_reversed(&self) -> bool {
        let is_back = |route: &Self| {
            route.kind == self.kind
                && route.origins == self.destinations
                && route.destinations == self.origins
        };
        self.before.as_deref().is_some_and(is_back)
    }

    /// Parses the query; missing parts are taken from `before`.
    pub(super) fn from_sentence(utterance: &Sentence, goal: Goal, before: Option<&Self>) -> Self {
        let kind = match goal {
            Goal::Distances => Kind::Distances,
            Goal::Place => Kind::Place,
            _ => Kind::Route,
        };
        if kind == Kind::Place {
            let places = utterance.searched_place().map(|it| it.text).into_iter().collect();
            return Self { kind, destinations: places, ..Self::default() };
        }
        let places = utterance.places(kind == Kind::Distances);
        let mut constraint = utterance.chars.clone();
        let mut via = if kind == Kind::Route { utterance.via() } else { Vec::new() };
        via.retain(|piece| {
            let ends = places.origins.iter().chain(&places.destinations);
            ends.into_iter().all(|end| piece.to <= end.from || end.to <= piece.from)
        });
        for piece in places.origins.iter().chain(&places.destinations).chain(&via) {
            constraint[piece.from..piece.to].fill(' ');
        }
        let ends = places.origins.iter().chain(&places.destinations);
        let is_private = |of: &[Piece]| !of.is_empty() && names(of.to_vec()).is_empty();
        let goes_home = places.destinations.is_empty() && utterance.says(HOME);
        let privates = (is_private(&places.origins), goes_home || is_private(&places.destinations));
        let second = utterance.second_route();
        let has_second = utterance.has_leg
            || second.is_some_and(|it| ends.into_iter().all(|end| end.to <= it.0));
        let mut query = Self {
            kind,
            origins: names(places.origins),
            destinations: names(places.destinations),
            via: names(via),
            measure: Measure::parse(&constraint),
            style: ListStyle::parse(utterance),
            constraint_texts: vec![constraint.into_iter().collect()],
            has_second,
            avoided_places: if kind == Kind::Route {
                utterance.avoided_places()
            } else {
                Vec::new()
            },
            ..Self::default()
        };
        if let Some(before) = before.filter(|it| it.kind != Kind::Place) {
            let is_new = !query.origins.is_empty() && !query.destinations.is_empty();
            // `新宿から` after a way to Shinjuku goes on from there.
            let goes_on_from_there = kind == Kind::Route
                && !query.origins.is_empty()
                && query.destinations.is_empty()
                && query.origins == before.destinations;
            if query.origins.is_empty() && !privates.0 {
                let is_left = privates.1 && kind == Kind::Route;
                let from = if is_left { &before.destinations } else { &before.origins };
                query.origins.clone_from(from);
            }
            if query.destinations.is_empty() && !privates.1 && !goes_on_from_there {
                query.destinations.clone_from(&before.destinations);
            }
            // `上野に戻る` goes back from where this route ends.
            if !is_new && kind == Kind::Route && query.origins == query.destinations {
                query.origins.clone_from(&before.destinations);
                query.constraint_texts.splice(0..0, before.constraint_texts.iter().cloned());
            } else if !is_new {
                if query.via.is_empty() {
                    query.via.clone_from(&before.via);
                }
                query.constraint_texts.splice(0..0, before.constraint_texts.iter().cloned());
            }
        }
        query
    }

    /// Replaces references to this route in `text` by its places: `そこから`, `and back`.
    pub(super) fn resolve_references(&self, text: &str) -> String {
        const THERE: [(&str, &str, &str); 12] = [
            ("そこから", "", "から"),
            ("そこまで", "", "まで"),
            ("そこへ", "", "まで"),
            ("そこに行", "", "まで行"),
            ("get there", "get to ", ""),
            ("go there", "go to ", ""),
            ("walk there", "walk to ", ""),
            ("drive there", "drive to ", ""),
            ("cycle there", "cycle to ", ""),
            ("bike there", "bike to ", ""),
            ("from there", "from ", ""),
            ("to there", "to ", ""),
        ];
        const HOMEWARD: &str =
            "on the way home|on the way back|on my way home|on my way back|帰るとき";
        const BACK: &str = "順番を逆に|順番逆に|逆の順番|逆順|逆ルート|帰りは|帰り道は|帰り道|復路は|逆方向|逆に|is it back|does it take back|and back again|back again|and back|the way back|way back|return trip|the reverse|reverse it|reverse the route|swap the ends|other way round|other way around";
        // Of compared places, it refers to the one reported as the best.
        let best = self.ranked.iter().min_by_key(|it| self.measure.key(it.1)).map(|it| &it.0);
        let end = best.filter(|_| self.destinations.len() > 1).or(self.destinations.first());
        let Some(end) = end else { return text.to_owned() };
        let lower = text.to_lowercase();
        for asked in ["how far is it", "is it far"] {
            if self.kind == Kind::Place && lower.contains(asked) {
                return lower.replacen(asked, &format!("how far is {end}"), 1);
            }
        }
        if let Some(named) = self.replace_best(&lower) {
            return named;
        }
        // `what time would I get there?` asks for no other route.
        if lower.contains("there and back") || asks_arrival(&lower) {
            return text.to_owned();
        }
        for (there, before, behind) in THERE {
            if lower.contains(there) {
                return lower.replacen(there, &format!("{before}{end}{behind}"), 1);
            }
        }
        if let Some(further) = self.further(&lower, end) {
            return further;
        }
        const ALSO: &str = "帰りも|帰り道も|復路も|行き帰り";
        // With a route of its own, the sentence means a round trip of that route.
        let is_new = lower.contains("から")
            || lower.contains("まで")
            || lower.split_once("from ").is_some_and(|it| it.1.contains(" to "));
        let also = || ALSO.split('|').find(|it| !is_new && lower.contains(it));
        let alone = || is_reversal(&lower).then_some(lower.as_str());
        // `and back roads` are roads.
        let is_way = |way: &&str| {
            let behind = lower.split_once(*way).map(|it| it.1);
            behind.is_some_and(|it| ![" road", " street"].iter().any(|road| it.starts_with(road)))
        };
        let homeward = || HOMEWARD.split('|').find(|it| !is_new && lower.contains(it));
        let back = homeward().or_else(|| BACK.split('|').find(is_way)).or_else(also).or_else(alone);
        let (Some(begin), Some(back)) = (self.origins.first(), back) else {
            return text.to_owned();
        };
        let rest = lower.replacen(back, "", 1);
        let rest =
            rest.trim_matches(|it: char| it.is_whitespace() || "、。，,.?!？！".contains(it));
        let kept = return_constraints(&self.constraint_texts, rest, back.is_ascii());
        // A reversed route keeps its stops, a return route does not.
        let is_return = ["帰", "復路", "back", "return", "home"].iter().any(|it| back.contains(it));
        // The route found last is the way home already.
        if is_return && self.is_reversed() && !rest.is_empty() {
            return rest.to_owned();
        }
        let stops = self.via.iter().rev().filter(|_| !is_return);
        let stops: Vec<_> = stops.map(String::as_str).collect();
        match (back.is_ascii(), stops.is_empty()) {
            (true, true) => format!("from {end} to {begin}, {rest}, {kept}"),
            (true, false) => {
                format!("from {end} to {begin} via {}, {rest}, {kept}", stops.join(" and "))
            }
            (false, true) => format!("{end}から{begin}まで、{rest}。{kept}"),
            (false, false) => {
                format!("{end}から{begin}まで、{}を経由、{rest}。{kept}", stops.join("と"))
            }
        }
    }

    /// Returns the route to further places, from where this one ends: `then to Skytree`, `次は上野と銀座`.
    fn further(&self, lower: &str, end: &str) -> Option<String> {
        const NEXT: &str = "and then to |then to |then on to |after that to |next to |next, |next stop |次は|その次は|つぎは|そのあとは|その後は|それから";
        const TAILS: &str = "にも行きたい|に行きたい|にも行く|に行く|へ行く|に向かう|にも|まで|へ|に|で|も| please| next| as well| too| also";
        const JOINTS: &str = ", and then | and then |, then |, and | and |, |、|と";
        let lead = marks(NEXT).filter(|it| lower.starts_with(it)).max_by_key(|it| it.len())?;
        let mut next = lower[lead.len()..].trim_end_matches(['。', '.', '!', '?', ' ']);
        while let Some(rest) = marks(TAILS).find_map(|it| next.strip_suffix(it)) {
            next = rest;
        }
        let mut places = vec![next.to_owned()];
        for joint in marks(JOINTS) {
            let split = |it: String| match is_known_place(&it) {
                true => vec![it],
                false => it.split(joint).map(str::to_owned).collect(),
            };
            places = places.into_iter().flat_map(split).collect();
        }
        let is_known = places.iter().all(|it| is_known_place(it.trim()));
        let (last, stops) = places.split_last()?;
        if self.kind != Kind::Route || !is_known || stops.len() > STOPS_MAX {
            return None;
        }
        let is_ascii = next.is_ascii() && end.is_ascii();
        Some(match (is_ascii, stops.is_empty()) {
            (true, true) => format!("from {end} to {last}"),
            (true, false) => format!("from {end} to {last} via {}", stops.join(" and ")),
            (false, true) => format!("{end}から{last}まで"),
            (false, false) => format!("{end}から{last}まで、{}を経由", stops.join("と")),
        })
    }

    /// Returns the words of the sentence that it uses.
    pub(super) fn used_words(&self) -> Vec<String> {
        /// Labels of places in forms.
        const FIELDS: [&str; 9] = [
            "目的地",
            "出発地",
            "行き先",
            "到着地",
            "現在地",
            "変更",
            "destination",
            "origin",
            "starting",
        ];
        let adds = marks(ADDS).filter(|_| !self.via.is_empty());
        let fields = FIELDS.into_iter().chain(adds).map(str::to_owned);
        let named = self.origins.iter().chain(&self.destinations).chain(&self.via);
        // A replaced place may be named without its last word.
        let short = |name: &String| {
            name.strip_suffix('駅').or(name.rsplit_once(' ').map(|it| it.1)).map(str::to_owned)
        };
        let replaced = self.replaced.iter().flat_map(|it| [Some(it.clone()), short(it)]).flatten();
        let words = marks(LEFT_OUT).filter(|_| self.replaced.is_some()).map(str::to_owned);
        let avoided_places = self.avoided_places.iter().cloned();
        let home = marks("home|house|家|自宅").filter(|_| self.destinations.is_empty());
        let words = words.chain(home.map(str::to_owned));
        named.cloned().chain(avoided_places).chain(replaced).chain(fields).chain(words).collect()
    }

    /// Returns the query with new ends from `utterance`, if it has any: `actually from Shinagawa`, `やっぱり渋谷から`, or a
    /// name alone.
    pub(super) fn with_new_ends(&self, utterance: &Sentence) -> Option<Self> {
        let goal = match self.kind {
            Kind::Route => Goal::Route,
            Kind::Distances => Goal::Distances,
            Kind::Place => return None,
        };
        let places = utterance.places(false);
        let has_ends = !places.origins.is_empty() || !places.destinations.is_empty();
        if has_ends || self.kind == Kind::Route && utterance.says(HOME) {
            return Some(Self::from_sentence(utterance, goal, Some(self)));
        }
        let (place, other) = utterance.single_place()?;
        let mut moved = self.clone();
        if self.kind == Kind::Route && other.is_none() && utterance.says(ADDS) {
            moved.add_constraint(utterance);
            if moved.via.len() < STOPS_MAX && !moved.via.contains(&place.text) {
                moved.via.push(place.text);
            }
            return Some(moved);
        }
        if self.origins.len() + self.destinations.len() > 2 && other.is_none() {
            // Adds one to the compared places.
            let is_origin = self.destinations.len() == 1;
            let side = if is_origin { &mut moved.origins } else { &mut moved.destinations };
            if !side.contains(&place.text) && side.len() < COMPARED_MAX {
                side.push(place.text);
            }
            return Some(moved);
        }
        let is =
            |end: Option<&String>, text: &str| end.is_some_and(|it| it.eq_ignore_ascii_case(text));
        // `Shinagawa instead of Shibuya` names the end that it replaces.
        let is_origin = match &other {
            Some(other) if is(self.origins.first(), &other.text) => true,
            Some(other) if is(self.destinations.first(), &other.text) => false,
            Some(_) => return None,
            None => self.origins.is_empty() && !self.destinations.is_empty(),
        };
        let end = if is_origin { &mut moved.origins } else { &mut moved.destinations };
        *end = vec![place.text.clone()];
        moved.replaced = other.map(|it| it.text);
        let mut constraint = utterance.chars.clone();
        constraint[place.from..place.to].fill(' ');
        moved.constraint_texts.push(constraint.into_iter().collect());
        Some(moved)
    }

    /// Returns the comparison by another measure, if `utterance` asks for nothing else: `and which is fastest?`.
    pub(super) fn with_measure(&self, utterance: &Sentence) -> Option<Self> {
        let style = ListStyle::parse(utterance);
        let measure = match Measure::parse(&utterance.lower) {
            // `sort them`, `2番目は？` keep the last measure.
            Measure::Any if style != ListStyle::default() => self.measure.or_nearest(),
            it => it,
        };
        let is_other = utterance.has(&[ROUTE, GO, LEAD, Word::THEIRS, Word::THEIR_ACTION])
            || !utterance.spots.is_empty();
        if self.ranked.is_empty() || measure == Measure::Any || is_other {
            return None;
        }
        Some(Self { measure, style, ..self.clone() })
    }

    /// Whether `text` continues this route by a constraint.
    pub(super) fn has_constraint(&self, text: &str, context: &TurnContext<'_>) -> bool {
        // The distance of a single pair is that of a route.
        let is_pair =
            self.kind == Kind::Distances && self.origins.len() == 1 && self.destinations.len() == 1;
        (self.kind == Kind::Route || is_pair)
            && has_constraint(&self.constraint_texts, text, context.now)
    }

    /// Returns how surely `utterance` asks about this route: its length and time, the tolls, the departure or the
    /// arrival.
    pub(super) fn question_confidence(&self, utterance: &Sentence) -> Option<Percent> {
        const LEAVE: &str = "何時に出れば|何時に出たら|何時に出発|何時に出るべき|何時までに出|いつ出れば|いつ出たら|いつ出発|出発は何時|should i leave|should we leave|do i have to leave|do we have to leave|do i need to leave|need to leave|must i leave|to set off|should i set off";
        const ABOUT: &str = "what about|how about|any toll|any tolls|are there tolls|is there a toll|and the tolls|高速代は|高速料金は|通行料は|通行代は|道路料金は";
        const FEES: &str = "料金|お金|費用|有料区間|pay anything|pay something|cost anything|have to pay|need to pay|what will it cost|what does it cost|how much is it|how much does it cost";
        const OPENS: &str = "will i|will we|will it|do i|do we|does it|is it|are there|is there";
        const TAKES: &str =
            "かかる|かかり|かかっ|take|takes|drive|driving|ride|walk|walking|trip|journey|route";
        let is_found = !self.origins.is_empty() && !self.destinations.is_empty();
        let is_other = || {
            let places = utterance.places(false);
            let has_end = !places.origins.is_empty() || !places.destinations.is_empty();
            has_end || utterance.has(&[Word::THEIRS, Word::COMPARE]) || !utterance.spots.is_empty()
        };
        if self.kind != Kind::Route || !is_found || is_other() {
            return None;
        }
        let asks = utterance.asks();
        let is_measured = |word: Word| {
            utterance.has(&[word]) && asks && Measure::parse(&utterance.lower) == Measure::Any
        };
        // `is there a way without tolls?` is a wish.
        const WITHOUT: &str =
            "without|avoid|avoids|avoiding|no|free|skip|less|fewer|なし|無し|避け|使わ|通ら";
        let opens = utterance.says(OPENS) && !utterance.says(WITHOUT);
        let is_priced = utterance.has(&[Word::PRICE]) || utterance.says(ABOUT) || opens;
        let is_toll = is_priced && utterance.says(TOLLS);
        const HOW: &str = "どのくらい|どれくらい|どのぐらい|どれぐらい";
        // `how long is that?`, in words that films have as well.
        const LONG: &str = "何分|何時間|how long";
        let is_bare = || {
            let is_left = unused(utterance, &Used::default()).is_empty();
            asks && utterance.says(LONG) && !utterance.says("映画|作品|上映") && is_left
        };
        let is_long = is_measured(DURATION) || asks && utterance.says(HOW) || is_bare();
        match () {
            () if is_toll || asks && utterance.says(LEAVE) => Some(ANSWERED),
            () if asks_arrival(&utterance.text()) || is_measured(DISTANCE) => Some(ANSWERED),
            () if is_long && utterance.says(TAKES) => Some(ANSWERED),
            // These also belong to films and seats.
            () if is_long || (asks || utterance.says(OPENS)) && utterance.says(FEES) => {
                Some(CONTINUED)
            }
            () => None,
        }
    }

    /// Whether `utterance` adds or removes a stop.
    pub(super) fn changes_stops(&self, utterance: &Sentence) -> bool {
        let is_skipped = !self.removed_stops(utterance).is_empty();
        self.kind == Kind::Route && (is_skipped || !utterance.via().is_empty())
    }

    /// Whether `utterance` removes a stop by its name.
    pub(super) fn removes_stop(&self, utterance: &Sentence) -> bool {
        let is_said = !utterance.spots.is_empty() || utterance.says("stop|stops|経由|寄り道");
        is_said && !self.removed_stops(utterance).is_empty()
    }

    /// Returns the stops that `utterance` removes: `やっぱり寄らない`, `skip Akihabara`.
    fn removed_stops(&self, utterance: &Sentence) -> Vec<String> {
        const NO_STOP: &str = "経由はなし|経由は無し|経由はやめ|経由をやめ|経由はいらな|経由は不要|経由なく|寄るのはなし|寄るのは無し|寄り道はなし|寄り道はやめ|remove the stop|remove that stop|drop the stop|drop that stop|delete the stop|cancel the stop|forget the stop|lose the stop|cut the stop|経由なし|経由しない|経由せず|寄らない|寄らず|寄るのはやめ|寄らなくて|寄り道なし|no stop|without the stop|without stopping|skip the stop|skip that stop|don't stop|no stops|nonstop|non-stop";
        let text: String = utterance.lower.iter().collect();
        let has = |words: &'static str| words.split('|').any(|it| text.contains(it));
        let (is_all, is_some) = (has(NO_STOP) || utterance.is_anything(), has(LEFT_OUT));
        // Stations may be named without their last word.
        let is_named = |stop: &str| {
            let stop = stop.to_lowercase();
            let short = stop.strip_suffix('駅').or(stop.strip_suffix(" station")).unwrap_or(&stop);
            // `skip the tower`.
            let last = stop.rsplit_once(' ').map(|it| format!("the {}", it.1));
            text.contains(short) || last.is_some_and(|it| text.contains(&it))
        };
        let is_skipped = |it: &&String| is_all || is_some && is_named(it);
        self.via.iter().filter(is_skipped).cloned().collect()
    }

    /// Adds a constraint, with its stops.
    pub(super) fn add_constraint(&mut self, utterance: &Sentence) {
        self.kind = Kind::Route;
        let skipped = self.removed_stops(utterance);
        self.via.retain(|it| !skipped.contains(it));
        self.replaced = skipped.first().cloned().or(self.replaced.take());
        self.avoided_places = utterance.avoided_places();
        const FIRST: &str = "first|before that|まず|最初に|先に|その前に";
        const INSTEAD: &str = "instead|rather|の代わりに|代わりに|じゃなくて|ではなく|に変えて|に変更|のほうがいい|の方がいい";
        if utterance.says(INSTEAD) && !utterance.via().is_empty() {
            self.via.clear();
        }
        for name in names(utterance.via()) {
            let is_new = !self.via.contains(&name) && !skipped.contains(&name);
            if is_new && self.via.len() < STOPS_MAX {
                let place = if utterance.says(FIRST) { 0 } else { self.via.len() };
                self.via.insert(place, name);
            }
        }
        self.constraint_texts.push(utterance.text());
        let surplus = self.constraint_texts.len().saturating_sub(SENTENCES_MAX);
        self.constraint_texts.drain(..surplus);
    }

    /// Takes the values of a submitted form.
    pub(super) fn fill(&mut self, values: &Map<String, Value>) {
        let place = |name: &str| {
            let text = values.get(name)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.chars().take(PLACE_MAX).collect::<String>())
        };
        if let Some(origin) = place("origin") {
            self.origins = vec![origin];
        }
        if let Some(destination) = place("destination") {
            self.destinations = vec![destination];
        }
        if let Some(address) = place("address") {
            self.destinations = vec![address];
        }
    }

    /// Decides on the next step.
    pub(super) fn next(
        &mut self,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        if let Some(values) = submitted(answered) {
            self.fill(values);
        }
        match self.kind {
            Kind::Route => self.route(context, answered),
            Kind::Distances => self.distances(context, answered),
            Kind::Place => self.place(context, answered),
        }
    }

    fn route(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        let is_new = !answered.iter().any(|it| it.call.name == SEARCH);
        if is_new && self.constraint_texts.last().is_some_and(|it| is_by_transit(it, context.now)) {
            return context.conclude(context.say(
                "電車・バス・飛行機には対応していないため、検索していません。車・徒歩・自転車のルートなら探せます。続けて「車で」「歩いて」「自転車で」のように書いてください。",
                "Trains, buses and planes are not among what I can search, so nothing was searched. I can search a route by car, on foot or by bicycle: write \"by car\", \"on foot\" or \"by bicycle\" next.",
            ));
        }
        let (Some(origin), Some(destination)) = (self.origins.first(), self.destinations.first())
        else {
            return self.ask(context);
        };
        let (message, before) = self
            .constraint_texts
            .split_last()
            .map_or_else(Default::default, |(last, rest)| (last.clone(), rest.to_vec()));
        let remark = |content| Remark { is_user: true, content };
        let mut planner = Planner::from_order(RouteRequest {
            origin: origin.clone(),
            destination: destination.clone(),
            message,
            history: before.into_iter().map(remark).collect(),
            language: context.language,
            now: context.now,
            has_table: context.has(COMPARE),
            via: self.via.clone(),
        });
        let is_found = answered.iter().any(|it| it.call.name == SEARCH);
        match planner.next(if is_found { answered } else { &[] }) {
            Decision::Call(mut calls) => {
                for call in &mut calls {
                    *context.calls += 1;
                    call.id = format!("{}-{}", context.holder.family, context.calls);
                }
                Decision::Call(calls)
            }
            Decision::Conclude(mut conclusion) => {
                conclusion.parts.extend(self.second_note(context).map(Part::text));
                if !self.avoided_places.is_empty() {
                    let (list, english) =
                        (self.avoided_places.join("、"), self.avoided_places.join(", "));
                    let unsupported_text = context.say(
                        format!("場所を避けた検索はできないため、{list}を避けてはいません。通るかどうかは、経路の内容で確かめてください。"),
                        format!("A place cannot be kept clear of, so {english} was not avoided. Please see in the route whether it goes there."),
                    );
                    conclusion.parts.push(Part::text(format!("\n{unsupported_text}")));
                }
                Decision::Conclude(conclusion)
            }
        }
    }

    /// Says that a second route of the sentence is left for the next one.
    pub(super) fn second_note(&self, context: &TurnContext<'_>) -> Option<String> {
        let only = context.say(
            "一度に検索できるルートは1つのため、最初のルートだけを探しました。もう1つは続けて書いてください。",
            "One route can be searched at a time, so this is the first one. Write the other one next.",
        );
        self.has_second.then(|| format!("\n{only}"))
    }

    /// Asks for the missing end.
    pub(super) fn ask(&self, context: &mut TurnContext<'_>) -> Decision {
        let field = |name: &str, label: String, example: String, value: Option<&String>| {
            let mut field = json!({
                "name": name, "type": "text", "label": label, "required": true, "maxLength": PLACE_MAX,
                "placeholder": example,
            });
            if let Some(value) = value {
                field["default"] = value.as_str().into();
            }
            field
        };
        let from = context.say("例: 東京駅", "e.g. Tokyo Station");
        let to = context.say("例: 横浜駅", "e.g. Yokohama Station");
        let [start, end] = [self.origins.first(), self.destinations.first()];
        let fields = [
            field("origin", context.say("出発地", "Origin"), from, start),
            field("destination", context.say("目的地", "Destination"), to, end),
        ];
        let form = json!({
            "title": context.say("どこからどこまでですか？", "From where to where?"),
            "submitLabel": context.say("ルート検索", "Search"),
            "fields": fields,
        });
        let reason = context
            .say("出発地か目的地が分からないため", "The origin or the destination is missing");
        let (japanese, english) = match (start, end) {
            (None, Some(_)) => ("出発地", "the origin"),
            (Some(_), None) => ("目的地", "the destination"),
            _ => ("出発地と目的地", "the origin and the destination"),
        };
        let text = context.say(
            format!("{japanese}を教えてください。例:「東京駅から横浜駅まで」"),
            format!("Please name {english}, such as \"from Tokyo Station to Yokohama Station\"."),
        );
        context.ask(form, reason, text)
    }

    fn place(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        let Some(address) = self.destinations.first().cloned() else {
            let label = context.say("地名または住所", "Place or address");
            let form = json!({
                "title": context.say("どの場所ですか？", "Which place?"),
                "fields": [{ "name": "address", "type": "text", "label": label, "required": true }],
            });
            let reason = context.say("場所の名前が分からないため", "The place's name is missing");
            let text = context.say("場所の名前を教えてください。", "Please name the place.");
            return context.ask(form, reason, text);
        };
        if let Some((_, failure)) = failure(answered) {
            return context.conclude(say::failed(context, failure));
        }
        let Some(found) = output(answered, GEOCODE) else {
            let reason =
                context.say("場所を緯度・経度に変換するため", "To find its latitude and longitude");
            return context.only(GEOCODE, json!({ "address": address }), reason);
        };
        let at = |name: &str| found["location"][name].as_f64().unwrap_or_default();
        let (lat, lng) = (at("lat"), at("lng"));
        let name = found["formatted_address"].as_str().unwrap_or(&address);
        if address.starts_with(|it: char| it.is_ascii_digit() || it == '-') && address.contains(',')
        {
            return context.conclude(context.say(
                format!("緯度{lat:.5}、経度{lng:.5}の場所: {name}"),
                format!("At latitude {lat:.5}, longitude {lng:.5}: {name}"),
            ));
        }
        context.conclude(context.say(
            format!("{name}は、緯度{lat:.5}、経度{lng:.5}にあります。"),
            format!("{name} is at latitude {lat:.5}, longitude {lng:.5}."),
        ))
    }
}
