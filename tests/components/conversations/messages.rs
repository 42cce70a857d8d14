//! Messages: the matrix of who may write to whom (CONV-60 to CONV-75).
