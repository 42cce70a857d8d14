-- When a call of get_next_action that waits last began in the session: of several of one agent the latest is told.
ALTER TABLE sessions ADD COLUMN asked_at TEXT;
