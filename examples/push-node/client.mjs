// Live aircraft in Node, profile aircraft.v2.bin: a thirtieth of the bytes of JSON. Two modules of the service belong beside this file:
//   curl -o decoder.mjs http://127.0.0.1:8080/stream/decoder.js -o model.mjs http://127.0.0.1:8080/stream/model.js
//   npm install ws                      # before Node 22, which has WebSocket
//   node client.mjs http://127.0.0.1:8080 min_altitude=10000
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { AircraftDecoder } from './decoder.mjs';
import { AircraftStreams } from './model.mjs';

const WebSocket = globalThis.WebSocket ?? (await import('ws')).WebSocket;
/** The same request would be refused again. */
const FINAL_CODES = [1003, 1007, 1008, 1009, 4401, 4403];
const SLOW_CODES = [1013, 4408, 4429];

/** Follows one filter for ever. `show` gets the aircraft by hex after each frame. Throws when the service refuses the filter or the token. */
export async function follow(service, filter, show) {
  let decoder = new AircraftDecoder();
  const model = new AircraftStreams();
  let waitMs = 1000;

  const apply = async (bytes) => {
    const frame = await decoder.decode(bytes);
    if (frame === null) return;
    if (frame.type === 'full') model.streams.clear();
    else waitMs = 1000;
    model.apply(frame);
    show(model.streams.get(frame.stream).aircraft, frame);
  };

  /** One connection; resolves with its close code. */
  const connect = async () => {
    if (decoder.seq === null) {
      // Fulls come over HTTP, and the socket has what changed since.
      const response = await fetch(`${service}/v2/stream/snapshot?${filter}`);
      if (!response.ok) throw Object.assign(new Error((await response.json()).detail), { isFinal: response.status < 429 });
      await apply(new Uint8Array(await response.arrayBuffer()));
    }
    const query = new URLSearchParams(filter);
    query.set('stream', decoder.stream);
    query.set('seq', decoder.seq);
    const socket = new WebSocket(`${service.replace('http', 'ws')}/v2/ws?${query}`, 'aircraft.v2.bin');
    socket.binaryType = 'arraybuffer';
    socket.onerror = () => {};
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') {
        // After a gap the next connection resumes; after a damaged frame it begins with a full.
        apply(new Uint8Array(data)).catch(() => socket.close());
        return;
      }
      const { type, code, detail } = JSON.parse(data);
      if (type !== 'error') return;
      console.error(`${code}: ${detail}`);
      if (code === 'not-resumable') decoder = new AircraftDecoder();
      socket.close();
    };
    const { code, reason } = await new Promise((resolve) => {
      socket.onclose = resolve;
    });
    if (FINAL_CODES.includes(code)) throw Object.assign(new Error(`closed with ${code} ${reason}`), { isFinal: true });
    if (SLOW_CODES.includes(code)) waitMs = Math.max(waitMs, 10_000);
  };

  for (;;) {
    try {
      await connect();
    } catch (error) {
      if (error.isFinal) throw error;
      console.error(error.message);
    }
    await pause(waitMs * (0.5 + Math.random()));
    waitMs = Math.min(2 * waitMs, 30_000);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [service = 'http://127.0.0.1:8080', filter = ''] = process.argv.slice(2);
  const show = (aircraft, { type, seq }) => console.log(`${type} ${seq}: ${aircraft.size} aircraft`);
  await follow(service, filter, show).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
