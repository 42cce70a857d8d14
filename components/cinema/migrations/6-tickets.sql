-- A reservation can be given to another user, used at the door, and moved. `version` counts what was changed, so
-- that a change holds only for what it looked at. The table is made anew for its new status.

CREATE TABLE reservations_anew (
  reservation_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  showtime_id TEXT NOT NULL,
  seats JSON NOT NULL,
  reserved_at TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('confirmed', 'cancelled', 'transferred')),
  cancelled_at TEXT,
  idempotency_key TEXT UNIQUE,
  movie_id TEXT NOT NULL,
  movie_title TEXT NOT NULL,
  screen_id TEXT NOT NULL,
  theater_name TEXT NOT NULL,
  theater_name_en TEXT,
  start_time TEXT NOT NULL,
  currency TEXT,
  total BIGINT,
  checked_in_at TEXT,
  checked_in_by TEXT,
  transferred_at TEXT,
  transferred_to TEXT,
  transferred_from TEXT,
  next_id TEXT,
  history JSON,
  version INTEGER NOT NULL DEFAULT 0
);

INSERT INTO reservations_anew (reservation_id, user_id, showtime_id, seats, reserved_at, status, cancelled_at,
  idempotency_key, movie_id, movie_title, screen_id, theater_name, theater_name_en, start_time, currency, total)
  SELECT reservation_id, user_id, showtime_id, seats, reserved_at, status, cancelled_at,
  idempotency_key, movie_id, movie_title, screen_id, theater_name, theater_name_en, start_time, currency, total
  FROM reservations;

DROP TABLE reservations;

ALTER TABLE reservations_anew RENAME TO reservations;

CREATE INDEX reservations_by_user ON reservations (user_id, reserved_at);
