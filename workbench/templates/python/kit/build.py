"""Makes a component of `src/tools.py` and what it imports: `.venv/bin/python kit/build.py`.

What is not used is left out: the component imports what the tools use of the kit and exports what they declare, so that its
file says what it can touch.

With `--quick`, as `madoguchi dev` calls it, the kit is compiled once and the sources travel beside it: a build takes no time, and
each call runs them first. What is handed on is made without.
"""

import ast
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tomllib
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
    "sleep": ["wasi:clocks/monotonic-clock@0.3.0"],
}
#: A build that takes more of the processor does not end: the sources are run in it, once.
CPU_SECONDS_MAX = 120
ENVIRONMENT = "wasi:cli/environment@0.2.12"
ALWAYS = ["madoguchi:tool/caller@0.1.0", "madoguchi:tool/log@0.1.0", "wasi:random/insecure-seed@0.2.12"]
#: What is exported where a name of the kit is used, and the class that does it.
EXPORTS = {"example": "Examples", "migration": "Migrations", "configured": "Configured", "schedule": "Schedule"}
#: Several interfaces are called alike.
NAMES = ["wasi:http/types@0.2.12=http_types", "madoguchi:tool/types@0.1.0=types", "wasi:clocks/monotonic-clock@0.3.0=monotonic_clock"]


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


def awaits(sources: list[Path]) -> bool:
    """Whether something is `async`: then calls are those of WASI 0.3."""
    trees = (ast.parse(it.read_text(encoding="utf-8"), it) for it in sources)
    return any(isinstance(node, ast.AsyncFunctionDef) for tree in trees for node in ast.walk(tree))


def own_exports(source: Path) -> list[str]:
    """Classes of `tools.py` that are called as an interface of the contract: they are exported as they are."""
    interfaces = {it for file in (ROOT / "wit").glob("*.wit") for it in re.findall(r"^interface ([\w-]+)", file.read_text(encoding="utf-8"), re.M)}
    tree = ast.parse(source.read_text(encoding="utf-8"))
    found = [it for it in tree.body if isinstance(it, ast.ClassDef) and kebab(it.name) in interfaces]
    for it in (it for of in found for it in of.body if isinstance(it, ast.AsyncFunctionDef) and it.name in errors(of.name)):
        sys.exit(f"{source.relative_to(ROOT)}:{it.lineno}: {it.name} is async, and nothing here waits for it: write it without async")
    return [it.name for it in found]


def errors(name: str) -> dict[str, str | None]:
    """The functions of an interface of the contract, each with the type of its error, if it has one."""
    contract = "\n".join(it.read_text(encoding="utf-8") for it in (ROOT / "wit").glob("*.wit"))
    body = contract.split(f"interface {kebab(name)} {{")[1].split("\n}")[0]
    found = re.findall(r"^ {4}%?([\w-]+): func\([^;]*?\)(?: -> (?:result<[^;]*, ([\w-]+|list<[\w-]+>)>|[^;]*))?;", body, re.M)
    return {of.replace("-", "_"): error or None for of, error in found}


def section(name: str, data: bytes) -> bytes:
    """A section that travels in the file of the component."""

    def length(count: int) -> bytes:
        return bytes([count]) if count < 128 else bytes([count & 127 | 128]) + length(count >> 7)

    content = length(len(name)) + name.encode() + data
    return b"\0" + length(len(content)) + content


def foreign(sources: list[Path], own: list[str]) -> list[str]:
    """The modules that the sources import and that are not theirs. Some are names in a module, and no modules."""
    found = set()
    for node in (node for it in sources for node in ast.walk(ast.parse(it.read_text(encoding="utf-8")))):
        if isinstance(node, ast.Import):
            found |= {it.name for it in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {node.module, *(f"{node.module}.{it.name}" for it in node.names)}
    return sorted(it for it in found if it.split(".")[0] not in [*own, "madoguchi"])


#: The module that is compiled with the sources: they are run, and what they then are is kept.
WHOLE = """import madoguchi

madoguchi._OWN |= set({modules!r})

from madoguchi import {exported}
import tools
madoguchi.complete()
{own}"""
#: An interface that the author exports.
OWN = "{name} = madoguchi.exported(tools.{name}, {errors!r})\n"
#: The one that is compiled without, and reads them from its environment when it is first called.
QUICK = """import contextlib, importlib, importlib.abc, importlib.util, json, sys
import madoguchi
from wit_world.imports import environment

for _name in {foreign!r}:
    with contextlib.suppress(Exception):
        importlib.import_module(_name)


class _Sources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, texts):
        self.files = {{path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): (path, text) for path, text in texts.items()}}

    def find_spec(self, name, path, target=None):
        if name in self.files:
            return importlib.util.spec_from_loader(name, self, is_package=self.files[name][0].endswith("/__init__.py"))

    def exec_module(self, module):
        path, text = self.files[module.__name__]
        module.__file__ = "src/" + path
        exec(compile(text, module.__file__, "exec"), module.__dict__)


_OWN, _made = {own!r}, {{}}


def _loaded():
    if "tools" not in sys.modules:
        sources = _Sources(json.loads(dict(environment.get_environment())["MADOGUCHI_SOURCES"]))
        madoguchi._OWN |= {{it.split(".")[0] for it in sources.files}}
        sys.meta_path.insert(0, sources)
        try:
            import tools

            madoguchi.complete()
            for name, errors in _OWN.items():
                _made[name] = madoguchi.exported(getattr(tools, name), errors)
        except Exception as error:
            madoguchi.unloadable(error)
            raise


def _later(found):
    class Later:
        def __getattr__(self, of):
            _loaded()
            return getattr(found()(), of)

    return Later


for _name in {exported!r}:
    globals()[_name] = _later(lambda _name=_name: getattr(madoguchi, _name))
for _name in _OWN:
    globals()[_name] = _later(lambda _name=_name: _made[_name])
"""


def named(is_quick: bool) -> str:
    """Where the component is to lie: what the manifest says for `madoguchi dev`, or for what is handed on."""
    try:
        manifest = tomllib.loads((ROOT / "madoguchi.toml").read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        sys.exit(f"madoguchi.toml: {error}")
    part = manifest.get("dev", {}) if is_quick else manifest
    return part.get("component") or sys.exit(f'madoguchi.toml: component = "PATH.wasm" is missing{" under [dev]" if is_quick else ""}')


def main():
    is_quick = "--quick" in sys.argv
    component = ROOT / named(is_quick)
    build, entry = ROOT / "build", ROOT / "src/tools.py"
    sources = sorted((ROOT / "src").rglob("*.py"))
    names, own = used(sources), own_exports(entry)
    exported = ["Tools", *(of for name, of in EXPORTS.items() if name in names)]
    modules = sorted({it.relative_to(ROOT / "src").parts[0].removesuffix(".py") for it in sources})

    is_awaiting = awaits(sources)
    world = [f"    import {it};" for it in ALWAYS + [ENVIRONMENT] * is_quick]
    world += [f"    import {it};" for name, all_of in IMPORTS.items() if name in names for it in all_of]
    world += [f"    export madoguchi:tool/{kebab(it)}@0.{2 if is_awaiting and it == 'Tools' else 1}.0;" for it in exported + own]
    world = "package made:here;\n\nworld component {\n" + "\n".join(world) + "\n}\n"
    if is_quick:
        app, paths = QUICK.format(foreign=foreign(sources, modules), exported=exported, own={it: errors(it) for it in own}), ("build/app", "kit")
        kit = [(ROOT / it).read_text(encoding="utf-8") for it in ("kit/madoguchi.py", "kit/wasi.wit", "kit/build.py", "requirements.txt")]
        made = build / f"quick/{hashlib.sha256(json.dumps([app, world, kit, sys.version]).encode()).hexdigest()[:16]}.base"
    else:
        of_own = "".join(OWN.format(name=it, errors=errors(it)) for it in own)
        app, paths = WHOLE.format(modules=modules, exported=", ".join(exported), own=of_own), ("build/app", "src", "kit")
        made = build / "whole"
    component.parent.mkdir(parents=True, exist_ok=True)
    made.parent.mkdir(parents=True, exist_ok=True)
    if not is_quick or not made.exists():
        compiled(build, world, app, paths, is_awaiting, made)
        for it in made.parent.glob("*.base") if is_quick else ():
            if it != made:
                it.unlink()
    with component.with_suffix(".new").open("wb") as file:
        file.write(made.read_bytes())
        file.write(section("madoguchi:defaults", (ROOT / "defaults.toml").read_bytes()))
        if is_quick:
            texts = {it.relative_to(ROOT / "src").as_posix(): it.read_text(encoding="utf-8") for it in sources}
            file.write(section("madoguchi:environment", json.dumps({"MADOGUCHI_SOURCES": json.dumps(texts)}).encode()))
    component.with_suffix(".new").replace(component)
    print(f"{component.relative_to(ROOT)}: {component.stat().st_size / 1e6:.1f} MB")


def limit():
    """Ends this process by a signal once it has taken that much of the processor, where it is not to end before."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or hard > CPU_SECONDS_MAX:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS_MAX, hard))


def compiled(build: Path, world: str, app: str, paths: tuple, is_awaiting: bool, made: Path):
    """Makes a component of that world and module."""
    shutil.rmtree(build / "wit", ignore_errors=True)
    (build / "wit/deps").mkdir(parents=True)
    shutil.copytree(ROOT / "wit", build / "wit/deps/madoguchi")
    awaiting = (build / "wit/deps/madoguchi/awaiting").rename(build / "wit/deps/awaiting")
    if is_awaiting:
        # Of the interface of 0.1 there are the types alone: its functions are exported by that of 0.2.
        tools = build / "wit/deps/madoguchi/tools.wit"
        head, rest = tools.read_text(encoding="utf-8").split("    /// The tools on offer.", 1)
        tools.write_text(head + rest[rest.index("\n}") :], encoding="utf-8")
    else:
        shutil.rmtree(awaiting)
    shutil.copy(ROOT / "kit/wasi.wit", build / "wit/deps/wasi.wit")
    (build / "wit/world.wit").write_text(world, encoding="utf-8")
    (build / "app").mkdir(exist_ok=True)
    (build / "app/entry.py").write_text(app, encoding="utf-8")

    tool = Path(sys.executable).parent / "componentize-py"
    if not tool.exists():
        sys.exit(f"componentize-py is not installed beside {sys.executable}: run the commands of README.md in this folder first")
    command = [tool, "--quiet", "--wit-path", build / "wit", "--world", "component"]
    for it in NAMES:
        if it.split("=")[0] in world or it.startswith("madoguchi"):
            command += ["--import-interface-name", it]
    command += ["componentize", "entry", "--output", made.with_suffix(".new")]
    for it in paths:
        command += ["--python-path", ROOT / it]
    done = subprocess.run(command, cwd=build, env=os.environ | {"VIRTUAL_ENV": sys.prefix}, preexec_fn=limit)
    if done.returncode == -signal.SIGXCPU:
        sys.exit(f"not built in {CPU_SECONDS_MAX} s: src/tools.py and what it imports are run once, and do not come to their end; "
                 "look for a loop outside of functions; on a slow machine, raise CPU_SECONDS_MAX in kit/build.py")
    if done.returncode != 0:
        sys.exit(done.returncode)
    made.with_suffix(".new").replace(made)


try:
    main()
except SyntaxError as error:
    sys.exit(f"{Path(error.filename).relative_to(ROOT)}:{error.lineno}: {error.msg}: {(error.text or '').strip()}")
