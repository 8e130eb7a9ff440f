// The AsyncAPI 3 document of the push channels: WebSocket in three profiles, server-sent events, the snapshot over HTTP, and the TCP outputs.
import {
  BINARY_PROTOCOL,
  closeCodes,
  EVENTS_PATH,
  NAMED_PROTOCOL,
  SNAPSHOT_PATH,
  socketPaths,
  TOKEN_PROTOCOL,
} from '../../../../schemas/push.ts';
import type { Examples } from '../examples.ts';
import type { JsonSchema } from '../schemas.ts';
import { querySchema } from './filters.ts';
import { pushMessages, pushSchemas } from './messages.ts';

export interface PushContractSource {
  readonly examples: Examples;
  /** Release of the service. */
  readonly version: string;
  /** Public address without a trailing slash; '' if it is not known. */
  readonly baseUrl: string;
}

const DESCRIPTION = `Live aircraft as streams: a \`full\` with all aircraft of a filter, then at each tick a \`delta\` with what changed. Ticks come every 10 s unless
\`--push-tick\` says otherwise, for all clients at once.

**Three profiles.** Without a subprotocol: JSON, only \`full\` and \`delta\`. \`${NAMED_PROTOCOL}\`: the same with named streams, filters that change, and resume.
\`${BINARY_PROTOCOL}\`: the same as compressed binary frames, a thirtieth of the bytes. The subprotocol chooses; the addresses ${socketPaths.map((path) => `\`${path}\``).join(', ')} are the same.

**Resume.** Frames of the last 3 ticks or 60 s, whichever is longer, are sent again to a client that names the stream and \`seq\` of its newest frame.

**Tokens.** As \`Authorization: Bearer\`, as a subprotocol \`${TOKEN_PROTOCOL}…\` beside the profile, or as \`?token=\`. A connection that is refused gets an HTTP
response with \`application/problem+json\` and status 400, 401, 403, 404, 429 or 503, the message \`Refused\`; WebSocket clients get it instead of the upgrade.

**Compatibility.** Members, messages of the v2 profiles and filters may be added: ignore what you do not know. Other changes get a new subprotocol.`;

const BINDING = { ws: '0.1.0', http: '0.3.0' } as const;
const FRAMES = ['Full', 'Delta'];
const BINARY_FRAMES = ['BinaryFull', 'BinaryDelta'];
const CONTROL = ['Hello', 'Status', 'Error', 'Pong'];
/** The response of HTTP instead of a stream. */
const REFUSED = 'Refused';
const REQUESTS = ['Subscribe', 'Unsubscribe', 'Resume', 'Ping'];

interface ChannelSource {
  readonly address: string | null;
  readonly server: 'socket' | 'http' | 'sbs' | 'beast';
  readonly title: string;
  readonly description: string;
  readonly sends: readonly string[];
  readonly receives?: readonly string[];
  /** Null: the profile without a subprotocol. */
  readonly protocol?: string | null;
  readonly query?: JsonSchema;
}

const channels: Readonly<Record<string, ChannelSource>> = {
  plain: {
    ...{ address: '/ws/', server: 'socket', protocol: null, query: querySchema(['zone']), title: 'Default profile' },
    description:
      'JSON texts, only `full` and `delta`, of the filter in the query. What the client sends is ignored. After a gap in `seq` reconnect; a client that read too slowly gets a new `full` when it has read the rest.',
    sends: ['PlainFull', 'PlainDelta'],
  },
  named: {
    ...{
      address: '/v2/ws',
      server: 'socket',
      protocol: NAMED_PROTOCOL,
      query: querySchema(['zones', 'resume']),
      title: 'JSON with control messages',
    },
    description:
      'Frames name their stream. A query with a filter or zones subscribes at once; otherwise the client sends `subscribe`. Each change of the subscription gives the new streams a `full`.',
    sends: [...FRAMES, ...CONTROL],
    receives: REQUESTS,
  },
  binary: {
    ...{ address: '/v2/ws', server: 'socket', protocol: BINARY_PROTOCOL, query: querySchema(['zones', 'resume']), title: 'Binary frames' },
    description:
      'The same streams as binary messages; control messages are JSON texts. A `full` of many aircraft is better fetched over HTTP, from the channel `snapshot`, and continued with `stream` and `seq` of its header.',
    sends: [...BINARY_FRAMES, ...CONTROL],
    receives: REQUESTS,
  },
  events: {
    ...{ address: EVENTS_PATH, server: 'http', query: querySchema(['zones', 'resume']), title: 'Server-sent events' },
    description:
      'The frames of `aircraft.v2.json` as events. A comment every 30 s keeps the connection. `Last-Event-ID` resumes, which EventSource sends by itself.',
    sends: ['FullEvent', 'DeltaEvent', REFUSED],
  },
  snapshot: {
    ...{ address: SNAPSHOT_PATH, server: 'http', query: querySchema(['zone']), title: 'Snapshot over HTTP' },
    description:
      'One binary `full` of the filter in the query, as the body of the response. Connect to the channel `binary` with `stream` and `seq` of its header to get the deltas after it.',
    sends: ['BinaryFull', REFUSED],
  },
  sbs: {
    ...{ address: null, server: 'sbs', title: 'SBS-1 output', sends: ['SbsLines'] },
    description: 'Off unless `--sbs HOST:PORT` is given. What clients send is ignored.',
  },
  beast: {
    ...{ address: null, server: 'beast', title: 'Beast output', sends: ['BeastRecords'] },
    description: 'Off unless `--beast-out HOST:PORT` is given. What clients send is ignored.',
  },
};

/** The document as plain data. */
export function pushContract({ examples, version, baseUrl }: PushContractSource): JsonSchema {
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Squitter streams',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: servers(baseUrl),
    channels: Object.fromEntries(Object.entries(channels).map(([id, source]) => [id, channel(source)])),
    operations: Object.fromEntries(Object.entries(channels).flatMap(([id, source]) => operations(id, source))),
    components: { schemas: pushSchemas(), messages: pushMessages(examples) },
  };
}

function servers(baseUrl: string): JsonSchema {
  const output = (name: string, port: number) => ({
    host: `127.0.0.1:${port}`,
    protocol: 'tcp',
    description: `the address that \`${name}\` gives`,
  });
  const { pathname, protocol, host } = new URL(baseUrl === '' ? 'http://unknown' : baseUrl);
  const secure = protocol === 'https:' ? 's' : '';
  const variables = { address: { default: '127.0.0.1:8080', description: 'host and port of this service' } };
  const known = { host, ...(pathname === '/' ? {} : { pathname }) };
  const service = { ...(baseUrl === '' ? { host: '{address}', variables } : known), description: 'this service' };
  return {
    socket: { ...service, protocol: `ws${secure}` },
    http: { ...service, protocol: `http${secure}` },
    sbs: output('--sbs', 30_003),
    beast: output('--beast-out', 30_005),
  };
}

const messageRef = (name: string) => ({ $ref: `#/components/messages/${name}` });

function channel({ address, server, title, description, sends, receives = [], protocol, query }: ChannelSource): JsonSchema {
  const isSocket = server === 'socket';
  return {
    address,
    title,
    description,
    servers: [{ $ref: `#/servers/${server}` }],
    messages: Object.fromEntries([...sends, ...receives].map((name) => [name, messageRef(name)])),
    ...(isSocket ? { bindings: { ws: socketBinding(protocol ?? null, query!) }, 'x-close-codes': closeCodes } : {}),
  };
}

function socketBinding(protocol: string | null, query: JsonSchema): JsonSchema {
  const offered = text(`the profile, and perhaps a token as \`${TOKEN_PROTOCOL}…\``, {
    pattern: `\\b${protocol?.replaceAll('.', '\\.')}\\b`,
  });
  const headers = {
    type: 'object',
    properties: {
      Authorization: text('`Bearer` and the token'),
      ...(protocol === null ? {} : { 'Sec-WebSocket-Protocol': { ...offered, examples: [protocol] } }),
    },
    ...(protocol === null ? {} : { required: ['Sec-WebSocket-Protocol'] }),
  };
  return { method: 'GET', query, headers, bindingVersion: BINDING.ws };
}

function text(description: string, more: object = {}): JsonSchema {
  return { type: 'string', description, ...more };
}

/** Which messages come back after a request. */
const replies: Readonly<Record<string, readonly string[]>> = { Subscribe: ['full', 'Error'], Resume: ['delta', 'Error'], Ping: ['Pong'] };

function operations(id: string, { server, sends, receives = [], query }: ChannelSource): [string, JsonSchema][] {
  const channelRef = { $ref: `#/channels/${id}` };
  const refs = (names: readonly string[]) => names.map((name) => ({ $ref: `#/channels/${id}/messages/${name}` }));
  const http = server === 'http' ? { bindings: { http: { method: 'GET', query, bindingVersion: BINDING.http } } } : {};
  const [full, delta] = sends as [string, string];
  const named = (name: string): string => (name === 'full' ? full : name === 'delta' ? delta : name);
  return [
    [
      `${id}.send`,
      { action: 'send', summary: `the service sends: ${sends.join(', ')}`, channel: channelRef, messages: refs(sends), ...http },
    ],
    ...receives.map((name): [string, JsonSchema] => [
      `${id}.${name.toLowerCase()}`,
      {
        ...{ action: 'receive', summary: `the client sends ${name}`, channel: channelRef, messages: refs([name]) },
        ...(name in replies ? { reply: { channel: channelRef, messages: refs(replies[name]!.map(named)) } } : {}),
      },
    ]),
  ];
}
