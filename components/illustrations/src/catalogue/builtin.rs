//! The bundled source: cards of our own invention, whose art is drawn when it is asked for.

use toolkit::{Stop, dialogue::Name};

use super::{Found, Source, meant, near};
use crate::{
    art,
    cards::{self, Card, themes},
    picture::Picture,
    spoken,
};

/// The bundled cards.
#[derive(Clone, Copy, Debug)]
pub struct Builtin;

impl Source for Builtin {
    fn card(&self, name: &str) -> Result<Option<Found<Picture>>, Stop> {
        let cards = all_cards();
        let (found, is_whole) = meant(name, cards.iter().map(|it| it.names()));
        let [only] = found[..] else { return Ok(None) };
        Ok(Some(Found { it: art::picture(cards[only]), is_whole }))
    }

    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop> {
        let (found, is_whole) = cards::meant(name);
        let [only] = found[..] else { return Ok(None) };
        let it = themes()[only].cards.iter().take(limit).map(art::picture).collect();
        Ok(Some(Found { it, is_whole }))
    }

    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        let cards = all_cards();
        let (alike, _) = meant(name, cards.iter().map(|it| it.names()));
        Ok(near(name, &alike, cards.into_iter().map(|it| (&it.name, it.names()))))
    }

    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        Ok(cards::near(name))
    }

    fn names(&self) -> Result<Vec<Name>, Stop> {
        Ok(spoken::names())
    }
}

fn all_cards() -> Vec<&'static Card> {
    themes().iter().flat_map(|it| it.cards.iter()).collect()
}
