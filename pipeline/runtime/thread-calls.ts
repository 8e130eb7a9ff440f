// Calls to a worker thread: requests with responses, and notes of the work between. Both sides of one thread; frames are folded again in such threads.
import { parentPort, type TransferListItem, Worker } from 'node:worker_threads';
import { collectEvery } from './full-collections.ts';
import { lowerPriority } from './priority.ts';
import { fromThreadError, type ThreadError, toThreadError } from './thread-errors.ts';

type ToThread<Request> =
  | { readonly type: 'call'; readonly id: number; readonly request: Request; readonly control: Control }
  | { readonly type: 'close' };

type FromThread<Response> =
  | { readonly type: 'response'; readonly id: number; readonly response: Response }
  | { readonly type: 'failed'; readonly id: number; readonly error: ThreadError }
  | { readonly type: 'note'; readonly note: unknown };

const COLLECTION_INTERVAL_MS = 60_000;
/** Words that both sides see at once: a message waits until the thread has done what it does, on a busy machine for many seconds. */
type Control = Int32Array<SharedArrayBuffer>;
/** State of the thread: it has nothing open and can be terminated, it must close something itself, or it ends. */
const HOLDS = 0;
const [NOTHING, SOMETHING, ENDED] = [0, 1, 2];
/** 1 once the thread shall end. */
const ENDING = 1;

/** A third of the processor time of a thread of normal priority, where both want it: with less, a busy machine would stop the work. */
const NICENESS = 5;

/** The side of the caller. */
export class CalledThread<Request, Response> {
  private readonly worker: Worker;
  private readonly name: string;
  private readonly waiting = new Map<number, { resolve(response: Response): void; reject(error: Error): void }>();
  private readonly exited: Promise<void>;
  private readonly control: Control = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  private nextId = 0;
  private failure: Error | null = null;

  /** `onNote` gets what the thread says between responses. */
  constructor(name: string, file: URL, workerData: unknown, onNote: (note: unknown) => void = () => {}) {
    this.name = name;
    this.worker = new Worker(file, { name, workerData });
    this.worker.on('message', (message: FromThread<Response>) => {
      if (message.type === 'note') return onNote(message.note);
      const call = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.type === 'response') call?.resolve(message.response);
      else call?.reject(fromThreadError(name, message.error));
    });
    this.worker.on('error', (error: Error) => this.fail(error.stack ?? error.message));
    this.exited = new Promise((resolve) => {
      this.worker.once('exit', () => {
        this.fail('the thread ended');
        resolve();
      });
    });
  }

  /** True once the thread has ended; calls then fail. */
  get hasEnded(): boolean {
    return this.failure !== null;
  }

  /** Errors: those of the thread with their codes, `worker.failed`. */
  call(request: Request): Promise<Response> {
    if (this.failure !== null) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.nextId += 1;
      this.waiting.set(this.nextId, { resolve, reject });
      this.worker.postMessage({ type: 'call', id: this.nextId, request, control: this.control } satisfies ToThread<Request>);
    });
  }

  /** Ends the thread at once. Resolves when it has closed what it opened: it must not be terminated while it has the log open. */
  close(): Promise<void> {
    Atomics.store(this.control, ENDING, 1);
    // A thread that still loads its code does not read messages.
    if (Atomics.compareExchange(this.control, HOLDS, NOTHING, ENDED) === SOMETHING)
      this.worker.postMessage({ type: 'close' } satisfies ToThread<Request>);
    else void this.worker.terminate();
    return this.exited;
  }

  private fail(text: string): void {
    this.failure ??= fromThreadError(this.name, { code: null, details: {}, text });
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }
}

interface CallServer<Request, Response> {
  handle(request: Request): Promise<Response>;
  /** Memory of a response that moves to the caller. */
  transferOf?(response: Response): readonly TransferListItem[];
  close(): Promise<void>;
}

/** The thread of a server. */
interface ThreadOfCalls {
  /** Sends the caller a note between responses. */
  note(note: unknown): void;
  /** True once the caller ends the thread, also while it is too busy to be closed: long work asks now and then. */
  isEnding(): boolean;
}

/**
 * The side of the thread: opens its server with the first message, serves calls until it is closed. Calls may overlap. What must be closed is opened in
 * `open`: before that the thread may be terminated.
 */
export function serveCalls<Request, Response>(open: (thread: ThreadOfCalls) => Promise<CallServer<Request, Response>>): void {
  const port = parentPort!;
  const endCollections = collectEvery(COLLECTION_INTERVAL_MS);
  let server: Promise<CallServer<Request, Response>> | null = null;
  const openOnce = (control: Control): Promise<CallServer<Request, Response>> => {
    if (server !== null) return server;
    // The caller terminates the thread.
    if (Atomics.compareExchange(control, HOLDS, NOTHING, SOMETHING) !== NOTHING) return new Promise(() => {});
    server = open({
      note: (note) => port.postMessage({ type: 'note', note } satisfies FromThread<Response>),
      isEnding: () => Atomics.load(control, ENDING) === 1,
    });
    return server;
  };
  const respond = async (id: number, request: Request, control: Control): Promise<void> => {
    try {
      const { handle, transferOf } = await openOnce(control);
      const response = await handle(request);
      port.postMessage({ type: 'response', id, response } satisfies FromThread<Response>, [...(transferOf?.(response) ?? [])]);
    } catch (error) {
      port.postMessage({ type: 'failed', id, error: toThreadError(error) } satisfies FromThread<Response>);
    }
  };
  port.on('message', (message: ToThread<Request>) => {
    if (message.type === 'call') return void respond(message.id, message.request, message.control);
    port.close();
    endCollections();
    void server?.then(
      (opened) => opened.close(),
      () => {},
    );
  });
}

/** Lets all other threads of the machine go first. Only Linux has priorities of single threads. */
export function yieldToOthers(): void {
  if (process.platform === 'linux') lowerPriority(NICENESS);
}
