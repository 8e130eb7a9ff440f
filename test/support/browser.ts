// Drives Chromium through its DevTools protocol over two pipes. Only one host can be reached.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

const RESPONSE_MS_MAX = 120_000;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly request?: { readonly url: string };
    readonly entry?: { readonly text: string };
    readonly type?: string;
    readonly args?: readonly { readonly value?: unknown; readonly description?: string }[];
  };
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

const keys = {
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
} as const;

export interface Page {
  /** The value of an expression in the page; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** Shows another address. */
  open(url: string): Promise<void>;
  /** Makes the window so wide, in CSS pixels. */
  resize(width: number): Promise<void>;
  /** Presses a key: `Tab`, `Enter` or `Space`. */
  press(key: keyof typeof keys): Promise<void>;
  /** Types a text where the focus is. */
  type(text: string): Promise<void>;
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>;
  /** Every address that the page requested. */
  readonly requests: readonly string[];
  /** Complaints of the browser and of scripts: violations of the page's policy, failed requests, warnings and errors in the console. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Opens `url` in a new browser with a temporary profile; only the host of `url` resolves. */
export async function openPage(program: string, profile: string, url: string): Promise<Page> {
  const child = spawn(
    program,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${new URL(url).hostname}`,
      `--user-data-dir=${profile}`,
      '--remote-debugging-pipe',
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const protocol = new Protocol(child);
  const { targetId } = await protocol.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await protocol.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
  const send = <T>(method: string, params: object = {}): Promise<T> => protocol.send<T>(method, params, sessionId);
  for (const domain of ['Network', 'Log', 'Page', 'Runtime']) await send(`${domain}.enable`);
  await send('Page.navigate', { url });
  const evaluate = async <T>(expression: string): Promise<T> => {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await send<{ result: { value: T }; exceptionDetails?: object }>('Runtime.evaluate', options);
    if (exceptionDetails !== undefined) throw new Error(`in the page: ${JSON.stringify(exceptionDetails).slice(0, 500)}`);
    return result.value;
  };
  return {
    evaluate,
    async open(next) {
      await send('Page.navigate', { url: next });
    },
    async resize(width) {
      await send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: width < 500 });
    },
    async press(key) {
      for (const type of ['keyDown', 'keyUp']) await send('Input.dispatchKeyEvent', { type, ...keys[key] });
    },
    async type(text) {
      await send('Input.insertText', { text });
    },
    async until(expression) {
      const deadline = Date.now() + RESPONSE_MS_MAX;
      while (!(await evaluate<boolean>(expression))) {
        if (Date.now() > deadline) throw new Error(`the page never reached ${expression}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    requests: protocol.requests,
    complaints: protocol.complaints,
    close: () => protocol.close(),
  };
}

/** Commands and their responses: JSON, each followed by a zero byte. */
class Protocol {
  readonly requests: string[] = [];
  readonly complaints: string[] = [];
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private count = 0;
  private rest = '';

  constructor(child: ChildProcess) {
    this.child = child;
    (child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => this.take(text));
  }

  send<T>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    this.count += 1;
    const id = this.count;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the browser does not respond to ${method}`)), RESPONSE_MS_MAX);
      this.waiting.set(id, ({ result, error }) => {
        clearTimeout(timer);
        if (error === undefined) resolve(result as T);
        else reject(new Error(`${method}: ${error.message}`));
      });
      (this.child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    await this.send('Browser.close').catch(() => this.child.kill('SIGKILL'));
    await ended;
  }

  private take(text: string): void {
    const parts = (this.rest + text).split('\0');
    this.rest = parts.pop()!;
    for (const part of parts) this.receive(JSON.parse(part) as Message);
  }

  private receive(message: Message): void {
    if (message.id !== undefined) this.waiting.get(message.id)?.(message);
    if (message.method === 'Network.requestWillBeSent') this.requests.push(message.params!.request!.url);
    if (message.method === 'Log.entryAdded') this.complaints.push(message.params!.entry!.text);
    if (message.method === 'Runtime.consoleAPICalled') this.hear(message.params!);
  }

  private hear({ type = '', args = [] }: NonNullable<Message['params']>): void {
    if (['warning', 'error'].includes(type)) this.complaints.push(args.map(({ value, description }) => value ?? description).join(' '));
  }
}
