-- What the schedule did, and what the mailbox holds.
CREATE TABLE runs (
  run_id INTEGER PRIMARY KEY
);

CREATE TABLE letters (
  letter_id INTEGER PRIMARY KEY,
  text TEXT NOT NULL
);
