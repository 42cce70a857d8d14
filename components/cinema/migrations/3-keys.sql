-- Under which key a reservation was made, and whose key it is: two callers may take the same one. What was
-- reserved before has its key beside it.

CREATE TABLE idempotency_keys (
  principal TEXT NOT NULL,
  user_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  reservation_id TEXT NOT NULL,
  PRIMARY KEY (principal, user_id, idempotency_key)
);
