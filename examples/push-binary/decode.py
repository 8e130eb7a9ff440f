"""Decodes binary frames of the push service (`aircraft.v2.bin`), with the standard library only. One JSON line per frame: its number, its time, and all
aircraft after it. Files are frames in their order, the first a full (from `snapshot_url`):

    python decode.py FRAME...

The bytes are described in push/codec/README.md.
"""

import json
import math
import struct
import sys
import zlib

MARK = 0xA1
BODY_BYTES_MAX = 16 * 1024 * 1024
NUMBER, FLAG, ALTITUDE, TEXT, JSON, POSITION, VELOCITY, AGE, LAST_POSITION = range(9)


class FrameError(Exception):
    """A frame that cannot be read. The next one must be a full."""


class Body:
    """Numbers and texts of a body; an error at its end."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def read_bytes(self, length):
        if length > len(self.data) - self.at:
            raise FrameError("the body ends too early")
        self.at += length
        return self.data[self.at - length : self.at]

    def unsigned(self):
        value = 0
        for shift in range(0, 56, 7):
            (byte,) = self.read_bytes(1)
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise FrameError("a number that is too large")

    def signed(self):
        return unzigzag(self.unsigned())

    def ascending(self):
        """Ascending numbers, each as its distance from the one before."""
        numbers, following = [], 0
        for _ in range(self.unsigned()):
            numbers.append(following + self.unsigned())
            following = numbers[-1] + 1
        return numbers


def unzigzag(code):
    """0, -1, 1, -2 ... of 0, 1, 2, 3 ..."""
    return -(code + 1) // 2 if code & 1 else code // 2


def wrap(longitude):
    """From -180 to less than 180 degrees, in 1e-5 degrees."""
    return (longitude + 18_000_000) % 36_000_000 - 18_000_000


def dispositionment(latitude, velocity, steps):
    """How far an aircraft moves in so many times 20 ms, in 1e-5 degrees."""
    north, east = velocity
    if max(abs(north), abs(east)) > 10_000 or not 0 <= steps <= 65_535:
        return 0, 0
    square = min(900, abs(latitude) // 10_000) ** 2
    cosine = max(256, 32_768 * (3_240_000 - 4 * square) // (3_240_000 + square))
    return (2 * north * steps + 108) // 216, (2 * east * steps * 32_768 + 108 * cosine) // (216 * cosine)


class Decoder:
    """The aircraft of one stream."""

    def __init__(self):
        self.fields, self.known, self.seq, self.now = [], {}, None, 0

    def decode(self, frame):
        if len(frame) < 20 or frame[0] != MARK:
            raise FrameError("not a frame, or of another version")
        codec, kind, stream_bytes, seq, now, body_bytes = struct.unpack_from("<BBBIdI", frame, 1)
        packed = frame[20 + stream_bytes :]
        if body_bytes > BODY_BYTES_MAX:
            raise FrameError("a body that is too large")
        if kind == 1 and (self.seq is None or seq != self.seq + 1):
            raise FrameError(f"{seq} follows {self.seq}: frames are missing")
        self.seq = None
        body = Body(inflate(packed, body_bytes) if codec == 1 else packed)
        if kind == 0:
            self.known = {}
            self.fields = [self.field(body) for _ in range(body.unsigned())]
        keys = sorted(self.known)
        for number in body.ascending():
            del self.known[keys[number]]
        for key in body.ascending():
            self.known[key] = {"values": {}, "velocity": None, "position": None}
        time = int(now) // 20
        aircraft = [self.known[key] for key in sorted(self.known)]
        while body.more():
            field = self.fields[body.unsigned()]
            self.column(field, Body(body.read_bytes(body.unsigned())), aircraft, time)
        self.seq, self.now = seq, now / 1000
        return [self.members(key, time) for key in sorted(self.known)]

    @staticmethod
    def field(body):
        name = body.read_bytes(body.unsigned()).decode()
        return name, body.unsigned(), body.unsigned(), body.unsigned()

    @staticmethod
    def column(field, column, aircraft, time):
        name, kind, _, _ = field
        if kind > LAST_POSITION:
            return
        changed = [aircraft[number] for number in column.ascending()]
        codes = [column.unsigned() for _ in changed]
        if kind == POSITION:
            latitudes, longitudes = (iter([column.signed() for code in codes if code]) for _ in range(2))
            for one, code in zip(changed, codes):
                before = one["position"] or (0, 0, 0)
                at = time + 1 - code
                moved = dispositionment(before[0], one["velocity"], at - before[2]) if one["position"] and one["velocity"] else (0, 0)
                one["position"] = (before[0] + moved[0] + next(latitudes), wrap(before[1] + moved[1] + next(longitudes)), at) if code else None
            return
        for one, code in zip(changed, codes):
            if kind == VELOCITY:
                north, east = one["velocity"] or (0, 0)
                one["velocity"] = (north + unzigzag(code - 1), east + column.signed()) if code else None
            elif code == 0:
                one["values"].pop(name, None)
            elif kind in (TEXT, JSON):
                one["values"][name] = column.read_bytes(code - 1).decode()
            elif kind == ALTITUDE and code == 1:
                one["values"][name] = "ground"
            else:
                before = one["values"].get(name, 0)
                one["values"][name] = (0 if before == "ground" else before) + unzigzag(code - (2 if kind == ALTITUDE else 1))

    def members(self, key, time):
        """The object of an aircraft, with the members of `/v2`."""
        known = self.known[key]
        shown = {"hex": ("~" if key >> 24 else "") + f"{key & 0xFFFFFF:06x}"}
        if known["velocity"]:
            north, east = known["velocity"]
            shown["gs"] = math.floor(math.sqrt(north * north + east * east) * 10 + 0.5) / 10
            shown["track"] = (math.floor(math.atan2(east, north) * 18_000 / math.pi + 0.5) + 36_000) % 36_000 / 100
        for name, kind, decimals, step in self.fields:
            if name not in known["values"] or kind >= LAST_POSITION:
                continue
            value = known["values"][name]
            if kind == JSON:
                value = json.loads(value)
            elif kind == FLAG:
                value = value == 1
            elif not isinstance(value, str):
                value = value * step / 10**decimals
            shown[name] = value
        if known["position"] is None:
            return shown
        latitude, longitude, at = known["position"]
        position = {"lat": latitude / 100_000, "lon": longitude / 100_000, "seen_pos": (time - at) * 20 / 1000}
        if "seen" in shown:
            shown["seen"] = min(shown["seen"], position["seen_pos"])
        if known["values"].get("lastPosition") == 1:
            shown["lastPosition"] = {**position, **{name: shown.pop(name) for name in ("nic", "rc") if name in shown}}
        else:
            shown.update(position)
        return shown


def inflate(packed, length):
    decompressor = zlib.decompressobj()
    try:
        body = decompressor.decompress(packed, length + 1)
    except zlib.error as error:
        raise FrameError(f"the body cannot be inflated: {error}") from error
    if len(body) != length or not decompressor.eof:
        raise FrameError("a body of another length than announced")
    return body


if __name__ == "__main__":
    decoder = Decoder()
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            aircraft = decoder.decode(file.read())
        print(json.dumps({"seq": decoder.seq, "now": decoder.now, "aircraft": aircraft}))
