"""The plain way to a daily file: all rows of a Parquet file from the store, in memory, sorted and written by pandas. Prints rows, seconds, MB at most."""

import resource
import sys
import time

import pandas as pd

source, target = sys.argv[1:]
start = time.monotonic()
rows = pd.read_parquet(source)
day = pd.DataFrame(
    {
        "timestamp": pd.to_datetime(rows.timeUs, unit="us"),
        "icao24": rows.icao24.map(lambda key: f"{key & 0xFFFFFF:06x}"),
        "callsign": rows.callsign,
        "latitude": rows.latitudeMicrodeg / 1e6,
        "longitude": rows.longitudeMicrodeg / 1e6,
        "altitude": rows.altitudeBaroFt.astype("float32"),
        "geoaltitude": rows.altitudeGeomFt.astype("float32"),
        "groundspeed": (rows.groundSpeedDeciKt / 10).astype("float32"),
        "track": (rows.trackCentideg / 100).astype("float32"),
        "vertical_rate": rows.baroRateFpm.astype("float32"),
        "onground": rows.onGround,
        "squawk": rows.squawk,
        "source": rows.source,
        "nic": rows.nic,
        "rc": rows.rcM,
        "rssi": (rows.rssiDeciDbfs / 10).astype("float32"),
    }
)
day.sort_values(["icao24", "timestamp"]).to_parquet(target, compression="zstd", index=False)
print(len(day), time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
