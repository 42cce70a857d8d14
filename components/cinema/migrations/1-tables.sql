-- The catalogue: replaced whole by an import.

CREATE TABLE movies (
  movie_id TEXT NOT NULL PRIMARY KEY,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  title_en TEXT,
  reading TEXT,
  description TEXT NOT NULL,
  description_en TEXT,
  genre TEXT,
  duration INTEGER NOT NULL,
  release_date TEXT,
  rating DOUBLE PRECISION NOT NULL
);

CREATE TABLE screens (
  screen_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  name_en TEXT,
  seats_count INTEGER NOT NULL
);

CREATE TABLE seats (
  screen_id TEXT NOT NULL,
  seat_id TEXT NOT NULL,
  row_label TEXT NOT NULL,
  number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (screen_id, seat_id)
);

-- What runs on which days of the week; showtimes are made of it, a day at a time.
CREATE TABLE programme (
  screen_id TEXT NOT NULL,
  starts TEXT NOT NULL,
  movie_id TEXT NOT NULL,
  weekdays INTEGER NOT NULL,
  valid_from TEXT,
  valid_until TEXT
);

CREATE INDEX programme_by_screen ON programme (screen_id, starts);

CREATE INDEX programme_by_movie ON programme (movie_id);

-- Which catalogues were imported; the last one is on sale.
CREATE TABLE imports (
  number INTEGER NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  imported_at TEXT NOT NULL,
  source TEXT NOT NULL
);

-- Who sits where.

CREATE TABLE users (
  user_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  contact_info TEXT NOT NULL
);

-- What was booked, as it was then: a later catalogue may know neither film nor screen.
CREATE TABLE reservations (
  reservation_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  showtime_id TEXT NOT NULL,
  seats JSON NOT NULL,
  reserved_at TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('confirmed', 'cancelled')),
  cancelled_at TEXT,
  idempotency_key TEXT UNIQUE,
  movie_id TEXT NOT NULL,
  movie_title TEXT NOT NULL,
  screen_id TEXT NOT NULL,
  theater_name TEXT NOT NULL,
  start_time TEXT NOT NULL
);

-- The primary key is what makes a double booking impossible (CIN-43).
CREATE TABLE reserved_seats (
  showtime_id TEXT NOT NULL,
  seat_id TEXT NOT NULL,
  screen_id TEXT NOT NULL,
  reservation_id TEXT NOT NULL,
  PRIMARY KEY (showtime_id, seat_id)
);

CREATE INDEX reserved_seats_by_reservation ON reserved_seats (reservation_id);

-- What was said.

CREATE TABLE conversations (
  conversation_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE messages (
  message_id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  sender TEXT NOT NULL CHECK (sender IN ('user', 'agent')),
  content TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  UNIQUE (conversation_id, position)
);
