//! The texts of the place of projects and agents, put after those of the rest of the page.

/// Hands the texts given and those of the agents to the macro that is named first.
macro_rules! with_agent_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // The place.
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

            // A passkey that was just made.
            PasskeyTitle: "{0} のパスキー", "The passkey of {0}";
            PasskeyOnce: "このパスキーが表示されるのは今だけです。安全な場所に控えてください。あとから確認することはできません。", "This is shown once. Keep it somewhere safe: it cannot be looked up later.";
            PasskeyCopy: "パスキーをコピー", "Copy the passkey";
            PasskeyDone: "控えました", "I have kept it";
            PasskeyMade: "パスキーを発行しました。", "The passkey is made.";

            // The invitation.
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

            // Defining.
            DefineProject: "プロジェクトを追加", "Add a project";
            DefineAgent: "エージェントを追加", "Add an agent";
            DefineProjectTitle: "新しいプロジェクト", "A new project";
            DefineAgentTitle: "新しいエージェント", "A new agent";
            DefineProjectId: "プロジェクト ID", "Project ID";
            DefineAgentId: "エージェント ID", "Agent ID";
            DefineIdHint: "半角英数字と . _ -（例：worker-c）。あとから変更できません。", "Letters, digits, . _ and -, such as worker-c. It cannot be changed later.";
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

            // A conversation between two of them.
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
            AgentStatusOutside: "外部のエージェントが参加するまでお待ちください。まだなら「招待する」から指示を渡せます。", "It comes from outside: wait until it takes part, or invite it from the list.";
        }
    };
}
