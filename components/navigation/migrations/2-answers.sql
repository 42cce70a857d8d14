-- What a provider answered lately, for as long as it holds and its terms allow. Nobody's: what is asked
-- of a provider has no caller in it. Moments are seconds since 1970.
CREATE TABLE answers (
  asked TEXT NOT NULL PRIMARY KEY,
  until_s BIGINT NOT NULL,
  bytes INTEGER NOT NULL,
  answer TEXT NOT NULL
);

CREATE INDEX answers_by_time ON answers (until_s);

-- How it went when a provider was last asked.
CREATE TABLE outcomes (
  provider TEXT NOT NULL PRIMARY KEY,
  status TEXT NOT NULL,
  at_s BIGINT NOT NULL
);
