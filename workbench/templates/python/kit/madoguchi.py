"""The kit that tools are written with.

Tools, examples, migrations and the rest are declared by calling a function. `kit/build.py` looks which names of this module
the tools use: the component imports what these need and no more, so that its file says what it can touch.
"""

import contextlib
import dataclasses
import datetime
import enum
import inspect
import json
import random
import re
import sys
import traceback
import types
import typing

# What Python would look for in files when it is first needed, and there are none then.
import _strptime  # noqa: F401
import encodings.ascii, encodings.idna, encodings.latin_1, encodings.utf_16, encodings.utf_8_sig  # noqa: E401, F401

from componentize_py_types import Err
from wit_world import exports as _exports
from wit_world.exports import tools as _tools
from wit_world.imports import caller as _caller, insecure_seed as _seed, log as _log, types as _types


def _imported(name: str):
    """What the component imports under that name, where it does."""
    try:
        return getattr(__import__("wit_world.imports", fromlist=[name]), name, None) or __import__(
            f"wit_world.imports.{name}", fromlist=["*"])
    except ImportError:
        return None


_sql, _progress, _settings = _imported("sql"), _imported("progress"), _imported("settings")
_events, _blobs, _files, _calls = _imported("events"), _imported("blobs"), _imported("files"), _imported("calls")
_http, _handler, _random = _imported("http_types"), _imported("outgoing_handler"), _imported("random")
_clock = _imported("monotonic_clock")
#: Whether calls may await: then the contract's interface is that of WASI 0.3, and the types are those of 0.1.
_AWAITS = inspect.iscoroutinefunction(_exports.Tools.call)
if _AWAITS:
    _tools = _imported("tools")


class Text(typing.NamedTuple):
    """The same in Japanese and in English."""

    ja: str
    en: str


# ---- Stops: why a call ends without its output ----


class Stop(Exception):
    """Ends a call; `stop` is the contract's."""

    def __init__(self, stop, message: str):
        super().__init__(message)
        self.stop = stop


def _json(value) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    # Halves of pairs (U+D800 to U+DFFF), which others' JSON may bring, are no text that goes over the border.
    return text.encode(errors="replace").decode()


def _plain(value):
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        # What may be left out is left out where there is nothing.
        optional = [it.name for it in dataclasses.fields(value) if it.default is None]
        fields = {it.name: getattr(value, it.name) for it in dataclasses.fields(value)}
        return {name: it for name, it in fields.items() if not (it is None and name in optional)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is nothing that JSON has a word for")


class Refused(Stop):
    """The world says no: `raise Refused("seat_taken", 409, "Seat A2 is taken.", {"seat": "A2"})`.

    A code for programs, the HTTP status that says the same, and a message for people: what would be right.
    """

    def __init__(self, code: str, status: int, message: str, data: dict | None = None):
        if not (isinstance(code, str) and isinstance(status, int) and 400 <= status <= 599 and isinstance(message, str)):
            raise TypeError("Refused(code, status, message): a string, an HTTP status from 400 to 599 and a string are needed")
        details = None if data is None else _json(data)
        super().__init__(_tools.Stop_Refused(_tools.Refusal(code, message, status, details)), message)


class Invalid(Stop):
    """The caller must correct the value at `pointer`, a JSON pointer into the arguments."""

    def __init__(self, pointer: str, message: str):
        super().__init__(_tools.Stop_InvalidArguments([_types.Problem(pointer, message)]), message)


class Unavailable(Stop):
    """Something that the tool needs has failed; the same call may succeed later."""

    def __init__(self, message: str, retry_after_ms: int | None = None):
        super().__init__(_tools.Stop_Unavailable(_tools.Unavailable(message, retry_after_ms)), message)


class Wait(Stop):
    """Nothing to say yet: the host calls again, from the top, when one of `events` is published or at `until`."""

    def __init__(self, events: list[str], until: datetime.datetime):
        ns = max(0, int(until.timestamp() * 1_000_000)) * 1000
        moment = _types.Datetime(ns // 1_000_000_000, ns % 1_000_000_000)
        super().__init__(_tools.Stop_Wait(_tools.Wait(events, moment)), "waits")


def _asks(questions, state=None) -> Stop:
    return Stop(_tools.Stop_InputRequired(_tools.InputRequired(questions, state)), "asks")


# ---- Schemas from types ----

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array"}
_NONE = type(None)


def _present(kind):
    """The type, but for None: what has that as its default is left out instead."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return typing.Annotated[(_present(arguments[0]), *arguments[1:])]
    if origin in (typing.Required, typing.NotRequired):
        return _present(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return typing.Union[tuple(it for it in arguments if it is not _NONE)]
    return kind


def _fields(kind):
    """The fields of a class, each with its type and whether it may be left out; None for what is no such class."""
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        missing = dataclasses.MISSING
        return [(it.name, _present(hints[it.name]) if it.default is None else hints[it.name],
                 it.default is not missing or it.default_factory is not missing)
                for it in dataclasses.fields(kind)]
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        return [(name, it, name in kind.__optional_keys__) for name, it in hints.items()]
    return None


def _object(fields, english: dict, path: str) -> dict:
    properties, required = {}, []
    for name, kind, is_optional in fields:
        properties[name] = _schema(kind, english, f"{path}.{name}" if path else name)
        if not is_optional:
            required.append(name)
    schema = {"type": "object", "properties": properties}
    return schema | ({"required": required} if required else {}) | {"additionalProperties": False}


def _schema(kind, english: dict, path: str) -> dict:
    """The JSON Schema of a type; the English of its texts goes to `english`, by dotted paths."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Required, typing.NotRequired):
        return _schema(arguments[0], english, path)
    if origin is typing.Annotated:
        schema = _schema(arguments[0], english, path)
        for it in arguments[1:]:
            if isinstance(it, Text):
                schema["description"], english[path] = it.ja, it.en
            elif isinstance(it, str):
                schema["description"] = it
            elif isinstance(it, dict):
                schema |= it
        return schema
    if kind in _NAMES:
        return {"type": _NAMES[kind]}
    if origin is tuple and arguments[1:] != (...,):
        kinds = [_schema(it, english, path) for it in arguments]
        items = kinds[0] if all(it == kinds[0] for it in kinds) else {"anyOf": kinds}
        return {"type": "array", "items": items, "minItems": len(kinds), "maxItems": len(kinds)}
    if origin in (list, set, frozenset, tuple):
        return {"type": "array", "items": _schema(arguments[0], english, path)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], english, path)}
    if origin is typing.Literal or inspect.isclass(kind) and issubclass(kind, enum.Enum):
        choices = list(arguments) if origin is typing.Literal else [it.value for it in kind]
        # Forms of MCP know no choice without this type.
        return ({"type": "string"} if all(isinstance(it, str) for it in choices) else {}) | {"enum": choices}
    if origin in (typing.Union, types.UnionType):
        kinds = [_schema(it, english, path) for it in arguments if it is not _NONE]
        schema = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        if _NONE not in arguments:
            return schema
        if isinstance(schema.get("type"), str):
            choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
            return schema | {"type": [schema["type"], "null"]} | choices
        return {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}
    if (fields := _fields(kind)) is not None:
        return _object(fields, english, path)
    if kind in (typing.Any, object, inspect.Parameter.empty):
        return {}
    raise TypeError(f"{path or 'the output'}: {kind!r} is no type that a schema can be made of")


def _read(kind, value):
    """A value of JSON, which fits the type, as the type has it."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Annotated, typing.Required, typing.NotRequired):
        return _read(arguments[0], value)
    if origin is tuple and arguments[1:] != (...,):
        return tuple(map(_read, arguments, value))
    if origin in (list, set, frozenset, tuple):
        return origin(_read(arguments[0], it) for it in value)
    if origin is dict:
        return {name: _read(arguments[1], it) for name, it in value.items()}
    if origin in (typing.Union, types.UnionType):
        kinds = [it for it in arguments if it is not _NONE]
        if value is None:
            return None
        fit = (it for it in kinds if not list(_check(_schema(it, {}, ""), value, "")))
        return _read(next(fit, kinds[0]), value)
    if inspect.isclass(kind) and issubclass(kind, enum.Enum):
        return kind(value)
    if (fields := _fields(kind)) is not None:
        read = {name: _read(of, value[name]) for name, of, _ in fields if name in value}
        return read if typing.is_typeddict(kind) else kind(**read)
    return kind(value) if kind in (int, float) else value


# ---- Arguments held against their schema ----


def _is(kind: str, it) -> bool:
    match kind:
        case "integer":
            # 2.0 is one in JSON Schema.
            return isinstance(it, int) and not isinstance(it, bool) or isinstance(it, float) and it.is_integer()
        case "number":
            return isinstance(it, (int, float)) and not isinstance(it, bool)
        case "null":
            return it is None
    return isinstance(it, next(of for of, name in _NAMES.items() if name == kind))


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aio' else 'a'} {kind}"


def _shown(it) -> str:
    if isinstance(it, (list, dict)):
        return "an array" if isinstance(it, list) else "an object"
    return "a string" if isinstance(it, str) and len(it) > 40 else _json(it)


def _kinds(schema: dict) -> list[str]:
    """The types that a schema allows: it has one name, or a list of them; none are all."""
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def _expected(schema: dict) -> str:
    """What a schema expects, as text; empty where it says nothing."""
    if choices := schema.get("enum"):
        return "one of " + ", ".join(_json(it) for it in choices if it is not None)
    if variants := schema.get("anyOf"):
        return " or ".join(filter(None, (_expected(it) for it in variants if it.get("type") != "null")))
    text = " or ".join(_article(it) for it in _kinds(schema) if it != "null")
    for least, most, from_, unit in (("minimum", "maximum", "from", ""), ("minLength", "maxLength", "of", " characters"),
                                     ("minItems", "maxItems", "of", " items")):
        match schema.get(least), schema.get(most):
            case None, None:
                continue
            case it, None:
                text += f" of {it}{unit} or more"
            case None, it:
                text += f" of {it}{unit} or less"
            case a, b if a == b:
                text += f" of {a}{unit}"
            case a, b:
                text += f" {from_} {a} to {b}{unit}"
    return text + (f" that fits {schema['pattern']}" if "pattern" in schema else "")


def _fits(schema: dict, value) -> bool:
    if (kinds := _kinds(schema)) and not any(_is(it, value) for it in kinds):
        return False
    size, least, most = value, "minimum", "maximum"
    if isinstance(value, str):
        size, least, most = len(value), "minLength", "maxLength"
        if "pattern" in schema and not re.search(schema["pattern"], value):
            return False
    elif isinstance(value, list):
        size, least, most = len(value), "minItems", "maxItems"
    elif not isinstance(value, (int, float)):
        return True
    return schema.get(least, size) <= size <= schema.get(most, size)


def _check(schema: dict, value, at: str):
    """What is wrong with a value, each with what would be right."""
    unfit = _types.Problem(at, f"must be {_expected(schema)}, not {_shown(value)}")
    if choices := schema.get("enum"):
        if not any(isinstance(it, bool) is isinstance(value, bool) and it == value for it in choices):
            yield unfit
    elif variants := schema.get("anyOf"):
        found = [list(_check(it, value, at)) for it in variants if value is None or it.get("type") != "null"]
        if all(found):
            yield from found[0] if len(found) == 1 else [unfit]
    elif not _fits(schema, value):
        yield unfit
    elif isinstance(value, list):
        for index, it in enumerate(value):
            yield from _check(schema.get("items", {}), it, f"{at}/{index}")
    elif isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties")
        for name in schema.get("required", []):
            if name not in value:
                kind = _expected(known[name]) if name in known else ""
                yield _types.Problem(f"{at}/{_escaped(name)}", f"is required{': ' if kind else ''}{kind}")
        for name, it in value.items():
            pointer = f"{at}/{_escaped(name)}"
            if name in known:
                yield from _check(known[name], it, pointer)
            elif other is False:
                yield _types.Problem(pointer, f"is not known here; known are: {', '.join(known) or 'nothing'}")
            elif isinstance(other, dict):
                yield from _check(other, it, pointer)


def _without_blanks(schema: dict, value):
    """The value without fields that are null where they may be left out and cannot be null: many clients write them so."""
    if isinstance(value, list):
        return [_without_blanks(schema.get("items", {}), it) for it in value]
    if not isinstance(value, dict):
        return value
    known, required = schema.get("properties", {}), schema.get("required", [])

    def is_blank(name: str, it) -> bool:
        return it is None and name in known and name not in required and bool(list(_check(known[name], None, "")))

    return {name: _without_blanks(known.get(name, {}), it) for name, it in value.items() if not is_blank(name, it)}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


# ---- The person behind a call ----


class User:
    """The person behind a call, who can be asked and shown something, with what they have answered so far.

    A tool that has a parameter of this type is given it.
    """

    def __init__(self, invocation):
        self._answers, self._state = invocation.answers, invocation.state
        self._shown, self._told, self._asked = [], {}, None
        #: The request's `_meta`, less what the host keeps to itself.
        self.meta: dict = json.loads(invocation.meta or "{}")
        first = invocation.first_called_at
        #: When the first round of this call began; the same in every repeat.
        self.first_called_at = datetime.datetime.fromtimestamp(
            first.seconds, datetime.timezone.utc) + datetime.timedelta(microseconds=first.nanoseconds // 1000)

    def ask[T](self, key: str, message: str, form: type[T]) -> T:
        """What the user fills into the form, a dataclass or a TypedDict; the call stops until they have."""
        # A form has no word for null: its field is left out.
        schema = _object([(name, _present(of), is_optional) for name, of, is_optional in _fields(form)], {}, "")
        given = self._put(key, message, _types.Ask_Form(_json(schema)))
        if given is None:
            return None
        given = _without_blanks(schema, given)
        for it in _check(schema, given, ""):
            field = it.pointer[1:].replace("/", ".") or "it"
            raise Invalid("", f"The answer to {_json(key)} does not fit: {field} {it.message}.")
        return _read(form, given)

    def confirm(self, message: str):
        """Goes on only once the user agrees to `message`; to another message they agree anew."""
        digest = 0xCBF29CE484222325
        for byte in message.encode():
            digest = (digest ^ byte) * 0x100000001B3 % 2**64
        self._put(f"confirm-{digest:016x}", message, _types.Ask_Form(_json(_object([], {}, ""))))

    def visit(self, key: str, message: str, url: str):
        """Goes on once the user has been sent to the page at `url`, and agreed."""
        self._put(key, message, _types.Ask_Url(url))

    def sample(self, key: str, prompt: str, tokens_max: int) -> dict:
        """What the client's model answers to `prompt`: a dict with `model`, `content` and `text`."""
        messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
        ask = _types.Ask_Sampling(_json({"messages": messages, "maxTokens": tokens_max}))
        given = self._put(key, "A model is to answer.", ask)
        if given is None:
            return None
        content = given.get("content")
        pieces = content if isinstance(content, list) else [content]
        return given | {"text": next((it["text"] for it in pieces if isinstance(it, dict) and "text" in it), "")}

    def roots(self, key: str) -> list[dict]:
        """The folders that the client works on, each a dict with `uri` and `name`."""
        given = self._put(key, "Which folders are open?", _types.Ask_Roots())
        return None if given is None else given.get("roots", [])

    def together(self, *questions):
        """Asks all that `questions`, functions, ask in one round; their answers."""
        self._asked = []
        try:
            answers, asked = [it() for it in questions], self._asked
        finally:
            self._asked = None
        if asked:
            raise _asks(asked)
        return answers

    def _put(self, key: str, message: str, ask):
        answer = next((it for it in self._answers if it.key == key), None)
        if answer is None:
            question = _types.Question(key, message, ask, None)
            if self._asked is None:
                raise _asks([question])
            return self._asked.append(question)
        match answer.action:
            case _types.AnswerAction.DECLINE:
                raise Refused("declined", 403, "The user declined.")
            case _types.AnswerAction.CANCEL:
                raise Refused("declined", 403, "The user closed the question.")
        return json.loads(answer.content or "{}")

    def remember(self, what):
        """Remembers something for the rounds to come: it goes out, sealed by the host, with the next questions."""
        self._state = _json(what)

    def remembered(self):
        """What an earlier round remembered; None in the first."""
        return None if self._state is None else json.loads(self._state)

    def show(self, it):
        """Shows a text, or a piece of content of the contract, beside the output."""
        text = isinstance(it, str)
        self._shown.append(_types.Content_Text(_types.TextContent(it, None, None)) if text else it)

    def tell(self, name: str, value):
        """Puts an entry into the result's `_meta`, for the client rather than its model: `tell("forms/handle", …)`."""
        self._told[name] = value

    @property
    def wants_progress(self) -> bool:
        """Whether the caller wants notifications of how the call gets on."""
        return "progressToken" in self.meta

    @property
    def language(self) -> str:
        """The language of who reads the answer: `ja`, or `en` for any other."""
        named = self.meta.get("madoguchi/locale") or _caller.locale() or ""
        return "ja" if str(named).lower().split("-")[0] == "ja" else "en"

    def _stopped(self, stop):
        if isinstance(stop, _tools.Stop_InputRequired) and stop.value.state is None:
            stop.value.state = self._state
        return stop


# ---- Declarations ----


@dataclasses.dataclass
class _Tool:
    run: typing.Callable
    definition: typing.Any
    input: dict
    kinds: dict
    user: str | None
    is_wrapped: bool


_all: dict[str, _Tool] = {}
_steps, _configured, _schedules = [], [], []
_examples: list["_Try"] = []


def tool(*, title: Text, description: Text, name: str | None = None, read_only: bool = False, additive: bool = False,
         idempotent: bool = False, open_world: bool = False, view: str | None = None, app: str | None = None,
         meta: dict | None = None):
    """Makes a tool of a function: its parameters are the arguments, what it gives is the output.

    Types become schemas: `Annotated[str, Text("相手の名前", "Their name"), {"maxLength": 100}]` says more of one. A tool that
    is neither `read_only` nor `additive` is taken to be destructive. The function is called again from the top each time
    the user has answered, so what comes before a question must have no lasting effect.
    """

    def made(run):
        called = name or run.__name__
        if called in _all:
            raise TypeError(f"two tools are called {called}")
        for key, it in (("title", title), ("description", description)):
            if not isinstance(it, Text):
                raise TypeError(f'tool "{called}": {key}: Text("…", "…") is needed, in Japanese and in English')
        if inspect.iscoroutinefunction(run) and not _AWAITS:
            raise TypeError(f"{called} is async, and the build saw no `async def` under src: write it there, or without")
        hints = typing.get_type_hints(run, include_extras=True)
        parameters = [it for it in inspect.signature(run).parameters.values()]
        stray = next((str(it) for it in parameters if it.kind not in (it.POSITIONAL_OR_KEYWORD, it.KEYWORD_ONLY)), None)
        if stray:
            raise TypeError(f'tool "{called}": {stray} has no name that a caller could send: name each argument')
        user = next((it.name for it in parameters if hints.get(it.name) is User), None)
        of = {it.name: hints.get(it.name, it.empty) for it in parameters}
        fields = [(it.name, _present(of[it.name]) if it.default is None else of[it.name], it.default is not it.empty)
                  for it in parameters if it.name != user]
        texts = {"title": title.en, "description": description.en, "arguments": {}}
        schema = _object(fields, texts["arguments"], "")
        kind = hints.get("return", _NONE)
        output = None if kind is _NONE else _schema(kind, {}, "")
        is_wrapped = output is not None and output.get("type") != "object"
        if is_wrapped:
            output = _object([("result", kind, False)], {}, "")
        entries = {"madoguchi/text": {"ja": {"title": title.ja}, "en": texts}} | (meta or {})
        if app:
            entries["ui"] = entries.get("ui", {}) | {"resourceUri": app}
        flags = _tools.Annotations(0)
        for flag, is_set in (("READ_ONLY", read_only), ("DESTRUCTIVE", not (read_only or additive)),
                             ("IDEMPOTENT", idempotent), ("OPEN_WORLD", open_world)):
            flags |= _tools.Annotations[flag] if is_set else _tools.Annotations(0)
        definition = _tools.Definition(called, title.ja, description.ja, _json(schema),
                                       None if output is None else _json(output), flags, view, _json(entries))
        kinds = {name: kind for name, kind, _ in fields}
        _all[called] = _Tool(run, definition, schema, kinds, user, is_wrapped)
        return run

    return made


@dataclasses.dataclass(eq=False)
class _Try:
    name: str
    tool: str
    arguments: str
    expected: typing.Any = None

    def _ends(self, case: str, *value):
        from wit_world.exports import examples

        if self.expected is not None:
            raise TypeError(f'example "{self.name}": it says twice how it ends')
        self.expected = getattr(examples, f"Expected_{case}")(*value)

    def gives(self, output: dict):
        """It puts out an object that has all that `output` has, and may have more."""
        self._ends("Output", _json(output))

    def refuses(self, code: str):
        """It is refused with that code."""
        self._ends("Refused", code)

    def refuses_the_arguments(self):
        """The arguments must be corrected."""
        self._ends("InvalidArguments")

    def asks(self):
        """The user is asked."""
        self._ends("InputRequired")


def example(name: str, of: str, arguments: dict) -> _Try:
    """Declares an example: the host calls it on a database that is thrown away, without settings and at
    2027-01-01T00:00:00Z, before a new version serves. `name` is a sentence that says what it shows."""
    _examples.append(begun := _Try(name, of, _json(arguments)))
    return begun


def complete():
    """Raises where a declaration lacks what it needs of another; the build calls it once the modules have run."""
    for it in _examples:
        if it.expected is None:
            raise TypeError(f'example "{it.name}": it expects nothing: .gives(…), .refuses(CODE), .refuses_the_arguments() or .asks() '
                            "is needed behind it")
        if it.tool not in _all:
            raise TypeError(f'example "{it.name}": there is no tool {it.tool}; there are: {", ".join(_all) or "none"}')


def migration(name: str, *statements: str):
    """Declares the next step of the database's shape. Once released it never changes; it only adds."""
    _steps.append((name, list(statements)))


def configured(run):
    """Declares what prepares the component from its settings, all or nothing; it raises `Invalid("/setting", …)`."""
    _configured.append(_plainly("configured", run))
    return run


def schedule(run):
    """Declares what is run at the interval that the operator sets."""
    _schedules.append(_plainly("schedule", run))
    return run


def _plainly(what: str, run):
    """A function that nothing waits for."""
    if inspect.iscoroutinefunction(run):
        raise TypeError(f"{what}: {run.__name__} is async, and nothing here waits for it: write it without async")
    return run


# ---- What the component exports ----


def _fault(error: BaseException) -> tuple[str, str | None]:
    """What was raised, and where: by the author's own file and line, where there is one."""
    value = getattr(error, "value", None) if isinstance(error, Err) else None
    message = repr(value) if value is not None else f"{type(error).__name__}: {error}"
    files = [file for file, _, _ in _frames(error)]
    if isinstance(error, NotImplementedError) and any(it.startswith("/python/asyncio/") for it in files):
        message = f"{message.removesuffix(': ')}: asyncio has neither a clock nor sockets here: await `sleep` of the kit"
    mine = [f"{file}:{line}" for file, line, _ in _frames(error) if file.startswith("src/")]
    return message, mine[-1] if mine else None


def _frames(error: BaseException):
    """The places of a traceback, outermost first: file, line, function. No source is read: there is no file to read."""
    return [(_place(frame.f_code.co_filename), line, frame.f_code.co_name)
            for frame, line in traceback.walk_tb(error.__traceback__)]


def _place(file: str) -> str:
    """The path of a module as the author knows it: the build puts its folders at `/0`, `/1` and so on."""
    modules = [it for it in sys.modules.values() if getattr(it, "__file__", None) == file]
    name = modules[0].__name__ if modules else ""
    if name == __name__:
        return "kit/madoguchi.py"
    is_own = name.split(".")[0] in _OWN and not file.startswith("/python/")
    return f"src/{name.replace('.', '/')}.py" if is_own else file


#: The modules under `src`; the build says which.
_OWN: set[str] = set()
#: Places of a stack that are logged.
_FRAMES_MAX = 16


def _stop_of(what: str, error: BaseException):
    """What was raised, as the contract's stop."""
    if isinstance(error, Stop):
        return error.stop
    message, at = _fault(error)
    stack = [f"{file}:{line} in {name}" for file, line, name in _frames(error)[-_FRAMES_MAX:]]
    _log.write(_log.Level.ERROR, f"{what}: {message}", _json({"stack": stack}))
    details = _json({"at": at}) if at else None
    message = f"{message} ({at})" if at else message
    return _tools.Stop_Refused(_tools.Refusal("exception", message, 500, details))


def unloadable(error: Exception):
    """Says in the log what keeps tools from being loaded, and where."""
    message, at = _fault(error)
    _log.write(_log.Level.ERROR, f"the tools do not load: {message}{f' ({at})' if at else ''}", None)


def exported(of: type, errors: dict[str, str | None]) -> type:
    """The author's class `of`, an interface of the contract, with each function's type of error. What a function raises
    becomes that error; where it has none, the log says what was raised and where."""
    for name in errors:
        if not callable(getattr(of, name, None)):
            raise TypeError(f"the class {of.__name__} lacks the function {name}, which wit/ has")
        _plainly(of.__name__, getattr(of, name))
    made = type(of.__name__, (of,), {})
    for name, kind in errors.items():
        setattr(made, name, _guarded(of, made, name, kind))
    return made


def _guarded(of: type, made: type, name: str, kind: str | None):
    def guarded(self, *given):
        try:
            # By way of the class above: it may be a static method.
            gives = getattr(super(made, self), name)(*given)
            if hasattr(gives, "__await__"):
                raise TypeError(f"{of.__name__}.{name} waits, and nothing here waits for it: write it without async")
            return gives
        except (Err, MemoryError):
            raise
        except Exception as error:
            stop = _stop_of(f"{of.__name__}.{name}", error)
            if kind is None:
                raise
            match kind:
                case "stop":
                    ended = _stop_elsewhere(stop)
                case "string":
                    ended = getattr(stop.value, "message", str(error))
                case "failure":
                    ended = _failure_of(stop)
                case _:
                    raise
            raise Err(ended) from None

    return guarded


def _stop_elsewhere(stop):
    """A stop of a tool as the other interfaces have it: the same cases, but for the one that waits."""
    stops = _imported("stops")
    case = getattr(stops, type(stop).__name__, None)
    if case is None:
        return stops.Stop_Unavailable(stops.Unavailable("it waits, which only a tool can", None))
    record = getattr(stops, type(stop.value).__name__, None)
    return case(record(**vars(stop.value)) if record else stop.value)


def _failure_of(stop):
    """A stop as look-ups know it."""
    from wit_world.exports import endpoints

    match stop:
        case _tools.Stop_InvalidArguments(problems):
            return endpoints.Failure_Invalid(problems)
        case _tools.Stop_Unavailable(it):
            return endpoints.Failure_Unavailable(it.message)
        case _tools.Stop_Refused(it):
            return endpoints.Failure_Refused(endpoints.Refusal(it.code, it.message, it.status, it.details))
    return endpoints.Failure_Unavailable("it waits, or asks, which a look-up cannot")


@contextlib.contextmanager
def _called(invocation):
    """One call: its tool, what that is called with, and the person. What is raised becomes the contract's stop."""
    user = User(invocation)
    try:
        found = _all.get(invocation.name)
        if found is None:
            raise Invalid("", f"This component has no tool named {invocation.name}.")
        given = _without_blanks(found.input, json.loads(invocation.arguments))
        if problems := list(_check(found.input, given, "")):
            raise Stop(_tools.Stop_InvalidArguments(problems), "invalid arguments")
        arguments = {name: _read(found.kinds[name], it) for name, it in given.items()}
        yield found, arguments | ({found.user: user} if found.user else {}), user
    except MemoryError:
        # The host knows better which limit that is, and ends the call by its name.
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, Stop):
            error.stop = user._stopped(error.stop)
        raise Err(_stop_of(invocation.name, error)) from None


def _output(found, user, output):
    """What a tool gave, as the contract has it."""
    if found.is_wrapped:
        output = {"result": output}
    meta = _json(user._told) if user._told else None
    return _tools.Output(None if output is None else _json(output), user._shown, meta)


class Tools(_exports.Tools):
    """The interface `tools` of the contract."""

    def definitions(self):
        return [it.definition for it in _all.values()]

    if _AWAITS:

        async def call(self, invocation):
            with _called(invocation) as (found, arguments, user):
                output = found.run(**arguments)
                return _output(found, user, await output if inspect.isawaitable(output) else output)

    else:

        def call(self, invocation):
            with _called(invocation) as (found, arguments, user):
                return _output(found, user, found.run(**arguments))


class Examples:
    """The interface `examples` of the contract."""

    def examples(self):
        from wit_world.exports.examples import Example

        return [Example(it.name, it.tool, it.arguments, it.expected) for it in _examples]


class Migrations:
    """The interface `migrations` of the contract."""

    def migrations(self):
        from wit_world.exports.migrations import Migration

        return [Migration(number, name, statements) for number, (name, statements) in enumerate(_steps, 1)]


class Configured:
    """The interface `configured` of the contract."""

    def configured(self):
        problems = []
        for run in _configured:
            try:
                run()
            except Exception as error:
                value = _stop_of("configured", error).value
                problems += value if isinstance(value, list) else [_types.Problem("", getattr(value, "message", "it stopped"))]
        if problems:
            raise Err(problems)


class Schedule:
    """The interface `schedule` of the contract."""

    def run(self):
        try:
            for run in _schedules:
                run()
        except Exception as error:
            raise Err(getattr(_stop_of("schedule", error).value, "message", str(error))) from None


def _seed_without_a_grant():
    """Has `random` seed itself, as it does at the beginning of each call, with numbers that need no grant.

    They are no secret; `fresh_id`, `secrets` and `os.urandom` are, and need the grant `random`.
    """
    given = random.Random.seed
    random.Random.madoguchi_given = types.FunctionType(
        given.__code__, given.__globals__, "seed", given.__defaults__, given.__closure__)

    class Seeded(random.Random):
        def seed(self, a=None, version=2):
            __class__  # As the code in whose place this one stands has it.
            if a is None:
                from madoguchi import _seed

                one, other = _seed.insecure_seed()
                a = one << 64 | other
            self.madoguchi_given(a, version)

    given.__code__ = Seeded.seed.__code__


_seed_without_a_grant()


# ---- What a component uses ----


def _cell(it):
    match it:
        case None:
            return _sql.Value_Null()
        case int() if not -(2**63) <= it < 2**63:
            raise OverflowError(f"SQL keeps integers of 64 bits, and not {it}")
        case bool() | int():
            return _sql.Value_Integer(int(it))
        case float():
            return _sql.Value_Real(it)
        case str():
            return _sql.Value_Text(it)
    return _sql.Value_Blob(bytes(it))


class Rows(list):
    """The rows of one statement, each a dict by column, and how many it changed."""

    changes: int = 0


class Conflict(Exception):
    """A constraint, or an expected count of rows, did not hold, and nothing of the batch does.

    `kind` is `unique`, `foreign_key`, `check`, `not_null`, `other` or `count`; `constraint` is `table.column`, or a CHECK's name.
    """

    def __init__(self, kind: str, constraint: str, statement: int):
        super().__init__(f"statement {statement}: {kind} {constraint}")
        self.kind, self.constraint, self.statement = kind, constraint, statement


def _run(run, statements):
    if _sql is None:
        raise RuntimeError("name `sql` in an import, `from madoguchi import sql`: the build looks for it")
    made = []
    for it in statements:
        text, *parameters = (it,) if isinstance(it, str) else it
        expect = parameters.pop(0).rows if parameters and isinstance(parameters[0], _Expect) else None
        made.append(_sql.Statement(text, [_cell(it) for it in parameters], expect))
    try:
        found = run(made)
    except Err as error:
        match error.value:
            case _sql.Error_Constraint(it):
                raise Conflict(it.kind.name.lower(), it.name, it.statement) from None
            case _sql.Error_UnexpectedCount(it):
                raise Conflict("count", f"{it.found} rows, not {it.expected}", it.statement) from None
            case _sql.Error_Invalid(it):
                raise ValueError(f"SQL: {it.message}") from None
            case _sql.Error_LimitExceeded(it) | _sql.Error_Unavailable(it):
                raise Unavailable(f"The database failed: {it}") from None
        raise
    all_rows = []
    for it in found:
        rows = Rows(dict(zip(it.columns, (getattr(cell, "value", None) for cell in row))) for row in it.rows)
        rows.changes = it.changes
        all_rows.append(rows)
    return all_rows


class _Expect(typing.NamedTuple):
    rows: int


class sql:
    """The component's own database, with `$1` for the first parameter; needs the grant `sql`."""

    @staticmethod
    def query(text: str, *parameters) -> Rows:
        """The rows of one statement: `sql.query("SELECT … WHERE id = $1", id)`."""
        return _run(getattr(_sql, "query", None), [(text, *parameters)])[0]

    @staticmethod
    def transact(*statements) -> list[Rows]:
        """Statements that hold together or not at all, each a text, a tuple of a text and its parameters, or `sql.expect`.

        Raises `Conflict` where a constraint or an expected count does not hold.
        """
        return _run(getattr(_sql, "transact", None), statements)

    @staticmethod
    def expect(rows: int, text: str, *parameters):
        """A statement that rolls everything back unless it changes, or returns, so many rows."""
        return (text, _Expect(rows), *parameters)


class caller:
    """Who calls."""

    @staticmethod
    def principal() -> str:
        """The caller's name; `anonymous` where no token is needed."""
        return _caller.principal()

    @staticmethod
    def scopes() -> list[str]:
        """What the caller may do."""
        return _caller.scopes()

    @staticmethod
    def locale() -> str | None:
        """The caller's language as a BCP 47 tag, if the request names one."""
        return _caller.locale()

    @staticmethod
    def page() -> str | None:
        """Where this server's page is, without a slash at the end."""
        return _caller.page()

    @staticmethod
    def client_capabilities() -> dict:
        """The client's capabilities, as MCP has them."""
        return json.loads(_caller.client_capabilities())


def progress(done: float, total: float | None = None, message: str | None = None):
    """Tells the caller how far along a long call is: so much is done of `total`, if that is known."""
    _progress.report(float(done), None if total is None else float(total), message)


class log:
    """Lines for the operator's log: `log.info("…", {"seat": "A2"})`."""

    @staticmethod
    def _write(level: str, message: str, data):
        _log.write(_log.Level[level], message, None if data is None else _json(data))

    @staticmethod
    def debug(message: str, data=None):
        log._write("DEBUG", message, data)

    @staticmethod
    def info(message: str, data=None):
        log._write("INFO", message, data)

    @staticmethod
    def notice(message: str, data=None):
        log._write("NOTICE", message, data)

    @staticmethod
    def warning(message: str, data=None):
        log._write("WARNING", message, data)

    @staticmethod
    def error(message: str, data=None):
        log._write("ERROR", message, data)


def setting(name: str):
    """The setting, as the operator set it or has it from the environment; None without one. Needs the grant `settings`."""
    text = _settings.get(name)
    return None if text is None else json.loads(text)


def publish(uri: str):
    """Publishes that what is at `uri` has changed, after the change is stored; needs the grant `events`."""
    _events.publish(uri)


@contextlib.contextmanager
def _or_stop(stops: dict):
    """A case of the contract's error becomes the stop that `stops` has for it."""
    try:
        yield
    except Err as error:
        stop = stops.get(type(error.value).__name__)
        if stop is None:
            raise
        raise stop(getattr(error.value, "value", None)) from None


_BLOB_STOPS = {
    "Error_Unknown": lambda _: Refused("unknown_blob", 404, "There is no such file, or none any more; upload it again."),
    "Error_LimitExceeded": lambda what: Unavailable(f"Too large to keep: {what}"),
    "Error_Unavailable": lambda why: Unavailable(f"The store failed: {why}"),
}
_FILE_STOPS = {
    "Error_NotGranted": lambda name: Unavailable(f"The operator has not granted the file {name}."),
    "Error_LimitExceeded": lambda what: Unavailable(f"Too much of a file at once: {what}"),
    "Error_Unavailable": lambda why: Unavailable(f"A file cannot be read: {why}"),
}


class blobs:
    """Files that callers exchange, by the SHA-256 of their content; needs the grant `blobs`. One that is not there is refused."""

    @staticmethod
    def stat(id: str):
        with _or_stop(_BLOB_STOPS):
            return _blobs.stat(id)

    @staticmethod
    def read(id: str, offset: int, length: int) -> bytes:
        with _or_stop(_BLOB_STOPS):
            return _blobs.read(id, offset, length)

    @staticmethod
    def put(data: bytes, mime_type: str):
        with _or_stop(_BLOB_STOPS):
            return _blobs.put(data, mime_type)


class files:
    """Single files that the operator granted by name; needs the grant `files`. One that is not there is unavailable."""

    @staticmethod
    def size(name: str) -> int:
        with _or_stop(_FILE_STOPS):
            return _files.size(name)

    @staticmethod
    def read(name: str, offset: int, length: int) -> bytes:
        with _or_stop(_FILE_STOPS):
            return _files.read(name, offset, length)


def call(*requests: dict) -> list[tuple[str, typing.Any]]:
    """Calls tools on the caller's behalf, each `{"name": …, "arguments": {…}}`; needs the grant `calls`.

    Gives `("done", result)`, `("held", id)` or `("failed", failure)` for each.
    """
    made = [_calls.Request(it["name"], _json(it.get("arguments", {})), None, it.get("reason")) for it in requests]
    outcomes = []
    for it in _calls.call(made):
        case = type(it).__name__.split("_")[-1].lower()
        outcomes.append((case, it.value if case == "held" else json.loads(it.value)))
    return outcomes


async def sleep(seconds: float):
    """Waits, while what else the call has begun goes on: `await asyncio.gather(sleep(1), sleep(1))` takes a second."""
    await _clock.wait_for(max(0, int(seconds * 1_000_000_000)))


def fresh_id(prefix: str) -> str:
    """`prefix-` and sixteen letters that cannot be guessed; needs the grant `random`."""
    letters = "0123456789abcdefghjkmnpqrstvwxyz"
    return f"{prefix}-{''.join(letters[it & 31] for it in _random.get_random_bytes(16))}"


@dataclasses.dataclass
class Answer:
    """What another host answered, read to its end; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def text(self) -> str:
        return self._read("UTF-8", bytes.decode)

    def json(self):
        return self._read("JSON", json.loads)

    def _read(self, what: str, read):
        try:
            return read(self.body)
        except ValueError:
            raise Unavailable(f"An outgoing request failed: the answer cannot be read: it is not {what}.") from None

    def successful(self) -> "Answer":
        """The same answer, if its status says success."""
        if 200 <= self.status < 300:
            return self
        raise Unavailable(f"An outgoing request failed: the host answered with status {self.status}.")


def http(url: str, *, method: str = "GET", headers: dict[str, str] | None = None, body: str | bytes = b"",
         json: typing.Any = None, timeout_ms: int | None = None, body_bytes_max: int = 4 << 20) -> Answer:
    """Sends a request to a host that the operator granted, and reads the whole answer; needs the grant `http`.

    Secrets are the operator's: the host adds them on the way out.
    """
    parts = re.fullmatch(r"(https?)://([^/?#]+)([^#]*)(#.*)?", url)
    if parts is None:
        raise Refused("http_invalid", 400, f"An outgoing request failed: {url!r} is not an http or https URL.")
    scheme, authority, rest = parts[1], parts[2], parts[3]
    all_headers = dict(headers or {})
    if json is not None:
        body = _json(json)
        if not any(name.lower() == "content-type" for name in all_headers):
            all_headers["content-type"] = "application/json"
    data = body.encode() if isinstance(body, str) else body
    if data:
        all_headers["content-length"] = str(len(data))
    try:
        request = _http.OutgoingRequest(_http.Fields.from_list([(name, it.encode()) for name, it in all_headers.items()]))
        known = getattr(_http, f"Method_{method.capitalize()}", None)
        request.set_method(known() if known and known is not _http.Method_Other else _http.Method_Other(method))
        request.set_scheme(_http.Scheme_Https() if scheme == "https" else _http.Scheme_Http())
        request.set_authority(authority)
        request.set_path_with_query(rest if rest.startswith("/") else f"/{rest}")
        options = None
        if timeout_ms:
            options = _http.RequestOptions()
            options.set_first_byte_timeout(timeout_ms * 1_000_000)
            options.set_between_bytes_timeout(timeout_ms * 1_000_000)
        outgoing = request.body() if data else None
        coming = _handler.handle(request, options)
        if outgoing:
            _send(outgoing, data)
        with coming.subscribe() as ready:
            ready.block()
        return _answered(coming.get(), body_bytes_max)
    except Err as error:
        raise _http_stop(error.value) from None


def _send(outgoing, data: bytes):
    try:
        with outgoing.write() as stream:
            for at in range(0, len(data), 4096):
                stream.blocking_write_and_flush(data[at : at + 4096])
        _http.OutgoingBody.finish(outgoing, None)
    except Err:
        pass  # Where the host takes no more of it, the answer says why.


def _answered(coming, bytes_max: int) -> Answer:
    while hasattr(coming, "value"):
        if isinstance(coming, Err):
            raise coming
        coming = coming.value
    status, headers = coming.status(), {}
    for name, value in coming.headers().entries():
        headers.setdefault(name.lower(), value.decode("utf-8", "replace"))
    data = bytearray()
    with coming, coming.consume() as incoming, incoming.stream() as stream:
        while True:
            try:
                data += stream.blocking_read(65_536)
            except Err as error:
                if type(error.value).__name__ == "StreamError_Closed":
                    break
                raise Unavailable("An outgoing request failed: it broke off.") from None
            if len(data) > bytes_max:
                raise Unavailable("An outgoing request failed: the answer is too large.")
    return Answer(status, headers, bytes(data))


def _http_stop(code) -> Stop:
    name = type(code).__name__.split("_")[-1]
    match name:
        case "HttpRequestDenied" | "DestinationIpProhibited":
            return Refused("http_denied", 403, "An outgoing request failed: the operator has not granted this request.")
        case "HttpRequestUriInvalid" | "HttpRequestMethodInvalid" | "InvalidSyntax" | "Forbidden":
            return Refused("http_invalid", 400, f"An outgoing request failed: {name}.")
        case "HttpResponseTimeout" | "ConnectionReadTimeout":
            return Unavailable("An outgoing request failed: the host answers too late.")
    return Unavailable(f"An outgoing request failed: {name}.")
