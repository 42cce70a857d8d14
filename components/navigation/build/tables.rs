//! Tables of the bundled data: a row a line, fields between tabs, comments behind `#`.

use graph::Point;

/// One row, and where it stands.
pub(crate) struct Row<'t> {
    /// `links.tsv:12`.
    pub(crate) place: String,
    fields: Vec<&'t str>,
}

impl<'t> Row<'t> {
    /// A field by its number; empty where the row ends before it.
    pub(crate) fn field(&self, number: usize) -> &'t str {
        self.fields.get(number).copied().unwrap_or_default()
    }

    /// What is wrong with this row.
    pub(crate) fn wrong(&self, what: &str) -> String {
        format!("{}: {what}", self.place)
    }

    /// A field that is a whole number.
    pub(crate) fn number(&self, number: usize) -> Result<u8, String> {
        let field = self.field(number);
        field.parse().map_err(|_| self.wrong(&format!("{field:?} is no number up to 255")))
    }

    /// A field that is a factor from 1 to 1.5; 1 where it is not there.
    pub(crate) fn factor(&self, number: usize) -> Result<f64, String> {
        let field = self.field(number);
        if field.is_empty() {
            return Ok(1.0);
        }
        let factor = field.parse::<f64>().ok().filter(|it| (1.0..=1.5).contains(it));
        factor.ok_or_else(|| self.wrong(&format!("{field:?} is no factor")))
    }

    /// A field that is `latitude,longitude`.
    pub(crate) fn point(&self, number: usize) -> Result<Point, String> {
        self.read_point(self.field(number))
    }

    /// `latitude,longitude`, with at most four decimals, about ten metres.
    pub(crate) fn read_point(&self, text: &str) -> Result<Point, String> {
        let wrong = || self.wrong(&format!("{text:?} is no latitude,longitude"));
        let (lat, lng) = text.split_once(',').ok_or_else(wrong)?;
        let number = |it: &str| it.parse::<f64>().map_err(|_| wrong());
        let point = Point { lat: number(lat)?, lng: number(lng)? };
        if point.is_on_globe() { Ok(point) } else { Err(wrong()) }
    }
}

/// The rows of the table `name`, which have `least` fields or more.
pub(crate) fn rows<'t>(name: &str, text: &'t str, least: usize) -> Result<Vec<Row<'t>>, String> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(at, line)| {
            let fields = line.split('\t').map(str::trim).collect::<Vec<_>>();
            let row = Row { place: format!("{name}:{}", at + 1), fields };
            let count = row.fields.len();
            if count < least { Err(row.wrong("too few fields")) } else { Ok(row) }
        })
        .collect()
}

/// `-` stands for nothing.
pub(crate) fn optional(field: &str) -> String {
    if field == "-" { String::new() } else { field.to_owned() }
}
