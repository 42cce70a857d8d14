-- The film's title in English, kept with a reservation as its title is.

ALTER TABLE reservations ADD COLUMN movie_title_en TEXT;

UPDATE reservations SET movie_title_en =
    (SELECT title_en FROM movies WHERE movies.movie_id = reservations.movie_id);
