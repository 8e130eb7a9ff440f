// Options of what clients connect to beside the HTTP port. Apart from the services: reading the configuration loads none of them.
import {
  type Endpoint,
  endpoint,
  integerBetween,
  numberBetween,
  oneOf,
  parseEndpoint,
  switchOption,
  textOption,
} from '../../../pipeline/runtime/options.ts';
import type { TransportPreference } from '../../../push/transport/open-transport.ts';
import { limits } from '../../../schemas/limits/index.ts';

const TICK_S = 10;
const PAGE_TICK_S = 1;
/** Four fifths of a link of 100 Mbit/s: 280 people who watch a world of 15,000 aircraft each second, or 950 who do so every 10 s. */
const PAGE_EGRESS = 10_000_000;

export const pushOptions = {
  push: {
    ...textOption('push', 'HOST:PORT', 'WebSocket and event streams; the HTTP port hands /ws/ and /v2/stream over to it'),
    fallback: endpoint('127.0.0.1', 8081) as Endpoint,
    parse: parseEndpoint,
  },
  pushTick: {
    ...textOption('push-tick', 'SECONDS', 'interval of the streams'),
    fallback: TICK_S,
    parse: numberBetween(limits.tickOptionSecondsMin, limits.tickOptionSecondsMax),
  },
  pageTick: {
    ...textOption('page-tick', 'SECONDS', 'interval of the streams of pages'),
    fallback: PAGE_TICK_S,
    parse: numberBetween(limits.tickOptionSecondsMin, limits.tickOptionSecondsMax),
  },
  pageEgress: {
    ...textOption(
      'page-egress',
      'BYTES',
      'bytes a second of frames to all pages together; when they are sent more, all of them get frames every 2, 5 or 10 s instead',
    ),
    fallback: PAGE_EGRESS,
    parse: integerBetween(1, limits.pageEgressOptionMax),
  },
  pushTransport: {
    ...textOption('push-transport', 'uws|ws', 'uws: uWebSockets.js where its native code loads, otherwise ws'),
    fallback: 'uws' as TransportPreference,
    parse: oneOf<TransportPreference>(['uws', 'ws']),
  },
} as const;

export const grpcOption = {
  ...textOption('grpc', 'HOST:PORT', 'record service over gRPC, without TLS'),
  fallback: endpoint('127.0.0.1', 8082) as Endpoint,
  parse: parseEndpoint,
} as const;

export const addressOption = (flag: string, help: string) =>
  ({ ...textOption(flag, 'HOST:PORT', help), fallback: null as Endpoint | null, parse: parseEndpoint }) as const;

export const outputOptions = {
  sbs: addressOption('sbs', 'listening address for programs that read SBS-1 (BaseStation) text; off by default'),
  beastOut: addressOption('beast-out', 'listening address for programs that read the raw frames as Beast; off by default'),
} as const;

export const displayOptions = {
  tar1090: textOption('tar1090', 'DIR', 'a copy of tar1090 to serve under /tar1090/: the folder that has its index.html'),
  writeJson: textOption(
    'write-json',
    'DIR',
    'write what /data/ serves as files into this folder, for programs that read a folder; it must exist',
  ),
} as const;

export const toolOptions = {
  mcpTrial: switchOption(
    'mcp-trial',
    'open the tool server for AI assistants (/mcp) to every caller; without it, only to programs on this machine',
  ),
} as const;

/** Listening addresses of the outputs; null for off. */
export interface OutputAddresses {
  readonly sbs: Endpoint | null;
  readonly beastOut: Endpoint | null;
}

/** Connections that the outputs may have. */
export function outputConnectionsMax({ sbs, beastOut }: OutputAddresses): number {
  return [sbs, beastOut].filter((address) => address !== null).length * limits.outputClientsMax;
}
