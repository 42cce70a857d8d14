//! Excludes themes and cards from those shown before, and adds others: `やっぱり赤はいらない`, `not red, green`. And
//! answers to unsupported requests about cards, such as their values in a game or other drawings.

use language::{
    Language, context::TurnContext, scan::marks, small_talk::Manner, utterance::Piece, words::Word,
};

use super::{
    cards::{CARDS_MAX, Cards, Wanted},
    catalogue::{Spotted, Theme, card_of, samples, theme_names},
    changes::{ONLY, PLACES, REPLACED, asks_more, traded, trades},
    request::{cards_in, count, is_named_as},
    rules::{self, Goal},
    sentence::Sentence,
    wording::{bare, is_excluded, is_ground, subtitle},
};

/// Phrases that replace everything shown before.
const INSTEAD: &str = "やっぱり|やはり|やっぱ|いや|代わりに|かわりに|instead|actually|rather";
/// Phrases that change colours or add cards, and exclude none.
const OTHERWISE: &str = "make it|もっと|もう少し|もうちょっと|っぽく|色|colour|color|追加|足し|加え|add|also|too|plus|as well";
/// Phrases for all cards that are shown.
const ALL: &str = "全部|ぜんぶ|すべて|全て|all|everything|all of them";
/// Phrases that make cards others.
const INTO: &str = "make|turn|swap|switch|change|replace|exchange|instead|rather";
/// Words around an exclusion without a meaning of their own.
const AROUND: &str = "one|ones|all|everything|全部|away|out|remove|drop|lose|ditch|rid|forget|instead|rather|actually|either|swap|switch|change|replace|exchange|make|外|替|変|増|減|消|抜|除|結構|代";

impl Cards {
    /// Returns the request without the themes and cards that `utterance` excludes, and with those that it names
    /// instead. None where it says anything else.
    pub(super) fn exclude(
        &self,
        utterance: &Sentence,
        (goal, manner): (Option<Goal>, Option<Manner>),
        language: Language,
    ) -> Option<Self> {
        let is_about = matches!(goal, None | Some(Goal::Cards | Goal::Thumbnail))
            && manner.is_none_or(|it| it.is_elsewhere() || it == Manner::Nothing);
        let is_plain = !utterance.asks() && utterance.quoted.is_empty();
        if !is_about || !is_plain || self.found.is_empty() {
            return None;
        }
        let spotted = utterance.spotted(true);
        let is_card = |piece: &Piece| {
            spotted.iter().any(|card| card.piece.from < piece.to && piece.from < card.piece.to)
        };
        let mut themes = utterance.themes_with_colours();
        themes.retain(|it| !is_card(&it.1));
        let mut next = match (themes.is_empty(), spotted.is_empty()) {
            (false, true) => self
                .with_other_themes(utterance, &themes, language)
                .or_else(|| self.without_themes(utterance, &themes, language))?,
            // Pictures change by single cards.
            (true, false) if !self.is_thumbnail => {
                let pieces: Vec<_> = spotted.iter().map(|it| it.piece.clone()).collect();
                let is_out = |it: &Piece| is_excluded(utterance, it, &pieces);
                let is_there = |card| self.found.iter().any(|it| is_named_as(card, it));
                if !spotted.iter().all(|it| is_out(&it.piece) && is_there(it.card)) {
                    return None;
                }
                let kept = |it: &&String| !spotted.iter().any(|out| is_named_as(out.card, it));
                Self { wanted: requests_for(self.found.iter().filter(kept)), ..self.clone() }
            }
            _ => return None,
        };
        next.words = themes.iter().map(|it| it.1.text.clone()).collect();
        next.words.extend(spotted.iter().map(|it| it.piece.text.clone()));
        next.words.extend(marks(AROUND).map(str::to_owned));
        (next.found, next.counts, next.is_arranged) = (Vec::new(), false, false);
        (next.mood, next.moods) = (None, Vec::new());
        let left = utterance.unused_words(Some(Goal::Cards), next.used_words());
        (left.len() < 2).then_some(next)
    }

    /// Answers where `utterance` excludes a theme that is not among the cards: `やっぱ赤はいらない`.
    pub(super) fn answer_absent_theme(
        &self,
        utterance: &Sentence,
        (goal, manner): (Option<Goal>, Option<Manner>),
        context: &TurnContext<'_>,
    ) -> Option<String> {
        let is_about = matches!(goal, None | Some(Goal::Cards | Goal::Thumbnail))
            && manner.is_none_or(|it| it == Manner::Nothing);
        let is_plain = !utterance.asks() && utterance.quoted.is_empty();
        if !is_about || !is_plain || self.found.is_empty() || utterance.says(OTHERWISE) {
            return None;
        }
        let themes = utterance.themes_with_colours();
        let pieces: Vec<_> = themes.iter().map(|it| it.1.clone()).collect();
        let is_there = |theme: &Theme| {
            let card = |it: &String| card_of(it).is_some_and(|it| it.theme == theme.japanese);
            self.found.iter().any(card)
        };
        let is_lacking = |entry: &(Theme, Piece)| {
            !is_there(&entry.0)
                && !is_ground(utterance, &entry.1)
                && is_excluded(utterance, &entry.1, &pieces)
        };
        let words = pieces.iter().map(|it| it.text.clone()).chain(marks(AROUND).map(str::to_owned));
        let is_all = utterance.unused_words(Some(Goal::Cards), words.collect()).len() < 2;
        if themes.is_empty() || !is_all || !themes.iter().all(is_lacking) {
            return None;
        }
        let name = |it: &(Theme, Piece)| context.language.pick(it.0.japanese, it.0.english);
        let names = themes.iter().map(name).collect::<Vec<_>>();
        let names = names.join(context.language.pick("、", ", "));
        Some(context.say(
            format!("「{names}」のカードはもともと入っていないため、今のカードのままです。"),
            format!("No card of {names} is among them, so they stay as they are."),
        ))
    }

    /// Returns the request in which themes shown have changed places with others or one another, or with another number
    /// of one: `swap the verdant for golden`, `青を緑に`, `やっぱ全部赤で`, `緑は三枚にして`.
    fn with_other_themes(
        &self,
        utterance: &Sentence,
        themes: &[(Theme, Piece)],
        language: Language,
    ) -> Option<Self> {
        const CHANGES: &str = "にして|に変更|に変えて|に増や|に減ら|でお願い|make it|make that|make the|change|instead";
        let is_it = |it: &Wanted, of: &Theme| it.name == of.japanese || it.name == of.english;
        let place = |of: &Theme| self.wanted.iter().position(|it| it.is_theme && is_it(it, of));
        let composes = utterance.has(&[rules::THUMBNAIL, rules::COMPOSE]);
        let is_ground = themes.iter().any(|it| is_ground(utterance, &it.1));
        if self.is_thumbnail || composes || is_ground || asks_more(utterance) {
            return None;
        }
        let is_listed = self.wanted.iter().all(|it| it.is_theme);
        let limit = |it: &Wanted| it.limit.or(self.limit);
        let of = |theme: &Theme, limit: Option<u32>| {
            let name = language.pick(theme.japanese, theme.english).to_owned();
            Wanted { limit, ..Wanted::new(true, name) }
        };
        let mut next = self.clone();
        match themes {
            [one, other] if trades(utterance, [&one.1, &other.1]) => {
                match (place(&one.0), place(&other.0)) {
                    (Some(from), Some(to)) if utterance.says(PLACES) => next.wanted.swap(from, to),
                    // The cards of both are of the second then.
                    (Some(from), Some(to)) => {
                        let both = limit(&self.wanted[from]).zip(limit(&self.wanted[to]));
                        next.wanted[to].limit = both.map(|it| it.0 + it.1);
                        next.wanted.remove(from);
                    }
                    (Some(at), None) => next.wanted[at] = of(&other.0, self.wanted[at].limit),
                    (None, Some(at)) => next.wanted[at] = of(&one.0, self.wanted[at].limit),
                    (None, None) => return None,
                }
            }
            // `全部の赤いカード` asks for all of that theme.
            [only]
                if is_listed
                    && utterance.says(ALL)
                    && (utterance.says(INTO)
                        || ["に", "で"].iter().any(|it| utterance.is_at(it, only.1.to)))
                    && place(&only.0).is_none() =>
            {
                let total = self.wanted.iter().map(limit).sum::<Option<u32>>();
                (next.wanted, next.limit) = (vec![of(&only.0, total)], None);
            }
            // `赤だけ3枚にして`.
            [only] if utterance.says(ONLY) => {
                let own = &self.wanted[place(&only.0)?];
                (next.wanted, next.limit) =
                    (vec![of(&only.0, count(utterance).or(limit(own)))], None);
            }
            [only] if place(&only.0).is_some() => {
                let count = count(utterance).filter(|_| utterance.says(CHANGES))?;
                next.wanted[place(&only.0)?].limit = Some(count);
            }
            // `swap one for a red one`: of the last theme that has so many.
            [only] if is_listed && utterance.says(REPLACED) => {
                let some = traded(utterance)?;
                let has = |it: &Wanted| limit(it).filter(|it| *it > some);
                let at = self.wanted.iter().rposition(|it| has(it).is_some())?;
                next.wanted[at].limit = has(&self.wanted[at]).map(|it| it - some);
                next.wanted.push(of(&only.0, Some(some)));
            }
            _ => return None,
        }
        next.wanted = next.wanted.into_iter().map(Wanted::reset).collect();
        Some(next)
    }

    fn without_themes(
        &self,
        utterance: &Sentence,
        themes: &[(Theme, Piece)],
        language: Language,
    ) -> Option<Self> {
        let pieces: Vec<_> = themes.iter().map(|it| it.1.clone()).collect();
        if utterance.says(OTHERWISE) || pieces.iter().any(|it| is_ground(utterance, it)) {
            return None;
        }
        let is_of = |theme: &Theme, it: &Wanted| match it.is_theme {
            true => it.name == theme.japanese || it.name == theme.english,
            false => card_of(&it.name).is_some_and(|card| card.theme == theme.japanese),
        };
        let before = match self.is_thumbnail {
            true => requests_for(self.found.iter().take(CARDS_MAX)),
            false => self.wanted.clone(),
        };
        let is_there = |theme: &Theme| before.iter().any(|it| is_of(theme, it));
        // `not red, green`: a theme after a comma is requested, unless it is there already.
        let is_apart = |piece: &Piece| {
            utterance.lower[..piece.from].iter().rev().find(|it| **it != ' ') == Some(&',')
        };
        let is_refused = |entry: &(Theme, Piece)| {
            let is_wished =
                is_apart(&entry.1) && !is_there(&entry.0) && !is_excluded(utterance, &entry.1, &[]);
            is_excluded(utterance, &entry.1, &pieces) && !is_wished
        };
        let (out, new): (Vec<_>, Vec<_>) = themes.iter().partition(|it| is_refused(it));
        let is_instead = out.is_empty() && utterance.says(INSTEAD);
        if !is_instead && out.is_empty() || out.iter().any(|it| !is_there(&it.0)) {
            return None;
        }
        let is_kept = |it: &Wanted| !is_instead && !out.iter().any(|out| is_of(&out.0, it));
        let wanted = before.iter().filter(|it| is_kept(it)).cloned().map(Wanted::reset);
        let new = new.into_iter().filter(|it| is_instead || !is_there(&it.0));
        let new =
            new.map(|it| Wanted::new(true, language.pick(it.0.japanese, it.0.english).to_owned()));
        Some(Self { wanted: wanted.chain(new).collect(), ..self.clone() })
    }
}

/// Creates requests for cards by name.
fn requests_for<'a>(names: impl Iterator<Item = &'a String>) -> Vec<Wanted> {
    names.map(|it| Wanted::new(false, it.clone())).collect()
}

const STATS: &str = "攻撃力|守備力|防御力|ステータス|レアリティ|レア度|能力値|特殊能力|効果|何が強い|どっちが強い|一番強い|どれが強い|強さ|コスト|attack points|attack power|attack|defense|defence|stats|stat|abilities|ability|effects|effect|rarity|rare|hit points|hp|power level|mana cost|strong|stronger|strongest|worth";
const REDRAWN: &str = "描き直|書き直|かき直|描きなお|加工し|塗り替|塗りかえ|解像度|高画質|リサイズ|大きいサイズ|動かして|アニメーションにして|redraw|re-draw|repaint|recolor|recolour|restyle|animate|resize|resolution|upscale|in 4k|in 8k";
const RESHAPED: &str = "縦長|縦型|縦向き|横長|正方形|文字の色|文字色|portrait|square|vertical|大きく|おおきく|大きめに|小さく|ちいさく|小さめに|明るく|あかるく|暗く|くらく|鮮やかに|拡大|縮小|太字|フォント|bigger|larger|smaller|brighter|darker|enlarge|zoom|zoom in|font|bold|bolder";
const RENAMED: &str = "名前を変え|名前変え|改名|rename|change the name of";
const OF_WHICH: &str = "belong|どのテーマ|何のテーマ|なんのテーマ|どこのテーマ|テーマは何|テーマはどれ|テーマってどれ|テーマは?|which theme|what theme|which set|what set|what deck|which deck";
const BEFORE: &str = "昨日|前回|先週|この前|こないだ|先日|以前の|yesterday|yesterday's|last time|last week|last week's|previous|earlier";
const AGAIN: &str =
    "同じ|もう一度|また|みたいな|と一緒|の続き|same|again|like the one|as before|another one like";

/// Answers an unsupported request. `is_known` says that a picture was composed before.
pub(super) fn refusal(
    utterance: &Sentence,
    is_known: bool,
    context: &TurnContext<'_>,
) -> Option<String> {
    let written: Vec<Piece> = subtitle(utterance).into_iter().chain(bare(utterance)).collect();
    let is_free = |at: usize| !written.iter().any(|it| (it.from..it.to).contains(&at));
    let says = |words: &'static str| {
        marks(words).any(|mark| {
            (0..utterance.lower.len()).any(|at| {
                is_free(at)
                    && utterance.is_at(mark, at)
                    && (!mark.is_ascii() || utterance.is_word(at, mark))
            })
        })
    };
    let spotted = cards_in(utterance, &written);
    let about = [rules::CARD, rules::THUMBNAIL, rules::THEME];
    let is_picture = utterance.has(&[rules::THUMBNAIL, rules::COMPOSE]);
    let is_about = utterance.tokens.iter().any(|it| about.contains(&it.word))
        || spotted.iter().any(|it| it.is_name);
    if utterance.has(&[Word::THEIRS]) || !is_about {
        return None;
    }
    // The theme of a card is known.
    if let ([only], true) = (&spotted[..], says(OF_WHICH)) {
        let (name, theme) = context
            .language
            .pick((only.card.japanese, only.card.theme), (only.card.english, theme_of(only)));
        return Some(context.say(
            format!("「{name}」のテーマは「{theme}」です。"),
            format!("{name} is of the theme {theme}."),
        ));
    }
    if utterance.has(&[Word::DELETE]) || says(RENAMED) {
        let names = names_in_brackets(&spotted, context);
        return Some(context.say(
            format!("カード{names}を消したり変えたりすることはできないため、何もしていません。イラストを見ることと、サムネイルを作ることができます。"),
            format!("Cards{names} cannot be deleted or changed here, so nothing was done. I can show illustrations and make thumbnails."),
        ));
    }
    if says(REDRAWN) || is_sized(utterance) {
        let names = names_in_brackets(&spotted, context);
        return Some(context.say(
            format!("イラスト{names}を描き直したり、大きさを変えたりすることはできないため、何もしていません。サムネイルの大きさは 1280×720 です。いまあるイラストを見ることと、それを並べたサムネイルを作ることができます。"),
            format!("Illustrations{names} cannot be redrawn or resized, so nothing was done. Thumbnails are 1280x720. I can show the illustrations that there are and lay them out as a thumbnail."),
        ));
    }
    if !is_picture && says(STATS) {
        let (theme, _) = samples(context.language);
        return Some(context.say(
            format!("カードにあるのは名前と説明とイラストだけで、攻撃力や効果などの情報はないため、何もしていません。「{theme}のカードを見せて」のように書くとイラストをお見せします。"),
            format!("Cards have names, descriptions and illustrations only: there are no stats, effects or values, so nothing was done. Write for example \"show me the cards of {theme}\" to see some."),
        ));
    }
    if is_picture && !is_known && says(BEFORE) && says(AGAIN) {
        let (_, [one, other]) = samples(context.language);
        return Some(context.say(
            format!("以前のサムネイルは分からないため、何もしていません。カードかテーマの名前と、タイトルを書いてください。例:「{one}と{other}のサムネイル、タイトルは「決勝」」"),
            format!("I do not know that earlier thumbnail, so nothing was done. Please name the cards or the theme, and the title, such as \"a thumbnail of {one} and {other}, titled \"Final\"\"."),
        ));
    }
    None
}

/// Answers a request to change the size or brightness of what was shown, without another card's name.
pub(super) fn refuse_resize(utterance: &Sentence, context: &TurnContext<'_>) -> Option<String> {
    let is_bare = utterance.spotted(true).is_empty()
        && utterance.themes().is_empty()
        && utterance.quoted.is_empty()
        && !utterance.has(&[Word::THEIRS, Word::THEIR_ACTION]);
    (is_bare && (utterance.says(RESHAPED) || is_sized(utterance))).then(|| {
        context.say(
            "イラストや文字の大きさ・明るさは変えられないため、何もしていません。サムネイルでは、カード・並び・題・背景の色を変えられます。",
            "The size and brightness of illustrations and letters cannot be changed, so nothing was done. On a thumbnail, the cards, their order, the title and the colours behind them can.",
        )
    })
}

/// Returns the English name of a card's theme.
fn theme_of(spotted: &Spotted) -> &'static str {
    let japanese = theme_names(Language::Japanese);
    let at = japanese.iter().position(|name| *name == spotted.card.theme);
    at.and_then(|at| theme_names(Language::English).get(at).copied()).unwrap_or(spotted.card.theme)
}

/// Formats the cards' names in brackets.
fn names_in_brackets(spotted: &[Spotted], context: &TurnContext<'_>) -> String {
    let names: Vec<_> =
        spotted.iter().map(|it| context.language.pick(it.card.japanese, it.card.english)).collect();
    match names.is_empty() {
        true => String::new(),
        false => {
            let names = names.join(context.language.pick("、", "; "));
            context.say(format!("（{names}）"), format!(" ({names})"))
        }
    }
}

/// Whether the sentence has a size in pixels: `1920x1080`.
fn is_sized(utterance: &Sentence) -> bool {
    let is_digit = |at: usize| utterance.lower.get(at).is_some_and(char::is_ascii_digit);
    (1..utterance.lower.len()).any(|at| {
        matches!(utterance.lower[at], 'x' | '×' | '*')
            && (1..=3).all(|it| at.checked_sub(it).is_some_and(is_digit))
            && (1..=3).all(|it| is_digit(at + it))
    })
}
