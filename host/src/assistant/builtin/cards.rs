//! Card illustrations: which are fetched for a sentence, and the picture that is composed of them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::said::{is_card, is_plural, is_theme, title};
use super::{
    desk::{Desk, failure, submitted},
    heard::{Heard, Piece},
    names::{Names, is_nearly_theme},
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

/// A card or a theme that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Wanted {
    is_theme: bool,
    name: String,
    /// Whether it was asked for the other way round, since it was not found.
    is_second: bool,
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
    /// The cards that were found, by name.
    found: Vec<String>,
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
        for (theme, piece) in &themes {
            // A colour within a name that is quoted names nothing by itself.
            let is_in_name = quoted
                .iter()
                .any(|it| it.from <= piece.from && piece.to <= it.to && it.text != piece.text);
            if !is_in_name {
                let name = if theme.is_name {
                    piece.text.clone()
                } else {
                    language.pick(theme.japanese, theme.english).to_owned()
                };
                wanted.push((piece.from, Wanted { is_theme: true, name, is_second: false }));
            }
        }
        let is_versus = heard.has(&[Word::Versus]) || heard.find("対", 0).is_some();
        let unknown = if quoted.is_empty() { heard.unknown_names() } else { Vec::new() };
        for piece in quoted.into_iter().chain(unknown) {
            let is_taken = wanted.iter().any(|it| it.1.name == piece.text)
                || title.as_deref() == Some(piece.text.as_str());
            let is_theme = is_theme(heard, &piece, is_theme_said)
                || is_nearly_theme(&piece.text)
                || (plural && !is_card(heard, &piece));
            if !is_taken {
                wanted.push((piece.from, Wanted { is_theme, name: piece.text, is_second: false }));
            }
        }
        wanted.sort_by_key(|it| it.0);
        let mut wanted: Vec<_> = wanted.into_iter().map(|it| it.1).take(NAMES_MAX).collect();
        let is_thumbnail = goal == Goal::Thumbnail;
        if let Some(before) = before.filter(|_| wanted.is_empty()) {
            wanted.clone_from(&before.wanted);
        }
        let several = wanted.iter().filter(|it| it.is_theme).count() > 1;
        let limit = heard
            .numbers
            .pieces()
            .or((several && is_thumbnail && is_versus).then_some(EACH_OF_TWO));
        Self {
            wanted,
            limit,
            is_thumbnail,
            is_versus: several && is_versus,
            title,
            found: Vec::new(),
        }
    }

    /// Takes in what a form brought.
    pub(super) fn filled(&mut self, values: &Map<String, Value>) {
        let Some(name) = values.get("theme").and_then(Value::as_str).map(str::trim) else { return };
        if !name.is_empty() {
            let name = name.chars().take(TITLE_MAX).collect();
            self.wanted = vec![Wanted { is_theme: true, name, is_second: false }];
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
        for it in self.wanted.clone() {
            let is_theme = it.is_theme && desk.has(THEME) || !desk.has(CARD);
            let name = &it.name;
            calls.push(if is_theme {
                let mut arguments = json!({ "theme": name });
                if let Some(limit) = self.limit {
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
        // What is no theme may be a card, and the other way round.
        let missed = failure(answered).filter(|it| it.1.status == 404 && pictures.is_empty());
        let turned = self.wanted.iter_mut().filter(|it| !it.is_second && missed.is_some());
        let turned = turned.map(|it| (it.is_theme, it.is_second) = (!it.is_theme, true)).count();
        if turned > 0 && desk.has(CARD) && desk.has(THEME) {
            return self.fetch(desk);
        }
        if let Some((_, failure)) = failure(answered).filter(|_| self.found.is_empty()) {
            return desk.conclude(say::failed(desk, failure));
        }
        if self.is_thumbnail && desk.has(COMPOSE) && !self.found.is_empty() {
            return self.compose(desk);
        }
        let names = self.found.join(desk.language.pick("、", ", "));
        let mut text =
            desk.say(format!("見つかったカード: {names}"), format!("The cards found: {names}"));
        if self.is_thumbnail {
            text.push_str(&desk.say(
                "\n画像を合成するツール（compose_thumbnail）はいま利用できないため、イラストだけをお見せします。",
                "\nThe tool that composes a picture (compose_thumbnail) is not on offer now, so these are the illustrations only.",
            ));
        }
        if let Some((_, failure)) = failure(answered) {
            text = format!("{text}\n{}", say::failed(desk, failure));
        }
        pictures.truncate(NAMES_MAX * CARDS_MAX);
        desk.answer(text, pictures)
    }

    fn compose(&self, desk: &mut Desk<'_>) -> Decision {
        let cards: Vec<_> = self.found.iter().take(CARDS_MAX).collect();
        let mut arguments = json!({ "cards": cards });
        if let Some(title) = &self.title {
            arguments["title"] = title.as_str().into();
        }
        if self.is_versus && desk.takes(COMPOSE, "style") {
            arguments["style"] = "versus".into();
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
        desk.answer(text, pictures.into_iter().map(Part::image).collect())
    }
}
