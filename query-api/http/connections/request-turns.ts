// Pipelined requests start one after the other. Node's parser passes on every request of a chunk of 64 KB at once; here all but the first
// wait until the previous responses are nearly sent, and connections take turns. So a client that requests much and reads nothing
// costs one response, and one that reads delays the others by a few ms at a time. A single request does not wait.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../../../schemas/limits/index.ts';
import type { Connection } from './connection.ts';

export class RequestTurns {
  /** Waiting requests of all connections. */
  waiting = 0;
  private readonly handle: RequestListener;
  private readonly onFlood: (connection: Connection) => void;
  /** Connections whose next request may start. */
  private readonly ready: Connection[] = [];

  /** `onFlood` ends a connection with too many waiting requests. */
  constructor(handle: RequestListener, onFlood: (connection: Connection) => void) {
    this.handle = handle;
    this.onFlood = onFlood;
  }

  /** Starts the request, or queues it for its turn. */
  offer(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    if (connection.isIdle) {
      this.start(connection, request, response);
      return;
    }
    const { socket, waiting } = connection;
    waiting.push({ request, response });
    this.waiting += 1;
    if (waiting.length === 1) {
      // Reading stops meanwhile.
      socket.on('resume', pauseAgain).pause();
      this.schedule(connection);
    } else if (this.waiting > limits.pipelinedRequestsMax && waiting.length > limits.pipelinedRequestsKept) this.onFlood(connection);
  }

  /** Drops the requests of a closed connection. */
  drop(connection: Connection): void {
    this.waiting -= connection.waiting.length;
    connection.waiting.length = 0;
  }

  private start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.begin(response);
    this.handle(request, response);
  }

  private schedule(connection: Connection): void {
    if (connection.mayFollow) this.enqueue(connection);
    else connection.response!.once('close', () => this.enqueue(connection));
  }

  private enqueue(connection: Connection): void {
    if (this.ready.length === 0) setImmediate(this.run);
    this.ready.push(connection);
  }

  /** One request of each connection in turn, for a few ms; the rest after the other work of the event loop. */
  private readonly run = (): void => {
    const endMs = performance.now() + limits.pipelinedTurnMsMax;
    let started = 0;
    while (started < this.ready.length && (started === 0 || performance.now() < endMs)) {
      const connection = this.ready[started]!;
      started += 1;
      const next = connection.waiting.shift();
      if (next === undefined) continue;
      this.waiting -= 1;
      this.start(connection, next.request, next.response);
      if (connection.waiting.length > 0) this.schedule(connection);
      else connection.socket.off('resume', pauseAgain).resume();
    }
    this.ready.splice(0, started);
    if (this.ready.length > 0) setImmediate(this.run);
  };
}

/** Node resumes a socket when its responses drain. */
function pauseAgain(this: Socket): void {
  this.pause();
}
