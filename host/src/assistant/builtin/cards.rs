//! Card illustrations: which are fetched for a sentence, and the picture that is composed of them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::said::{bare, is_card, is_plural, is_theme, subtitle, title};
use super::{
    desk::{Desk, failure, submitted},
    heard::{Heard, Piece, marks},
    names::{Names, Theme, distance, is_nearly_theme, moods},
    numbers::Unit,
    rules::Goal,
    say,
    words::Word,
};
use crate::assistant::{Answered, Decision, Image, Language, Part, ToolResult, images_of};

mod said;

const CARD: &str = "get_card_illustration";
const THEME: &str = "get_theme_illustrations";
const COMPOSE: &str = "compose_thumbnail";
/// Names that one sentence may have.
const NAMES_MAX: usize = 5;
/// Cards on one thumbnail, and of each theme where two are matched.
const CARDS_MAX: usize = 5;
const EACH_OF_TWO: u32 = 2;
const TITLE_MAX: usize = 60;
/// How cards are laid out, and the words for it.
const STYLES: &[(&str, &str)] = &[
    ("spotlight", "スポットライト|主役|spotlight"),
    ("spread", "横並び|並べて|side by side|in a row"),
];
/// As many as all cards of a theme: no more are asked for at once.
const ALL: u32 = 20;
/// What asks for all cards of a theme.
const WHOLE: &str = "全部|全て|すべて|一覧|どんなカード|何のカード|入ってる|入って|all |every |which cards|what cards|list";

/// A card or a theme that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Wanted {
    is_theme: bool,
    name: String,
    /// Whether it was asked for the other way round, since it was not found.
    is_second: bool,
    /// How many of a theme's cards, where each theme has its own number.
    #[serde(default)]
    limit: Option<u32>,
    #[serde(default)]
    is_found: bool,
    /// What was written, where a name that is near it was taken.
    #[serde(default)]
    written: Option<String>,
}

impl Wanted {
    fn new(is_theme: bool, name: String) -> Self {
        Self { is_theme, name, is_second: false, limit: None, is_found: false, written: None }
    }
}

/// Illustrations that are asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Cards {
    wanted: Vec<Wanted>,
    limit: Option<u32>,
    is_thumbnail: bool,
    /// Whether two sides are matched.
    is_versus: bool,
    title: Option<String>,
    /// How they are laid out, where that is said.
    #[serde(default)]
    style: Option<String>,
    /// Whether all cards of a theme are asked for.
    #[serde(default)]
    is_all: bool,
    #[serde(default)]
    subtitle: Option<String>,
    /// The cards that were found, by name.
    found: Vec<String>,
    /// The mood that was said, and the theme that is taken for it.
    #[serde(default)]
    mood: Option<(String, String)>,
    /// The words for moods that the cards have.
    #[serde(default)]
    moods: Vec<String>,
    /// The theme whose colours the picture is to have.
    #[serde(default)]
    ground: Option<String>,
}

/// Whether a colour is said of the picture's background.
fn is_ground(heard: &Heard, piece: &Piece) -> bool {
    const REACH: usize = 6;
    let text = |from: usize, to: usize| heard.lower[from..to].iter().collect::<String>();
    let before = text(piece.from.saturating_sub(REACH), piece.from);
    let behind = text(piece.to, heard.lower.len().min(piece.to + 2 * REACH));
    let is_palette = [" colours", " colors", " palette", " tones"];
    if is_palette.iter().any(|it| behind.starts_with(it))
        && text(0, piece.from).trim_end().ends_with(" in")
    {
        return true;
    }
    let is_before =
        ["背景は", "背景を", "背景が", "バックは", "背景:"].iter().any(|it| before.ends_with(it));
    is_before
        || ["の背景", "い背景", "背景", " background", " backdrop"]
            .iter()
            .any(|it| behind.starts_with(it))
        || text(0, piece.from).ends_with("background in ")
}

/// The one name among `suggestions` that `name` is with a slip or two.
pub(super) fn near(name: &str, suggestions: Option<&Value>) -> Option<String> {
    let fold = |it: &str| -> Vec<char> {
        it.to_lowercase().chars().filter(|it| it.is_alphanumeric()).collect()
    };
    let folded = fold(name);
    let most = match folded.len() {
        0..3 => return None,
        3..7 => 1,
        _ => 2,
    };
    let names = suggestions?.as_array()?.iter().filter_map(Value::as_str);
    let mut near = names.filter(|it| distance(&fold(it), &folded) <= most);
    near.next().filter(|_| near.next().is_none()).map(str::to_owned)
}

/// Both sides of `ルナ対ミミ`; else the name itself.
fn sides(heard: &Heard, name: &Piece) -> Vec<Piece> {
    let at = (name.from + 1..name.to.saturating_sub(1)).find(|it| heard.chars[*it] == '対');
    match at.filter(|at| at - name.from > 1 && name.to - at > 2) {
        Some(at) => vec![heard.piece(name.from, at), heard.piece(at + 1, name.to)],
        None => vec![name.clone()],
    }
}

impl Cards {
    /// What `heard` asks for; what it leaves out is taken from `before`.
    pub(super) fn of(heard: &Heard, goal: Goal, language: Language, before: Option<&Self>) -> Self {
        let (mut title, mut quoted) = title(heard);
        let themes = heard.themes();
        // Beside a theme, what is quoted is written on the picture.
        let is_beside = |it: &Piece| {
            let is_other =
                !themes.iter().any(|theme| it.from <= theme.1.from && theme.1.to <= it.to);
            is_other && !is_card(heard, it) && !is_theme(heard, it, false)
        };
        if goal == Goal::Thumbnail
            && title.is_none()
            && !themes.is_empty()
            && quoted.len() == 1
            && is_beside(&quoted[0])
        {
            title = quoted.pop().map(|it| it.text.chars().take(TITLE_MAX).collect());
        }
        let mut wanted = Vec::new();
        let plural = heard.numbers.pieces().is_some() || is_plural(heard);
        let themes = heard.themes();
        let is_theme_said = heard.has(&[Word::Theme]);
        let is_versus = heard.has(&[Word::Versus]) || heard.find("対", 0).is_some();
        let mut ground = None;
        for (theme, piece) in &themes {
            if is_ground(heard, piece) {
                ground = Some(language.pick(theme.japanese, theme.english).to_owned());
                continue;
            }
            // A colour within a name that is quoted names nothing by itself.
            let lies = |it: &Piece| it.from <= piece.from && piece.to <= it.to;
            let is_in_title = goal == Goal::Thumbnail && bare(heard).as_ref().is_some_and(lies);
            let is_in_name =
                quoted.iter().any(|it| lies(it) && it.text != piece.text) || is_in_title;
            if !is_in_name {
                let name = if theme.is_name {
                    piece.text.clone()
                } else {
                    language.pick(theme.japanese, theme.english).to_owned()
                };
                // Against another card, what has a capital is a card's name.
                let is_card = is_versus
                    && !theme.is_name
                    && piece.text.starts_with(|it: char| it.is_ascii_uppercase())
                    && ![" cards", " theme", " deck"].iter().any(|it| heard.is_at(it, piece.to));
                let name = if is_card { piece.text.clone() } else { name };
                wanted.push((piece.from, Wanted::new(!is_card, name)));
            }
        }
        let mut unknown = if quoted.is_empty() { heard.unknown_names() } else { Vec::new() };
        // What is written on the picture is no card, and neither is a word beside it.
        let on_it = bare(heard).filter(|_| goal == Goal::Thumbnail);
        // `暗い森っぽい` describes, and names nothing.
        let moods = moods(&heard.lower);
        unknown.retain(|it| {
            const LIKE: &str = "っぽい|ぽい|な|の|い|しい|め|系|風|的| |-|themed|ish";
            let is_mood = |at: &usize| moods.iter().any(|it| (it.1..it.2).contains(at));
            let rest: String =
                (it.from..it.to).filter(|at| !is_mood(at)).map(|at| heard.lower[at]).collect();
            let rest = marks(LIKE).fold(rest, |rest, it| rest.replace(it, ""));
            !(it.from..it.to).any(|at| is_mood(&at)) || !rest.is_empty()
        });
        let line = subtitle(heard);
        unknown
            .retain(|it| line.as_ref().is_none_or(|line| it.to <= line.from || line.to <= it.from));
        if let Some(on) = &on_it {
            // `called Night Parade with Luna`: the name goes on behind the title.
            for it in unknown.iter_mut().filter(|it| it.from < on.to && on.to < it.to) {
                let behind = heard.piece(on.to, it.to).text;
                let small = [" with ", " using ", " featuring ", " and ", " for "];
                let lead =
                    small.iter().find(|it| behind.starts_with(**it)).map_or(0, |it| it.len());
                *it = heard.piece(on.to + lead, it.to);
            }
        }
        unknown.retain(|it| {
            on_it.as_ref().is_none_or(|on| it.to <= on.from || on.to <= it.from)
                && ![
                    "副題",
                    "サブタイトル",
                    "画像",
                    "動画",
                    "サムネ",
                    "サムネイル",
                    "タイトル",
                    "文字",
                ]
                .contains(&it.text.as_str())
        });
        let unknown: Vec<_> = unknown.into_iter().flat_map(|it| sides(heard, &it)).collect();
        let is_several = unknown.len() > 1 || quoted.len() > 1;
        for piece in quoted.into_iter().chain(unknown) {
            let is_taken = wanted.iter().any(|it| it.1.name == piece.text)
                || title.as_deref() == Some(piece.text.as_str());
            let is_theme = is_theme(heard, &piece, is_theme_said)
                || is_nearly_theme(&piece.text)
                || (plural && !is_several && !is_card(heard, &piece));
            if !is_taken {
                wanted.push((piece.from, Wanted::new(is_theme, piece.text)));
            }
        }
        wanted.sort_by_key(|it| it.0);
        let mut wanted: Vec<_> = wanted.into_iter().map(|it| it.1).take(NAMES_MAX).collect();
        let is_thumbnail = goal == Goal::Thumbnail;
        if let Some(before) = before.filter(|_| wanted.is_empty()) {
            // `その2枚で` after one card means others as well, which are asked for.
            let count = heard.numbers.pieces().map(|it| it as usize);
            let is_other = |it: usize| {
                !before.wanted.iter().any(|it| it.is_theme) && it != before.wanted.len()
            };
            if !count.is_some_and(is_other) {
                wanted.clone_from(&before.wanted);
            }
        }
        // A mood counts where nothing is named.
        let name = |it: &Theme| language.pick(it.japanese, it.english).to_owned();
        let text = |it: &(Theme, usize, usize)| heard.piece(it.1, it.2).text;
        let mood = moods.first().filter(|_| wanted.is_empty()).map(|it| {
            wanted.push(Wanted::new(true, name(&it.0)));
            (text(it), name(&it.0))
        });
        let is_wanted = |it: &&(Theme, usize, usize)| {
            let is_it = |name: &str| name == it.0.japanese || name == it.0.english;
            wanted.iter().any(|it| is_it(&it.name))
        };
        let moods = moods.iter().filter(is_wanted).map(text).collect();
        // `two golden cards and one purple card`: each theme has its number.
        let counts = heard.numbers.counts.iter().filter(|it| it.0 == Unit::Pieces).map(|it| it.1);
        let counts: Vec<u32> = counts.collect();
        if counts.len() == wanted.len() && counts.len() > 1 {
            for (wanted, count) in wanted.iter_mut().zip(counts) {
                wanted.limit = Some(count);
            }
        }
        // `two blue cards and a red one`.
        let is_single = |it: &Piece| {
            let before: String = heard.lower[..it.from].iter().collect();
            [" a ", " an ", " one "].iter().any(|article| before.ends_with(article))
        };
        let is_several = themes.len() > 1 && wanted.len() == themes.len();
        if is_several && heard.numbers.pieces().is_some() {
            for (wanted, _) in wanted.iter_mut().zip(&themes).filter(|it| is_single(&it.1.1)) {
                wanted.limit = wanted.limit.or(Some(1));
            }
        }
        let is_pair = wanted.len() > 1;
        let several = wanted.iter().filter(|it| it.is_theme).count() > 1;
        let limit = heard.numbers.pieces().or((several && is_thumbnail).then_some(EACH_OF_TWO));
        Self {
            wanted,
            limit,
            is_thumbnail,
            is_versus: is_pair && is_versus,
            title,
            style: STYLES
                .iter()
                .find(|it| marks(it.1).any(|it| heard.find(it, 0).is_some()))
                .map(|it| it.0.to_owned()),
            is_all: !is_thumbnail && marks(WHOLE).any(|it| heard.find(it, 0).is_some()),
            subtitle: subtitle(heard).map(|it| it.text.chars().take(TITLE_MAX).collect()),
            found: Vec::new(),
            mood,
            moods,
            ground,
        }
    }

    /// A title that is said afterwards; whether there was one.
    pub(super) fn retitle(&mut self, heard: &Heard) -> bool {
        let (title, _) = title(heard);
        let quoted = || heard.quoted.first().map(|it| it.text.clone());
        let Some(title) = title.or_else(|| heard.has(&[Word::Thumbnail]).then(quoted)?) else {
            return false;
        };
        if !self.is_thumbnail || self.wanted.is_empty() {
            return false;
        }
        self.title = Some(title.chars().take(TITLE_MAX).collect());
        self.found.clear();
        for it in &mut self.wanted {
            (it.is_second, it.is_found) = (false, false);
        }
        true
    }

    /// Cards by these names, shown.
    pub(super) fn of_name(name: &str) -> Self {
        Self {
            wanted: vec![Wanted { is_second: true, ..Wanted::new(false, name.to_owned()) }],
            limit: None,
            is_thumbnail: false,
            is_versus: false,
            title: None,
            style: None,
            is_all: false,
            subtitle: None,
            found: Vec::new(),
            mood: None,
            moods: Vec::new(),
            ground: None,
        }
    }

    /// The cards of a name that is several: `レオンとファルコ`, `mimi and yuki`.
    pub(super) fn of_names(names: &str) -> Option<Self> {
        let parts = names.split("と").flat_map(|it| it.split(" and ")).map(str::trim);
        let parts: Vec<_> = parts.collect();
        let is_list = (2..=NAMES_MAX).contains(&parts.len())
            && parts.iter().all(|it| it.chars().count() > 1 && !it.contains('の'));
        let mut cards = Self::of_name(parts[0]);
        let rest = parts.iter().skip(1).map(|it| Wanted::new(false, (*it).to_owned()));
        cards.wanted.extend(rest);
        is_list.then_some(cards)
    }

    /// What of the sentence it uses besides what the tables know.
    pub(super) fn used(&self) -> Vec<String> {
        const LINE: &str = "副題|サブタイトル|subtitle|tagline";
        const GROUND: &str = "背景|colours|colors|palette|tones|background";
        let line = self.subtitle.iter().flat_map(|_| marks(LINE));
        let ground = self.ground.iter().flat_map(|_| marks(GROUND));
        let style = STYLES.iter().filter(|it| self.style.as_deref() == Some(it.0));
        let words = line.chain(ground).chain(style.flat_map(|it| marks(it.1))).map(str::to_owned);
        let more = self.moods.iter().chain(&self.title).chain(&self.subtitle).cloned();
        self.wanted.iter().map(|it| it.name.clone()).chain(more).chain(words).collect()
    }

    /// Takes in what a form brought.
    pub(super) fn filled(&mut self, values: &Map<String, Value>) {
        let Some(name) = values.get("theme").and_then(Value::as_str).map(str::trim) else { return };
        if !name.is_empty() {
            let name = name.chars().take(TITLE_MAX).collect();
            self.wanted = vec![Wanted::new(true, name)];
        }
    }

    /// What is next.
    pub(super) fn next(&mut self, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        if let Some(values) = submitted(answered) {
            self.filled(values);
        }
        if self.wanted.is_empty() {
            return self.ask(desk);
        }
        if let Some(it) = answered.iter().find(|it| it.call.name == COMPOSE) {
            return self.composed(desk, it);
        }
        if !answered.iter().any(|it| [CARD, THEME].contains(&it.call.name.as_str())) {
            return self.fetch(desk);
        }
        self.fetched(desk, answered)
    }

    fn ask(&self, desk: &mut Desk<'_>) -> Decision {
        let form = json!({
            "title": desk.say("どのカードにしますか？", "Which cards?"),
            "fields": [{
                "name": "theme", "type": "text", "required": true,
                "label": desk.say("テーマまたはカードの名前", "Theme or card"),
                "suggestions": desk.language.pick(
                    ["蒼晶竜", "紅蓮機工", "翠森精霊", "雪月花"],
                    ["Azure Crystal Dragons", "Crimson Engine", "Verdant Spirits", "Snow Moon Flower"],
                ),
            }],
        });
        let reason = desk.say("テーマもカードの名前もないため", "No theme and no card is named");
        let words = desk.say(
            "テーマかカードの名前を教えてください。例:「蒼晶竜のカード」",
            "Please name a theme or a card, such as \"Azure Crystal Dragons\".",
        );
        desk.ask(form, reason, words)
    }

    /// The calls for all that is wanted, at once.
    fn fetch(&mut self, desk: &mut Desk<'_>) -> Decision {
        let mut calls = Vec::new();
        for it in self.wanted.clone().into_iter().filter(|it| !it.is_found) {
            let is_theme = it.is_theme && desk.has(THEME) || !desk.has(CARD);
            let name = &it.name;
            calls.push(if is_theme {
                let mut arguments = json!({ "theme": name });
                if let Some(limit) = it.limit.or(self.limit).or(self.is_all.then_some(ALL)) {
                    arguments["limit"] = limit.into();
                }
                let reason = desk.say(
                    format!("テーマ「{name}」のカードを参照するため"),
                    format!("To see the cards of the theme {name}"),
                );
                desk.call(THEME, arguments, reason)
            } else {
                let reason = desk.say(
                    format!("カード「{name}」のイラストを参照するため"),
                    format!("To see the illustration of {name}"),
                );
                desk.call(CARD, json!({ "card_name": name }), reason)
            });
        }
        Decision::Call(calls)
    }

    fn fetched(&mut self, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        let mut pictures = Vec::new();
        for it in answered {
            let ToolResult::Output { structured, content, .. } = &it.result else { continue };
            let names = structured["illustrations"].as_array().into_iter().flatten();
            let names = names.filter_map(|it| it["card_name"].as_str());
            self.found.extend(names.map(str::to_owned));
            if it.call.name == CARD {
                let asked = it.call.arguments.get("card_name").and_then(Value::as_str);
                self.found.extend(structured["card_name"].as_str().or(asked).map(str::to_owned));
            }
            pictures.extend(images_of(content).cloned().map(Part::image));
        }
        // Pictures that came are shown; a thumbnail has its own.
        let is_tried_again = pictures.is_empty() || self.is_thumbnail;
        if is_tried_again && desk.has(CARD) && desk.has(THEME) && self.turned(answered) {
            return self.fetch(desk);
        }
        if let Some((_, failure)) = failure(answered).filter(|_| self.found.is_empty()) {
            return desk.conclude(match failure.status {
                404 => self.unknown(desk, answered),
                _ => say::failed(desk, failure),
            });
        }
        // A picture with a card left out is not the one that was asked for.
        let is_short = self.is_thumbnail && failure(answered).is_some_and(|it| it.1.status == 404);
        if is_short {
            let names = self.found.join(desk.language.pick("、", ", "));
            let unknown = self.unknown(desk, answered);
            return desk.conclude(desk.say(
                format!("{unknown}見つかったのは {names} だけなので、サムネイルは作っていません。"),
                format!("{unknown} Only {names} was found, so no thumbnail was made."),
            ));
        }
        if self.is_thumbnail && desk.has(COMPOSE) && !self.found.is_empty() {
            return self.compose(desk);
        }
        let names = self.found.join(desk.language.pick("、", ", "));
        let head =
            desk.say(format!("見つかったカード: {names}"), format!("The cards found: {names}"));
        let mut text = format!("{}{head}", self.taken(desk));
        if self.is_thumbnail {
            text.push_str(&desk.say(
                "\n画像を合成するツール（compose_thumbnail）はいま利用できないため、イラストだけをお見せします。",
                "\nThe tool that composes a picture (compose_thumbnail) is not on offer now, so these are the illustrations only.",
            ));
        }
        if let Some((_, failure)) = failure(answered) {
            let missing = match failure.status {
                404 => self.unknown(desk, answered),
                _ => say::failed(desk, failure),
            };
            text = format!("{text}\n{missing}");
        }
        pictures.truncate(NAMES_MAX * CARDS_MAX);
        desk.answer(text, pictures)
    }

    /// What was not found is asked for in another way: what is no theme may be a card and the other way
    /// round, and a slip or two in a name leave it known. Whether there is anything to ask for.
    fn turned(&mut self, answered: &[Answered]) -> bool {
        let mut is_any = false;
        for it in answered {
            let name =
                ["card_name", "theme"].iter().find_map(|key| it.call.arguments.get(*key)?.as_str());
            let wanted = self.wanted.iter_mut().find(|it| Some(it.name.as_str()) == name);
            let Some(wanted) = wanted else { continue };
            let failure = match &it.result {
                ToolResult::Failed(failure) => failure,
                ToolResult::Output { .. } => {
                    wanted.is_found = true;
                    continue;
                }
            };
            let near = near(&wanted.name, failure.data.get("suggestions"));
            if let Some(near) = near.filter(|_| wanted.written.is_none()) {
                wanted.written = Some(std::mem::replace(&mut wanted.name, near));
                (wanted.is_theme, wanted.is_second) = (it.call.name == THEME, true);
                is_any = true;
            } else if failure.status == 404 && !wanted.is_second {
                (wanted.is_theme, wanted.is_second) = (!wanted.is_theme, true);
                is_any = true;
            }
        }
        is_any
    }

    /// What was taken for what was written, in words.
    fn taken(&self, desk: &Desk<'_>) -> String {
        let near = self.wanted.iter().filter_map(|it| Some((it.written.clone()?, it.name.clone())));
        let notes = near.chain(self.mood.clone()).map(|(written, name)| {
            desk.say(
                format!("「{written}」は「{name}」と受け取りました。\n"),
                format!("I took \"{written}\" for {name}.\n"),
            )
        });
        notes.collect()
    }

    /// The names that nothing was found for, and those that come near.
    fn unknown(&self, desk: &Desk<'_>, answered: &[Answered]) -> String {
        let (mut names, mut near) = (Vec::<String>::new(), Vec::<String>::new());
        for it in answered {
            let ToolResult::Failed(failure) = &it.result else { continue };
            let name =
                ["card_name", "theme"].iter().find_map(|key| it.call.arguments.get(*key)?.as_str());
            names.extend(name.map(str::to_owned).filter(|it| !names.contains(it)));
            let close = failure.data.get("suggestions").and_then(Value::as_array);
            near.extend(
                close.into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)),
            );
        }
        near.dedup();
        near.truncate(5);
        let quoted: Vec<_> =
            names.iter().map(|it| desk.say(format!("「{it}」"), format!("\"{it}\""))).collect();
        let (names, list) = (
            quoted.join(desk.language.pick("、", ", ")),
            near.join(desk.language.pick("、", ", ")),
        );
        let close = match near.is_empty() {
            true => desk.say(
                " 名前を確かめて、もう一度書いてください。",
                " Check the name and write it again.",
            ),
            false => desk.say(format!("近い名前: {list}。"), format!(" Close names: {list}.")),
        };
        desk.say(
            format!("{names}というカードもテーマも見つかりませんでした。{close}"),
            format!("There is no card and no theme called {names}.{close}"),
        )
    }

    fn compose(&self, desk: &mut Desk<'_>) -> Decision {
        let cards: Vec<_> = self.found.iter().take(CARDS_MAX).collect();
        let mut arguments = json!({ "cards": cards });
        if let Some(title) = &self.title {
            arguments["title"] = title.as_str().into();
        }
        if let Some(line) = self.subtitle.as_ref().filter(|_| desk.takes(COMPOSE, "subtitle")) {
            arguments["subtitle"] = line.as_str().into();
        }
        let style = self.style.as_deref().or(self.is_versus.then_some("versus"));
        if let Some(style) = style.filter(|_| desk.takes(COMPOSE, "style")) {
            arguments["style"] = style.into();
        }
        if let Some(ground) = self.ground.as_ref().filter(|_| desk.takes(COMPOSE, "theme")) {
            arguments["theme"] = ground.as_str().into();
        }
        let reason = desk.say(
            "取得したイラストをサムネイルに並べるため",
            "To lay the illustrations out as a thumbnail",
        );
        desk.only(COMPOSE, arguments, reason)
    }

    fn composed(&self, desk: &Desk<'_>, answered: &Answered) -> Decision {
        let (structured, content) = match &answered.result {
            ToolResult::Failed(failure) => return desk.conclude(say::failed(desk, failure)),
            ToolResult::Output { structured, content, .. } => (structured, content),
        };
        let mut pictures: Vec<_> = images_of(content).cloned().collect();
        if let (true, Some(data), Some(mime_type)) =
            (pictures.is_empty(), structured["data"].as_str(), structured["mimeType"].as_str())
        {
            pictures.push(Image { mime_type: mime_type.to_owned(), data: data.into() });
        }
        let cards = structured["cards"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut cards: Vec<_> = cards.map(str::to_owned).collect();
        if cards.is_empty() {
            cards.clone_from(&self.found);
        }
        let list = cards.join(desk.language.pick("、", ", "));
        let text = match &self.title {
            Some(title) => desk.say(
                format!("「{title}」のサムネイルを作りました。カード: {list}"),
                format!("Here is the thumbnail \"{title}\" with {list}."),
            ),
            None => desk.say(
                format!("サムネイルを作りました。カード: {list}"),
                format!("Here is the thumbnail with {list}."),
            ),
        };
        let mut text = format!("{}{text}", self.taken(desk));
        if let Some(ground) = self.ground.as_ref().filter(|_| !desk.takes(COMPOSE, "theme")) {
            text.push_str(&desk.say(
                format!("\n背景の色（{ground}）は選べません。"),
                format!("\nThe background ({ground}) cannot be chosen."),
            ));
        }
        desk.answer(text, pictures.into_iter().map(Part::image).collect())
    }
}
