// Runs code in a thread of another process, over Node's inspector: how tests make a thread crash or hang.
import { WebSocket } from 'ws';
import { until } from './until.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly workerInfo: { readonly title: string; readonly url: string } };
}

export class WorkerInspector {
  private readonly socket: WebSocket;
  private readonly workers = new Map<string, string>();
  private lastId = 0;

  /** Of a process that was started with `--inspect=HOST:PORT`. */
  static async open(address: string): Promise<WorkerInspector> {
    const [target] = (await (await fetch(`http://${address}/json/list`)).json()) as [{ webSocketDebuggerUrl: string }];
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new WorkerInspector(socket);
  }

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (bytes) => {
      const { method, params } = JSON.parse(String(bytes)) as Message;
      if (method === 'NodeWorker.attachedToWorker')
        this.workers.set(`${params!.workerInfo.title} ${params!.workerInfo.url}`, params!.sessionId);
    });
    this.call('NodeWorker.enable', { waitForDebuggerOnStart: false });
  }

  /** Starts code in the thread whose title or file contains `name`; does not wait for it. */
  async run(name: string, code: string): Promise<void> {
    const sessionId = await until(() => [...this.workers].find(([title]) => title.includes(name))?.[1], `a thread ${name}`);
    const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: code } });
    this.call('NodeWorker.sendMessageToWorker', { sessionId, message });
  }

  close(): void {
    this.socket.terminate();
  }

  private call(method: string, params: object): void {
    this.lastId += 1;
    this.socket.send(JSON.stringify({ id: this.lastId, method, params }));
  }
}
