-- Who waits for seats of a showing. While seats are held for an entry, the token of that hold is here: it was made
-- for a user who was not calling.

CREATE TABLE waiting (
  waiting_id TEXT NOT NULL PRIMARY KEY,
  place BIGINT NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  showtime_id TEXT NOT NULL,
  seats_count INTEGER NOT NULL,
  together INTEGER NOT NULL,
  joined_at BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'offered', 'reserved', 'declined', 'lapsed', 'left')),
  hold_id TEXT,
  hold_token TEXT,
  ended_at BIGINT
);

CREATE INDEX waiting_by_showtime ON waiting (showtime_id, state, place);

CREATE INDEX waiting_by_user ON waiting (user_id, state);

CREATE INDEX waiting_by_hold ON waiting (hold_id);

-- One user waits once for a showing.
CREATE UNIQUE INDEX waiting_once ON waiting (showtime_id, user_id) WHERE state IN ('waiting', 'offered');
