//! Parses the constraints of sentences: phrases by the table, topics by the yes or no near them,
//! contrasts with and without a topic: `高速ありとなし`, `with tolls and without tolls`.

use std::collections::BTreeSet;

use jiff::Timestamp;
use language::{
    clock::{JAPAN, is_numeral},
    context::today,
    scan::{marks, normal},
};

use super::{
    RouteRequest,
    constraints::{self, Constraints, Mode, Once, Unsupported, Written, in_minutes},
    grammar::{Constraint, Means, Token, Topic, tokens},
};

/// Phrases that name one thing besides another.
const BESIDES: &str = "だけでなく|だけじゃなく|だけではなく|のみならず|両方|どちらも|not only|not just|as well as|both";
/// Maximum distance of a yes or no after its topic, in characters.
const REACH: usize = 16;

/// Parses the constraints of `request`, on top of earlier messages.
pub(super) fn conversation(request: &RouteRequest) -> Constraints {
    let before = request.history.iter().filter(|it| it.is_user);
    let before = before.fold(Constraints::default(), |constraints, earlier| {
        sentence(&earlier.content, &constraints.lasting(), request.now)
    });
    let before = before.lasting();
    let mut constraints = sentence(&request.message, &before, request.now);
    constraints.once.is_inherited =
        before.is_any() && constraints.is_any() && has_common_constraint(&before, &constraints);
    constraints
}

/// Whether a constraint from before still holds.
fn has_common_constraint(before: &Constraints, now: &Constraints) -> bool {
    (before.no_tolls && now.no_tolls)
        || (before.no_highways && now.no_highways)
        || (before.no_ferries && now.no_ferries)
        || (before.walking && now.walking)
        || (before.cycling && now.cycling)
        || (before.departure.is_some() && before.departure == now.departure)
        || (before.due.is_some() && before.due == now.due)
}

/// Parses the constraints of `text`, on top of `before`.
pub(super) fn sentence(text: &str, before: &Constraints, now: Timestamp) -> Constraints {
    let text = normal(text);
    let tokens = tokens(&text, today(now));
    let once = Once { formerly: before.rule, ..Once::default() };
    let mut constraints = Constraints { once, ..before.clone() };
    if is_anything(&tokens) {
        constraints = Constraints::default();
        constraints.once.is_read = true;
    }
    if let Some(topic) = reallowed_topic(&text, &tokens, before)
        && let Some(it) = constraints.avoided(topic)
    {
        *it = false;
        constraints.once.is_read = true;
    }
    let has_highways = tokens.iter().any(|it| it.means == Means::Topic(Topic::Highways));
    let (mut carried, mut refused) = (None, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token.means {
            Means::Topic(topic) => {
                let before = carried;
                let wanted = wanted(&tokens, at, &mut carried);
                let wanted = match is_contrast(&text, &tokens, at) {
                    true => before.map(|it| !it).or(wanted),
                    false => wanted,
                };
                // With motorways, other roads are named for contrast.
                if topic == Topic::LocalRoads && wanted.is_none() && has_highways {
                    continue;
                }
                let is_read = constraints.topic(topic, wanted);
                constraints.once.is_read |= is_read;
            }
            Means::Constraint(constraint) => match constraint.mode() {
                Some(mode) if is_refused(&text, &tokens, at) => refused.push(mode),
                _ => constraints.constraint(constraint),
            },
            _ => {}
        }
    }
    constraints.refuse(&refused);
    // `高速だけでなく一般道も` names both sides of a contrast.
    let is_besides = marks(BESIDES).any(|it| text.iter().collect::<String>().contains(it));
    constraints.once.compare |= is_besides && !topics(&text, &tokens).is_empty();
    constraints.once.is_read |= constraints.once.compare;
    if constraints.once.compare {
        for topic in topics(&text, &tokens) {
            if let Some(avoided) = constraints.avoided(topic) {
                *avoided = false;
            }
            constraints.once.both.insert(topic);
        }
    }
    constraints.once.asks_arrival = asks_arrival(&text);
    constraints.once.is_read |= constraints.once.asks_arrival;
    constraints.time(&text, &tokens, now);
    constraints
}

/// Whether the topic at `at` is set against the one before: `don't avoid tolls, just highways`, `avoid highways, not tolls`.
fn is_contrast(text: &[char], tokens: &[Token], at: usize) -> bool {
    const WORDS: [&str; 3] = ["just", "only", "not"];
    const AROUND: &str = "either|any|even";
    let is_topic = |it: &&Token| matches!(it.means, Means::Topic(_));
    let Some(first) = tokens[..at].iter().rev().find(is_topic) else { return false };
    let between: String = text[first.to..tokens[at].from].iter().collect();
    let between = between.trim();
    let between = between.strip_suffix(" the").unwrap_or(between);
    let is_apart = |it: &str| matches!(it.trim(), "," | ", but" | "but" | "." | ";" | "-" | "and");
    let is_said = WORDS.iter().any(|it| between.strip_suffix(it).is_some_and(is_apart));
    let behind: String = text[tokens[at].to..].iter().take(12).collect();
    // `not tolls, not highways` refuses both.
    let before: String = text[..first.from].iter().collect();
    let before = before.trim_end();
    let before = before.strip_suffix(" the").unwrap_or(before);
    let is_parallel = between.ends_with("not")
        && ["no", "not", "without"].contains(&before.rsplit([' ', ',']).next().unwrap_or_default());
    is_said
        && !is_parallel
        && first.means != tokens[at].means
        && !marks(AROUND).any(|it| behind.contains(it))
}

/// Returns the topic that `text` allows again without naming it, if it is the only avoided one: `やっぱり使っていい`.
fn reallowed_topic(text: &[char], tokens: &[Token], before: &Constraints) -> Option<Topic> {
    const LETS: &str = "使っていい|使ってもいい|使って良い|使っても良い|使って大丈夫|使っても大丈夫|使ってok|使ってもok|使って構わない|使っても構わない|通っていい|通ってもいい|乗っていい|乗ってもいい|can use it|can use them|use it after all|use them after all|can take it|can take them|allow it|allow them";
    const BESIDE: &str =
        "やっぱり|やっぱ|やはり|です|よ|actually|okay|ok|you|we|please|after all|again";
    let kept_clear = [
        (before.no_highways, Topic::Highways),
        (before.no_tolls, Topic::Tolls),
        (before.no_ferries, Topic::Ferries),
    ];
    let mut kept_clear = kept_clear.into_iter().filter(|it| it.0).map(|it| it.1);
    let topic = kept_clear.next().filter(|_| kept_clear.next().is_none())?;
    let has_topic = tokens.iter().any(|it| matches!(it.means, Means::Topic(_)));
    let text: String = text.iter().collect();
    let (from, lets) = marks(LETS).find_map(|it| Some((text.find(it)?, it)))?;
    let is_beside = |text: &str| {
        let mut rest = text.trim_matches([' ', ',', '、', '.', '。', '!']);
        while let Some(next) = marks(BESIDE).find_map(|it| rest.strip_prefix(it)) {
            rest = next.trim_start_matches([' ', ',', '、', '.', '。', '!']);
        }
        rest.is_empty()
    };
    (!has_topic && is_beside(&text[..from]) && is_beside(&text[from + lets.len()..]))
        .then_some(topic)
}

/// Whether `text` asks for the arrival time: `何時ごろ着く？`, `what time would I get there?`.
pub(super) fn asks_arrival(text: &[char]) -> bool {
    const JAPANESE: &str = "何時に着|何時着|何時ごろ着|何時頃着|何時ごろに着|何時頃に着|何時くらいに着|何時ぐらいに着|何時到着|何時に到着|何時ごろ到着|何時頃到着|いつ着|いつごろ着|いつ頃着|いつ到着|到着は何時|到着はいつ|着くのは何時|着くのはいつ";
    const ENGLISH: &str = "arrive when";
    /// With a time, these set the arrival: `到着時刻は18時で`.
    const NAMED: &str = "到着時刻は|到着時間は|到着予定|arrival time|time of arrival|eta";
    const ASKS: &str = "what time|when|how late";
    const THERE: &str = "arrive|get there|be there|get in|reach|make it there";
    const LEAVE: &str = "leave|set off|set out|start|depart|if|by";
    let text: String = text.iter().collect::<String>().to_lowercase();
    if marks(JAPANESE).any(|it| text.contains(it)) {
        return true;
    }
    let is_hour = |it: char| is_numeral(it) || "時分半".contains(it);
    let is_bare = |(at, word): (usize, &str)| {
        let before = text[..at].chars().next_back();
        let behind: String = text[at + word.len()..].chars().take(12).collect();
        !before.is_some_and(is_hour) && !behind.contains(is_hour)
    };
    let mut named = marks(NAMED).filter(|it| !it.is_ascii()).flat_map(|it| text.match_indices(it));
    if named.any(is_bare) {
        return true;
    }
    let words: String =
        text.chars().map(|it| if it.is_ascii_punctuation() { ' ' } else { it }).collect();
    let words = format!(" {words} ");
    let find = |table: &'static str| {
        let found = marks(table).filter_map(|it| words.find(&format!(" {it} ")));
        found.min()
    };
    // `when should I leave to be there` asks for the departure.
    let between = || {
        let (from, to) = (find(ASKS)?, find(THERE)?);
        words.get(from..=to).map(str::to_owned)
    };
    let is_left = |it: &String| marks(LEAVE).any(|word| it.contains(&format!(" {word} ")));
    let mut named = marks(NAMED).filter(|it| it.is_ascii());
    let is_named = named.any(|name| {
        let behind =
            words.split_once(&format!(" {name} ")).map(|it| it.1.get(..12).unwrap_or(it.1));
        behind.is_some_and(|it| !it.contains(|it: char| it.is_ascii_digit()))
    });
    is_named || find(ENGLISH).is_some() || between().is_some_and(|it| !is_left(&it))
}

/// Whether the mode at `at` is not wanted: `車で行きたくない`, `I don't want to drive`.
fn is_refused(text: &[char], tokens: &[Token], at: usize) -> bool {
    const BEHIND: &str = "で|では|は|を|も|に|には|だけは|て|のは|のが|のも";
    const BEFORE: &str = "a|the|by|to|on|by the|my|take the|take a|want a|want to|want to take the|want to go|wanna|wish to|like to|feel like|have to|need to|going to|go|going|be";
    /// Less of a mode is not none of it, and who is afraid of it may still take it.
    const LESS: &str = "few|less|least|minim|hate|dislike|控え|少な|減ら|苦手|怖|こわ|恐|不安";
    /// `I don't want to drive on motorways` refuses roads.
    const ROADS: &str =
        "on|in|through|along|over|via|across|at|during|into|to|from|up|far|so|too|with";
    let between = |from: usize, to: usize| text[from..to].iter().collect::<String>();
    let is_no = |token: &Token| {
        let written = between(token.from, token.to);
        token.means == Means::Refuse && !marks(LESS).any(|word| written.starts_with(word))
    };
    let is_gap = |gap: &str, words: &'static str| {
        gap.trim().is_empty() || marks(words).any(|it| it == gap.trim())
    };
    let token = &tokens[at];
    if !token.is_ascii {
        let next = tokens.get(at + 1);
        return next.is_some_and(|next| {
            let behind = between(next.to, text.len());
            is_no(next)
                && is_gap(&between(token.to, next.from), BEHIND)
                && !is_wanted_after_all(&between(next.from, next.to), &behind)
        });
    }
    // `not by car or bike` refuses both; `don't take the car` has a yes between.
    let is_joint = |it: &&Token| matches!(it.means, Means::Or | Means::Want);
    let behind = between(token.to, text.len());
    let next = behind.trim_start().split([' ', ',', '.', '!', '?']).next().unwrap_or_default();
    if marks(ROADS).any(|it| it == next) {
        return false;
    }
    let joint = at.checked_sub(1).filter(|it| is_joint(&&tokens[*it]));
    let before = joint.unwrap_or(at).checked_sub(1);
    before.is_some_and(|before| match tokens[before].means {
        Means::Constraint(it) if it.mode().is_some() => {
            joint.is_some_and(|it| tokens[it].means == Means::Or)
                && is_refused(text, tokens, before)
        }
        _ => is_no(&tokens[before]) && is_gap(&between(tokens[before].to, token.from), BEFORE),
    })
}

/// Whether what follows turns a Japanese no round: `行かない？`, `使わないと間に合わない`, `嫌いじゃない`.
fn is_wanted_after_all(no: &str, behind: &str) -> bool {
    /// Nouns and verbs for leaving out, whose question is about the rest: `車以外は？`.
    const OUT: &str = "以外|なし|無し|ナシ|抜き|ぬき|せず|外し|はずし|除い|除外|やめ";
    const TURNED: &str = "せ|れ|られな|ざる|ねば|なきゃ|なくちゃ|きゃ|くちゃ|じゃな|ではな|でもな|いじゃな|いではな|いでもな|わけじゃな|わけではな|い手は";
    const MUST: &str = "いと|ないと|ければ|なければ|くては|なくては";
    const ELSE: &str = "いけ|だめ|ダメ|駄目|なら|間に合|無理|困|嫌|いや|。|!|、";
    const ENDS: &str = "な|い|の|ん|です|でしょう|だろう|か|かな|ね";
    if marks(OUT).any(|it| no.starts_with(it)) {
        return false;
    }
    let must = marks(MUST).find_map(|it| behind.strip_prefix(it));
    let is_must = |rest: &str| rest.is_empty() || marks(ELSE).any(|it| rest.starts_with(it));
    if marks(TURNED).any(|it| behind.starts_with(it)) || must.is_some_and(is_must) {
        return true;
    }
    let mut rest = behind;
    while let Some(further) = marks(ENDS).find_map(|it| rest.strip_prefix(it)) {
        rest = further;
    }
    rest.starts_with(['?', '？']) || rest.is_empty() && behind.ends_with('か')
}

/// Whether all constraints are taken back.
pub(super) fn is_anything(tokens: &[Token]) -> bool {
    tokens.iter().any(|it| it.means == Means::Constraint(Constraint::Anything))
}

/// Whether `text` only asks for trains, buses or planes.
pub(super) fn is_by_transit(text: &str, now: Timestamp) -> bool {
    let tokens = tokens(&normal(text), today(now));
    let is_transit =
        |it: &Token| it.means == Means::Constraint(Constraint::Unsupported(Unsupported::Transit));
    let is_wanted = |at: usize| {
        let is_before = if tokens[at].is_ascii {
            polarity_before(&tokens, at)
        } else {
            polarity_after(&tokens, at)
        };
        is_before != Some(false)
    };
    let is_there = (0..tokens.len()).any(|at| is_transit(&tokens[at]) && is_wanted(at));
    is_there && sentence(text, &Constraints::default(), now).once.modes.is_empty()
}

/// Whether the topic at `at` is wanted, by the words after it in Japanese and before it in English, where one word may
/// apply to several topics.
pub(super) fn wanted(tokens: &[Token], at: usize, carried: &mut Option<bool>) -> Option<bool> {
    let found = match tokens[at].is_ascii {
        false => polarity_after(tokens, at),
        true if is_joined(tokens, at) && carried.is_some() => *carried,
        true => polarity_before(tokens, at).or_else(|| is_fine(tokens, at)).or(*carried),
    };
    *carried = found;
    found
}

/// Whether an English topic is joined to the one before: `no tolls or ferries`, `don't pay tolls or take a ferry`.
fn is_joined(tokens: &[Token], at: usize) -> bool {
    let is_topic = |it: &&Token| matches!(it.means, Means::Topic(_));
    let between = tokens[..at].iter().rev().take_while(|it| !is_topic(it));
    between.clone().any(|it| it.means == Means::Or)
        && !between.clone().any(|it| it.means == Means::Refuse)
}

/// Returns the nearest yes or no after a Japanese topic, skipping other topics.
fn polarity_after(tokens: &[Token], at: usize) -> Option<bool> {
    let rest = tokens[at + 1..].iter();
    let near = rest.take_while(|it| it.means != Means::Stop && it.from <= tokens[at].to + REACH);
    near.filter_map(polarity).next()
}

/// Returns the nearest yes or no before an English topic in its part of the sentence; `don't use` is a no.
fn polarity_before(tokens: &[Token], at: usize) -> Option<bool> {
    let is_end = |it: &&Token| matches!(it.means, Means::Stop | Means::Pause);
    let mut part = tokens[..at].iter().rev().take_while(|it| !is_end(it));
    let nearest = part.by_ref().find_map(polarity)?;
    Some(nearest && part.next().and_then(polarity).unwrap_or(true))
}

/// Parses `highways are fine`.
fn is_fine(tokens: &[Token], at: usize) -> Option<bool> {
    let next = tokens.get(at + 1).filter(|it| it.from <= tokens[at].to + REACH)?;
    polarity(next)
}

/// Returns the yes or no of a token.
pub(super) fn polarity(token: &Token) -> Option<bool> {
    match token.means {
        Means::Want => Some(true),
        Means::Refuse => Some(false),
        _ => None,
    }
}

impl Constraints {
    /// Sets `topic`. Returns whether that changes anything.
    fn topic(&mut self, topic: Topic, wanted: Option<bool>) -> bool {
        let place = match topic {
            Topic::Highways => &mut self.no_highways,
            Topic::Tolls => &mut self.no_tolls,
            Topic::Ferries => &mut self.no_ferries,
            Topic::Traffic => {
                self.traffic = wanted != Some(true);
                return true;
            }
            Topic::TrafficNews => {
                self.traffic = wanted != Some(false);
                return true;
            }
            Topic::LocalRoads => {
                self.no_highways = wanted != Some(false);
                return true;
            }
            Topic::ByHighways => {
                self.no_highways = wanted == Some(false);
                return true;
            }
            Topic::RightTurns => {
                let rule = super::Rule::FewestRightTurns;
                match wanted {
                    Some(false) => self.set_rule(rule),
                    Some(true) if self.rule == Some(rule) => self.rule = None,
                    _ => {}
                }
                return wanted.is_some();
            }
        };
        if let Some(wanted) = wanted {
            *place = !wanted;
        }
        wanted.is_some()
    }

    fn constraint(&mut self, constraint: Constraint) {
        self.once.is_read = true;
        match constraint {
            // Of two rules in a sentence the rarer one counts.
            Constraint::By(rule) => self.set_rule(rule),
            Constraint::Faster => {
                self.set_rule(super::Rule::Fastest);
                self.once.faster = true;
            }
            Constraint::Compare | Constraint::Both => self.once.compare = true,
            Constraint::Another => self.others += 1,
            Constraint::Pick(number) => self.once.pick = Some(number),
            Constraint::NoTolls => self.no_tolls = true,
            Constraint::Traffic => self.traffic = true,
            Constraint::Walk => self.add_mode(Mode::Walk),
            Constraint::Cycle => self.add_mode(Mode::Cycle),
            Constraint::Drive => self.add_mode(Mode::Drive),
            Constraint::Now => self.departure = None,
            Constraint::Outlook(outlook) => self.outlook = Some(outlook),
            Constraint::Unsupported(limit) => {
                self.once.unsupported.insert(limit);
                if limit == Unsupported::Vehicle {
                    self.add_mode(Mode::Drive);
                }
            }
            Constraint::Steps => self.once.asks_steps = true,
            Constraint::Anything => {}
        }
    }

    /// Takes another mode where the present one is among `refused` and the sentence wants none.
    fn refuse(&mut self, refused: &[Mode]) {
        self.once.is_read |= !refused.is_empty();
        if self.once.modes.is_empty() && refused.contains(&self.mode()) {
            let others = [Mode::Drive, Mode::Walk, Mode::Cycle];
            let other = others.into_iter().find(|it| !refused.contains(it));
            self.set_mode(other.unwrap_or(Mode::Drive));
        }
    }

    fn add_mode(&mut self, mode: Mode) {
        self.once.modes.retain(|it| *it != mode);
        self.once.modes.push(mode);
        self.set_mode(mode);
    }

    fn set_rule(&mut self, rule: super::Rule) {
        self.rule = Some(match self.once.ruled {
            Some(other) => rule.max(other),
            None => rule,
        });
        self.once.ruled = self.rule;
        self.others = 0;
    }

    /// Shifts the current time. The default departure is now; an earlier arrival selects the fastest route.
    fn shift(&mut self, minutes: i32, now: Timestamp) {
        self.once.is_read = true;
        let from = self.departure.or(self.due).filter(|it| *it > now);
        if from.is_none() && minutes < 0 {
            return self.set_rule(super::Rule::Fastest);
        }
        let moved = in_minutes(from.unwrap_or(now), minutes).filter(|it| *it > now);
        if moved.is_none() {
            self.once.unsupported.insert(Unsupported::Past);
        }
        match self.due.is_some() && self.departure.is_none() {
            true => self.due = moved,
            false => self.departure = moved,
        }
    }

    /// Sets the departure or arrival time, if there is one.
    fn time(&mut self, text: &[char], tokens: &[Token], now: Timestamp) {
        let is_time = |it: &&Token| matches!(it.means, Means::Clock { .. } | Means::Moment(_));
        let mut times = tokens.iter().rev().filter(is_time);
        let (last, first) = (times.next(), times.next());
        // `18時に着きたい、17時より前には出られない`: of both the arrival counts.
        let is_both = |arrival: &&Token, departure: Option<&Token>| {
            arrives(text, tokens, arrival) && departure.is_some_and(|it| leaves(text, tokens, it))
        };
        let arrival = first.filter(|it| is_both(it, last)).or(last.filter(|it| is_both(it, first)));
        if arrival.is_some() && !self.once.asks_arrival {
            self.once.unsupported.insert(Unsupported::SecondTime);
        }
        let time = arrival.or(last);
        for token in tokens {
            if let Means::In { minutes } = token.means {
                self.once.is_read = true;
                (self.departure, self.due) = (in_minutes(now, minutes), None);
            }
        }
        for token in tokens {
            if let Means::Shift { minutes } = token.means {
                self.shift(minutes, now);
            }
        }
        let held = self.departure.or(self.due).filter(|it| *it > now);
        let has_day = tokens.iter().any(|it| is_day(&it.means));
        let Some(time) = time else {
            // `あさってに変えて` keeps the time of day.
            if let Some(held) = held.filter(|_| has_day) {
                let at = JAPAN.to_datetime(held);
                let moment = written(at.hour(), at.minute(), tokens, now).moment(now);
                self.once.is_read = true;
                match (moment, self.due.is_some()) {
                    (None, _) => _ = self.once.unsupported.insert(Unsupported::Past),
                    (_, true) => self.due = moment,
                    (_, false) => self.departure = moment,
                }
                return;
            }
            let is_later = |token: &Token| match token.means {
                Means::Day(day) => day > 0,
                Means::Weekday(_) | Means::On(_) | Means::NextWeek => true,
                Means::Tonight | Means::NextMorning | Means::NextEvening => true,
                _ => false,
            };
            let is_now = tokens.iter().any(|it| matches!(it.means, Means::In { .. }));
            if !is_now && tokens.iter().any(is_later) {
                self.once.unsupported.insert(Unsupported::Vague);
            }
            return;
        };
        self.once.is_read = true;
        let is_soon = tokens.iter().any(|it| it.means == Means::Constraint(Constraint::Now));
        let moment = match time.means {
            Means::Moment(moment) => Some(moment).filter(|it| *it > now),
            Means::Clock { hour, minute } => {
                let mut written = written(hour, minute, tokens, now);
                // `夜の9時にして` keeps the day, and `make it 6:30` the half of it.
                if let Some(held) = held.filter(|_| !has_day && !is_soon) {
                    let held = JAPAN.to_datetime(held);
                    written.day = constraints::until(now, held.date());
                    // `11時にして` of 13:00 is earlier.
                    let far = |it: i8| it.abs_diff(held.hour());
                    let is_late =
                        held.hour() > 12 && (1..12).contains(&hour) && far(hour + 12) < far(hour);
                    written.is_evening = written.is_evening.or(is_late.then_some(true));
                }
                written.moment(now)
            }
            _ => None,
        };
        if moment.is_none() {
            self.once.unsupported.insert(Unsupported::Past);
        }
        let is_beside = |means: Means| {
            tokens.iter().filter(|it| time.to == it.from).any(|it| it.means == means)
        };
        let has = |means: Means| tokens.iter().any(|it| it.means == means);
        // A new time replaces the arrival time.
        let is_corrected = self.due.is_some() && !has(Means::Leave);
        let is_arrival = has(Means::Arrive) && !is_beside(Means::Leave);
        // A question for the arrival states the departure.
        let is_due = is_beside(Means::There) || is_arrival || is_corrected;
        if is_due && !self.once.asks_arrival {
            self.once.unsupported.insert(Unsupported::Arrival);
            (self.due, self.departure) = (moment, None);
        } else {
            (self.departure, self.due) = (moment, None);
        }
    }
}

/// Whether the arrival is at `time`, by the words around it.
fn arrives(text: &[char], tokens: &[Token], time: &Token) -> bool {
    let is_end = |it: &&Token| matches!(it.means, Means::Arrive | Means::There);
    match is_english(text, time) {
        true => tokens.iter().rfind(|it| it.to < time.from).filter(is_end).is_some(),
        false => tokens.iter().find(|it| it.from >= time.to).filter(is_end).is_some(),
    }
}

/// Whether the departure is at `time`, by the words around it.
fn leaves(text: &[char], tokens: &[Token], time: &Token) -> bool {
    const LEAVE: &str = "leave|leaving|depart|set off|set out|start|get away";
    if !is_english(text, time) {
        let next = tokens.iter().find(|it| it.from >= time.to);
        return next.is_some_and(|it| it.means == Means::Leave);
    }
    let before: String = text[time.from.saturating_sub(REACH)..time.from].iter().collect();
    marks(LEAVE).any(|it| before.contains(it))
}

/// Whether the words around `time` are English; its digits are of both languages.
fn is_english(text: &[char], time: &Token) -> bool {
    text[time.from..].iter().chain(&text[..time.from]).all(char::is_ascii)
}

/// Whether it names a day.
fn is_day(means: &Means) -> bool {
    matches!(
        means,
        Means::Day(_)
            | Means::Weekday(_)
            | Means::On(_)
            | Means::Tonight
            | Means::NextMorning
            | Means::NextEvening
    )
}

/// Returns a time of day with the day that the sentence names.
fn written(hour: i8, minute: i8, tokens: &[Token], now: Timestamp) -> Written {
    let mut written = Written::at(hour, minute);
    let last = |of: fn(&Means) -> bool| tokens.iter().rev().map(|it| it.means).find(of);
    let is_day = |it: &Means| matches!(it, Means::Day(_) | Means::NextMorning | Means::NextEvening);
    match last(is_day) {
        Some(Means::Day(day)) => written.day = day.into(),
        Some(_) => written.day = 1,
        None => {}
    }
    if let Some(Means::On(date)) = last(|it| matches!(it, Means::On(_))) {
        (written.day, written.again) = (constraints::until(now, date), None);
    }
    if let Some(Means::Weekday(weekday)) = last(|it| matches!(it, Means::Weekday(_))) {
        let is_next = tokens.iter().any(|it| it.means == Means::NextWeek);
        (written.day, written.again) = (constraints::until_weekday(now, weekday, is_next), Some(7));
    }
    let half = last(|means| {
        let is_half = matches!(means, Means::Morning | Means::Evening | Means::Night);
        is_half || matches!(means, Means::Tonight | Means::NextMorning | Means::NextEvening)
    });
    // One o'clock at night belongs to the next day, eleven does not.
    const NIGHT_ENDS: i8 = 6;
    written.is_evening = half.map(|means| match means {
        Means::Night => written.hour >= NIGHT_ENDS,
        it => !matches!(it, Means::Morning | Means::NextMorning),
    });
    written
}

/// Returns the topics that are both wanted and refused.
pub(super) fn topics(text: &[char], tokens: &[Token]) -> BTreeSet<Topic> {
    let has = |topic| tokens.iter().any(|it| it.means == Means::Topic(topic));
    let is_contrast = has(Topic::LocalRoads);
    let (mut constraint_texts, mut carried) = (BTreeSet::new(), None);
    for (at, token) in tokens.iter().enumerate() {
        match token.means {
            Means::Topic(topic) => {
                let wanted = wanted(tokens, at, &mut carried);
                let (topic, wanted) = match topic {
                    Topic::Tolls | Topic::Ferries => (topic, wanted),
                    Topic::Highways => (topic, wanted.or(is_contrast.then_some(true))),
                    Topic::ByHighways => (Topic::Highways, Some(wanted != Some(false))),
                    Topic::LocalRoads => (Topic::Highways, Some(wanted == Some(false))),
                    Topic::Traffic | Topic::TrafficNews | Topic::RightTurns => continue,
                };
                let Some(wanted) = wanted else { continue };
                constraint_texts.insert((topic, wanted));
                if is_other_side(text, tokens, at, wanted) {
                    constraint_texts.insert((topic, !wanted));
                }
            }
            Means::Constraint(Constraint::Both) => {
                let is_topic = |it: &Token| match it.means {
                    Means::Topic(topic @ (Topic::Highways | Topic::Tolls | Topic::Ferries)) => {
                        Some(topic)
                    }
                    _ => None,
                };
                let topic = match token.is_ascii {
                    true => tokens[at..].iter().find_map(is_topic),
                    false => tokens[..at].iter().rev().find_map(is_topic),
                };
                constraint_texts.extend(topic.into_iter().flat_map(|it| [(it, true), (it, false)]));
            }
            _ => {}
        }
    }
    let is_both = |it: &(Topic, bool)| it.1 && constraint_texts.contains(&(it.0, false));
    constraint_texts.iter().filter(|it| is_both(it)).map(|it| it.0).collect()
}

/// Whether the words after the topic at `at` name its other side without the topic: `使わないルートと使うルート`,
/// `with the motorway and without`.
fn is_other_side(text: &[char], tokens: &[Token], at: usize, wanted: bool) -> bool {
    const JOINTS: &str = "と|か|や|・|/|対| and | or | vs|versus";
    let is_joined = |from: usize, to: usize| {
        let gap: String = text[from..to].iter().collect();
        gap.is_empty() || marks(JOINTS).any(|it| gap.contains(it))
    };
    let is_topic = |it: &Token| matches!(it.means, Means::Topic(_));
    let is_end = |it: &Token| matches!(it.means, Means::Stop | Means::Pause);
    let part = || tokens[at + 1..].iter().take_while(|it| !is_end(it));
    let sides = part().take_while(|it| !is_topic(it));
    let sides: Vec<_> = sides.filter_map(|it| Some((it, polarity(it)?))).collect();
    if tokens[at].is_ascii {
        // An English yes or no belongs to the topic after it, if there is one.
        let is_theirs = part().any(is_topic);
        let first = sides.first().filter(|it| is_joined(tokens[at].to, it.0.from));
        return !is_theirs && first.is_some() && sides.iter().all(|it| it.1) != wanted;
    }
    sides.windows(2).any(|it| it[0].1 != it[1].1 && is_joined(it[0].0.to, it[1].0.from))
}
