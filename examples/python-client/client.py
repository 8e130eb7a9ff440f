"""Calls the API with a client that openapi-python-client generated from its contract. From an empty folder:

    pip install openapi-python-client httpx attrs python-dateutil
    openapi-python-client generate --url http://127.0.0.1:8080/openapi.json --meta none --output-path squitter_client
    python client.py http://127.0.0.1:8080
"""

import sys

from squitter_client import Client
from squitter_client.api.bulk_data import all_
from squitter_client.api.find_aircraft_and_flights import hex_
from squitter_client.api.network_statistics import stats

client = Client(base_url=sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080")

totals = stats.sync(client=client)
print(f"{totals.aircraft_count} aircraft at {totals.now:.1f}")

# On the ground alt_baro is a string; all aircraft here are airborne.
for aircraft in all_.sync(client=client, min_altitude=20_000, limit=3).ac:
    print(f"{aircraft.hex_} at {aircraft.alt_baro} ft")

wrong = hex_.sync("nonsense", client=client)
print(f"{wrong.code}: {wrong.detail}")
