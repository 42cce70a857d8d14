//! Comparisons of places by distance or time, and references of later sentences to the best one. Replaces
//! one place of a route by another: `東京駅じゃなくて品川駅`, `not Kawasaki, Kamata`.

use language::{
    context::{TurnContext, failure, output},
    say,
    scan::marks,
    turn::{Answered, Decision},
    utterance::Utterance,
};
use output::navigation::kilometres;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    places::has_known_place,
    planner::{self, COMPARE},
    query::Query,
};
use crate::words::duration;

/// The measure of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Measure {
    /// Not given.
    #[default]
    Any,
    Nearest,
    Farthest,
    Fastest,
    Slowest,
}

/// Measures and the phrases for them.
pub(super) const MEASURES: &[(Measure, &str)] = &[
    (Measure::Farthest, "長い順|longest first|遠い|遠く|遠さ|further|farther|furthest|farthest"),
    (
        Measure::Slowest,
        "時間がかかる|時間のかかる|時間かかる|時間がかかり|時間がかかって|一番遅|いちばん遅|slower|slowest|longest|takes longer|take longer",
    ),
    (
        Measure::Fastest,
        "時間順|時間の短い|by time|by duration|by travel time|早い|早く|速い|速く|時間がかからな|quick|fast|sooner|soonest|less time|least time",
    ),
    (
        Measure::Nearest,
        "距離順|短い順|by distance|近い|近く|近さ|closer|closest|nearer|nearest|shorter|shortest",
    ),
];

impl Measure {
    /// Parses the measure of a sentence without its places.
    pub(super) fn parse(constraint: &[char]) -> Self {
        let constraint: String = constraint.iter().collect::<String>().to_lowercase();
        let found = MEASURES.iter().find(|it| marks(it.1).any(|word| constraint.contains(word)));
        found.map_or(Self::Any, |it| it.0)
    }

    /// Returns the measure, with nearness as the default.
    pub(super) fn or_nearest(self) -> Self {
        if self == Self::Any { Self::Nearest } else { self }
    }

    /// Returns the sort key for metres and seconds.
    pub(super) fn key(self, (metres, seconds): (u64, u64)) -> i128 {
        match self {
            Self::Any | Self::Nearest => i128::from(metres),
            Self::Farthest => -i128::from(metres),
            Self::Fastest => i128::from(seconds),
            Self::Slowest => -i128::from(seconds),
        }
    }
}

/// The form of the answer to a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ListStyle {
    /// The rank of the place to name, from 0.
    place: usize,
    /// Whether to list the places in order.
    is_sorted: bool,
}

/// Phrases for sorted lists.
pub(super) const SORTS: &str = "順番に|順に|順で|順|並べ替えて|並べ替え|並び替えて|並び替え|ソートして|ソート|ランキング|sorted|sort|in order|order|ranked|rank|list";
/// Phrases for ranks from the second on, in Japanese and English.
pub(super) const PLACES: [&str; 4] = [
    "2番目|二番目|second|2nd",
    "3番目|三番目|third|3rd",
    "4番目|四番目|fourth|4th",
    "5番目|五番目|fifth|5th",
];

impl ListStyle {
    /// Parses the form that `utterance` asks for.
    pub(super) fn parse(utterance: &Utterance) -> Self {
        let place = PLACES.iter().position(|it| utterance.says(it)).map_or(0, |it| it + 1);
        Self { place, is_sorted: utterance.says(SORTS) }
    }
}

/// A place with its metres and seconds.
pub(super) type Row = (String, (u64, u64));

impl Query {
    pub(super) fn distances(
        &mut self,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        if self.origins.is_empty() || self.destinations.is_empty() {
            return self.ask(context);
        }
        if let Some((_, failure)) = failure(answered) {
            return context.conclude(say::failed(context, failure));
        }
        let constraints = planner::constraints(
            self.constraint_texts.last().map_or("", String::as_str),
            context.now,
        );
        let Some(table) = output(answered, COMPARE) else {
            let mut arguments =
                json!({ "origins": self.origins, "destinations": self.destinations });
            if let Some(time) = constraints.leaving() {
                arguments["departure_time"] = time.into();
            }
            let reason = context.say(
                "距離と所要時間をまとめて比べるため",
                "To compare distances and times at once",
            );
            return context.only(COMPARE, arguments, reason);
        };
        let (mut lines, mut rows, mut count) = (Vec::new(), Vec::<Row>::new(), 0);
        for (row, origin) in self.origins.iter().enumerate() {
            for (column, destination) in self.destinations.iter().enumerate() {
                let element = &table["rows"][row]["elements"][column];
                let value = |name: &str| element[name]["value"].as_u64();
                let seconds = value("duration_in_traffic").or(value("duration"));
                let worth = value("distance").zip(seconds);
                let shown = match worth {
                    Some(worth) => format_distance(context, worth),
                    None => context.say("ルートが見つかりませんでした", "no route was found"),
                };
                lines.push((format!("- {origin} → {destination}: {shown}"), worth));
                let name = if self.destinations.len() > 1 { destination } else { origin };
                rows.extend(worth.map(|it| (name.clone(), it)));
                count += 1;
            }
        }
        if self.style.is_sorted {
            // Unreachable places come last.
            lines.sort_by_key(|it| it.1.map_or(i128::MAX, |it| self.measure.key(it)));
        }
        let mut lines: Vec<_> = lines.into_iter().map(|it| it.0).collect();
        let is_row = self.origins.len() == 1 || self.destinations.len() == 1;
        if is_row && count > 1 {
            // Without a measure, `second` is part of a place's name.
            let is_ranked = self.measure != Measure::Any;
            let place = if is_ranked { self.style.place } else { 0 };
            lines.insert(0, place_at_rank(context, (self.measure, place), &rows, count));
            self.ranked = rows;
        }
        if constraints.needs_route() {
            lines.push(context.say(
                "※距離表は車での値です。徒歩・自転車や、避けたい道・到着時刻の条件は考慮していません。1か所ずつのルート検索では指定できます。",
                "Note: the table is for driving; walking, cycling, roads to avoid and a time of arrival are not part of it. A route to one of them can take these in.",
            ));
        }
        lines.extend(self.second_note(context).map(|it| it.trim().to_owned()));
        context.conclude(lines.join("\n"))
    }

    /// Replaces references to the best place in `lower` by its name: `the closest one`.
    pub(super) fn replace_best(&self, lower: &str) -> Option<String> {
        const BEST: &str = "一番早く着けるところ|一番早く着くところ|一番早く行けるところ|一番早いところ|一番近いところ|一番近い所|一番遠い所|一番早い所|いちばん近いところ|一番遠いところ|一番近い場所|一番早い場所|一番近い方|近いほう|近い方|早いほう|早い方|一番近いの|一番早いの|\
             the closest one|the nearest one|the fastest one|the quickest one|the closer one|the nearer one|the quicker one|the faster one|the farthest one|the furthest one|the closest|the nearest|the quickest|the winner|that one";
        if self.ranked.is_empty() {
            return None;
        }
        let word = marks(BEST).find(|it| lower.contains(it))?;
        let rest = lower.replacen(word, "", 1);
        // `一番近いのは？` asks for the place, not for a route.
        const WHICH: [&str; 9] = ["which", "what", "where", "is", "was", "s", "and", "then", "now"];
        let is_kana = |it: char| "はってどれこ教えですかを、?？。 ".contains(it);
        let mut words = rest.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
        let is_which = match word.is_ascii() {
            true => words.clone().next().is_some() && words.all(|it| WHICH.contains(&it)),
            false => rest.chars().all(is_kana),
        };
        if is_which {
            return None;
        }
        let measure = match Measure::parse(&word.chars().collect::<Vec<_>>()) {
            Measure::Any => self.measure,
            it => it,
        };
        let (name, _) = self.ranked.iter().min_by_key(|it| measure.key(it.1))?;
        // The compared places are destinations or origins.
        let is_end = self.destinations.len() > 1;
        let (from, to) = match is_end {
            true => (self.origins.first()?, name),
            false => (name, self.destinations.first()?),
        };
        Some(match word.is_ascii() {
            true => {
                let rest = rest.trim();
                let rest = ["from", "to", "for"]
                    .iter()
                    .fold(rest, |it, word| it.strip_suffix(word).unwrap_or(it).trim_end());
                format!("from {from} to {to}, {rest}")
            }
            false => {
                // Drops its particle: `一番遠いところから行く道`.
                let at = lower.find(word).unwrap_or_default();
                let (before, behind) = (&lower[..at], &lower[at + word.len()..]);
                let particle = ["からの", "までの", "への", "から", "まで", "へ", "に"]
                    .iter()
                    .find_map(|it| behind.strip_prefix(it));
                format!("{from}から{to}まで、{before}{}", particle.unwrap_or(behind))
            }
        })
    }
}

fn format_distance(context: &TurnContext<'_>, (metres, seconds): (u64, u64)) -> String {
    let (far, long) = (kilometres(metres), duration(seconds, context.language));
    context.say(format!("{far}、{long}"), format!("{far}, {long}"))
}

/// Returns the row at a rank from 0 by a measure; of `count` places only reachable ones are compared.
fn place_at_rank(
    context: &TurnContext<'_>,
    (measure, place): (Measure, usize),
    rows: &[Row],
    count: usize,
) -> String {
    if rows.len() < count {
        return context.say(
            "ルートのない場所があるため、どれが一番かは比べられません。",
            "There is no route to each of them, so they cannot be compared.",
        );
    }
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|it| measure.key(it.1));
    let Some((name, worth)) = sorted.get(place) else {
        let number = place + 1;
        return context.say(
            format!("比べたのは{count}か所で、{number}番目はありません。"),
            format!("Only {count} places were compared, so there is no number {number}."),
        );
    };
    if rows.iter().all(|it| measure.key(it.1) == measure.key(*worth)) {
        return context.say("どれも同じです。", "They are all alike.");
    }
    let (japanese, english) = match measure {
        Measure::Any | Measure::Nearest => ("近い", "nearest"),
        Measure::Farthest => ("遠い", "farthest"),
        Measure::Fastest => ("早く着く", "quickest"),
        Measure::Slowest => ("時間がかかる", "slowest"),
    };
    let shown = format_distance(context, *worth);
    let number = place + 1;
    let most = if place == 0 { "一番".to_owned() } else { format!("{number}番目に") };
    let nth = ["", "second ", "third ", "fourth ", "fifth "].get(place).unwrap_or(&"");
    context.say(
        format!("{most}{japanese}のは{name}です（{shown}）。"),
        format!("The {nth}{english} is {name} ({shown})."),
    )
}

/// Maximum number of characters of the new name.
const NAME_MAX: usize = 40;

/// The role of a place in a route.
#[derive(Clone, Copy)]
enum End {
    Origin,
    Destination,
    Stop,
}

impl Query {
    /// Rewrites `text` without the replaced place: `品川駅から`.
    pub(super) fn replace_place(&self, text: &str) -> Option<String> {
        let lower = text.to_lowercase();
        let ends = [(End::Origin, &self.origins), (End::Destination, &self.destinations)];
        let ends = ends.into_iter().filter(|it| it.1.len() == 1);
        let places = ends.chain([(End::Stop, &self.via)]);
        let mut places = places.flat_map(|(end, names)| names.iter().map(move |it| (end, it)));
        places.find_map(|(end, name)| {
            let name = name.to_lowercase();
            // Stations may be named without their last word.
            let stem = name.strip_suffix('駅').or(name.strip_suffix(" station")).unwrap_or(&name);
            let (new, old, rest) = match lower.is_ascii() {
                true => english(&lower, stem)?,
                false => japanese(&lower, stem)?,
            };
            // Keeps the original spelling.
            let at = lower.rfind(&new)?;
            let new = text.get(at..at + new.len()).filter(|it| is_name(it))?;
            let (put, joint) = match (end, lower.is_ascii()) {
                (End::Origin, false) => (format!("{new}から"), "、"),
                (End::Destination, false) => (format!("{new}まで"), "、"),
                (End::Stop, false) => (format!("{old}抜きで、{new}を経由"), "、"),
                (End::Origin, true) => (format!("from {new}"), ", "),
                (End::Destination, true) => (format!("to {new}"), ", "),
                (End::Stop, true) => (format!("skip {old}, via {new}"), ", "),
            };
            Some(if rest.is_empty() { put } else { format!("{put}{joint}{rest}") })
        })
    }
}

/// Whether `text` is only the name of a place.
fn is_name(text: &str) -> bool {
    let is_short = (1..=NAME_MAX).contains(&text.chars().count());
    let is_station = || text.ends_with('駅') || text.to_lowercase().ends_with(" station");
    is_short && (has_known_place(&text.to_lowercase()) || is_station())
}

/// The new place, the replaced one, and the rest of the text.
type Exchange = (String, String, String);

fn japanese(text: &str, old: &str) -> Option<Exchange> {
    const BUT: &str = "じゃなくて|ではなくて|ではなく|じゃなく|でなくて|でなく|の代わりに|のかわりに|をやめて|はやめて|やめて";
    const TAILS: &str = "にしてください|にして下さい|でお願いします|に変更して|に変えて|に寄って|にして|を経由して|を経由|経由で|経由|でお願い|がいいです|がいい|にする|です|から|まで|へ|に|で";
    let (before, behind) = marks(BUT).find_map(|mark| {
        let written = [format!("{old}駅{mark}"), format!("{old}{mark}")];
        written.iter().find_map(|it| text.split_once(it.as_str()))
    })?;
    // `渋谷から横浜じゃなくて川崎まで` has both ends itself.
    if ["から", "まで"].iter().any(|it| before.contains(it)) {
        return None;
    }
    let behind = behind.trim_start_matches(['、', ' ']);
    let (part, rest) = behind.split_once(['、', '。', ' ']).unwrap_or((behind, ""));
    let part = part.trim_end_matches(['!', '?', '！', '？', 'ね', 'よ']);
    let tail = marks(TAILS).filter_map(|it| part.strip_suffix(it)).min_by_key(|it| it.len());
    Some((tail.unwrap_or(part).to_owned(), old.to_owned(), rest.to_owned()))
}

fn english(text: &str, old: &str) -> Option<Exchange> {
    /// Texts before the old place, and texts between it and the new one.
    const FORMS: &[(&str, &[&str])] = &[
        ("not|scratch|forget|drop|skip|remove", &[",", " but ", ";", " -"]),
        ("replace|swap|exchange", &[" with ", " for ", " by "]),
        ("change", &[" to ", " into "]),
    ];
    const JOINTS: &str = "via |from |to |by way of |through |go |rather |make it |make that ";
    let text = text.trim_end_matches(['.', '!', '?']);
    let at = text.match_indices(old).map(|it| it.0).find(|at| {
        let is_letter = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
        !is_letter(text[..*at].chars().next_back())
            && !is_letter(text[at + old.len()..].chars().next())
    })?;
    let joint = |text: &str| {
        let text = text.trim_end();
        let joint = marks(JOINTS).find_map(|joint| text.strip_suffix(joint.trim_end()));
        joint.unwrap_or(text).trim_end().to_owned()
    };
    let unled = |mut text: &str| {
        text = text.trim_start();
        while let Some(rest) = marks(JOINTS).find_map(|joint| text.strip_prefix(joint)) {
            text = rest.trim_start();
        }
        text.to_owned()
    };
    let before = joint(&text[..at]);
    let behind = &text[at + old.len()..];
    let behind = behind.strip_prefix(" station").unwrap_or(behind);
    let (new, rest) = match before.strip_suffix("instead of") {
        Some(head) => {
            let head = head.trim_end().trim_end_matches(',');
            let head = head.rsplit_once(',').map_or(head, |it| it.1);
            (unled(head), behind.trim_start_matches([',', ' ']).to_owned())
        }
        None => {
            let last = before.rsplit([' ', ',']).next().unwrap_or_default();
            let form = FORMS.iter().find(|it| marks(it.0).any(|it| it == last))?;
            let behind = form.1.iter().find_map(|it| behind.strip_prefix(it))?;
            let behind = unled(behind);
            let (new, rest) = behind.split_once(',').unwrap_or((&behind, ""));
            let new = new.trim_end().trim_end_matches(" please").trim_end_matches(" instead");
            (new.to_owned(), rest.trim().to_owned())
        }
    };
    Some((new, old.to_owned(), rest))
}
