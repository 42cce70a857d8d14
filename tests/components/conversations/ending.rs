//! How conversations end (CONV-15 to CONV-19, CONV-40 to CONV-44).
