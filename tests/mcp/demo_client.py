"""An MCP client as an agent framework has one: lists the tools, sends programs, shows the answers.

Uses the official Python SDK, 2.x. `--mode` is `auto` (the newest era that both speak), `legacy`
(initialize and a session) or a protocol version.

    demo_client.py URL [--mode MODE] [--key KEY] [--tool TOOL] [--json] [FILE...]
"""

import argparse
import asyncio
import json
from pathlib import Path

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--key")
    parser.add_argument("--tool", default="run_python")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    parser.add_argument("files", nargs="*", type=Path)
    return parser.parse_intermixed_args()


def plain(result):
    return {
        "is_error": bool(result.is_error),
        "text": "\n".join(block.text for block in result.content if block.type == "text"),
        "structured": result.structured_content,
        "meta": result.meta,
    }


async def talk(options):
    headers = {"Authorization": f"Bearer {options.key}"} if options.key else {}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(options.url, http_client=http)
        async with Client(transport, mode=options.mode) as client:
            listed = await client.list_tools()
            results = []
            for file in options.files:
                arguments = {"code": file.read_text(encoding="utf-8")}
                results.append(plain(await client.call_tool(options.tool, arguments)))
            return {
                "protocol": client.protocol_version,
                "tools": [tool.name for tool in listed.tools],
                "results": results,
            }


def show(options, told):
    print(f"protocol {told['protocol']}, tools: {', '.join(told['tools'])}")
    for file, result in zip(options.files, told["results"], strict=True):
        print(f"\n=== {file}")
        print(file.read_text(encoding="utf-8").rstrip())
        print(f"--- {'refused or failed' if result['is_error'] else 'ran'}")
        print(result["text"].rstrip())


def main():
    options = parse()
    told = asyncio.run(talk(options))
    if options.json:
        print(json.dumps(told))
    else:
        show(options, told)


main()
