//! What has illustrations: sources, and the one that the component brings itself.

mod builtin;

use toolkit::{Stop, dialogue::Name};

use crate::picture::Picture;

pub use builtin::Builtin;

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
/// Names are as a person writes them: each source that has its names here finds them by [`find`](crate::matching::find).
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
