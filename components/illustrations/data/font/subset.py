"""Makes subset.ttf of npm's @fontsource/noto-sans-jp: JIS level 1, kana, ASCII and signs, without hinting.

    npm pack @fontsource/noto-sans-jp@5.3.0 && tar xzf fontsource-noto-sans-jp-5.3.0.tgz
    pip install fonttools==4.60.1 brotli
    python3 subset.py package/files
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.merge import Merger
from fontTools.ttLib import TTFont

FOLDER = Path(sys.argv[1])
OUT = Path(__file__).parent / "subset.ttf"


def jis_level_1():
    """The rows 1 to 8 (signs, kana, Greek, Cyrillic) and 16 to 47 (level 1) of JIS X 0208."""
    for row in [*range(1, 9), *range(16, 48)]:
        for cell in range(1, 95):
            try:
                yield ord(bytes([0xA0 + row, 0xA0 + cell]).decode("euc_jp"))
            except UnicodeDecodeError:
                pass


def main():
    # Names of the bundled cards and words of the game that JIS keeps in its second level.
    extra = "蒼紅蓮翠淵詠咆哮鎖鱗麒麟鳳凰狼咒呪覇龍黎禍魔塵燼焔烈穿煌"
    cards = (Path(__file__).parent.parent / "cards.json").read_text()
    wanted = {*range(0x20, 0x7F), *range(0xA1, 0x100), *jis_level_1(), *map(ord, extra + cards)}
    wanted |= {ord(it) for it in "“”‘’…—–―〜・★☆♪♥→←↑↓×÷●○◆◇■□▲△▼▽「」『』【】〈〉《》〔〕！？～＋－＆％＃＠"}
    wanted -= {ord("\n")}
    parts = []
    for name in ["latin", "japanese"]:
        font = TTFont(FOLDER / f"noto-sans-jp-{name}-900-normal.woff2")
        options = subset.Options(layout_features=[], hinting=False, notdef_outline=True, name_IDs=[0, 1, 2, 13, 14])
        options.drop_tables += ["GSUB", "GPOS", "GDEF", "BASE", "VORG", "vhea", "vmtx", "STAT", "DSIG", "gasp", "prep"]
        maker = subset.Subsetter(options)
        maker.populate(unicodes=wanted)
        maker.subset(font)
        font.flavor = None
        part = OUT.with_suffix(f".{name}.part")
        font.save(part)
        parts.append(part)
    merged = Merger().merge([str(it) for it in parts])
    merged.save(OUT)
    for part in parts:
        part.unlink()
    print(len(merged.getBestCmap()), "letters,", OUT.stat().st_size, "bytes")


main()
