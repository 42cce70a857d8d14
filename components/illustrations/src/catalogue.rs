//! What has illustrations: sources, and the one that the component brings itself.

mod builtin;
pub mod matching;

use toolkit::{Stop, dialogue::Name};

use crate::picture::Picture;

pub use builtin::Builtin;

/// A place that has illustrations.
///
/// Names are as a person writes them: each source finds its cards by the rule of [`toolkit::names`] (CIN-13).
pub trait Source {
    /// The card that best fits `name`, or none.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn card(&self, name: &str) -> Result<Option<Picture>, Stop>;

    /// At least one and up to `limit` cards of the theme that best fits `name`, best known first; or none.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn theme(&self, name: &str, limit: usize) -> Result<Option<Vec<Picture>>, Stop>;

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
