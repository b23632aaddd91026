"""The same as demo_client.py with the official Python SDK, 1.x: initialize, a session, its end.

    client_v1.py URL [--key KEY] [--tool TOOL] [FILE...]
"""

import argparse
import asyncio
import json
from pathlib import Path

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--key")
    parser.add_argument("--tool", default="run_python")
    parser.add_argument("files", nargs="*", type=Path)
    return parser.parse_intermixed_args()


def plain(result):
    return {
        "is_error": bool(result.isError),
        "text": "\n".join(block.text for block in result.content if block.type == "text"),
        "structured": result.structuredContent,
        "meta": result.meta,
    }


async def talk(options):
    headers = {"Authorization": f"Bearer {options.key}"} if options.key else {}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(options.url, http_client=http) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        initialized = await session.initialize()
        listed = await session.list_tools()
        results = []
        for file in options.files:
            arguments = {"code": file.read_text(encoding="utf-8")}
            results.append(plain(await session.call_tool(options.tool, arguments)))
        return {
            "protocol": initialized.protocolVersion,
            "tools": [tool.name for tool in listed.tools],
            "results": results,
        }


print(json.dumps(asyncio.run(talk(parse()))))
