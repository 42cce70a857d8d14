//! How conversations begin (CONV-30 to CONV-33).
