"""Makes a component of `src/tools.py` and what it imports: `.venv/bin/python kit/build.py`.

What is not used is left out: the component imports what the tools use of the kit and exports what they declare, so that its
file says what it can touch.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: What is imported for a name of the kit.
IMPORTS = {
    "sql": ["madoguchi:tool/sql@0.1.0"],
    "progress": ["madoguchi:tool/progress@0.1.0"],
    "setting": ["madoguchi:tool/settings@0.1.0"],
    "publish": ["madoguchi:tool/events@0.1.0"],
    "blobs": ["madoguchi:tool/blobs@0.1.0"],
    "files": ["madoguchi:tool/files@0.1.0"],
    "call": ["madoguchi:tool/calls@0.1.0"],
    "http": ["wasi:http/types@0.2.12", "wasi:http/outgoing-handler@0.2.12"],
    "fresh_id": ["wasi:random/random@0.2.12"],
}
ALWAYS = ["madoguchi:tool/caller@0.1.0", "madoguchi:tool/log@0.1.0", "wasi:random/insecure-seed@0.2.12"]
#: What is exported where a name of the kit is used, and the class that does it.
EXPORTS = {"example": "Examples", "migration": "Migrations", "configured": "Configured", "schedule": "Schedule"}
#: Two interfaces are called `types`.
NAMES = ["wasi:http/types@0.2.12=http_types", "madoguchi:tool/types@0.1.0=types"]


def kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def used(sources: list[Path]) -> set[str]:
    """The names of the kit that the sources use."""
    names = set()
    for source in sources:
        tree = ast.parse(source.read_text(encoding="utf-8"), source)
        imports = [it for node in ast.walk(tree) if isinstance(node, ast.Import) for it in node.names]
        modules = {it.asname or it.name for it in imports if it.name == "madoguchi"}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "madoguchi":
                names |= {it.name for it in node.names}
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                names.add(node.attr)
    return names | set(IMPORTS) | set(EXPORTS) if "*" in names else names


def own_exports(source: Path) -> list[str]:
    """Classes of `tools.py` that are called as an interface of the contract: they are exported as they are."""
    interfaces = {it for file in (ROOT / "wit").glob("*.wit") for it in re.findall(r"^interface ([\w-]+)", file.read_text(), re.M)}
    tree = ast.parse(source.read_text(encoding="utf-8"))
    return [it.name for it in tree.body if isinstance(it, ast.ClassDef) and kebab(it.name) in interfaces]


def section(name: str, data: bytes) -> bytes:
    """A section that travels in the file of the component."""

    def length(count: int) -> bytes:
        return bytes([count]) if count < 128 else bytes([count & 127 | 128]) + length(count >> 7)

    content = length(len(name)) + name.encode() + data
    return b"\0" + length(len(content)) + content


def main():
    manifest = (ROOT / "madoguchi.toml").read_text()
    component = ROOT / re.search(r'^component = "(.+)"$', manifest, re.M)[1]
    build, entry = ROOT / "build", ROOT / "src/tools.py"
    sources = sorted((ROOT / "src").rglob("*.py"))
    names, own = used(sources), own_exports(entry)
    exported = ["Tools", *(of for name, of in EXPORTS.items() if name in names)]

    world = [f"    import {it};" for it in ALWAYS]
    world += [f"    import {it};" for name, all_of in IMPORTS.items() if name in names for it in all_of]
    world += [f"    export madoguchi:tool/{kebab(it)}@0.1.0;" for it in exported + own]
    shutil.rmtree(build / "wit", ignore_errors=True)
    (build / "wit/deps").mkdir(parents=True)
    component.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(ROOT / "wit", build / "wit/deps/madoguchi")
    shutil.copy(ROOT / "kit/wasi.wit", build / "wit/deps/wasi.wit")
    (build / "wit/world.wit").write_text("package made:here;\n\nworld component {\n" + "\n".join(world) + "\n}\n")

    modules = sorted({it.relative_to(ROOT / "src").parts[0].removesuffix(".py") for it in sources})
    app = f"import madoguchi\n\nmadoguchi._OWN |= set({modules!r})\n\nfrom madoguchi import {', '.join(exported)}\nimport tools\n"
    app += f"from tools import {', '.join(own)}\n" if own else ""
    (build / "app").mkdir(exist_ok=True)
    (build / "app/entry.py").write_text(app)

    tool = Path(sys.executable).parent / "componentize-py"
    command = [tool, "--quiet", "--wit-path", build / "wit", "--world", "component"]
    for it in NAMES:
        if it.split("=")[0] in "\n".join(world) or it.startswith("madoguchi"):
            command += ["--import-interface-name", it]
    command += ["componentize", "entry", "--output", component]
    for it in ("build/app", "src", "kit"):
        command += ["--python-path", ROOT / it]
    environment = os.environ | {"VIRTUAL_ENV": sys.prefix}
    done = subprocess.run(command, cwd=build, env=environment)
    if done.returncode != 0:
        sys.exit(done.returncode)
    with component.open("ab") as file:
        file.write(section("madoguchi:defaults", (ROOT / "defaults.toml").read_bytes()))
    print(f"{component.relative_to(ROOT)}: {component.stat().st_size / 1e6:.1f} MB")


main()
