//! The agents' guide to forms (FORM-80), and the description of `request_form` (FORM-11).

use super::open;

/// The skill of the specification, less its table, line by line.
const SKILL: [&str; 11] = [
    "## FormRequest ツール",
    "ユーザーにフォーム入力を求める場合は `mcp__form__request_form` ツールを使用してください。",
    "### 利用可能な検索エンドポイント",
    "| ユーザー検索 | `https://api.example.com/users/search` | `q`: 検索クエリ, `limit`: 件数 |",
    "| 都道府県一覧 | `https://api.example.com/prefectures` | `country_code`: 国コード |",
    "### 使用ガイドライン",
    "1. 複数の情報が必要な場合はフォームを使用",
    "2. 単純な選択のみの場合は通常の会話で確認",
    "3. 検索が必要なフィールドには `autocomplete` タイプを使用",
    "4. テキスト入力には `suggestions` で入力例を提示すると親切",
    "5. フォームが長くなる場合は `divider` や `heading` でセクション分け",
];

#[tokio::test]
async fn guide_is_the_specified_skill_with_its_purpose() {
    let forms = open().await;
    let guide = forms.prompt("form_guide", &[]).await;
    assert_eq!(guide.len(), 1);
    let mut lines = guide[0].lines();
    for line in SKILL {
        assert!(lines.any(|it| it == line), "FORM-80: {line}");
    }
    assert!(guide[0].contains("showIf"));
    assert!(guide[0].contains(r"\p{…}"), "what a pattern may not have is told");
    let with_purpose = forms.prompt("form_guide", &[("purpose", "新しいプロジェクト")]).await;
    assert_eq!(with_purpose[0], guide[0]);
    assert!(with_purpose[1].ends_with("新しいプロジェクト"));
}

/// The description begins as specified; the guide has every type of field.
#[tokio::test]
async fn request_form_is_described_as_specified_and_the_guide_has_all() {
    let forms = open().await;
    let tools = forms.component().tools();
    let tool = tools.iter().find(|it| &*it.name == "request_form").unwrap();
    let specified = "ユーザーにフォーム入力を要求する。\n\n\
        このツールはフォーム定義をフロントエンドに渡し、\n\
        ユーザーの入力を待機します。入力結果は次のメッセージとして\n\
        送信されます。\n\n\
        Args:\n    form_schema: フォーム定義（下記スキーマ参照）\n\n\
        Returns:\n    フォーム定義とステータスメッセージ\n";
    assert!(tool.description.starts_with(specified), "FORM-11: {}", tool.description);
    let guide = forms.prompt("form_guide", &[]).await.remove(0);
    let english = tool.meta["madoguchi/text"]["en"]["description"].as_str().unwrap();
    let types = super::types(&forms);
    assert!(types.len() >= 18, "{types:?}");
    for name in types {
        let is_name = |it: &str| it.split([' ', ',', ':', '（', '\n']).any(|word| word == name);
        assert!(is_name(&tool.description) && is_name(english), "{name}");
        assert!(guide.contains(&format!("\n    {name}: ")), "{name}");
    }
    let contents = forms.read("form://guide").await.unwrap();
    assert!(format!("{contents:?}").contains("multi-autocomplete: "), "{contents:?}");
}
