"""Live aircraft in Python over server-sent events, with the standard library only:

    python3 client.py http://127.0.0.1:8080 min_altitude=10000
"""

import http.client
import json
import random
import sys
import time
import urllib.error
import urllib.request

# The service sends a comment every 30 s.
SILENCE_S = 75


def events(url, last_id, token):
    """The events of one connection: type, id and data."""
    request = urllib.request.Request(url, headers={"Accept": "text/event-stream"})
    if last_id is not None:
        request.add_header("Last-Event-ID", last_id)
    if token is not None:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=SILENCE_S) as response:
        fields = {}
        for line in response:
            name, _, value = line.decode().rstrip("\r\n").partition(":")
            if name != "":
                fields[name] = value.removeprefix(" ")
            elif "data" in fields:
                yield fields["id"], json.loads(fields["data"])
                fields = {}


def apply(aircraft, frame):
    """The aircraft by hex after a delta."""
    for hex in frame["remove"]:
        aircraft.pop(hex, None)
    for each in frame["new"]:
        aircraft[each["hex"]] = each
    for change in frame["update"]:
        merged = {**aircraft[change["hex"]], **change}
        aircraft[change["hex"]] = {name: value for name, value in merged.items() if value is not None}


def follow(service, query="", token=None):
    """Follows one filter for ever: yields each frame, and the aircraft by hex after it."""
    aircraft, last_id, seq, wait_s = {}, None, None, 1
    while True:
        try:
            for event_id, frame in events(f"{service}/v2/stream?{query}", last_id, token):
                if frame["type"] == "full":
                    aircraft = {each["hex"]: each for each in frame["ac"]}
                elif frame["type"] != "delta" or seq is None or frame["seq"] <= seq:
                    continue
                elif frame["seq"] > seq + 1:
                    # Frames are missing: resume after the newest one.
                    break
                else:
                    apply(aircraft, frame)
                    wait_s = 1
                seq, last_id = frame["seq"], event_id
                yield frame, aircraft
        except urllib.error.HTTPError as error:
            detail = json.load(error)["detail"]
            if error.code < 429:
                raise SystemExit(detail) from error
            print(detail, file=sys.stderr)
        except (OSError, http.client.HTTPException) as error:
            print(error, file=sys.stderr)
        time.sleep(wait_s * random.uniform(0.5, 1.5))
        wait_s = min(2 * wait_s, 30)


if __name__ == "__main__":
    for frame, aircraft in follow(*(sys.argv[1:] or ["http://127.0.0.1:8080"])):
        print(f"{frame['type']} {frame['seq']}: {len(aircraft)} aircraft", flush=True)
