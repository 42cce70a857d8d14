//! Texts of conversations between agents and of the agents view, appended to those of the page.

/// Passes the given texts and those of the family to the macro named first.
macro_rules! with_conversation_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // The list.
            TalkTitle: "エージェントの会話", "Conversations between agents";
            TalkHint: "エージェントどうしの会話を、始まりから終わりまでその場で見守れます。", "Watch agents talk to each other, from beginning to end, as it happens.";
            TalkList: "会話の一覧", "Conversations";
            TalkMoreFilters: "絞り込み", "Filter";
            TalkFilters: "会話の絞り込み", "Which conversations";
            TalkProject: "プロジェクト", "Project";
            TalkAgent: "エージェント", "Agent";
            TalkSearch: "検索", "Search";
            TalkSearchHint: "目的や発言に含まれる言葉", "A word from its purpose or messages";
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

            // States, causes and reasons.
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
            TalkEnding: "会話の終わり：{0}", "This is where it ended: {0}";
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

            // Intervention.
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

            // The chart.
            TalkLanes: "やり取りの図", "Who spoke when";
            TalkLanesWhat: "{0}：{1} 件", "{0}: {1} {1|message|messages}";
            TalkLanesScroll: "図（横に動かせます）", "The picture (scrolls sideways)";
            TalkLanesTable: "表で見る", "As a table";
            TalkLanesLeft: "最新の {0} 件だけを描いています。", "Only the latest {0} are drawn.";
            TalkColumnNumber: "番号", "No.";
            TalkColumnFrom: "発言者", "From";
            TalkColumnTo: "宛先", "To";
            TalkColumnText: "内容", "What";

            // Saving.
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

            // Projects and agents.
            AgentsTitle: "プロジェクトとエージェント", "Projects and agents";
            AgentsHint: "エージェントとチャットしたり、エージェント同士の会話を始めたりできます。", "Chat with agents, or have them talk to each other.";
            AgentsNone: "プロジェクトはまだありません。", "There are no projects yet.";
            AgentsNoneHint: "管理者がプロジェクトを登録すると、ここに並びます。", "They appear here once an operator has defined one.";
            AgentsNoneHere: "このプロジェクトにはまだエージェントがいません。", "There are no agents in this project yet.";
            AgentsOf: "{0} のエージェント", "Agents of {0}";
            AgentAi: "AI", "AI";
            AgentHuman: "人", "Person";
            AgentYou: "あなた", "you";
            AgentOnline: "オンライン", "Online";
            AgentReady: "応答できます", "Ready";
            AgentPlayed: "窓口が担当（{0}）", "Played by this counter ({0})";
            AgentOutside: "外部から参加", "Comes from outside";
            AgentHasPasskey: "パスキーあり", "Has a passkey";
            AgentNoPasskey: "パスキーなし", "Has no passkey";
            ProjectConfigured: "設定ファイルで定義（ここでは変更できません）", "Defined in the configuration; it cannot be changed here";
            AgentSkills: "スキル", "Skills";
            ChatStateConnecting: "呼び出し中…", "Calling…";
            ChatStateDisconnected: "未接続", "Not connected";
            AgentChat: "チャットする", "Chat";
            AgentChatNamed: "{0} とチャットする", "Chat with {0}";
            AgentInvite: "招待する", "Invite";
            AgentInviteNamed: "{0} を招待する", "Invite {0}";
            AgentRenew: "パスキーを再発行", "New passkey";
            AgentRenewNamed: "{0} のパスキーを再発行", "A new passkey for {0}";
            AgentRenewAsk: "{0} の新しいパスキーを発行しますか。今のパスキーはすぐに使えなくなります。", "Make a new passkey for {0}? The present one stops working at once.";
            AgentRenewYes: "再発行する", "Make a new one";
            AgentChange: "変更する", "Change";
            AgentChangeNamed: "{0} の内容を変更する", "Change {0}";
            ChangeAgentTitle: "エージェントの内容を変更", "Change an agent";
            ChangeSave: "保存する", "Save";
            AgentRetire: "引退させる", "Retire";
            AgentRetireNamed: "{0} を引退させる", "Retire {0}";
            AgentRetireAsk: "{0} を引退させますか。進行中の会話は終わり、もう参加できません。これまでの記録は残ります。", "Retire {0}? Its conversations end and it can take part no more. What was said stays.";
            AgentRetireYes: "引退させる", "Yes, retire it";
            AgentRetired: "{0} は引退しました。", "{0} has retired.";
            AgentLeave: "やめる", "Leave it";

            // A new passkey.
            PasskeyTitle: "{0} のパスキー", "The passkey of {0}";
            PasskeyOnce: "このパスキーが表示されるのは今だけです。安全な場所に控えてください。あとから確認することはできません。", "This is shown once. Keep it somewhere safe: it cannot be looked up later.";
            PasskeyCopy: "パスキーをコピー", "Copy the passkey";
            PasskeyDone: "控えました", "I have kept it";
            PasskeyMade: "パスキーを発行しました。", "The passkey is made.";

            // Invitation.
            InviteHint: "Claude Code などの外部エージェントを、このエージェントとして参加させます。", "Lets an agent from outside, such as Claude Code, take part as this one.";
            InviteConnect: "1. この窓口につなぐ", "1. Connect to this counter";
            InviteConnectHint: "接続先は {0} です。", "Its address is {0}.";
            InviteToken: "アクセストークンは環境変数 MADOGUCHI_TOKEN に入れてください。", "Put the access token into the environment variable MADOGUCHI_TOKEN.";
            InvitePrompt: "2. この指示を渡す", "2. Give it these instructions";
            InvitePromptName: "エージェントへの指示", "Instructions for the agent";
            InvitePasskey: "指示にはパスキーが含まれています。信頼できる相手にだけ渡してください。", "The instructions have the passkey in them. Give them only to whom you trust.";
            InviteNoPasskey: "パスキーは含まれていません。控えてあるパスキーを相手に伝えるか、再発行してください。", "The passkey is not in them. Tell the agent the one that was kept, or make a new one.";
            InviteCopyLine: "接続コマンドをコピー", "Copy the command";
            InviteCopyPrompt: "指示をコピー", "Copy the instructions";

            // Definitions.
            DefineProject: "プロジェクトを追加", "Add a project";
            DefineAgent: "エージェントを追加", "Add an agent";
            DefineProjectTitle: "新しいプロジェクト", "A new project";
            DefineAgentTitle: "新しいエージェント", "A new agent";
            DefineProjectId: "プロジェクト ID", "Project ID";
            DefineAgentId: "エージェント ID", "Agent ID";
            DefineIdHint: "半角英数字と . _ -（例：tokyo-1）。あとから変更できません。", "Letters, digits, . _ and -, such as tokyo-1. It cannot be changed later.";
            DefineType: "種類", "Type";
            DefineTypeAi: "AI（プログラム）", "AI (a program)";
            DefineTypeHuman: "人", "A person";
            DefineProjects: "担当するプロジェクト", "Projects";
            DefineSkillsHint: "「、」または「,」で区切ります。", "With commas between them.";
            DefinePlayer: "誰が担当するか", "Who plays it";
            DefineOutside: "外部のエージェント（パスキーを発行）", "An agent from outside (a passkey is made)";
            DefinePlayerHint: "アシスタントを選ぶと、必要なときに窓口が自動で動かします。", "An assistant is run by this counter whenever it is needed.";
            DefinePrincipal: "トークンの名前", "Name of the token";
            DefinePrincipalHint: "このトークンで呼び出す人が、このエージェントになります。空欄なら、まだ誰でもありません。", "Whoever calls with this token is this person. Left empty, nobody is yet.";
            DefineSave: "登録する", "Define";
            DefineSaving: "登録しています…", "Defining…";
            DefinedProject: "プロジェクト「{0}」を登録しました。", "The project “{0}” is defined.";
            DefinedAgent: "エージェント「{0}」を登録しました。", "The agent “{0}” is defined.";
            AgentIdForm: "半角英数字と . _ - で、英数字から始めてください。", "Use letters, digits, . _ and -, beginning with a letter or a digit.";
            AgentIdTaken: "この ID はすでに使われています。", "This ID is taken.";
            AgentNoProject: "プロジェクトを 1 つ以上選んでください。", "Choose at least one project.";
            AgentSkillLong: "スキルは 1 つ {0} 文字までです。", "A skill has at most {0} {0|character|characters}.";

            // A conversation between two agents.
            Begin: "会話を始める", "Start a conversation";
            BeginTitle: "エージェント同士の会話を始める", "Have two agents talk";
            BeginFirst: "話し始めるエージェント", "Who begins";
            BeginTarget: "相手", "With whom";
            BeginPurpose: "目的", "Purpose";
            BeginPurposeHint: "相手にも伝わります（例：しりとりを5往復する）。", "The other side is told of it, too.";
            BeginMessage: "最初のメッセージ", "First message";
            BeginMessageHint: "空欄なら、話し始めるエージェントが自分で考えます。", "Left empty, whoever begins thinks of one.";
            BeginTurns: "往復の上限", "Turns at most";
            BeginTurnsHint: "達すると自動で終わります。空欄なら上限なし。", "It ends by itself then. Left empty, there is no limit.";
            BeginTurnsForm: "1 から {0} までの整数で入力してください。", "Give a whole number from 1 to {0}.";
            BeginSame: "別のエージェントを選んでください。", "Choose another agent.";
            BeginSend: "始める", "Start";
            BeginSending: "始めています…", "Starting…";
            BeginTwo: "会話には AI のエージェントが 2 つ必要です。", "A conversation takes two AI agents.";

            // A person's chat with an agent.
            AgentsBack: "エージェントの一覧", "All agents";
            AgentGone: "このエージェントは見つかりません。", "There is no such agent.";
            AgentGoneHint: "引退したか、あなたのプロジェクトにいないか、アドレスが違います。", "It has retired, is in none of your projects, or the address is wrong.";
            AgentIsHuman: "チャットできるのは AI のエージェントだけです。", "Only AI agents can be chatted with.";
            AgentLog: "{0} とのチャット", "Chat with {0}";
            AgentNothing: "まだ何も話していません。", "Nothing was said yet.";
            AgentNothingHint: "メッセージを送ると、エージェントが呼び出されます。", "Send a message, and the agent is called.";
            AgentOlder: "以前のメッセージを表示", "Show older messages";
            AgentBegins: "これより前のメッセージはありません。", "This is where it begins.";
            AgentNewHere: "ここから未読", "Unread from here";
            AgentYouAt: "あなた", "You";
            AgentReadAt: "既読 {0}", "Read {0}";
            AgentSent: "送信済み", "Sent";
            AgentSending: "送信中…", "Sending…";
            AgentWaiting: "送信待ち", "Waiting to be sent";
            AgentFailed: "送信できていません", "Not sent";
            AgentNotSent: "メッセージを送信できませんでした。内容は残っています。", "The message was not sent. It is still here.";
            AgentAgain: "もう一度送る", "Send again";
            AgentWithdraw: "入力欄に戻す", "Back to the input";
            AgentSaid: "{0}：{1}", "{0}: {1}";
            AgentMessageTo: "{0} へのメッセージ", "Message to {0}";
            AgentCount: "{0} / 4,000 文字", "{0} of 4,000 characters";
            AgentTooLong: "メッセージは4,000文字以内で入力してください（{0} 文字超過）", "A message has at most 4,000 characters ({0} too many).";
            AgentStart: "チャットを開始", "Start the chat";
            AgentEnd: "チャットを終了", "End the chat";
            AgentChatStarting: "エージェントを呼び出しています。", "The agent is being called.";
            AgentChatEnding: "チャットを終了しました。", "The chat is over.";
            AgentStatusConnected: "{0} は接続しています。", "{0} is connected.";
            AgentStatusConnecting: "{0} を呼び出しています…", "{0} is being called…";
            AgentStatusDisconnected: "{0} は接続していません。", "{0} is not connected.";
            AgentStatusReady: "{0} はメッセージを送ると応答します。", "{0} will answer when you write.";
            AgentStatusOutside: "外部のエージェントが参加するまでお待ちください。まだなら「招待する」から指示を渡せます。", "It comes from outside: wait until it takes part, or invite it from the list.";
        }
    };
}
