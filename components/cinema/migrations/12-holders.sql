-- Who made a hold, and who waits: the name of a hold that is shown is good for the same caller alone. The tokens of
-- offers are no longer kept.

ALTER TABLE holds ADD COLUMN principal TEXT NOT NULL DEFAULT '';

ALTER TABLE waiting ADD COLUMN principal TEXT NOT NULL DEFAULT '';

ALTER TABLE waiting ADD COLUMN wheelchair INTEGER NOT NULL DEFAULT 0;
