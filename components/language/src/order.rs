//! Bare orders to stop, to go on or to turn round: `stop now`, `続けて`, `逆にして`.

use crate::scan::marks;

/// What is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Something is to end.
    Stop,
    /// Something is to go on.
    Resume,
}

/// Returns the short order that the whole `text` is: `continue`, `kill it`, `再開`.
pub fn order(text: &str) -> Option<Order> {
    const STOPS: &str = "stop|stop now|end|kill it|kill them|kill that|shut it down|shut them down|make it stop|enough|ストップ|終了|停止|止めて|とめて|やめさせて|もういいから止めて";
    const RESUMES: &str = "continue|go on|carry on|keep going|resume|unpause|go ahead again|再開|再開で|続けて|つづけて|続けさせて|続きをやって|続けていいよ";
    let text = bare(text);
    match () {
        () if marks(STOPS).any(|it| it == text) => Some(Order::Stop),
        () if marks(RESUMES).any(|it| it == text) => Some(Order::Resume),
        () => None,
    }
}

/// Whether the whole `text` only turns the order of things round: `逆にして`, `reverse it`.
pub fn turns_round(text: &str) -> bool {
    const TURNS: &str = "逆|逆に|逆で|逆にして|逆順にして|順番を逆に|順番を逆にして|reverse|reverse it|reverse them|reverse the order|the other way round|the other way around";
    let text = bare(text);
    marks(TURNS).any(|it| it == text)
}

/// The lowercase order in `text`, without the words around it.
fn bare(text: &str) -> String {
    const BEFORE: &str = "ok |okay |now |please |then |じゃあ|では";
    const BEHIND: &str = " please| now| then|ください|お願いします|お願い";
    let text = text.to_lowercase();
    let text = text.trim().trim_end_matches(['.', '!', '。', '！', '、', ',']);
    let text = marks(BEFORE).fold(text, |it, word| it.strip_prefix(word).unwrap_or(it));
    let text = marks(BEHIND).fold(text, |it, word| it.strip_suffix(word).unwrap_or(it));
    text.trim_matches(['、', ',', ' ']).to_owned()
}
