//! The texts of the operator's place, put after those of the rest of the page.

/// Hands the texts given and those of the operator to the macro that is named first.
macro_rules! with_operator_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // The place, and the way into it.
            OperatorHint: "この画面は、サーバーを運用する人のためのものです。状態の確認と、コンポーネントの読み込み・更新ができます。", "This place is for whoever runs this server. It shows how the server is, and loads and updates its components.";
            OperatorHow: "サーバーのあるマシンで次のコマンドを実行すると、キーの付いたアドレスが表示されます。キーは、サーバーを次に再起動するまで有効です。スコープ operator を持つトークンでも開けます。", "On the server's machine, the command below prints an address with a key, which is good until the server starts anew. A token with the scope operator opens this place, too.";
            OperatorKeyName: "キーまたはトークン", "Key or token";
            OperatorKeyHint: "このタブを閉じるまで、このタブだけに保存されます。", "It is kept in this tab only, until the tab is closed.";
            OperatorEnter: "開く", "Open";
            OperatorKeyRefused: "このキーは使えません。サーバーが再起動していれば、コマンドをもう一度実行して新しいキーを使ってください。", "This key does not do. If the server has started anew, run the command again and use the new key.";
            OperatorKeyUnreadable: "キーをそのまま貼り付けてください。空白や全角文字は使われません。", "Paste the key as it is; there are no spaces in one.";
            OperatorLeave: "操作を終える", "Leave";
            OperatorLeft: "キーを消去しました。", "The key is forgotten.";
            OperatorTabs: "運用の画面の切り替え", "Parts of the operator's place";
            OperatorNow: "現在の状態", "Now";
            OperatorStale: "サーバーに接続できないため、最後に受け取った内容を表示しています。", "The server cannot be reached; this is what it said last.";

            // How the server is.
            OperatorWell: "すべて正常です", "All is well";
            OperatorUnwell: "{0} 件の問題があります", "Problems: {0}";
            OperatorOfServer: "サーバー", "Server";
            OperatorOfDisk: "ディスク", "Disk";
            OperatorRate: "呼び出し／秒", "Calls a second";
            OperatorP50: "応答時間（中央値）", "Half of the calls within";
            OperatorP99: "応答時間（99％）", "99% of the calls within";
            OperatorErrors: "エラーの割合", "Share of errors";
            OperatorErrorsOf: "{1} 件のうち {0} 件、トラップ {2} 件", "{0} of {1} calls; traps: {2}";
            OperatorUnderWay: "実行中／順番待ち", "Running / queued";
            OperatorWaitingCalls: "回答待ちの呼び出し {0} 件", "Calls that wait for an answer: {0}";
            OperatorMemory: "メモリ", "Memory";
            OperatorUptime: "稼働時間", "Running for";
            OperatorVersion: "バージョン {0}", "Version {0}";
            OperatorServing: "提供中のコンポーネント", "Components that serve";
            OperatorServingTools: "ツール {0} 個", "Tools: {0}";
            OperatorPending: "受け入れ待ちのビルド", "Builds that wait";
            OperatorPendingSome: "確認してください", "Take a look";
            OperatorSince: "数値は、サーバーの起動からの累計です。", "The numbers count from the start of the server.";
            OperatorChart: "1 秒あたりの呼び出し（直近 2 分）", "Calls a second, over the last two minutes";
            OperatorChartSaid: "1 秒あたりの呼び出しのグラフ。最新は {0}、直近 2 分の最大は {1} です。", "A chart of calls a second. The latest is {0}, the most in the last two minutes is {1}.";
            OperatorChartNone: "測定を始めました。まもなくグラフが表示されます。", "Measuring has begun; the chart comes in a moment.";
            OperatorChartAgo: "2 分前", "2 minutes ago";
            OperatorChartNow: "現在", "now";
            OperatorChartMost: "最大 {0}", "most {0}";
            OperatorDays: "{0} 日 {1} 時間", "{0} d {1} h";
            OperatorHours: "{0} 時間 {1} 分", "{0} h {1} min";
            OperatorMinutes: "{0} 分 {1} 秒", "{0} min {1} s";
            OperatorSeconds: "{0} 秒", "{0} s";

            // Builds that wait, and loading one.
            OperatorWaits: "受け入れを待っているビルド", "Builds that wait for your word";
            OperatorOrigin: "入手元：{0}", "From: {0}";
            OperatorWhy: "待っている理由：", "Why it waits:";
            OperatorAccept: "受け入れる", "Accept";
            OperatorAcceptNamed: "「{0}」のビルドを受け入れる", "Accept the build of {0}";
            OperatorRefuse: "断る", "Refuse";
            OperatorRefuseNamed: "「{0}」のビルドを断る", "Refuse the build of {0}";
            OperatorAccepted: "「{0}」のビルドを受け入れました。", "The build of {0} was accepted.";
            OperatorRefused: "「{0}」のビルドを断りました。", "The build of {0} was refused.";
            OperatorCanary: "一部の呼び出しで試す", "Try it on some of the calls first";
            OperatorCanaryHint: "選んだ呼び出しだけを、このビルドが処理します。求めている権限は、試している間、このビルドだけに与えられます。失敗が増えたり遅くなったりすると、自動で提供中のバージョンに戻ります。", "This build answers only the calls that you choose. What it asks for is given to it alone, while it is tried. Where it fails more often or takes longer than the version that serves, it gives way by itself.";
            OperatorCanaryPercent: "呼び出しの割合（％）", "Share of the calls (%)";
            OperatorCanaryCallers: "常にこのビルドを使う呼び出し元（任意）", "Callers who always get it (optional)";
            OperatorCanaryCallersHint: "トークンの名前を、コンマで区切って入力します。", "Names of tokens, with commas between them.";
            OperatorCanaryWrong: "割合は 1〜99 の整数です。割合を空にするときは、呼び出し元を入力してください。", "The share is a whole number from 1 to 99. Leave it empty only where callers are named.";
            OperatorCanaryBegin: "試し始める", "Start trying";
            OperatorCanaryBeginNamed: "「{0}」のビルドを試し始める", "Start trying the build of {0}";
            OperatorCanaryBegun: "「{0}」のビルドを試しています。", "The build of {0} is being tried.";
            OperatorCanaryRuns: "試用中：{0}", "Being tried on {0}";
            OperatorCanaryShare: "呼び出しの {0}％", "{0}% of the calls";
            OperatorCanaryOf: "{0} の呼び出し", "the calls of {0}";
            OperatorCanaryBoth: "呼び出しの {0}％ と、{1} の呼び出し", "{0}% of the calls, and those of {1}";
            OperatorCanaryTable: "試用中のビルドと提供中のバージョンの比較", "The build that is tried, beside the version that serves";
            OperatorCanaryOwn: "試用中のビルド", "Build on trial";
            OperatorCanaryBefore: "提供中のバージョン", "Version that serves";
            OperatorCanaryErrors: "エラー", "Errors";
            OperatorCanaryTraps: "うちトラップ・上限超過", "Traps and limits among them";
            OperatorCanaryRefused: "拒否・入力の誤り", "Refusals and wrong input";
            OperatorCanaryMean: "平均の応答時間", "Time on average";
            OperatorCanaryP99: "99％ の応答時間", "99% within";
            OperatorCanaryDiffers: "結果の違い（読み取りだけの呼び出し）", "What it answers differently (calls that only read)";
            OperatorCanaryDiffersOf: "{0}：比べた {2} 件のうち {1} 件で結果が違いました。", "{0}: {1} of {2} answers differ.";
            OperatorCanaryDiffersNone: "比べた {0} 件に違いはありません。", "Answers compared: {0}. None differs.";
            OperatorCanaryAt: "違いのある場所", "Where they differ";
            OperatorCanaryStop: "試すのをやめる", "Stop trying";
            OperatorCanaryStopNamed: "「{0}」のビルドを試すのをやめる", "Stop trying the build of {0}";
            OperatorCanaryStopped: "「{0}」のビルドを試すのをやめました。", "The build of {0} is no longer tried.";
            OperatorCanaryEnded: "試用は終わりました。理由：", "It is no longer tried:";
            OperatorLoad: "コンポーネントの読み込み", "Load a component";
            OperatorDrop: "ここに .wasm ファイルをドロップするか", "Drop a .wasm file here, or";
            OperatorChooseFile: "ファイルを選ぶ", "choose a file";
            OperatorLoadRules: "64 MB までの WebAssembly コンポーネント 1 つ", "One WebAssembly component of up to 64 MB";
            OperatorName: "名前", "Name";
            OperatorNameHint: "英小文字で始まる、英小文字・数字・ハイフン・下線の 64 文字以内です。", "It begins with a–z and has at most 64 of a–z, 0–9, hyphen and underscore.";
            OperatorNameNew: "新しいコンポーネントとして読み込みます。", "It will be a new component.";
            OperatorNameKnown: "「{0}」の新しい世代として読み込みます。", "It will be a new generation of {0}.";
            OperatorNameWrong: "この名前は使えません。", "This name cannot be used.";
            OperatorSend: "読み込む", "Load it";
            OperatorSendNot: "やめる", "Do not load it";
            OperatorSending: "読み込んでいます…", "Loading it…";
            OperatorTooLarge: "「{0}」は {1} です。読み込めるのは 64 MB までです。", "{0} has {1}; at most 64 MB can be loaded.";
            OperatorEmptyFile: "「{0}」は空のファイルです。", "{0} is empty.";
            OperatorNotWasm: "「{0}」は .wasm ファイルではありません。", "{0} is not a .wasm file.";
            OperatorLoaded: "「{0}」の第 {1} 世代を提供しています。", "Generation {1} of {0} serves now.";
            OperatorLoadWaits: "「{0}」のビルドは受け入れを待っています。", "The build of {0} waits for your word.";
            OperatorLoadWaitsHint: "待っている理由を確かめて、受け入れるか断るかを選んでください。", "See why it waits, then accept or refuse it.";
            OperatorLoadWaitsGo: "理由を見る", "See why";
            OperatorLoadRefused: "「{0}」は読み込めませんでした。", "{0} was not loaded.";

            // The components.
            OperatorNone: "コンポーネントはまだありません。", "There are no components yet.";
            OperatorNoneHint: "下の欄から .wasm ファイルを読み込めます。", "Load a .wasm file below.";
            OperatorNoSuch: "「{0}」というコンポーネントはありません。", "There is no component {0}.";
            OperatorServes: "提供中", "Serves";
            OperatorServesNot: "停止中", "Does not serve";
            OperatorGeneration: "第 {0} 世代", "Generation {0}";
            OperatorInstalled: "{0} から", "Since {0}";
            OperatorCallCount: "呼び出し", "Calls";
            OperatorFaults: "エラー／トラップ", "Errors / traps";
            OperatorTimes: "応答時間 50％／99％", "50% / 99% within";
            OperatorPeak: "メモリの最大", "Most memory";
            OperatorMore: "{0} の詳細", "Details of {0}";
            OperatorReach: "このコンポーネントにできること", "What it can touch";
            OperatorReachNone: "与えられた権限はありません。計算だけを行います。", "Nothing: it computes, and that is all.";
            OperatorUnused: "与えられていて、使っていないもの", "Granted, not used";
            OperatorToolsOf: "ツール", "Tools";
            OperatorNoTools: "提供しているツールはありません。", "It offers no tools.";
            OperatorGenerations: "世代", "Generations";
            OperatorDigest: "ダイジェスト", "Digest";
            OperatorBreaking: "互換性なし", "Breaks callers";
            OperatorStatusServing: "提供中", "Serves";
            OperatorStatusReplaced: "新しい世代に交代", "Replaced";
            OperatorStatusRolledBack: "前の世代に戻された", "Rolled back";
            OperatorStatusReturned: "最初の呼び出しで失敗し、自動で戻された", "Returned: its first calls trapped";
            OperatorStatusRemoved: "取り外し済み", "Taken away";
            OperatorAgain: "この世代に戻す", "Serve this one again";
            OperatorAgainNamed: "この世代に戻す：「{0}」の第 {1} 世代", "Serve this one again: generation {1} of {0}";
            OperatorBack: "「{0}」を選んだ世代に戻しました。", "The chosen generation of {0} serves again.";
            OperatorUnload: "取り外す", "Unload";
            OperatorUnloadNamed: "「{0}」を取り外す", "Unload {0}";
            OperatorUnloadAsk: "「{0}」を取り外しますか。ツールはすぐに使えなくなります。データと世代は残り、あとで戻せます。", "Unload {0}? Its tools are gone at once. Its data and generations stay, and can be brought back.";
            OperatorUnloadYes: "取り外す", "Yes, unload it";
            OperatorUnloadNo: "取り外さない", "No, keep it";
            OperatorUnloaded: "「{0}」を取り外しました。", "{0} is unloaded.";

            // What a component can touch.
            GrantSql: "自分のデータベースに読み書きします。", "Reads and writes a database of its own.";
            GrantSettings: "管理者が決めた設定を読みます。", "Reads what the operator set for it.";
            GrantEnvironment: "次の環境変数の値を、自分または接続先のために使います：{0}", "Is given something by these environment variables, for itself or for a host that it calls: {0}";
            GrantClock: "時刻と経過時間を知ります。", "Knows the time of day, and the time that passes.";
            GrantRandom: "乱数を使います。", "Uses random numbers.";
            GrantHttp: "次の相手に HTTP で接続します：{0}", "Sends HTTP requests to: {0}";
            GrantHttpNone: "HTTP を使えますが、接続先は許可されていません。", "May use HTTP, but is allowed no host.";
            GrantFolders: "次のフォルダーを読みます：{0}", "Reads these folders: {0}";
            GrantFoldersNone: "フォルダーを読めますが、フォルダーは渡されていません。", "May read folders, but is given none.";
            GrantFiles: "次のファイルを読みます：{0}", "Reads these files: {0}";
            GrantFilesNone: "ファイルを読めますが、ファイルは渡されていません。", "May read files, but is given none.";
            GrantBlobs: "アップロードされたファイルを読み、新しいファイルを作ります。", "Reads uploaded files and makes new ones.";
            GrantEvents: "データが変わったことを、見ている人に知らせます。", "Tells those who watch that its data has changed.";
            GrantSchedule: "{0} ごとに、ひとりでに実行されます。", "Runs by itself every {0}.";
            GrantScheduleNone: "決まった間隔で実行できますが、間隔は設定されていません。", "May run by itself, but no interval is set.";
            GrantJobs: "呼び出しのあとも、自分の作業を続けます。", "Goes on with jobs of its own after a call.";
            GrantEndpoints: "自分の HTTP のアドレス（/api/ の下）で応答します。", "Answers HTTP requests at addresses of its own, under /api/.";
            GrantAssistants: "次のアシスタントに質問します：{0}", "Asks these assistants: {0}";
            GrantAssistantsNone: "アシスタントに質問できますが、相手は決められていません。", "May ask assistants, but none is named.";
            GrantCalls: "呼び出した人の権限で、次のツールを呼び出します：{0}", "Calls these tools, with its caller's rights: {0}";
            GrantCallsNone: "ほかのツールを呼び出せますが、ツールは決められていません。", "May call other tools, but none is named.";
            GrantTrusts: "次のツールは、確認なしで実行します：{0}", "Runs these of them without asking: {0}";
            GrantRuns: "設定されたアシスタントを動かし、その権限でツールを呼び出します。", "Runs the assistants of the configuration, and calls tools as they may.";
            GrantAny: "すべて", "all of them";

            // The calls.
            OperatorCallsTable: "最近の呼び出し", "Recent calls";
            OperatorCallsShown: "最近の {1} 件のうち {0} 件を、新しい順に表示しています。", "{0} of the last {1} calls, newest first.";
            OperatorCallsNone: "呼び出しはまだありません。", "There are no calls yet.";
            OperatorCallsNoneHint: "ツールが呼び出されると、ここに並びます。", "They appear here once a tool is called.";
            OperatorCallsNoneFit: "当てはまる呼び出しはありません。", "No call fits.";
            OperatorFilter: "ツール・コンポーネント・呼び出し元で絞り込み", "Tool, component or caller";
            OperatorOutcomes: "結果で絞り込み", "Outcome";
            OperatorAllOutcomes: "すべて", "All";
            OperatorNotDone: "完了しなかったものだけ", "Only those not done";
            OperatorPause: "更新を止める", "Pause";
            OperatorGoOn: "更新を再開する", "Go on";
            OperatorPaused: "更新を止めています。", "Paused.";
            OperatorTime: "時刻", "Time";
            OperatorTool: "ツール", "Tool";
            OperatorComponent: "コンポーネント", "Component";
            OperatorCaller: "呼び出し元", "Caller";
            OperatorSurface: "経路", "Way in";
            OperatorOutcome: "結果", "Outcome";
            OperatorTook: "所要時間", "Took";
            OperatorAnonymous: "匿名", "anonymous";
            OperatorLost: "{0} 行を書き込めませんでした。", "Lines that could not be written: {0}.";
            OperatorMoreRefused: "ほかに {0} 件の呼び出しを断りました。", "Calls that were turned away besides: {0}.";
            OutcomeDone: "完了", "Done";
            OutcomeAsked: "質問中", "Asked back";
            OutcomeRefused: "ツールが拒否", "The tool refused";
            OutcomeRefusedAs: "拒否：{0}", "Refused: {0}";
            OutcomeInvalid: "入力が不正", "Wrong input";
            OutcomeUnknown: "該当なし", "Not found";
            OutcomeForbidden: "権限なし", "Not allowed";
            OutcomeBusy: "混雑", "Busy";
            OutcomeUnavailable: "利用不可", "Unavailable";
            OutcomeLimit: "上限超過：{0}", "Limit exceeded: {0}";
            OutcomeLimitBare: "上限超過", "Limit exceeded";
            OutcomeTrapped: "トラップ", "Trapped";
            OutcomeBroken: "規約違反", "Broke its contract";
            OutcomeCancelled: "中止", "Cancelled";
            OutcomeState: "状態が無効", "State not valid";
        }
    };
}
