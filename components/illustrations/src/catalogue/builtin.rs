//! The bundled source: cards of our own invention, whose art is drawn when it is asked for.

use toolkit::{
    Stop,
    dialogue::Name,
    names::{NEAR_MIN, fold, nearness},
};

use super::{Source, matching};
use crate::{
    art,
    cards::{Card, Theme, themes},
    picture::Picture,
    spoken,
};

/// How near a card is that fits as well as another one: nearer than any that does not fit.
const ALIKE: f64 = 4.0;

/// The bundled cards.
#[derive(Clone, Copy, Debug)]
pub struct Builtin;

impl Source for Builtin {
    fn card(&self, name: &str) -> Result<Option<Picture>, Stop> {
        let (cards, found) = meant(name);
        Ok(if let [only] = found[..] { Some(art::picture(cards[only])) } else { None })
    }

    fn theme(&self, name: &str, limit: usize) -> Result<Option<Vec<Picture>>, Stop> {
        let query = fold(name);
        let found = best(themes().iter().filter_map(|it| Some((it.fit(&query)?, it))));
        Ok(found.map(|it| it.cards.iter().take(limit).map(art::picture).collect()))
    }

    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        let query = fold(name);
        let (cards, found) = meant(name);
        // Those that fit alike come first.
        let alike = found.iter().map(|it| (ALIKE, &cards[*it].name));
        let others = (0..cards.len()).filter(|it| !found.contains(it)).map(|it| cards[it]);
        Ok(near(alike.chain(others.map(|it| (nearness(&query, it.names()), &it.name)))))
    }

    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        let query = fold(name);
        Ok(near(themes().iter().map(|it: &Theme| (it.nearness(&query), &it.name))))
    }

    fn names(&self) -> Result<Vec<Name>, Stop> {
        Ok(spoken::names())
    }
}

/// All cards, and the places of those that `name` means.
fn meant(name: &str) -> (Vec<&'static Card>, Vec<usize>) {
    let cards: Vec<_> = themes().iter().flat_map(|it| it.cards.iter()).collect();
    let names: Vec<Vec<&str>> = cards.iter().map(|it| it.names().collect()).collect();
    let found = matching::find(name, &names);
    (cards, found)
}

/// The one that fits best; of several that fit alike, the first.
fn best<T>(all: impl Iterator<Item = (f64, T)>) -> Option<T> {
    all.fold(None, |best: Option<(f64, T)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    })
    .map(|it| it.1)
}

fn near<'a>(all: impl Iterator<Item = (f64, &'a String)>) -> Vec<(f64, String)> {
    let mut near: Vec<_> = all.filter(|it| it.0 >= NEAR_MIN).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().map(|(near, name)| (near, name.clone())).collect()
}
