//! What get_next_action says, in which order (CONV-50 to CONV-54).
