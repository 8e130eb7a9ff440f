// A reverse proxy as operators have it: a service below a prefix of another address, WebSockets included.
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface PrefixProxy {
  /** Public address of the service, with its trailing slash. */
  readonly url: string;
  /** All paths that were asked for, by pages and their workers, and those of them outside of the prefix. */
  readonly requested: readonly string[];
  readonly outside: readonly string[];
  /** Upgrades that were handed on. */
  readonly upgrades: () => number;
  /** Ends all upgraded connections and refuses new ones, as without a push service; or hands them on again. */
  cutStreams(isCut: boolean): void;
  close(): void;
}

/** `target`: address of the service, asked for with each request. `prefix` begins with a slash. */
export async function startPrefixProxy(prefix: string, target: () => string): Promise<PrefixProxy> {
  const [requested, outside]: [string[], string[]] = [[], []];
  let upgrades = 0;
  let isCut = false;
  const streams = new Set<Socket>();
  const forward = ({ url = '', method, headers }: IncomingMessage) => {
    requested.push(url);
    if (!url.startsWith(`${prefix}/`)) {
      outside.push(url);
      return null;
    }
    return request(target() + url.slice(prefix.length), { method, headers, agent: false });
  };
  const server = createServer((incoming, outgoing) => {
    const sent = forward(incoming);
    if (sent === null) {
      outgoing.writeHead(404).end();
      return;
    }
    sent.on('response', (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket) => {
    const sent = isCut ? null : forward(incoming);
    socket.on('error', () => sent?.destroy());
    if (sent === null) {
      socket.destroy();
      return;
    }
    sent.on('upgrade', (response, upstream: Socket, head) => {
      upgrades += 1;
      const lines = response.rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${response.rawHeaders[i + 1]}`] : []));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      socket.write(head);
      socket.pipe(upstream).pipe(socket);
      upstream.on('error', () => socket.destroy());
      streams.add(socket);
      socket.on('close', () => {
        streams.delete(socket);
        upstream.destroy();
      });
    });
    sent.on('response', () => socket.destroy());
    sent.on('error', () => socket.destroy());
    sent.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}/`, requested, outside, upgrades: () => upgrades },
    cutStreams(isNowCut) {
      isCut = isNowCut;
      if (isCut) for (const socket of streams) socket.destroy();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
