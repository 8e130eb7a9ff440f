// A reverse proxy as operators have it: a service below a prefix of another address, WebSockets included.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

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

/** `target`: address of the service, asked for with each request. `prefix` begins with a slash. Each connection has one request. */
export async function startPrefixProxy(prefix: string, target: () => string): Promise<PrefixProxy> {
  const [requested, outside]: [string[], string[]] = [[], []];
  const [all, streams] = [new Set<Socket>(), new Set<Socket>()];
  let upgrades = 0;
  let isCut = false;
  const forward = (client: Socket, begun: string): void => {
    const path = begun.split(' ')[1]!;
    const isStream = /^upgrade: websocket/im.test(begun);
    requested.push(path);
    if (!path.startsWith(`${prefix}/`)) {
      outside.push(path);
      client.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    } else if (isStream && isCut) client.destroy();
    else {
      if (isStream) streams.add(client);
      upgrades = streams.size;
      const { hostname, port } = new URL(target());
      const upstream = connect(Number(port), hostname);
      upstream.on('error', () => client.destroy());
      client.on('close', () => upstream.destroy());
      upstream.write(begun.replace(prefix, '').replace(/^connection: keep-alive/im, 'Connection: close'), 'latin1');
      client.pipe(upstream).pipe(client);
    }
  };
  const server = createServer((client) => {
    all.add(client);
    client.on('error', () => {});
    let begun = '';
    const read = (bytes: Buffer): void => {
      begun += bytes.toString('latin1');
      if (!begun.includes('\r\n\r\n')) return;
      client.off('data', read);
      forward(client, begun);
    };
    client.on('data', read);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}/`, requested, outside, upgrades: () => upgrades },
    cutStreams(isNowCut) {
      isCut = isNowCut;
      if (isCut) for (const socket of streams) socket.destroy();
    },
    close() {
      for (const socket of all) socket.destroy();
      server.close();
    },
  };
}
