"""An MCP client that shows links: sends a program that a person has to approve, opens the page.

What a person does there is done for them: the agent's own key tries to approve and must not, then
an approver's key does. `--blind` declares no elicitation.

    link_client.py URL --key KEY --approver KEY [--mode MODE] [--blind] [--decline] FILE
"""

import argparse
import asyncio
import json
from pathlib import Path

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError
from mcp_types import ElicitResult


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--key", required=True)
    parser.add_argument("--approver", required=True)
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--decline", action="store_true")
    parser.add_argument("file", type=Path)
    return parser.parse_args()


class Person:
    """Whom the client shows links."""

    def __init__(self, options):
        self.options = options
        self.shown = []
        self.answers = []

    async def look(self, params):
        self.shown.append(
            {"mode": params.mode, "url": params.url, "id": params.elicitation_id, "message": params.message}
        )
        if self.options.decline:
            return ElicitResult(action="decline")
        # The page's address ends with the approval's id.
        page = self.options.url.removesuffix("/mcp") + "/v1/approvals/" + params.url.rsplit("/", 1)[1]
        async with httpx2.AsyncClient() as http:
            for key in (self.options.key, self.options.approver):
                headers = {"Authorization": f"Bearer {key}"}
                answer = await http.post(page, headers=headers, json={"answer": "approve"})
                self.answers.append(answer.status_code)
        return ElicitResult(action="accept")

    async def elicit(self, _context, params):
        return await self.look(params)


async def call(client, person, arguments):
    try:
        return await client.call_tool("run_python", arguments)
    except MCPError as error:
        for params in UrlElicitationRequiredError.from_error(error.error).elicitations:
            await person.look(params)
        if person.options.decline:
            return None
        return await client.call_tool("run_python", arguments)


async def talk(options):
    person = Person(options)
    elicit = None if options.blind else person.elicit
    arguments = {"code": options.file.read_text(encoding="utf-8")}
    headers = {"Authorization": f"Bearer {options.key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(options.url, http_client=http)
        async with Client(transport, mode=options.mode, elicitation_callback=elicit) as client:
            result = await call(client, person, arguments)
            return {
                "protocol": client.protocol_version,
                "shown": person.shown,
                "answers": person.answers,
                "structured": result and result.structured_content,
                "text": result and result.content[0].text,
            }


print(json.dumps(asyncio.run(talk(parse()))))
