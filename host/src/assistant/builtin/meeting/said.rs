//! Which agents a sentence names, and what they are to talk about.

use super::{Heard, Piece, Word, marks};

/// How agents are called: the part before the first joint of a name such as `worker-a`.
const CALLED: &str = "worker|agent|bot|assistant|researcher|writer|analyst|reviewer|planner|coder";
/// Words beside a name that say that it is an agent's.
const BESIDE: &str = "エージェント|agent";
const BEHIND: &str = "エージェント|さん| agent";
/// What follows or precedes the name of somebody who is to do something.
const PARTICLES: &str = "に|へ|と|から|を|、|で";
const VERBS: &str = "ask |tell |have |let |make |get |with |between |to |from |and ";
/// What comes behind the topic.
const DEEDS: &str = "について|に関して|に関する|のことを|を聞|を尋|をたずね|を質問|を教え|を確認|を調べ|を相談|を頼|を議論|を話|\
     と聞|って聞|か聞|か尋|か確認|か教え|か調べ|聞いて|きいて|尋ねて|質問して|相談|話し合|議論|会話|対話|話させ|話を|お話";
/// What is no part of it.
const BEFORE: &str = "about |on |for |to tell me about |to tell us about |to tell me |to tell us |what they know about |\
     whether |if |to discuss |discuss |to talk about |talk about |talk to each other about |to chat about |to ";
const ENDS: &[char] =
    &['、', '。', ',', '.', '!', '！', '?', '？', ' ', '　', 'を', 'で', 'に', 'は', 'と', 'の'];

pub(in crate::assistant::builtin) trait Agents {
    /// The names of agents, in their order.
    fn agents(&self) -> Vec<Piece>;
    /// Whether somebody is to do something with it.
    fn is_addressed(&self, agent: &Piece) -> bool;
    /// Whether it is the one that asks.
    fn is_source(&self, agent: &Piece) -> bool;
    /// What stands behind a name, quotation marks left out.
    fn behind(&self, agent: &Piece) -> String;
    fn before(&self, agent: &Piece) -> String;
}

impl Agents for Heard {
    fn agents(&self) -> Vec<Piece> {
        let is_letter = |it: char| it.is_ascii_alphanumeric();
        let is_joint = |it: char| matches!(it, '-' | '_');
        let (mut agents, mut at) = (Vec::<Piece>::new(), 0);
        while at < self.chars.len() {
            let rest = &self.chars[at..];
            let length = rest.iter().take_while(|it| is_letter(**it) || is_joint(**it)).count();
            if length > 0 {
                let piece = self.piece(at, at + length);
                let is_taken = agents.iter().any(|it| it.text == piece.text);
                if !is_taken && is_name(&piece.text) && self.is_agent(&piece) {
                    agents.push(piece);
                }
            }
            at += length.max(1);
        }
        agents
    }

    fn is_addressed(&self, agent: &Piece) -> bool {
        let (before, behind) = (self.before(agent), self.behind(agent));
        marks(PARTICLES).any(|it| behind.trim_start().starts_with(it))
            || marks(VERBS).any(|it| before.ends_with(it))
    }

    fn is_source(&self, agent: &Piece) -> bool {
        self.behind(agent).trim_start().starts_with("から") || self.before(agent).ends_with("from ")
    }

    fn behind(&self, agent: &Piece) -> String {
        let behind: String = self.chars[agent.to..].iter().collect();
        behind.trim_start_matches(['」', '』', '"']).to_lowercase()
    }

    fn before(&self, agent: &Piece) -> String {
        let before: String = self.chars[..agent.from].iter().collect();
        before.trim_end_matches(['「', '『', '"']).to_lowercase()
    }
}

impl Heard {
    fn is_agent(&self, piece: &Piece) -> bool {
        let lower = piece.text.to_lowercase();
        let called = lower.split(['-', '_']).next().unwrap_or_default();
        marks(CALLED).any(|it| it == called)
            || marks(BESIDE).any(|it| self.before(piece).trim_end().ends_with(it))
            || marks(BEHIND).any(|it| self.behind(piece).starts_with(it))
    }
}

/// `worker-a`: letters and digits with a joint between them.
fn is_name(text: &str) -> bool {
    let mut parts = text.split(['-', '_']);
    let begins = text.starts_with(|it: char| it.is_ascii_alphabetic());
    begins && parts.clone().count() > 1 && parts.all(|it| !it.is_empty())
}

/// What the agents are to talk about, in the sentence's own words.
pub(super) fn about(heard: &Heard, agents: &[Piece]) -> Option<String> {
    let named = agents.iter().map(|it| it.to).max();
    let spoken = heard.tokens.iter().filter(|it| it.word == Word::Agents).map(|it| it.to).max();
    let from = named.or(spoken)?;
    let rest: String = heard.chars[from..].iter().collect();
    let is_japanese = rest.chars().any(|it| matches!(it, '\u{3041}'..='\u{30fa}'));
    let topic = if is_japanese { japanese(&rest) } else { english(&rest) };
    let topic = topic.trim().trim_matches(ENDS).trim();
    (!topic.is_empty()).then(|| topic.to_owned())
}

fn japanese(rest: &str) -> &str {
    let mut rest = rest.trim_start_matches(['」', '』', ' ']);
    for particle in ["から", "同士で", "に", "へ", "と", "で", "を", "、"] {
        rest = rest.strip_prefix(particle).unwrap_or(rest);
    }
    let ends = marks(DEEDS).filter_map(|it| Some((rest.find(it)?, it)));
    match ends.min_by_key(|it| it.0) {
        // A question goes with its か.
        Some((at, mark)) if mark.starts_with('か') => &rest[..at + 'か'.len_utf8()],
        Some((at, _)) => &rest[..at],
        None => rest,
    }
}

fn english(rest: &str) -> &str {
    let rest = rest.trim_start_matches(['"', ' ', ',']);
    let rest = rest.trim_end_matches(['.', '!', '?', ' ']).trim_end_matches(", please");
    let rest = rest.trim_end_matches(" please");
    // How long they talk is no part of it.
    let is_length = |it: &str| {
        let lower = it.to_ascii_lowercase();
        ["turn", "round", "exchange", "message"].iter().any(|word| lower.contains(word))
    };
    let rest = rest.rsplit_once(", ").filter(|it| is_length(it.1)).map_or(rest, |it| it.0);
    // What comes behind `about` is the topic, whatever verb came before.
    if let Some((_, topic)) = rest.split_once(" about ").filter(|it| it.0.len() < 40) {
        return topic;
    }
    let head = marks(BEFORE).find(|it| rest.to_lowercase().starts_with(it));
    let rest = head.map_or(rest, |it| &rest[it.len()..]);
    match ["talk", "have a conversation", "talk to each other", "chat"].contains(&rest) {
        true => "",
        false => rest,
    }
}
