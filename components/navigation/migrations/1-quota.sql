-- How many paid requests went out on which day of Pacific time (NAV-57); days that are over go.
CREATE TABLE quota (
  day BIGINT PRIMARY KEY,
  used BIGINT NOT NULL
);

-- When the last request went to a provider that asks for a pause between two, in milliseconds.
CREATE TABLE pace (
  provider TEXT PRIMARY KEY,
  at_ms BIGINT NOT NULL
);
