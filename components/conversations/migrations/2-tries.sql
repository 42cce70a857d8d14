-- Passkeys that did not fit, by who tried them: one caller's wrong ones shut that caller out alone. Those of
-- all callers together stay in failed_tries; those at agents that are not there, under the empty id.
CREATE TABLE callers_tries (
  agent_id TEXT NOT NULL,
  caller TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, caller)
);

ALTER TABLE failed_tries ADD COLUMN last_at TEXT;
