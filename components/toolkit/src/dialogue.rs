//! Understanding what people write, without a model: what [`export_dialogue!`](crate::export_dialogue)
//! exports, turn by turn; the names that [`export_names!`](crate::export_names) tells, and the examples that
//! [`export_samples!`](crate::export_samples) gives.

pub use crate::bindings::dialogue::exports::madoguchi::tool::dialogue::Guest;
/// Asks the components that export it; with the grant `runs`.
pub use crate::bindings::madoguchi::tool::dialogues::{Heard, ask, names};
pub use crate::bindings::madoguchi::tool::sentences::{
    Answer, Answered, Call, Choice, Failure, Language, Output, Picture, Piece, Remark, Reply, Step,
    Tool, Turn,
};
pub use crate::bindings::madoguchi::tool::types::Name;
pub use crate::bindings::names::exports::madoguchi::tool::names::Guest as Names;
pub use crate::bindings::samples::exports::madoguchi::tool::samples::{Guest as Samples, Sample};
