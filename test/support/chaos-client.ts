// A subscriber of any profile over a real socket, which loses its connection, stops reading and changes its filter, and continues as the documentation says.
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { AircraftDecoder } from '../../push/codec/decoder.ts';
import { type AircraftFrame, AircraftStreams, type StreamState } from '../../push/codec/model.ts';
import type { Encoding } from '../../push/hub/encodings.ts';
import { BINARY_PROTOCOL, NAMED_PROTOCOL } from '../../schemas/push.ts';

type Message = AircraftFrame & { readonly code?: string };

export interface ChaosCounts {
  connections: number;
  resumes: number;
  fulls: number;
  deltas: number;
  /** Deltas that did not follow the frame before: the service must never send one. */
  missed: string[];
  refused: number;
  ends: number[];
}

const AGAIN_MS = 150;

export class ChaosClient {
  readonly encoding: Encoding;
  readonly counts: ChaosCounts = { connections: 0, resumes: 0, fulls: 0, deltas: 0, missed: [], refused: 0, ends: [] };
  filter: Readonly<Record<string, unknown>>;
  /** Called after each frame that was applied. */
  onState: (state: StreamState, stream: string) => void = () => {};
  private readonly addressOf: () => string;
  private model = new AircraftStreams();
  private decoder = new AircraftDecoder();
  private stream: string | null = null;
  /** The stream that it is leaving. */
  private left: string | null = null;
  private socket: WebSocket | null = null;
  private request: ClientRequest | null = null;
  private response: IncomingMessage | null = null;
  private events = '';
  private isFirst = true;
  private isClosed = false;
  private work: Promise<void> = Promise.resolve();
  /** Number of the connection: messages of earlier connections are ignored. */
  private turn = 0;
  /** Number of a connection that the client gave up: what it still brings is of the filter, or of the service, before. */
  private abandonedTurn = -1;

  constructor(encoding: Encoding, filter: Readonly<Record<string, unknown>>, addressOf: () => string) {
    this.encoding = encoding;
    this.filter = filter;
    this.addressOf = addressOf;
    this.connect();
  }

  /** The connection is reset; the client connects again after a while. */
  drop(): void {
    const { socket, request } = this;
    if (socket !== null) (socket as unknown as { readonly _socket?: { resetAndDestroy(): void } })._socket?.resetAndDestroy();
    socket?.terminate();
    request?.destroy();
  }

  /** Stops reading, or continues. */
  stall(isStalled: boolean): void {
    if (isStalled) {
      this.socket?.pause();
      this.response?.pause();
    } else {
      if (this.socket?.isPaused) this.socket.resume();
      this.response?.resume();
    }
  }

  /** Asks for a full, several times: what it does not read fills the way to it. */
  ask(times: number): void {
    if (this.socket?.readyState !== WebSocket.OPEN || this.encoding === 'plain') return;
    for (let n = 0; n < times; n += 1) this.send({ type: 'subscribe', filter: this.filter });
  }

  get isChanging(): boolean {
    return this.left !== null;
  }

  /** To another filter; unless the previous change is under way. */
  change(filter: Readonly<Record<string, unknown>>): void {
    if (this.isChanging || filter === this.filter) return;
    this.filter = filter;
    // Frames of its earlier request may still come. The name of their stream shows that, once this connection has confirmed it.
    const isKnown = this.stream !== null && !this.isFirst;
    if ((this.encoding === 'named' || this.encoding === 'binary') && this.socket?.readyState === WebSocket.OPEN && isKnown) {
      this.left = this.stream;
      this.stream = null;
      this.send({ type: 'subscribe', filter });
    } else {
      this.forget();
      this.abandon();
      this.drop();
    }
  }

  /** Takes nothing more from the connection that it has now. */
  abandon(): void {
    this.abandonedTurn = this.turn;
  }

  close(): void {
    this.isClosed = true;
    this.drop();
  }

  private forget(): void {
    this.model = new AircraftStreams();
    this.decoder = new AircraftDecoder();
    this.stream = null;
  }

  private send(message: object): void {
    this.socket?.send(JSON.stringify(message));
  }

  private connect(): void {
    if (this.isClosed) return;
    this.turn += 1;
    this.isFirst = true;
    this.left = null;
    this.counts.connections += 1;
    // The default profile does not name its stream: nothing to resume.
    if (this.encoding === 'plain') this.forget();
    if (this.encoding === 'events') this.connectEvents(this.turn);
    else this.connectSocket(this.turn);
  }

  private connectSocket(turn: number): void {
    const protocol = this.encoding === 'named' ? NAMED_PROTOCOL : this.encoding === 'binary' ? BINARY_PROTOCOL : null;
    const path = protocol === null ? `/ws/?${queryOf(this.filter)}` : '/v2/ws';
    const socket = new WebSocket(`ws://${this.addressOf()}${path}`, protocol === null ? [] : [protocol], { perMessageDeflate: false });
    this.socket = socket;
    socket.on('open', () => {
      if (protocol === null) return;
      const resume = this.stream === null ? null : this.model.resume(this.stream);
      this.send(resume ?? { type: 'subscribe', filter: this.filter });
    });
    socket.on('message', (data: Buffer, isBinary: boolean) => this.enqueue(turn, data, isBinary));
    socket.on('unexpected-response', () => {
      this.counts.refused += 1;
      socket.terminate();
    });
    socket.on('error', () => {});
    socket.on('close', (code) => this.again(turn, code));
  }

  private connectEvents(turn: number): void {
    const [host, port] = this.addressOf().split(':') as [string, string];
    const state = this.stream === null ? undefined : this.model.streams.get(this.stream);
    const headers = state === undefined ? {} : { 'last-event-id': `${this.stream}:${state.seq}` };
    this.events = '';
    const request = get({ host, port: Number(port), path: `/v2/stream?${queryOf(this.filter)}`, headers, agent: false }, (response) => {
      this.response = response;
      if (response.statusCode !== 200) this.counts.refused += 1;
      response.on('data', (chunk: Buffer) => {
        if (turn === this.turn && response.statusCode === 200) this.takeEvents(turn, chunk.toString());
      });
      response.on('error', () => {});
      response.on('close', () => this.again(turn, 1006));
    });
    this.request = request;
    request.on('error', () => this.again(turn, 1006));
  }

  private takeEvents(turn: number, text: string): void {
    this.events += text;
    const events = this.events.split('\n\n');
    this.events = events.pop()!;
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) this.enqueue(turn, Buffer.from(data), false);
    }
  }

  private again(turn: number, code: number): void {
    if (turn !== this.turn || this.isClosed) return;
    this.counts.ends.push(code);
    this.turn += 1;
    setTimeout(() => this.connect(), AGAIN_MS);
  }

  /** Binary frames are inflated in their own time: all frames wait for those before them. */
  private enqueue(turn: number, bytes: Buffer, isBinary: boolean): void {
    this.work = this.work.then(async () => {
      if (turn !== this.turn || turn === this.abandonedTurn || this.isClosed) return;
      const { decoder } = this;
      try {
        const frame = isBinary ? await decoder.decode(bytes) : (JSON.parse(bytes.toString()) as Message);
        // Also if the connection is lost meanwhile: the decoder has taken the frame, and the next connection resumes behind it.
        if (frame !== null && decoder === this.decoder && turn !== this.abandonedTurn) this.receive(frame);
      } catch (error) {
        this.counts.missed.push(String(error));
      }
    });
  }

  private receive(frame: Message): void {
    const { type, stream = '' } = frame;
    if (type === 'error' && frame.code === 'not-resumable') {
      this.forget();
      this.send({ type: 'subscribe', filter: this.filter });
    }
    if (type !== 'full' && type !== 'delta') return;
    if (stream === this.left) return;
    const applied = this.model.apply(frame);
    if (applied === 'missed')
      this.counts.missed.push(`${this.encoding} ${type} ${stream} ${frame.seq}, behind ${this.model.streams.get(stream)?.seq}`);
    if (applied !== 'applied') return;
    if (type === 'full') {
      if (this.stream !== null && this.stream !== stream) this.model.forget(this.stream);
      [this.stream, this.left] = [stream, null];
      this.counts.fulls += 1;
    } else {
      this.counts.deltas += 1;
      if (this.isFirst) this.counts.resumes += 1;
    }
    this.isFirst = false;
    // A delta of the filter before may come while the next one is asked for.
    if (stream === this.stream) this.onState(this.model.streams.get(stream)!, stream);
  }
}

function queryOf(filter: Readonly<Record<string, unknown>>): string {
  return Object.entries(filter)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}
