-- What look-ups elsewhere answered lately. Nobody's: they go out without anybody's credentials.

CREATE TABLE lookups (
  url TEXT NOT NULL PRIMARY KEY,
  asked_at BIGINT NOT NULL,
  bytes INTEGER NOT NULL,
  answer TEXT NOT NULL
);

CREATE INDEX lookups_by_time ON lookups (asked_at);
