-- The text of each catalogue, so that the staff edits and exports it; and of an edited one, the fingerprint of the
-- operator's file that it was made from.

ALTER TABLE imports ADD COLUMN catalog TEXT;

ALTER TABLE imports ADD COLUMN based_on TEXT;
