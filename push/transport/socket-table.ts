// The sockets of a transport, whatever the adapter: openings, channels, budgets, pings, time limits and counts. Adapters bring pipes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../schemas/limits/index.ts';
import { Outbox, type SentCounts } from './outbox.ts';
import type { Outgoing, Pipe, PipeEvents } from './pipe.ts';
import { openingOf, plainRefusal, type Request, refusalOf } from './request.ts';
import type {
  ChannelId,
  Frame,
  FrameForChannel,
  Refusal,
  SocketId,
  Transport,
  TransportEvents,
  TransportLimits,
  TransportOptions,
  TransportStats,
} from './transport.ts';

const ABNORMAL = 1006;
const GOING_AWAY = 1001;
const POLICY = 1008;
const SLOW = 4408;
const REASON_BYTES = 123;

interface Socket {
  readonly id: SocketId;
  readonly pipe: Pipe;
  readonly outbox: Outbox;
  readonly channels: Set<ChannelId>;
  /** `responding`: a body is being sent. */
  state: 'opening' | 'open' | 'responding' | 'refused' | 'ending' | 'gone';
  /** When the opening is refused; when an ending socket is destroyed. */
  deadlineMs: number;
  /** Null unless a frame was skipped and the rest is not written yet. */
  behindSinceMs: number | null;
  /** `drained` is to be reported although it is not behind. */
  isDraining: boolean;
  /** Last time at which nothing was pending, or some of it was written. */
  progressMs: number;
  writtenBytes: number;
  pingMs: number;
  pingsMissed: number;
  /** Messages since the start of a second. */
  messages: number;
  messagesSinceMs: number;
  /** The code of this side's close; sent when nothing is pending. */
  close: { readonly code: number; readonly reason: string; sent: boolean } | null;
}

/** A socket as its pipe sees it. */
export interface OpenedSocket extends PipeEvents {
  readonly id: SocketId;
}

export class SocketTable implements Transport {
  readonly limits: TransportLimits;
  name = '';
  port = 0;
  readonly #options: TransportOptions;
  readonly #events: TransportEvents;
  readonly #sockets = new Map<SocketId, Socket>();
  readonly #channels = new Map<ChannelId, Set<Socket>>();
  readonly #sent: SentCounts = { frames: 0, bytes: 0 };
  readonly #ended: Record<number, number> = {};
  readonly #refused: Record<number, number> = {};
  readonly #timer: NodeJS.Timeout;
  #lastId = 0;
  #framesSkipped = 0;
  #isClosing = false;
  #whenEmpty = (): void => {};
  #closeAll = (): Promise<void> => this.closeSockets();
  #closed: Promise<void> | null = null;

  constructor(options: TransportOptions, events: TransportEvents) {
    this.#options = options;
    this.#events = events;
    this.limits = { ...limits, ...options.limits };
    this.#timer = setInterval(() => this.#sweep(performance.now()), this.limits.pushSweepMs);
  }

  /** The port over this table. `close` ends it and what the adapter has besides it. */
  transport(name: string, port: number, close: () => Promise<void>): Transport {
    this.name = name;
    this.port = port;
    this.#closeAll = close;
    return this;
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  /** A request of a client: reported to the hub, or refused at once; then it is null. */
  open(request: Request, pipe: Pipe): OpenedSocket | null {
    const refusal = this.#sockets.size >= this.#options.socketsMax || this.#isClosing ? plainRefusal(503) : refusalOf(request);
    if (refusal !== null) {
      this.countRefused(refusal.status);
      pipe.refuse(refusal);
      return null;
    }
    const nowMs = performance.now();
    const socket: Socket = {
      id: ++this.#lastId,
      pipe,
      outbox: new Outbox(pipe, this.#sent),
      channels: new Set(),
      state: 'opening',
      deadlineMs: nowMs + this.limits.pushOpeningMsMax,
      behindSinceMs: null,
      isDraining: false,
      progressMs: nowMs,
      writtenBytes: 0,
      pingMs: nowMs + this.limits.pushPingMs,
      pingsMissed: 0,
      messages: 0,
      messagesSinceMs: nowMs,
      close: null,
    };
    this.#sockets.set(socket.id, socket);
    const opened: OpenedSocket = {
      id: socket.id,
      writable: () => this.#writable(socket),
      received: (text) => this.#received(socket, text),
      violated: (code, reason) => this.#endItself(socket, code, reason),
      closing: (code) => this.#closing(socket, code),
      gone: (code) => this.#gone(socket, code),
    };
    pipe.table = opened;
    this.#events.opening({ socket: socket.id, ...openingOf(request, this.#options.hop) });
    return opened;
  }

  countRefused(status: number): void {
    this.#refused[status] = (this.#refused[status] ?? 0) + 1;
  }

  accept(id: SocketId, protocol: string | null): void {
    const socket = this.#sockets.get(id);
    if (socket?.state !== 'opening') return;
    socket.state = 'open';
    const nowMs = performance.now();
    socket.progressMs = nowMs;
    socket.pingMs = nowMs + this.limits.pushPingMs;
    socket.pipe.accept(protocol, null);
  }

  respond(id: SocketId, headers: Readonly<Record<string, string>>, body: Uint8Array): void {
    const socket = this.#sockets.get(id);
    if (socket?.state !== 'opening') return;
    socket.state = 'responding';
    socket.progressMs = performance.now();
    socket.pipe.accept(null, { headers, length: body.length });
    socket.outbox.send(outgoingOf({ bytes: body, isBinary: true }));
    this.#writable(socket);
  }

  refuse(id: SocketId, refusal: Refusal): void {
    const socket = this.#sockets.get(id);
    if (socket?.state === 'opening') this.#refuse(socket, refusal);
  }

  join(id: SocketId, channel: ChannelId): void {
    const socket = this.#sockets.get(id);
    if (socket?.state !== 'open') return;
    const members = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, members.add(socket));
    socket.channels.add(channel);
  }

  leave(id: SocketId, channel: ChannelId): void {
    const socket = this.#sockets.get(id);
    if (socket?.channels.delete(channel)) this.#removeMember(socket, channel);
  }

  send(id: SocketId, frame: Frame): void {
    const socket = this.#sockets.get(id);
    if (socket?.state === 'open') socket.outbox.send(outgoingOf(frame));
  }

  drain(id: SocketId): void {
    const socket = this.#sockets.get(id);
    if (socket?.state !== 'open') return;
    socket.isDraining = true;
    if (socket.outbox.pendingBytes === 0) this.#drained(socket);
  }

  async publish(frames: readonly FrameForChannel[]): Promise<void> {
    let turnMs = performance.now();
    for (const frame of frames) {
      const outgoing = outgoingOf(frame);
      for (const socket of this.#channels.get(frame.channel) ?? []) {
        if (performance.now() - turnMs >= limits.pushTurnMsMax) {
          await nextTurn();
          turnMs = performance.now();
        }
        // It may have left during the turn.
        if (socket.state !== 'open' || !socket.channels.has(frame.channel)) continue;
        if (socket.outbox.budgetedBytes > this.limits.pushSocketBytesMax) this.#skip(socket);
        else socket.outbox.publish(outgoing);
      }
    }
  }

  end(id: SocketId, code: number, reason: string): void {
    const socket = this.#sockets.get(id);
    if (socket?.state === 'open') this.#end(socket, code, reason);
    else if (socket?.state === 'opening') this.#refuse(socket, plainRefusal(503));
  }

  sentBytes(id: SocketId): number {
    return this.#sockets.get(id)?.outbox.takenBytes ?? 0;
  }

  stats(): TransportStats {
    let queuedBytes = 0;
    for (const { outbox } of this.#sockets.values()) queuedBytes += outbox.pendingBytes;
    return {
      sockets: this.#sockets.size,
      queuedBytes,
      openings: this.#lastId,
      framesSent: this.#sent.frames,
      bytesSent: this.#sent.bytes,
      framesSkipped: this.#framesSkipped,
      ended: { ...this.#ended },
      refused: { ...this.#refused },
    };
  }

  /** Closes all sockets with 1001. Resolves when none is left. */
  async closeSockets(): Promise<void> {
    this.#isClosing = true;
    const empty = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    for (const socket of [...this.#sockets.values()]) {
      if (socket.state === 'opening') this.#refuse(socket, plainRefusal(503));
      else if (socket.state === 'responding') socket.pipe.destroy();
      else if (socket.state === 'open') {
        socket.outbox.end();
        this.#end(socket, GOING_AWAY, 'the service stops');
        socket.deadlineMs = performance.now() + this.limits.clientsStopMsMax;
      }
    }
    if (this.#sockets.size > 0) await empty;
    clearInterval(this.#timer);
  }

  #writable(socket: Socket): void {
    if (socket.state === 'gone') return;
    socket.outbox.pump();
    if (socket.outbox.pendingBytes > 0) return;
    if (socket.state === 'responding') this.#end(socket, ABNORMAL, '');
    else if (socket.state === 'ending') this.#sendClose(socket);
    else this.#drained(socket);
  }

  #drained(socket: Socket): void {
    if (socket.behindSinceMs === null && !socket.isDraining) return;
    socket.behindSinceMs = null;
    socket.isDraining = false;
    this.#events.drained(socket.id);
  }

  #skip(socket: Socket): void {
    this.#framesSkipped++;
    this.#leaveAll(socket);
    socket.behindSinceMs ??= performance.now();
    // Each time: it may have joined again, for what it asked before it was behind, and would get nothing more.
    this.#events.behind(socket.id);
  }

  #received(socket: Socket, text: string | null): void {
    if (socket.state !== 'open') return;
    socket.pingsMissed = 0;
    const nowMs = performance.now();
    if (nowMs - socket.messagesSinceMs >= 1000) {
      socket.messagesSinceMs = nowMs;
      socket.messages = 0;
    }
    if (++socket.messages > this.limits.pushMessagesPerSMax) this.#endItself(socket, POLICY, 'too many messages');
    else if (text !== null) this.#events.message(socket.id, text);
  }

  /** By the transport itself: what is queued is not worth waiting for. */
  #endItself(socket: Socket, code: number, reason: string): void {
    if (socket.state !== 'open' && socket.state !== 'responding') return;
    this.#ended[code] = (this.#ended[code] ?? 0) + 1;
    socket.outbox.end();
    // The client would take a polite end for the end of the body.
    if (socket.state === 'responding') socket.pipe.destroy();
    else this.#end(socket, code, reason);
  }

  #closing(socket: Socket, code: number): void {
    if (socket.state !== 'open') return;
    socket.close = { code, reason: '', sent: true };
    this.#endItself(socket, code, '');
  }

  #end(socket: Socket, code: number, reason: string): void {
    socket.state = 'ending';
    socket.deadlineMs = performance.now() + this.limits.halfClosedMsMax;
    this.#leaveAll(socket);
    socket.close ??= { code, reason: cut(reason), sent: false };
    if (socket.outbox.pendingBytes === 0) this.#sendClose(socket);
  }

  #sendClose(socket: Socket): void {
    const close = socket.close!;
    if (close.sent) return;
    close.sent = true;
    socket.pipe.close(close.code, close.reason);
  }

  #refuse(socket: Socket, refusal: Refusal): void {
    socket.state = 'refused';
    socket.deadlineMs = performance.now() + this.limits.halfClosedMsMax;
    socket.pipe.refuse(refusal);
  }

  #gone(socket: Socket, code: number): void {
    if (socket.state === 'gone') return;
    const own = socket.close?.code;
    socket.state = 'gone';
    this.#leaveAll(socket);
    socket.outbox.end();
    this.#events.closed(socket.id, own ?? code);
    this.#sockets.delete(socket.id);
    if (this.#sockets.size === 0) this.#whenEmpty();
  }

  #leaveAll(socket: Socket): void {
    for (const channel of socket.channels) this.#removeMember(socket, channel);
    socket.channels.clear();
  }

  #removeMember(socket: Socket, channel: ChannelId): void {
    const members = this.#channels.get(channel);
    members?.delete(socket);
    if (members?.size === 0) this.#channels.delete(channel);
  }

  #sweep(nowMs: number): void {
    for (const socket of this.#sockets.values()) {
      if (socket.state === 'open' || socket.state === 'responding') this.#sweepOpen(socket, nowMs);
      else if (nowMs < socket.deadlineMs) continue;
      else if (socket.state === 'opening') {
        this.countRefused(503);
        this.#refuse(socket, plainRefusal(503));
      } else socket.pipe.destroy();
    }
  }

  #sweepOpen(socket: Socket, nowMs: number): void {
    const { pendingBytes, writtenBytes } = socket.outbox;
    if (pendingBytes === 0 || writtenBytes !== socket.writtenBytes) {
      socket.progressMs = nowMs;
      socket.writtenBytes = writtenBytes;
    }
    const sinceMs = Math.min(socket.progressMs, socket.behindSinceMs ?? nowMs);
    if (nowMs - sinceMs > this.limits.pushBehindMsMax) this.#endItself(socket, SLOW, 'slow consumer');
    else if (socket.state === 'open' && nowMs >= socket.pingMs) this.#ping(socket, nowMs);
  }

  #ping(socket: Socket, nowMs: number): void {
    socket.pingMs = nowMs + this.limits.pushPingMs;
    if (socket.pingsMissed >= limits.pushPingsMissedMax) {
      this.#ended[ABNORMAL] = (this.#ended[ABNORMAL] ?? 0) + 1;
      socket.pipe.destroy();
      return;
    }
    if (socket.pipe.ping()) socket.pingsMissed++;
  }
}

/** The part that fits into a close frame. */
function cut(reason: string): string {
  return Buffer.from(reason)
    .subarray(0, REASON_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '');
}

function outgoingOf({ bytes, isBinary }: Frame): Outgoing {
  return { bytes, isBinary, wire: null };
}
