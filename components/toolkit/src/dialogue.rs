//! Understanding what people write, without a model: what [`export_dialogue!`](crate::export_dialogue)
//! exports, turn by turn.

pub use crate::bindings::dialogue::exports::madoguchi::tool::dialogue::{
    Answer, Answered, Call, Choice, Failure, Guest, Language, Output, Picture, Piece, Remark,
    Reply, Step, Tool, Turn,
};
