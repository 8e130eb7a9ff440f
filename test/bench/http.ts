// Requests per CPU second of the server over 20,000 aircraft, beside a bare Node server that sends as many ready bytes.
import { openCompressors } from '../../pipeline/view/compress.ts';
import { type CallCircle, variedCircles } from './calls.ts';
import { type Bench, type Figure, rateFigure } from './harness.ts';
import { runHttp } from './load.ts';
import { withServers } from './measured-server.ts';

const AIRCRAFT = 20_000;

interface Case {
  readonly name: string;
  readonly what: string;
  readonly paths: readonly string[];
  readonly encoding?: string;
  readonly connections: number;
}

const radiusPath = ({ lat, lon, radiusNm }: CallCircle): string => `/v2/lat/${lat}/lon/${lon}/dist/${radiusNm.toFixed(5)}`;

function boxPath({ lat, lon, halfDeg }: CallCircle): string {
  const halfWidth = halfDeg / Math.cos((lat * Math.PI) / 180);
  const box = { min_lat: lat - halfDeg, max_lat: lat + halfDeg, min_lon: lon - halfWidth, max_lon: lon + halfWidth };
  const query = Object.entries(box).map(([name, degrees]) => `${name}=${degrees.toFixed(6)}`);
  return `/v2/bbox?${query.join('&')}`;
}

export const httpBench: Bench = {
  name: 'http',
  summary: `requests to a server of ${AIRCRAFT} aircraft in a separate process`,
  run: () =>
    withServers(AIRCRAFT, async (ours, bare) => {
      const { addresses, circles } = ours.ports.calls!;
      const many = { connections: 32 };
      const again = 'circles with some 300 aircraft, requested repeatedly, as by many clients of a region';
      const apart = 'no two requests of a second equal';
      const cases: Case[] = [
        { name: 'http-hex', what: '/v2/hex of one aircraft', paths: addresses.map((hex) => `/v2/hex/${hex}`), ...many },
        { name: 'http-radius', what: again, paths: circles.map(radiusPath), ...many },
        { name: 'http-radius-apart', what: `such circles, ${apart}`, paths: variedCircles(circles).map(radiusPath), ...many },
        { name: 'http-box', what: 'boxes as large, requested repeatedly', paths: circles.map(boxPath), ...many },
        { name: 'http-box-apart', what: `such boxes, ${apart}`, paths: variedCircles(circles).map(boxPath), ...many },
        ...[...openCompressors().keys()].map((encoding) => ({
          ...{ name: `http-all-${encoding}`, what: `/v2/all in ${encoding}`, paths: ['/v2/all'], encoding, connections: 4 },
        })),
      ];
      const figures: Figure[] = [];
      for (const { name, what, paths, encoding, connections } of cases) {
        const headers: Record<string, string> = { 'accept-encoding': encoding ?? 'identity' };
        const port = ours.ports.http;
        const load = (on: number, requested: readonly string[]) => (seconds: number) =>
          runHttp({ port: on, calls: requested.map((path) => ({ path })), headers, connections, seconds });
        const own = await ours.measure(load(port, paths));
        const bytes = await responseBytes(port, paths[0]!, headers);
        const reference = await bare.measure(load(bare.ports.http, [`/${bytes}`]));
        const input = `${what}, ${AIRCRAFT} aircraft, view rebuilt every second, ${connections} connections; CPU time of the server's process`;
        const plain = { value: reference, what: `${bytes} ready bytes from a bare Node server` };
        figures.push(rateFigure(`${name}-cpu`, 'requests/CPU-s', own, input, plain));
      }
      return figures;
    }),
};

/** Length of a response's body as it is sent. */
async function responseBytes(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const body = await response.arrayBuffer();
  return Number(response.headers.get('content-length') ?? body.byteLength);
}
