//! What the place looks like: sizes, themes, axe.
