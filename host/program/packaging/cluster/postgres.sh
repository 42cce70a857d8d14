#!/bin/sh
# Run once, as the database is made: the user and the database of the hosts, as docs/operating.md has them.
set -eu
psql --username=postgres --set=ON_ERROR_STOP=1 --set=password="$MADOGUCHI_PASSWORD" <<'SQL'
CREATE ROLE madoguchi LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE madoguchi OWNER madoguchi ENCODING 'UTF8' TEMPLATE template0;
SQL
