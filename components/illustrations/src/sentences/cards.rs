//! Card illustrations: which are fetched for a sentence, and the picture that is composed of them.

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

use super::{
    catalogue::card_of,
    themes::{name_in, samples, theme_names},
};

pub(super) const CARD: &str = "get_card_illustration";
pub(super) const THEME: &str = "get_theme_illustrations";
/// The member of a result's `_meta` that names the card that was found.
const CARD_NAME: &str = "illustrations/cardName";
pub(super) const COMPOSE: &str = "compose_thumbnail";
/// Names that one sentence may have.
pub(super) const NAMES_MAX: usize = 8;
/// Cards on one thumbnail, and of each theme where two are matched.
pub(super) const CARDS_MAX: usize = 5;
/// Themes that are suggested where none is named.
const SUGGESTED_MAX: usize = 4;
pub(super) const EACH_OF_TWO: u32 = 2;
pub(super) const TITLE_MAX: usize = 60;
/// How cards are laid out, and the words for it.
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
/// As many as all cards of a theme: no more are asked for at once.
const ALL: u32 = 20;
/// A card or a theme that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    pub(super) is_theme: bool,
    pub(super) name: String,
    /// Whether it was asked for the other way round, since it was not found.
    pub(super) is_second: bool,
    /// How many of a theme's cards, where each theme has its own number.
    pub(super) limit: Option<u32>,
    pub(super) is_found: bool,
    /// The cards that were found for it.
    pub(super) cards: Vec<String>,
    /// What was written, where a name that is near it was taken.
    pub(super) written: Option<String>,
}

impl Wanted {
    pub(super) fn new(is_theme: bool, name: String) -> Self {
        Self { is_theme, name, ..Self::default() }
    }

    /// The same, to be asked for once more.
    pub(super) fn anew(self) -> Self {
        Self { is_second: self.written.is_some(), is_found: false, ..self }
    }
}

/// Names of cards, in the language of the answer where they are known.
pub(super) fn shown(names: &[String], context: &TurnContext<'_>) -> String {
    let name = |name: &String| match card_of(name) {
        Some(card) => context.language.pick(card.japanese, card.english).to_owned(),
        None => name.clone(),
    };
    let separator = if names.iter().any(|it| name(it).contains(", ")) { "; " } else { ", " };
    let names: Vec<_> = names.iter().map(name).collect();
    names.join(context.language.pick("、", separator))
}

/// How many of each list go on one thumbnail, so that each has its part; all where there is room.
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

/// Illustrations that are asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cards {
    pub(super) wanted: Vec<Wanted>,
    pub(super) limit: Option<u32>,
    pub(super) is_thumbnail: bool,
    /// Whether two sides are matched.
    pub(super) is_versus: bool,
    pub(super) title: Option<String>,
    /// How they are laid out, where the sentence has it.
    pub(super) style: Option<String>,
    /// Whether all cards of a theme are asked for.
    pub(super) is_all: bool,
    /// Whether it is asked how many there are.
    pub(super) counts: bool,
    pub(super) subtitle: Option<String>,
    /// The cards that were found, by name.
    pub(super) found: Vec<String>,
    /// The cards that those of the picture were picked from.
    pub(super) listed: Vec<String>,
    /// The mood that the sentence names, and the theme that is taken for it.
    pub(super) mood: Option<(String, String)>,
    /// The words for moods that the cards have.
    pub(super) moods: Vec<String>,
    /// The theme whose colours the picture is to have.
    pub(super) ground: Option<String>,
    /// Cards that are left out, by their names in Japanese.
    pub(super) excluded: Vec<String>,
    /// Whether themes are left out as well.
    pub(super) leaves_out: bool,
    /// Whether nothing is to be written on the picture.
    pub(super) has_no_text: bool,
    /// What the cards were called in the sentence.
    pub(super) words: Vec<String>,
    /// Whether nothing but a name says that it is about cards.
    pub(super) is_looked_for: bool,
    /// Cards that are no longer fetched: those of the picture before, arranged anew.
    pub(super) is_arranged: bool,
}

/// The one name among `suggestions` that `name` is with a slip or two.
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
    /// Cards by these names, shown, or those of another family.
    pub(super) fn of_name(name: &str) -> Self {
        Self {
            is_looked_for: true,
            wanted: vec![Wanted { is_second: true, ..Wanted::new(false, name.to_owned()) }],
            ..Self::default()
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
        const LINE: &str =
            "副題|サブタイトル|サブ|subtitle|tagline|small|smaller|underneath|below|小";
        const GROUND: &str =
            "背景|バック|colours|colors|palette|tones|background|backdrop|色に|色|colour|color";
        const TEXT: &str = "writing|whatsoever|letters|lettering|at all";
        const LEFT_OUT: &str = "except|excluding|skip|minus|leave|besides|aside|apart|抜き|除|外";
        const HINTS: &str = "ドーン|reads|大きく|大きめ|でかく|big|large|middle|真ん中|中央|center|centre|single|layout|style|belong|belongs|どーん|バーン|横に|左側|右側|左|右|left|right|against|alone|draw|fan|collection|collections|set|lemme|pictured|勢揃い|全員|ぜんぶ|入り|card's|in total";
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

    /// Whether something is named that it is about.
    pub(super) fn is_named(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Whether it follows what the sentence denies: cards that are left out, a picture without words.
    pub(super) fn obeys(&self) -> bool {
        self.has_no_text || self.leaves_out || !self.excluded.is_empty()
    }

    /// Takes in what a form brought.
    pub(super) fn filled(&mut self, values: &Map<String, Value>) {
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
            self.filled(values);
        }
        if self.wanted.is_empty() {
            return self.ask(context);
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

    /// The calls for all that is wanted, at once.
    fn fetch(&mut self, context: &mut TurnContext<'_>) -> Decision {
        let mut calls = Vec::new();
        for card in self.wanted.clone().into_iter().filter(|card| !card.is_found) {
            let is_theme = card.is_theme && context.has(THEME) || !context.has(CARD);
            let name = &card.name;
            calls.push(if is_theme {
                let mut arguments = json!({ "theme": name });
                let is_all = self.is_all || !self.excluded.is_empty();
                let limit = card.limit.or(self.limit).filter(|_| self.excluded.is_empty());
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
        // A card that is named beside its theme is there once.
        let single = self.wanted.iter().filter(|it| !it.is_theme).flat_map(|it| it.cards.clone());
        let single: Vec<String> = single.collect();
        for theme in self.wanted.iter_mut().filter(|theme| theme.is_theme) {
            theme.cards.retain(|card| !single.contains(card));
        }
        // In the order in which they were named, whichever was found first.
        self.found = self.wanted.iter().flat_map(|it| it.cards.iter().cloned()).collect();
        // What is left out of more than a picture takes is told.
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
        // Pictures that came are shown; a thumbnail has its own.
        let is_tried_again = pictures.is_empty() || self.is_thumbnail;
        if is_tried_again && context.has(CARD) && context.has(THEME) && self.turned(answered) {
            return self.fetch(context);
        }
        if let Some((_, failure)) = failure(answered).filter(|_| self.found.is_empty()) {
            // What is no card may be another family's.
            context.is_given_up |= self.is_looked_for && failure.status == 404;
            return context.conclude(match failure.status {
                404 => self.unknown(context, answered),
                _ => say::failed(context, failure),
            });
        }
        // A picture with a card left out is not the one that was asked for.
        let is_short = self.is_thumbnail && failure(answered).is_some_and(|it| it.1.status == 404);
        if is_short {
            let names = shown(&self.found, context);
            let unknown = self.unknown(context, answered);
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
        let mut text = format!("{}{head}", self.taken(context));
        if self.is_thumbnail {
            text.push_str(&context.say(
                "\n画像を合成するツール（compose_thumbnail）はいま利用できないため、イラストだけをお見せします。",
                "\nThe tool that composes a picture (compose_thumbnail) is not on offer now, so these are the illustrations only.",
            ));
        }
        if let Some((_, failure)) = failure(answered) {
            let missing = match failure.status {
                404 => self.unknown(context, answered),
                _ => say::failed(context, failure),
            };
            text = format!("{text}\n{missing}");
        }
        pictures.truncate(NAMES_MAX * CARDS_MAX);
        context.answer(text, pictures)
    }

    /// What was not found is asked for in another way: what is no theme may be a card and the other way
    /// round, and a slip or two in a name leave it known. Whether there is anything to ask for.
    fn turned(&mut self, answered: &[Answered]) -> bool {
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

    /// What was taken for what was written, as text.
    fn taken(&self, context: &TurnContext<'_>) -> String {
        let near = self.wanted.iter().filter_map(|it| Some((it.written.clone()?, it.name.clone())));
        let notes = near.chain(self.mood.clone()).map(|(written, name)| {
            context.say(
                format!("「{written}」は「{name}」と受け取りました。\n"),
                format!("I took \"{written}\" for {name}.\n"),
            )
        });
        notes.collect()
    }

    /// The names that nothing was found for, and those that come near.
    fn unknown(&self, context: &TurnContext<'_>, answered: &[Answered]) -> String {
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
        // A name that may be another family's was looked for among the cards alone.
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
        let mut text = format!("{}{text}", self.taken(context));
        // More than a picture takes were asked for.
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
