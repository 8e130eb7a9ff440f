"""A client of the tool server with the Python SDK: lists everything, calls tools, prints what it got as one JSON line.

Usage: tool-client.py http URL | tool-client.py stdio COMMAND ARGUMENT ...
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def connection(arguments):
    kind, first, *others = arguments
    if kind == "http":
        return streamable_http_client(first)
    return stdio_client(StdioServerParameters(command=first, args=others))


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main():
    async with connection(sys.argv[1:]) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            initialized = plain(await session.initialize())
            # The session validates structured content against the schemas of this list.
            tools = plain(await session.list_tools())["tools"]
            near = plain(await session.call_tool("nearby_aircraft", {"lat": 52.31, "lon": 4.76, "limit": 2}))
            one = near["structuredContent"]["aircraft"][0]["hex"]
            report = {
                "initialized": initialized,
                "tools": [tool["name"] for tool in tools],
                "near": near,
                "aircraft": plain(await session.call_tool("get_aircraft", {"hex": one})),
                "stats": plain(await session.call_tool("network_stats", {})),
                "error": plain(await session.call_tool("get_aircraft", {"hex": "zz"})),
                "resources": [each["uri"] for each in plain(await session.list_resources())["resources"]],
                "resource": plain(await session.read_resource("squitter://aircraft/" + one)),
                "prompts": [each["name"] for each in plain(await session.list_prompts())["prompts"]],
                "prompt": plain(await session.get_prompt("airport", {"code": "AMS"})),
            }
            print(json.dumps(report))


asyncio.run(main())
