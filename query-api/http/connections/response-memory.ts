// Memory of unfinished responses, over all connections, and its limit. Counting each response to its end would cost every small one something.
// So bytes are added as responses are built, which gives an upper bound, and counted exactly when that bound is reached.
// A block of memory that many responses share counts once.
import type { ServerResponse } from 'node:http';
import { errorKinds } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../../queries/errors.ts';
import { Connection, connectionOf } from './connection.ts';

/** Delay of the next count after one that found too much. */
const COUNT_AGAIN_MS = 50;
/** Room for a few complete bodies of very many aircraft. */
const ROOM_BLOCKS = 4;

interface Ending {
  readonly response: ServerResponse;
  readonly body: Buffer | string;
}

export class ResponseMemory {
  private readonly connections: ReadonlySet<Connection>;
  /** Bytes built and not known to be sent. */
  private bound = 0;
  /** Bytes being compressed. */
  private compressing = 0;
  private largestBlock = 0;
  private fullUntilMs = 0;
  /** Requests refused. */
  refused = 0;
  /** The responses of this round, whose heads are written. */
  private endings: Ending[] = [];

  constructor(connections: ReadonlySet<Connection>) {
    this.connections = connections;
  }

  get bytesMax(): number {
    return Math.max(limits.responseBytesMax, ROOM_BLOCKS * this.largestBlock);
  }

  /** Beyond this, long lists are refused and slow clients closed. */
  private get scarceBytes(): number {
    return this.bytesMax * limits.responseBytesScarceRatio;
  }

  /** Called when a response of a connection has its body. */
  made({ req }: ServerResponse, body: Buffer | string): void {
    const connection = connectionOf(req.socket);
    if (connection === undefined) return;
    connection.made(body);
    this.bound += body.length;
  }

  /**
   * Ends a response with its body, together with the others of this round of the event loop, after all its requests are read. A write wakes its reader,
   * and a reader that is awake needs no second wake-up. On Node 24, clients on the same machine: a third more calls of Connect per CPU second, 1 to 4 %
   * more REST requests. The round ends as soon as no socket has more to read, so a single response does not wait.
   */
  end(response: ServerResponse, body: Buffer | string): void {
    this.made(response, body);
    if (this.endings.length === 0) setImmediate(this.endAll);
    this.endings.push({ response, body });
  }

  /** Call before allocating memory for one response. Error: `api.overloaded`. */
  admit(isLong = false): void {
    // Counting may raise the limits.
    const roomBytes = (): number => (isLong ? this.scarceBytes : this.bytesMax);
    if (this.bound + this.compressing <= roomBytes()) return;
    const nowMs = performance.now();
    if (nowMs >= this.fullUntilMs) {
      if (this.count() <= roomBytes()) return;
      this.fullUntilMs = nowMs + COUNT_AGAIN_MS;
    }
    this.refused += 1;
    throw new QueryError('api.overloaded', { seconds: errorKinds['api.overloaded'].retryAfterS! });
  }

  /** Counts bytes while work on them is in progress. */
  async during<T>({ length }: Buffer, work: Promise<T>): Promise<T> {
    this.compressing += length;
    try {
      return await work;
    } finally {
      this.compressing -= length;
    }
  }

  /** Bytes of unfinished responses now. */
  count(): number {
    const sizes = [...this.blocks().keys()].map(bytesOf);
    this.largestBlock = Math.max(0, ...sizes);
    this.bound = sizes.reduce((sum, bytes) => sum + bytes, 0);
    return this.bound + this.compressing;
  }

  /**
   * While memory is short, ends connections: first those without progress, longest first, then those that began long ago.
   * Memory shared with others is freed with the last of them.
   */
  relieve(nowMs: number, end: (connection: Connection) => void): void {
    let bytes = this.count();
    const { scarceBytes } = this;
    if (bytes <= scarceBytes) return;
    const blocks = this.blocks();
    const holders = [...this.connections].filter((connection) => blockOf(connection) !== null);
    const stalled = holders.filter(({ progressMs }) => nowMs - progressMs >= limits.responseStallMsPressed);
    const slow = holders.filter(({ busySinceMs }) => busySinceMs > 0 && nowMs - busySinceMs >= limits.responseMsPressed);
    stalled.sort((a, b) => a.progressMs - b.progressMs);
    slow.sort((a, b) => a.busySinceMs - b.busySinceMs);
    for (const connection of new Set([...stalled, ...slow])) {
      const block = blockOf(connection)!;
      const others = blocks.get(block)! - 1;
      blocks.set(block, others);
      if (others === 0) bytes -= bytesOf(block);
      end(connection);
      if (bytes <= scarceBytes) return;
    }
  }

  private readonly endAll = (): void => {
    const ended = this.endings;
    this.endings = [];
    for (const { response, body } of ended) response.end(body);
  };

  /** Blocks of memory with the number of responses that use them. */
  private blocks(): Map<Block, number> {
    const blocks = new Map<Block, number>();
    for (const connection of this.connections) {
      const block = blockOf(connection);
      if (block !== null) blocks.set(block, (blocks.get(block) ?? 0) + 1);
    }
    return blocks;
  }
}

/** The memory behind a buffer; a text stands for itself, with its connection. */
type Block = ArrayBufferLike | Connection;

/** Memory of a connection's unfinished response. */
function blockOf(connection: Connection): Block | null {
  const { body } = connection;
  if (body === null || connection.isSent) return null;
  return typeof body === 'string' ? connection : body.buffer;
}

function bytesOf(block: Block): number {
  return block instanceof Connection ? block.madeBytes : block.byteLength;
}
