//! The texts of the viewer of conversations between agents, put after those of the rest of the page.

/// Hands the texts given and those of the viewer to the macro that is named first.
macro_rules! with_conversation_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // The place.
            TalkTitle: "エージェントの会話", "Conversations between agents";
            TalkHint: "エージェントどうしの会話を、始まりから終わりまでその場で見守れます。", "Watch agents talk to each other, from beginning to end, as it happens.";
            TalkList: "会話の一覧", "Conversations";
            TalkFilters: "会話の絞り込み", "Which conversations";
            TalkProject: "プロジェクト", "Project";
            TalkAgent: "エージェント", "Agent";
            TalkSearch: "検索", "Search";
            TalkSearchHint: "目的や発言に含まれる言葉", "A word of it";
            TalkClear: "条件を消す", "Clear";
            TalkCount: "{0} 件を表示しています。", "{0} {0|conversation|conversations} shown.";
            TalkNew: "{0} 件の新着", "New: {0}";
            TalkNoneFit: "この条件に合う会話はありません。", "No conversation fits.";
            TalkNone: "会話はまだありません", "There are no conversations yet";
            TalkNoneHint: "会話は、あるエージェントが別のエージェントに話しかけると始まります。相手が来ると進行中になり、どちらかが終えて両者に伝わると終わります。ここではその一部始終を見て、止めたり、書き込んだりできます。", "A conversation begins when one agent turns to another. It is under way once the other has come, and over once one of them has ended it and both have been told. Here you can watch all of it, pause it, and write into it.";
            TalkGame: "しりとりを見る", "Watch a word game";
            TalkGameHint: "{0} と {1} が、しりとりで 5 往復の会話をします。", "{0} and {1} play shiritori, five rounds of it.";
            TalkGameNobody: "窓口が演じるエージェントが 2 人いるプロジェクトがないため、しりとりは始められません。", "There is no project with two agents that the counter itself plays, and so no game to watch.";
            TalkMessages: "{0} 件", "{0} {0|message|messages}";
            TalkTurns: "{0} ターン", "{0} {0|turn|turns}";
            TalkTurnsOf: "{0}/{1} ターン", "{0} of {1} {1|turn|turns}";
            TalkNothingSaid: "まだ発言はありません", "Nothing has been said yet";
            TalkNoPurpose: "目的なし", "No purpose given";

            // States, what led there, and why it ended.
            TalkPending: "開始待ち", "Pending";
            TalkActive: "進行中", "Active";
            TalkTerminating: "終了中", "Ending";
            TalkEnded: "終了", "Ended";
            TalkExpired: "応答なし", "Expired";
            TalkPaused: "一時停止中", "Paused";
            TalkPendingWhat: "開始要求済み、相手未参加", "Asked for; the other has not come";
            TalkActiveWhat: "両者参加中", "Both take part";
            TalkTerminatingWhat: "終了要求済み、終了通知待ち", "To be ended; both are being told";
            TalkEndedWhat: "終了完了", "Over";
            TalkExpiredWhat: "相手が来ませんでした", "The other never came";
            TalkByStart: "会話を申し込んだ", "asked for it";
            TalkByBegin: "始めさせた", "started it for an agent";
            TalkBySend: "メッセージを送った", "sent a message";
            TalkByAuthenticate: "参加した", "joined";
            TalkByNext: "申し込みを受け取った", "took up the request";
            TalkByEnd: "終えた", "ended it";
            TalkByStop: "強制終了した", "ended it by force";
            TalkByPendingTimeout: "待ち時間が過ぎた", "waited too long";
            TalkByActiveTimeout: "やり取りが途絶えた", "nothing was said for too long";
            TalkBySession: "セッションが切れた", "a session expired";
            TalkByLogout: "退出した", "logged out";
            TalkByNotified: "終了を知った", "was told that it ended";
            TalkReasonInitiator: "開始者が終了", "ended by the initiator";
            TalkReasonParticipant: "参加者が終了", "ended by the participant";
            TalkReasonTimeout: "10分間やり取りなし", "nothing was said for too long";
            TalkReasonSession: "セッション有効期限切れ", "a session expired";
            TalkReasonTurns: "決めたターン数に達した", "it has had all its turns";
            TalkReasonOperator: "人が終了させた", "ended by a person";
            TalkSystem: "窓口", "the counter";
            TalkOperator: "管理者", "the operator";

            // Time.
            TalkInstant: "1 秒未満", "under 1 s";
            TalkJustNow: "たった今", "just now";
            TalkSecondsAgo: "{0} 秒前", "{0} s ago";
            TalkMinutesAgo: "{0} 分前", "{0} min ago";
            TalkHoursAgo: "{0} 時間前", "{0} h ago";
            TalkDaysAgo: "{0} 日前", "{0} d ago";

            // One conversation.
            TalkBack: "会話の一覧へ", "All conversations";
            TalkMembers: "参加者", "Who takes part";
            TalkInitiator: "開始者", "initiator";
            TalkParticipant: "相手", "participant";
            TalkPlayedBy: "窓口が担当", "played by this counter";
            TalkOutside: "外部のエージェント", "an agent from outside";
            TalkUnread: "未読 {0} 件", "{0} unread";
            TalkUsage: "応答 {0} 回", "answers: {0}";
            TalkBegunBy: "{0} が始めさせました", "started for {0}";
            TalkEndedBy: "{0} が終了（{1}）", "{0}: {1}";
            TalkTrace: "経過", "Timeline";
            TalkStayed: "所要 {0}", "for {0}";
            TalkStaying: "{0} 経過", "for {0} so far";
            TalkWhole: "全体で {0}", "{0} in all";
            TalkAhead: "まだ", "not yet";
            TalkLog: "やり取り", "What is said";
            TalkOlder: "前のやり取りを表示", "Show what came before";
            TalkBeginning: "会話の始まり", "This is where it began";
            TalkEmpty: "まだ何も話していません。", "Nothing has been said yet.";
            TalkSaid: "{0}, {1}/{2}", "{0}, {1}/{2}";
            TalkRead: "既読", "read";
            TalkReadAt: "{0} に既読", "read {0}";
            TalkSent: "未読", "unread";
            TalkToBoth: "両者へ", "to both";
            TalkPerson: "人からの書き込み", "written by a person";
            TalkShowAll: "すべて表示", "Show all of it";
            TalkNewAnnounced: "新しいメッセージ {0} 件", "New messages: {0}";
            TalkStateAnnounced: "会話の状態：{0}", "The conversation is now: {0}";
            TalkGone: "この会話は見つかりません", "There is no such conversation";
            TalkStale: "接続が切れているため、新しい発言は届いていません。", "The connection is lost; what is said now does not arrive.";

            // Stepping in.
            TalkStepIn: "会話に加わる", "Step in";
            TalkStepHint: "書いた内容は両方のエージェントに届きます。", "Both agents get what you write.";
            TalkWrite: "両者への書き込み", "A message to both";
            TalkSend: "両者に送る", "Send to both";
            TalkUnsent: "会話が終わるまでに送信を確認できなかった書き込みです。", "You wrote this, and it is not known to have been sent before the conversation ended.";
            TalkSentAnnounced: "両者に送りました。", "Sent to both.";
            TalkPause: "一時停止", "Pause";
            TalkResume: "再開", "Resume";
            TalkPausedBy: "{0} が一時停止しています。エージェントは発言できません。", "Paused by {0}: the agents cannot say anything.";
            TalkPausedAnnounced: "会話を一時停止しました。", "The conversation is paused.";
            TalkResumedAnnounced: "会話を再開しました。", "The conversation goes on.";
            TalkStop: "強制終了", "End by force";
            TalkStopAsk: "この会話を終わらせますか？", "End this conversation?";
            TalkStopHint: "両方のエージェントに終了が伝わります。元に戻せません。", "Both agents will be told. This cannot be undone.";
            TalkStopReason: "理由（任意）", "Reason (optional)";
            TalkStopDo: "終わらせる", "End it";
            TalkStopNot: "続けさせる", "Let it go on";
            TalkStoppedAnnounced: "会話を終わらせました。", "The conversation is ended.";
            TalkTooLong: "4,000文字以内で入力してください。", "At most 4,000 characters.";

            // The picture.
            TalkLanes: "やり取りの図", "Who spoke when";
            TalkLanesWhat: "{0}：{1} 件", "{0}: {1} {1|message|messages}";
            TalkLanesScroll: "図（横に動かせます）", "The picture (scrolls sideways)";
            TalkLanesTable: "表で見る", "As a table";
            TalkLanesLeft: "最新の {0} 件だけを描いています。", "Only the latest {0} are drawn.";
            TalkColumnNumber: "番号", "No.";
            TalkColumnFrom: "発言者", "From";
            TalkColumnTo: "宛先", "To";
            TalkColumnText: "内容", "What";

            // Taking along.
            TalkExport: "保存と共有", "Save and share";
            TalkMarkdown: "Markdown を保存", "Save as Markdown";
            TalkJsonl: "JSONL を保存", "Save as JSONL";
            TalkSaved: "会話を保存しました。", "The conversation is saved.";
            TalkCopyLink: "リンクをコピー", "Copy the link";
            TalkLinkCopied: "リンクをコピーしました。", "The link is copied.";
            TalkOpen: "会話の全体を見る", "See all of it";

            // In a chat.
            CardTalk: "会話「{0}」（{1}）", "Conversation “{0}” ({1})";
            CardTalks: "会話 {0} 件", "Conversations: {0}";
            SecretsHidden: "秘密の値は隠しています。", "Secret values are hidden.";
            SecretsShow: "秘密の値を表示", "Show secret values";
            SecretsHide: "秘密の値を隠す", "Hide secret values";
        }
    };
}
