-- Whether a chat asked: such a form is answered where it was asked.

ALTER TABLE forms ADD COLUMN in_chat INTEGER NOT NULL DEFAULT 0;
