// One client connection for the guard: the request in progress, waiting requests, memory of its response, time of its last progress.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GuardedConnection } from '../../../pipeline/runtime/net/connection-guard.ts';
import { limits } from '../../../schemas/limits/index.ts';

/** Approximate size of a response head. */
const HEAD_BYTES = 1024;
const CONNECTION = Symbol('connection');

interface Watched {
  [CONNECTION]?: Connection;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** `progressMs` is also the end of the last response while it is idle. */
export class Connection extends GuardedConnection {
  /** Over the limit: its first request gets a 503. */
  readonly isRefused: boolean;
  /** Belongs to the push port now: it may be idle for ever, and never gives way. */
  isHandedOver = false;
  /** Response of the newest request that was started; null while the connection is idle. */
  response: ServerResponse | null = null;
  /** The body of that response is built: only sending is left. */
  isMade = false;
  /** Bytes built since the connection was last idle: an upper bound of the queued bytes. */
  madeBytes = 0;
  /** The newest body; it uses memory until the response is sent. */
  body: Buffer | string | null = null;
  /** The newest list was long: the next one is expected to be long, too. */
  asksForLongLists = false;
  /** Pipelined requests that are not started yet. */
  readonly waiting: Exchange[] = [];
  /** Times by the guard's clock, ms. When the guard first saw the response in progress; 0 while idle. */
  busySinceMs = 0;
  /** When our side was closed; 0 before. */
  endedMs = 0;

  constructor(socket: Socket, nowMs: number, isRefused = false) {
    super(socket, nowMs);
    this.isRefused = isRefused;
    (socket as Watched)[CONNECTION] = this;
  }

  /** True when every started response is handed to the system. */
  get isSent(): boolean {
    return this.response === null || this.response.writableFinished;
  }

  get isIdle(): boolean {
    return this.isSent && this.waiting.length === 0;
  }

  /** True when another request may start: the previous one has its response, and little of it is queued. */
  get mayFollow(): boolean {
    const { response } = this;
    return this.isSent || ((this.isMade || response!.writableEnded) && this.madeBytes <= limits.pipelinedBytesMax);
  }

  begin(response: ServerResponse): void {
    if (this.isSent) this.madeBytes = 0;
    this.response = response;
    this.isMade = false;
    this.body = null;
  }

  /** Called when the newest response has its body. */
  made(body: Buffer | string): void {
    this.isMade = true;
    this.madeBytes += HEAD_BYTES + body.length;
    this.body = body;
  }

  /** Records progress. */
  update(nowMs: number): void {
    const { socket } = this;
    if (socket.writableFinished && this.endedMs === 0) this.endedMs = nowMs;
    if (this.isIdle && !this.isHandedOver) {
      if (this.response !== null) this.progressMs = nowMs;
      this.response = null;
      this.body = null;
      this.busySinceMs = 0;
      return;
    }
    if (this.busySinceMs === 0) this.busySinceMs = nowMs;
    this.stalledMs(nowMs);
  }
}

/** Undefined for sockets that no guard watches, like those of injected requests. */
export function connectionOf(socket: object | null | undefined): Connection | undefined {
  return (socket as Watched | null | undefined)?.[CONNECTION];
}
