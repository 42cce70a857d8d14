//! Random histories of three agents, against a plain reference model.
