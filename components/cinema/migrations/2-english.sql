-- English beside the Japanese; what was stored before has none.

ALTER TABLE movies ADD COLUMN genre_en TEXT;

ALTER TABLE reservations ADD COLUMN theater_name_en TEXT;
