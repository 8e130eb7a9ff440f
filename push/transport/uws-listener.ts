// Listening of uWebSockets.js. It accepts connections without a limit and, at the limit of descriptors, tries again without a pause: a whole core.
// So it stops listening while descriptors are short.

import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { descriptorLimit } from '../../pipeline/runtime/descriptors.ts';
import { listenError, listenOn } from '../../pipeline/runtime/listening.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { TransportOptions } from './transport.ts';
import type { UwsApp, UwsModule } from './uws-native.ts';

export class UwsListener {
  readonly port: number;
  readonly #module: UwsModule;
  readonly #app: UwsApp;
  readonly #host: string;
  readonly #descriptorsMax: number;
  readonly #timer: NodeJS.Timeout;
  /** Null while descriptors are short. It is never looked at after it is closed: that would end the process. */
  #listener: object | null;

  /** Errors: `listen.port_in_use`, `listen.failed`. */
  static async open(module: UwsModule, app: UwsApp, options: TransportOptions, checkMs: number): Promise<UwsListener> {
    const { host, port } = options;
    // It shares a port that is in use, and does not report why it cannot listen: node does.
    const probe = createServer();
    await listenOn(probe, options);
    await new Promise((resolve) => probe.close(resolve));
    const listener = listen(app, host, port);
    if (listener === null) throw listenError(new Error('refused by the system'), options);
    return new UwsListener(module, app, host, listener, checkMs);
  }

  private constructor(module: UwsModule, app: UwsApp, host: string, listener: object, checkMs: number) {
    this.#module = module;
    this.#app = app;
    this.#host = host;
    this.#listener = listener;
    this.port = module.us_socket_local_port(listener);
    const limit = descriptorLimit() ?? Number.POSITIVE_INFINITY;
    this.#descriptorsMax = Math.max(limit - limits.descriptorsReserved, limit / 2);
    this.#timer = setInterval(() => this.#check(), checkMs);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stop();
  }

  #check(): void {
    const isShort = descriptorsOpen() > this.#descriptorsMax;
    if (isShort) this.#stop();
    else this.#listener ??= listen(this.#app, this.#host, this.port);
  }

  #stop(): void {
    const listener = this.#listener;
    this.#listener = null;
    if (listener !== null) this.#module.us_listen_socket_close(listener);
  }
}

/** Null if the system refuses. uWebSockets.js calls back at once. */
function listen(app: UwsApp, host: string, port: number): object | null {
  let found: object | null = null;
  app.listen(host, port, (listener) => {
    if (listener !== false) found = listener;
  });
  return found;
}

/** Descriptors of the process; 0 where the system does not report it. */
function descriptorsOpen(): number {
  try {
    // A number since Linux 6.2, and it takes no descriptor.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EMFILE' ? Number.POSITIVE_INFINITY : 0;
  }
}
