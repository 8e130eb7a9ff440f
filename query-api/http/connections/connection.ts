// One client connection as the guard knows it: the request at work, requests that wait, memory that its response holds, when it last made progress.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../../../schemas/limits.ts';

/** About as long as the head of a response is. */
const HEAD_BYTES = 1024;
const CONNECTION = Symbol('connection');

/** The handle of a socket knows how much of a write is left; `writableLength` changes only when a whole write is done. */
interface Internals {
  [CONNECTION]?: Connection;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export class Connection {
  readonly socket: Socket;
  /** Over the limit: its first request gets a 503. */
  readonly isRefused: boolean;
  /** Response of the newest request that was taken up; null while the connection is idle. */
  response: ServerResponse | null = null;
  /** The body of that response is made: only sending is left. */
  isMade = false;
  /** Bytes made since the connection was last idle: an upper bound of those that are queued. */
  madeBytes = 0;
  /** The newest body; it holds memory until the response is sent. */
  body: Buffer | string | null = null;
  /** Pipelined requests that are not taken up yet. */
  readonly waiting: Exchange[] = [];
  /** Times by the guard's clock, ms: the last change of `unsentBytes` or, while idle, the end of the last response. */
  progressMs: number;
  /** When the guard first saw the response under way; 0 while idle. */
  busySinceMs = 0;
  /** When our half was closed; 0 before. */
  endedMs = 0;
  private unsentBytes = 0;

  constructor(socket: Socket, nowMs: number, isRefused: boolean) {
    this.socket = socket;
    this.isRefused = isRefused;
    this.progressMs = nowMs;
    (socket as Internals)[CONNECTION] = this;
  }

  /** Whether every response that was begun is handed to the system. */
  get isSent(): boolean {
    return this.response === null || this.response.writableFinished;
  }

  get isIdle(): boolean {
    return this.isSent && this.waiting.length === 0;
  }

  /** Whether another request may be taken up: the one before has its response, and little of it is queued. */
  get mayFollow(): boolean {
    const { response } = this;
    return this.isSent || ((this.isMade || response!.writableEnded) && this.madeBytes <= limits.pipelinedBytesMax);
  }

  take(response: ServerResponse): void {
    if (this.isSent) this.madeBytes = 0;
    this.response = response;
    this.isMade = false;
    this.body = null;
  }

  /** The newest response has its body. */
  made(body: Buffer | string): void {
    this.isMade = true;
    this.madeBytes += HEAD_BYTES + body.length;
    this.body = body;
  }

  /** Notes progress. */
  look(nowMs: number): void {
    const { socket } = this;
    if (socket.writableFinished && this.endedMs === 0) this.endedMs = nowMs;
    if (this.isIdle) {
      if (this.response !== null) this.progressMs = nowMs;
      this.response = null;
      this.body = null;
      this.busySinceMs = 0;
      this.unsentBytes = 0;
      return;
    }
    if (this.busySinceMs === 0) this.busySinceMs = nowMs;
    const unsent = socket.writableLength + ((socket as unknown as Internals)._handle?.writeQueueSize ?? 0);
    if (unsent === 0 || unsent !== this.unsentBytes) this.progressMs = nowMs;
    this.unsentBytes = unsent;
  }
}

/** Undefined for sockets that no guard watches, as those of injected requests. */
export function connectionOf(socket: object | null | undefined): Connection | undefined {
  return (socket as Internals | null | undefined)?.[CONNECTION];
}
