-- Showings whose sales the staff has closed.

CREATE TABLE closed_sales (
  showtime_id TEXT NOT NULL PRIMARY KEY,
  closed_at TEXT NOT NULL,
  closed_by TEXT NOT NULL,
  reason TEXT
);
