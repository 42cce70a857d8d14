//! Understands sentences about forms without a model: fields, changes and answers. Lists
//! existing forms and their answers itself.

mod fields;
mod rules;
mod survey;

use language::{
    Date, Language,
    chat::{CONTINUED, Chat, Family, FollowUp, Plan},
    context::{FamilyInfo, TurnContext, failure, output},
    contract::TurnRequest,
    coverage::{OVER, Used, unused},
    rules::Percent,
    say::{self, Skill},
    scan::marks,
    small_talk::Manner,
    turn::{Answered, Decision},
    utterance::Utterance,
    vocabulary::Vocabulary,
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolkit::{
    Tool as _,
    dialogue::{Name, Reply, Sample, Turn},
};

use self::{
    rules::{FORM, Goal, INQUIRE, NOUNS, PHRASES},
    survey::Survey,
};
use crate::tools::ListFormSubmissions;

static VOCABULARY: Vocabulary = Vocabulary {
    family: "forms",
    phrases: PHRASES,
    nouns: NOUNS,
    actions: rules::ACTIONS,
    done: "sent|送っ|送信|登録",
    ..Vocabulary::NONE
};

static FAMILY_INFO: FamilyInfo = FamilyInfo { family: "forms", codes: &[], subjects: &[] };

static SKILLS: &[Skill<Goal>] = &[
    Skill {
        goals: &[Goal::Form],
        tools: &["request_form"],
        is_one_enough: false,
        name: ("フォームの作成", "making forms"),
        example: (
            "名前とメールアドレスを聞くフォームを作って",
            "Make a form asking for name and email",
        ),
        is_featured: true,
    },
    Skill {
        goals: &[Goal::Forms],
        tools: &["list_form_submissions"],
        is_one_enough: false,
        name: ("フォームの一覧", "listing forms"),
        example: ("回答されたフォームを見せて", "Which forms have been answered?"),
        is_featured: false,
    },
];

/// Handles a turn of a conversation.
///
/// # Errors
/// If a JSON document of the turn is invalid.
pub fn next(turn: Turn) -> Result<Reply, String> {
    Ok(Chat::<Forms>::reply(&TurnRequest::read(turn, None)?))
}

/// The forms' words, for other families.
///
/// # Errors
/// Never.
pub fn names() -> Result<Vec<Name>, String> {
    Ok(VOCABULARY.names())
}

/// Example sentences.
pub fn samples(tag: &str) -> Vec<Sample> {
    say::samples(SKILLS, tag)
}

/// The family; its only memory is the plan.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Forms {}

/// A sentence; its fields are parsed on demand.
type Sentence = Box<Utterance>;

/// State of a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Survey(Box<Survey>),
    Lists(Lists),
}

impl Family for Forms {
    type Sentence = Sentence;
    type Goal = Goal;
    type Plan = Request;

    const FAMILY_INFO: &'static FamilyInfo = &FAMILY_INFO;
    const SKILLS: &'static [Skill<Goal>] = SKILLS;
    const NEAR: &'static [(Goal, &'static [Word])] = &[(Goal::Form, &[FORM, INQUIRE])];

    fn parse(text: &str, today: Date) -> Sentence {
        Box::new(Utterance::parse(&fields::plain(text, today), today, &VOCABULARY))
    }

    fn goal(utterance: &Sentence) -> Option<(Goal, Percent)> {
        rules::goal(utterance)
    }

    fn handles_manner(utterance: &Sentence, manner: Manner) -> bool {
        match manner {
            Manner::Price => utterance.has(&[FORM, INQUIRE]) || rules::changes_field(utterance),
            Manner::Delete => utterance.has(&[INQUIRE]),
            _ => false,
        }
    }

    fn is_denial(goal: Goal) -> bool {
        goal == Goal::Nothing
    }

    fn is_request(goal: Goal) -> bool {
        goal == Goal::Forms
    }

    fn handles_denial(_utterance: &Sentence, goal: Goal) -> bool {
        goal == Goal::Form
    }

    fn direct_answer(
        &self,
        utterance: &Sentence,
        goal: Goal,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        match goal {
            Goal::Form | Goal::Forms if rules::asks_about_handling(utterance) => Some(context.say(
                "フォームは、ここか「フォーム」の画面で記入します。書きかけは下書きとして残ります。送信は一度だけで、回答はこのサーバーに保存され、フォームを頼んだ側が読みます。キャンセルすると何も送られません。まだ何もしていません。",
                "A form is filled in here or on the page for forms, and what is half typed is kept as a draft. It is sent once: its answers are kept on this server, for the chat or the agent that asked for them. One that is cancelled sends nothing. Nothing was done.",
            )),
            Goal::Nothing => Some(say::nothing(context)),
            Goal::Elsewhere => Some(say::elsewhere(context, SKILLS)),
            Goal::Help => Some(say::examples(context, SKILLS)),
            Goal::Form | Goal::Forms => None,
        }
    }

    fn plan(
        &self,
        utterance: &Sentence,
        goal: Goal,
        language: Language,
        _before: Option<&Request>,
    ) -> Option<Request> {
        match goal {
            Goal::Form => Some(Request::Survey(Box::new(Survey::new(utterance, language)))),
            Goal::Forms => Some(Request::Lists(Lists::new(utterance))),
            Goal::Nothing | Goal::Elsewhere | Goal::Help => None,
        }
    }

    fn follow(
        &self,
        plan: &mut Option<Request>,
        utterance: &Sentence,
        goal: Option<Goal>,
        manner: Option<Manner>,
        context: &TurnContext<'_>,
    ) -> Option<FollowUp> {
        let survey = match plan {
            Some(Request::Survey(survey)) => survey,
            // `答えたやつは？`
            Some(Request::Lists(lists)) if goal.is_none() && manner.is_none() => {
                *lists = lists.of_other_state(utterance)?;
                return Some(FollowUp::Continue(CONTINUED, Vec::new()));
            }
            _ => return None,
        };
        if rules::asks_answers(utterance)
            && let Some(text) = survey.describe_answers(context)
        {
            return Some(FollowUp::Answer(text));
        }
        if let Some(named) = survey.completed_by(utterance, context) {
            **survey = named;
            return Some(FollowUp::Continue(CONTINUED, survey.unused_words().to_vec()));
        }
        if rules::asks_fields(utterance)
            && let Some(text) = survey.describe_fields(context)
        {
            return Some(FollowUp::Answer(text));
        }
        if let Some(text) = survey.asks_which_to_move(utterance, context) {
            return Some(FollowUp::Answer(text));
        }
        if rules::wants_again(utterance)
            && let Some(sure) = survey.again(utterance, context.language)
        {
            return Some(FollowUp::Continue(sure, survey.unused_words().to_vec()));
        }
        let is_new = rules::is_new_form(utterance);
        if !is_new && survey.is_taken_up(utterance) {
            let changed = survey.change(utterance, context.language);
            let left = changed.map(|_| survey.unused_words().to_vec());
            return Some(FollowUp::Continue(CONTINUED, left.unwrap_or_default()));
        }
        let may_amend = match manner {
            Some(manner) => manner.is_elsewhere() || manner == Manner::Nothing,
            None => goal != Some(Goal::Forms),
        };
        if is_new || !may_amend {
            return None;
        }
        let sure = survey.change(utterance, context.language)?;
        Some(FollowUp::Continue(sure, survey.unused_words().to_vec()))
    }
}

impl Plan for Request {
    type Goal = Goal;
    type Sentence = Sentence;

    fn used(&self, _utterance: &Sentence, _goal: Goal) -> Used {
        Used { names: Lists::used(), conditions: vec![OVER], spans: Vec::new() }
    }

    fn covers(&self) -> bool {
        matches!(self, Self::Lists(_))
    }

    fn may_repeat(&self) -> bool {
        !matches!(self, Self::Survey(it) if it.is_answered())
    }

    fn normalize_correction(&self, sentence: &str) -> Option<String> {
        // `make one asking for a name`, if no form fits; next to a form only another one.
        const NEW: &str = "create one|make one|make me one|build one";
        const ANOTHER: &str = "create a new one|create another one|create a second one|make a new one|make another one|make a second one|make a different one|make me another one|make me a second one|build another one|a second one|another one";
        if let Self::Survey(survey) = self
            && let Some(replaced) = survey.rewrite_replacement(sentence)
        {
            return Some(replaced);
        }
        let lower = sentence.to_ascii_lowercase();
        let new = marks(NEW).filter(|_| matches!(self, Self::Lists(_)));
        let begun = new.chain(marks(ANOTHER)).find(|it| lower.starts_with(&format!("{it} ")))?;
        // `make one seat booking` is about something else.
        const ASKS: &str = "asking|that asks|with |to ask|called |titled ";
        let behind = lower[begun.len()..].trim_start();
        marks(ASKS).find(|it| behind.starts_with(it))?;
        let verb = begun.split(" one").next().unwrap_or_default();
        let verb = if verb.starts_with(['a']) { "make a new" } else { verb };
        let form = format!("{verb} form{}", &sentence[begun.len()..]);
        let read =
            || fields::read(&Utterance::parse(&form, Date::constant(2000, 1, 1), &VOCABULARY));
        // `make another one with a dragon` is about something else.
        (matches!(self, Self::Lists(_)) || read().sure > 0).then_some(form)
    }

    fn unused_words(&self) -> &[String] {
        match self {
            Self::Survey(it) => it.unused_words(),
            Self::Lists(_) => &[],
        }
    }

    fn filled(&mut self, values: &Map<String, Value>, language: Language) {
        if let Self::Survey(survey) = self {
            survey.filled(values, language);
        }
    }

    fn next(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        match self {
            Self::Survey(it) => it.next(context, answered),
            Self::Lists(it) => it.next(context, answered),
        }
    }
}

/// Maximum listed entries.
const LISTED_MAX: usize = 10;
/// Words for unanswered and for answered forms.
const WAITS: &str = "未回答|まだ|てない|ていない|てません|ていません|回答待ち|返事待ち|受付中|募集中|開いて|空いて|オープン|unanswered|not answered|pending|waiting|not been answered|open|haven't|hasn't|outstanding|still have to|still need to|have to fill|need to fill|left to fill";
const ANSWERED: &str = "答えた|もう答え|回答|返答|返事|返信|答え|届い|送信済|送られて|送られ|提出|answer|submitted|submission|response|filled|repl|fill in|fill out|fill it";

/// A requested list.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Lists {
    state: Option<String>,
    /// Whether the answers are requested.
    has_values: bool,
}

impl Lists {
    fn new(utterance: &Utterance) -> Self {
        let text: String = utterance.lower.iter().collect();
        let says = |words: &str| words.split('|').any(|it| text.contains(it));
        let state = match () {
            () if says(WAITS) => Some("waiting"),
            () if says(ANSWERED) => Some("submitted"),
            () => None,
        };
        // Whether there is an answer is another question than its content.
        let has_values = state == Some("submitted")
            && says("何て|なんて|何と|なんと|内容|回答を|答えを|what|show|read|tell");
        Self { state: state.map(str::to_owned), has_values }
    }

    /// The list for a question about the other forms: `答えたやつは？`, `and the open ones?`.
    fn of_other_state(&self, utterance: &Utterance) -> Option<Self> {
        let next = Self::new(utterance);
        let used = Used { names: Self::used(), ..Used::default() };
        let is_asked = utterance.asks() && unused(utterance, &used).is_empty();
        (is_asked && next.state.is_some() && next.state != self.state).then_some(next)
    }

    /// Words that select forms.
    fn used() -> Vec<String> {
        WAITS.split('|').chain(ANSWERED.split('|')).map(str::to_owned).collect()
    }

    fn next(&self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        if let Some((_, failure)) = failure(answered) {
            return context.conclude(say::failed(context, failure));
        }
        let Some(found) = output(answered, ListFormSubmissions::NAME) else {
            let arguments = self.state.as_ref().map_or(json!({}), |it| json!({ "status": it }));
            let reason =
                context.say("どんなフォームがあるかを確認", "To see which forms there are");
            return context.only(ListFormSubmissions::NAME, arguments, reason);
        };
        let forms: Vec<_> = found["forms"].as_array().into_iter().flatten().collect();
        let state = |form: &Value| match form["status"].as_str().unwrap_or_default() {
            "waiting" => context.say("未回答", "not answered yet"),
            "submitted" => context.say("回答済み", "answered"),
            "declined" => context.say("辞退", "declined"),
            _ => context.say("取り消し", "cancelled"),
        };
        let title = |form: &Value| say::short(form["title"].as_str().unwrap_or_default());
        let line = |form: &&Value| {
            let head = context.say(
                format!("- {}（{}）", title(form), state(form)),
                format!("- {} ({})", title(form), state(form)),
            );
            let values = form["values"].as_object().filter(|_| self.has_values);
            let values = values.into_iter().flatten().take(LISTED_MAX);
            let values = values.map(|it| format!("\n  - {}: {}", it.0, value(it.1)));
            head + &values.collect::<String>()
        };
        let lines: Vec<_> = forms.iter().take(LISTED_MAX).map(line).collect();
        let what = match self.state.as_deref() {
            Some("waiting") => context.say("未回答のフォーム", "Forms that wait for an answer"),
            Some(_) => context.say("回答済みのフォーム", "Forms that were answered"),
            None => context.say("フォーム", "Forms"),
        };
        context.list(&what, forms.len(), &found["next_cursor"], &lines)
    }
}

/// Formats an answered value in one line.
fn value(value: &Value) -> String {
    match value {
        Value::String(text) => say::short(text),
        value => say::short(&value.to_string()),
    }
}

#[cfg(test)]
mod tests;
