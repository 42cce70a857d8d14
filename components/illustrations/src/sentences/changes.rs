//! Changes to a composed picture or to shown cards: title, order, added and removed cards.

use language::{
    Language, clock::is_numeral, context::TurnContext, coverage, scan::marks, small_talk::Manner,
    utterance::Piece, words::Word,
};

use super::{
    cards::{CARDS_MAX, Cards, NAMES_MAX, STYLES, TITLE_MAX, Wanted, shown},
    catalogue::{Card, Theme, card_of, known_names},
    request::{any_cards, cards_in, count, is_named_as, placed},
    rules::{self, Goal},
    sentence::{Sentence, leaves_out, pick},
    wording::{Place, bare, has_no_subtitle, has_no_text, is_excluded, is_ground, subtitle, title},
};

const SWAPPED: &str = "左右を逆|左右逆|左右を入れ|左右入れ|左右を反|左右反|並びを逆|順番を逆|逆の並び|逆の順|逆にして|入れ替え|入れかえ|other way round|other way around|swap sides|switch sides|swap them|switch them|swap the sides|swap the two|swap left and right|swap places|switch places|reverse the order|reverse them|reverse it|flip the order|flip them|flip it|flip the sides|opposite order|mirror it";
const EXCHANGED: &str = "swap|switch|exchange|入れ替|入れかえ|いれかえ";
pub(super) const ONLY: &str = "だけ|のみ|only|just";
const ADDED: &str = "追加|足し|加え|も入れ|も載せ|も並べ|もお願い|も出し|も欲し|もほし|add|also|too|as well|include|put in|plus|throw in";
/// Phrases that add cards to those shown before.
const PUT_BESIDE: &str = "追加|足して|足し|加えて|add|throw in";
pub(super) const REPLACED: &str = "差し替|差替|替えて|変えて|換えて|チェンジ|代わり|かわり|の方に|replace|swap|switch|change|exchange|instead";
/// Phrases that replace all cards of a picture.
const INSTEAD: &str = "やっぱり|やはり|やっぱ|じゃなくて|ではなく|代わりに|かわりに|に変え|にかえ|に変更|instead|actually|rather|no, |change it to|change that to|switch to";
/// Phrases that ask for more cards.
const MORE: &str =
    "more card|more cards|another card|another one|a few more|もう数枚|枚追加|枚足し|枚加え|枚増や";
/// Phrases that ask which cards a picture has.
const ON_IT: &str = "did you use|have you used|you used|did you put|are on it|are in it|is on it|is in it|are on the|are in the|どのカードを使|どのカード使|何のカードを使|何のカード使|カードは何を使|使ったカード|使われて|使われた|載ってるカード|載っているカード|載ってるの|入ってるカード";
/// Words about pictures without a meaning of their own.
const AROUND: &str = "change|crowded|use|keep|lose|remove|drop|swap|switch|flip|reverse|order|sides|instead|add|include|replace|exchange|background|backdrop|original|previous|元|戻|版|逆|左右|左|右|追加|代|差|替|換|抜|除|外|加|足|減|増|順番|並|背景|反対|消";

/// Whether `utterance` asks for more cards: by a phrase, or by a number of them, such as `three more` and `もう3枚`.
pub(super) fn asks_more(utterance: &Sentence) -> bool {
    const NUMBERED: &str = "もう|あと|さらに|追加で";
    let is_numbered = || {
        let text: String = utterance.lower.iter().collect();
        marks(NUMBERED).any(|lead| {
            text.match_indices(lead).any(|(at, _)| {
                let rest = &text[at + lead.len()..];
                let behind = rest.trim_start_matches(is_numeral);
                behind.len() < rest.len() && behind.starts_with('枚')
            })
        })
    };
    let is_more = || utterance.says("more|another") && count(utterance).is_some();
    utterance.says(MORE) || is_more() || is_numbered()
}

/// Whether the two themes of a change are those of the background.
fn is_about_ground(utterance: &Sentence, [one, other]: [&Piece; 2]) -> bool {
    const FROM: &str = "background from|background color from|background colour from|backdrop from|backdrop color from|backdrop colour from";
    let before: String = utterance.lower[..one.from].iter().collect();
    let before = before.trim_end();
    let before = before.strip_suffix(" the").unwrap_or(before);
    marks(FROM).any(|it| before.ends_with(it))
        || is_ground(utterance, one)
        || is_ground(utterance, other)
}

/// Whether the second theme takes the place of the first: `from azure to crimson`, not `crimson instead of azure`.
fn is_exchange(utterance: &Sentence, [one, other]: [&Piece; 2]) -> bool {
    const JOINTS: &str = " to| with| for|から|背景を|背景から|バックを";
    let between: String = utterance.lower[one.to..other.from].iter().collect();
    let between = between.trim_end();
    let between =
        [" the", " a"].iter().fold(between, |it, tail| it.strip_suffix(tail).unwrap_or(it));
    marks(JOINTS).any(|it| between.ends_with(it))
}

/// Phrases that exchange the places of two.
pub(super) const PLACES: &str =
    "入れ替え|入れかえ|いれかえ|swap places|switch places|swap the places";

/// Whether one of two themes takes the place of the other: `swap azure for crimson`, `青を緑に`.
pub(super) fn trades(utterance: &Sentence, [one, other]: [&Piece; 2]) -> bool {
    let between: String = utterance.lower[one.to..other.from].iter().collect();
    let is_into = between.trim_end_matches("い").ends_with('を')
        && (utterance.is_at("に", other.to) || utterance.is_at("いのに", other.to));
    is_into || utterance.says(REPLACED) || utterance.says(PLACES)
}

/// Number of cards that are exchanged: `swap one for a red one`, `2枚を赤に変えて`.
pub(super) fn traded(utterance: &Sentence) -> Option<u32> {
    const ONE: &str = "one for|one of them for|one of those for|one with|one of them with|a card for|one card for|one to|1枚|一枚|ひとつ|1つ";
    utterance.says(ONE).then_some(1).or_else(|| count(utterance))
}

impl Cards {
    /// Changes the composed picture as `utterance` says. Returns whether it says anything.
    pub(super) fn change_picture(
        &mut self,
        utterance: &Sentence,
        (goal, manner): (Option<Goal>, Option<Manner>),
        language: Language,
    ) -> bool {
        let is_about = match manner {
            None => goal != Some(Goal::Nothing),
            // `やっぱりタイトルは消して` refers to the text on the picture.
            Some(manner) if manner.is_elsewhere() || manner == Manner::Nothing => {
                has_no_text(utterance)
                    || has_no_subtitle(utterance)
                    || pick(utterance, &self.found).is_some()
                    || !utterance.spotted(true).is_empty()
                    || title(utterance).0.is_some()
            }
            Some(_) => false,
        };
        if !is_about || !self.is_thumbnail || self.found.is_empty() {
            return false;
        }
        let shows = utterance.has(&[Word::SHOW]) && !utterance.has(&[rules::THUMBNAIL]);
        let spotted = utterance.spotted(true);
        let is_new = |piece: &Piece| {
            !spotted.iter().any(|card| piece.from < card.piece.to && card.piece.from < piece.to)
        };
        let unknown = utterance.unknown_names().iter().filter(|it| is_new(it)).count();
        if shows || unknown > 1 && bare(utterance).is_none() {
            return false;
        }
        let mut next = self.clone();
        next.found.truncate(CARDS_MAX);
        let Some(is_any) = next.apply_changes(utterance, language) else { return false };
        if !is_any {
            return false;
        }
        let left = utterance.unused_words(Some(Goal::Thumbnail), next.used_words());
        if left.len() >= coverage::ASKED_FROM {
            return false;
        }
        next.wanted = next.found.iter().map(|it| Wanted::new(false, it.clone())).collect();
        next.is_versus &= next.found.len() > 1;
        if next.found.len() == 1 && next.style.as_deref() != Some("spotlight") {
            next.style = None;
        }
        (next.is_arranged, next.mood, next.is_all) = (true, None, false);
        *self = next;
        true
    }

    /// Returns the plan for the themes that `utterance` picks by position from the listed `names`.
    pub(super) fn from_listed(
        utterance: &Sentence,
        goal: Option<Goal>,
        names: &[String],
        language: Language,
    ) -> Option<Self> {
        let is_bare = utterance.spotted(true).is_empty() && utterance.themes().is_empty();
        let (themes, words) = pick(utterance, names).filter(|_| is_bare)?;
        let wanted = themes.into_iter().map(|it| Wanted::new(true, it)).collect();
        Some(match goal {
            Some(goal @ (Goal::Cards | Goal::Thumbnail)) => {
                let mut cards = Self::from_sentence(utterance, goal, language, None);
                cards.words.extend(words);
                Self { wanted, mood: None, moods: Vec::new(), ..cards }
            }
            None | Some(Goal::Themes) => Self { wanted, words, ..Self::default() },
            Some(Goal::Nothing) => return None,
        })
    }

    /// Whether `utterance` adds to the cards shown before without naming a card.
    pub(super) fn is_addition(&self, utterance: &Sentence) -> bool {
        let is_there = !self.found.is_empty() || !self.wanted.is_empty();
        let text = utterance.text();
        // `青も`, `あと緑も！`
        let is_also = || {
            text.trim_end_matches(['。', '!', '！', '、', '〜', 'ね', 'な', ' ']).ends_with('も')
        };
        // `赤に変えて` changes the cards.
        const CHANGED: &str = "に変え|にかえ|に変更";
        const OTHERS: &str = "背景|バック|色|文字|タイトル|題";
        let is_changed = || self.is_thumbnail && utterance.says(CHANGED) && !utterance.says(OTHERS);
        is_there
            && (utterance.says(ADDED) || is_also() || is_changed())
            && utterance.spotted(true).is_empty()
            && utterance.quoted.is_empty()
            && !utterance.asks()
            && !utterance.has(&[rules::CARD, rules::THUMBNAIL])
    }

    /// Returns `count` cards of `theme` that are not on the picture yet.
    fn more_of(&self, theme: Theme, count: usize) -> Vec<String> {
        let cards = known_names().cards.iter().filter(|it| it.theme == theme.japanese);
        let new = cards.filter(|card| !self.found.iter().any(|it| is_named_as(card, it)));
        new.take(count).map(|it| it.japanese.to_owned()).collect()
    }

    /// Takes the title for the picture whose cards are not named yet: `タイトルは最終決戦で`.
    pub(super) fn take_title(&mut self, utterance: &Sentence) -> bool {
        let is_open = self.is_thumbnail && self.wanted.is_empty();
        let is_bare = utterance.spotted(true).is_empty()
            && utterance.themes().is_empty()
            && !utterance.has(&[rules::THUMBNAIL, rules::COMPOSE, rules::CARD]);
        let (title, _) = title(utterance);
        let is_titled = is_open && is_bare && title.is_some();
        if is_titled {
            self.title = title.map(|it| it.chars().take(TITLE_MAX).collect());
        } else if is_open && is_bare && has_no_text(utterance) {
            self.title = None;
            return true;
        }
        is_titled
    }

    /// Answers questions about which cards the composed picture has, and requests for more without names.
    pub(super) fn answer_about_picture(
        &self,
        utterance: &Sentence,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        let is_bare = utterance.spotted(true).is_empty() && utterance.themes().is_empty();
        if !self.is_thumbnail || self.found.is_empty() || !is_bare {
            return None;
        }
        if utterance.asks() && utterance.says(ON_IT) {
            let names = shown(&self.found[..self.found.len().min(CARDS_MAX)], context);
            return Some(context.say(
                format!("サムネイルのカード: {names}"),
                format!("The cards on the thumbnail: {names}"),
            ));
        }
        asks_more(utterance).then(|| {
            context.say(
                format!("どのカードを足しますか？カードの名前を書いてください。1枚のサムネイルに載るのは{CARDS_MAX}枚までです。"),
                format!("Which card shall be added? Please write its name. A thumbnail takes at most {CARDS_MAX} cards."),
            )
        })
    }

    /// Returns the plan for further cards, if `utterance` only names cards. An answer to which cards are meant
    /// (`is_answer`) may be any name.
    pub(super) fn follow(
        &self,
        utterance: &Sentence,
        goal: Option<Goal>,
        is_answer: bool,
        language: Language,
    ) -> Option<Self> {
        let is_unnamed = utterance.spotted(true).is_empty() && utterance.themes().is_empty();
        let next = || self.others_of_theme(utterance).or_else(|| self.both(utterance));
        if let Some(next) = is_unnamed.then(next).flatten() {
            return Some(next);
        }
        let is_asked = self.wanted.is_empty();
        // `make another one with Mimi and Yuki`.
        let is_another = self.is_thumbnail
            && utterance.has(&[Word::MAKE, Word::ANOTHER, rules::COMPOSE])
            && matches!(goal, None | Some(Goal::Cards))
            && !utterance.spotted(true).is_empty();
        if is_another {
            return Some(Self::from_sentence(utterance, Goal::Thumbnail, language, None));
        }
        // `やっぱり紅蓮で`: the picture is composed again with these.
        let is_instead = marks(INSTEAD).any(|it| utterance.find(it, 0).is_some())
            && !utterance.has(&[Word::SHOW]);
        let is_thumbnail = self.is_thumbnail && (is_asked || is_instead);
        let is_beside = !self.is_thumbnail && !is_asked && utterance.says(PUT_BESIDE);
        let is_open = is_asked || is_thumbnail || is_beside;
        if goal.is_some() && !(is_open && goal == Some(Goal::Cards)) {
            return None;
        }
        let is_free = goal.is_none() && !is_asked && !self.is_thumbnail;
        let is_bare = utterance.spotted(true).is_empty() && utterance.themes().is_empty();
        let places = pick(utterance, &self.found).filter(|_| is_free && is_bare);
        if let Some((cards, words)) = places {
            let wanted = cards.into_iter().map(|it| Wanted::new(false, it)).collect();
            return Some(Self { wanted, words, ..Self::default() });
        }
        let goal = if is_thumbnail { Goal::Thumbnail } else { Goal::Cards };
        // `only 2` of those shown before, or a number of further ones.
        let is_more = asks_more(utterance);
        let shown = if is_more { self.found.len() as u32 } else { 0 };
        // `2枚予約したい` counts things of another family.
        let is_theirs = utterance.has(&[Word::THEIRS, Word::THEIR_ACTION]);
        let count = count(utterance).filter(|_| is_free && !is_theirs).map(|it| it + shown);
        let left = utterance.unused_words(Some(Goal::Cards), Vec::new());
        if let Some(count) = count.filter(|_| is_bare && left.len() < 2) {
            let mut next = self.clone();
            // `actually two` of single cards.
            let most = count as usize;
            let more = most.min(NAMES_MAX).saturating_sub(self.wanted.len());
            if self.is_random {
                next.wanted.extend(any_cards(more, utterance, &[], Some(self)));
            } else if is_more {
                next.wanted.extend(self.more_of_last(more));
            }
            if !self.wanted.iter().any(|it| it.is_theme) {
                next.wanted.truncate(most);
            }
            // The number of `3 more` is understood.
            let text = utterance.text();
            let digits = text.split(|it: char| !it.is_ascii_digit()).filter(|it| !it.is_empty());
            next.words.extend(digits.map(str::to_owned));
            (next.limit, next.is_all) = (Some(count), false);
            for card in &mut next.wanted {
                (card.is_found, card.is_second) = (false, card.written.is_some());
            }
            return Some(next);
        }
        let named = !utterance.spotted(true).is_empty() || !utterance.themes().is_empty();
        let mut next = Self::from_sentence(utterance, goal, language, None);
        let named = named || is_answer && !next.wanted.is_empty();
        if is_beside && named && next.wanted.len() == 1 {
            next.add_to(self, utterance);
        }
        next.words
            .extend(marks(ADDED).chain(marks(AROUND)).chain(marks(PUT_BESIDE)).map(str::to_owned));
        let left = utterance.unused_words(Some(goal), next.used_words());
        if is_thumbnail {
            next.title = next.title.or_else(|| self.title.clone());
            next.subtitle = next.subtitle.or_else(|| self.subtitle.clone());
            next.style = next.style.or_else(|| self.style.clone());
            next.ground = next.ground.or_else(|| self.ground.clone());
        }
        (named && left.len() < coverage::ASKED_FROM).then_some(next)
    }

    /// Returns the plan for other cards of the theme shown before: `a different one from the same theme`.
    fn others_of_theme(&self, utterance: &Sentence) -> Option<Self> {
        const SAME: &str = "same theme|same set|same series|that theme|this theme|同じテーマ|そのテーマ|このテーマ|同じシリーズ";
        const OTHER: &str = "different|another|other|others|else|more|別の|ほかの|他の|違う|もう一枚|もう1枚|もっと";
        const PLAIN: &str = "one|ones|something|card|show|別|他|ほか|やつ|がいい";
        // The rest of the theme.
        const REST: &str = "もっと|もっと見せて|もっと見たい|もっとある|もっとない|他には|ほかには|他にもある|ほかにもある|他にある|ほかにある|他にない|他は|ほかは|残りも見せて|残りは|more|show me more|more please|any more|are there more|any others|anything else|the rest|show me the rest";
        let theme = card_of(self.found.first()?)?.theme;
        let text: String = utterance.lower.iter().collect();
        let is_rest = || {
            let text = text.trim_end_matches(['?', '。', '!', '.', ' ', '？', '！']);
            let is_one_theme =
                self.found.iter().all(|it| card_of(it).is_some_and(|it| it.theme == theme));
            !self.is_thumbnail && is_one_theme && marks(REST).any(|it| it == text)
        };
        // `別のがいい` after a single card.
        let is_plain = || {
            let words = marks(OTHER).chain(marks(PLAIN)).map(str::to_owned).collect();
            let is_single = self.found.len() == 1 && !self.is_thumbnail;
            is_single
                && !asks_more(utterance)
                && utterance.unused_words(Some(Goal::Cards), words).is_empty()
        };
        let is_rest = is_rest();
        if !is_rest && (!utterance.says(OTHER) || !utterance.says(SAME) && !is_plain()) {
            return None;
        }
        let cards = known_names().cards.iter().filter(|it| it.theme == theme);
        let new = cards.filter(|card| !self.found.iter().any(|it| is_named_as(card, it)));
        let count = if is_rest { NAMES_MAX } else { count(utterance).unwrap_or(1) as usize };
        let new = new.take(count.min(NAMES_MAX));
        let wanted: Vec<_> = new.map(|it| Wanted::new(false, it.japanese.to_owned())).collect();
        let words = marks(SAME).chain(marks(OTHER)).flat_map(|it| it.split(' '));
        let words = words.map(str::to_owned).collect();
        (!wanted.is_empty()).then(|| Self { wanted, words, ..Self::default() })
    }

    /// Returns up to `count` further cards of the theme of the last single card.
    fn more_of_last(&self, count: usize) -> Vec<Wanted> {
        let last = self.found.last().and_then(|it| card_of(it));
        let is_single = !self.wanted.iter().any(|it| it.is_theme);
        let cards = known_names()
            .cards
            .iter()
            .filter(|it| is_single && last.is_some_and(|last| last.theme == it.theme));
        let new = cards.filter(|card| !self.found.iter().any(|it| is_named_as(card, it)));
        new.take(count).map(|it| Wanted::new(false, it.japanese.to_owned())).collect()
    }

    /// Returns the cards of this request and the one before: `両方並べて`, `put both on one thumbnail`.
    fn both(&self, utterance: &Sentence) -> Option<Self> {
        const BOTH: &str =
            "両方|ふたつとも|二つとも|2つとも|二枚とも|2枚とも|どっちも|both|the two";
        let before = self.before.as_deref()?;
        let is_known = |it: &Self| !it.found.is_empty() && !it.is_thumbnail;
        let is_new = |it: &&String| !before.found.contains(it);
        let both: Vec<_> =
            before.found.iter().chain(self.found.iter().filter(is_new)).cloned().collect();
        let is_more = both.len() > self.found.len() && both.len() <= CARDS_MAX;
        let composes = utterance.has(&[rules::THUMBNAIL, rules::COMPOSE])
            || STYLES.iter().any(|it| utterance.says(it.1));
        let words =
            marks(BOTH).chain(marks(PUT_BESIDE)).chain(STYLES.iter().flat_map(|it| marks(it.1)));
        let words: Vec<_> = words.chain(["put"]).map(str::to_owned).collect();
        let is_all = utterance.unused_words(Some(Goal::Thumbnail), words.clone()).len() < 2;
        if !utterance.says(BOTH) || !is_known(before) || !is_known(self) || !is_more || !is_all {
            return None;
        }
        let wanted = both.into_iter().map(|it| Wanted::new(false, it)).collect();
        Some(Self { wanted, words, is_thumbnail: composes, ..Self::default() })
    }

    /// Keeps the cards shown `before`, with their limits, besides the newly requested ones.
    fn add_to(&mut self, before: &Self, utterance: &Sentence) {
        let is_single = ["a ", " an ", " one "].iter().any(|it| utterance.find(it, 0).is_some());
        let limit = self.limit.take().or(is_single.then_some(1));
        let is_new = |it: &&Wanted| !self.wanted.iter().any(|new| new.name == it.name);
        let kept: Vec<_> = before.wanted.iter().filter(is_new).cloned().collect();
        for card in &mut self.wanted {
            card.limit = card.limit.or(limit);
        }
        let kept =
            kept.into_iter().map(|it| Wanted { limit: it.limit.or(before.limit), ..it.reset() });
        self.wanted.splice(0..0, kept.take(NAMES_MAX - 1));
    }

    /// Applies the changes of `utterance`. Returns whether there are any, or none where it names cards that are not
    /// shown.
    fn apply_changes(&mut self, utterance: &Sentence, language: Language) -> Option<bool> {
        let says = |words: &'static str| {
            marks(words).any(|mark| {
                (0..utterance.lower.len()).any(|at| {
                    utterance.is_at(mark, at) && (!mark.is_ascii() || utterance.is_word(at, mark))
                })
            })
        };
        let before = self.clone();
        let (wording, _) = title(utterance);
        let quoted = || utterance.quoted.first().map(|it| it.text.clone());
        let line = subtitle(utterance).filter(|_| !has_no_subtitle(utterance));
        let is_line = |it: &String| line.as_ref().is_some_and(|line| line.text == *it);
        let wording = wording.or_else(quoted).filter(|it| !is_line(it));
        if let Some(wording) = wording {
            self.title = Some(wording.chars().take(TITLE_MAX).collect());
        } else if has_no_text(utterance) {
            (self.title, self.subtitle) = (None, None);
        } else if has_no_subtitle(utterance) {
            self.subtitle = None;
        }
        if let Some(line) = &line {
            self.subtitle = Some(line.text.chars().take(TITLE_MAX).collect());
        }
        let mut is_added = false;
        let mut is_any = self.title != before.title || self.subtitle != before.subtitle;
        is_any |= has_no_text(utterance) || has_no_subtitle(utterance);
        if let Some(style) = STYLES.iter().find(|it| says(it.1)) {
            self.style = Some(style.0.to_owned());
            is_any = true;
        }
        if utterance.has(&[rules::VERSUS]) && self.found.len() > 1 {
            (self.style, self.is_versus) = (Some("versus".to_owned()), true);
            is_any = true;
        }
        const GROUND_BACK: &str = "元の背景|背景を元|背景は元|背景だけ元|背景を戻|背景は戻|背景を変える前|original background|default background|background back|old background|previous background";
        if self.ground.is_some() && says(GROUND_BACK) {
            self.ground = None;
            is_any = true;
        }
        let written: Vec<Piece> = line.iter().cloned().chain(bare(utterance)).collect();
        let is_written = |it: &Piece| written.iter().any(|on| on.from < it.to && it.from < on.to);
        let themes = utterance.themes_with_colours();
        let themes_with_colours = |theme: &&(Theme, Piece)| {
            is_ground(utterance, &theme.1)
                || says("make it|もっと|もう少し|もうちょっと|っぽく|color|colour|色")
        };
        match themes.iter().filter(|it| !is_written(&it.1)).collect::<Vec<_>>()[..] {
            [] => {}
            [only] if themes_with_colours(&only) => {
                self.ground = Some(language.pick(only.0.japanese, only.0.english).to_owned());
                is_any = true;
            }
            // `赤も一枚足して`: the first cards of the theme that are not shown yet.
            [only] if says(ADDED) && !self.found.is_empty() => {
                let more = self.more_of(only.0, count(utterance).unwrap_or(1) as usize);
                is_added = !more.is_empty();
                self.found.extend(more);
                is_any |= is_added;
            }
            // `背景を蒼晶から紅蓮に変えて` changes the background alone.
            [one, other] if says(REPLACED) && is_about_ground(utterance, [&one.1, &other.1]) => {
                if !is_exchange(utterance, [&one.1, &other.1]) {
                    return None;
                }
                self.ground = Some(language.pick(other.0.japanese, other.0.english).to_owned());
                is_any = true;
            }
            // `swap the verdant for crimson`: cards of the one that the picture has not.
            [one, other] if trades(utterance, [&one.1, &other.1]) => {
                let theme = |it: &String| card_of(it).map(|it| it.theme);
                let has = |of: Theme| self.found.iter().any(|it| theme(it) == Some(of.japanese));
                let (old, new) = if has(one.0) { (one.0, other.0) } else { (other.0, one.0) };
                // `金と緑を入れ替えて`: the cards of both change places.
                if has(old) && has(new) && utterance.says(PLACES) {
                    let is = |of: Theme, it: &String| theme(it) == Some(of.japanese);
                    let is_first = self.found.iter().find(|it| is(old, it) || is(new, it));
                    let (first, second) = if is_first.is_some_and(|it| is(old, it)) {
                        (new, old)
                    } else {
                        (old, new)
                    };
                    let order = |name: &String| match () {
                        () if is(first, name) => 0,
                        () if is(second, name) => 2,
                        () => 1,
                    };
                    self.found.sort_by_key(order);
                    self.words = themes.iter().map(|it| it.1.text.clone()).collect();
                    self.words.extend(marks(AROUND).map(str::to_owned));
                    return Some(true);
                }
                let count = if has(new) { 0 } else { CARDS_MAX };
                let mut more = self.more_of(new, count).into_iter();
                for it in self.found.iter_mut().filter(|it| theme(it) == Some(old.japanese)) {
                    *it = more.next()?;
                    is_any = true;
                }
            }
            _ => return None,
        }
        let spotted = cards_in(utterance, &written);
        self.words = spotted.iter().map(|it| it.piece.text.clone()).collect();
        self.words.extend(themes.iter().map(|it| it.1.text.clone()));
        self.words.extend(marks(AROUND).map(str::to_owned));
        if has_no_subtitle(utterance) {
            self.words.extend(["サブ", "副題", "subtitle", "tagline"].map(str::to_owned));
        }
        let pieces: Vec<_> = spotted.iter().map(|it| it.piece.clone()).collect();
        let (out, named): (Vec<_>, Vec<_>) =
            spotted.into_iter().partition(|it| is_excluded(utterance, &it.piece, &pieces));
        let has = |found: &[String], card: &Card| found.iter().any(|it| is_named_as(card, it));
        // Cards that are not on the picture cannot be excluded.
        if out.iter().any(|it| !has(&self.found, it.card)) {
            return None;
        }
        self.found.retain(|it| !out.iter().any(|out| is_named_as(out.card, it)));
        is_any |= !out.is_empty();
        let (there, new): (Vec<_>, Vec<_>) =
            named.iter().partition(|it| has(&before.found, it.card));
        let name = |card: &Card| {
            let own = before.found.iter().find(|it| is_named_as(card, it));
            own.cloned().unwrap_or_else(|| card.japanese.to_owned())
        };
        match (&there[..], &new[..]) {
            ([], []) => {}
            ([old], [new]) if says(REPLACED) => {
                for shown in self.found.iter_mut().filter(|shown| is_named_as(old.card, shown)) {
                    *shown = name(new.card);
                }
                is_any = true;
            }
            (_, [..]) if says(ONLY) && out.is_empty() => {
                self.found = named.iter().map(|it| name(it.card)).collect();
                is_any = true;
            }
            ([], new) if says(ADDED) || !out.is_empty() => {
                self.found.extend(new.iter().map(|it| name(it.card)));
                is_any = true;
            }
            // `versus Stella`: the other side of those that are there.
            ([], [new]) if utterance.has(&[rules::VERSUS]) => {
                self.found.push(name(new.card));
                (self.style, self.is_versus) = (Some("versus".to_owned()), true);
                is_any = true;
            }
            ([], new) if says(REPLACED) && self.found.len() == 1 => {
                self.found = new.iter().map(|it| name(it.card)).collect();
                is_any = true;
            }
            (there, [])
                if there.iter().any(|it| placed(utterance, &it.piece, &named).is_some()) =>
            {
                for entry in there {
                    self.move_to(&name(entry.card), placed(utterance, &entry.piece, &named));
                }
                is_any = true;
            }
            ([one, other], []) if says(EXCHANGED) => {
                let at = |card: &Card| self.found.iter().position(|it| is_named_as(card, it));
                if let (Some(one), Some(other)) = (at(one.card), at(other.card)) {
                    self.found.swap(one, other);
                    return Some(true);
                }
            }
            (_, []) if is_any => {}
            _ => return None,
        }
        // `swap the first two` of more.
        let picked = pick(utterance, &self.found).filter(|_| says(EXCHANGED) && !is_any);
        if let Some((cards, words)) = picked.filter(|_| named.is_empty())
            && let [one, other] = &cards[..]
        {
            let at = |card: &String| self.found.iter().position(|it| it == card);
            if let (Some(one), Some(other)) = (at(one), at(other)) {
                self.found.swap(one, other);
                self.words.extend(words);
                return Some(true);
            }
        }
        if named.is_empty() && says(SWAPPED) {
            self.found.reverse();
            is_any = true;
        }
        if is_added {
            return (self.found.len() <= CARDS_MAX).then_some(true);
        }
        let count = count(utterance).filter(|_| named.is_empty()).map(|it| it as usize);
        // `やっぱり1枚目`: of the cards to choose from, where the picture has no such position.
        let mut lists = vec![self.found.clone()];
        if !leaves_out(utterance) {
            lists.insert(usize::from(self.found.len() > 1), self.listed.clone());
        }
        let found = lists.into_iter().find_map(|it| Some((pick(utterance, &it)?, it)));
        if let Some(((cards, words), list)) = found.filter(|_| named.is_empty()) {
            (self.found, self.listed) = (cards, list);
            self.words.extend(words);
            return Some(true);
        }
        match count {
            // The cards to add are asked for.
            Some(_) if asks_more(utterance) => return None,
            Some(count) if (1..self.found.len()).contains(&count) => {
                self.found.truncate(count);
                is_any = true;
            }
            Some(count) if count > self.found.len() => return None,
            _ => {}
        }
        let fits = (1..=CARDS_MAX).contains(&self.found.len());
        fits.then_some(is_any)
    }

    fn move_to(&mut self, name: &str, place: Option<Place>) {
        let Some(at) = self.found.iter().position(|it| it == name) else { return };
        let name = self.found.remove(at);
        match place {
            Some(Place::Left) => self.found.insert(0, name),
            Some(Place::Right) => self.found.push(name),
            _ => self.found.insert(at, name),
        }
    }
}
