// A subscriber of any profile over a real socket. It connects again after each end and continues as the documentation says. A test lets it lose its
// connection, stop reading and change its filter.
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { AircraftDecoder } from '../../push/codec/decoder.ts';
import { type AircraftFrame, AircraftStreams, type StreamState } from '../../push/codec/model.ts';
import type { Encoding } from '../../push/hub/encodings.ts';
import { BINARY_PROTOCOL, NAMED_PROTOCOL } from '../../schemas/push.ts';
import { until } from './until.ts';

type Message = AircraftFrame & { readonly code?: string };
type SentFilter = Readonly<Record<string, unknown>>;

interface ReceivedFrame {
  readonly type: string;
  readonly seq: number;
  readonly now: number;
  readonly code: string | undefined;
  /** Aircraft in the frame, new, changed or removed. */
  readonly aircraft: number;
}

interface Connection {
  /** The client gave it up: its frames are of the filter, or of the service, before. */
  isAbandoned: boolean;
}

const AGAIN_MS = 150;
const protocols: Readonly<Partial<Record<Encoding, string>>> = { named: NAMED_PROTOCOL, binary: BINARY_PROTOCOL };

export class StreamClient {
  readonly encoding: Encoding;
  filter: SentFilter;
  readonly received: ReceivedFrame[] = [];
  connections = 0;
  resumes = 0;
  /** Close codes of ended connections; 1006 without a close frame. */
  readonly ends: number[] = [];
  /** HTTP statuses of refused ones. */
  readonly refusals: number[] = [];
  /** Deltas that did not follow the frame before: the service must never send one. */
  readonly missed: string[] = [];
  /** The newest state; null without a `full`. */
  state: StreamState | null = null;
  /** Called after each frame that was applied. */
  onState: (state: StreamState, stream: string) => void = () => {};
  private readonly addresses: () => readonly string[];
  private model = new AircraftStreams();
  private decoder = new AircraftDecoder();
  private stream: string | null = null;
  /** The stream that it is leaving. */
  private left: string | null = null;
  private connection: Connection = { isAbandoned: false };
  private socket: WebSocket | null = null;
  private request: ClientRequest | null = null;
  private response: IncomingMessage | null = null;
  /** No frame has come over this connection. */
  private isFirst = true;
  private isClosed = false;
  private work: Promise<void> = Promise.resolve();

  /** `addresses`: HOST:PORT of each service; after an end the next one is tried. */
  constructor(encoding: Encoding, addresses: () => readonly string[], filter: SentFilter = {}) {
    [this.encoding, this.addresses, this.filter] = [encoding, addresses, filter];
    this.connect();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  get isChanging(): boolean {
    return this.left !== null;
  }

  /** The frames of a type, oldest first. */
  framesOf(type: string): readonly ReceivedFrame[] {
    return this.received.filter((frame) => frame.type === type);
  }

  async untilFull(): Promise<void> {
    await until(() => this.state !== null, 'a full');
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
    if (!this.isOpen || this.encoding === 'plain') return;
    for (let n = 0; n < times; n += 1) this.subscribe();
  }

  /** To another filter; unless the previous change is under way. */
  change(filter: SentFilter): void {
    if (this.isChanging || filter === this.filter) return;
    this.filter = filter;
    // Frames of its earlier request may still come. The name of their stream shows that, once this connection has confirmed it.
    const isKnown = this.stream !== null && !this.isFirst;
    if (protocols[this.encoding] !== undefined && this.isOpen && isKnown) {
      this.left = this.stream;
      this.stream = null;
      this.subscribe();
    } else {
      this.forget();
      this.abandon();
      this.drop();
    }
  }

  /** Takes nothing more from the connection that it has now. */
  abandon(): void {
    this.connection.isAbandoned = true;
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

  private subscribe(): void {
    this.socket!.send(JSON.stringify({ type: 'subscribe', filter: this.filter }));
  }

  private connect(): void {
    if (this.isClosed) return;
    const addresses = this.addresses();
    const address = addresses[this.connections % addresses.length]!;
    this.connections += 1;
    this.connection = { isAbandoned: false };
    this.isFirst = true;
    this.left = null;
    // The default profile does not name its stream: nothing to resume.
    if (this.encoding === 'plain') this.forget();
    const query = Object.entries(this.filter).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    if (this.encoding === 'events') this.connectEvents(`http://${address}/v2/stream?${query.join('&')}`, this.connection);
    else this.connectSocket(`ws://${address}`, `/ws/?${query.join('&')}`, this.connection);
  }

  private connectSocket(url: string, plainPath: string, connection: Connection): void {
    const protocol = protocols[this.encoding];
    const options = { perMessageDeflate: false };
    const socket = protocol === undefined ? new WebSocket(url + plainPath, options) : new WebSocket(`${url}/v2/ws`, protocol, options);
    this.socket = socket;
    socket.on('open', () => {
      if (protocol === undefined) return;
      const resume = this.stream === null ? null : this.model.resume(this.stream);
      if (resume === null) this.subscribe();
      else socket.send(JSON.stringify(resume));
    });
    socket.on('message', (data: Buffer, isBinary: boolean) => this.enqueue(connection, data, isBinary));
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
      this.refusals.push(statusCode);
      socket.terminate();
    });
    socket.on('error', () => {});
    socket.on('close', (code) => this.again(code));
  }

  private connectEvents(url: string, connection: Connection): void {
    const state = this.stream === null ? undefined : this.model.streams.get(this.stream);
    const headers = state === undefined ? {} : { 'last-event-id': `${this.stream}:${state.seq}` };
    let text = '';
    this.request = get(url, { headers, agent: false }, (response) => {
      const { statusCode = 0 } = response;
      this.response = response;
      if (statusCode !== 200) this.refusals.push(statusCode);
      response.on('data', (chunk: Buffer) => {
        const events = (text + chunk.toString()).split('\n\n');
        text = events.pop()!;
        for (const event of statusCode === 200 ? events : []) {
          const data = /^data: (.*)$/m.exec(event)?.[1];
          if (data !== undefined) this.enqueue(connection, Buffer.from(data), false);
        }
      });
      response.on('error', () => {});
    });
    this.request.on('error', () => {});
    this.request.on('close', () => this.again(1006));
  }

  private again(code: number): void {
    if (this.isClosed) return;
    this.ends.push(code);
    // A full of the former filter may still be in the decoder. It must not become the state of the next connection.
    if (this.isChanging) this.abandon();
    setTimeout(() => this.connect(), AGAIN_MS);
  }

  /** Binary frames are inflated in their own time: all frames wait for those before them. */
  private enqueue(connection: Connection, bytes: Buffer, isBinary: boolean): void {
    this.work = this.work.then(async () => {
      if (connection !== this.connection || connection.isAbandoned || this.isClosed) return;
      const { decoder } = this;
      try {
        const frame = isBinary ? await decoder.decode(bytes) : (JSON.parse(bytes.toString()) as Message);
        // Also if the connection is lost meanwhile: the decoder has taken the frame, and the next connection resumes behind it.
        if (frame !== null && decoder === this.decoder && !connection.isAbandoned) this.receive(frame);
      } catch (error) {
        this.missed.push(String(error));
      }
    });
  }

  private receive(frame: Message): void {
    const { type, stream = '', seq = -1, now = -1, code } = frame;
    const aircraft = [frame.ac, frame.new, frame.update, frame.remove].reduce((sum, list) => sum + (list?.length ?? 0), 0);
    this.received.push({ type, seq, now, code, aircraft });
    if (code === 'not-resumable') {
      this.forget();
      this.subscribe();
    }
    if (stream === this.left) return;
    const applied = this.model.apply(frame);
    if (applied === 'missed') this.missed.push(`${this.encoding} ${type} ${stream} ${seq}, behind ${this.model.streams.get(stream)?.seq}`);
    if (applied !== 'applied') return;
    if (type === 'full') {
      if (this.stream !== null && this.stream !== stream) this.model.forget(this.stream);
      [this.stream, this.left] = [stream, null];
    } else if (this.isFirst) this.resumes += 1;
    this.isFirst = false;
    // A delta of the filter before may come while the next one is asked for.
    if (stream !== this.stream) return;
    this.state = this.model.streams.get(stream)!;
    this.onState(this.state, stream);
  }
}
