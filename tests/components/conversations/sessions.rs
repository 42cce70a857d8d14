//! Sessions: authenticate and logout (CONV-80 to CONV-85).
