// The hub's side of the message port: a transport that runs in a thread of its own, so that a publish never holds up the hub.
import { Worker } from 'node:worker_threads';
import { limits } from '../../../schemas/limits.ts';
import { transportLimits } from '../options.ts';
import type { ChannelId, Frame, FrameForChannel, Refusal, SocketId, Transport, TransportEvents, TransportStats } from '../transport.ts';
import {
  type Call,
  type FromTransport,
  fromPostedError,
  isShared,
  packCalls,
  type ThreadEvent,
  type ThreadOptions,
  type ToTransport,
} from './messages.ts';

type Opened = FromTransport & { type: 'opened' };
type Later = Exclude<FromTransport, { type: 'opened' | 'loaded' }>;

/** The thread has its own limit, which is shorter. */
const SILENT_CHECKS_MAX = 10;
const CLOSE_MS_MAX = limits.clientsStopMsMax + limits.halfClosedMsMax;

export class ThreadTransport implements Transport {
  readonly name: string;
  readonly port: number;
  /** Why the preferred adapter is not used; null if it is. */
  readonly reason: string | null;
  readonly #link: ThreadLink;

  /**
   * Starts the thread from its entry file. It listens after `beforeListen`, which is called when its code is loaded.
   * Errors: `listen.port_in_use`, `listen.failed`, `worker.failed`.
   */
  static async open(
    file: URL,
    options: ThreadOptions,
    events: TransportEvents,
    beforeListen: () => Promise<void> = async () => {},
  ): Promise<ThreadTransport> {
    const { threadSilentMsMax } = transportLimits(options);
    const link = new ThreadLink(new Worker(file, { workerData: options, name: 'transport' }), events, beforeListen, threadSilentMsMax);
    try {
      return new ThreadTransport(link, await link.opened);
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  private constructor(link: ThreadLink, { name, port, reason }: Opened) {
    this.#link = link;
    this.name = name;
    this.port = port;
    this.reason = reason;
  }

  /** Rejects when the thread fails, hangs, or ends without a request. All sockets are gone then. */
  get failed(): Promise<never> {
    return this.#link.failed;
  }

  accept(socket: SocketId, protocol: string | null): void {
    this.#link.call({ type: 'accept', socket, protocol });
  }

  refuse(socket: SocketId, refusal: Refusal): void {
    this.#link.call({ type: 'refuse', socket, refusal });
  }

  respond(socket: SocketId, headers: Readonly<Record<string, string>>, body: Uint8Array): void {
    this.#link.call({ type: 'respond', socket, headers, frame: { bytes: body, isBinary: true } });
  }

  join(socket: SocketId, channel: ChannelId): void {
    this.#link.call({ type: 'join', socket, channel });
  }

  leave(socket: SocketId, channel: ChannelId): void {
    this.#link.call({ type: 'leave', socket, channel });
  }

  send(socket: SocketId, frame: Frame): void {
    this.#link.call({ type: 'send', socket, frame });
  }

  drain(socket: SocketId): void {
    this.#link.call({ type: 'drain', socket });
  }

  publish(frames: readonly FrameForChannel[]): void {
    if (frames.length === 0) return;
    this.#link.call({ type: 'publish', frames });
    this.#link.flush();
  }

  end(socket: SocketId, code: number, reason: string): void {
    this.#link.call({ type: 'end', socket, code, reason });
  }

  /** As the thread last reported them: up to `limits.pushSweepMs` old. */
  stats(): TransportStats {
    return this.#link.stats!;
  }

  waitingBytes(): number {
    return this.#link.waitingBytes;
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}

/** The worker, the calls of a turn that wait to be posted, and what is on the way. */
class ThreadLink {
  readonly failed: Promise<never>;
  readonly opened: Promise<Opened>;
  stats: TransportStats | null = null;
  readonly #worker: Worker;
  readonly #events: TransportEvents;
  readonly #exited: Promise<void>;
  #fail: (error: Error) => void = () => {};
  #calls: Call[] = [];
  #unpostedBytes = 0;
  #onTheWayBytes = 0;
  #heardBytes = 0;
  #isEnded = false;
  #isNative = false;
  /** Checks in a row that found nothing from the thread. They are counted and not timed: this thread may stand still, too. */
  #silentChecks = 0;
  readonly #watch: NodeJS.Timeout;
  #closed: Promise<void> | null = null;
  #whenClosed: () => void = () => {};

  constructor(worker: Worker, events: TransportEvents, beforeListen: () => Promise<void>, silentMsMax: number) {
    this.#worker = worker;
    this.#events = events;
    this.failed = new Promise<never>((_, reject) => {
      this.#fail = (error) => {
        this.#isEnded = true;
        clearInterval(this.#watch);
        reject(error);
      };
    });
    // It may be nobody's concern: a stopping service.
    this.failed.catch(() => {});
    let whenOpened: (opened: Opened) => void = () => {};
    this.opened = Promise.race([
      this.failed,
      new Promise<Opened>((resolve) => {
        whenOpened = resolve;
      }),
    ]);
    worker.on('message', (message: FromTransport) => {
      this.#silentChecks = 0;
      if (message.type === 'loaded') {
        beforeListen().then(
          () => worker.postMessage({ type: 'listen' } satisfies ToTransport),
          (error: unknown) => this.#fail(error as Error),
        );
      } else if (message.type === 'opened') {
        this.stats = message.stats;
        this.#isNative = message.isNative;
        whenOpened(message);
      } else this.#onMessage(message);
    });
    this.#watch = setInterval(() => {
      this.#silentChecks += 1;
      if (this.#silentChecks <= SILENT_CHECKS_MAX) return;
      this.#fail(failure(`it hangs: nothing was heard of it for ${silentMsMax / 1000} s`));
      void this.#giveUp();
    }, silentMsMax / SILENT_CHECKS_MAX).unref();
    worker.on('error', (error) => this.#fail(failure(error.stack ?? error.message)));
    this.#exited = new Promise((resolve) => {
      worker.once('exit', () => {
        if (!this.#isEnded) this.#fail(failure('the thread ended unexpectedly'));
        resolve();
      });
    });
  }

  /** Calls of a turn are posted together. */
  call(call: Call): void {
    if (this.#isEnded) return;
    if (this.#calls.length === 0) queueMicrotask(() => this.flush());
    this.#calls.push(call);
    // A turn that sends much posts meanwhile: what is packed is a copy.
    if ((call.type === 'send' || call.type === 'respond') && !isShared(call.frame)) this.#unpostedBytes += call.frame.bytes.length;
    if (this.#unpostedBytes > limits.pushSocketBytesMax) this.flush();
  }

  flush(): void {
    if ((this.#calls.length === 0 && this.#heardBytes === 0) || this.#isEnded) return;
    const { calls, buffer, bytes } = packCalls(this.#calls);
    this.#calls = [];
    this.#unpostedBytes = 0;
    const message: ToTransport = { type: 'calls', calls, buffer, bytes, heardBytes: this.#heardBytes };
    this.#heardBytes = 0;
    this.#onTheWayBytes += bytes;
    if (this.#onTheWayBytes > limits.pushThreadBytesMax) {
      this.#fail(failure(`it hangs: ${this.#onTheWayBytes} bytes are on the way to it`));
      void this.#giveUp();
      return;
    }
    this.#worker.postMessage(message, [buffer]);
  }

  /** Bytes of frames that wait to be posted or are on the way. */
  get waitingBytes(): number {
    return this.#unpostedBytes + this.#onTheWayBytes;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearInterval(this.#watch);
    if (!this.#isEnded) {
      this.flush();
      const closed = new Promise<void>((resolve) => {
        this.#whenClosed = resolve;
      });
      this.#worker.postMessage({ type: 'close' } satisfies ToTransport);
      await Promise.race([closed, this.failed.catch(() => {}), wait(CLOSE_MS_MAX)]);
      this.#isEnded = true;
    }
    // A thread that does not end by itself.
    const late = wait(limits.halfClosedMsMax).then(() => this.#giveUp());
    await Promise.race([this.#exited, late]);
  }

  /** Ends a thread that does not end by itself. One with native handles is left alone, or the process would end: it closes when it runs again. */
  async #giveUp(): Promise<void> {
    if (!this.#isNative) {
      await this.#worker.terminate();
      return;
    }
    this.#worker.postMessage({ type: 'close' } satisfies ToTransport);
    this.#worker.unref();
  }

  #onMessage(message: Later): void {
    if (message.type === 'stats') this.stats = message.stats;
    else if (message.type === 'failed') this.#fail(fromPostedError(message.error));
    else if (message.type === 'closed') this.#whenClosed();
    else if (!this.#isEnded) {
      this.#onTheWayBytes -= message.doneBytes;
      for (const event of message.events) this.#onEvent(event);
      this.flush();
    }
  }

  #onEvent(event: ThreadEvent): void {
    if (event.type === 'opening') this.#events.opening(event.opening);
    else if (event.type === 'closed') this.#events.closed(event.socket, event.code);
    else if (event.type === 'message') {
      this.#heardBytes += event.text.length;
      this.#events.message(event.socket, event.text);
    } else this.#events[event.type](event.socket);
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function failure(detail: string): Error {
  return fromPostedError({ code: null, details: {}, text: detail });
}
