-- Seats that are kept for someone who has yet to reserve them. A hold that has expired is none; its row is kept
-- for a day, to say so.

CREATE TABLE holds (
  hold_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  showtime_id TEXT NOT NULL,
  made_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);

CREATE INDEX holds_by_user ON holds (user_id, expires_at);

CREATE INDEX holds_by_end ON holds (expires_at);

-- The primary key is what makes a seat have one holder.
CREATE TABLE held_seats (
  showtime_id TEXT NOT NULL,
  seat_id TEXT NOT NULL,
  screen_id TEXT NOT NULL,
  hold_id TEXT NOT NULL,
  PRIMARY KEY (showtime_id, seat_id)
);

CREATE INDEX held_seats_by_hold ON held_seats (hold_id);

CREATE INDEX reservations_by_user ON reservations (user_id, reserved_at);
