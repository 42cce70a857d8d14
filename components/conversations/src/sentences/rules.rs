//! What a sentence asks of agents and their conversations: the first rule whose words are all there, and none of
//! those that bar it.

use language::{
    rules::{Rule, rule},
    scan::marks,
    words::Word,
};

use super::{
    CONVERSATION,
    lists::{LATEST, pauses},
    meeting::rounds,
    sentence::Sentence,
    words::{AGENTS, CHAIN, CONVERSE, TALKS},
};

/// What a sentence asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The sentence says that no agents are to talk.
    Nothing,
    /// Agents are to talk, or one is to receive a message.
    Converse,
    /// A conversation is to end, to wait or to go on.
    Halt,
    /// Conversations that there are.
    Talks,
    /// Agents that there are.
    Agents,
}

/// What a rule looks at: words, or what else a sentence has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// One of these is there, and not denied.
    Says(&'static [Word]),
    /// One of these is there, and denied.
    Denies(&'static [Word]),
    /// It asks something rather than orders it.
    Question,
    /// Agents that are talking.
    Speakers,
    /// A conversation by its number.
    Numbered,
    /// A conversation by its number, with a word for it.
    Identified,
    /// It asks how something went.
    Past,
    /// An agent by its name.
    Agent,
    /// One that is to be asked something.
    Addressed,
    /// Agents that are made to do something together.
    Caused,
    /// How often agents are to speak.
    Rounds,
    /// The last conversation, whatever it is about.
    Latest,
    /// A conversation is to wait, or to go on.
    Paused,
    /// Agents that one may talk to.
    Partners,
    /// It asks which agents there are, or what they do: `which agents can talk?`.
    Wonders,
    /// What goes on is to end.
    Ends,
    /// A game is to be begun, and it is not said by which agents.
    Begins,
}

use Sign::{Denies, Says};

/// What another family has.
const THEIRS: Sign = Says(&[Word::THEIRS]);
/// What there is of conversations, rather than one to begin.
const THERE: Sign = Says(&[Word::RUNNING, Word::ENDED, Word::LIST, Word::EXISTS, Word::SHOW]);
/// A conversation to begin.
const NEW: Sign = Says(&[CONVERSE, CHAIN, Word::MAKE]);
const HALT: Sign = Says(&[Word::HALT]);
const MADE: Sign = Says(&[CHAIN, Word::MAKE]);

/// The rules, the first that fits counts.
const RULES: &[Rule<Goal, Sign>] = &[
    rule(97, Goal::Nothing, &[Denies(&[CONVERSE, CHAIN])], &[]),
    rule(
        93,
        Goal::Agents,
        &[Sign::Wonders, Says(&[AGENTS])],
        &[THEIRS, Says(&[TALKS, Word::RUNNING, Word::ENDED, Word::HISTORY])],
    ),
    // What agents are to do may be anything.
    rule(97, Goal::Converse, &[Sign::Caused, Sign::Rounds], &[]),
    rule(97, Goal::Converse, &[Sign::Caused], &[HALT]),
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
    rule(93, Goal::Talks, &[Says(&[Word::RUNNING]), Sign::Speakers], &[HALT, THEIRS]),
    rule(93, Goal::Halt, &[HALT, Says(&[TALKS])], &[MADE]),
    rule(93, Goal::Halt, &[Sign::Ends, Says(&[TALKS])], &[MADE, THEIRS]),
    // What was talked about already is listed.
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
    // Who is to play is asked.
    rule(
        93,
        Goal::Converse,
        &[Says(&[CHAIN]), Sign::Begins],
        &[THERE, HALT, THEIRS, Sign::Question],
    ),
    // What there is is listed, and nothing new is begun.
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
];

/// What `utterance` asks for, as far as the rules tell.
pub(super) fn goal(utterance: &Sentence) -> Option<(Goal, u8)> {
    const SPEAKERS: &str = "誰が話|誰か話|誰と誰|だれが話|anyone talking|anybody talking|anyone chatting|anybody chatting|anyone still talking|agents chatting|who is talking|who's talking|agents talking";
    const PARTNERS: &str = "誰と話せ|だれと話せ|誰と会話でき|誰と喋れ|話せる相手|話し相手|who can i talk|who can i chat|who can i speak|who else can i talk|who do i talk|who is there to talk|who's there to talk|who could i talk";
    const BEGINS: &str = "しりとりを始め|しりとり始め|しりとりをはじめ|しりとりをスタート|しりとりスタート|しりとりしよう|しりとりをしよう|しりとりしたい|しりとりをしたい|しりとりを見たい|start a word chain|start the word chain|begin a word chain|start shiritori|play shiritori|play a word chain|start a game";
    const PAST: &str = "what did|what have|how did|did worker|did they|have they|何してる|何をしてる|何している|どうしてる|進んでる|様子は|様子を|状況は|what are|how are|what is|どうなった|どうなって|何を話した|何話した|何を話して|話したの|話してた|何て言って|何を言って";
    const WONDERS: &str = "which agents|which of the agents|which bots|what agents|what bots|what can the agents|what can agents|how many agents|how do agents|how do the agents|do agents|do the agents|can agents|can the agents|are agents|are the agents|are there agents|who are the agents|どのエージェント|エージェントは何|エージェントって何|エージェントは誰|エージェントって誰";
    let has = |sign| match sign {
        Says(words) => utterance.has(words),
        Denies(words) => utterance.denies(words),
        Sign::Question => utterance.asks(),
        Sign::Speakers => utterance.says(SPEAKERS),
        Sign::Numbered => utterance.find("conv_", 0).is_some(),
        Sign::Identified => utterance.numbers.id(CONVERSATION).is_some(),
        Sign::Past => utterance.says(PAST) && utterance.asks(),
        Sign::Agent => !utterance.agents().is_empty(),
        Sign::Addressed => utterance.addresses_agent(),
        Sign::Caused => utterance.causes_agents(),
        Sign::Rounds => rounds(utterance).is_some(),
        Sign::Latest => utterance.says(LATEST),
        Sign::Ends => utterance.ends_it(),
        Sign::Paused => pauses(utterance).is_some(),
        Sign::Wonders => {
            let text: String = utterance.lower.iter().collect();
            utterance.asks() && marks(WONDERS).any(|it| text.trim_start().starts_with(it))
        }
        Sign::Partners => utterance.says(PARTNERS),
        Sign::Begins => utterance.says(BEGINS) && !utterance.has(&[Word::NOT]),
    };
    language::rules::goal(RULES, has)
}
