// Live aircraft over gRPC in Node, without generated code. In this folder:
//   npm install @grpc/grpc-js @grpc/proto-loader
//   curl -so aircraft.proto http://127.0.0.1:8080/v1/aircraft.proto
//   node client.mjs 127.0.0.1:8082 52.31 4.76
import { fileURLToPath } from 'node:url';
import { credentials, loadPackageDefinition, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const [address = '127.0.0.1:8082', lat = '52.31', lon = '4.76'] = process.argv.slice(2);
const definition = loadSync(fileURLToPath(new URL('aircraft.proto', import.meta.url)), { keepCase: true });
const client = new (loadPackageDefinition(definition).v1.AircraftService)(address, credentials.createInsecure());

/** Calls a method; a call that takes longer than 5 s fails. */
function call(method, request) {
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + 5000;
    client[method](request, { deadline }, (error, response) => (error === null ? resolve(response) : reject(error)));
  });
}

const stats = await call('NetworkStats', {});
console.log(`${stats.aircraft_total} aircraft`);

const nearby = await call('NearbyAircraft', { lat: Number(lat), lon: Number(lon), limit: 3 });
for (const { hex, distance_nm: distance } of nearby.aircraft) console.log(`${hex} is ${distance.toFixed(1)} nm away`);

// Numbers without a value are absent: an aircraft on the ground has no altitude.
const [nearest] = nearby.aircraft;
if (nearest !== undefined) {
  const aircraft = await call('GetAircraft', { hex: nearest.hex });
  console.log(`${aircraft.hex} at ${aircraft.alt_baro ?? 'unknown'} ft`);
}

try {
  await call('GetAircraft', { hex: 'nonsense' });
} catch (error) {
  console.log(`${status[error.code]}: ${error.details}`);
}

// The first response of a stream has all aircraft of the box; later ones have what changed. This example ends after the first.
const box = { min_lat: -90, min_lon: -180, max_lat: 90, max_lon: 180 };
const stream = client.WatchAircraft({ box });
for await (const { aircraft, complete } of stream) {
  console.log(`${aircraft.length} aircraft in the box, complete: ${complete}`);
  // The end of the loop does not cancel the call.
  stream.cancel();
  break;
}
client.close();
