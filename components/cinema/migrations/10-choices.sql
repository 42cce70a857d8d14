-- What a person has chosen in an app that is drawn in another program, so that a frame that is loaded again goes on where
-- it was. A day old, it is forgotten.

CREATE TABLE choices (
  view TEXT NOT NULL PRIMARY KEY,
  principal TEXT NOT NULL,
  choice TEXT NOT NULL,
  kept_at BIGINT NOT NULL
);

CREATE INDEX choices_by_principal ON choices (principal, kept_at);
