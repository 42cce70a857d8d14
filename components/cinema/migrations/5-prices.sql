-- What seats cost: of each entry of the programme as JSON, and of a reservation as it was when it was made. The
-- price of each of its seats is in `seats`.

ALTER TABLE programme ADD COLUMN prices TEXT;

ALTER TABLE reservations ADD COLUMN currency TEXT;

ALTER TABLE reservations ADD COLUMN total BIGINT;
