-- How much of each form is kept, so that nobody takes more than a share of the room. What was asked for before
-- counts as nothing.

ALTER TABLE forms ADD COLUMN definition_bytes INTEGER NOT NULL DEFAULT 0;

ALTER TABLE forms ADD COLUMN filled_bytes INTEGER NOT NULL DEFAULT 0;

CREATE INDEX forms_by_share ON forms (principal, definition_bytes, filled_bytes);
