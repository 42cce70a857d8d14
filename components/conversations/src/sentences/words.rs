//! The vocabulary of conversations.

use language::words::Word;

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
        "やり取り中|会話中|話し中|話している|話してる|今の会話|talking|chatting|still talking|still going|talking now|currently talking",
    ),
    (
        Word::HALT,
        "止めること|終わらせること|stop that conversation|stop this conversation|stop conversation|end conversation",
    ),
];
