"""Live aircraft over gRPC in Python, without generated code. In this folder:

    pip install grpcio grpcio-tools
    curl -so aircraft.proto http://127.0.0.1:8080/v1/aircraft.proto
    python client.py 127.0.0.1:8082 52.31 4.76
"""

import sys

import grpc

messages, services = grpc.protos_and_services("aircraft.proto")

address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:8082"
lat, lon = (float(value) for value in sys.argv[2:4]) if len(sys.argv) > 3 else (52.31, 4.76)

with grpc.insecure_channel(address) as channel:
    client = services.AircraftServiceStub(channel)

    stats = client.NetworkStats(messages.NetworkStatsRequest(), timeout=5)
    print(f"{stats.aircraft_total} aircraft")

    nearby = client.NearbyAircraft(messages.NearbyAircraftRequest(lat=lat, lon=lon, limit=3), timeout=5)
    for aircraft in nearby.aircraft:
        print(f"{aircraft.hex} is {aircraft.distance_nm:.1f} nm away")

    # A number without a value reads as 0: ask whether it is there. An aircraft on the ground has no altitude.
    for aircraft in nearby.aircraft[:1]:
        found = client.GetAircraft(messages.GetAircraftRequest(hex=aircraft.hex), timeout=5)
        print(f"{found.hex} at {found.alt_baro if found.HasField('alt_baro') else 'unknown'} ft")

    try:
        client.GetAircraft(messages.GetAircraftRequest(hex="nonsense"), timeout=5)
    except grpc.RpcError as error:
        print(f"{error.code().name}: {error.details()}")

    # The first response of a stream has all aircraft of the box; later ones have what changed. This example ends after the first.
    box = messages.Box(min_lat=-90, min_lon=-180, max_lat=90, max_lon=180)
    stream = client.WatchAircraft(messages.WatchAircraftRequest(box=box))
    first = next(stream)
    print(f"{len(first.aircraft)} aircraft in the box, complete: {str(first.complete).lower()}")
    stream.cancel()
