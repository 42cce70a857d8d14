//! A form that asks one question: `a poll: pizza or sushi`.

use language::{scan::marks, utterance::Utterance};

use super::{Field, Reading, item, kinds::FREE, list::has_form};

/// The only field of a poll: `a poll: pizza or sushi`, `カレーかラーメンかを聞く`.
pub(in crate::sentences) fn choice(utterance: &Utterance) -> Option<Field> {
    const OPTION_MAX: usize = 20;
    let field = |options: Vec<String>| {
        let is_fit = options.len() >= 2
            && options.iter().all(|it| (1..=OPTION_MAX).contains(&it.chars().count()));
        is_fit.then(|| Field {
            label: Some(options.join(" / ")),
            is_free: true,
            options,
            is_required: true,
            ..Field::new(FREE)
        })
    };
    let text: String = utterance.chars.iter().collect();
    if let Some((before, behind)) = text.split_once(':').filter(|it| it.1.contains(" or ")) {
        let behind = behind.trim().trim_end_matches(['.', '?', '!']);
        let parts = behind.split(',').flat_map(|it| it.split(" or ")).map(str::trim);
        let parts =
            parts.map(|it| it.strip_prefix("or ").unwrap_or(it)).filter(|it| !it.is_empty());
        let mut field = field(parts.map(str::to_owned).collect())?;
        // `ask my favourite fruit: apple or pear` has a label.
        if let Some(label) = item::label(before).filter(|_| !has_form(before)) {
            field.label = Some(label);
        }
        return Some(field);
    }
    // `カレーかラーメンか`: options end with か, before punctuation or a verb of asking.
    const ENDS: &str =
        "かを聞|か聞|かを選|か選|かを尋|か尋|かの|かで投票|かどっち|かアンケート|かのアンケート";
    let end = marks(ENDS).filter_map(|it| utterance.find(it, 1)).min()?;
    let ends = ['、', '。', 'は', 'で', 'に', ' ', 'を', '「', '」'];
    let from =
        utterance.chars[..end].iter().rposition(|it| ends.contains(it)).map_or(0, |it| it + 1);
    let parts: String = utterance.chars[from..end].iter().collect();
    field(parts.split('か').map(str::to_owned).filter(|it| !it.is_empty()).collect())
}

impl Reading {
    /// `出欠を聞きたい。参加・不参加・未定から選ぶ`: the options are those of the attendance, or its field.
    pub(super) fn attend(&mut self) {
        const ANSWERS: &str = "参加|不参加|出席|欠席|参加する|参加しない|出席する|欠席する|coming|not coming|attending|not attending";
        let is_unlabelled = |it: &Field| it.label.as_ref() == Some(&it.options.join(" / "));
        let attends = |field: &Field| {
            let is_answer =
                |it: &String| marks(ANSWERS).any(|answer| it.eq_ignore_ascii_case(answer));
            field.options.iter().any(is_answer) && is_unlabelled(field)
        };
        let Some(at) = self.fields.iter().position(attends) else { return };
        let is_english = self.fields[at].options.iter().all(|it| it.is_ascii());
        let label = if is_english { "Attendance" } else { "出欠" };
        let before = self.fields[at].label.replace(label.to_owned());
        // Conditions name the field by its label.
        let shown = self.fields.iter_mut().filter_map(|it| it.shown.as_mut());
        for rule in shown.filter(|it| it.label == before) {
            rule.label = Some(label.to_owned());
        }
        let is_open = |it: &Field| it.kind.name == "attendance" && it.options.is_empty();
        if let Some(own) = self.fields.iter().position(is_open) {
            let choice = self.fields.remove(at);
            let field = &mut self.fields[own - usize::from(at < own)];
            field.label = field.label.take().or(choice.label.clone());
            let is_required = field.is_required;
            field.take(choice);
            field.is_required = is_required;
        }
    }
}

impl Field {
    /// Whether it has options of its own.
    pub(in crate::sentences) fn is_choice(&self) -> bool {
        !self.options.is_empty()
    }
}
