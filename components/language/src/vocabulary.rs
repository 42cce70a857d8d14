//! The words of a family, and those of the other families, which it receives turn by turn.

use std::{
    cell::RefCell,
    hash::{DefaultHasher, Hash, Hasher},
    rc::Rc,
};

use toolkit::dialogue::Name;

use crate::{
    scan::Lexicon,
    words::{PHRASES, Word},
};

/// The kind of names that are a family's words: `within` is the family, `also` are its nouns, `moods` its deeds
/// and `hints` its other words.
const KIND: &str = "word";
/// As many as one name may have.
const CHUNK: usize = 64;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// People, and what each of them has one of.
    People,
    /// Names of things that are counted.
    Pieces,
}

/// What an identifier names.
pub type Id = &'static str;

/// Pieces of a sentence, from where to where, in characters.
pub type Spans = Vec<(usize, usize)>;
/// What is marked at a place, and how many characters it takes.
pub type Marked = Option<(Vec<String>, usize)>;

/// What a family's sentences are made of.
#[derive(Debug)]
pub struct Vocabulary {
    /// The name of the family.
    pub family: &'static str,
    /// Phrases, `|` between them, in lower case.
    pub phrases: &'static [(Word, &'static str)],
    /// Words for what it has.
    pub nouns: &'static [Word],
    /// Words for what is done with that, which a sentence may deny.
    pub deeds: &'static [Word],
    /// What these are called once they are done, and asked about: `booked`, `押さえ`.
    pub done: &'static str,
    /// Other words before which a name of such a thing may stand.
    pub heads: &'static [Word],
    /// What introduces an identifier of each kind.
    pub labels: &'static [(Id, &'static str)],
    /// The words of counters, each with what it counts.
    pub counters: &'static [(Unit, &'static str)],
    /// Words that are a number of something.
    pub counts: &'static [(u32, Unit, &'static str)],
    /// Words that are known as harmless and that do mean something, a table for each kind.
    pub conditions: &'static [&'static str],
    /// What else is known in a sentence in lower case.
    pub spans: fn(&[char]) -> Spans,
    /// Names of kinds, which are no names of things.
    pub kinds: fn(&[char]) -> Spans,
    /// Things that are named by a letter and a number: at a place of a sentence, as it is written and in lower case.
    pub marks: fn(&[char], &[char], usize) -> Marked,
}

impl Vocabulary {
    /// A vocabulary without words.
    pub const NONE: Self = Self {
        family: "",
        phrases: &[],
        nouns: &[],
        deeds: &[],
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

    /// Its words, as other families receive them.
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
                    () if self.deeds.contains(word) || self.heads.contains(word) => &mut name.moods,
                    () => &mut name.hints,
                };
                list.extend_from_slice(chunk);
                names.push(name);
            }
        }
        names
    }

    /// The lexicons of its own words and of those of the others.
    pub(crate) fn lexicons(&'static self) -> [Rc<Lexicon<Word>>; 2] {
        LEXICONS.with_borrow_mut(|it| it.of(self))
    }
}

/// The names that were received last, and the lexicons that were made for them.
struct Lexicons {
    hash: u64,
    received: Vec<(Word, String, String)>,
    made: Vec<(&'static str, [Rc<Lexicon<Word>>; 2])>,
}

thread_local! {
    static LEXICONS: RefCell<Lexicons> =
        const { RefCell::new(Lexicons { hash: 0, received: Vec::new(), made: Vec::new() }) };
}

impl Lexicons {
    fn of(&mut self, vocabulary: &'static Vocabulary) -> [Rc<Lexicon<Word>>; 2] {
        if let Some(it) = self.made.iter().find(|it| it.0 == vocabulary.family) {
            return it.1.clone();
        }
        let own: Vec<_> = PHRASES.iter().chain(vocabulary.phrases).copied().collect();
        let theirs = self.received.iter().filter(|it| it.2 != vocabulary.family);
        let theirs: Vec<_> = theirs.map(|it| (it.0, it.1.as_str())).collect();
        let both = [Rc::new(Lexicon::loose(&own)), Rc::new(Lexicon::loose(&theirs))];
        self.made.push((vocabulary.family, both.clone()));
        both
    }

    fn tell(&mut self, names: &[Name]) {
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
                (Word::THEIR_DEED, &it.moods),
                (Word::THEIR_WORD, &it.hints),
            ];
            for (word, phrases) in lists.into_iter().filter(|it| !it.1.is_empty()) {
                self.received.push((word, phrases.join("|"), family.clone()));
            }
        }
    }
}

/// From now on the words of other families are those among `names`.
pub fn tell(names: &[Name]) {
    LEXICONS.with_borrow_mut(|it| it.tell(names));
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
        deeds: &[LEND],
        ..Vocabulary::NONE
    };
    static CHOIR: Vocabulary = Vocabulary { family: "choir", ..Vocabulary::NONE };

    #[test]
    fn the_words_of_one_family_are_known_as_such_to_the_others() {
        let names = LIBRARY.names();
        assert!(names.iter().all(|it| it.within.as_deref() == Some("library")), "{names:?}");
        tell(&names);
        let utterance =
            |text: &str, vocabulary| Utterance::of(text, date(2026, 11, 21), vocabulary);
        let own = utterance("borrow from the bookshelf", &LIBRARY);
        assert!(own.has(&[BOOK]) && own.has(&[LEND]) && !own.has(&[Word::THEIRS]));
        let foreign = utterance("borrow from the bookshelf", &CHOIR);
        assert!(foreign.has(&[Word::THEIRS]) && foreign.has(&[Word::THEIR_DEED]));
        tell(&[]);
        assert!(!utterance("borrow from the bookshelf", &CHOIR).has(&[Word::THEIRS]));
    }
}
