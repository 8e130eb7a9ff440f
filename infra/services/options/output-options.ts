// Options of what clients connect to beside the HTTP port. Apart from the services: reading the configuration loads none of them.
import { type Endpoint, endpoint, integerBetween, numberBetween, parseEndpoint } from '../../../pipeline/runtime/options.ts';
import type { TransportPreference } from '../../../push/transport/open-transport.ts';
import { limits } from '../../../schemas/limits/index.ts';

const TICK_S = 10;
const PAGE_TICK_S = 1;
/** Four fifths of a link of 100 Mbit/s: 280 people who watch a world of 15,000 aircraft each second, or 950 who do so every 10 s. */
const PAGE_EGRESS = 10_000_000;

export const pushOptions = {
  push: {
    flag: 'push',
    value: 'HOST:PORT',
    env: 'SQUITTER_PUSH',
    help: 'WebSocket and event streams; the HTTP port hands /ws/ and /v2/stream over to it',
    fallback: endpoint('127.0.0.1', 8081) as Endpoint,
    parse: parseEndpoint,
  },
  pushTick: {
    flag: 'push-tick',
    value: 'SECONDS',
    env: 'SQUITTER_PUSH_TICK',
    help: 'interval of the streams',
    fallback: TICK_S,
    parse: numberBetween(limits.tickOptionSecondsMin, limits.tickOptionSecondsMax),
  },
  pageTick: {
    flag: 'page-tick',
    value: 'SECONDS',
    env: 'SQUITTER_PAGE_TICK',
    help: 'interval of the streams of pages',
    fallback: PAGE_TICK_S,
    parse: numberBetween(limits.tickOptionSecondsMin, limits.tickOptionSecondsMax),
  },
  pageEgress: {
    flag: 'page-egress',
    value: 'BYTES',
    env: 'SQUITTER_PAGE_EGRESS',
    help: 'bytes a second of frames to all pages together; when they are sent more, all of them get frames every 2, 5 or 10 s instead',
    fallback: PAGE_EGRESS,
    parse: integerBetween(1, limits.pageEgressOptionMax),
  },
  pushTransport: {
    flag: 'push-transport',
    value: 'uws|ws',
    env: 'SQUITTER_PUSH_TRANSPORT',
    help: 'uws: uWebSockets.js where its native code loads, otherwise ws',
    fallback: 'uws' as TransportPreference,
    parse: parsePreference,
  },
} as const;

function parsePreference(text: string): TransportPreference {
  if (text !== 'uws' && text !== 'ws') throw new Error('expected uws or ws');
  return text;
}

export const grpcOption = {
  flag: 'grpc',
  value: 'HOST:PORT',
  env: 'SQUITTER_GRPC',
  help: 'record service over gRPC, without TLS',
  fallback: endpoint('127.0.0.1', 8082) as Endpoint,
  parse: parseEndpoint,
} as const;

const addressOption = (flag: string, env: string, help: string) =>
  ({ flag, value: 'HOST:PORT', env, help, fallback: null as Endpoint | null, parse: parseEndpoint }) as const;

export const outputOptions = {
  sbs: addressOption('sbs', 'SQUITTER_SBS', 'listening address for programs that read SBS-1 (BaseStation) text; off by default'),
  beastOut: addressOption(
    'beast-out',
    'SQUITTER_BEAST_OUT',
    'listening address for programs that read the raw frames as Beast; off by default',
  ),
} as const;

const folderOption = (flag: string, env: string, help: string) =>
  ({ flag, value: 'DIR', env, help, fallback: null as string | null }) as const;

export const displayOptions = {
  tar1090: folderOption('tar1090', 'SQUITTER_TAR1090', 'a copy of tar1090 to serve under /tar1090/: the folder that has its index.html'),
  writeJson: folderOption(
    'write-json',
    'SQUITTER_WRITE_JSON',
    'write what /data/ serves as files into this folder, for programs that read a folder; it must exist',
  ),
} as const;

export const toolOptions = {
  mcpTrial: {
    flag: 'mcp-trial',
    env: 'SQUITTER_MCP_TRIAL',
    help: 'open the tool server for AI assistants (/mcp) to every caller; without it, only to programs on this machine',
    fallback: false as boolean,
  },
} as const;
