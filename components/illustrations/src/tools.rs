//! The tools, in the order in which a user meets them.

mod card;
mod compose;
mod theme;

pub use card::GetCardIllustration;
pub use compose::ComposeThumbnail;
pub use theme::GetThemeIllustrations;

toolkit::export_tools!(GetCardIllustration, GetThemeIllustrations, ComposeThumbnail);
