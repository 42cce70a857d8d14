//! Parses a request for cards: known names first, then titles and conditions, then the rest.

use language::{
    Language, numbers::whole, scan::marks, utterance::Piece, vocabulary::Unit, words::Word,
};

use super::{
    cards::{CARDS_MAX, Cards, EACH_OF_TWO, NAMES_MAX, STYLES, TITLE_MAX, Wanted},
    catalogue::{Card, Spotted, Theme, card_of, is_nearly_theme, known_names, moods, theme_names},
    rules::{self, Goal},
    sentence::{Sentence, pick, takes_last},
    wording::{
        Place, bare, has_no_text, how_many, is_card, is_excluded, is_ground, is_plural, is_theme,
        is_whole, looks, place, subtitle, title,
    },
};

/// Phrases that refer to the cards shown before, besides others.
const WITH_SHOWN: &str = "これと|それと|あれと|このカードと|そのカードと|これに|それに|this and|that and|it and|them and|this one and|that one and|and this one|and that one";
/// Phrases that leave the choice of cards open.
pub(super) const RANDOM: &str = "random|randomly|any card|any cards|surprise me|whichever|ランダム|おまかせ|お任せ|任せる|任せます|任せた|まかせる|まかせます|適当に|てきとうに|なんでもいい|何でもいい";
/// Words around excluded themes without a meaning of their own.
const OUT: &str = "aren't|isn't|except|excluding|besides|以外|抜き|除";
/// Texts between the names of a list.
const JOINTS: &str = "と|や|、|,|・|対|×|x|&|+|vs|vs.|and|, and|versus|against|with|or|と、";
/// Words that are no name of a card.
const NO_NAMES: &str = "random|ランダム|おまかせ|お任せ|副題|サブタイトル|画像|動画|サムネ|サムネイル|タイトル|文字|背景";

/// Splits `ルナ対ミミ` into its names; returns other names as they are.
fn split_opponents(utterance: &Sentence, name: &Piece) -> Vec<Piece> {
    let at = (name.from + 1..name.to.saturating_sub(1)).find(|it| utterance.chars[*it] == '対');
    match at.filter(|at| at - name.from > 1 && name.to - at > 2) {
        Some(at) => vec![utterance.piece(name.from, at), utterance.piece(at + 1, name.to)],
        None => vec![name.clone()],
    }
}

fn overlaps(a: &Piece, b: &Piece) -> bool {
    a.from < b.to && b.from < a.to
}

/// Returns the named cards, except those within a title or within a longer name.
pub(super) fn cards_in(utterance: &Sentence, taken: &[Piece]) -> Vec<Spotted> {
    let moods = moods(&utterance.lower);
    let themes = utterance.themes();
    let mut cards = utterance.spotted(true);
    cards.retain(|card| {
        let lies = |from: usize, to: usize| from <= card.piece.from && card.piece.to <= to;
        let length = card.piece.to - card.piece.from;
        let is_mood = moods.iter().any(|it| lies(it.1, it.2) && it.2 - it.1 > length);
        let is_theme = themes.iter().any(|it| lies(it.1.from, it.1.to) && it.0.is_name);
        let is_taken = taken.iter().any(|taken| overlaps(taken, &card.piece));
        !is_taken && (card.is_name || !is_mood && !is_theme)
    });
    cards
}

/// Returns the name for a request: as written where that is the card's own name, else its full name.
pub(super) fn request_name(spotted: &Spotted, language: Language) -> String {
    let written = spotted.piece.text.to_lowercase();
    let english = spotted.card.english.to_lowercase();
    let called = english.split(',').next().unwrap_or_default();
    let is_own = spotted.is_name
        && (spotted.card.japanese.ends_with(&written)
            || written == english
            || written == called && !called.contains(' '));
    match is_own {
        true => spotted.piece.text.clone(),
        false => language.pick(spotted.card.japanese, spotted.card.english).to_owned(),
    }
}

/// Whether `theme` only describes `card`: `Volcano from the crimson engine theme`.
fn is_origin(utterance: &Sentence, theme: &Piece, card: &Piece) -> bool {
    const BEFORE: &str = "の|テーマの|のテーマの|から|の中から|の中の|にある|theme|'s|theme's|";
    const BEHIND: &str = "from|of|in|out of|from the|of the|in the|out of the";
    let gap = |from: usize, to: usize| {
        (from <= to).then(|| utterance.lower[from..to].iter().collect::<String>().trim().to_owned())
    };
    gap(theme.to, card.from).is_some_and(|gap| marks(BEFORE).any(|it| it == gap))
        || gap(card.to, theme.from).is_some_and(|gap| marks(BEHIND).any(|it| it == gap))
}

/// Returns the position for the card at `piece`, wherever the sentence has that.
pub(super) fn placed(utterance: &Sentence, piece: &Piece, spotted: &[Spotted]) -> Option<Place> {
    let also = spotted.iter().filter(|it| it.piece == *piece).flat_map(|it| it.also.iter());
    std::iter::once(piece).chain(also).find_map(|it| place(utterance, it))
}

/// Returns the parts of `names` outside of `taken`.
fn without_taken(utterance: &Sentence, names: Vec<Piece>, taken: &[Piece]) -> Vec<Piece> {
    const TRIMMED: &str = " とのでをはがにもや、,・対×&+?!。.";
    const LEADS: &str = "with the |with |using |featuring |and the |and |for the |for |the ";
    let mut left = Vec::new();
    for name in names {
        let (mut from, mut at) = (name.from, name.from);
        let mut push = |from: usize, to: usize| {
            let is_trimmed = |at: &usize| TRIMMED.contains(utterance.chars[*at]);
            let mut begin = (from..to).find(|at| !is_trimmed(at));
            if from > name.from
                && let Some(at) = begin
            {
                // The name follows `with` in `with Luna` after a title.
                let lead = marks(LEADS).find(|it| utterance.is_at(it, at));
                begin = Some(at + lead.map_or(0, str::len)).filter(|it| *it < to);
            }
            let end = (from..to).rfind(|at| !is_trimmed(at));
            if let (Some(begin), Some(end)) = (begin, end) {
                let piece = utterance.piece(begin, end + 1);
                let letters = piece.text.chars().filter(|it| it.is_alphanumeric()).count();
                let is_new = (begin..=end).any(|at| !utterance.is_known(at));
                let is_whole = (from, to) == (name.from, name.to);
                if is_whole || letters > 1 && is_new {
                    left.push(if is_whole { name.clone() } else { piece });
                }
            }
        };
        while at < name.to {
            match taken.iter().find(|it| (it.from..it.to).contains(&at)) {
                Some(name) => {
                    push(from, at);
                    (at, from) = (name.to, name.to);
                }
                None => at += 1,
            }
        }
        if from < name.to {
            push(from, name.to);
        }
    }
    left
}

/// Returns lower-case words in a list with known names: `pikachu and luna`.
fn lower_case_listed(utterance: &Sentence, known_names: &[Piece], taken: &[Piece]) -> Vec<Piece> {
    const JOINTS: &str = " and |, | vs | vs. | versus | & ";
    let new = utterance.unused_words(Some(Goal::Thumbnail), Vec::new());
    let is_letter = |it: &&char| it.is_ascii_alphabetic();
    let is_at = |at: usize, what: &str| utterance.is_at(what, at);
    let mut beside = Vec::<Piece>::new();
    for name in known_names.iter().filter(|name| name.text.is_ascii()) {
        for joint in marks(JOINTS) {
            let behind = is_at(name.to, joint).then(|| {
                let from = name.to + joint.len();
                (from, from + utterance.chars[from..].iter().take_while(is_letter).count())
            });
            let before =
                name.from.checked_sub(joint.len()).filter(|at| is_at(*at, joint)).map(|to| {
                    (to - utterance.chars[..to].iter().rev().take_while(is_letter).count(), to)
                });
            for (from, to) in behind.into_iter().chain(before) {
                let piece = utterance.piece(from, to);
                let is_free = !taken.iter().chain(&beside).any(|it| overlaps(it, &piece));
                // Capitals and the sentence's verb are handled elsewhere.
                let counts = utterance.lower.get(to + 1).is_some_and(char::is_ascii_digit);
                let is_name = to - from > 2 && !counts && new.contains(&piece.text);
                let is_small = piece.text.chars().all(|it| it.is_ascii_lowercase());
                if is_free && is_name && is_small {
                    beside.push(piece);
                }
            }
        }
    }
    beside
}

/// Returns those of `names` that are in a list with known names.
fn listed_names(utterance: &Sentence, names: Vec<Piece>, known_names: &[Piece]) -> Vec<Piece> {
    let mut known_names = known_names.to_vec();
    let (mut listed, mut others) = (Vec::new(), names);
    let is_joined = |a: &Piece, b: &Piece| {
        let (from, to) = (a.to.min(b.to), a.from.max(b.from));
        let gap = utterance.lower.get(from..to).map(|it| it.iter().collect::<String>());
        gap.is_some_and(|it| marks(JOINTS).any(|joint| joint == it.trim()))
    };
    while let Some(at) =
        others.iter().position(|it| known_names.iter().any(|other| is_joined(it, other)))
    {
        let piece = others.remove(at);
        known_names.push(piece.clone());
        listed.push(piece);
    }
    listed
}

impl Cards {
    /// Parses the request; missing parts are taken from `before`.
    pub(super) fn from_sentence(
        utterance: &Sentence,
        goal: Goal,
        language: Language,
        before: Option<&Self>,
    ) -> Self {
        let is_thumbnail = goal == Goal::Thumbnail;
        let (mut title, mut quoted) = title(utterance);
        let line = subtitle(utterance);
        let mut written: Vec<Piece> = line.iter().cloned().collect();
        written.extend(looks(utterance));
        written.extend(bare(utterance).filter(|_| is_thumbnail));
        let spotted = cards_in(utterance, &written);
        let mut themes = utterance.themes();
        themes.retain(|theme| {
            let is_longer = |card: &Spotted| {
                overlaps(&card.piece, &theme.1)
                    && card.piece.to - card.piece.from > theme.1.to - theme.1.from
            };
            !written.iter().any(|taken| overlaps(taken, &theme.1)) && !spotted.iter().any(is_longer)
        });
        // `not the red ones, the green ones`.
        let pieces: Vec<_> = themes.iter().map(|it| it.1.clone()).collect();
        let (dropped, themes): (Vec<_>, Vec<_>) =
            themes.into_iter().partition(|it| is_excluded(utterance, &it.1, &pieces));
        let is_known = |piece: &Piece| {
            card_of(&piece.text).is_some()
                || is_card(utterance, piece)
                || is_theme(utterance, piece, false)
                || themes.iter().any(|theme| overlaps(piece, &theme.1))
        };
        // With a known name, quoted text is written on the picture.
        let is_beside = themes.iter().any(|it| !quoted.iter().any(|other| overlaps(other, &it.1)))
            || !spotted.is_empty();
        if is_thumbnail
            && title.is_none()
            && is_beside
            && quoted.len() == 1
            && !is_known(&quoted[0])
        {
            title = quoted.pop().map(|it| it.text.chars().take(TITLE_MAX).collect());
        }
        let is_versus = utterance.has(&[rules::VERSUS]) || utterance.find("対", 0).is_some();
        let (excluded, spotted): (Vec<_>, Vec<_>) = {
            let pieces: Vec<_> = spotted.iter().map(|it| it.piece.clone()).collect();
            // `星鯨と羅針盤。羅針盤はやっぱりなしで` names it twice.
            let is_out = |spotted: &Spotted| {
                is_excluded(utterance, &spotted.piece, &pieces)
                    || spotted.also.iter().any(|it| is_excluded(utterance, it, &[]))
            };
            spotted.into_iter().partition(is_out)
        };
        let mut taken: Vec<Piece> = written;
        taken.extend(excluded.iter().map(|it| it.piece.clone()));
        taken.extend(dropped.iter().map(|it| it.1.clone()));
        let (mut wanted, mut ground) = (Vec::<(Piece, Wanted)>::new(), None);
        for entry in &spotted {
            wanted.push((entry.piece.clone(), Wanted::new(false, request_name(entry, language))));
        }
        for (theme, piece) in &themes {
            let name = language.pick(theme.japanese, theme.english);
            taken.push(piece.clone());
            if is_ground(utterance, piece) {
                ground = Some(name.to_owned());
                continue;
            }
            // `紅蓮機工のカード、機関車のやつだけ`: the theme only describes the card.
            let is_only = marks("だけ|のみ|only|just").any(|it| utterance.find(it, 0).is_some());
            let is_of = |it: &&Spotted| it.card.theme == theme.japanese;
            let is_from = |it: &Spotted| is_only || is_origin(utterance, piece, &it.piece);
            if spotted.iter().filter(is_of).any(is_from) {
                continue;
            }
            let is_in_name = |it: &Piece| overlaps(it, piece) && it.text != piece.text;
            if quoted.iter().any(is_in_name) {
                continue;
            }
            // Opposite another card, a capitalized word is a card's name.
            let is_called = piece.text.starts_with(|it: char| it.is_ascii_uppercase())
                && ![" cards", " theme", " deck"].iter().any(|it| utterance.is_at(it, piece.to));
            let is_among = is_versus || !spotted.is_empty();
            let card = card_of(&piece.text).filter(|_| is_among && is_called);
            let is_written = [theme.japanese, theme.english]
                .iter()
                .any(|it| it.eq_ignore_ascii_case(&piece.text));
            let name = if is_written { piece.text.clone() } else { name.to_owned() };
            let card =
                card.map(|it| Wanted::new(false, language.pick(it.japanese, it.english).into()));
            wanted.push((piece.clone(), card.unwrap_or_else(|| Wanted::new(true, name))));
        }
        taken.extend(spotted.iter().map(|it| it.piece.clone()));
        let known_names: Vec<Piece> = wanted.iter().map(|it| it.0.clone()).collect();
        let has_known = !known_names.is_empty() || !excluded.is_empty();
        let unknown = if quoted.is_empty() { utterance.unknown_names() } else { Vec::new() };
        let unknown = without_descriptions(utterance, without_taken(utterance, unknown, &taken));
        let unknown = match has_known {
            true => listed_names(utterance, unknown, &known_names),
            false => unknown.into_iter().flat_map(|it| split_opponents(utterance, &it)).collect(),
        };
        // With known names, further quoted text is the subtitle.
        let mut line = line;
        if is_thumbnail && !known_names.is_empty() && title.is_some() && line.is_none() {
            let at = quoted.iter().position(|it| !is_known(it));
            line = at.map(|at| quoted.remove(at));
        }
        let mut unknown: Vec<Piece> = unknown;
        if quoted.is_empty() {
            unknown.extend(lower_case_listed(utterance, &known_names, &taken));
        }
        let is_several = unknown.len() > 1 || quoted.len() > 1;
        let plural = utterance.numbers.pieces().is_some() || is_plural(utterance);
        let is_theme_said = utterance.has(&[rules::THEME]) && !has_known;
        for piece in quoted.into_iter().chain(unknown) {
            let is_taken = wanted.iter().any(|it| it.1.name == piece.text)
                || title.as_deref() == Some(piece.text.as_str());
            let is_card = is_card(utterance, &piece) || card_of(&piece.text).is_some();
            let is_theme = !is_card
                && (is_theme(utterance, &piece, is_theme_said)
                    || is_nearly_theme(&piece.text)
                    || plural && !is_several && !has_known);
            if !is_taken {
                let wanted_one = Wanted::new(is_theme, piece.text.clone());
                wanted.push((piece, wanted_one));
            }
        }
        if !is_thumbnail && wanted.is_empty() && is_of_each_theme(utterance) {
            let each = count(utterance).or(Some(1));
            for name in theme_names(language) {
                let wanted_one = Wanted { limit: each, ..Wanted::new(true, name.to_owned()) };
                wanted.push((utterance.piece(0, 0), wanted_one));
            }
        }
        // `赤以外のカード4枚`: cards of the other themes.
        if !is_thumbnail && wanted.is_empty() && !dropped.is_empty() {
            let dropped: Vec<_> = dropped.iter().map(|it| it.0.japanese).collect();
            let others = match count(utterance) {
                Some(count) => any_cards(count as usize, utterance, &dropped, before),
                None => theme_names(Language::Japanese)
                    .into_iter()
                    .zip(theme_names(language))
                    .filter(|it| !dropped.contains(&it.0))
                    .map(|it| Wanted { limit: Some(1), ..Wanted::new(true, it.1.to_owned()) })
                    .collect(),
            };
            wanted.extend(others.into_iter().map(|it| (utterance.piece(0, 0), it)));
        }
        // Sorted from left to right, where the sentence has positions.
        wanted.sort_by_key(|entry| {
            (placed(utterance, &entry.0, &spotted).unwrap_or(Place::Between), entry.0.from)
        });
        let mut wanted: Vec<_> = wanted.into_iter().map(|it| it.1).take(NAMES_MAX).collect();
        let (mut found, mut limit_before) = (Vec::new(), None);
        if let Some(before) = before.filter(|_| wanted.is_empty()) {
            // `その2枚で` after one card includes others, which are asked for.
            let count = utterance.numbers.pieces().map(|it| it as usize);
            let is_other = |at: usize| {
                !before.wanted.iter().any(|it| it.is_theme) && at != before.wanted.len()
            };
            if !count.is_some_and(is_other) {
                wanted.clone_from(&before.wanted);
                for card in &mut wanted {
                    (card.is_second, card.is_found) = (card.written.is_some(), false);
                }
                found.clone_from(&before.found);
                // Cards of an earlier request are fetched again, with the same limit.
                let is_fetched = !is_thumbnail || found.is_empty();
                limit_before =
                    before.limit.filter(|_| is_fetched && !is_whole(utterance, is_thumbnail));
            }
        }
        // `これとミミで` includes the cards shown before.
        if let Some(before) = before.filter(|_| is_thumbnail && found.is_empty()) {
            let is_new = |it: &&String| !wanted.iter().any(|wanted| wanted.name == **it);
            let shown: Vec<_> = match utterance.says(WITH_SHOWN) {
                true => before.found.iter().filter(is_new).take(CARDS_MAX).collect(),
                false => Vec::new(),
            };
            let shown: Vec<_> =
                shown.into_iter().map(|it| Wanted::new(false, it.clone())).collect();
            wanted.splice(0..0, shown);
        }
        // `a thumbnail of the first three` refers to the cards shown before.
        let shown = before.filter(|_| spotted.is_empty() && themes.is_empty());
        let pick = shown.and_then(|it| pick(utterance, &it.found));
        let picks_from_theme = pick.is_some();
        let listed =
            shown.filter(|_| picks_from_theme).map_or_else(Vec::new, |it| it.found.clone());
        let picks = pick.map_or_else(Vec::new, |(cards, words)| {
            wanted = cards.iter().map(|it| Wanted::new(false, it.clone())).collect();
            found = cards;
            words
        });
        // `any cards with dragons?` names a motif.
        let is_open = wanted.is_empty() && moods(&utterance.lower).is_empty();
        let is_random = is_open && is_random(utterance);
        if is_random {
            let count = count(utterance).unwrap_or(1) as usize;
            wanted = any_cards(count.min(NAMES_MAX), utterance, &[], before);
        }
        // A mood counts where there is no name.
        let mut moods = moods(&utterance.lower);
        let before_moods = moods.len();
        moods.retain(|it| !is_excluded(utterance, &utterance.piece(it.1, it.2), &[]));
        let leaves_out = !dropped.is_empty() || moods.len() < before_moods;
        let name = |it: &Theme| language.pick(it.japanese, it.english).to_owned();
        let text = |it: &(Theme, usize, usize)| utterance.piece(it.1, it.2).text;
        let mood = moods.first().filter(|_| wanted.is_empty()).map(|mood| {
            wanted.push(Wanted::new(true, name(&mood.0)));
            (text(mood), name(&mood.0))
        });
        let is_wanted = |theme: &&(Theme, usize, usize)| {
            let is_it = |name: &str| name == theme.0.japanese || name == theme.0.english;
            wanted.iter().any(|it| is_it(&it.name))
        };
        let moods = moods.iter().filter(is_wanted).map(text).collect();
        set_theme_limits(utterance, &themes, &mut wanted);
        let several = wanted.iter().filter(|it| it.is_theme).count() > 1;
        let is_of_theme = matches!(&wanted[..], [theme] if theme.is_theme);
        let is_last = is_of_theme && !is_thumbnail && !picks_from_theme && takes_last(utterance);
        let limit = count(utterance).filter(|_| !picks_from_theme).or(limit_before);
        let limit = limit.or((several && is_thumbnail).then_some(EACH_OF_TWO));
        if let Some(limit) = limit.filter(|_| is_thumbnail && wanted.len() <= found.len()) {
            // `two of them` limits the cards shown before.
            found.truncate(limit as usize);
        }
        let style = STYLES.iter().find(|it| marks(it.1).any(|it| utterance.find(it, 0).is_some()));
        let is_match = wanted.len() > 1 && is_versus;
        let counts = !is_thumbnail && how_many(utterance);
        Self {
            limit,
            is_thumbnail,
            is_versus: is_match,
            leaves_out,
            title,
            // Two cards side by side are opponents.
            style: style.map(|it| it.0.to_owned()).filter(|it| !(is_match && it == "spread")),
            is_all: is_whole(utterance, is_thumbnail) || counts,
            is_last,
            counts,
            subtitle: line.map(|it| it.text.chars().take(TITLE_MAX).collect()),
            mood,
            moods,
            ground,
            has_no_text: has_no_text(utterance),
            is_looked_for: false,
            words: {
                let open = marks(RANDOM).filter(|_| is_random).map(str::to_owned);
                let named = spotted.iter().chain(&excluded).flat_map(texts_of);
                let out = marks(OUT).filter(|_| leaves_out).map(str::to_owned);
                named.chain(picks).chain(open).chain(out).collect()
            },
            excluded: excluded.iter().map(|it| it.card.japanese.to_owned()).collect(),
            // Cards shown before need no new search.
            is_arranged: is_thumbnail && !found.is_empty(),
            is_random,
            found: if is_thumbnail { found } else { Vec::new() },
            listed,
            wanted,
            ..Self::default()
        }
    }
}

/// Whether any cards will do: `4 random cards`, `おまかせで3枚`.
pub(super) fn is_random(utterance: &Sentence) -> bool {
    utterance.says(RANDOM)
}

/// Returns `count` cards of different themes, other ones than `before`, and none of the themes `without`.
pub(super) fn any_cards(
    count: usize,
    utterance: &Sentence,
    without: &[&str],
    before: Option<&Cards>,
) -> Vec<Wanted> {
    // A step that reaches every card.
    const STEPS: [usize; 4] = [11, 13, 17, 1];
    let cards = &known_names().cards;
    let place = |name: &String| cards.iter().position(|it| is_named_as(it, name));
    let shown: Vec<usize> = before.iter().flat_map(|it| &it.found).filter_map(place).collect();
    let sum = || utterance.lower.iter().map(|it| *it as usize).sum();
    let step =
        STEPS.into_iter().find(|it| *it == 1 || !cards.len().is_multiple_of(*it)).unwrap_or(1);
    let first = shown.last().map_or_else(sum, |it| it + step);
    let order = (0..cards.len()).map(|it| (first + it * step) % cards.len());
    let is_kept = |at: &usize| !shown.contains(at) && !without.contains(&cards[*at].theme);
    let new = order.filter(is_kept).take(count);
    new.map(|it| Wanted::new(false, cards[it].japanese.to_owned())).collect()
}

/// Whether cards of each theme are requested: `one card from every theme`, `各テーマから一枚ずつ`.
pub(super) fn is_of_each_theme(utterance: &Sentence) -> bool {
    const EACH: &str = "from every theme|from each theme|of every theme|of each theme|for every theme|for each theme|per theme|from all themes|from all the themes|each of the themes|from every set|from each set|各テーマ|全テーマから|すべてのテーマから|全部のテーマから|全てのテーマから|テーマごとに|それぞれのテーマから";
    let is_counted = utterance.numbers.pieces().is_some() || count(utterance).is_some();
    is_counted && marks(EACH).any(|it| utterance.find(it, 0).is_some())
}

/// Whether cards are picked from a theme: `雪月花から2枚`, `two from the forest spirits`.
pub(super) fn picks_from_theme(utterance: &Sentence) -> bool {
    let is_from = |piece: &Piece| {
        let before: String = utterance.lower[..piece.from].iter().collect();
        let before = before.trim_end();
        let before = before.strip_suffix(" the").unwrap_or(before);
        utterance.is_at("から", piece.to)
            || utterance.is_at("の中から", piece.to)
            || before.ends_with(" from")
    };
    let pick = |it: &(Theme, Piece)| it.0.is_name && is_from(&it.1);
    utterance.themes().iter().any(pick)
        && (!utterance.spotted(true).is_empty() || count(utterance).is_some())
}

/// Whether known cards or themes are to be composed: in a style, with a title, as opponents, before a background.
pub(super) fn describes_layout(utterance: &Sentence) -> bool {
    let line = subtitle(utterance);
    let on_it = bare(utterance);
    let written: Vec<Piece> = line.iter().chain(&on_it).cloned().collect();
    let cards = cards_in(utterance, &written);
    let themes = utterance.themes();
    let names = cards.iter().filter(|it| it.is_name).count();
    let is_named = names > 0 || themes.iter().any(|it| it.0.is_name);
    let is_several = cards.len() + themes.len() > 1;
    let says = |words: &'static str| marks(words).any(|it| utterance.find(it, 0).is_some());
    let is_ground = themes.iter().any(|it| is_ground(utterance, &it.1));
    let is_styled = STYLES.iter().any(|it| says(it.1));
    let is_versus = utterance.has(&[rules::VERSUS]) || says("対");
    let is_titled = line.is_some() || on_it.is_some() || title(utterance).0.is_some();
    let is_asked_for = utterance.has(&[Word::MAKE, Word::WANT]) || says("image|picture|画像|絵を");
    let is_match = is_versus && is_several && is_asked_for;
    let is_told = is_titled || is_ground || is_styled || is_match;
    // A question which of two wins requests no picture.
    if says("どっち|どちら|勝つ|勝て|強い|which|who |wins|would win|stronger|better") {
        return false;
    }
    // Motifs count as names where the rest is about a picture.
    let is_picture = is_titled && (is_styled || is_versus || utterance.has(&[rules::CARD]));
    is_named && is_told || is_picture && !(cards.is_empty() && themes.is_empty())
}

/// Removes descriptions such as `暗い森っぽい`, and words that name nothing, from `names`.
fn without_descriptions(utterance: &Sentence, mut names: Vec<Piece>) -> Vec<Piece> {
    let moods = moods(&utterance.lower);
    names.retain(|name| {
        const LIKE: &str = "っぽい|ぽい|な|の|い|しい|め|系|風|的|any|some| |-|themed|ish";
        let is_mood = |at: &usize| moods.iter().any(|it| (it.1..it.2).contains(at));
        let rest: String =
            (name.from..name.to).filter(|at| !is_mood(at)).map(|at| utterance.lower[at]).collect();
        let rest = marks(LIKE).fold(rest, |rest, it| rest.replace(it, ""));
        let is_named = !(name.from..name.to).any(|at| is_mood(&at)) || !rest.is_empty();
        let is_style = STYLES.iter().any(|style| marks(style.1).any(|word| word == name.text));
        let lower = name.text.to_lowercase();
        let bare = lower.trim_end_matches(['な', 'の', 'に']);
        is_named && !is_style && !marks(NO_NAMES).any(|it| it == bare)
    });
    names
}

/// Returns the number directly before `at`.
fn number_before(utterance: &Sentence, at: usize) -> Option<u32> {
    let before: String = utterance.lower[..at].iter().collect();
    let last = before.trim_end().rsplit(' ').next()?;
    whole(last).filter(|it| (1..=20).contains(it))
}

/// Returns the number of cards of a mood: `three dragons`.
pub(super) fn counted_mood(utterance: &Sentence) -> Option<u32> {
    moods(&utterance.lower).iter().find_map(|it| number_before(utterance, it.1))
}

/// Returns the number of requested cards.
pub(super) fn count(utterance: &Sentence) -> Option<u32> {
    const ONE: &str = "a single card|single card|just one card|only one card|one card only";
    const TWO: &str = "a couple|couple of|a pair of|just two|only two|two of";
    let says = |words: &'static str| marks(words).any(|it| utterance.find(it, 0).is_some());
    // `three verdant spirits cards`.
    let counted = || utterance.themes().iter().find_map(|it| number_before(utterance, it.1.from));
    // `only 2`.
    let limited = || {
        let text: String = utterance.lower.iter().collect();
        ["only ", "just ", "another ", "max ", "at most ", "up to "].iter().find_map(|lead| {
            let (_, rest) = text.split_once(lead)?;
            whole(rest.split([' ', ',', '.', '!']).next()?)
        })
    };
    // `one more`.
    let more = || {
        let text: String = utterance.lower.iter().collect();
        let (before, _) = text.split_once(" more")?;
        whole(before.rsplit(' ').next()?)
    };
    let mood = || counted_mood(utterance);
    // `actually two`.
    let bare = || {
        const AROUND: &str = "actually|no|wait|sorry|make|it|that|just|please|then|ok|hm|hmm";
        let text: String = utterance.lower.iter().collect();
        let is_word = |it: &&str| !it.is_empty() && !marks(AROUND).any(|word| word == *it);
        let mut words = text.split([' ', ',', '.', '!']).filter(is_word);
        words.next().filter(|_| words.next().is_none()).and_then(whole)
    };
    let pieces = utterance.numbers.pieces().or_else(counted).or_else(mood).or_else(bare);
    let pieces = pieces.or_else(limited).or_else(more);
    let pieces = pieces.filter(|it| *it > 0);
    pieces.or(says(ONE).then_some(1)).or(says(TWO).then_some(2))
}

/// Sets the limit of each theme: `two golden cards and one purple card`, `two blue cards and a red one`.
fn set_theme_limits(utterance: &Sentence, themes: &[(Theme, Piece)], wanted: &mut [Wanted]) {
    let counts = utterance.numbers.counts.iter().filter(|it| it.0 == Unit::Pieces).map(|it| it.1);
    let counts: Vec<u32> = counts.collect();
    if counts.len() == wanted.len() && counts.len() > 1 {
        for (wanted, count) in wanted.iter_mut().zip(counts) {
            wanted.limit = Some(count);
        }
    }
    // `2 golden and 1 crimson`: the number directly before each theme.
    let own = |piece: &Piece| {
        let before: String = utterance.lower[..piece.from].iter().collect();
        let last = before.strip_suffix(' ')?.rsplit(' ').next()?.to_owned();
        whole(&last).or(["a", "an"].contains(&last.as_str()).then_some(1)).filter(|it| *it > 0)
    };
    let own: Vec<_> = themes.iter().map(|it| own(&it.1)).collect();
    let is_several = themes.len() > 1 && wanted.len() == themes.len();
    let is_counted = utterance.numbers.pieces().is_some() || own.iter().flatten().any(|it| *it > 1);
    if is_several && is_counted {
        for (wanted, own) in wanted.iter_mut().zip(own) {
            wanted.limit = wanted.limit.or(own);
        }
    }
}

/// Returns the texts that name a card in the sentence.
fn texts_of(spotted: &Spotted) -> impl Iterator<Item = String> + '_ {
    std::iter::once(&spotted.piece).chain(&spotted.also).map(|it| it.text.clone())
}

/// Whether `name` is a name of `card`.
pub(super) fn is_named_as(card: &Card, name: &str) -> bool {
    card.japanese == name || card.english == name
}
