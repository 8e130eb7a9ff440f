// uWebSockets.js, if this runtime can load its native code: the operator's own package, otherwise the one on npm, a repack by others.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { limits } from '../../schemas/limits/index.ts';

/** The native functions that are used here, as the package's documentation has them. */
export interface UwsModule {
  App(): UwsApp;
  us_listen_socket_close(listener: object): void;
  us_socket_local_port(listener: object): number;
}

export interface UwsApp {
  ws(pattern: string, behavior: UwsBehavior): UwsApp;
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  listen(host: string, port: number, done: (listener: object | false) => void): UwsApp;
  close(): UwsApp;
}

export interface UwsBehavior {
  readonly maxPayloadLength: number;
  readonly maxBackpressure: number;
  readonly idleTimeout: number;
  readonly sendPingsAutomatically: boolean;
  upgrade(response: UwsResponse, request: UwsRequest, context: object): void;
  open(socket: UwsSocket): void;
  message(socket: UwsSocket, message: ArrayBuffer, isBinary: boolean): void;
  drain(socket: UwsSocket): void;
  ping(socket: UwsSocket): void;
  pong(socket: UwsSocket): void;
  close(socket: UwsSocket, code: number, message: ArrayBuffer): void;
}

export interface UwsSocket {
  getUserData(): object;
  send(message: Uint8Array, isBinary: boolean): number;
  sendFirstFragment(message: Uint8Array, isBinary: boolean): boolean;
  sendFragment(message: Uint8Array): boolean;
  sendLastFragment(message: Uint8Array): boolean;
  getBufferedAmount(): number;
  ping(): number;
  end(code: number, reason: string): void;
  close(): void;
}

export interface UwsRequest {
  getUrl(): string;
  getQuery(): string | undefined;
  getCaseSensitiveMethod(): string;
  forEach(each: (name: string, value: string) => void): void;
}

export interface UwsResponse {
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  write(bytes: Uint8Array | string): boolean;
  /** Takes as much as the kernel does. At the end of the body, `isDone`, nothing may be called any more. */
  tryEnd(bytes: Uint8Array, bodyBytes: number): [fits: boolean, isDone: boolean];
  /** Bytes of the body that `tryEnd` took. */
  getWriteOffset(): number;
  end(body: string, closesConnection: boolean): UwsResponse;
  endWithoutBody(length: number | undefined, closesConnection: boolean): UwsResponse;
  close(): UwsResponse;
  cork(writes: () => void): UwsResponse;
  upgrade(data: object, key: string, protocol: string, extensions: string, context: object): void;
  onAborted(handler: () => void): UwsResponse;
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  getRemoteAddress(): ArrayBuffer;
}

export interface LoadedUws {
  readonly module: UwsModule;
  readonly version: string;
}

/** By preference. */
const PACKAGES = ['uWebSockets.js', '@btc-vision/uwebsockets.js'];

/** The native code that a file at `from` would load, or why it is not used. */
export function loadUws(from: string = import.meta.url): LoadedUws | { readonly reason: string } {
  const require = createRequire(from);
  let reason = 'uWebSockets.js is not installed';
  for (const name of PACKAGES) {
    const folder = folderOf(name, require);
    if (folder === null) continue;
    const { platform, arch, versions } = process;
    const path = join(folder, `uws_${platform}_${arch}_${versions.modules}.node`);
    if (!existsSync(path)) {
      reason = `${name} has no native build for Node ${versions.node} on ${platform} ${arch}`;
      continue;
    }
    try {
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
      // Read while it loads; without it, longer headers are refused unless they come in one piece.
      process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(limits.headerBytesMax);
      return { module: require(path) as UwsModule, version };
    } catch (error) {
      reason = `the native build of ${name} does not load: ${(error as Error).message.split(/\n| \(required/)[0]}`;
    }
  }
  return { reason };
}

/** The folder of an installed package; null without it. Its exports do not name `package.json`. */
function folderOf(name: string, require: NodeJS.Require): string | null {
  const folders = require.resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder)) ?? null;
}
