"""How long one call takes with Python's httpx on one kept connection.

    python latency.py URL plain|modern CALLS TOOL ARGUMENTS

`plain` posts the arguments themselves. Prints one line: {"p50_ms", "p99_ms", "calls"}.
"""

import json
import sys
import time

import httpx

MODERN = "2026-07-28"
WARM_UP = 50


def main(url, era, calls, tool, arguments):
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "latency", "version": "1.0.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": json.loads(arguments), "_meta": meta}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = json.dumps(params["arguments"] if era == "plain" else request)
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": "tools/call",
        "mcp-name": tool,
    }
    times = []
    with httpx.Client(headers=headers) as client:
        for n in range(int(calls) + WARM_UP):
            begun = time.perf_counter()
            response = client.post(url, content=body)
            elapsed = time.perf_counter() - begun
            response.raise_for_status()
            if n == 0 and era != "plain" and response.json()["result"].get("isError"):
                raise SystemExit(response.text)
            if n >= WARM_UP:
                times.append(elapsed * 1000)
    times.sort()
    at = lambda share: times[int(len(times) * share)]
    print(json.dumps({"p50_ms": at(0.5), "p99_ms": at(0.99), "calls": len(times)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
