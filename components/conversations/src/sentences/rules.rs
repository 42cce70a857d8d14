//! The vocabulary of conversations, and rules that find the goal of a sentence about agents: the first one counts whose
//! signs are all present and whose exclusions are absent.

use Sign::{Denies, Says};
use language::{
    coverage::{Used, unused},
    rules::{Rule, rule},
    scan::marks,
    words::Word,
};

use super::{
    CONVERSATION,
    lists::{LATEST, pause_request},
    meeting::rounds,
    sentence::Sentence,
};

/// The goal of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// No agents are to talk.
    Nothing,
    /// Agents are to talk, or one gets a message.
    Converse,
    /// A conversation is to be stopped, paused or resumed.
    Halt,
    /// Conversations are to be listed.
    Talks,
    /// Agents are to be listed.
    Agents,
}

/// A sign that a rule looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Has one of these words, not negated.
    Says(&'static [Word]),
    /// Has one of these words, negated.
    Denies(&'static [Word]),
    /// Is a question.
    Question,
    /// Asks who is talking.
    AsksWhoTalks,
    /// Has an identifier of a conversation.
    Numbered,
    /// Has a labelled identifier of a conversation.
    Identified,
    /// Asks how something went.
    Past,
    /// Names an agent.
    Agent,
    /// Names an agent that is to do something.
    Addressed,
    /// Agents are to do something together.
    Directed,
    /// Has a number of turns.
    Rounds,
    /// Means the last conversation.
    Latest,
    /// A conversation is to be paused or resumed.
    Paused,
    /// Asks with whom one may talk.
    Partners,
    /// Asks which agents exist or what they do: `which agents can talk?`.
    AsksAboutAgents,
    /// The current conversation is to end.
    EndRequest,
    /// A game is to begin, without named agents.
    GameRequest,
    /// A talk is to begin, without named agents.
    TalkRequest,
    /// Only orders to stop or to go on.
    Ordered,
}

/// A word of another family.
const THEIRS: Sign = Says(&[Word::THEIRS]);
/// Words for existing conversations.
const THERE: Sign = Says(&[Word::RUNNING, Word::ENDED, Word::LIST, Word::EXISTS, Word::SHOW]);
/// Words for a new conversation.
const NEW: Sign = Says(&[CONVERSE, CHAIN, Word::MAKE]);
const HALT: Sign = Says(&[Word::HALT]);
const MADE: Sign = Says(&[CHAIN, Word::MAKE]);

/// The rules; the first match counts.
const RULES: &[Rule<Goal, Sign>] = &[
    rule(97, Goal::Nothing, &[Denies(&[CONVERSE, CHAIN])], &[]),
    rule(
        93,
        Goal::Agents,
        &[Sign::AsksAboutAgents, Says(&[AGENTS])],
        &[THEIRS, Says(&[TALKS, Word::RUNNING, Word::ENDED, Word::HISTORY])],
    ),
    // Agents may be told to do anything.
    rule(97, Goal::Converse, &[Sign::Directed, Sign::Rounds], &[]),
    rule(97, Goal::Converse, &[Sign::Directed], &[HALT]),
    rule(
        97,
        Goal::Converse,
        &[Says(&[AGENTS]), Sign::Rounds],
        &[Says(&[Word::EXISTS, Word::SHOW, Word::RUNNING, Word::ENDED]), THEIRS],
    ),
    rule(93, Goal::Halt, &[Sign::Paused], &[THEIRS, Says(&[Word::NO_DOING])]),
    rule(93, Goal::Agents, &[Sign::Partners], &[THEIRS]),
    rule(
        93,
        Goal::Talks,
        &[Sign::Latest, Says(&[Word::HISTORY, TALKS])],
        &[Says(&[Word::MAKE]), HALT, Sign::Identified, THEIRS],
    ),
    rule(
        93,
        Goal::Talks,
        &[Says(&[TALKS]), Sign::Question],
        &[NEW, HALT, Says(&[Word::CAN]), Sign::Identified, THEIRS],
    ),
    rule(93, Goal::Talks, &[Sign::Agent, Says(&[Word::RUNNING, Word::ENDED])], &[NEW, HALT]),
    rule(93, Goal::Talks, &[Says(&[Word::HISTORY]), Says(&[TALKS, AGENTS])], &[Sign::Identified]),
    rule(93, Goal::Talks, &[Says(&[TALKS]), THERE], &[NEW, HALT, Sign::Identified]),
    rule(93, Goal::Halt, &[HALT, Sign::Numbered], &[]),
    rule(93, Goal::Talks, &[Says(&[Word::RUNNING]), Sign::AsksWhoTalks], &[HALT, THEIRS]),
    rule(93, Goal::Halt, &[HALT, Says(&[TALKS])], &[MADE]),
    rule(93, Goal::Halt, &[Sign::EndRequest, Says(&[TALKS])], &[MADE, THEIRS]),
    // Questions about the past list conversations.
    rule(93, Goal::Talks, &[Sign::Agent, Sign::Past], &[MADE, HALT, Sign::Identified]),
    rule(
        93,
        Goal::Talks,
        &[Sign::Agent, Says(&[TALKS]), Sign::Question],
        &[NEW, HALT, Says(&[Word::CAN]), Sign::Identified],
    ),
    rule(93, Goal::Halt, &[HALT, Says(&[CHAIN])], &[Sign::Rounds]),
    rule(93, Goal::Converse, &[Says(&[CONVERSE, CHAIN]), Sign::Agent], &[]),
    rule(93, Goal::Converse, &[Says(&[CONVERSE, CHAIN]), Says(&[AGENTS])], &[]),
    rule(97, Goal::Converse, &[Sign::Addressed], &[Says(&[Word::HISTORY, TALKS])]),
    // The agents for the game are asked for.
    rule(
        93,
        Goal::Converse,
        &[Says(&[CHAIN]), Sign::GameRequest],
        &[THERE, HALT, THEIRS, Sign::Question],
    ),
    rule(
        93,
        Goal::Converse,
        &[Sign::TalkRequest],
        &[
            Says(&[Word::RUNNING, Word::ENDED, Word::LIST, Word::SHOW]),
            HALT,
            THEIRS,
            Sign::Question,
        ],
    ),
    // Existing conversations are listed, and no new one begins.
    rule(87, Goal::Halt, &[HALT, Says(&[TALKS, CHAIN, AGENTS])], &[]),
    rule(
        87,
        Goal::Talks,
        &[Says(&[TALKS, CHAIN]), THERE],
        &[Says(&[Word::MAKE]), Sign::Identified, THEIRS],
    ),
    rule(
        87,
        Goal::Talks,
        &[Says(&[AGENTS]), Says(&[Word::RUNNING, Word::ENDED])],
        &[Says(&[Word::MAKE]), THEIRS],
    ),
    rule(
        87,
        Goal::Agents,
        &[Says(&[AGENTS]), Says(&[Word::LIST, Word::EXISTS, Word::WHO, Word::SHOW])],
        &[NEW, THEIRS],
    ),
    // Below anything that goes on elsewhere, and any guess.
    rule(28, Goal::Halt, &[Sign::Ordered], &[]),
];

/// Returns the goal of `utterance` by the first matching rule, and how sure it is.
pub(super) fn goal(utterance: &Sentence) -> Option<(Goal, u8)> {
    const SPEAKERS: &str = "誰が話|誰か話|誰と誰|だれが話|anyone talking|anybody talking|anyone chatting|anybody chatting|anyone still talking|agents chatting|who is talking|who's talking|agents talking";
    const PARTNERS: &str = "誰が話す|誰がしゃべる|誰が喋る|誰が話せ|話せるのは誰|会話できるのは誰|who's available to talk|who is available to talk|誰と話せ|だれと話せ|誰と会話でき|誰と喋れ|話せる相手|話し相手|who can i talk|who can i chat|who can i speak|who else can i talk|who do i talk|who is there to talk|who's there to talk|who could i talk";
    /// With nothing else in the sentence: `日本の監督には誰がいる？` asks for no agent.
    const PRESENT: &str = "誰がいる|誰かいる|誰がいます|だれがいる|だれかいる|who is here|who's here|who is there|who's around|who is around|who is online|who's online|anyone here|anybody here";
    const WHO_TALKS: &str = "who can talk|who will talk|who talks|who is going to talk";
    const AT_END: &str = "|here|now|today|to me|with me|to each other";
    const BEGINS: &str = "しりとりも始め|しりとりもしたい|しりとりもしよう|しりとりを始め|しりとり始め|しりとりをはじめ|しりとりをスタート|しりとりスタート|しりとりしよう|しりとりをしよう|しりとりしたい|しりとりをしたい|しりとりを見たい|start a word chain|start the word chain|begin a word chain|start shiritori|play shiritori|play a word chain|start a game";
    const TALKS: &str = "会話を始めて|会話始めて|会話をはじめて|会話を開始して|会話開始|会話をスタート|会話スタート|対話を始めて|対話始めて|議論を始めて|議論始めて|start a conversation|start a new conversation|begin a conversation|start a convo|start a chat between|start a debate|begin a debate";
    const PAST: &str = "what did|what have|how did|did worker|did they|have they|何してる|何をしてる|何している|どうしてる|進んでる|様子は|様子を|状況は|what are|how are|what is|どうなった|どうなって|何を話した|何話した|何を話して|話したの|話してた|何て言って|何を言って";
    const WONDERS: &str = "which agents|which of the agents|which bots|what agents|what bots|what can the agents|what can agents|how many agents|how do agents|how do the agents|do agents|do the agents|can agents|can the agents|are agents|are the agents|are there agents|who are the agents|どのエージェント|エージェントは何|エージェントって何|エージェントは誰|エージェントって誰";
    let has = |sign| match sign {
        Says(words) => utterance.has(words),
        Denies(words) => utterance.denies(words),
        Sign::Question => utterance.asks(),
        Sign::AsksWhoTalks => utterance.says(SPEAKERS),
        Sign::Numbered => utterance.find("conv_", 0).is_some(),
        Sign::Identified => utterance.numbers.id(CONVERSATION).is_some(),
        Sign::Past => utterance.says(PAST) && utterance.asks(),
        Sign::Agent => !utterance.agents().is_empty(),
        Sign::Addressed => utterance.addresses_agent(),
        Sign::Directed => utterance.directs_agents(),
        Sign::Rounds => rounds(utterance).is_some(),
        Sign::Latest => utterance.says(LATEST),
        Sign::EndRequest => utterance.ends_conversation(),
        Sign::Paused => pause_request(utterance).is_some(),
        Sign::AsksAboutAgents => {
            let text: String = utterance.lower.iter().collect();
            utterance.asks() && marks(WONDERS).any(|it| text.trim_start().starts_with(it))
        }
        Sign::Partners => {
            // `who talks in Akira?` asks for no agent.
            let text: String = utterance.lower.iter().collect();
            let behind = marks(WHO_TALKS).find_map(|it| Some(&text[text.find(it)? + it.len()..]));
            let behind = behind.map(|it| it.split(['?', '.', '!', ',']).next().unwrap_or(it));
            let is_present = || {
                let names = marks(PRESENT).map(str::to_owned).collect();
                let used = Used { names, ..Used::default() };
                utterance.says(PRESENT) && unused(utterance, &used).is_empty()
            };
            utterance.says(PARTNERS)
                || is_present()
                || behind.is_some_and(|it| marks(AT_END).any(|end| end == it.trim()))
        }
        Sign::TalkRequest => utterance.says(TALKS) && !utterance.has(&[Word::NOT]),
        Sign::Ordered => utterance.order().is_some(),
        Sign::GameRequest => utterance.says(BEGINS) && !utterance.has(&[Word::NOT]),
    };
    language::rules::goal(RULES, has)
}

pub(super) const CONVERSE: Word = Word::own(0);
pub(super) const CHAIN: Word = Word::own(1);
pub(super) const AGENTS: Word = Word::own(2);
pub(super) const TALKS: Word = Word::own(3);

/// Words for things of this family.
pub(super) const NOUNS: &[Word] = &[AGENTS, TALKS, CHAIN, CONVERSE];
/// Words for actions of this family.
pub(super) const DEEDS: &[Word] = &[CONVERSE, CHAIN];

/// Phrases in lower case, separated by `|`; the longest match counts.
pub(super) const PHRASES: &[(Word, &str)] = &[
    (
        Word::HISTORY,
        "会話の記録|対話の記録|conversation history|chat log|what was said|past conversation",
    ),
    (
        CONVERSE,
        "会話させ|会話をさせ|会話して|会話をして|会話を始め|会話を開始|対話させ|対話をさせ|話させ|話をさせ|語らせ|語り合|話してもら|話し合|話しあ|議論|相談させ|相談して|やり取りをさせ|\
         talk to each other|talk with each other|talk about|have a conversation|start a conversation|start a convo|a convo between|debate|\
         begin a conversation|let them talk|discuss|chat about|chat with|chat with each other|\
         a conversation between|talk to|talk with|talk",
    ),
    (CHAIN, "しりとり|尻取り|しり取り|shiritori|word chain|word-chain|last letter game"),
    (
        AGENTS,
        "エージェント同士|エージェントたち|エージェント達|エージェント|ai同士|aiたち|two agents|the agents|agents|bots",
    ),
    (Word::WHO, "who are|who're"),
    (
        TALKS,
        "会話|対話|おしゃべり|convo|convos|conversation|conversations|dialogue|dialogues|chats",
    ),
    (
        Word::RUNNING,
        "やり取り中|会話中|話し中|話している|話してる|会話している|会話してる|会話しています|対話している|対話してる|対話しています|議論している|議論してる|議論しています|話し合っている|話し合ってる|今の会話|talking|chatting|still talking|still going|talking now|currently talking",
    ),
    (
        Word::HALT,
        "止めること|終わらせること|stop that conversation|stop this conversation|stop conversation|end conversation",
    ),
];
