//! The texts of maps and of the routes on them, put after those of the rest of the page.

/// Hands the texts given and those of maps to the macro that is named first.
macro_rules! with_map_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // The map with routes.
            RouteMapName: "ルートの地図", "Map of the routes";
            RouteMapKeys: "矢印キーで動かし、＋と－で拡大・縮小できます。道順は地図の後の一覧にもあります。", "Arrow keys move the map, plus and minus zoom. The directions are also in the list after the map.";
            MapFit: "ルート全体を表示", "Show all of the routes";
            MapWheelHint: "Ctrl キー（Mac は ⌘）を押しながらスクロールすると、地図を拡大・縮小できます。", "Hold Ctrl (⌘ on a Mac) while scrolling to zoom the map.";
            MapTouchHint: "地図は 2 本の指で動かせます。", "Use two fingers to move the map.";
            MapStart: "出発地", "Start";
            MapGoal: "目的地", "Destination";
            MapPlace: "地点", "Place";
            MapPlaceShort: "◎", "◎";
            MapStartShort: "発", "A";
            MapGoalShort: "着", "B";
            MapSetStart: "ここを出発地にする", "Start from here";
            MapSetGoal: "ここを目的地にする", "Go to here";

            // What the tools of navigation put out.
            RoutesNone: "ルートが見つかりませんでした。", "No route was found.";
            RoutesCount: "ルート候補（{0} 件）", "Routes ({0})";
            RouteFastest: "最速", "Fastest";
            RouteShortest: "最短", "Shortest";
            RouteUsual: "通常 {0}", "usually {0}";
            RouteToll: "料金 {0}", "Toll {0}";
            RouteTollAbout: "料金 約 {0}", "Toll about {0}";
            RouteFree: "料金なし", "No tolls";
            RouteWarnings: "注意", "Please note";
            RouteSteps: "道順（{0} ステップ）", "Directions ({0} {0|step|steps})";
            RouteStepLit: "{0}. {1}", "{0}. {1}";
            RouteStepsAll: "{0} ステップをすべて表示", "Show all {0} {0|step|steps}";
            RouteGpx: "GPX を保存", "Save as GPX";
            RouteGeoJson: "GeoJSON を保存", "Save as GeoJSON";
            RouteSaved: "ファイルを保存しました。", "The file is saved.";
            ComparisonName: "出発地と目的地ごとの所要時間と距離", "Times and distances by origin and destination";
            ComparisonCorner: "出発地 ＼ 目的地", "From ＼ to";
            ComparisonNotFound: "場所が見つかりません", "Place not found";
            ComparisonNoWay: "ルートがありません", "No route";
            ComparisonUnknown: "不明", "Unknown";
            PlaceAddress: "住所", "Address";
            PlaceCoordinates: "緯度・経度", "Latitude, longitude";
            MapTilesFailed: "地図の画像を読み込めないため、内蔵の地図を表示しています。", "The tiles of the map do not load; the built-in map is shown.";
        }
    };
}
