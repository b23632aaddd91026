"""An MCP client that asks for a plot as an agent does, sees it, and reads what a run left.

Uses the official Python SDK, 2.x. `--mode` is `auto`, `legacy` or a protocol version.

    files_client.py URL [--mode MODE] [--key KEY] [--read URI]... FILE
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
    parser.add_argument("--read", action="append", default=[])
    parser.add_argument("file", type=Path)
    return parser.parse_intermixed_args()


def block(content):
    return content.model_dump(mode="json", by_alias=True, exclude_none=True)


async def read(client, uri):
    try:
        result = await client.read_resource(uri)
        return [block(content) for content in result.contents]
    except Exception as error:
        return {"code": getattr(getattr(error, "error", None), "code", None), "error": str(error)}


async def talk(options):
    headers = {"Authorization": f"Bearer {options.key}"} if options.key else {}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(options.url, http_client=http)
        async with Client(transport, mode=options.mode) as client:
            code = options.file.read_text(encoding="utf-8")
            result = await client.call_tool("run_python", {"code": code})
            listed = await client.list_resources()
            uris = [str(resource.uri) for resource in listed.resources]
            return {
                "protocol": client.protocol_version,
                "is_error": bool(result.is_error),
                "content": [block(content) for content in result.content],
                "structured": result.structured_content,
                "resources": [block(resource) for resource in listed.resources],
                "read": {uri: await read(client, uri) for uri in [*uris, *options.read]},
            }


print(json.dumps(asyncio.run(talk(parse()))))
