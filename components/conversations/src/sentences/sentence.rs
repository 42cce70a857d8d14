//! Parses a sentence about agents: their names, the topic, and messages to them.

use std::ops::Deref;

use language::{
    Date,
    clock::{is_numeral, starts},
    condition,
    coverage::is_small,
    name_pieces::is_name_char,
    numbers::whole,
    order::{Order, order},
    rules::Percent,
    scan::marks,
    utterance::{Piece, Utterance, clean},
    words::Word,
};

use super::{VOCABULARY, rules};

/// First parts of agents' names such as `worker-a`.
const NAME_STEMS: &str =
    "worker|agent|bot|assistant|researcher|writer|analyst|reviewer|planner|coder";
/// Words before a name that mark it as an agent's.
const MARKS_BEFORE: &str = "エージェント|agent";
/// Words after a name that mark it as an agent's.
const MARKS_AFTER: &str = "エージェント|さん| agent";
/// Particles after the name of an agent that is to do something.
const PARTICLES: &str = "に|へ|と|から|を|、|で";
const VERBS: &str =
    "ask |tell |have |let |make |get |with |between |to |from |and |send |write |message ";
/// Words that are no topic.
const FILLERS: &str = "then|too|as well|also|instead|please|pls|now|ok|okay|again|it is|いいや|いい|もいい|お願い|お願いします|おねがい|よろしく|も|だけ|やっぱり|やっぱ|して|やって|する|話して|頼む|させて|やらせて|させたい|させてください";
/// Texts that end a Japanese topic.
const TOPIC_TAILS: &str = "について|ちょっと話|話したい|話がした|に関して|に関する|のことを|を聞|を尋|をたずね|を質問|を教え|を確認|を調べ|を相談|を頼|を議論|を話|\
     会議させ|会議をさせ|会議して|会議をして|討論させ|討論をさせ|と聞|って聞|か聞|か尋|か確認|か教え|か調べ|聞いて|きいて|尋ねて|質問して|相談|話し合|議論|会話|対話|話させ|話して|話を|お話";
/// Texts before an English topic.
const TOPIC_HEADS: &str = "should |must |shall |about |on |for |to tell me about |to tell us about |to tell me |to tell us |what they know about |\
     whether |if |to discuss |discuss |ask for |ask about |ask to |ask whether |ask |discussing |talking about |to talk about |talk about |talk to each other about |to chat about |to ";
const ENDS: &[char] =
    &['、', '。', ',', '.', '!', '！', '?', '？', ' ', '　', 'を', 'で', 'に', 'は', 'と', 'の'];

/// A sentence about agents.
#[derive(Clone, Debug)]
pub(super) struct Sentence(Utterance);

impl Deref for Sentence {
    type Target = Utterance;

    fn deref(&self) -> &Utterance {
        &self.0
    }
}

impl Sentence {
    /// Parses `text` with the vocabulary of conversations.
    pub(super) fn parse(text: &str, today: Date) -> Self {
        Self(Utterance::parse(&with_joined_names(text), today, &VOCABULARY))
    }

    /// Returns the names of agents, in their order, with the one that a single one is to talk with.
    pub(super) fn agents(&self) -> Vec<Piece> {
        let mut agents: Vec<Piece> = Vec::new();
        for piece in self.latin_words() {
            let is_taken = agents.iter().any(|it| it.text == piece.text);
            if !is_taken && is_name(&piece.text) && self.is_agent(&piece) {
                agents.push(piece);
            }
        }
        if let [one] = &agents[..] {
            agents.extend(self.partner(one));
            agents.sort_by_key(|it| it.from);
        } else if let [one, other] = &agents[..] {
            agents.extend(self.third(one, other));
        } else if agents.is_empty() {
            agents.extend(self.pair().into_iter().flatten());
        }
        agents
    }

    /// Returns the members that only a request for a conversation names: `a conversation between Alice and Bob`.
    fn pair(&self) -> Option<[Piece; 2]> {
        const NOUNS: [&str; 5] = ["conversation", "chat", "talk", "debate", "dialogue"];
        let words: Vec<_> = self.latin_words().collect();
        let [one, joint, other] = words.windows(6).find_map(|it| match it {
            // `the debate between` is one that there is.
            [article, noun, between, names @ ..]
                if ["a", "new"].contains(&article.text.as_str())
                    && NOUNS.contains(&noun.text.as_str())
                    && between.text == "between" =>
            {
                <[Piece; 3]>::try_from(names.to_vec()).ok()
            }
            _ => None,
        })?;
        let is_pair = joint.text == "and"
            && self.is_new_name(&one)
            && self.is_new_name(&other)
            && !self.has(&[Word::HALT, Word::SHOW, Word::THEIRS]);
        is_pair.then_some([one, other])
    }

    /// Returns the third member of a list: `worker-a, worker-b and hanako`.
    fn third(&self, one: &Piece, other: &Piece) -> Option<Piece> {
        const JOINTS: &str = ", and | and | & |, |と|、";
        const TOPICS: &str =
            "につ|に関|の話|の件|のこと|の良|をテーマ|をお題|を話|を議論|って|vs|対|or |で|:";
        let between: String = self.chars[one.to..other.from].iter().collect();
        let joint = marks(JOINTS).find(|it| self.is_at(it, other.to))?;
        let from = other.to + joint.chars().count();
        let is_list = [",", "、", "と"].contains(&between.trim());
        // `worker-aとworker-b、AIについて` is about a topic.
        let is_topic =
            |it: &Piece| marks(TOPICS).any(|mark| self.behind(it).trim_start().starts_with(mark));
        let mut third = self.latin_words().filter(|it| is_list && it.from == from);
        third.find(|it| self.is_new_name(it) && !is_topic(it))
    }

    /// Whether `piece` may be a name: no known word.
    fn is_new_name(&self, piece: &Piece) -> bool {
        !piece.text.starts_with(|it: char| it.is_ascii_digit())
            && !is_small(&piece.text.to_lowercase())
            && !(piece.from..piece.to).all(|at| self.is_known(at))
    }

    /// Words of Latin letters, digits and joints.
    fn latin_words(&self) -> impl Iterator<Item = Piece> {
        self.written(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_'))
    }

    /// Runs of the characters that `is_sign` accepts.
    fn written(&self, is_sign: impl Fn(char) -> bool) -> impl Iterator<Item = Piece> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let from = (at..self.chars.len()).find(|it| is_sign(self.chars[*it]))?;
            at = (from..self.chars.len())
                .find(|it| !is_sign(self.chars[*it]))
                .unwrap_or(self.chars.len());
            Some(self.piece(from, at))
        })
    }

    /// Returns the other member of the talk of `agent`, whatever its name: `between worker-a and hanako`,
    /// `worker-aとhanakoで`. No talk begins with another agent than the one that is named.
    fn partner(&self, agent: &Piece) -> Option<Piece> {
        const WITH: &str = "with|talk to|speak to|talking to|speaking to|against|versus|vs";
        const BEHIND: &str =
            "talk|chat|speak|discuss|debate|argue|play|converse|have|about|on|for|should|must|and";
        const PARTICLES: &str = "さん|で|に|が|の会話|の対話|の二人|の間|、|と|を話|を会話|を対話";
        const ABOUT: [&str; 2] = ["につ", "に関"];
        const TALK: &str = "talk|chat|speak|discuss|debate|play|have";
        const POLITE: &str = "さん|くん|君|ちゃん|様";
        /// Before what is no member: `talk about cats and worker-a`, `chat with worker-a and report`.
        const NO_MEMBER: [&str; 2] = ["about ", "on "];
        const OTHERS: [&str; 3] = ["with ", "to ", "ask "];
        let is_talk = self.has(&[rules::CONVERSE, rules::CHAIN, rules::TALKS])
            || ["chat", "speak", "between"].iter().any(|it| self.find_word(it, 0).is_some());
        let is_language = |it: &Piece| !it.text.is_ascii() && it.text.ends_with('語');
        let is_new = |it: &Piece| it.text != agent.text && self.is_new_name(it) && !is_language(it);
        let lets = ["せて", "せる", "せた", "せよう"].iter().any(|it| self.find(it, 0).is_some());
        let is_own = !lets && ["たい", "たく"].iter().any(|it| self.find(it, 0).is_some());
        let text = |from: usize, to: usize| self.lower[from..to].iter().collect::<String>();
        let is_other = |other: &Piece| {
            let is_first = other.from < agent.from;
            let (first, second) = if is_first { (other, agent) } else { (agent, other) };
            let between = text(first.to, second.from);
            let rest = text(other.to, self.lower.len());
            let rest = rest.trim_start_matches(['」', '』', '"', ' ']);
            let next = rest.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
            let ends = next.is_empty() || marks(BEHIND).any(|it| it == next);
            let between = between.trim_matches(['「', '」', '『', '』', '"', ' ']);
            match between.strip_prefix("さん").unwrap_or(between) {
                "と" => {
                    let is_polite = marks(POLITE).any(|it| rest.starts_with(it));
                    // `worker-aと電話で話したい` is the writer's own talk, `worker-aと日本語で話して` has no name.
                    // So is `Python` in `worker-aとPythonで話して` what is talked about.
                    let is_own_name = !other.text.starts_with(|it: char| it.is_ascii_uppercase());
                    let is_written = other.text.is_ascii() && is_own_name;
                    let is_named = is_polite || !is_own && (is_written || lets);
                    let is_member = is_named && marks(PARTICLES).any(|it| rest.starts_with(it));
                    is_first
                        || is_polite
                        || is_member && !ABOUT.iter().any(|it| rest.starts_with(it))
                }
                _ if !other.text.is_ascii() => false,
                "and" | "&" if is_first => {
                    is_talk && !NO_MEMBER.iter().any(|lead| self.before(other).ends_with(lead))
                }
                "and" | "&" => {
                    is_talk && ends && !OTHERS.iter().any(|it| self.before(agent).ends_with(it))
                }
                "to" => !is_first && ends && self.before(agent).ends_with("from "),
                _ => {
                    // `worker-a talk about lunch with hanako`, but not `worker-a about films with subtitles`.
                    let led = between.strip_prefix("to ").unwrap_or(between);
                    let is_led = led == "with" || marks(TALK).any(|it| led.starts_with(it));
                    let is_with = is_led && marks(WITH).any(|it| between.ends_with(it));
                    !is_first && ends && is_talk && is_with && !between.contains(',')
                }
            }
        };
        let named = self.written(|it| is_name_char(it) && !it.is_ascii());
        self.latin_words().chain(named).find(|it| is_new(it) && is_other(it))
    }

    /// Whether an agent is to do something.
    pub(super) fn addresses_agent(&self) -> bool {
        self.agents().iter().any(|it| self.is_addressed(it))
    }

    /// Whether `agent` is to do something.
    fn is_addressed(&self, agent: &Piece) -> bool {
        let (before, behind) = (self.before(agent), self.behind(agent));
        marks(PARTICLES).any(|it| behind.trim_start().starts_with(it))
            || marks(VERBS).any(|it| before.ends_with(it))
    }

    /// Whether `agent` is the initiator.
    pub(super) fn is_source(&self, agent: &Piece) -> bool {
        self.behind(agent).trim_start().starts_with("から") || self.before(agent).ends_with("from ")
    }

    /// Returns the text after a name, without quotation marks.
    fn behind(&self, agent: &Piece) -> String {
        let behind: String = self.chars[agent.to..].iter().collect();
        behind.trim_start_matches(['」', '』', '"']).to_lowercase()
    }

    fn before(&self, agent: &Piece) -> String {
        let before: String = self.chars[..agent.from].iter().collect();
        before.trim_end_matches(['「', '『', '"']).to_lowercase()
    }
}

impl Sentence {
    fn is_agent(&self, piece: &Piece) -> bool {
        let lower = piece.text.to_lowercase();
        let called = lower.split(['-', '_']).next().unwrap_or_default();
        marks(NAME_STEMS).any(|it| it == called)
            || marks(MARKS_BEFORE).any(|it| self.before(piece).trim_end().ends_with(it))
            || marks(MARKS_AFTER).any(|it| self.behind(piece).starts_with(it))
    }
}

/// Writes agents' names with their joint: `ワーカーA`, `worker a and worker b`, `WorkerB`.
fn with_joined_names(text: &str) -> String {
    const STEMS: [(&str, &str); 3] =
        [("ワーカー", "worker"), ("わーかー", "worker"), ("worker", "worker")];
    // `tell the worker a story` names none, `worker a and worker b` does.
    const BEHIND: &str = "and|with|to|vs|versus|should|must|talk|chat|debate|discuss|about|for|will|can|start|starts|begin|begins|speak|or";
    let chars: Vec<char> = clean(text);
    let lower: Vec<char> = chars.iter().map(char::to_ascii_lowercase).collect();
    let stem = |at: usize| STEMS.iter().find(|it| starts(&lower[at..], it.0));
    let is_sign = |it: &char| it.is_ascii_alphabetic();
    let is_letter = |at: usize| lower.get(at).is_some_and(char::is_ascii_alphanumeric);
    let next_word = |at: usize| -> String {
        let rest = lower.get(at..).unwrap_or_default();
        let rest = rest.iter().skip_while(|it| **it == ' ');
        rest.take_while(|it| it.is_ascii_alphanumeric()).collect()
    };
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while at < chars.len() {
        let found = stem(at).filter(|_| at == 0 || !is_letter(at - 1)).and_then(|(kana, name)| {
            let end = at + kana.chars().count();
            let is_apart = lower.get(end) == Some(&' ');
            let sign = end + usize::from(is_apart);
            let next = next_word(sign + 1);
            let is_named = chars.get(sign).is_some_and(char::is_ascii_uppercase)
                || !is_apart
                || !matches!(lower.get(sign), Some('a' | 'i'))
                || next.is_empty()
                || marks(BEHIND).any(|it| it == next);
            let is_one = lower.get(sign).is_some_and(is_sign) && !is_letter(sign + 1);
            (is_one && is_named).then(|| (format!("{name}-{}", lower[sign]), sign + 1))
        });
        match found {
            Some((name, end)) => {
                out.push_str(&name);
                at = end;
            }
            None => {
                out.push(chars[at]);
                at += 1;
            }
        }
    }
    out
}

/// Whether `text` is a name such as `worker-a`: letters and digits with a joint between them.
fn is_name(text: &str) -> bool {
    let mut parts = text.split(['-', '_']);
    let begins = text.starts_with(|it: char| it.is_ascii_alphabetic());
    begins && parts.clone().count() > 1 && parts.all(|it| !it.is_empty())
}

/// Returns the topic that `text` states anywhere: `話題はお昼ごはん`, `change the topic to lunch`.
pub(super) fn stated_topic(text: &str) -> Option<String> {
    const TOPICS: &str = "change the topic to |change the subject to |話題は|テーマは|お題は|議題は|トピックは|内容は|話題:|テーマ:|topic is |topic: |topic being |subject: |subject is ";
    let lower = text.to_lowercase();
    let (at, mark) = marks(TOPICS).filter_map(|it| Some((lower.find(it)?, it))).min()?;
    let rest = text.get(at + mark.len()..).filter(|_| lower.len() == text.len())?;
    let end = rest.find(['、', '。', ',', '.', '\n']).unwrap_or(rest.len());
    let topic = [
        "ください",
        "に変えて",
        "に変更して",
        "に変更",
        "に変えよう",
        "にして",
        "でお願いします",
        "でお願い",
        "です",
        "で",
    ]
    .iter()
    .fold(rest[..end].trim(), |it, tail| it.strip_suffix(tail).unwrap_or(it));
    Some(topic.to_owned()).filter(|it| !it.is_empty())
}

/// Returns what the agents are to talk about, in the sentence's own words.
pub(super) fn topic(utterance: &Sentence, agents: &[Piece]) -> Option<String> {
    let text = utterance.text();
    let is_japanese = text.chars().any(|it| matches!(it, '\u{3041}'..='\u{30fa}'));
    if let Some(topic) = stated_topic(&text) {
        return Some(topic);
    }
    let named = agents.iter().map(|it| it.to).max();
    let spoken = utterance.tokens.iter().filter(|it| it.word == rules::AGENTS);
    let topic = if is_japanese {
        let from = named.or(spoken.map(|it| it.to).max())?;
        let rest: String = utterance.chars[from..].iter().collect();
        let topic = japanese_topic(&without_japanese_length(&rest)).to_owned();
        // `旅行の話をworker-aとworker-bにさせて`: the topic may come before the agents.
        let first = agents.iter().map(|it| it.from).min().unwrap_or_default();
        let before: String = utterance.chars[..first].iter().collect();
        let earlier = before.strip_suffix('を').and_then(|it| it.rsplit(['、', '。']).next());
        let is_deed = topic.is_empty() || is_filler(&topic);
        earlier.filter(|_| is_deed).map_or(topic, str::to_owned)
    } else {
        let first = agents.iter().map(|it| it.from).min();
        let begin = first.or(spoken.clone().map(|it| it.from).min())?;
        let end = agents.first().map(|it| it.to).or(spoken.map(|it| it.to).max())?;
        let rest: String = utterance.chars[end..].iter().collect();
        let rest = without_agents(rest, agents);
        let (rest, _) = without_length(&rest);
        let topic = english_topic(&rest).trim().trim_matches(ENDS).to_owned();
        // `start a talk about the menu between worker-a and worker-b`.
        let before: String = utterance.chars[..begin].iter().collect();
        let earlier = before.split_once(" about ").or(before.split_once(" on ")).map(|it| it.1);
        let earlier = earlier.map(|topic| {
            let ends = [" between", " with", " among", " by", " from", ","];
            ends.iter()
                .filter_map(|end| topic.find(end))
                .min()
                .map_or(topic, |at| &topic[..at])
                .to_owned()
        });
        earlier.filter(|_| topic.is_empty()).unwrap_or(topic)
    };
    let topic = topic.trim().trim_matches(ENDS).trim();
    (!topic.is_empty() && !is_filler(topic)).then(|| topic.to_owned())
}

/// Whether `topic` is no topic, such as `then`, `いいや` or a number of agents.
fn is_filler(topic: &str) -> bool {
    let count = topic.trim_end_matches(['人', '体', '台', 'つ', '匹', '名', '組']);
    let is_count = !count.is_empty() && count.len() < topic.len() && count.chars().all(is_numeral);
    is_count || marks(FILLERS).any(|it| topic.eq_ignore_ascii_case(it))
}

/// Removes the names of the other agents, and their joints, from the text after the first one.
fn without_agents(rest: String, agents: &[Piece]) -> String {
    const JOINTS: &str = " and | with | & |, | to | together with | versus | vs ";
    let mut rest = rest;
    for agent in agents.iter().skip(1) {
        let Some(at) = rest.find(&agent.text) else { continue };
        let (head, tail) = rest.split_at(at);
        let tail = &tail[agent.text.len()..];
        let joint = marks(JOINTS).find(|joint| head.to_lowercase().ends_with(joint));
        let head = joint.map_or(head, |joint| &head[..head.len() - joint.len()]);
        rest = format!("{} {}", head.trim_end(), tail.trim_start());
    }
    rest
}

fn japanese_topic(rest: &str) -> &str {
    const COUNTERS: [char; 7] = ['人', '体', '台', 'つ', '匹', '名', '組'];
    let mut rest = rest.trim_start_matches(['」', '』', ' ']).trim_start_matches("さん");
    // `エージェント2人に…`: the number of agents is no part of the topic.
    let behind = rest.trim_start_matches(is_numeral);
    if behind.len() < rest.len() {
        rest = behind.strip_prefix(COUNTERS).unwrap_or(rest);
    }
    for particle in ["から", "同士で", "に", "へ", "と", "で", "を", "、"] {
        rest = rest.strip_prefix(particle).unwrap_or(rest);
    }
    // `ランチの案を出させて`: the verb is no part of the topic.
    const MADE: &str = "させ|らせ|わせ|てもら|でもら|てほし|てくれ";
    const REACH: usize = 8 * 'あ'.len_utf8();
    let made = marks(MADE).filter_map(|it| rest.find(it)).min();
    let made = made.and_then(|at| {
        let from = rest[..at].rfind('を').filter(|it| at - it <= REACH)?;
        // `映画を予約させて`: this verb is.
        let verb = rest[from..at].trim_start_matches('を');
        let verb = verb.strip_suffix('し').unwrap_or(verb);
        let is_said = verb.chars().count() > 1
            && verb.chars().all(|it| matches!(it, '\u{4e00}'..='\u{9fff}'));
        let end = from + 'を'.len_utf8() + verb.len();
        Some((if is_said { end } else { from }, "を"))
    });
    let ends = marks(TOPIC_TAILS).filter_map(|it| Some((rest.find(it)?, it))).chain(made);
    match ends.min_by_key(|it| it.0) {
        // A question keeps its か.
        Some((at, mark)) if mark.starts_with('か') => &rest[..at + 'か'.len_utf8()],
        Some((at, _)) => &rest[..at],
        None => rest,
    }
}

fn english_topic(rest: &str) -> &str {
    let rest = rest.trim_start_matches(['"', ' ', ',']);
    let rest = rest.trim_end_matches(['.', '!', '?', ' ']).trim_end_matches(", please");
    let rest = rest.trim_end_matches(" please");
    // The topic follows `about`, independent of the verb before.
    let padded = rest.find("about ").filter(|at| *at == 0 || rest[..*at].ends_with(' '));
    if let Some(at) = padded.filter(|at| *at < 40) {
        // `but not about work` keeps its `not`.
        let not = rest[..at].ends_with("not ").then(|| at - "not ".len());
        return &rest[not.unwrap_or(at + "about ".len())..];
    }
    let rest = rest.trim_start();
    let lower = rest.to_lowercase();
    let head = marks(TOPIC_HEADS).filter(|it| lower.starts_with(it)).max_by_key(|it| it.len());
    let rest = head.map_or(rest, |it| &rest[it.len()..]);
    const TALKING: &str = "talk|talking|have a conversation|talk to each other|talking to each other|chat|chatting|chat with each other|a conversation|talk to|talking to|a chat|start talking|to talk|speak|discuss|ask";
    match marks(TALKING).any(|it| it == rest.trim()) {
        true => "",
        false => rest,
    }
}

/// Whether a lowercase order depends only on which conversation it is, or on whether that goes on: `conv_1なら止めて`,
/// `stop it if it is still running`. An order with anything else, such as a time, does not.
fn is_still_running(text: &str) -> bool {
    const CONDITIONS: &str = "続いてたら|続いていたら|続いてるなら|続いているなら|続いていれば|動いてたら|動いていたら|動いてるなら|動いているなら|動いていれば|があれば|なら|だったら|if it is still running|if it's still running|if they are still talking|if they're still talking|if it is still going|if it's still going|if any are running|if any is running|if any are still running|if there are any|if that is okay|if that is ok";
    const WORDS: &str = "会話|もし|まだ|動いてる|動いている|続いてる|続いている|しりとり|全部|すべて|止めてください|止めていいよ|止めて|一時停止|停止して|中断して|終わらせて|続けて|再開して|終了して|please|stop|pause|end|kill|all|them|that|the|it|conversations|conversation|conv_|の|が|は|を|も|、|。|,|.|!";
    let text = text.replace(['’', '‘'], "'");
    let condition = marks(CONDITIONS).find(|it| text.contains(it));
    condition.is_some_and(|condition| {
        // The numbers of conversations are left.
        let is_number = |it: char| it.is_ascii_digit() && text.contains("conv_");
        let rest = text.replacen(condition, " ", 1);
        let rest = marks(WORDS).fold(rest, |it, word| it.replace(word, " "));
        rest.chars().all(|it| it.is_whitespace() || is_number(it))
    })
}

/// English verbs before the names of agents that are to do something.
const DIRECTIVES: &str = "let|have|get|make|want|need|ask|tell|i'd like|would like|start|begin|set up|kick off|arrange|between";
/// Japanese endings after what agents are to do.
const JAPANESE_DIRECTIVES: &str = "させて|させたい|させろ|させよ|させと|やらせ|してもら|してほし|して欲し|してくれ|合わせ|合ってもら|合ってほし|合って欲し|って言って|いただ";
/// Words for agents without names.
const UNNAMED_AGENTS: &str = "two agents|the agents|both agents|my agents|our agents|agents|the two|two bots|the bots|ai agents|two ais";
const JAPANESE_UNNAMED_AGENTS: &str = "エージェント|ai同士|ボット|ai二人|ai2人";

impl Sentence {
    /// Whether the conversation is to end: `that's enough, end it`, `もう止めて`.
    pub(super) fn ends_conversation(&self) -> bool {
        const ENDS: &str = "end that conversation|end this conversation|end the conversation|finish the conversation|finish that conversation|that's enough|thats enough|that is enough|end it|stop it|stop them|end this|end the talk|call it off|cut it off|wrap it up|make them stop|もういいよ、止めて|もう止めて|もうやめさせて|そこまで|その辺で|終わらせて|切り上げ";
        let text: String = self.lower.iter().collect();
        // A message to the agents may have these words.
        marks(ENDS).any(|it| text.contains(it)) && message_for_both(self).is_none()
    }

    /// Whether it orders to end, to pause or to go on.
    pub(super) fn halts(&self) -> bool {
        self.has(&[Word::HALT]) || self.order().is_some() || self.ends_conversation()
    }

    /// Whether that depends on something that is not known: `stop it if someone repeats a word`.
    pub(super) fn is_conditional(&self) -> bool {
        const ORDERS: &str = "止め|とめ|終わ|終了|停止|中断|切り上げ|やめ|再開|続け";
        let text: String = self.lower.iter().collect();
        !is_still_running(&text) && condition::depends(&text, ORDERS)
    }

    /// Returns the short order that the whole sentence is: `continue`, `kill it`, `再開`.
    pub(super) fn order(&self) -> Option<Order> {
        let text: String = self.lower.iter().collect();
        order(&text)
    }

    /// Returns the agent named as both members: `worker-aとworker-aで話して`.
    pub(super) fn agent_named_twice(&self) -> Option<String> {
        const JOINTS: &str = "と| and | with | to | & |、| を| に| talk to | talk with | speak to | speak with | chat with ";
        let [agent] = &self.agents()[..] else { return None };
        let text: String = self.text().split(['「', '」', '"']).collect();
        let twice = marks(JOINTS).any(|it| text.contains(&format!("{0}{it}{0}", agent.text)));
        twice.then(|| agent.text.clone())
    }

    /// Returns the number of agents for one conversation, unless two are named: `エージェント12人で`, `let three agents talk`.
    pub(super) fn agent_count(&self) -> Option<usize> {
        const COUNTERS: [char; 6] = ['人', '体', '台', 'つ', '匹', '名'];
        let text: String = self.lower.iter().collect();
        let words: Vec<&str> = text.split([' ', ',', '.']).collect();
        let is_agents =
            |at: usize| words.get(at).is_some_and(|it| ["agents", "bots", "ais"].contains(it));
        let english = (0..words.len()).find_map(|at| {
            let is_near =
                is_agents(at + 1) || words.get(at + 1) == Some(&"ai") && is_agents(at + 2);
            whole(words[at]).map(|it| it as usize).filter(|_| is_near)
        });
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
        let counted = |text: &str| {
            let digits = digits(text);
            let rest = &text[digits.len()..];
            rest.starts_with(COUNTERS).then(|| digits.parse::<usize>().ok())?
        };
        let japanese = || {
            let behind = text
                .split("エージェント")
                .skip(1)
                .find_map(|it| counted(it.trim_start_matches(['を', 'が', 'は', ' '])));
            behind.or_else(|| {
                let before = text.split_once("のエージェント")?.0.strip_suffix(COUNTERS)?;
                let length = before.bytes().rev().take_while(u8::is_ascii_digit).count();
                before[before.len() - length..].parse().ok()
            })
        };
        // Agents in the topic do not talk. Where two agents talk, numbers belong to the topic.
        const ABOUT: &str = " about | on | discuss ";
        let about = marks(ABOUT).filter_map(|it| self.find(it, 0)).min();
        let is_topic = |agent: &Piece| {
            about.is_some_and(|at| at < agent.from)
                || ["について", "に関して"].iter().any(|mark| self.is_at(mark, agent.to))
        };
        let talk = self.agents().iter().filter(|it| !is_topic(it)).count();
        if talk == 2 {
            return None;
        }
        english.or_else(japanese).or((talk > 2).then_some(talk))
    }

    /// Returns how surely it asks for the progress of the begun conversation: `how is it going?`, `何を話した？`.
    pub(super) fn asks_for_progress(&self) -> Option<Percent> {
        /// Questions about agents that talk.
        const SPOKEN: &str = "sum it up|sum them up|sum that up|sum up|summarise|summarize|a summary|recap|要約して|要約を|会話の要約|会話をまとめ|まとめて|what did they|what have they|what are they|what they said|what was said|they say|they talk|they finished|they done|they still|they get on|they getting|are they doing|did they|have they|how is it going|how's it going|how is that going|how's that going|how did it go|how did it end|how does it go|how far are they|any progress|the conversation|their conversation|the transcript|anyone said|anybody said|been said|said anything|say anything|last word|latest word|last message|latest message|last line|is winning|who won|最後の発言|最後の言葉|最後に何|最後の一言|最新の発言|誰が勝|だれが勝|勝ったのは|勝者は|勝敗は|返事は|返答は|返事来た|返事きた|did it answer|what did it answer|どっちが勝|どちらが勝|何か言った|何か話した|何を話し|何話し|何て話し|何て言っ|なんて言っ|何と言っ|何を言っ|どんな話|どんな会話|会話を見せて|会話の中身|会話の内容|会話の様子|会話はどう|話は終わ|まだ話して|話は進ん|やりとりを見せて|やり取りを見せて";
        /// Questions about anything that goes on.
        const ANY: &str = "is it finished|is it over|is it done|has it finished|has it ended|did it end|is that finished|still running|still going|what's happening|what is happening|what happened|status|progress|any news|進み具合|進捗|進んでる|進んでます|進んでいる|進んでいます|進んだ|どうなった|どうなって|どう進ん|様子は|様子を|調子は|状況は|どんな感じ|結果は|もう終わった|もう終わっ|もうおわった|終わりました|終わったか|終わった?|終わった？|まだ続いて|まだやって|順調";
        const CHARS_MAX: usize = 40;
        let text: String = self.lower.iter().collect();
        let is_other = !self.agents().is_empty()
            || !self.quoted.is_empty()
            || self.has(&[Word::THEIRS, Word::HALT, Word::MAKE])
            || text.chars().count() > CHARS_MAX;
        let has = |table: &'static str| marks(table).any(|it| text.contains(it));
        match (has(SPOKEN), has(ANY)) {
            _ if is_other => None,
            (true, _) => Some(93),
            (false, true) => Some(82),
            (false, false) => None,
        }
    }

    /// Whether it asks for a summary: `sum up our conversation`, `今までの会話を要約して`.
    pub(super) fn asks_for_summary(&self) -> bool {
        const SUMS: &str = "sum up|sum it up|sum that up|summarise|summarize|summary of|recap|要約";
        const SPOKEN: &str = "会話|対話|話を|話の|話した|やりとり|やり取り|チャット|conversation|conversations|chat|dialogue|talk|discussion|discussed|said|talked";
        // `まとめて止めて` is about all at once.
        let text: String = self.lower.iter().collect();
        let text = text.trim_end_matches(['。', '！', '!', 'ね', 'よ']);
        let sums = ["まとめて", "まとめてください", "まとめて下さい", "まとめてほしい"];
        (self.says(SUMS) || sums.iter().any(|it| text.ends_with(it)))
            && self.says(SPOKEN)
            && self.agents().is_empty()
            && !self.has(&[Word::THEIRS])
    }

    /// Whether it asks for an agent's answer to a message.
    pub(super) fn asks_for_reply(&self) -> bool {
        const REPLY: &str = "返事|返信|何て返|なんて返|回答は|答えは|did it answer|did it reply|any answer|any reply|a reply|an answer|answered|replied|what did it say|did they answer|did they reply";
        let text: String = self.lower.iter().collect();
        marks(REPLY).any(|it| text.contains(it))
            && self.asks()
            && !self.has(&[Word::THEIRS])
            && self.quoted.is_empty()
    }

    /// Whether agents are to do something together: `let worker-a and worker-b argue about cats`.
    pub(super) fn directs_agents(&self) -> bool {
        let text: String = self.lower.iter().collect();
        let agents = self.agents();
        if text.chars().any(|it| matches!(it, '\u{3041}'..='\u{3096}')) {
            let is_there =
                agents.len() > 1 || marks(JAPANESE_UNNAMED_AGENTS).any(|it| text.contains(it));
            return is_there && marks(JAPANESE_DIRECTIVES).any(|it| text.contains(it));
        }
        // `have they finished?` is a question.
        let is_past = self.has(&[Word::ENDED, Word::EXISTS]) && text.ends_with('?');
        let is_caused = |before: &str| {
            let before = before.trim_end();
            let before = ["my", "our", "both", "between", "for"]
                .iter()
                .fold(before, |it, word| it.strip_suffix(&format!(" {word}")).unwrap_or(it));
            marks(DIRECTIVES).any(|it| before == it || before.ends_with(&format!(" {it}")))
        };
        let some = marks(UNNAMED_AGENTS).filter_map(|mark| {
            (0..self.lower.len()).find(|at| self.is_at(mark, *at) && self.is_word(*at, mark))
        });
        let from = agents.first().filter(|_| agents.len() > 1).map(|it| it.from);
        let is_any =
            some.chain(from).any(|at| is_caused(&self.lower[..at].iter().collect::<String>()));
        // `worker-a should interview worker-b`.
        let is_ordered = agents.len() > 1
            && agents.first().is_some_and(|agent| {
                let behind = self.behind(agent);
                [" should ", " must ", " shall "].iter().any(|it| behind.starts_with(it))
            })
            && !text.ends_with('?');
        (is_any || is_ordered) && !is_past
    }
}

/// Returns the message for the one named agent, if the sentence sends one; empty where its text is missing.
pub(super) fn message(utterance: &Sentence, agents: &[Piece]) -> Option<String> {
    const MESSAGE_TAILS: &str = "ように頼|よう頼|ように言|ように伝|ようにお願い|ようお願い|と伝え|って伝え|を伝え|伝えて|伝えと|と知らせ|を知らせ|知らせて|と連絡|って連絡|を連絡|と言って|って言って|と言っと|って言っと|と送って|って送って|を送って";
    const MESSAGE_VERBS: &str = "tell |inform |notify |remind |message ";
    let [agent] = agents else { return None };
    let behind: String = utterance.chars[agent.to..].iter().collect();
    let quoted = utterance.quoted.iter().find(|it| it.text != agent.text).map(|it| it.text.clone());
    let particle = behind.trim_start_matches(['」', '』', ' ']);
    if let Some(rest) = particle.strip_prefix("に").or(particle.strip_prefix("へ")) {
        // `にメッセージを送りたい` has no text.
        const NOTE: &str = "メッセージを送|メッセージ送|メッセージを残|メッセージを書|メッセージしたい|メッセージして|伝言を頼|伝言した|伝言を残|連絡した|連絡を取|連絡して";
        if quoted.is_none() && !rest.contains(':') && marks(NOTE).any(|it| rest.starts_with(it)) {
            return Some(String::new());
        }
        let at = marks(MESSAGE_TAILS).filter_map(|it| rest.find(it)).min()?;
        let text =
            rest[..at].trim_start_matches(['は', '、']).trim_matches(['「', '」', '『', '』', ' ']);
        return quoted.or_else(|| (!text.is_empty()).then(|| text.to_owned()));
    }
    let before: String = utterance.lower[..agent.from].iter().collect();
    let rest = behind.trim_start_matches([' ', ',', ':']).trim_end_matches(['.', '!', ' ']);
    let rest = rest.strip_suffix(" please").unwrap_or(rest).trim_end_matches(',');
    let lower = rest.to_lowercase();
    let leads = ["know that ", "know about ", "know "];
    if let Some(sent) = sent_message(utterance, &before, rest) {
        return quoted.or(sent).or(Some(String::new()));
    }
    let text = if before.ends_with("let ") {
        let lead = leads.iter().find(|it| lower.starts_with(**it))?;
        &rest[lead.len()..]
    } else if before.ends_with("ask ") && lower.starts_with("to ") {
        // Verbs of talking belong to a conversation.
        const TALKS: &str = "to tell me|to tell us|to talk|to chat|to discuss|to play|to speak|to debate|to find out";
        if marks(TALKS).any(|it| lower.starts_with(it)) {
            return None;
        }
        &rest["to ".len()..]
    } else if marks(MESSAGE_VERBS).any(|it| before.ends_with(it)) {
        // `tell worker-b about the films` begins to talk about them.
        if lower.starts_with("about ") {
            return None;
        }
        let leads = ["that ", "to ", "of ", "saying "];
        let lead = leads.iter().find(|it| lower.starts_with(**it)).map_or(0, |it| it.len());
        &rest[lead..]
    } else {
        return None;
    };
    quoted.or_else(|| (!text.is_empty()).then(|| text.to_owned()))
}

/// Returns the message sent to the agent between `before` and `rest`, such as `send worker-a the message "hello"` or
/// `send "hello" to worker-a`. The inner value is none where the text is missing.
fn sent_message(utterance: &Sentence, before: &str, rest: &str) -> Option<Option<String>> {
    const VERBS: &str = "send |write |message ";
    const HEADS: &str = "the message that |the message saying |the message: |the message |a message that |a message saying |a message: |a message |a note saying |a note that |a note |that |saying |: ";
    const NOTES: &str = "send a message to |send a note to |write a message to |write a note to |send word to |write to ";
    let rest = rest.trim_matches(['"', ' ', ',', ':']);
    let behind = |rest: &str| {
        let lower = rest.to_lowercase();
        let head = marks(HEADS).find(|it| lower.starts_with(it)).map_or(0, str::len);
        let text = rest[head..].trim_matches(['"', ' ', ',', ':']);
        let is_bare = ["a message", "the message", "a note", "message"].contains(&text);
        (!text.is_empty() && !is_bare).then(|| text.to_owned())
    };
    if marks(NOTES).chain(marks(VERBS)).any(|it| before.ends_with(it)) {
        return Some(behind(rest));
    }
    // A quoted text goes to the agent named after it.
    let is_sent = marks(VERBS).any(|it| before.contains(it)) && before.ends_with(" to ");
    (is_sent && !utterance.quoted.is_empty()).then_some(None)
}

/// Returns the message for both agents of the begun conversation.
pub(super) fn message_for_both(utterance: &Sentence) -> Option<String> {
    const HEADS: &str = "tell both of them to |tell both to |tell them to |ask both of them to |ask both to |ask them to |let both know that |let both know |let them know that |let them know |let both of them know that |tell both that |tell them that |tell both of them that |tell both |tell them |write to them that |add that |remind them that |remind them to |mention that ";
    const TAILS: &str = "ように言って|よう言って|ように伝えて|よう伝えて|ように頼んで|ようにお願い|と伝えて|って伝えて|を伝えて|と知らせて|と言って|って言って|と書いて|と書き込|って書いて|も伝えて";
    let text = utterance.text();
    let quoted = utterance.quoted.first().map(|it| it.text.clone());
    let lower = text.to_ascii_lowercase();
    let polite = ["please ", "also ", "and ", "oh and ", "now ", "can you ", "could you "];
    let start = polite
        .iter()
        .fold(0, |at, it| if lower[at..].starts_with(it) { at + it.len() } else { at });
    if let Some(head) = marks(HEADS).find(|it| lower[start..].starts_with(it)) {
        let rest = text[start + head.len()..].trim_end_matches(['.', '!', ' ']);
        return quoted.or_else(|| (!rest.is_empty()).then(|| rest.to_owned()));
    }
    let at = marks(TAILS).filter_map(|it| text.find(it)).min()?;
    let heads = ["二人に", "2人に", "両方に", "両者に", "ふたりに", "彼らに", "は", "、"];
    let rest = heads.iter().fold(&text[..at], |it, head| it.strip_prefix(head).unwrap_or(it));
    let rest = rest.trim_matches(['「', '」', '、', ' ']);
    // Orders keep their ending: `動物だけを使うように`.
    let manner = if text[at..].starts_with("よう") { "ように" } else { "" };
    quoted.or_else(|| (!rest.is_empty()).then(|| format!("{rest}{manner}")))
}

/// Words that belong to a number of turns.
const AROUND: &str = "for|max|max.|maximum|up|to|at|most|within|limit|limited|keep|it|no|more|than|a|total|only|just|exactly|about|after|stop|and|then|end|tops|each|long|or|less|fewer|please|make|of|with|the|in";

/// Removes the length from `text` and returns its number of turns: `…, ten rounds at most`.
pub(super) fn without_length(text: &str) -> (String, Option<usize>) {
    let words: Vec<&str> = text.split(' ').collect();
    let bare = |it: &str| it.trim_matches([',', '.', '(', ')', '!', ':']).to_lowercase();
    let number = |piece: &str| whole(&bare(piece)).map(|it| it as usize).filter(|it| *it > 0);
    let is_unit = |piece: &str| {
        const UNITS: &str = "turn|turns|round|rounds|exchange|exchanges|message|messages|max_turns";
        marks(UNITS).any(|unit| bare(piece) == unit)
    };
    let behind = |at: usize| {
        words.get(at + 1..).and_then(|rest| {
            // `max turns 4`, `a limit of 4 turns`.
            let is_limit = at > 0 && ["max", "maximum"].contains(&bare(words[at - 1]).as_str())
                || bare(words[at]) == "max_turns";
            rest.first().filter(|_| is_limit).and_then(|it| number(it))
        })
    };
    let found = (0..words.len()).filter(|at| is_unit(words[*at])).find_map(|at| {
        let before = at.checked_sub(1).and_then(|it| number(words[it]));
        before.map(|it| (at - 1, at, it)).or_else(|| behind(at).map(|it| (at, at + 1, it)))
    });
    let Some((mut from, mut to, turns)) = found else { return (text.to_owned(), None) };
    let is_around = |it: &str| marks(AROUND).any(|word| bare(it) == word);
    while from > 0 && is_around(words[from - 1]) && !words[from - 1].ends_with('.') {
        from -= 1;
    }
    // `12 turns about the weather` goes on with the topic.
    let goes_on = |it: &str| is_around(it) && bare(it) != "about";
    while to + 1 < words.len() && goes_on(words[to + 1]) && !words[to].ends_with([',', '.']) {
        to += 1;
    }
    let rest = [&words[..from], &words[to + 1..]].concat().join(" ");
    (rest.trim().trim_end_matches([',', ' ']).to_owned(), Some(turns))
}

/// Removes the length from a Japanese text: `5往復で`, `最大10ターンまで`.
fn without_japanese_length(text: &str) -> String {
    const UNITS: &str = "往復|ターン|ラウンド|ラリー";
    const TAILS: &str = "したら終わりで|したら終わりにして|したら終わって|したら終わり|で終わりにして|で終わって|で終わり|だけで|だけ|以内で|以内|までで|まで|ほどで|ほど|くらいで|くらい|ぐらいで|で|の";
    const HEADS: &str = "最大で|最大|最高|上限は|上限|多くて|合計|全部で";
    let Some((at, unit)) = marks(UNITS).filter_map(|it| Some((text.find(it)?, it))).min() else {
        return text.to_owned();
    };
    let head = text[..at].trim_end_matches(is_numeral);
    if head.len() == at {
        return text.to_owned();
    }
    let head = marks(HEADS).find_map(|it| head.strip_suffix(it)).unwrap_or(head);
    let tail = &text[at + unit.len()..];
    let tail = marks(TAILS).find_map(|it| tail.strip_prefix(it)).unwrap_or(tail);
    format!("{}{}", head, tail.trim_start_matches(['、', '。']))
}
