//! What of a sentence the rules look at, found once and when it is first asked for.

use std::cell::OnceCell;

use super::Sign::{self, Denies, Says};
use crate::builtin::{
    cards, cinema, fields,
    fields::Reading,
    heard,
    heard::Heard,
    lists, meeting,
    meeting::Meets,
    names,
    names::Names,
    numbers::{Id, Unit},
    places,
    words::Word,
};

/// What was answered in forms.
const ANSWERS: &str = "回答|返答|返事|返信|提出された|答えてくれ|答えた人|answers|answer |responses|replies|submissions";
/// What was reserved, with the words for it.
const BOOKED: &str = "予約|取った|買った|booked|reserved|bought";
/// Showings by when they begin.
const OCCASIONS: &str = "早く始まる|最初に始まる|starts first|starting first|starts next|begins first|早い回|遅い回|最初の回|最後の回|最終回|次の回|朝の回|昼の回|夕方の回|夜の回|の回ある|の回は|の回って|の時間|when is|when's|when does|when do|when are|know when|earliest|soonest|as soon as possible|asap|as early as possible|なるべく早|できるだけ早|一番早|いちばん早|latest|first show|last show|next show";

/// Forms that there are.
const WHICH_FORM: &str = "what forms|which forms|which form|any forms|any form|my forms|どのフォーム|どんなフォーム|フォームって何|フォームは何|アンケートって何|アンケートは何";
/// Whoever is talking.
const TALKERS: &str = "誰が話|誰か話|誰と誰|だれが話|anyone talking|anybody talking|anyone chatting|anybody chatting|anyone still talking|agents chatting|who is talking|who's talking|agents talking";
/// How a card looks.
const LOOKS: &str = "look like|looks like|どんな見た目|どんな絵|見た目は";
/// Whom one may talk to.
const PARTNERS: &str = "誰と話せ|だれと話せ|誰と会話でき|誰と喋れ|話せる相手|話し相手|who can i talk|who can i chat|who can i speak|who else can i talk|who do i talk|who is there to talk|who's there to talk|who could i talk";
/// How something went.
const PAST: &str = "what did|what have|how did|did worker|did they|have they|何してる|何をしてる|何している|どうしてる|進んでる|様子は|様子を|状況は|what are|how are|what is|どうなった|どうなって|何を話した|何話した|何を話して|話したの|話してた|何て言って|何を言って";
/// Orders to send.
const SENDING: &str = "を送って|に送って|送っといて|送っておいて|を送信|に送信|転送して|please send |send an email|send a mail|send my|send everyone|forward ";
/// A wish for the way itself.
const SHORTEST: &str =
    "短い|最短|短く|shortest|shorter|一番安|いちばん安|最安|cheapest|least expensive";
/// Films by what people think of them, without a word for films.
const RATED: &str = "評価が一番|一番評価|いちばん評価|評価が最も|評価の高いの|評価が高いの|評価の高いやつ|highest rated|highest-rated|best rated|best-rated|top rated|top-rated|best reviewed|highest rating|best rating|thing on|thing showing|thing playing|things on|things showing|thing you've got on|thing you have on|thing you're showing|thing that's on|thing that is on";
const BY_FOOT: &str =
    "歩い|歩け|歩き|徒歩|自転車|on foot|by foot|walking|walk|bike|bicycle|cycling";
/// The nearest one, or one near by.
const NEARBY: &str = "半径|近くに|近くで|周辺で|近くの|最寄り|最寄の|もより|一番近い|いちばん近い|近所の|周辺の|あたりの|nearest|closest|near me|nearby|close by|around here";
/// Kinds of places, of which none is known by its name.
const KINDS: &str = "コンビニ|ガソリンスタンド|駐車場|カフェ|喫茶店|レストラン|トイレ|薬局|ドラッグストア|スーパー|銀行|郵便局|交番|病院|最寄り駅|最寄りの駅|最寄駅|atm|convenience store|gas station|petrol station|parking|restaurant|cafe|coffee shop|toilet|restroom|pharmacy|drugstore|supermarket|bank|post office|hospital|nearest station|closest station|train station|subway station";
const LIKE: &str = "っぽい|系の|系|風の|themed|-ish";

/// Whether one of the phrases is there; what is written in letters as a word of its own.
fn mentions(lower: &[char], phrases: &'static str) -> bool {
    let text: String = lower.iter().collect();
    heard::marks(phrases).any(|it| {
        let letter = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
        text.match_indices(it).any(|(at, _)| {
            !it.is_ascii()
                || !letter(text[..at].chars().next_back())
                    && (it.ends_with(' ') || !letter(text[at + it.len()..].chars().next()))
        })
    })
}

/// A sentence and what was found in it.
pub(super) struct Facts<'a> {
    heard: &'a Heard,
    places: places::Places,
    lists: places::Places,
    is_compared: bool,
    has_theme: OnceCell<bool>,
    has_title: OnceCell<bool>,
    reading: OnceCell<Reading>,
    is_sought: OnceCell<bool>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(heard: &'a Heard) -> Self {
        Self {
            heard,
            places: heard.places(false),
            lists: heard.places(true),
            is_compared: heard.compared().is_some(),
            has_theme: OnceCell::new(),
            has_title: OnceCell::new(),
            reading: OnceCell::new(),
            is_sought: OnceCell::new(),
        }
    }

    /// The fields of a form that it may name.
    fn reading(&self) -> &Reading {
        self.reading.get_or_init(|| fields::read(self.heard))
    }

    pub(super) fn has(&self, sign: Sign) -> bool {
        let heard = self.heard;
        match sign {
            Says(words) => heard.has(words),
            Denies(words) => heard.denies(words),
            Sign::Origin => !self.places.origins.is_empty(),
            Sign::Destination => !self.places.destinations.is_empty(),
            Sign::Ends => !self.places.origins.is_empty() && !self.places.destinations.is_empty(),
            Sign::SeveralPlaces => {
                let (origins, destinations) = (&self.lists.origins, &self.lists.destinations);
                !destinations.is_empty()
                    && !origins.is_empty()
                    && origins.len() + destinations.len() > 2
            }
            Sign::Nearby => mentions(&heard.lower, NEARBY) && mentions(&heard.lower, KINDS),
            Sign::Wished => !heard.wishes.is_empty(),
            Sign::Spotted => {
                heard.sought().is_some_and(|it| heard.spots.contains(&(it.from, it.to)))
            }
            Sign::Coordinates => heard.coordinates().is_some(),
            Sign::Compared => self.is_compared,
            Sign::Sought => *self.is_sought.get_or_init(|| heard.sought().is_some()),
            Sign::People => heard.numbers.counts.iter().any(|it| it.0 == Unit::People),
            Sign::Pieces => heard.numbers.pieces().is_some(),
            Sign::Seats => !heard.numbers.seats.is_empty(),
            Sign::Has(Id::Reservation) if heard.find("rsv-", 0).is_some() => true,
            Sign::Has(id) => heard.numbers.id(id).is_some(),
            Sign::KnownTheme => *self.has_theme.get_or_init(|| !heard.themes().is_empty()),
            Sign::KnownCard => !heard.spotted(false).is_empty(),
            Sign::Motifs => {
                let count = heard.spotted(true).len();
                let shows = heard.has(&[Word::Show, Word::See, Word::Want]);
                count > 1 && shows || count > 0 && mentions(&heard.lower, LOOKS)
            }
            Sign::Picked => cards::is_picked(heard),
            Sign::Laid => cards::is_laid(heard),
            Sign::Genre => heard.genre().is_some(),
            Sign::Title => *self.has_title.get_or_init(|| heard.title().is_some()),
            Sign::Named => !heard.unknown_names().is_empty() || !heard.quoted.is_empty(),
            Sign::Counted => !heard.numbers.counts.is_empty(),
            Sign::Towards => {
                let text = heard.text();
                let text = text.trim_end_matches(['。', '!', '?', 'ね', ' ']);
                !self.places.destinations.is_empty()
                    && [
                        "まで",
                        "へ",
                        "まで行きたい",
                        "まで行って",
                        "までお願いします",
                        "までお願い",
                    ]
                    .iter()
                    .any(|it| text.ends_with(it))
            }
            Sign::When => heard.when.date.is_some() || heard.when.hours.is_some(),
            Sign::Question => heard.asks(),
            Sign::Answers => mentions(&heard.lower, ANSWERS),
            Sign::Booked => mentions(&heard.lower, BOOKED),
            Sign::Forms => heard.tokens.iter().any(|it| it.word == Word::Form),
            Sign::WhichForm => mentions(&heard.lower, WHICH_FORM),
            Sign::Talkers => mentions(&heard.lower, TALKERS),
            Sign::Numbered => heard.find("conv_", 0).is_some(),
            Sign::Past => mentions(&heard.lower, PAST) && heard.asks(),
            Sign::BareForm => heard.is_bare_form(),
            Sign::Shortest => mentions(&heard.lower, SHORTEST),
            Sign::ByFoot => mentions(&heard.lower, BY_FOOT),
            Sign::Rated => mentions(&heard.lower, RATED),
            Sign::Mood => mentions(&heard.lower, LIKE) && !names::moods(&heard.lower).is_empty(),
            Sign::Length => cinema::minutes(&heard.lower).is_some(),
            Sign::GivesUp => heard.gives_up(),
            Sign::Sending => mentions(&heard.lower, SENDING),
            Sign::Errand => heard.is_errand(),
            Sign::Occasion => mentions(&heard.lower, OCCASIONS),
            Sign::Caused => heard.causes_agents(),
            Sign::Rounds => meeting::rounds(heard).is_some(),
            Sign::Latest => mentions(&heard.lower, lists::LATEST),
            Sign::Paused => lists::pauses(heard).is_some(),
            Sign::Partners => mentions(&heard.lower, PARTNERS),
            Sign::Agent => heard.names_agent(),
            Sign::Addressed => heard.addresses_agent(),
            Sign::Fields => !self.reading().fields.is_empty(),
            Sign::Listed => self.reading().sure > 1,
        }
    }
}
