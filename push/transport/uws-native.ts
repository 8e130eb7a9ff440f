// uWebSockets.js, if this runtime can load its native code. The package itself falls back to JavaScript, with lines on stdout: never through it.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

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

/** The native code that a file at `from` would load, or why it is not used. */
export function loadUws(from: string = import.meta.url): LoadedUws | { readonly reason: string } {
  const found = findUws(from);
  if ('reason' in found) return found;
  try {
    return { module: createRequire(from)(found.path) as UwsModule, version: found.version };
  } catch (error) {
    return { reason: `the native build of uWebSockets.js does not load: ${(error as Error).message.split('\n')[0]}` };
  }
}

/** The file of that code, without loading it. */
export function findUws(from: string = import.meta.url): { readonly path: string; readonly version: string } | { readonly reason: string } {
  const require = createRequire(from);
  let manifest: string;
  try {
    manifest = require.resolve('uWebSockets.js/package.json');
  } catch {
    return { reason: 'uWebSockets.js is not installed' };
  }
  const { platform, arch, versions } = process;
  const file = `uws_${platform}_${arch}_${versions.modules}.node`;
  // In the alias package, and in builds of the project itself.
  const path = [join(dirname(manifest), 'binaries', file), join(dirname(manifest), file)].find((candidate) => existsSync(candidate));
  if (path === undefined) return { reason: `uWebSockets.js has no native build for Node ${versions.node} on ${platform} ${arch}` };
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return { path, version };
}
