//! Time-outs, with a fake clock (CONV-20 to CONV-23).
