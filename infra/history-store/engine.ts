// ClickHouse's engine in this process (chDB): one session that writes, some that read, one that cancels.
import type { Session } from 'chdb';
import { engineError } from './engine-error.ts';
import { identifier, literal } from './lexer.ts';
import { SessionPool } from './session-pool.ts';
import { assignments, checked, type Settings } from './statement.ts';

export interface EngineOptions {
  readonly folder: string;
  /** Settings of the server: memory, caches, background threads. */
  readonly configFile: string;
  readonly readers: number;
  readonly waitingMax: number;
}

export interface Run {
  readonly sql: string;
  /** Names the statement for `cancel`. */
  readonly id: string;
  readonly database: string;
  readonly signal: AbortSignal;
}

interface OpenSession {
  readonly session: Session;
  database: string;
}

/** Until a statement has ended, it is cancelled again, this long after the last time: it may not have begun then. */
const CANCEL_AGAIN_MS = 100;
const DEFAULT_DATABASE = 'default';

export class Engine {
  private readonly readers: SessionPool<OpenSession>;
  private readonly writer: SessionPool<OpenSession>;
  private readonly control: SessionPool<OpenSession>;
  private readonly all: readonly OpenSession[];

  /** Error: the engine cannot be loaded, or the folder is in use or damaged. */
  static async open(options: EngineOptions): Promise<Engine> {
    const chdb = await import('chdb');
    const newSession = (): OpenSession => ({
      session: new chdb.Session(options.folder, { connectionArgs: [`--config-file=${options.configFile}`] }),
      database: DEFAULT_DATABASE,
    });
    return new Engine([newSession()], Array.from({ length: options.readers }, newSession), newSession(), options.waitingMax);
  }

  private constructor(writer: readonly OpenSession[], readers: readonly OpenSession[], control: OpenSession, waitingMax: number) {
    this.writer = new SessionPool(writer, waitingMax);
    this.readers = new SessionPool(readers, waitingMax);
    this.control = new SessionPool([control], waitingMax);
    this.all = [...writer, ...readers, control];
  }

  counts() {
    const { readers, writer } = this;
    return { reading: readers.busyNow, writing: writer.busyNow, waiting: readers.waitingNow + writer.waitingNow };
  }

  /** Chunks of a result in a format whose chunks can be joined. The first error may come after chunks. */
  async *stream(run: Run, format: string): AsyncGenerator<Uint8Array> {
    const leased = await this.readers.lease(run.signal);
    const settled = this.cancelOnAbort(run);
    let whole = false;
    try {
      await use(leased, run.database);
      for await (const chunk of leased.session.queryStream(run.sql, { format })) yield chunk.raw();
      whole = true;
    } catch (error) {
      throw engineError(error);
    } finally {
      settled();
      if (!whole) await forget(leased);
      this.readers.release(leased);
    }
  }

  /** A whole result. */
  async read(run: Run, format: string): Promise<Uint8Array> {
    return await this.readers.with(run.signal, (leased) => this.once(leased, run, format));
  }

  async write(run: Run): Promise<Uint8Array> {
    return await this.writer.with(run.signal, (leased) => this.once(leased, run, 'TabSeparated'));
  }

  /** A statement without a place for settings: they are set for the session, and taken back. */
  async writeWith(settings: Settings, run: Run): Promise<Uint8Array> {
    return await this.writer.with(run.signal, async (leased) => {
      const names = [...settings.keys()].map(checked);
      if (names.length > 0) await plain(leased, `SET ${assignments(settings)}`);
      try {
        return await this.once(leased, run, 'TabSeparated');
      } finally {
        if (names.length > 0) await plain(leased, `SET ${names.map((name) => `${name} = DEFAULT`).join(', ')}`);
      }
    });
  }

  /** Statements about statements have a session of their own, so that they never wait for them. */
  async controlled(sql: string, format: string, signal: AbortSignal): Promise<Uint8Array> {
    return await this.control.with(signal, (leased) => plain(leased, sql, format));
  }

  /**
   * Number of writes to files that have failed since the engine was opened. chDB counts them and reports no error: the statement or the merge succeeds, and
   * its part has empty files (`WriteBufferFromFileDescriptor::nextImpl` of chDB 3.4).
   */
  async failedWrites(): Promise<number> {
    const sql = "SELECT value FROM system.events WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'";
    return Number(Buffer.from(await this.controlled(sql, 'TabSeparated', new AbortController().signal)).toString());
  }

  async cancel(id: string): Promise<void> {
    await this.controlled(`KILL QUERY WHERE Settings['log_comment'] = ${literal(id)} ASYNC`, 'Null', new AbortController().signal);
  }

  close(): void {
    for (const { session } of this.all) session.close();
  }

  private async once(leased: OpenSession, run: Run, format: string): Promise<Uint8Array> {
    const settled = this.cancelOnAbort(run);
    try {
      await use(leased, run.database);
      return await plain(leased, run.sql, format);
    } catch (error) {
      await forget(leased);
      throw error;
    } finally {
      settled();
    }
  }

  /** Cancels the statement when its signal says so, until the returned function is called. */
  private cancelOnAbort({ signal, id }: Run): () => void {
    let ended = false;
    let timer: NodeJS.Timeout | undefined;
    // One at a time: on a busy machine, others would queue up behind it for the one session that cancels.
    const cancel = async (): Promise<void> => {
      await this.cancel(id).catch(() => {});
      if (!ended) timer = setTimeout(cancel, CANCEL_AGAIN_MS);
    };
    const begin = (): void => void cancel();
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
    return () => {
      ended = true;
      signal.removeEventListener('abort', begin);
      clearTimeout(timer);
    };
  }
}

/** The engine keeps a statement that did not end by itself, with its memory and threads, until the next statement of its session. */
async function forget(leased: OpenSession): Promise<void> {
  await plain(leased, 'SELECT 1').catch(() => {});
}

async function use(leased: OpenSession, database: string): Promise<void> {
  if (leased.database === database) return;
  await plain(leased, `USE ${identifier(database)}`);
  leased.database = database;
}

async function plain({ session }: OpenSession, sql: string, format = 'TabSeparated'): Promise<Uint8Array> {
  try {
    return (await session.queryAsync(sql, { format })).bytes();
  } catch (error) {
    throw engineError(error);
  }
}
