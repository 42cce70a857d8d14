//! Understanding what people write, without a model: what [`export_dialogue!`](crate::export_dialogue)
//! exports, turn by turn; and the names that [`export_names!`](crate::export_names) tells.

pub use crate::bindings::dialogue::exports::madoguchi::tool::dialogue::{
    Answer, Answered, Call, Choice, Failure, Guest, Language, Output, Picture, Piece, Remark,
    Reply, Step, Tool, Turn,
};
pub use crate::bindings::madoguchi::tool::types::Name;
pub use crate::bindings::names::exports::madoguchi::tool::names::Guest as Names;
