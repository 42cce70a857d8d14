//! `export_catalogue` and `import_catalogue`: the catalogue as a file (CIN-96).
//!
//! A catalogue as a CSV table (RFC 4180): one line per price list, screen, row of seats, film, or entry
//! of the programme.

use output::cinema::{CatalogueExport, CatalogueImport};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolkit::{Hints, Problem, Stop, Text, Tool, User, refused};

use super::{FOR_PAGES, length, reject_problems, staff_only};
use crate::{
    catalog::{Catalog, PROBLEMS_MAX},
    clock::Clock,
    edit,
    import::find_import,
    refusals::say,
};

/// Maximum characters of a file.
const TEXT_CHARS_MAX: usize = 300_000;

/// How a catalogue is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// As the operator's file.
    #[default]
    Json,
    /// As a table for spreadsheets.
    Csv,
}

/// スタッフ用。販売中の上映カタログ（または以前のもの）をファイルとして取得。
/// en: For the staff. Gives the catalogue on sale, or one before, as a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportCatalogue {
    /// 任意。json または csv。指定がなければ json
    /// en: Optional. json or csv. Without it, json
    #[serde(default)]
    format: Format,
    /// 任意。以前のカタログの番号。指定がなければ販売中のもの。直近20件まで
    /// en: Optional. The number of a catalogue before, of the last 20. Without it, the one on sale
    #[schemars(range(min = 1))]
    import: Option<u32>,
}

impl Tool for ExportCatalogue {
    const NAME: &str = "export_catalogue";
    const TITLE: Text = Text { ja: "カタログ書き出し", en: "Export the catalogue" };
    const HINTS: Hints = Hints::READ_ONLY;
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = CatalogueExport;

    fn call(self, _: &User) -> Result<CatalogueExport, Stop> {
        staff_only(Self::NAME)?;
        let not_found = || {
            refused(
                "import_not_found",
                404,
                say(
                    "この番号のカタログは残っていません。残るのは最近の20件です。",
                    "No catalogue is kept under this number; only the last 20 are.",
                ),
            )
        };
        let found = find_import(self.import)?.ok_or_else(not_found)?;
        let catalog = found.catalog.as_deref().and_then(|it| Catalog::read(it).ok());
        let catalog = catalog.ok_or_else(not_found)?;
        let (format, text) = match self.format {
            Format::Csv => ("csv", write(&catalog)),
            Format::Json => {
                ("json", serde_json::to_string_pretty(&catalog).expect("a catalogue is JSON"))
            }
        };
        Ok(CatalogueExport {
            import: found.number,
            source: found.source,
            imported_at: found.imported_at,
            format: format.to_owned(),
            text,
        })
    }
}

/// スタッフ用。上映カタログを入れ替える。dry_run なら、何が変わるかだけを返す。販売済みの座席が無くなる変更は拒否する。
/// en: For the staff. Replaces the catalogue, or with dry_run says what that would change. It is refused where seats
/// that are sold would be gone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportCatalogue {
    /// カタログ全体（export_catalogue の text と同じ形）
    /// en: The whole catalogue, as export_catalogue gives it
    #[schemars(length(min = 1, max = 300_000))]
    text: String,
    /// 任意。json または csv。指定がなければ json
    /// en: Optional. json or csv. Without it, json
    #[serde(default)]
    format: Format,
    /// 任意。true なら入れ替えずに変更点だけを返す
    /// en: Optional. With true, nothing is replaced
    #[serde(default)]
    dry_run: bool,
}

impl Tool for ImportCatalogue {
    const NAME: &str = "import_catalogue";
    const TITLE: Text = Text { ja: "カタログ取り込み", en: "Import a catalogue" };
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = CatalogueImport;

    fn call(self, _: &User) -> Result<CatalogueImport, Stop> {
        staff_only(Self::NAME)?;
        reject_problems([length("/text", &self.text, TEXT_CHARS_MAX)])?;
        let read = match self.format {
            Format::Json => Catalog::read(&self.text),
            Format::Csv => read(&self.text),
        };
        let new = read.map_err(|it| Stop::InvalidArguments(it.into_iter().map(moved).collect()))?;
        let replace = |old: &mut Catalog| {
            old.clone_from(&new);
            Ok(())
        };
        edit::apply(replace, moved, self.dry_run, true, &Clock::for_call()?)
    }
}

/// Converts a pointer into the file to one of the arguments.
fn moved(problem: Problem) -> Problem {
    let message = match problem.pointer.as_str() {
        "" => problem.message,
        pointer => format!("at {pointer}: {}", problem.message),
    };
    Problem::at("/text", message)
}

/// Columns; the first is the kind of a line. New ones go to the end.
const COLUMNS: &str = "\
    record,screen_id,movie_id,name,name_en,row,seats,title,title_en,reading,description,\
    description_en,genre,genre_en,duration,release_date,rating,times,days,from,until,currency,\
    standard,premium,wheelchair,companion,pair,cleaning_minutes";
/// Byte order mark by which spreadsheets recognize UTF-8.
const MARK: char = '\u{feff}';
/// Price columns, numbers but for the first.
const PRICES: [&str; 6] = ["currency", "standard", "premium", "wheelchair", "companion", "pair"];
/// Date columns.
const DAYS: [&str; 3] = ["release_date", "from", "until"];
/// Columns of lists.
const LISTS: [&str; 2] = ["times", "days"];
/// Number columns besides those of [`PRICES`].
const NUMBERS: [&str; 3] = ["duration", "rating", "cleaning_minutes"];

fn columns() -> impl Iterator<Item = &'static str> {
    COLUMNS.split(',')
}

/// Writes a catalogue.
fn write(catalog: &Catalog) -> String {
    let value = serde_json::to_value(catalog).expect("a catalogue is JSON");
    let mut lines = vec![columns().map(str::to_owned).collect::<Vec<_>>()];
    let whole = json!({ "prices": value["prices"], "cleaning_minutes": value["cleaning_minutes"] });
    if catalog.prices.is_some() || catalog.cleaning_minutes.is_some() {
        lines.push(line("cinema", &whole, None));
    }
    for screen in list(&value["screens"]) {
        lines.push(line("screen", screen, None));
        lines.extend(list(&screen["rows"]).map(|it| line("row", it, Some(&screen["screen_id"]))));
    }
    lines.extend(list(&value["movies"]).map(|it| line("movie", it, None)));
    lines.extend(list(&value["programme"]).map(|it| line("programme", it, None)));
    let lines = lines.iter().map(|it| it.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(","));
    std::iter::once(MARK.to_string()).chain(lines.map(|it| it + "\r\n")).collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn line(record: &str, of: &Value, screen_id: Option<&Value>) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(it) => it.clone(),
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    let cell = |column: &'static str| match column {
        "record" => record.to_owned(),
        "screen_id" => text(screen_id.unwrap_or(&of[column])),
        column if PRICES.contains(&column) => text(&of["prices"][column]),
        column => text(&of[column]),
    };
    columns().map(cell).collect()
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

/// Parses what [`write`] writes, including changes by spreadsheets.
///
/// # Errors
/// Every problem, by line and column.
fn read(text: &str) -> Result<Catalog, Vec<Problem>> {
    let lines = cells(text.trim_start_matches(MARK))?;
    let table = Table::parse(&lines)?;
    let catalog = Catalog::read(&table.value.to_string());
    catalog.map_err(|problems| problems.into_iter().map(|it| table.located(&it)).collect())
}

/// Line number and cells.
type Line = (usize, Vec<String>);

fn cells(text: &str) -> Result<Vec<Line>, Vec<Problem>> {
    let (mut lines, mut line, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut number, mut start, mut is_quoted) = (1, 1, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        number += usize::from(character == '\n');
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            character if is_quoted => cell.push(character),
            ',' => line.push(std::mem::take(&mut cell)),
            '\r' => {}
            '\n' => {
                line.push(std::mem::take(&mut cell));
                lines.push((start, std::mem::take(&mut line)));
                start = number;
            }
            character => cell.push(character),
        }
    }
    if is_quoted {
        let message = format!("line {start}: a quotation mark is open to the end");
        return Err(vec![Problem::at("", message)]);
    }
    if !cell.is_empty() || !line.is_empty() {
        line.push(cell);
        lines.push((start, line));
    }
    lines.retain(|it| it.1.iter().any(|it| !it.trim().is_empty()));
    Ok(lines)
}

/// The catalogue as JSON, with the line of each part.
struct Table {
    value: Value,
    /// Lines by JSON pointer.
    lines: Vec<(String, usize)>,
}

impl Table {
    fn parse(lines: &[Line]) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut add = |line: usize, message: String| {
            problems.push(Problem::at("", format!("line {line}: {message}")));
        };
        let head = lines.first().map(|it| it.1.as_slice()).unwrap_or_default();
        let unknown = head.iter().filter(|it| columns().all(|column| column != it.trim()));
        let unknown: Vec<_> = unknown.map(String::as_str).collect();
        if head.first().map(|it| it.trim()) != Some("record") || !unknown.is_empty() {
            add(1, format!("must name the columns, `record` first, among {COLUMNS}"));
            return Err(problems);
        }
        let mut table = Self {
            value: json!({ "screens": [], "movies": [], "programme": [] }),
            lines: Vec::new(),
        };
        for (number, cells) in lines.iter().skip(1) {
            if cells.len() > head.len() {
                add(*number, format!("must have at most {} cells", head.len()));
                continue;
            }
            let cells = head.iter().map(|it| it.trim()).zip(cells).skip(1);
            let record = lines_record(lines, *number);
            if let Err(message) = table.add(record, object(cells), *number) {
                add(*number, message);
            }
        }
        problems.truncate(PROBLEMS_MAX);
        if problems.is_empty() { Ok(table) } else { Err(problems) }
    }

    fn add(&mut self, record: &str, mut of: Map<String, Value>, line: usize) -> Result<(), String> {
        let to = match record {
            "cinema" => {
                for (name, value) in of {
                    self.value[&name] = value;
                }
                self.lines.push(("/prices".to_owned(), line));
                return Ok(());
            }
            "row" => return self.add_row(of, line),
            "screen" => {
                of.insert("rows".to_owned(), json!([]));
                "screens"
            }
            "movie" => "movies",
            "programme" => "programme",
            _ => {
                return Err("`record` must be cinema, screen, row, movie or programme".to_owned());
            }
        };
        let all = self.value[to].as_array_mut().expect("it was made as a list");
        self.lines.push((format!("/{to}/{}", all.len()), line));
        all.push(Value::Object(of));
        Ok(())
    }

    fn add_row(&mut self, mut of: Map<String, Value>, line: usize) -> Result<(), String> {
        let screen_id = of.remove("screen_id").unwrap_or_default();
        let screens = self.value["screens"].as_array_mut().expect("it was made as a list");
        let at = screens.iter().position(|it| it["screen_id"] == screen_id);
        let at = at.ok_or_else(|| format!("no screen {screen_id} stands above this row"))?;
        let rows = screens[at]["rows"].as_array_mut().expect("it was made as a list");
        self.lines.push((format!("/screens/{at}/rows/{}", rows.len()), line));
        rows.push(Value::Object(of));
        Ok(())
    }

    /// Converts a pointer to a line and column.
    fn located(&self, problem: &Problem) -> Problem {
        let fits = |entry: &&(String, usize)| {
            let rest = problem.pointer.strip_prefix(entry.0.as_str());
            rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
        };
        let found = self.lines.iter().filter(fits).max_by_key(|it| it.0.len());
        let column = problem.pointer.rsplit('/').find(|it| columns().any(|column| column == *it));
        let message = &problem.message;
        let message = match (found, column) {
            (Some((_, line)), Some(column)) => format!("line {line}, {column}: {message}"),
            (Some((_, line)), None) => format!("line {line}: {message}"),
            _ => format!("{}: {message}", problem.pointer),
        };
        Problem::at("", message)
    }
}

fn lines_record(lines: &[Line], number: usize) -> &str {
    let line = lines.iter().find(|it| it.0 == number);
    line.and_then(|it| it.1.first()).map(|it| it.trim()).unwrap_or_default()
}

/// Object of the non-empty cells.
fn object<'a>(cells: impl Iterator<Item = (&'a str, &'a String)>) -> Map<String, Value> {
    let (mut of, mut prices) = (Map::new(), Map::new());
    for (column, text) in cells.filter(|it| !it.1.trim().is_empty()) {
        let text = text.trim();
        let number = || serde_json::from_str::<Value>(text).ok().filter(Value::is_number);
        let value = if column == "times" {
            json!(text.split_whitespace().map(time).collect::<Vec<_>>())
        } else if LISTS.contains(&column) {
            json!(text.split_whitespace().collect::<Vec<_>>())
        } else if DAYS.contains(&column) {
            json!(day(text))
        } else if NUMBERS.contains(&column) || PRICES[1..].contains(&column) {
            number().unwrap_or_else(|| json!(text))
        } else {
            json!(text)
        };
        let into = if PRICES.contains(&column) { &mut prices } else { &mut of };
        into.insert(column.to_owned(), value);
    }
    if !prices.is_empty() {
        of.insert("prices".to_owned(), Value::Object(prices));
    }
    of
}

/// Normalizes a date, which spreadsheets write as `2026/11/1`.
fn day(text: &str) -> String {
    match text.split(['-', '/']).collect::<Vec<_>>()[..] {
        [year, month, day] if year.len() == 4 => format!("{year}-{month:0>2}-{day:0>2}"),
        _ => text.to_owned(),
    }
}

/// Normalizes a time, which spreadsheets write as `9:30` or `9:30:00`.
fn time(text: &str) -> String {
    let Some((hour, rest)) = text.split_once(':') else { return text.to_owned() };
    format!("{hour:0>2}:{}", rest.strip_suffix(":00").unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::DEMO;

    fn messages(text: &str) -> Vec<String> {
        read(text).unwrap_err().into_iter().map(|it| it.message).collect()
    }

    #[test]
    fn demo_survives_the_round_trip() {
        let demo = Catalog::read(DEMO).unwrap();
        let text = write(&demo);
        let back = read(&text).unwrap();
        let json = |it: &Catalog| serde_json::to_value(it).unwrap();
        assert_eq!(json(&back), json(&demo));
        assert_eq!(write(&back), text);
    }

    #[test]
    fn quotes_commas_quotes_and_line_breaks() {
        let mut demo = Catalog::read(DEMO).unwrap();
        demo.movies[0].title = "「A, \"B\"」\n二".into();
        let back = read(&write(&demo)).unwrap();
        assert_eq!(back.movies[0].title, demo.movies[0].title);
    }

    #[test]
    fn accepts_spreadsheet_dates_and_marks_utf8() {
        let mut demo = Catalog::read(DEMO).unwrap();
        let entry = &mut demo.programme[0];
        entry.times = vec!["09:30".into()];
        (entry.from, entry.until) = (Some("2026-11-01".into()), Some("2026-12-31".into()));
        let text = write(&demo);
        assert!(text.starts_with("\u{feff}record,"), "{}", &text[..20]);
        for (times, from) in [("9:30", "2026/11/1"), ("9:30:00", "2026/11/01")] {
            let saved = text.replacen("09:30,", &format!("{times},"), 1);
            let saved = saved.replace("2026-11-01", from).replace("2026-12-31", "2026/12/31");
            assert_eq!(write(&read(&saved).unwrap()), text, "{times}");
        }
        let mut wrong = messages(&text.replace("2026-11-01", "11/1/2026"));
        assert!(wrong.pop().unwrap().contains("from: must be a date"), "{wrong:?}");
    }

    #[test]
    fn reports_problems_by_line_and_column() {
        let head = "record,screen_id,name,row,seats\r\n";
        let found = messages(&format!("{head}screen,s1,一\r\nrow,s1,,A,s?\r\n"));
        assert!(found[0].starts_with("line 3, seats: must be 1 to"), "{found:?}");
        assert!(messages(&format!("{head}row,s9,,A,ss\n"))[0].contains("line 2: no screen"));
        assert!(messages(&format!("{head}seat,s9\n"))[0].starts_with("line 2: `record` must be"));
        assert!(messages("screen_id,record\n")[0].starts_with("line 1: must name the columns"));
        assert!(messages("record,name\nscreen,\"x\n")[0].contains("open to the end"));
        assert!(messages(&format!("{head}screen,s1,a,b,c,d\n"))[0].contains("at most 5 cells"));
    }
}
