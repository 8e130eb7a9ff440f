// A WebSocket client of the streams: its model of the aircraft, what it received, and how it ended. `follow` connects again, as real clients do.
import { WebSocket } from 'ws';
import { type Aircraft, type AircraftFrame, AircraftStreams } from '../../push/codec/model.ts';
import { until } from './until.ts';

export interface ReceivedFrame {
  readonly type: string;
  readonly stream?: string;
  readonly seq: number;
  readonly now: number;
  readonly code?: string;
  /** Aircraft in the frame, new, changed or removed. */
  readonly aircraft: number;
}

export interface StreamClientOptions {
  /** HOST:PORT of each service; after an end the next one is tried. */
  readonly addresses: readonly string[];
  readonly path?: string;
  /** Null: the default profile. */
  readonly protocol?: string | null;
  /** Connect again after an end, and resume. */
  readonly follow?: boolean;
}

const AGAIN_MS = 200;

export class StreamClient {
  readonly model = new AircraftStreams();
  readonly received: ReceivedFrame[] = [];
  /** Close codes of ended connections; 1006 without a close frame. */
  readonly ends: number[] = [];
  /** HTTP statuses of refused ones. */
  readonly refusals: number[] = [];
  /** Frames that the model could not apply. */
  missed = 0;
  private readonly options: StreamClientOptions;
  private socket: WebSocket | null = null;
  private turn = 0;
  private isClosed = false;

  constructor(options: StreamClientOptions) {
    this.options = options;
    this.connect();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** HOST:PORT of the newest connection. */
  get address(): string {
    return this.options.addresses[this.turn % this.options.addresses.length]!;
  }

  /** The frames of a type, oldest first. */
  framesOf(type: string): readonly ReceivedFrame[] {
    return this.received.filter((frame) => frame.type === type);
  }

  /** The state of its only stream; null without a `full`. */
  get state(): { readonly now: number; readonly aircraft: ReadonlyMap<string, Aircraft> } | null {
    return [...this.model.streams.values()].at(-1) ?? null;
  }

  send(message: object): void {
    this.socket!.send(JSON.stringify(message));
  }

  async untilFulls(count: number, msMax?: number): Promise<void> {
    await until(() => this.framesOf('full').length >= count, `${count} fulls`, msMax);
  }

  close(): void {
    this.isClosed = true;
    this.socket?.terminate();
  }

  private connect(): void {
    const { path = '/v2/ws', protocol = null, follow = false } = this.options;
    const socket = new WebSocket(`ws://${this.address}${path}`, protocol === null ? [] : [protocol], { perMessageDeflate: false });
    this.socket = socket;
    socket.on('open', () => {
      if (protocol === null) return;
      const [stream] = this.model.streams.keys();
      this.send(stream === undefined ? { type: 'subscribe' } : this.model.resume(stream)!);
    });
    socket.on('unexpected-response', (_request, response) => {
      this.refusals.push(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('message', (data) => this.receive(JSON.parse(String(data)) as AircraftFrame & { readonly code?: string }));
    socket.on('error', () => {});
    socket.on('close', (code) => {
      this.ends.push(code);
      if (!follow || this.isClosed) return;
      this.turn += 1;
      setTimeout(() => {
        if (!this.isClosed) this.connect();
      }, AGAIN_MS);
    });
  }

  private receive(frame: AircraftFrame & { readonly code?: string }): void {
    const { type, stream, seq = -1, now = -1, code } = frame;
    const aircraft = [frame.ac, frame.new, frame.update, frame.remove].reduce((sum, list) => sum + (list?.length ?? 0), 0);
    this.received.push({ type, seq, now, aircraft, ...(stream === undefined ? {} : { stream }), ...(code === undefined ? {} : { code }) });
    // A stream of another process: what was known is forgotten.
    if (type === 'full') for (const known of this.model.streams.keys()) if (known !== (stream ?? '')) this.model.forget(known);
    if (type === 'error' && code === 'not-resumable') this.send({ type: 'subscribe' });
    if (this.model.apply(frame) === 'missed') this.missed += 1;
  }
}
