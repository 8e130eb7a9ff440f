// A client of the streams, as one should be: it resumes, asks for new fulls, backs off and explains refusals. It needs no document: workers use it, too.
import { AircraftDecoder, type FrameError, readHeader } from '../../../push/codec/decoder.ts';
import { type AircraftFrame, AircraftStreams } from '../../../push/codec/model.ts';
import { ask, ResponseError } from './parts.ts';

/** WebSocket with the JSON of `aircraft.v2.json`, with the default JSON, with binary frames; server-sent events. */
export type StreamProfile = 'named' | 'plain' | 'binary' | 'events';
export type StreamState = 'connecting' | 'connected' | 'reconnecting' | 'stopped';
/** A message that is no frame: `hello`, `status`, `error`. */
interface StreamMessage {
  readonly type: string;
  readonly code?: string;
  readonly detail?: string;
  readonly interval_ms?: number;
}

export interface StreamOptions {
  /** Root of the service, with its trailing slash. */
  readonly baseUrl: string | URL;
  readonly profile: StreamProfile;
  /** Parameters of a subscription, as in the query of `/v2/ws`. */
  readonly filter: URLSearchParams;
  /** A frame that the model shows now, and its bytes. */
  readonly onFrame: (frame: AircraftFrame, bytes: number) => void;
  /** State, counts or intervals are others. */
  readonly onState: () => void;
  /** The problem in words; '' when it is no longer. */
  readonly onProblem: (text: string) => void;
}

const WAIT_MS_FIRST = 1000;
const WAIT_MS_MAX = 30_000;
/** A connection that lasted this long was no failure: the next wait is short again. */
const STEADY_MS = 10_000;
/** Close codes after which the same request is refused again. */
const FINAL_CODES = [1003, 1007, 1008, 1009, 4401, 4403];
const PROTOCOLS: Partial<Record<StreamProfile, string>> = { named: 'aircraft.v2.json', binary: 'aircraft.v2.bin' };
const PATHS = { named: 'v2/ws', binary: 'v2/ws', plain: 'ws/', events: 'v2/stream' } as const;

const utf8 = new TextEncoder();
const byteLength = (text: string): number => utf8.encode(text).length;
const FRESH = { cache: 'no-store' } as const;

/** One subscription, over as many connections as it takes. It connects at once. */
export class StreamClient {
  model = new AircraftStreams();
  readonly counts = { connections: 0, resumed: 0, gaps: 0 };
  state: StreamState = 'connecting';
  /** Interval of the stream, ms; null before the service says it. */
  intervalMs: number | null = null;
  /** Code and reason of the last close. */
  lastClose = 'none';
  private readonly options: StreamOptions;
  /** By stream. */
  private decoders = new Map<string, AircraftDecoder>();
  private connection: WebSocket | EventSource | null = null;
  private resumes: { readonly stream: string; readonly seq: number } | null = null;
  private hasFrame = false;
  private openedMs = 0;
  private waitMs = WAIT_MS_FIRST;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: StreamOptions) {
    this.options = options;
    void this.connect();
  }

  get isStopped(): boolean {
    return this.state === 'stopped';
  }

  stop(): void {
    clearTimeout(this.timer);
    this.leave();
    this.setState('stopped');
  }

  /** Follows other cells, each a stream, in the place of those before. */
  follow(zones: readonly string[]): void {
    this.options.filter.set('zones', zones.join(';'));
    if (this.state === 'connected') this.send({ type: 'subscribe', zones });
  }

  /** The same as after a failure of the network. */
  break(): void {
    this.leave();
    this.lastClose = 'broken here';
    this.again(0);
  }

  private setState(state: StreamState): void {
    this.state = state;
    this.options.onState();
  }

  private forget(): void {
    this.model = new AircraftStreams();
    this.decoders = new Map();
  }

  private leave(): void {
    const { connection } = this;
    this.connection = null;
    connection?.close();
  }

  private async connect(): Promise<void> {
    const { profile, filter } = this.options;
    this.resumes = null;
    this.hasFrame = false;
    if (this.resumable() === null) this.forget();
    this.setState('connecting');
    try {
      // World fulls are large: the binary profile fetches them over HTTP, and the socket carries what changed since.
      if (profile === 'binary' && this.resumable() === null && !filter.has('zones')) await this.fetchFull();
    } catch (error) {
      this.refused(error);
      return;
    }
    if (this.isStopped) return;
    const query = new URLSearchParams(filter);
    query.set('page', '1');
    const from = this.resumable();
    if (from !== null) {
      this.resumes = from;
      query.set('stream', from.stream);
      query.set('seq', String(from.seq));
    }
    const url = this.url(PATHS[profile], query);
    this.counts.connections += 1;
    this.openedMs = performance.now();
    if (profile === 'events') this.listen(new EventSource(url));
    else {
      url.protocol = url.protocol.replace('http', 'ws');
      this.talk(new WebSocket(url, PROTOCOLS[profile] ?? []));
    }
  }

  private url(path: string, query: URLSearchParams): URL {
    return new URL(`${path}?${query}`, this.options.baseUrl);
  }

  /** The newest frame of the only stream; null when only a full helps: without frames, in the default profile, and with several streams. */
  private resumable(): { stream: string; seq: number } | null {
    const { profile } = this.options;
    if (profile === 'plain' || this.model.streams.size !== 1) return null;
    const [stream, { seq }] = [...this.model.streams][0]!;
    if (profile === 'binary' && this.decoders.get(stream)?.seq === null) return null;
    return { stream, seq };
  }

  private async fetchFull(): Promise<void> {
    const response = await ask(this.url('v2/stream/snapshot', this.options.filter), null, FRESH);
    await this.takeBytes(new Uint8Array(await response.arrayBuffer()));
  }

  private talk(socket: WebSocket): void {
    this.connection = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      if (socket !== this.connection) return;
      this.setState('connected');
      // An empty query subscribes to nothing in the v2 profiles.
      if (this.options.profile !== 'plain' && this.resumes === null && this.options.filter.size === 0) this.send({ type: 'subscribe' });
    };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (socket !== this.connection) return;
      if (typeof data === 'string') this.takeText(data);
      else this.takeBytes(new Uint8Array(data)).catch(({ message }: Error) => this.startAgain(message));
    };
    socket.onclose = ({ code, reason }) => {
      if (socket !== this.connection) return;
      this.connection = null;
      this.lastClose = `${code} ${reason}`;
      if (FINAL_CODES.includes(code)) this.fail(reason === '' ? `closed with ${code}` : reason);
      else if (this.hasFrame) this.again(this.nextWaitMs());
      else void this.explain();
    };
  }

  private listen(source: EventSource): void {
    this.connection = source;
    source.onopen = () => source === this.connection && this.setState('connected');
    for (const type of ['full', 'delta'])
      source.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
        if (source === this.connection) this.apply(JSON.parse(data), byteLength(`event: ${type}\nid: ${lastEventId}\ndata: ${data}\n\n`));
      });
    // The browser reconnects by itself with Last-Event-ID, unless it was refused.
    source.onerror = () => {
      if (source !== this.connection) return;
      this.lastClose = 'ended';
      if (source.readyState === EventSource.CLOSED) {
        this.connection = null;
        void this.explain();
      } else {
        this.counts.connections += 1;
        this.resumes = this.resumable();
        this.setState('reconnecting');
      }
    };
  }

  private send(message: object): void {
    if (this.connection instanceof WebSocket) this.connection.send(JSON.stringify(message));
  }

  private takeText(text: string): void {
    const message = JSON.parse(text) as StreamMessage;
    // A status has the interval when it changes.
    this.intervalMs = message.interval_ms ?? this.intervalMs;
    if (message.type === 'error' && message.code === 'not-resumable') this.subscribeAgain();
    else if (message.type === 'error') this.options.onProblem(`${message.code}: ${message.detail}`);
    else if (message.type === 'status') this.options.onProblem(message.detail ?? '');
    else if (message.type !== 'hello') {
      this.apply(message, byteLength(text));
      return;
    }
    this.options.onState();
  }

  private async takeBytes(bytes: Uint8Array): Promise<void> {
    const { stream } = readHeader(bytes);
    const decoder = this.decoders.get(stream) ?? new AircraftDecoder();
    this.decoders.set(stream, decoder);
    try {
      const frame = await decoder.decode(bytes);
      if (frame !== null) this.apply(frame, bytes.length);
    } catch (error) {
      if ((error as FrameError).code !== 'gap') throw error;
      this.resume();
    }
  }

  private apply(frame: AircraftFrame, bytes: number): void {
    if (this.isStopped) return;
    // The stream could not be resumed: this one is in its place.
    if (this.resumes !== null && frame.type === 'full' && frame.stream !== this.resumes.stream) this.model.forget(this.resumes.stream);
    const applied = this.model.apply(frame);
    if (applied === 'missed') {
      this.resume();
      return;
    }
    if (applied !== 'applied') return;
    if (this.resumes !== null && frame.type === 'delta' && frame.seq === this.resumes.seq + 1) this.counts.resumed += 1;
    this.resumes = null;
    this.hasFrame = true;
    this.options.onProblem('');
    this.options.onFrame(frame, bytes);
    this.options.onState();
  }

  /** Frames are missing. */
  private resume(): void {
    if (this.resumes !== null) return;
    this.counts.gaps += 1;
    const from = this.resumable();
    if (from === null || this.options.profile === 'events') this.startAgain();
    else {
      this.resumes = from;
      this.send({ type: 'resume', ...from });
    }
  }

  /** A second stream of this address may have another interval than its snapshot over HTTP: a full on the socket always fits. */
  private subscribeAgain(): void {
    if (this.options.filter.size > 0) this.startAgain();
    else {
      this.forget();
      this.resumes = null;
      this.send({ type: 'subscribe' });
    }
  }

  /** Only a new full helps. */
  private startAgain(problem = ''): void {
    this.forget();
    this.again(this.nextWaitMs(), problem);
  }

  /** Browsers do not say why a connection was refused; the same request over HTTP does. */
  private async explain(): Promise<void> {
    const waiting = new AbortController();
    const refusal = await ask(this.url('v2/stream', this.options.filter), waiting.signal, FRESH).then(
      () => new Error('the connection was refused'),
      (error: unknown) => error,
    );
    waiting.abort();
    this.refused(refusal);
  }

  /** Connects again later, unless the same request would be refused again. */
  private refused(error: unknown): void {
    if (this.isStopped) return;
    const { isFinal, retryAfterS } = error instanceof ResponseError ? error : { isFinal: false, retryAfterS: 0 };
    const problem = error instanceof TypeError ? 'the service does not respond' : (error as Error).message;
    if (isFinal) this.fail(problem);
    else this.again(Math.max(this.nextWaitMs(), 1000 * retryAfterS), problem);
  }

  /** Twice as long after each failure, and never at once for all clients of a service that started again. */
  private nextWaitMs(): number {
    if (this.hasFrame && performance.now() - this.openedMs > STEADY_MS) this.waitMs = WAIT_MS_FIRST;
    const waitMs = this.waitMs * (0.5 + Math.random());
    this.waitMs = Math.min(2 * this.waitMs, WAIT_MS_MAX);
    return waitMs;
  }

  private again(waitMs: number, problem = ''): void {
    this.leave();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.connect(), waitMs);
    if (problem !== '') this.options.onProblem(`${problem}; trying again in ${Math.ceil(waitMs / 1000)} s`);
    this.setState('reconnecting');
  }

  private fail(problem: string): void {
    this.stop();
    this.options.onProblem(problem);
  }
}
