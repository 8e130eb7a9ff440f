// The reference for gRPC: `@grpc/grpc-js` and its loader of .proto files, as its documentation shows them, over objects that are ready. Not used by the product.
import { join } from 'node:path';
import { loadPackageDefinition, Server, ServerCredentials, type ServiceClientConstructor, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { packageRoot } from '../../../pipeline/runtime/package-root.ts';
import type { AircraftListRecord, AircraftRecord } from '../../../query-api/rpc/record-objects.ts';

/** A list that was found before, and its circle. */
export interface PlainList {
  readonly circle: { readonly lat: number; readonly lon: number };
  readonly list: AircraftListRecord;
}

/** Serves GetAircraft and NearbyAircraft; returns the port. */
export function listenPlainGrpc(host: string, aircraft: readonly AircraftRecord[], lists: readonly PlainList[]): Promise<number> {
  const byHex = new Map(aircraft.map((record) => [record.hex, record]));
  const byCentre = new Map(lists.map(({ circle: { lat, lon }, list }) => [`${lat} ${lon}`, list]));
  const definition = loadSync(join(packageRoot(), 'schemas/proto/v1/aircraft.proto'));
  const v1 = loadPackageDefinition(definition)['v1'] as unknown as Record<string, ServiceClientConstructor>;
  const server = new Server();
  const respond = (found: object | undefined, callback: (error: object | null, response?: object) => void): void => {
    if (found === undefined) callback({ code: status.NOT_FOUND });
    else callback(null, found);
  };
  server.addService(v1['AircraftService']!.service, {
    GetAircraft: (call: { request: { hex: string } }, callback: Parameters<typeof respond>[1]) =>
      respond(byHex.get(call.request.hex), callback),
    NearbyAircraft: (call: { request: { lat: number; lon: number } }, callback: Parameters<typeof respond>[1]) =>
      respond(byCentre.get(`${call.request.lat} ${call.request.lon}`), callback),
  });
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:0`, ServerCredentials.createInsecure(), (error, port) => (error === null ? resolve(port) : reject(error)));
  });
}
