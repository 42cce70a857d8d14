//! Words of a family, and those of the other families, which arrive with each turn.

use std::{
    cell::RefCell,
    hash::{DefaultHasher, Hash, Hasher},
    rc::Rc,
};

use toolkit::dialogue::Name;

use crate::{
    language::Language,
    scan::Lexicon,
    words::{PHRASES, Word},
};

/// Kind of names that are a family's words: `within` is the family, `also` are its nouns, `moods` its actions and
/// heads, and `hints` its other words.
const KIND: &str = "word";
/// Kind of names that are assistants: `name` and `english` are its titles, `also` its tools, `*` for all.
pub const ASSISTANT: &str = "assistant";
/// Maximum words of one name.
const CHUNK: usize = 64;

/// Unit of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// People, or something each has one of.
    People,
    /// Things.
    Pieces,
}

/// Kind of an identifier.
pub type Id = &'static str;

/// Spans of a sentence, in characters.
pub type Spans = Vec<(usize, usize)>;
/// Names at a position, and their length in characters.
pub type Marked = Option<(Vec<String>, usize)>;

/// Vocabulary of a family.
#[derive(Debug)]
pub struct Vocabulary {
    /// The name of the family.
    pub family: &'static str,
    /// Lowercase phrases, separated by `|`.
    pub phrases: &'static [(Word, &'static str)],
    /// Nouns for the family's things.
    pub nouns: &'static [Word],
    /// Actions, which a sentence may deny.
    pub actions: &'static [Word],
    /// Participles of the actions, for questions about them: `booked`, `押さえ`.
    pub done: &'static str,
    /// Other words that a name may precede.
    pub heads: &'static [Word],
    /// Labels of identifiers, by kind.
    pub labels: &'static [(Id, &'static str)],
    /// Counters and their units.
    pub counters: &'static [(Unit, &'static str)],
    /// Words that contain a number and its unit.
    pub counts: &'static [(u32, Unit, &'static str)],
    /// Known words that count as conditions if no plan uses them, a table for each kind.
    pub conditions: &'static [&'static str],
    /// Finds further known spans in a lowercase sentence.
    pub spans: fn(&[char]) -> Spans,
    /// Finds names of categories, which are no names of things.
    pub kinds: fn(&[char]) -> Spans,
    /// Finds things named by a letter and a number at a position of the sentence, as written and in lower case.
    pub marks: fn(&[char], &[char], usize) -> Marked,
}

impl Vocabulary {
    /// An empty vocabulary.
    pub const NONE: Self = Self {
        family: "",
        phrases: &[],
        nouns: &[],
        actions: &[],
        done: "",
        heads: &[],
        labels: &[],
        counters: &[],
        counts: &[],
        conditions: &[],
        spans: |_| Vec::new(),
        kinds: |_| Vec::new(),
        marks: |_, _, _| None,
    };

    /// Returns its words for other families.
    pub fn names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        for (word, phrases) in self.phrases {
            let phrases: Vec<_> = phrases.split('|').map(str::to_owned).collect();
            for chunk in phrases.chunks(CHUNK) {
                let mut name = Name {
                    kind: KIND.to_owned(),
                    name: chunk[0].trim().to_owned(),
                    english: None,
                    within: Some(self.family.to_owned()),
                    also: Vec::new(),
                    hints: Vec::new(),
                    moods: Vec::new(),
                };
                let list = match () {
                    () if self.nouns.contains(word) => &mut name.also,
                    () if self.actions.contains(word) || self.heads.contains(word) => {
                        &mut name.moods
                    }
                    () => &mut name.hints,
                };
                list.extend_from_slice(chunk);
                names.push(name);
            }
        }
        names
    }

    /// Returns the lexicons of its own words and of the other families'.
    pub(crate) fn lexicons(&'static self) -> [Rc<Lexicon<Word>>; 2] {
        LEXICONS.with_borrow_mut(|it| it.get(self))
    }
}

/// Lexicons of the names received last.
struct LexiconCache {
    hash: u64,
    received: Vec<(Word, String, String)>,
    made: Vec<(&'static str, [Rc<Lexicon<Word>>; 2])>,
}

thread_local! {
    static ASSISTANTS: RefCell<Vec<Name>> = const { RefCell::new(Vec::new()) };
    static LEXICONS: RefCell<LexiconCache> =
        const { RefCell::new(LexiconCache { hash: 0, received: Vec::new(), made: Vec::new() }) };
}

impl LexiconCache {
    fn get(&mut self, vocabulary: &'static Vocabulary) -> [Rc<Lexicon<Word>>; 2] {
        if let Some(made) = self.made.iter().find(|it| it.0 == vocabulary.family) {
            return made.1.clone();
        }
        let own: Vec<_> = PHRASES.iter().chain(vocabulary.phrases).copied().collect();
        let theirs = self.received.iter().filter(|it| it.2 != vocabulary.family);
        let theirs: Vec<_> = theirs.map(|it| (it.0, it.1.as_str())).collect();
        let both = [Rc::new(Lexicon::loose(&own)), Rc::new(Lexicon::loose(&theirs))];
        self.made.push((vocabulary.family, both.clone()));
        both
    }

    fn set_other_families(&mut self, names: &[Name]) {
        let names = names.iter().filter(|it| it.kind == KIND);
        let mut hasher = DefaultHasher::new();
        for it in names.clone() {
            (&it.within, &it.also, &it.moods, &it.hints).hash(&mut hasher);
        }
        let hash = hasher.finish();
        if hash == self.hash {
            return;
        }
        self.hash = hash;
        self.made.clear();
        self.received.clear();
        for it in names {
            let family = it.within.clone().unwrap_or_default();
            let lists = [
                (Word::THEIRS, &it.also),
                (Word::THEIR_ACTION, &it.moods),
                (Word::THEIR_WORD, &it.hints),
            ];
            for (word, phrases) in lists.into_iter().filter(|it| !it.1.is_empty()) {
                self.received.push((word, phrases.join("|"), family.clone()));
            }
        }
    }
}

/// Sets the words of other families, and the other assistants, to those among `names`.
pub fn set_other_families(names: &[Name]) {
    let assistants = names.iter().filter(|it| it.kind == ASSISTANT).cloned().collect();
    ASSISTANTS.set(assistants);
    LEXICONS.with_borrow_mut(|it| it.set_other_families(names));
}

/// Title of another assistant that has all of `tools`.
pub(crate) fn assistant_with(tools: &[&str], language: Language) -> Option<String> {
    ASSISTANTS.with_borrow(|all| {
        let has = |it: &Name, tool: &str| it.also.iter().any(|own| own == "*" || own == tool);
        let found = all.iter().find(|it| tools.iter().all(|tool| has(it, tool)))?;
        let english = found.english.as_ref().unwrap_or(&found.name);
        Some(language.pick(&found.name, english).clone())
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::utterance::Utterance;

    const BOOK: Word = Word::own(0);
    const LEND: Word = Word::own(1);
    static LIBRARY: Vocabulary = Vocabulary {
        family: "library",
        phrases: &[(BOOK, "本棚|bookshelf"), (LEND, "借りる|borrow")],
        nouns: &[BOOK],
        actions: &[LEND],
        ..Vocabulary::NONE
    };
    static CHOIR: Vocabulary = Vocabulary { family: "choir", ..Vocabulary::NONE };

    #[test]
    fn families_know_each_others_words() {
        let names = LIBRARY.names();
        assert!(names.iter().all(|it| it.within.as_deref() == Some("library")), "{names:?}");
        set_other_families(&names);
        let utterance =
            |text: &str, vocabulary| Utterance::parse(text, date(2026, 11, 21), vocabulary);
        let own = utterance("borrow from the bookshelf", &LIBRARY);
        assert!(own.has(&[BOOK]) && own.has(&[LEND]) && !own.has(&[Word::THEIRS]));
        let foreign = utterance("borrow from the bookshelf", &CHOIR);
        assert!(foreign.has(&[Word::THEIRS]) && foreign.has(&[Word::THEIR_ACTION]));
        set_other_families(&[]);
        assert!(!utterance("borrow from the bookshelf", &CHOIR).has(&[Word::THEIRS]));
    }
}
