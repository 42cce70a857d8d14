//! What has illustrations: sources, and the one that the component brings itself.

mod builtin;
pub mod matching;

use toolkit::{
    Stop,
    dialogue::Name,
    names::{NEAR_MIN, fold, nearness},
};

use crate::picture::Picture;

pub use builtin::Builtin;

/// How near a thing is that fits as well as another one: nearer than any that does not fit.
const ALIKE: f64 = 4.0;

/// What a source has for a name.
#[derive(Clone, Debug)]
pub struct Found<T> {
    /// The pictures.
    pub it: T,
    /// Whether the name is one of its names, as a whole.
    pub is_whole: bool,
}

/// A place that has illustrations.
///
/// Names are as a person writes them: each source that has its names here finds them by [`matching::find`].
pub trait Source {
    /// The card that `name` means, or none.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn card(&self, name: &str) -> Result<Option<Found<Picture>>, Stop>;

    /// At least one and up to `limit` cards of the theme that `name` means, best known first; or none.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop>;

    /// Names of cards that come near, best first, each with how near (see [`toolkit::names::nearness`]).
    ///
    /// # Errors
    /// Where the source cannot say.
    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop>;

    /// Names of themes that come near, best first, each with how near.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop>;

    /// What people may call its cards and themes, as far as it knows without asking elsewhere.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn names(&self) -> Result<Vec<Name>, Stop> {
        Ok(Vec::new())
    }
}

/// The places of those among `all` that `name` means, and whether it names them as a whole.
pub fn meant<'a, N: Iterator<Item = &'a str>>(
    name: &str,
    all: impl Iterator<Item = N>,
) -> (Vec<usize>, bool) {
    let names: Vec<Vec<&str>> = all.map(Iterator::collect).collect();
    let found = matching::find(name, &names);
    let is_whole = found.iter().any(|it| matching::is_one_of(name, &names[*it]));
    (found, is_whole)
}

/// Names that come near, each with how near, of things with their name and all their names. Those that
/// are meant alike come first.
pub fn near<'a, N: Iterator<Item = &'a str>>(
    name: &str,
    alike: &[usize],
    all: impl Iterator<Item = (&'a String, N)>,
) -> Vec<(f64, String)> {
    let query = fold(name);
    let near = |(at, (name, names)): (usize, (&'a String, N))| {
        let near = if alike.contains(&at) { ALIKE } else { nearness(&query, names) };
        (near >= NEAR_MIN).then(|| (near, name.clone()))
    };
    let mut near: Vec<_> = all.enumerate().filter_map(near).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near
}
