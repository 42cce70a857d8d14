-- Books, and who has which of them.
CREATE TABLE books (
  book_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  english TEXT NOT NULL,
  member TEXT,
  is_reminded INTEGER NOT NULL DEFAULT 0
);

INSERT INTO books (book_id, title, english) VALUES ('b-1', '坊っちゃん', 'Botchan');

INSERT INTO books (book_id, title, english) VALUES ('b-2', '銀河鉄道の夜', 'Night on the Galactic Railroad');

INSERT INTO books (book_id, title, english) VALUES ('b-3', '雪国', 'Snow Country');
