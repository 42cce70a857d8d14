//! Translates the SQL subset shared by SQLite and PostgreSQL for PostgreSQL. No other code changes statement texts.
//!
//! A text that reached here was read by `scan` as SQLite reads it. What PostgreSQL would read otherwise (escaped and
//! bit strings, brackets, nested comments) is refused or left out, so that both see the same tokens. Functions are
//! those of a list, for many of PostgreSQL's reach out of a schema, out of a transaction or into the server. Then:
//!
//! - types of columns: `INTEGER` has 64 bits, `REAL` is double, text is compared byte by byte (`COLLATE "C"`), `BLOB`
//!   is `bytea`; `JSON` and `SECRET_TEXT` are domains over text;
//! - `ORDER BY` and indexes have NULL first, as SQLite has it;
//! - `LIKE` does not tell ASCII's cases apart (`ILIKE`), and names its escape;
//! - `CHECK` without a name has its own text for one, as SQLite reports it; `STRICT` and `WITHOUT ROWID` go.

use super::super::guard::{Access, Token, Tokens, parameter_number};

/// Functions that both engines have, and that one call of is one pass over its arguments.
const FUNCTIONS: [&str; 33] = [
    "abs",
    "avg",
    "coalesce",
    "concat",
    "count",
    "dense_rank",
    "first_value",
    "lag",
    "last_value",
    "lead",
    "length",
    "lower",
    "ltrim",
    "max",
    "min",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "trim",
    "upper",
    "cume_dist",
];
/// Words that may stand before a parenthesis without being a function's name.
const KEYWORDS: [&str; 58] = [
    "ALL",
    "AND",
    "AS",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "CHECK",
    "CONFLICT",
    "DEFAULT",
    "DISTINCT",
    "ELSE",
    "EXCEPT",
    "EXISTS",
    "FILTER",
    "FROM",
    "HAVING",
    "IN",
    "INTERSECT",
    "IS",
    "JOIN",
    "KEY",
    "LIKE",
    "LIMIT",
    "MATERIALIZED",
    "NOT",
    "OFFSET",
    "ON",
    "OR",
    "OVER",
    "RETURNING",
    "SELECT",
    "SET",
    "THEN",
    "UNION",
    "UNIQUE",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WINDOW",
    "ESCAPE",
    "INSERT",
    "WITH",
    "RECURSIVE",
    "ASC",
    "DESC",
    "NULL",
    "UPDATE",
    "DELETE",
    "END",
    "PARTITION",
    "ORDER",
    "GROUP",
    "ROWS",
    "RANGE",
    "GROUPS",
    "EXCLUDE",
];
/// Words before a name that has a list of columns behind it.
const BEFORE_COLUMNS: [&str; 6] = ["INTO", "TABLE", "REFERENCES", "AS", "WITH", "RECURSIVE"];
/// Words that have another meaning on each engine, or that say something of the server.
const REFUSED: [(&str, &str); 17] = [
    ("AUTOINCREMENT", "write INTEGER PRIMARY KEY, or give keys yourself"),
    ("COLLATE", "text is compared byte by byte"),
    ("GLOB", "use LIKE … ESCAPE"),
    ("MERGE", "use INSERT … ON CONFLICT"),
    ("SIMILAR", "use LIKE … ESCAPE"),
    ("ILIKE", "use LIKE … ESCAPE, which does not tell ASCII's cases apart"),
    ("CURRENT_DATE", "ask the clock, and send its answer as a parameter"),
    ("CURRENT_TIME", "ask the clock, and send its answer as a parameter"),
    ("CURRENT_TIMESTAMP", "ask the clock, and send its answer as a parameter"),
    ("LOCALTIME", "ask the clock, and send its answer as a parameter"),
    ("LOCALTIMESTAMP", "ask the clock, and send its answer as a parameter"),
    ("CURRENT_USER", "the database's users are the host's"),
    ("CURRENT_ROLE", "the database's users are the host's"),
    ("CURRENT_CATALOG", "a component knows its own tables alone"),
    ("CURRENT_SCHEMA", "a component knows its own tables alone"),
    ("SESSION_USER", "the database's users are the host's"),
    ("TABLESAMPLE", "SQLite has no such thing"),
];
/// Words that end a list of ORDER BY.
const AFTER_ORDER: [&str; 13] = [
    "LIMIT",
    "OFFSET",
    "FETCH",
    "FOR",
    "RETURNING",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "ROWS",
    "RANGE",
    "GROUPS",
    "WHERE",
    "ON",
];
/// Bytes of a name; PostgreSQL would cut the rest off.
const NAME_BYTES_MAX: usize = 63;

/// A statement translated for PostgreSQL.
#[derive(Debug)]
pub(super) struct Portable {
    pub(super) sql: String,
    /// Whether it changes nothing.
    pub(super) reads: bool,
    /// The parameters that occur, from 1, in the order in which they do.
    pub(super) parameters: Vec<usize>,
    /// Whether a full database still takes it.
    pub(super) only_removes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// An unquoted word.
    Word,
    /// A name in double quotes.
    Quoted,
    Other,
}

#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    kind: Kind,
    /// Whether anything stands between it and the one before.
    is_apart: bool,
    at: usize,
}

impl Piece<'_> {
    fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|it| self.is(it))
    }

    fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Other && self.text == sign
    }

    fn is_name(&self) -> bool {
        self.kind != Kind::Other
    }

    /// The name without quotes.
    fn name(&self) -> &str {
        self.text.trim_matches('"')
    }
}

/// Checks a text that passed `scan`, and translates it for PostgreSQL.
///
/// # Errors
/// A sentence that says what would be right.
pub(super) fn portable(sql: &str, access: Access) -> Result<Portable, String> {
    let pieces = pieces(sql)?;
    check_shape(&pieces, access)?;
    for at in 0..pieces.len() {
        check(&pieces, at)?;
    }
    let first = pieces[0];
    let mut depth = 0_usize;
    let writes = pieces.iter().any(|piece| {
        depth = if piece.is_sign("(") { depth + 1 } else { depth };
        depth = if piece.is_sign(")") { depth.saturating_sub(1) } else { depth };
        depth == 0 && piece.is_any(&["INSERT", "UPDATE", "DELETE"])
    });
    let parameters = pieces.iter().filter_map(|it| parameter_number(it.text));
    Ok(Portable {
        reads: !writes && access != Access::Migration,
        only_removes: first.is("DELETE") || first.is_any(&["SELECT", "VALUES"]),
        parameters: parameters.collect(),
        sql: Writing::new(sql, &pieces).text(),
    })
}

fn pieces(sql: &str) -> Result<Vec<Piece<'_>>, String> {
    if sql.contains('\u{feff}') {
        return Err("the text holds a byte order mark".into());
    }
    let (mut found, mut tokens) = (Vec::new(), Tokens { rest: sql });
    let mut end = 0;
    while let Some(token) = tokens.next() {
        let (text, kind) = match token {
            Token::Word(text) => (text, Kind::Word),
            Token::Other(text) if text.starts_with('"') => (text, Kind::Quoted),
            Token::Other(text) | Token::Parameter(text) => (text, Kind::Other),
        };
        let at = sql.len() - tokens.rest.len() - text.len();
        found.push(Piece { text, kind, is_apart: at > end, at });
        end = at + text.len();
    }
    Ok(found)
}

/// Allowed schema changes.
fn check_shape(pieces: &[Piece<'_>], access: Access) -> Result<(), String> {
    if pieces[0].is("REPLACE") {
        return Err("REPLACE is not portable: use INSERT … ON CONFLICT … DO UPDATE".into());
    }
    if access != Access::Migration || !pieces[0].is_any(&["CREATE", "ALTER", "DROP"]) {
        return Ok(());
    }
    let word = |at: usize, words: &[&str]| pieces.get(at).is_some_and(|it| it.is_any(words));
    let fits = match pieces[0].text.to_ascii_uppercase().as_str() {
        "CREATE" => {
            word(1, &["TABLE", "INDEX", "VIEW"]) || word(1, &["UNIQUE"]) && word(2, &["INDEX"])
        }
        "ALTER" => word(1, &["TABLE"]) && word(3, &["ADD", "DROP", "RENAME"]),
        _ => word(1, &["TABLE", "INDEX", "VIEW"]),
    };
    let portable =
        "CREATE of TABLE, INDEX and VIEW, ALTER TABLE with ADD, DROP and RENAME, and DROP";
    if fits { Ok(()) } else { Err(format!("it is not portable: {portable} are")) }
}

fn check(pieces: &[Piece<'_>], at: usize) -> Result<(), String> {
    let piece = pieces[at];
    let before = at.checked_sub(1).map(|it| pieces[it]);
    let after = pieces.get(at + 1);
    if piece.text.starts_with(['`', '[']) {
        return Err("write names in double quotes".into());
    }
    if piece.text.starts_with(['x', 'X']) && piece.text.contains('\'') {
        return Err("send bytes as a parameter: x'…' means something else in PostgreSQL".into());
    }
    let is_glued = before.is_some_and(|earlier| {
        let is_number = earlier.text.starts_with(|it: char| it.is_ascii_digit());
        earlier.kind == Kind::Word && earlier.text.len() == 1 || is_number
    });
    let is_quoted = piece.text.starts_with(['\'', '"', '&']);
    if is_glued && is_quoted && !piece.is_apart {
        return Err("put a space before a quoted text: letters before it change its meaning".into());
    }
    if !piece.is_name() {
        return Ok(());
    }
    let lower = piece.name().to_ascii_lowercase();
    if lower.starts_with("pg_") || lower == "information_schema" {
        return Err(format!("`{lower}`: a component knows its own tables alone"));
    }
    if lower.starts_with("madoguchi") {
        return Err(format!("`{lower}`: names that begin with `madoguchi` are the host's"));
    }
    if piece.kind == Kind::Word
        && let Some((word, instead)) = REFUSED.iter().find(|it| piece.is(it.0))
    {
        return Err(format!("{word} is not portable: {instead}"));
    }
    if piece.is("INTO") && !before.is_some_and(|it| it.is("INSERT")) {
        let ignored = "INSERT OR … is not portable: use INSERT … ON CONFLICT";
        let is_or = pieces.get(1).is_some_and(|it| it.is("OR"));
        return Err(if is_or { ignored } else { "INTO belongs behind INSERT" }.into());
    }
    if piece.is_any(&["INSERT", "UPDATE", "DELETE"]) && before.is_some_and(|it| it.is_sign("(")) {
        return Err(format!("{} within another statement is not portable", piece.text));
    }
    if piece.is("LIKE") && !pieces.iter().any(|it| it.is("ESCAPE")) {
        return Err("LIKE is portable with its escape only: write LIKE … ESCAPE '\\'".into());
    }
    match after {
        Some(next) if next.is_sign("(") => check_call(pieces, at),
        _ => Ok(()),
    }
}

/// Checks the token before a parenthesis: a keyword, an allowed function, or a name with columns.
fn check_call(pieces: &[Piece<'_>], at: usize) -> Result<(), String> {
    let (piece, before) = (pieces[at], at.checked_sub(1).map(|it| pieces[it]));
    let lower = piece.name().to_ascii_lowercase();
    if FUNCTIONS.contains(&&*lower) || piece.is_any(&KEYWORDS) {
        return Ok(());
    }
    let creates = pieces[0].is("CREATE");
    let is_index = creates && pieces.iter().take(3).any(|it| it.is("INDEX"));
    let is_first_on =
        |it: &Piece<'_>| it.is("ON") && is_index && !pieces[..at - 1].iter().any(|it| it.is("ON"));
    let has_columns = before.is_some_and(|earlier| {
        earlier.is_any(&BEFORE_COLUMNS)
            || creates && earlier.is_any(&["EXISTS", "VIEW"])
            || is_first_on(&earlier)
    });
    if has_columns {
        return Ok(());
    }
    let known = FUNCTIONS.join(", ");
    Err(format!("`{lower}` is no function that both engines have: {known} are"))
}

/// Kind of an open parenthesis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Cast,
    Else,
}

/// A text on its way to PostgreSQL.
struct Writing<'a> {
    sql: &'a str,
    pieces: &'a [Piece<'a>],
    out: String,
    open: Vec<Open>,
    /// The lists that are ordered: at which depth, and at which piece their item began.
    ordered: Vec<(usize, usize)>,
}

impl<'a> Writing<'a> {
    fn new(sql: &'a str, pieces: &'a [Piece<'a>]) -> Self {
        Self { sql, pieces, out: String::new(), open: Vec::new(), ordered: Vec::new() }
    }

    fn text(mut self) -> String {
        let first = self.pieces[0];
        let has = |word: &str| self.pieces.iter().take(3).any(|it| it.is(word));
        let creates = first.is("CREATE");
        let (is_table, is_index) = (creates && has("TABLE"), creates && has("INDEX"));
        let adds = first.is("ALTER") && has("TABLE");
        // `CREATE TABLE … AS SELECT` has no columns of its own.
        let is_table = is_table && !self.pieces.iter().any(|it| it.is("SELECT"));
        let (mut at, mut has_on) = (0, false);
        while at < self.pieces.len() {
            let piece = self.pieces[at];
            let before = at.checked_sub(1).map(|it| self.pieces[it]);
            let depth = self.open.len();
            self.end_item(at, depth);
            if is_table && depth == 0 && at > 3 && piece.is_any(&["STRICT", "WITHOUT", "ROWID"]) {
                at += 1;
                continue;
            }
            if is_table && depth == 0 && piece.is_sign(",") {
                at += 1;
                continue;
            }
            if piece.is("CHECK") && (is_table || adds) && !self.is_named(at) {
                self.name_check(at);
            }
            self.put(piece);
            if piece.is_sign("(") {
                let is_cast = before.is_some_and(|it| it.is("CAST"));
                self.open.push(if is_cast { Open::Cast } else { Open::Else });
                if is_index
                    && depth == 0
                    && has_on
                    && self.ordered.is_empty()
                    && !self.has_columns(at)
                {
                    self.ordered.push((1, at + 1));
                }
            }
            if piece.is_sign(")") {
                self.open.pop();
            }
            has_on |= piece.is("ON");
            let begins = is_table && depth == 0 && piece.is_sign("(")
                || is_table && depth == 1 && piece.is_sign(",");
            if (begins || adds && self.adds_column(at))
                && let Some(column) = self.pieces.get(at + 1).filter(|it| is_column(it))
            {
                self.put(*column);
                at = self.column_type(at + 2);
                continue;
            }
            if piece.is("AS") && self.open.last() == Some(&Open::Cast) {
                at = self.cast_type(at + 1);
                continue;
            }
            if piece.is("BY") && before.is_some_and(|it| it.is("ORDER")) {
                self.ordered.push((self.open.len(), at + 1));
            }
            at += 1;
        }
        self.end_item(self.pieces.len(), self.open.len());
        self.out
    }

    /// Writes a piece, preserving whitespace.
    fn put(&mut self, piece: Piece<'_>) {
        if piece.is_apart && !self.out.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(if piece.is("LIKE") { "ILIKE" } else { piece.text });
    }

    /// Whether an index's list of columns stood there before: what follows is its condition.
    fn has_columns(&self, at: usize) -> bool {
        self.pieces[..at].iter().any(|it| it.is("WHERE"))
    }

    /// Ends the item of an ordered list that ends before this piece: NULL goes first, or last where it descends.
    fn end_item(&mut self, at: usize, depth: usize) {
        let Some((level, from)) = self.ordered.last().copied() else { return };
        if at < from || level != depth {
            return;
        }
        let piece = self.pieces.get(at);
        let is_more = piece.is_some_and(|it| it.is_sign(","));
        let is_end =
            piece.is_none_or(|it| it.is_sign(")") || it.is_sign(";") || it.is_any(&AFTER_ORDER));
        if !is_more && !is_end {
            return;
        }
        let item = &self.pieces[from..at];
        if !item.is_empty() && !item.iter().any(|it| it.is("NULLS")) {
            let descends = item.last().is_some_and(|it| it.is("DESC"));
            self.out.push_str(if descends { " NULLS LAST" } else { " NULLS FIRST" });
        }
        self.ordered.pop();
        if is_more {
            self.ordered.push((level, at + 1));
        }
    }

    fn is_named(&self, at: usize) -> bool {
        at.checked_sub(2).is_some_and(|it| self.pieces[it].is("CONSTRAINT"))
    }

    /// Names a check by its condition.
    fn name_check(&mut self, at: usize) {
        let (mut depth, mut to) = (0, at + 1);
        for (index, piece) in self.pieces.iter().enumerate().skip(at + 1) {
            depth += i32::from(piece.is_sign("(")) - i32::from(piece.is_sign(")"));
            to = index;
            if depth == 0 {
                break;
            }
        }
        let (Some(first), Some(last)) = (self.pieces.get(at + 1), self.pieces.get(to)) else {
            return;
        };
        let condition = self.sql.get(first.at + 1..last.at).unwrap_or_default().trim();
        let name = condition[..condition.floor_char_boundary(NAME_BYTES_MAX)].replace('"', "\"\"");
        self.out.push_str(&format!(" CONSTRAINT \"{name}\""));
    }

    /// Whether a column's name follows: behind ADD that has no COLUMN, or behind COLUMN.
    fn adds_column(&self, at: usize) -> bool {
        let (piece, next) = (self.pieces[at], self.pieces.get(at + 1));
        let before = at.checked_sub(1).map(|it| self.pieces[it]);
        piece.is("ADD") && !next.is_some_and(|it| it.is("COLUMN"))
            || piece.is("COLUMN") && before.is_some_and(|it| it.is("ADD"))
    }

    /// Translates a column type and returns its end. Unknown ones are left to PostgreSQL.
    fn column_type(&mut self, at: usize) -> usize {
        let Some(piece) = self.pieces.get(at) else { return at };
        let words = |words: &[&str]| {
            let rest = self.pieces.iter().skip(at);
            rest.zip(words).filter(|(piece, word)| piece.is(word)).count() == words.len()
        };
        if words(&["INTEGER", "PRIMARY", "KEY"])
            || words(&["INTEGER", "NOT", "NULL", "PRIMARY", "KEY"])
        {
            // SQLite gives such a row a number where it comes without.
            self.out.push_str(" bigint GENERATED BY DEFAULT AS IDENTITY");
            return at + 1;
        }
        let is_double = words(&["DOUBLE", "PRECISION"]);
        let text = match piece.text.to_ascii_uppercase().as_str() {
            "INTEGER" | "INT" | "BIGINT" | "SMALLINT" => "bigint",
            "REAL" | "FLOAT" | "DOUBLE" => "double precision",
            "TEXT" => "text COLLATE \"C\"",
            "BLOB" => "bytea",
            "JSON" => "madoguchi.json_text",
            "SECRET_TEXT" => "madoguchi.secret_text",
            _ => return at,
        };
        self.out.push(' ');
        self.out.push_str(text);
        at + 1 + usize::from(is_double)
    }

    fn cast_type(&mut self, at: usize) -> usize {
        let Some(piece) = self.pieces.get(at) else { return at };
        let text = match piece.text.to_ascii_uppercase().as_str() {
            "INTEGER" | "INT" | "BIGINT" => "bigint",
            "REAL" => "double precision",
            "TEXT" => "text",
            "BLOB" => "bytea",
            _ => return at,
        };
        self.out.push(' ');
        self.out.push_str(text);
        at + 1
    }
}

/// Whether a list of a table's parts goes on with a column.
fn is_column(piece: &Piece<'_>) -> bool {
    piece.is_name()
        && !piece.is_any(&["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "COLUMN"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::guard;

    fn translated(sql: &str, access: Access) -> Result<String, String> {
        guard::check(sql, access)?;
        portable(sql, access).map(|it| it.sql)
    }

    #[test]
    fn translates_table_definitions_to_postgresql() {
        for (sql, expected) in [
            (
                "CREATE TABLE a (\n -- it's\n n INTEGER PRIMARY KEY, t TEXT, r REAL NOT NULL, b BLOB, j JSON) STRICT, WITHOUT ROWID",
                "CREATE TABLE a ( n bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, t text COLLATE \"C\", r double precision NOT NULL, b bytea, j madoguchi.json_text)",
            ),
            (
                "CREATE TABLE a (t TEXT CHECK (t IN ('x', 'y')), CONSTRAINT c CHECK (t <> ''), d DOUBLE PRECISION)",
                "CREATE TABLE a (t text COLLATE \"C\" CONSTRAINT \"t IN ('x', 'y')\" CHECK (t IN ('x', 'y')), CONSTRAINT c CHECK (t <> ''), d double precision)",
            ),
            (
                "ALTER TABLE a ADD COLUMN s SECRET_TEXT",
                "ALTER TABLE a ADD COLUMN s madoguchi.secret_text",
            ),
            ("ALTER TABLE a ADD n INTEGER", "ALTER TABLE a ADD n bigint"),
            (
                "CREATE UNIQUE INDEX i ON a (min(s, t), n DESC) WHERE (n > 0)",
                "CREATE UNIQUE INDEX i ON a (min(s, t) NULLS FIRST, n DESC NULLS LAST) WHERE (n > 0)",
            ),
        ] {
            assert_eq!(translated(sql, Access::Migration).as_deref(), Ok(expected), "{sql}");
        }
    }

    #[test]
    fn translates_statements_to_postgresql() {
        for (sql, expected) in [
            (
                "SELECT a FROM t ORDER BY a, b DESC LIMIT 3",
                "SELECT a FROM t ORDER BY a NULLS FIRST, b DESC NULLS LAST LIMIT 3",
            ),
            (
                "SELECT (SELECT b FROM u ORDER BY coalesce(b, c)) FROM t ORDER BY a NULLS LAST",
                "SELECT (SELECT b FROM u ORDER BY coalesce(b, c) NULLS FIRST) FROM t ORDER BY a NULLS LAST",
            ),
            (
                "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t -- end",
                "SELECT row_number() OVER (PARTITION BY a ORDER BY b NULLS FIRST) FROM t",
            ),
            (
                "SELECT CAST(a AS REAL) AS text FROM t",
                "SELECT CAST(a AS double precision) AS text FROM t",
            ),
            ("SELECT a/* /* */FROM t", "SELECT a FROM t"),
            (
                "SELECT 1 FROM t WHERE a LIKE $1 ESCAPE '\\'",
                "SELECT 1 FROM t WHERE a ILIKE $1 ESCAPE '\\'",
            ),
        ] {
            assert_eq!(translated(sql, Access::Read).as_deref(), Ok(expected), "{sql}");
        }
    }

    /// Everything outside schema, transaction or subset is refused with the correct form.
    #[test]
    fn rejects_access_outside_the_schema() {
        for sql in [
            "SELECT pg_sleep(1)",
            "SELECT \"pg_sleep\"(1)",
            "SELECT set_config('role', 'none', false)",
            "SELECT \"set_config\"('role', 'none', false)",
            "SELECT current_setting('x')",
            "SELECT query_to_xml('SELECT 1', true, false, '')",
            "SELECT lo_import('/etc/passwd')",
            "SELECT 1 FROM t JOIN u ON set_config('a', 'b', false) = ''",
            "SELECT * FROM generate_series(1, 10)",
            "SELECT * FROM pg_roles",
            "SELECT * FROM information_schema.tables",
            "SELECT * FROM madoguchi.migrations",
            "SELECT 1 INTO t",
            "SELECT E'\\' || set_config(1) --'",
            "SELECT U&'\\0041'",
            "SELECT U&\"\\0070g_sleep\"(1)",
            "SELECT x'00'",
            "SELECT `a` FROM t",
            "SELECT [a] FROM t",
            "SELECT CURRENT_TIMESTAMP",
            "SELECT a FROM t WHERE a LIKE 'x%'",
            "WITH d AS (DELETE FROM t RETURNING a) SELECT a FROM d",
        ] {
            assert!(translated(sql, Access::Read).is_err(), "{sql}");
        }
        for sql in ["INSERT OR IGNORE INTO t VALUES (1)", "REPLACE INTO t VALUES (1)"] {
            let why = translated(sql, Access::Write).unwrap_err();
            assert!(why.contains("ON CONFLICT"), "{why}");
        }
        for sql in [
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "CREATE TEMP TABLE t (a TEXT)",
            "CREATE EXTENSION dblink",
            "ALTER TABLE t OWNER TO x",
            "ALTER ROLE x SUPERUSER",
            "DROP SCHEMA x",
        ] {
            assert!(translated(sql, Access::Migration).is_err(), "{sql}");
        }
    }
}
