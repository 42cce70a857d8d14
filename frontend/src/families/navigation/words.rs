//! Texts of navigation, appended to those of the page.

/// Passes the given texts and those of navigation to the macro named first.
macro_rules! with_navigation_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // The view.
            NavTitle: "ルートを探す", "Find a route";
            NavFooter: "Powered by Claude + MCP", "Powered by Claude + MCP";
            NavFooterAi: "AI と MCP で動作しています", "Powered by an AI model + MCP";
            NavFooterPlanner: "内蔵のプランナーと MCP で動作しています（AI は使っていません）", "Powered by the built-in planner + MCP, without an AI";
            NavForm: "ルート検索の条件", "What to search for";
            NavResult: "検索結果", "Result";
            NavMode: "検索モード", "Mode";
            NavModeAi: "AIモード", "AI";
            NavModeNormal: "通常モード", "Normal";
            NavModeWalk: "徒歩", "On foot";
            NavModeAiHint: "条件を言葉で伝えると、AI がツールを選んでルートを探します。", "Say what matters, and the AI picks the tools and the route.";
            NavModePlannerHint: "条件の言葉は、AI ではなく内蔵のプランナーが読み取ります。", "A built-in planner reads the condition; no AI is used.";
            NavModeNormalHint: "AI を使わず、車のルートを所要時間の順に探します。", "Routes by car, in order of time, without AI.";
            NavModeWalkHint: "AI を使わず、徒歩のルートを探します。", "Routes on foot, without AI.";

            // The form.
            NavFrom: "出発地", "From";
            NavTo: "目的地", "To";
            NavPlaceHint: "地名・住所・緯度,経度", "Place, address or lat,lng";
            NavCondition: "ナビ条件", "Condition";
            NavConditionHint: "任意。例：渋滞を避けて最短で", "Optional, e.g. avoid the traffic";
            NavPhrases: "条件の例", "Examples of conditions";
            NavPhraseTraffic: "渋滞を避けて", "Avoid traffic jams";
            NavPhraseHighways: "高速使わない", "No motorways";
            NavPhraseFastest: "一番早い", "The fastest";
            NavPhraseCompare: "比較して", "Compare them";
            NavPhraseRights: "右折少なめ", "Fewer right turns";
            NavPhrasePut: "ナビ条件に「{0}」を入れました。", "The condition is “{0}” now.";
            NavSearch: "ルート検索", "Search routes";
            NavSwap: "出発地と目的地を入れ替える", "Swap start and destination";
            NavSwapped: "出発地と目的地を入れ替えました。", "Start and destination are swapped.";
            NavClear: "「{0}」を消す", "Clear “{0}”";
            NavHere: "現在地", "Where I am";
            NavLocating: "現在地を調べています…", "Finding out where you are…";
            NavHereInsecure: "現在地は、HTTPS か localhost で開いたときだけ使えます。地名を入力するか、地図を押して指定してください。", "Your position is available over HTTPS or on localhost only. Type a place or press one on the map.";
            NavHereNone: "このブラウザでは現在地を使えません。地名を入力するか、地図を押して指定してください。", "This browser does not know where you are. Type a place or press one on the map.";
            NavHereDenied: "現在地の利用が許可されていません。ブラウザの設定で許可するか、地名を入力してください。", "The browser may not tell your position. Allow it in its settings, or type a place.";
            NavHereFailed: "現在地を取得できませんでした。地名を入力するか、地図を押して指定してください。", "Your position could not be found. Type a place or press one on the map.";
            NavHereLate: "現在地の取得に時間がかかりすぎました。もう一度試すか、地名を入力してください。", "Finding your position took too long. Try again, or type a place.";
            NavFromIs: "出発地：{0}", "From: {0}";
            NavToIs: "目的地：{0}", "To: {0}";
            NavLackFrom: "出発地を入力してください。", "Enter where you start.";
            NavLackTo: "目的地を入力してください。", "Enter where you want to go.";
            NavTooLong: "場所は 200 文字、条件は 2,000 文字までです。", "A place has up to 200 characters, a condition up to 2,000.";
            NavOffline: "サーバーに接続できません。自動で再接続します。接続が戻ってから検索してください。", "The server cannot be reached; it is tried again by itself. Search once the connection is back.";
            NavSuggestFailed: "候補を取得できません。そのまま入力して検索できます。", "There are no suggestions right now. What you typed can be searched as it is.";
            NavSuggestNone: "候補はありません。そのまま検索できます。", "No suggestion fits. It can be searched as it is.";

            // Progress.
            NavSearching: "検索中...", "Searching...";
            NavRunning: "{0}を実行中...", "Running {0}...";
            NavFoundNow: "ルートが {0} 件見つかりました。{1}、{2}。", "Routes found: {0}. {1}, {2}.";

            // The result.
            NavIdle: "出発地と目的地を入れると、ここにルートが表示されます。", "Enter where from and where to, and the routes appear here.";
            NavIdleHint: "地図を押しても指定できます。例：東京駅 → 横浜駅", "You can also click the map. For example: Tokyo Station → Yokohama Station";
            NavTryExample: "「東京駅 → 横浜駅」で試す", "Try Tokyo Station → Yokohama Station";
            NavNoRoute: "ルートが見つかりませんでした", "No route was found";
            NavNoRouteHint: "場所の名前を確かめるか、条件を緩めてお試しください。", "Check the names of the places, or ask for less.";
            NavFellBack: "AI モードが使えなかったため、通常モードの結果を表示しています。", "The AI mode did not work; these are the routes of the normal mode.";
            NavBefore: "前の結果を表示しています。", "This is the result from before.";
            NavRoutes: "ルートの候補", "Routes";
            NavRoute: "経由", "Route";
            NavTime: "時間", "Time";
            NavUsualTime: "通常の時間", "Usually";
            NavTrafficTime: "渋滞込みの時間", "Time in traffic";
            NavDistance: "距離", "Distance";
            NavToll: "有料道路の料金", "Toll";
            NavTollAbout: "約{0}", "about {0}";
            NavTollRoads: "有料区間 {0}", "toll roads {0}";
            NavTollNone: "なし", "none";
            NavAdvised: "おすすめ", "Suggested";
            NavUnnamed: "名前のないルート", "A route without a name";
            NavCompared: "表示中のルートとの差", "Beside the route shown";
            NavHours: "{0} 時間", "{0} h";
            NavSteps: "道順", "Directions";
            NavStepCount: "{0} 件", "Steps: {0}";
            NavNoSteps: "このルートの道順はありません。", "There are no directions for this route.";
            NavProvider: "経路の提供元：{0}", "Routes by {0}";
            NavData: "データ：{0}", "Data: {0}";
            NavBuiltin: "内蔵の道路網", "the built-in network";
            NavNotForDriving: "実際の運転では、現地の標識に従ってください。", "On the road, follow the signs.";
            NavCopySteps: "道順をコピー", "Copy directions";
            NavCopyLink: "リンクをコピー", "Copy link";
            NavLinkCopied: "この検索のリンクをコピーしました。", "The link to this search is copied.";
            NavNotCopied: "コピーできませんでした。アドレス欄のリンクを使ってください。", "It could not be copied. The link is in the address bar.";
            NavPrint: "印刷", "Print";
            NavComparison: "距離と時間の比較", "Distances and times compared";

            // The planner.
            NavReason: "このルートを選んだ理由", "Why this route";
            NavAnswer: "探した結果", "What came of it";
            NavReasonHint: "距離・時間・料金は、ルート検索の結果です。", "Distances, times and tolls come from the router.";
            NavReasonAiHint: "この説明は AI によるものです。距離・時間・料金は、ルート検索の結果です。", "These are the AI's words. Distances, times and tolls come from the router.";
            NavReasonPlannerHint: "この説明は内蔵のプランナーによるものです。距離・時間・料金は、ルート検索の結果です。", "These are the built-in planner's words. Distances, times and tolls come from the router.";
            NavLog: "AI判断ログ", "The AI's log";
            NavLogCount: "ツール呼び出し {0} 回", "Tool calls: {0}";
            NavLogParams: "パラメータ", "Parameters";
            NavLogThought: "考え", "Thought";
            NavLogRunning: "実行中…", "running…";
            NavMs: "{0} ms", "{0} ms";
            NavSeconds: "+{0} 秒", "+{0} s";
            NavCameRoutes: "ルート {0} 件", "Routes: {0}";
            NavCamePairs: "{0} 組を比較", "Pairs compared: {0}";
            NavCameRefused: "失敗：{0}", "Failed: {0}";
            NavCameSomething: "応答あり", "Answered";
            NavTalk: "これまでのやりとり", "The conversation so far";
            NavYou: "あなた", "You";
            NavAi: "AI", "AI";
            NavPlanner: "プランナー", "Planner";
            NavFollowUp: "条件を変更", "Change the condition";
            NavFollowUpHint: "例：やっぱり高速は使わないで", "e.g. no motorways after all";
            NavAgain: "再検索", "Search again";

            // Errors.
            NavTry: "次の方法をお試しください。", "What to try:";
            NavTryNames: "地名を短く、または正式な名前で入力する", "a shorter name, or the official one";
            NavTryMap: "地図を押して場所を指定する", "a place pressed on the map";
            NavTryCondition: "条件を緩める（例：高速道路を使う）", "a looser condition, such as with motorways";
            NavArea: "ルートを探せる範囲：{0}", "Routes can be found in: {0}";
            NavAreaDraw: "範囲を地図に表示", "Show that on the map";
            NavAreaMiddle: "「{0}」を地図の中央にする", "Put the middle of the map into “{0}”";
        }
    };
}
