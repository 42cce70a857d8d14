//! The plan for card illustrations: which to fetch, and the thumbnail to compose.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use language::{
    clock::SPELLED,
    context::{TurnContext, failure, submitted},
    message::{Image, Part, images_of},
    say,
    scan::{distance, folded, marks},
    turn::{Answered, Decision, ToolResult},
};

use super::catalogue::{card_of, name_in, samples, theme_names};

pub(super) const CARD: &str = "get_card_illustration";
pub(super) const THEME: &str = "get_theme_illustrations";
/// The member of a result's `_meta` with the name of the found card.
const CARD_NAME: &str = "illustrations/cardName";
pub(super) const COMPOSE: &str = "compose_thumbnail";
/// Maximum number of names in a sentence.
pub(super) const NAMES_MAX: usize = 8;
/// Maximum number of cards on a thumbnail.
pub(super) const CARDS_MAX: usize = 5;
/// Maximum number of suggested themes.
const SUGGESTED_MAX: usize = 4;
/// Number of cards of each theme where two are opponents.
pub(super) const EACH_OF_TWO: u32 = 2;
pub(super) const TITLE_MAX: usize = 60;
/// Layouts and the phrases for them.
pub(super) const STYLES: &[(&str, &str)] = &[
    (
        "spotlight",
        "スポットライト|主役|真ん中に大き|中央に大き|センターに|ど真ん中|spotlight|front and center|front and centre|the star of",
    ),
    (
        "spread",
        "横並び|横に並|並べて|並べた|並んだ|ずらっと|扇|side by side|side-by-side|in a row|in a line|next to each other|next to one another|a fan of|fan of|fanned out|fanned|spread",
    ),
    ("versus", "versus style|versus layout|対決風|対戦風|対戦形式|vs風|vs形式"),
];
/// Limit for all cards of a theme.
const ALL: u32 = 20;
/// A requested card or theme.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    pub(super) is_theme: bool,
    pub(super) name: String,
    /// Whether it is searched as the other kind, because it was not found.
    pub(super) is_second: bool,
    /// The limit of this theme, where each has its own.
    pub(super) limit: Option<u32>,
    pub(super) is_found: bool,
    /// The found cards.
    pub(super) cards: Vec<String>,
    /// The original text, where a similar name was taken.
    pub(super) written: Option<String>,
}

impl Wanted {
    pub(super) fn new(is_theme: bool, name: String) -> Self {
        Self { is_theme, name, ..Self::default() }
    }

    /// Resets it for another search.
    pub(super) fn reset(self) -> Self {
        Self { is_second: self.written.is_some(), is_found: false, ..self }
    }
}

/// Formats names of cards in the language of the answer.
pub(super) fn shown(names: &[String], context: &TurnContext<'_>) -> String {
    let name = |name: &String| match card_of(name) {
        Some(card) => context.language.pick(card.japanese, card.english).to_owned(),
        None => name.clone(),
    };
    let separator = if names.iter().any(|it| name(it).contains(", ")) { "; " } else { ", " };
    let names: Vec<_> = names.iter().map(name).collect();
    names.join(context.language.pick("、", separator))
}

/// Divides the room on a thumbnail between lists. Returns the number of cards of each.
fn shares(lists: Vec<usize>) -> Vec<usize> {
    if lists.iter().sum::<usize>() <= CARDS_MAX || lists.len() < 2 {
        return lists;
    }
    let mut shares = vec![0; lists.len()];
    let mut left = CARDS_MAX;
    while left > 0 {
        for (share, has) in shares.iter_mut().zip(&lists) {
            if *share < *has && left > 0 {
                (*share, left) = (*share + 1, left - 1);
            }
        }
    }
    shares
}

/// A request for illustrations.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cards {
    pub(super) wanted: Vec<Wanted>,
    pub(super) limit: Option<u32>,
    pub(super) is_thumbnail: bool,
    /// Whether there are two opponents.
    pub(super) is_versus: bool,
    pub(super) title: Option<String>,
    /// The layout, where the sentence has one.
    pub(super) style: Option<String>,
    /// Whether all cards of a theme are requested.
    pub(super) is_all: bool,
    /// Whether only the last cards of a theme are requested.
    pub(super) is_last: bool,
    /// Whether it asks for the number of cards.
    pub(super) counts: bool,
    pub(super) subtitle: Option<String>,
    /// Names of the found cards.
    pub(super) found: Vec<String>,
    /// Names of the cards from which those of the picture were picked.
    pub(super) listed: Vec<String>,
    /// The mood in the sentence, and the theme taken for it.
    pub(super) mood: Option<(String, String)>,
    /// Words for moods.
    pub(super) moods: Vec<String>,
    /// The theme for the picture's colours.
    pub(super) ground: Option<String>,
    /// Excluded cards, by their Japanese names.
    pub(super) excluded: Vec<String>,
    /// Whether themes are excluded as well.
    pub(super) leaves_out: bool,
    /// Whether the picture has no text.
    pub(super) has_no_text: bool,
    /// The cards' names in the sentence.
    pub(super) words: Vec<String>,
    /// Whether only a name shows that it is about cards.
    pub(super) is_looked_for: bool,
    /// Whether it recomposes the cards of the picture before, without fetching.
    pub(super) is_arranged: bool,
    /// Whether any cards will do.
    pub(super) is_random: bool,
    /// The request before this one, for taking it back.
    pub(super) before: Option<Box<Self>>,
}

/// Returns the only one of `suggestions` that matches `name` with up to two typos.
pub(super) fn near(name: &str, suggestions: Option<&Value>) -> Option<String> {
    let own = folded(name);
    let most = match own.len() {
        0..3 => return None,
        3..7 => 1,
        _ => 2,
    };
    let names = suggestions?.as_array()?.iter().filter_map(Value::as_str);
    let mut near = names.filter(|it| distance(&folded(it), &own) <= most);
    near.next().filter(|_| near.next().is_none()).map(str::to_owned)
}

impl Cards {
    /// Creates the request for a sentence that is only a name, which may belong to another family.
    pub(super) fn from_name(name: &str) -> Self {
        Self {
            is_looked_for: true,
            wanted: vec![Wanted { is_second: true, ..Wanted::new(false, name.to_owned()) }],
            ..Self::default()
        }
    }

    /// Returns it with the request that it follows.
    pub(super) fn behind(self, before: Option<&Self>) -> Self {
        let before = before.map(|it| Box::new(Self { before: None, ..it.clone() }));
        Self { before, ..self }
    }

    /// Returns the request before this one, to be made again; this one is then the one before.
    pub(super) fn undone(&self) -> Option<Self> {
        let before = (**self.before.as_ref()?).clone();
        let wanted = before.wanted.iter().cloned().map(Wanted::reset).collect();
        let is_arranged = before.is_thumbnail && !before.found.is_empty();
        Some(Self { wanted, is_arranged, ..before }.behind(Some(self)))
    }

    /// Creates the request for a name that is a list: `レオンとファルコ`, `mimi and yuki`.
    pub(super) fn from_list(names: &str) -> Option<Self> {
        let parts = names.split("と").flat_map(|it| it.split(" and ")).map(str::trim);
        let parts: Vec<_> = parts.collect();
        let is_list = (2..=NAMES_MAX).contains(&parts.len())
            && parts.iter().all(|it| it.chars().count() > 1 && !it.contains('の'));
        let mut cards = Self::from_name(parts[0]);
        let rest = parts.iter().skip(1).map(|it| Wanted::new(false, (*it).to_owned()));
        cards.wanted.extend(rest);
        is_list.then_some(cards)
    }

    /// Returns the words of the sentence that it uses beyond the vocabulary.
    pub(super) fn used_words(&self) -> Vec<String> {
        const LINE: &str =
            "副題|サブタイトル|サブ|subtitle|tagline|small|smaller|underneath|below|小";
        const GROUND: &str =
            "背景|バック|colours|colors|palette|tones|background|backdrop|色に|色|colour|color";
        const TEXT: &str = "writing|whatsoever|letters|lettering|at all";
        const LEFT_OUT: &str = "except|excluding|skip|minus|leave|besides|aside|apart|抜き|除|外";
        const HINTS: &str = "max|maximum|ドーン|reads|大きく|大きめ|でかく|big|large|middle|真ん中|中央|center|centre|single|layout|style|belong|belongs|どーん|バーン|横に|左側|右側|左|右|left|right|against|alone|draw|fan|collection|collections|set|lemme|pictured|勢揃い|全員|ぜんぶ|入り|card's|in total";
        let words = |is_used: bool, words: &'static str| marks(words).filter(move |_| is_used);
        let line = words(self.subtitle.is_some(), LINE);
        let ground = words(self.ground.is_some(), GROUND);
        let text = words(self.has_no_text, TEXT).chain(marks(HINTS));
        let text = text.chain(words(!self.excluded.is_empty(), LEFT_OUT));
        let style = STYLES.iter().filter(|it| self.style.as_deref() == Some(it.0));
        let style = style.flat_map(|it| marks(it.1));
        let words = line.chain(ground).chain(text).chain(style).map(str::to_owned);
        // Each theme may have a number of its own.
        let counts = || self.limit.into_iter().chain(self.wanted.iter().filter_map(|it| it.limit));
        let spelled = counts().filter_map(|it| marks(SPELLED).nth(it as usize));
        let more = self.moods.iter().chain(&self.title).chain(&self.subtitle).chain(&self.words);
        self.wanted
            .iter()
            .map(|it| it.name.clone())
            .chain(more.cloned())
            .chain(spelled.map(str::to_owned))
            .chain(counts().map(|it| it.to_string()))
            .chain(words)
            .collect()
    }

    /// Whether a card or theme is named.
    pub(super) fn is_named(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Whether it handles negations: excluded cards, a picture without text.
    pub(super) fn handles_denial(&self) -> bool {
        self.has_no_text || self.leaves_out || !self.excluded.is_empty()
    }

    /// Takes the values of a submitted form.
    pub(super) fn fill(&mut self, values: &Map<String, Value>) {
        let Some(name) = values.get("theme").and_then(Value::as_str).map(str::trim) else { return };
        if !name.is_empty() {
            let name = name.chars().take(TITLE_MAX).collect();
            self.wanted = vec![Wanted::new(true, name)];
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
        if self.wanted.is_empty() {
            return self.ask(context);
        }
        // `もう一回`: what is found already is shown once more.
        if answered.is_empty() && !self.is_arranged && self.wanted.iter().all(|it| it.is_found) {
            self.is_arranged = self.is_thumbnail && !self.found.is_empty();
            self.wanted = std::mem::take(&mut self.wanted).into_iter().map(Wanted::reset).collect();
        }
        if std::mem::take(&mut self.is_arranged) && context.has(COMPOSE) {
            return self.compose(context);
        }
        if let Some(answered) = answered.iter().find(|answered| answered.call.name == COMPOSE) {
            return self.composed(context, answered);
        }
        if !answered.iter().any(|it| [CARD, THEME].contains(&it.call.name.as_str())) {
            return self.fetch(context);
        }
        self.fetched(context, answered)
    }

    fn ask(&self, context: &mut TurnContext<'_>) -> Decision {
        let mut themes = theme_names(context.language);
        themes.truncate(SUGGESTED_MAX);
        let (sample, _) = samples(context.language);
        let form = json!({
            "title": context.say("どのカードにしますか？", "Which cards?"),
            "fields": [{
                "name": "theme", "type": "text", "required": true,
                "label": context.say("テーマまたはカードの名前", "Theme or card"),
                "suggestions": themes,
            }],
        });
        let reason = context.say("テーマもカードの名前もないため", "No theme and no card is named");
        let text = context.say(
            format!("テーマかカードの名前を教えてください。例:「{sample}のカード」"),
            format!("Please name a theme or a card, such as \"{sample}\"."),
        );
        context.ask(form, reason, text)
    }

    /// Calls the tools for all requested cards and themes at once.
    fn fetch(&mut self, context: &mut TurnContext<'_>) -> Decision {
        let mut calls = Vec::new();
        for card in self.wanted.clone().into_iter().filter(|card| !card.is_found) {
            let is_theme = card.is_theme && context.has(THEME) || !context.has(CARD);
            let name = &card.name;
            calls.push(if is_theme {
                let mut arguments = json!({ "theme": name });
                let is_cut = self.is_last || !self.excluded.is_empty();
                let is_all = self.is_all || is_cut;
                let limit = card.limit.or(self.limit).filter(|_| !is_cut);
                if let Some(limit) = limit.or(is_all.then_some(ALL)) {
                    arguments["limit"] = limit.into();
                }
                let reason = context.say(
                    format!("テーマ「{name}」のカードを参照するため"),
                    format!("To see the cards of the theme {name}"),
                );
                context.call(THEME, arguments, reason)
            } else {
                let reason = context.say(
                    format!("カード「{name}」のイラストを参照するため"),
                    format!("To see the illustration of {name}"),
                );
                context.call(CARD, json!({ "card_name": name }), reason)
            });
        }
        Decision::Call(calls)
    }

    fn fetched(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        let (mut pictures, mut seen) = (Vec::new(), Vec::<String>::new());
        for search in answered {
            let ToolResult::Output { structured, content, meta } = &search.result else { continue };
            let names = structured["illustrations"].as_array().into_iter().flatten();
            let names = names.filter_map(|it| it["card_name"].as_str());
            let mut names: Vec<_> = names.map(str::to_owned).collect();
            if search.call.name == CARD {
                let asked = search.call.arguments.get("card_name").and_then(Value::as_str);
                let own = structured["card_name"].as_str().or(meta[CARD_NAME].as_str());
                names.extend(own.or(asked).map(str::to_owned));
            }
            let images: Vec<_> = images_of(content).cloned().map(Part::image).collect();
            let is_kept = |it: &String| !self.excluded.contains(it);
            if images.len() == names.len() {
                let is_new = |it: &String| is_kept(it) && !seen.contains(it);
                let both = names.iter().zip(images).filter(|it| is_new(it.0));
                pictures.extend(both.map(|it| it.1));
            } else {
                pictures.extend(images);
            }
            seen.extend(names.iter().cloned());
            let cards = names.into_iter().filter(is_kept);
            let name = ["card_name", "theme"]
                .iter()
                .find_map(|key| search.call.arguments.get(*key)?.as_str());
            if let Some(search) =
                self.wanted.iter_mut().find(|card| Some(card.name.as_str()) == name)
            {
                search.cards = cards.collect();
            }
        }
        // A card named besides its theme is there once.
        let single = self.wanted.iter().filter(|it| !it.is_theme).flat_map(|it| it.cards.clone());
        let single: Vec<String> = single.collect();
        for theme in self.wanted.iter_mut().filter(|theme| theme.is_theme) {
            theme.cards.retain(|card| !single.contains(card));
        }
        // In the order of their names, independent of the search.
        self.found = self.wanted.iter().flat_map(|it| it.cards.iter().cloned()).collect();
        // Says which cards are left out because the picture is full.
        let most = self.limit.unwrap_or_default() as usize;
        let is_told = self.is_all || most.max(self.wanted.len()) > CARDS_MAX;
        if self.is_thumbnail && !is_told {
            let shares = shares(self.wanted.iter().map(|it| it.cards.len()).collect());
            let each = self.wanted.iter().zip(shares);
            self.found =
                each.flat_map(|(it, share)| it.cards.iter().take(share).cloned()).collect();
        }
        if let Some(limit) = self.limit.filter(|_| !self.excluded.is_empty()) {
            self.found.truncate(limit as usize);
            pictures.truncate(limit as usize);
        }
        if self.is_last {
            let last = self.limit.unwrap_or(1) as usize;
            self.found.drain(..self.found.len().saturating_sub(last));
            pictures.drain(..pictures.len().saturating_sub(last));
        }
        // Found pictures are shown; a thumbnail has its own.
        let is_tried_again = pictures.is_empty() || self.is_thumbnail;
        if is_tried_again && context.has(CARD) && context.has(THEME) && self.prepare_retry(answered)
        {
            return self.fetch(context);
        }
        if let Some((_, failure)) = failure(answered).filter(|_| self.found.is_empty()) {
            // An unknown name may belong to another family.
            context.is_given_up |= self.is_looked_for && failure.status == 404;
            return context.conclude(match failure.status {
                404 => self.not_found_text(context, answered),
                _ => say::failed(context, failure),
            });
        }
        // A picture that lacks a card is not the requested one.
        let is_short = self.is_thumbnail && failure(answered).is_some_and(|it| it.1.status == 404);
        if is_short {
            let names = shown(&self.found, context);
            let unknown = self.not_found_text(context, answered);
            return context.conclude(context.say(
                format!("{unknown}見つかったのは {names} だけなので、サムネイルは作っていません。"),
                format!("{unknown} Only {names} was found, so no thumbnail was made."),
            ));
        }
        if self.is_thumbnail && context.has(COMPOSE) && !self.found.is_empty() {
            return self.compose(context);
        }
        let (names, count) = (shown(&self.found, context), self.found.len());
        let mut head =
            context.say(format!("見つかったカード: {names}"), format!("The cards found: {names}"));
        if self.counts {
            let many = context.say(format!("{count}枚あります。"), format!("There are {count}. "));
            head = format!("{many}{head}");
        }
        let mut text = format!("{}{head}", self.assumptions(context));
        // Of one theme, fewer than the number asked for.
        if let ([theme], Some(limit)) = (&self.wanted[..], self.limit)
            && theme.is_theme
            && count < limit as usize
        {
            text.push_str(&context.say(
                format!("\n{limit}枚のうち、見つかったのは{count}枚です。"),
                format!("\nOf the {limit} asked for, {count} were found."),
            ));
        }
        if self.is_thumbnail {
            text.push_str(&context.say(
                "\n画像を合成するツール（compose_thumbnail）はいま利用できないため、イラストだけをお見せします。",
                "\nThe tool that composes a picture (compose_thumbnail) is not on offer now, so these are the illustrations only.",
            ));
        }
        if let Some((_, failure)) = failure(answered) {
            let missing = match failure.status {
                404 => self.not_found_text(context, answered),
                _ => say::failed(context, failure),
            };
            text = format!("{text}\n{missing}");
        }
        pictures.truncate(NAMES_MAX * CARDS_MAX);
        context.answer(text, pictures)
    }

    /// Prepares another search for what was not found: themes as cards and the other way round, and similar names for
    /// typos. Returns whether there is anything to search.
    fn prepare_retry(&mut self, answered: &[Answered]) -> bool {
        let mut is_any = false;
        for search in answered {
            let name = ["card_name", "theme"]
                .iter()
                .find_map(|key| search.call.arguments.get(*key)?.as_str());
            let wanted = self.wanted.iter_mut().find(|it| Some(it.name.as_str()) == name);
            let Some(wanted) = wanted else { continue };
            let failure = match &search.result {
                ToolResult::Failed(failure) => failure,
                ToolResult::Output { .. } => {
                    wanted.is_found = true;
                    continue;
                }
            };
            let near = near(&wanted.name, failure.data.get("suggestions"));
            if let Some(near) = near.filter(|_| wanted.written.is_none()) {
                wanted.written = Some(std::mem::replace(&mut wanted.name, near));
                (wanted.is_theme, wanted.is_second) = (search.call.name == THEME, true);
                is_any = true;
            } else if failure.status == 404 && !wanted.is_second {
                (wanted.is_theme, wanted.is_second) = (!wanted.is_theme, true);
                is_any = true;
            }
        }
        is_any
    }

    /// Says which names were taken for typos and moods.
    fn assumptions(&self, context: &TurnContext<'_>) -> String {
        let near = self.wanted.iter().filter_map(|it| Some((it.written.clone()?, it.name.clone())));
        let notes = near.chain(self.mood.clone()).map(|(written, name)| {
            context.say(
                format!("「{written}」は「{name}」と受け取りました。\n"),
                format!("I took \"{written}\" for {name}.\n"),
            )
        });
        notes.collect()
    }

    /// Says which names were not found, with similar ones.
    fn not_found_text(&self, context: &TurnContext<'_>, answered: &[Answered]) -> String {
        let (mut names, mut near) = (Vec::<String>::new(), Vec::<String>::new());
        for search in answered {
            let ToolResult::Failed(failure) = &search.result else { continue };
            let name = ["card_name", "theme"]
                .iter()
                .find_map(|key| search.call.arguments.get(*key)?.as_str());
            names.extend(name.map(str::to_owned).filter(|it| !names.contains(it)));
            let close = failure.data.get("suggestions").and_then(Value::as_array);
            near.extend(
                close.into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)),
            );
        }
        near.dedup();
        near.truncate(5);
        let near: Vec<_> = near.iter().map(|it| name_in(it, context.language)).collect();
        let quoted: Vec<_> =
            names.iter().map(|it| context.say(format!("「{it}」"), format!("\"{it}\""))).collect();
        let (names, list) = (
            quoted.join(context.language.pick("、", ", ")),
            near.join(context.language.pick("、", ", ")),
        );
        let close = match near.is_empty() {
            true => context.say(
                " 名前を確かめて、もう一度書いてください。",
                " Check the name and write it again.",
            ),
            false => context.say(format!("近い名前: {list}。"), format!(" Close names: {list}.")),
        };
        // A name that may belong to another family was searched among cards only.
        match self.is_looked_for {
            true => context.say(
                format!("{names}というカードは見つかりませんでした。{close}"),
                format!("There is no card called {names}.{close}"),
            ),
            false => context.say(
                format!("{names}というカードもテーマも見つかりませんでした。{close}"),
                format!("There is no card and no theme called {names}.{close}"),
            ),
        }
    }

    fn compose(&self, context: &mut TurnContext<'_>) -> Decision {
        let cards: Vec<_> = self.found.iter().take(CARDS_MAX).collect();
        let mut arguments = json!({ "cards": cards });
        if let Some(title) = &self.title {
            arguments["title"] = title.as_str().into();
        }
        if let Some(line) = self.subtitle.as_ref().filter(|_| context.takes(COMPOSE, "subtitle")) {
            arguments["subtitle"] = line.as_str().into();
        }
        let style = self.style.as_deref().or(self.is_versus.then_some("versus"));
        if let Some(style) = style.filter(|_| context.takes(COMPOSE, "style")) {
            arguments["style"] = style.into();
        }
        if let Some(ground) = self.ground.as_ref().filter(|_| context.takes(COMPOSE, "theme")) {
            arguments["theme"] = ground.as_str().into();
        }
        let reason = context.say(
            "取得したイラストをサムネイルに並べるため",
            "To lay the illustrations out as a thumbnail",
        );
        context.only(COMPOSE, arguments, reason)
    }

    fn composed(&self, context: &TurnContext<'_>, answered: &Answered) -> Decision {
        let (structured, content) = match &answered.result {
            ToolResult::Failed(failure) => return context.conclude(say::failed(context, failure)),
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
        let list = shown(&cards, context);
        let text = match &self.title {
            Some(title) => context.say(
                format!("「{title}」のサムネイルを作りました。カード: {list}"),
                format!("Here is the thumbnail \"{title}\" with {list}."),
            ),
            None => context.say(
                format!("サムネイルを作りました。カード: {list}"),
                format!("Here is the thumbnail with {list}."),
            ),
        };
        let mut text = format!("{}{text}", self.assumptions(context));
        // The picture is full.
        let most = self.limit.unwrap_or_default() as usize;
        let left: Vec<_> = self.found.iter().skip(CARDS_MAX).cloned().collect();
        if (self.is_all || most.max(self.wanted.len()) > CARDS_MAX) && !left.is_empty() {
            let left = left.join(context.language.pick("、", ", "));
            text.push_str(&context.say(
                format!(
                    "\n1枚のサムネイルに載るのは{CARDS_MAX}枚までなので、{left}は入れていません。"
                ),
                format!("\nA thumbnail takes at most {CARDS_MAX} cards, so {left} was left out."),
            ));
        }
        if let Some(ground) = self.ground.as_ref().filter(|_| !context.takes(COMPOSE, "theme")) {
            text.push_str(&context.say(
                format!("\n背景の色（{ground}）は選べません。"),
                format!("\nThe background ({ground}) cannot be chosen."),
            ));
        }
        context.answer(text, pictures.into_iter().map(Part::image).collect())
    }
}
