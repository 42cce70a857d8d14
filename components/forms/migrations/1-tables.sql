-- Forms that somebody asked for. Moments are milliseconds since 1970; what is JSON is text.
CREATE TABLE forms (
  handle TEXT NOT NULL PRIMARY KEY,
  definition TEXT NOT NULL,
  title TEXT NOT NULL,
  principal TEXT NOT NULL,
  asked_by TEXT,
  asked_at BIGINT NOT NULL,
  status TEXT NOT NULL,
  answered_at BIGINT,
  answer TEXT,
  labels TEXT,
  draft TEXT,
  drafted_at BIGINT,
  revision INTEGER NOT NULL,
  -- When whoever asked has read the answer: from then on it cannot be taken back.
  read_at BIGINT,
  CHECK (status IN ('waiting', 'submitted', 'cancelled', 'declined'))
);

CREATE INDEX forms_by_time ON forms (asked_at, handle);

CREATE INDEX forms_by_principal ON forms (principal, status);

CREATE INDEX forms_by_status ON forms (status, asked_at);

-- The uploaded files that a form's answer or draft names, so that they are kept as long as it is.
CREATE TABLE files (
  handle TEXT NOT NULL,
  file_id TEXT NOT NULL,
  PRIMARY KEY (file_id, handle)
);

CREATE INDEX files_by_form ON files (handle);
