//! What all that understands sentences without a model has in common.
