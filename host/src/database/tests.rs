//! Tests of the database, one file a subject.
