//! A form that somebody asked for: filled in, sent, or looked at afterwards.

mod field;

pub(crate) use field::FieldView;
