// Reference of the push benchmarks: `ws` as its documentation shows a broadcast, to all clients.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** `stringify`: JSON per client. `shared`: one buffer for all. */
export type PlainMode = 'stringify' | 'shared';

export class PlainBroadcast {
  readonly name: string;
  readonly port: number;
  private readonly server: WebSocketServer;
  private readonly mode: PlainMode;

  static async open(mode: PlainMode): Promise<PlainBroadcast> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return new PlainBroadcast(mode, server);
  }

  private constructor(mode: PlainMode, server: WebSocketServer) {
    this.name = `plain ws, ${mode}`;
    this.mode = mode;
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  broadcast(message: object): void {
    const shared = Buffer.from(JSON.stringify(message));
    for (const client of this.server.clients)
      if (client.readyState === WebSocket.OPEN) {
        if (this.mode === 'shared') client.send(shared, { binary: false });
        else client.send(JSON.stringify(message));
      }
  }
}
