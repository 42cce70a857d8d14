//! Explains the result: the chosen route, the reason, and its savings against the others.

use super::{
    RouteRequest,
    constraints::{self, Constraints, Rule, Unsupported},
    found::{self, Found, price},
    grammar::Topic,
    plan::{choose, is_traffic_known, stops_of, via},
    with_stops,
};
use crate::words::{duration, spelled};
use language::{
    Language,
    message::Part,
    say::counted,
    turn::{Answered, Choice, Conclusion, Failure},
};
use output::navigation::{kilometres, minutes, rounded};

/// Maximum number of repeated warnings.
const WARNINGS_MAX: usize = 1;
/// Maximum number of listed steps.
const STEPS_MAX: usize = 15;

/// Examples of constraints, in both languages.
const WISHES: (&str, &str) = (
    "「渋滞を避けて」「高速を使わないで」「一番早いルートで」「比較して」「右折少なめで」「7時に出発」「歩いて」",
    "\"avoid traffic\", \"no motorways\", \"the fastest\", \"compare\", \"fewer right turns\", \"leave at 7\", \"on foot\"",
);

/// Returns the answer to `request` from the results of its calls.
pub(super) fn conclusion(
    request: &RouteRequest,
    constraints: &Constraints,
    answered: &[Answered],
) -> Conclusion {
    let all = via(request, constraints);
    let stops = stops_of(answered).unwrap_or_else(|| all.to_vec());
    let unknown_stops = all.iter().filter(|it| !stops.contains(it)).cloned().collect();
    let (request, constraints) = &with_stops(request, constraints, stops);
    let mut text = Text { language: request.language, sentences: Vec::new(), unknown_stops };
    // Where the last named mode has no route, another mode is reported.
    let mut modes = std::iter::once(constraints.clone()).chain(constraints.other_modes());
    let has_route = |it: &Constraints| matches!(found::routes(answered, it), Some(Ok(routes)) if !routes.is_empty());
    let mode = modes.find(has_route);
    let constraints = mode.as_ref().unwrap_or(constraints);
    let routes = match found::routes(answered, constraints) {
        Some(Ok(routes)) => routes,
        Some(Err(failure)) => {
            text.no_route(constraints, Some(failure));
            return text.conclusion(request, constraints, None);
        }
        None => Vec::new(),
    };
    let routes = &routes[..];
    let Some(index) = choose(constraints, routes) else {
        text.no_route(constraints, None);
        return text.conclusion(request, constraints, None);
    };
    text.chosen(request, constraints, routes, index);
    text.departure(request, constraints, &routes[index]);
    text.arrival(request, constraints, &routes[index]);
    text.savings(constraints, routes, index);
    text.modes(constraints, &routes[index], answered);
    if constraints.once.compare {
        text.table(constraints, routes, index, found::table(answered));
    }
    text.follow_up(constraints, routes, index);
    if constraints.once.asks_steps {
        text.steps(&routes[index]);
    }
    let chosen = &routes[index];
    let choice = Choice {
        call: Some(chosen.call.clone()),
        index: Some(chosen.index),
        summary: Some(chosen.summary.clone()),
    };
    text.conclusion(request, constraints, Some(choice))
}

/// Builder of the explanation.
struct Text {
    language: Language,
    sentences: Vec<String>,
    /// Stops without a place, which the route leaves out.
    unknown_stops: Vec<String>,
}

impl Text {
    fn say(&mut self, japanese: impl Into<String>, english: impl Into<String>) {
        let text = match self.language {
            Language::Japanese => japanese.into(),
            Language::English => english.into(),
        };
        self.sentences.push(text);
    }

    /// Explains that there is no route (NAV-8).
    fn no_route(&mut self, constraints: &Constraints, failure: Option<&Failure>) {
        let is_conditional =
            constraints.no_highways || constraints.no_tolls || constraints.no_ferries;
        match failure.filter(|it| it.error != "zero_results") {
            Some(failure) => self.sentences.push(failure.message.clone()),
            None => self.say("ルートが見つかりませんでした。", "No route was found."),
        }
        if is_conditional && failure.is_none_or(|it| it.error == "zero_results") {
            self.say(
                "避ける条件を減らすと見つかるかもしれません。",
                "There may be one if less is avoided.",
            );
        }
    }

    /// Names the chosen route and its rule.
    fn chosen(
        &mut self,
        request: &RouteRequest,
        constraints: &Constraints,
        routes: &[Found],
        index: usize,
    ) {
        let (count, route) = (routes.len(), &routes[index]);
        let conditions = conditions(request, constraints, is_traffic_known(routes));
        let (japanese, english) = selection_reason(constraints, routes, index);
        let summary = &route.summary;
        match (self.language, conditions.is_empty()) {
            (Language::Japanese, true) => self.sentences.push(format!(
                "{count}件のルートから、{japanese}「{summary}」を選びました。"
            )),
            (Language::Japanese, false) => self.sentences.push(format!(
                "条件（{}）で見つかった{count}件のルートから、{japanese}「{summary}」を選びました。",
                conditions.join("、")
            )),
            (Language::English, _) => {
                let with = match conditions.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", conditions.join(", ")),
                };
                self.sentences.push(match count {
                    1 => format!("There is one route{with}: {summary}."),
                    _ => format!("Of {count} routes{with}, {english} was chosen: {summary}."),
                });
            }
        }
        let (far, long) = (kilometres(route.metres), duration(route.time(), self.language));
        match route.lost_minutes().unwrap_or_default() {
            0 => self.say(
                format!("距離は{far}、所要時間は{long}です。"),
                format!("It is {far} and takes {long}."),
            ),
            lost => {
                let delay = spelled(lost, self.language);
                self.say(
                    format!("距離は{far}、所要時間は{long}（渋滞による遅れ{delay}を含む）です。"),
                    format!("It is {far} and takes {long}, {delay} of it lost in traffic."),
                );
            }
        }
    }

    /// States the departure for the requested arrival.
    fn departure(&mut self, request: &RouteRequest, constraints: &Constraints, route: &Found) {
        let Some(arrival) = constraints.due else { return };
        let seconds = i64::try_from(route.time()).unwrap_or_default();
        let minutes = jiff::SignedDuration::from_mins(seconds.div_euclid(60) + 1);
        let Ok(leave) = arrival.checked_sub(minutes) else { return };
        let shown = |it| constraints::shown(it, request.now, self.language);
        let (leave, arrival) = (shown(leave), shown(arrival));
        self.say(
            format!("{arrival}に着くには、{leave}までに出発してください。"),
            format!("To be there by {arrival}, leave by {leave}."),
        );
    }

    /// States the arrival, if it was asked for.
    fn arrival(&mut self, request: &RouteRequest, constraints: &Constraints, route: &Found) {
        if !constraints.once.asks_arrival || constraints.due.is_some() {
            return;
        }
        let leave = constraints.departure.unwrap_or(request.now);
        let seconds = i64::try_from(route.time()).unwrap_or_default();
        let Ok(arrival) = leave.checked_add(jiff::SignedDuration::from_secs(seconds)) else {
            return;
        };
        let arrival = constraints::shown(arrival, request.now, self.language);
        let leave =
            constraints.departure.map(|it| constraints::shown(it, request.now, self.language));
        let (japanese, english) = match leave {
            Some(it) => (format!("{it}に出発すると"), format!("Leaving {it}")),
            None => ("いま出発すると".to_owned(), "Leaving now".to_owned()),
        };
        self.say(
            format!("{japanese}、{arrival}ごろに着きます。"),
            format!("{english}, you arrive {arrival} or so."),
        );
    }

    /// Lists the steps.
    fn steps(&mut self, route: &Found) {
        let turns = route.right_turns;
        if route.steps.is_empty() {
            return self
                .say("曲がる場所の情報はありません。", "It is not known where one turns on it.");
        }
        self.say(
            format!("右折は{turns}回です。道順:\n"),
            format!("It has {}. Step by step:\n", counted(turns, "right turn")),
        );
        for (at, step) in route.steps.iter().take(STEPS_MAX).enumerate() {
            self.sentences.push(format!("{}. {step}\n", at + 1));
        }
        let more = route.steps.len().saturating_sub(STEPS_MAX);
        if more > 0 {
            self.say(format!("（ほかに{more}か所）"), format!("(and {more} more)"));
        }
    }

    /// States the savings against the best of the others, and the cost.
    fn savings(&mut self, constraints: &Constraints, routes: &[Found], index: usize) {
        let route = &routes[index];
        let others = || routes.iter().enumerate().filter(|it| it.0 != index).map(|it| it.1);
        if let Some(other) = others().min_by_key(|it| it.time()) {
            self.differences(route, other);
        }
        let list = |of: &dyn Fn(&Found) -> String| others().map(of).collect::<Vec<_>>();
        match constraints.rule {
            Some(Rule::FewestRightTurns) => {
                let turns = route.right_turns;
                let others = list(&|it| it.right_turns.to_string());
                let (japanese, english) = other_values(&others, "回");
                self.say(
                    format!("右折は{turns}回です{japanese}。"),
                    format!("It has {}{english}.", counted(turns, "right turn")),
                );
            }
            Some(Rule::Cheapest) if route.is_best => self.say(
                "通行料金と、距離1 kmあたり12円の費用の合計で比べています。",
                "What counts is the tolls, and 12 yen for each kilometre.",
            ),
            Some(Rule::Cheapest) if routes.iter().all(|it| it.price().is_none()) => self.say(
                "料金の情報がないため、所要時間で選びました。",
                "As no tolls are known, it was chosen by time.",
            ),
            None if constraints.traffic && routes.len() > 1 && is_traffic_known(routes) => {
                let delay = |it: &Found| match it.lost_minutes() {
                    Some(lost) => spelled(lost, self.language),
                    None => self.language.pick("不明", "not known").to_owned(),
                };
                let (japanese, english) = other_values(&list(&delay), "");
                let delay = delay(route);
                self.say(
                    format!("渋滞による遅れは{delay}です{japanese}。"),
                    format!("Traffic costs {delay}{english}."),
                );
            }
            _ => {}
        }
        let is_driven = !constraints.walking && !constraints.cycling;
        if constraints.traffic && is_driven && !is_traffic_known(routes) {
            self.say(
                "経路プロバイダーから交通状況の情報が得られないため、渋滞は考慮していません。",
                "The provider does not tell the traffic, so traffic did not count.",
            );
        }
        match &route.toll {
            Some(toll) if toll.amount > 0.0 => {
                let price = price(toll, self.language);
                self.say(format!("通行料金は{price}です。"), format!("Tolls come to {price}."));
            }
            Some(_) => self.say("通行料金はかかりません。", "There are no tolls."),
            None if route.is_free && constraints.rule == Some(Rule::Cheapest) => {
                self.say("通行料金はかかりません。", "There are no tolls.");
            }
            None => {}
        }
        for warning in route.warnings.iter().take(WARNINGS_MAX) {
            let warning = warning.trim_end_matches(['。', '.', ' ']);
            self.say(format!("注意: {warning}。"), format!("Note: {warning}."));
        }
    }

    fn differences(&mut self, route: &Found, other: &Found) {
        // Computed from the reported values, so that readers get the same difference.
        let minutes = minutes(other.time()) as i64 - minutes(route.time()) as i64;
        let metres = rounded(other.metres) as i64 - rounded(route.metres) as i64;
        let (saved, apart) = (minutes.unsigned_abs(), kilometres(metres.unsigned_abs()));
        let language = self.language;
        let time = match minutes {
            0 => language.pick("所要時間はほぼ同じで".to_owned(), "takes about as long".to_owned()),
            1.. => language.pick(format!("{saved}分早く"), format!("is {saved} min faster")),
            _ => language.pick(format!("{saved}分遅く"), format!("is {saved} min slower")),
        };
        let is = if minutes == 0 { "is " } else { "" };
        let query = match metres {
            -49..=49 => language.pick("距離もほぼ同じ".to_owned(), format!("{is}about as far")),
            50.. => language.pick(format!("距離は{apart}短い"), format!("{is}{apart} shorter")),
            _ => language.pick(format!("距離は{apart}長い"), format!("{is}{apart} longer")),
        };
        let name = &other.summary;
        self.say(
            format!("「{name}」と比べると、{time}、{query}ルートです。"),
            format!("Against {name} it {time} and {query}."),
        );
    }

    /// Compares the modes that the sentence names, the fastest first.
    fn modes(&mut self, constraints: &Constraints, route: &Found, answered: &[Answered]) {
        let mut ways = vec![(constraints.mode(), Some((route.metres, route.time())))];
        for other in constraints.other_modes() {
            let found = found::routes(answered, &other).and_then(Result::ok);
            let query = found.as_deref().and_then(<[Found]>::first);
            ways.push((other.mode(), query.map(|it| (it.metres, it.time()))));
        }
        if ways.len() < 2 {
            return;
        }
        ways.sort_by_key(|it| it.1.map_or(u64::MAX, |it| it.1));
        let language = self.language;
        let shown = ways.iter().map(|(mode, query)| {
            let name = language.pick(mode.name().0, mode.name().1);
            let query = query.map(|(metres, seconds)| {
                let (far, long) = (kilometres(metres), duration(seconds, language));
                language.pick(format!("{far}、{long}"), format!("{far}, {long}"))
            });
            format!(
                "{name}: {}",
                query.as_deref().unwrap_or(language.pick("ルートなし", "no route"))
            )
        });
        let shown = shown.collect::<Vec<_>>().join(language.pick("、", "; "));
        let fastest = language.pick(ways[0].0.name().0, ways[0].0.name().1);
        self.say(
            format!("移動手段の比較（{shown}）では、{fastest}が最も早く着きます。"),
            format!("Of the ways to move ({shown}), you are there first {fastest}."),
        );
    }

    /// Lists each candidate on a line (「比較して」).
    fn table(
        &mut self,
        constraints: &Constraints,
        routes: &[Found],
        index: usize,
        table: Option<(u64, u64)>,
    ) {
        let language = self.language;
        let both = constraints.once.both.iter();
        let both: Vec<_> = both.map(|it| language.pick(name(*it).0, name(*it).1)).collect();
        let without = both.join(language.pick("・", " and "));
        let without = language.pick(format!("{without}なし"), format!("without {without}"));
        self.say("候補の比較:\n", "The candidates:\n");
        for (at, route) in routes.iter().enumerate() {
            let mut parts = vec![kilometres(route.metres), duration(route.time(), language)];
            if let Some(toll) = &route.toll {
                parts.push(match toll.amount > 0.0 {
                    true => price(toll, language),
                    false => language.pick("料金なし", "no tolls").to_owned(),
                });
            }
            if route.is_without {
                parts.push(without.clone());
            }
            let turns = route.right_turns;
            parts.push(language.pick(format!("右折{turns}回"), counted(turns, "right turn")));
            let mark = if at == index { language.pick(" ← 選択", " ← chosen") } else { "" };
            let parts = parts.join(language.pick("、", ", "));
            self.sentences.push(format!("{}. {}: {parts}{mark}\n", at + 1, route.summary));
        }
        if !both.is_empty() && !routes.iter().any(|it| it.is_without) {
            self.say(
                format!("{without}のルートは見つかりませんでした。"),
                format!("No route {without} was found."),
            );
        }
        if let Some((metres, seconds)) = table {
            let (far, long) = (kilometres(metres), duration(seconds, language));
            self.say(
                format!("距離表（distance_compare）では{far}、{long}です。"),
                format!("The table (distance_compare) has {far} and {long}."),
            );
        }
    }

    /// States what a later sentence refers to.
    fn follow_up(&mut self, constraints: &Constraints, routes: &[Found], index: usize) {
        let once = &constraints.once;
        let formerly =
            Constraints { rule: once.formerly, once: Default::default(), ..constraints.clone() };
        if once.faster && choose(&formerly, routes) == Some(index) {
            self.say(
                "この条件では、これより早いルートはありません。",
                "With these conditions no route is faster.",
            );
        }
        if let Some(number) = once.pick.filter(|it| *it > routes.len()) {
            self.say(
                format!("{number}番目のルートはありませんでした。"),
                format!("There is no route number {number}."),
            );
        }
        if constraints.others > 0 && routes.len() == 1 {
            self.say("ほかのルートは見つかりませんでした。", "No other route was found.");
        }
        if once.is_inherited {
            self.say("前の条件も引き継いでいます。", "What was wished before still holds.");
        }
    }

    /// Finishes the explanation, with unsupported constraints and the planner's name.
    fn conclusion(
        mut self,
        request: &RouteRequest,
        constraints: &Constraints,
        choice: Option<Choice>,
    ) -> Conclusion {
        for unsupported in &constraints.once.unsupported {
            let is_done = match unsupported {
                Unsupported::Arrival => constraints.due.is_some(),
                Unsupported::Stopover => {
                    !via(request, constraints).is_empty() || !self.unknown_stops.is_empty()
                }
                Unsupported::Past
                | Unsupported::Transit
                | Unsupported::Scenery
                | Unsupported::RoundTrip
                | Unsupported::Road
                | Unsupported::Vague
                | Unsupported::SecondTime
                | Unsupported::Vehicle => false,
            };
            if is_done {
                continue;
            }
            let (japanese, english) = unsupported_text(*unsupported);
            self.say(japanese, english);
        }
        let is_read = constraints.once.is_read || !constraints.once.unsupported.is_empty();
        let (wishes, wishes_en) = WISHES;
        if !self.unknown_stops.is_empty() {
            let list = self.unknown_stops.join("」「");
            let english = self.unknown_stops.join("\" or \"");
            self.say(
                format!("「{list}」という場所は分からないため、立ち寄っていません。場所の名前での「川崎駅経由で」のほか、{wishes}が分かります。"),
                format!("I know no place named \"{english}\", so the route does not stop there. I understand a stop by its name, \"via Kawasaki Station\", and for example: {wishes_en}."),
            );
        } else if !is_read && via(request, constraints).is_empty() {
            self.say(
                format!("条件の文から知っている希望を読み取れなかったため、通常の検索をしました。たとえば{wishes}が分かります。"),
                format!("None of the wishes that I know is in your sentence, so this is a plain search. I understand, for example: {wishes_en}."),
            );
        }
        self.say(
            "（内蔵プランナーが決まった規則で答えています）",
            "(Answered by the built-in planner, by fixed rules.)",
        );
        let message = self.sentences.join(self.language.pick("", " ")).replace("\n ", "\n");
        Conclusion { parts: vec![Part::text(message)], choice }
    }
}

/// Formats ` (others: 5, 7)` in both languages.
fn other_values(others: &[String], unit: &str) -> (String, String) {
    if others.is_empty() {
        return Default::default();
    }
    let japanese: Vec<_> = others.iter().map(|it| format!("{it}{unit}")).collect();
    (
        format!("（ほかの候補は{}）", japanese.join("、")),
        format!(" (the others: {})", others.join(", ")),
    )
}

fn selection_reason(constraints: &Constraints, routes: &[Found], index: usize) -> (String, String) {
    let count = routes.len();
    let number = index + 1;
    let is_best = routes[index].is_best;
    let (japanese, english) = match (constraints.once.pick, constraints.rule) {
        (Some(pick), _) if pick == number => {
            return (format!("{number}番目の"), format!("number {number}"));
        }
        (_, Some(Rule::Shortest)) if is_best => ("距離が最も短い", "the shortest"),
        (_, Some(Rule::Cheapest)) if is_best => ("費用が最も安い", "the cheapest"),
        _ if count == 1 => ("", "it"),
        _ if constraints.others > 0 => ("前とは別の", "another one"),
        (_, Some(Rule::Fastest)) => ("最も早い", "the fastest"),
        (_, Some(Rule::Shortest)) => ("候補の中で最も距離が短い", "the shortest of those found"),
        (_, Some(Rule::Cheapest)) => ("候補の中で最も料金が安い", "the cheapest of those found"),
        (_, Some(Rule::FewestRightTurns)) => {
            ("右折が最も少ない", "the one with the fewest right turns")
        }
        _ if constraints.traffic && is_traffic_known(routes) => {
            ("渋滞による遅れが最も少ない", "the one that loses least in traffic")
        }
        _ => ("おすすめの", "the recommended one"),
    };
    (japanese.to_owned(), english.to_owned())
}

/// Returns the name of a topic in both languages.
fn name(topic: Topic) -> (&'static str, &'static str) {
    match topic {
        Topic::Tolls => ("有料道路", "toll roads"),
        Topic::Ferries => ("フェリー", "ferries"),
        _ => ("高速道路", "motorways"),
    }
}

/// Formats the current constraints.
fn conditions(
    request: &RouteRequest,
    constraints: &Constraints,
    is_traffic_known: bool,
) -> Vec<String> {
    let language = request.language;
    let all = [
        (constraints.no_highways, "高速道路を使わない", "no motorways"),
        (constraints.no_tolls, "有料道路を使わない", "no toll roads"),
        (constraints.no_ferries, "フェリーを使わない", "no ferries"),
        (constraints.traffic && is_traffic_known, "渋滞を避ける", "avoiding traffic"),
        (constraints.walking, "徒歩", "on foot"),
        (constraints.cycling, "自転車", "by bicycle"),
    ];
    let held = all.into_iter().filter(|it| it.0);
    let mut held: Vec<_> = held.map(|it| language.pick(it.1, it.2).to_owned()).collect();
    if let Some(moment) = constraints.departure {
        let shown = constraints::shown(moment, request.now, language);
        held.push(language.pick(format!("{shown}出発"), format!("leaving {shown}")));
    }
    if let Some(moment) = constraints.due {
        let shown = constraints::shown(moment, request.now, language);
        held.push(language.pick(format!("{shown}までに到着"), format!("there by {shown}")));
    }
    let via = via(request, constraints);
    if !via.is_empty() {
        let list = via.join(language.pick("、", ", "));
        held.push(language.pick(format!("{list}経由"), format!("by way of {list}")));
    }
    held
}

fn unsupported_text(unsupported: Unsupported) -> (&'static str, &'static str) {
    match unsupported {
        Unsupported::Arrival => (
            "到着時刻からの検索はできないため、いま出発するものとして探しました。",
            "Routes cannot be searched by arrival; this one leaves now.",
        ),
        Unsupported::Transit => (
            "電車やバスなどの公共交通には対応していません。",
            "Trains, buses and planes are not among what I can search.",
        ),
        Unsupported::Scenery => ("景色では選べません。", "I cannot choose by scenery."),
        Unsupported::RoundTrip => (
            "往復は一度に探せないため、行きだけです。続けて「帰りは」と書くと帰りを探します。",
            "A round trip cannot be searched at once; this is the way there. Write \"and back\" for the way back.",
        ),
        Unsupported::Road => (
            "道路や橋を種類や名前で選んだり避けたりはできません。この経路が通るかどうかは、経路の内容で確かめてください。",
            "A road or bridge cannot be chosen or avoided by its kind or name. Please see in the route whether it goes there.",
        ),
        Unsupported::Vague => (
            "出発か到着の時刻が分からないため、いま出発するものとして探しました。「明日8時に出発」のように書いてください。",
            "Without a time of day this is for leaving now. Write for example \"leave tomorrow at 8\".",
        ),
        Unsupported::Past => (
            "その日時はもう過ぎているため、いま出発するものとして探しました。",
            "That time is over, so this is for leaving now.",
        ),
        Unsupported::SecondTime => (
            "出発と到着の両方の時刻を条件にはできないため、到着の時刻だけで探しました。出発の時刻が間に合うかは、上の時刻で確かめてください。",
            "Both a departure and an arrival cannot be conditions, so this is for the arrival alone. Please see above whether the departure fits.",
        ),
        Unsupported::Vehicle => (
            "バイクやトラックのルートには対応していません。探すときは普通自動車として扱い、通れない道や料金の違いは考慮していません。",
            "Motorcycles and lorries are not among what I can search for: the route is for an ordinary car, and roads that they may not take and other tolls are not part of it.",
        ),
        Unsupported::Stopover => (
            "立ち寄る場所を読み取れなかったため、立ち寄っていません。「○○経由で」のように書いてください。",
            "I could not read where to stop, so there is no stop. Write for example \"via Kawasaki\".",
        ),
    }
}
