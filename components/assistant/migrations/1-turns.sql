-- What a conversation goes on from: one row a turn, which never changes.
CREATE TABLE turns (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  -- 1 where it waits for its person.
  waits INTEGER NOT NULL,
  -- Its place among all of them: the oldest goes first.
  position INTEGER NOT NULL,
  bytes INTEGER NOT NULL
);

CREATE INDEX turns_by_owner ON turns (owner, waits, position);

-- Its document, in pieces that fit a row.
CREATE TABLE pieces (
  turn TEXT NOT NULL,
  place INTEGER NOT NULL,
  piece TEXT NOT NULL,
  PRIMARY KEY (turn, place)
);

-- How each provider was when it was last asked.
CREATE TABLE providers (
  name TEXT PRIMARY KEY,
  answered INTEGER NOT NULL,
  seen_s INTEGER NOT NULL
);

-- What was learnt of a server's models, by its address: the field for the length of an answer, and of the model
-- named '' the one that the server has first.
CREATE TABLE learnt (
  url TEXT NOT NULL,
  model TEXT NOT NULL,
  fact TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (url, model)
);
