-- What a catalogue elsewhere answered lately: the cards that fit a question. Nobody's: what is asked has
-- no caller in it. Moments are seconds since 1970.
CREATE TABLE answers (
  asked TEXT NOT NULL PRIMARY KEY,
  until_s BIGINT NOT NULL,
  bytes INTEGER NOT NULL,
  answer TEXT NOT NULL
);

CREATE INDEX answers_by_time ON answers (until_s);

-- Pictures that were fetched once and are kept here; a catalogue's pictures are not asked for again.
CREATE TABLE pictures (
  url TEXT NOT NULL PRIMARY KEY,
  until_s BIGINT NOT NULL,
  bytes INTEGER NOT NULL,
  mime_type TEXT NOT NULL
);

CREATE INDEX pictures_by_time ON pictures (until_s);

-- Their bytes, in pieces that fit into a row.
CREATE TABLE pieces (
  url TEXT NOT NULL,
  number INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (url, number)
);

-- When the next request may go to a source that asks for a pause between two, and until when a source
-- wants none at all; in milliseconds since 1970.
CREATE TABLE pace (
  source TEXT NOT NULL PRIMARY KEY,
  at_ms BIGINT NOT NULL,
  closed_until_ms BIGINT NOT NULL
);
