//! Replaces one place of a route by another: `東京駅じゃなくて品川駅`, `not Kawasaki, Kamata`.

use language::scan::marks;

use super::{places::has_known_place, query::Query};

/// Maximum number of characters of the new name.
const NAME_MAX: usize = 40;

/// The role of a place in a route.
#[derive(Clone, Copy)]
enum End {
    Origin,
    Destination,
    Stop,
}

impl Query {
    /// Rewrites `text` without the replaced place: `品川駅から`.
    pub(super) fn replace_place(&self, text: &str) -> Option<String> {
        let lower = text.to_lowercase();
        let ends = [(End::Origin, &self.origins), (End::Destination, &self.destinations)];
        let ends = ends.into_iter().filter(|it| it.1.len() == 1);
        let places = ends.chain([(End::Stop, &self.via)]);
        let mut places = places.flat_map(|(end, names)| names.iter().map(move |it| (end, it)));
        places.find_map(|(end, name)| {
            let name = name.to_lowercase();
            // Stations may be named without their last word.
            let stem = name.strip_suffix('駅').or(name.strip_suffix(" station")).unwrap_or(&name);
            let (new, old, rest) = match lower.is_ascii() {
                true => english(&lower, stem)?,
                false => japanese(&lower, stem)?,
            };
            // Keeps the original spelling.
            let at = lower.rfind(&new)?;
            let new = text.get(at..at + new.len()).filter(|it| is_name(it))?;
            let (put, joint) = match (end, lower.is_ascii()) {
                (End::Origin, false) => (format!("{new}から"), "、"),
                (End::Destination, false) => (format!("{new}まで"), "、"),
                (End::Stop, false) => (format!("{old}抜きで、{new}を経由"), "、"),
                (End::Origin, true) => (format!("from {new}"), ", "),
                (End::Destination, true) => (format!("to {new}"), ", "),
                (End::Stop, true) => (format!("skip {old}, via {new}"), ", "),
            };
            Some(if rest.is_empty() { put } else { format!("{put}{joint}{rest}") })
        })
    }
}

/// Whether `text` is only the name of a place.
fn is_name(text: &str) -> bool {
    let is_short = (1..=NAME_MAX).contains(&text.chars().count());
    let is_station = || text.ends_with('駅') || text.to_lowercase().ends_with(" station");
    is_short && (has_known_place(&text.to_lowercase()) || is_station())
}

/// The new place, the replaced one, and the rest of the text.
type Exchange = (String, String, String);

fn japanese(text: &str, old: &str) -> Option<Exchange> {
    const BUT: &str = "じゃなくて|ではなくて|ではなく|じゃなく|でなくて|でなく|の代わりに|のかわりに|をやめて|はやめて|やめて";
    const TAILS: &str = "にしてください|にして下さい|でお願いします|に変更して|に変えて|に寄って|にして|を経由して|を経由|経由で|経由|でお願い|がいいです|がいい|にする|です|から|まで|へ|に|で";
    let (before, behind) = marks(BUT).find_map(|mark| {
        let written = [format!("{old}駅{mark}"), format!("{old}{mark}")];
        written.iter().find_map(|it| text.split_once(it.as_str()))
    })?;
    // `渋谷から横浜じゃなくて川崎まで` has both ends itself.
    if ["から", "まで"].iter().any(|it| before.contains(it)) {
        return None;
    }
    let behind = behind.trim_start_matches(['、', ' ']);
    let (part, rest) = behind.split_once(['、', '。', ' ']).unwrap_or((behind, ""));
    let part = part.trim_end_matches(['!', '?', '！', '？', 'ね', 'よ']);
    let tail = marks(TAILS).filter_map(|it| part.strip_suffix(it)).min_by_key(|it| it.len());
    Some((tail.unwrap_or(part).to_owned(), old.to_owned(), rest.to_owned()))
}

fn english(text: &str, old: &str) -> Option<Exchange> {
    /// Texts before the old place, and texts between it and the new one.
    const FORMS: &[(&str, &[&str])] = &[
        ("not|scratch|forget|drop|skip|remove", &[",", " but ", ";", " -"]),
        ("replace|swap|exchange", &[" with ", " for ", " by "]),
        ("change", &[" to ", " into "]),
    ];
    const JOINTS: &str = "via |from |to |by way of |through |go |rather |make it |make that ";
    let text = text.trim_end_matches(['.', '!', '?']);
    let at = text.match_indices(old).map(|it| it.0).find(|at| {
        let is_letter = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
        !is_letter(text[..*at].chars().next_back())
            && !is_letter(text[at + old.len()..].chars().next())
    })?;
    let joint = |text: &str| {
        let text = text.trim_end();
        let joint = marks(JOINTS).find_map(|joint| text.strip_suffix(joint.trim_end()));
        joint.unwrap_or(text).trim_end().to_owned()
    };
    let unled = |mut text: &str| {
        text = text.trim_start();
        while let Some(rest) = marks(JOINTS).find_map(|joint| text.strip_prefix(joint)) {
            text = rest.trim_start();
        }
        text.to_owned()
    };
    let before = joint(&text[..at]);
    let behind = &text[at + old.len()..];
    let behind = behind.strip_prefix(" station").unwrap_or(behind);
    let (new, rest) = match before.strip_suffix("instead of") {
        Some(head) => {
            let head = head.trim_end().trim_end_matches(',');
            let head = head.rsplit_once(',').map_or(head, |it| it.1);
            (unled(head), behind.trim_start_matches([',', ' ']).to_owned())
        }
        None => {
            let last = before.rsplit([' ', ',']).next().unwrap_or_default();
            let form = FORMS.iter().find(|it| marks(it.0).any(|it| it == last))?;
            let behind = form.1.iter().find_map(|it| behind.strip_prefix(it))?;
            let behind = unled(behind);
            let (new, rest) = behind.split_once(',').unwrap_or((&behind, ""));
            let new = new.trim_end().trim_end_matches(" please").trim_end_matches(" instead");
            (new.to_owned(), rest.trim().to_owned())
        }
    };
    Some((new, old.to_owned(), rest))
}
