//! Many agents at a time: nothing lost, nothing twice, order kept.
