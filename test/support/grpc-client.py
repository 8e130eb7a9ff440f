"""A gRPC client that knows nothing but the address: messages by server reflection, health, errors with details, compression, a stream.

Usage: grpc-client.py HOST:PORT HEX. Prints one JSON object.
"""

import json
import sys

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status

address, hex_ = sys.argv[1:]
channel = grpc.insecure_channel(address)
database = ProtoReflectionDescriptorDatabase(channel)
service = DescriptorPool(database).FindServiceByName("v1.AircraftService")


def call(method, given, **options):
    descriptor = service.FindMethodByName(method)
    request = json_format.ParseDict(given, GetMessageClass(descriptor.input_type)())
    response = GetMessageClass(descriptor.output_type)
    make = channel.unary_stream if descriptor.server_streaming else channel.unary_unary
    return make(
        f"/v1.AircraftService/{method}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=response.FromString,
    )(request, timeout=10, **options)


def failure(method, given, **options):
    try:
        call(method, given, **options)
    except grpc.RpcError as error:
        status = rpc_status.from_call(error)
        details = []
        for detail in status.details if status else []:
            for kind in (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest, error_details_pb2.RetryInfo):
                message = kind()
                if detail.Unpack(message):
                    details.append({kind.DESCRIPTOR.name: json_format.MessageToDict(message)})
        return {"code": error.code().name, "message": error.details(), "details": details}
    return None


found = call("GetAircraft", {"hex": hex_})
position = {"lat": found.lat, "lon": found.lon}
stream = call("WatchAircraft", {"hex": hex_})
messages = [next(stream), next(stream)]
stream.cancel()
health = health_pb2_grpc.HealthStub(channel)
print(
    json.dumps(
        {
            "services": sorted(database.get_services()),
            "found": found.hex,
            "nearest": [each.hex for each in call("NearbyAircraft", {**position, "limit": 50}).aircraft][:1],
            "compressed": [
                each.hex for each in call("NearbyAircraft", {**position, "limit": 50}, compression=grpc.Compression.Gzip).aircraft
            ][:1],
            "total": call("NetworkStats", {}).aircraft_total,
            "complete": [message.complete for message in messages],
            "health": health_pb2.HealthCheckResponse.ServingStatus.Name(
                health.Check(health_pb2.HealthCheckRequest(service="v1.AircraftService"), timeout=5).status
            ),
            "wrong": failure("GetAircraft", {"hex": "nonsense"}),
            "unknown": failure("GetAircraft", {"hex": "~ffffff"}),
        }
    )
)
