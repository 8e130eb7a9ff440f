// The stand of a case of the transport's contract: a transport, everything that it reported, and clients that are ended afterwards.
import { expect } from 'vitest';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import type {
  FrameForChannel,
  Opening,
  SocketId,
  Transport,
  TransportEvents,
  TransportLimits,
  TransportOptions,
} from '../../push/transport/transport.ts';
import { opcodes, RawClient, type RawRequest, upgradeHeaders } from '../support/raw-web-socket.ts';
import { until } from '../support/until.ts';

/** Deviations of an adapter. Each case that is affected says what happens instead. */
export interface Differences {
  /** A message of more than twice the limit, and a malformed frame, end the connection without a close frame. */
  readonly endsWithoutCloseFrame: boolean;
  /** Bytes without a mask are unmasked all the same, and give nonsense. */
  readonly takesUnmaskedFrames: boolean;
  /** Bytes that a client sends before its response are read as a second request, which ends the connection. */
  readonly losesEarlyMessages: boolean;
  /** A request that is malformed, or not complete in time, gets no response. */
  readonly closesMalformedRequests: boolean;
}

export interface Subject {
  /** Resolves when it listens. */
  readonly open: (options: TransportOptions, events: TransportEvents) => Promise<Transport>;
  readonly differences: Differences;
}

export type Reported =
  | { readonly type: 'opening'; readonly opening: Opening }
  | { readonly type: 'message'; readonly socket: SocketId; readonly text: string }
  | { readonly type: 'behind' | 'drained'; readonly socket: SocketId }
  | { readonly type: 'closed'; readonly socket: SocketId; readonly code: number };

/** Limits short enough to be waited for, and long enough for a machine that stands still for a moment. */
const QUICK: Partial<TransportLimits> = {
  pushOpeningMsMax: 20_000,
  pushHandshakeMsMax: 20_000,
  pushBehindMsMax: 60_000,
  pushPingMs: 60_000,
  halfClosedMsMax: 500,
  clientsStopMsMax: 1000,
  pushSweepMs: 50,
};

export class Stand {
  readonly reported: Reported[] = [];
  readonly clients: RawClient[] = [];
  /** Decides an opening; all are accepted unless this is replaced. */
  onOpening: (opening: Opening) => void = ({ socket }) => this.transport.accept(socket, null);
  onMessage: (socket: SocketId, text: string) => void = () => {};
  transport!: Transport;

  static async open(subject: Subject, limits: Partial<TransportLimits> = {}, options: Partial<TransportOptions> = {}): Promise<Stand> {
    const stand = new Stand();
    const events: TransportEvents = {
      opening: (opening) => {
        stand.reported.push({ type: 'opening', opening });
        stand.onOpening(opening);
      },
      message: (socket, text) => {
        stand.reported.push({ type: 'message', socket, text });
        stand.onMessage(socket, text);
      },
      behind: (socket) => stand.reported.push({ type: 'behind', socket }),
      drained: (socket) => stand.reported.push({ type: 'drained', socket }),
      closed: (socket, code) => stand.reported.push({ type: 'closed', socket, code }),
    };
    const all: TransportOptions = {
      host: '127.0.0.1',
      port: 0,
      flag: '--push',
      socketsMax: 100,
      hop: null,
      ...options,
      limits: { ...QUICK, ...limits },
    };
    stand.transport = await subject.open(all, events);
    return stand;
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.socket.destroy();
    await this.transport.close();
    const closed = this.reported.flatMap((event) => (event.type === 'closed' ? [event.socket] : []));
    const opened = this.openings.map(({ socket }) => socket);
    // The promise that every case checks.
    expect(
      closed.toSorted((a, b) => a - b),
      'each socket is closed exactly once',
    ).toEqual(opened.toSorted((a, b) => a - b));
    const left = new Set<SocketId>();
    for (const event of this.reported) {
      const socket = event.type === 'opening' ? event.opening.socket : event.socket;
      expect(left.has(socket), `an event of socket ${socket} behind its closed`).toBe(false);
      if (event.type === 'closed') left.add(socket);
    }
  }

  get openings(): Opening[] {
    return this.reported.flatMap((event) => (event.type === 'opening' ? [event.opening] : []));
  }

  get texts(): string[] {
    return this.reported.flatMap((event) => (event.type === 'message' ? [event.text] : []));
  }

  reportsOf(type: 'behind' | 'drained' | 'closed'): Reported[] {
    return this.reported.filter((event) => event.type === type);
  }

  closedCode(socket: SocketId): Promise<number> {
    return until(() => {
      const event = this.reported.find((candidate) => candidate.type === 'closed' && candidate.socket === socket);
      return event?.type === 'closed' ? event.code : null;
    }, `the end of socket ${socket}`);
  }

  async untilReported(what: string, condition: () => boolean): Promise<void> {
    await until(condition, what);
  }

  /** A client with a request under way. */
  connect(request: RawRequest = {}): RawClient {
    const client = new RawClient(this.transport.port, request.host);
    this.clients.push(client);
    return client.request(request);
  }

  /** A client whose WebSocket is open, and its socket here. */
  async webSocket(path = '/ws/'): Promise<{ readonly client: RawClient; readonly socket: SocketId }> {
    const seen = this.openings.length;
    const client = this.connect({ path, headers: upgradeHeaders });
    await client.until('an upgrade', ({ status }) => status === 101);
    return { client, socket: this.openings[seen]!.socket };
  }

  async eventStream(path = '/v2/stream'): Promise<{ readonly client: RawClient; readonly socket: SocketId }> {
    const seen = this.openings.length;
    const client = this.connect({ path, headers: { Connection: 'close' } });
    await client.until('an event stream', ({ status }) => status === 200);
    return { client, socket: this.openings[seen]!.socket };
  }

  /** Everything that was asked of the transport before has reached the client. */
  async settled({ client, socket }: { readonly client: RawClient; readonly socket: SocketId }): Promise<void> {
    const before = client.messages.length;
    this.transport.send(socket, text('settled'));
    await client.until('the last message', ({ messages }) =>
      messages.slice(before).some(({ payload }) => payload.equals(Buffer.from('settled'))),
    );
  }

  /** Publishes to a channel until a condition holds; at most so many times. */
  async publishUntil(frame: FrameForChannel, timesMax: number, condition: () => boolean): Promise<void> {
    for (let i = 0; i < timesMax && !condition(); i++) {
      await this.transport.publish([frame]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await until(condition, 'the effect of what was published');
  }
}

export function text(content: string): { readonly bytes: Uint8Array; readonly isBinary: false } {
  return { bytes: Buffer.from(content), isBinary: false };
}

/** Bytes that differ everywhere, so that a mistake in their order shows. */
export function pattern(length: number, seed = 1): Uint8Array {
  const random = new Random(seed);
  return Uint8Array.from({ length }, () => random.below(256));
}

export { opcodes, upgradeHeaders };
