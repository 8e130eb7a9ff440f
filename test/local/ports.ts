// Free ports for local programs. A start is repeated if a port was taken between choosing and starting.
import { createServer } from 'node:net';
import { SquitterError } from '../../schemas/errors.ts';
import { localLimits } from './limits.ts';

// Below Linux's range for outgoing connections, so that a killed and restarted program finds its port free.
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;

/** Different ports that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN));
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Chooses ports and starts a program on them. Tries again with others if its log says that one was taken meanwhile. */
export async function onFreePorts<T>(count: number, start: (ports: number[]) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePorts(count));
    } catch (error) {
      const isInUse = error instanceof SquitterError && /address already in use|port \d+ seems to be in use/i.test(error.message);
      if (!isInUse || attempt === localLimits.localStartAttemptsMax) throw error;
    }
  }
}

/** The same for one port. */
export function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  return onFreePorts(1, ([port]) => start(port!));
}
