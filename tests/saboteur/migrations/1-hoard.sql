-- Whatever fills it.
CREATE TABLE hoard (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);
