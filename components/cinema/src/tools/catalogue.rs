//! `export_catalogue` and `import_catalogue`: the catalogue as a file (CIN-96).

use output::cinema::{CatalogueExport, CatalogueImport};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Hints, Problem, Stop, Text, Tool, User, refused};

use super::{FOR_PAGES, length, reject_problems, staff_only};
use crate::{
    catalog::{Catalog, csv},
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
            Format::Csv => ("csv", csv::write(&catalog)),
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
            Format::Csv => csv::read(&self.text),
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
