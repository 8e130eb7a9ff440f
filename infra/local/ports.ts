// Ports for local programs, and another try where a port was taken between choosing and starting.
import { createServer } from 'node:net';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';

// Below the range from which Linux takes the ports of outgoing connections: a program that is killed and started again finds its port free.
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;

/** Ports that were free a moment ago, each once. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN));
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Starts on ports of its own choosing: again, with others, when the log says that one was taken meanwhile. */
export async function onFreePorts<T>(count: number, start: (ports: number[]) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePorts(count));
    } catch (error) {
      const taken = error instanceof SquitterError && /address already in use|port \d+ seems to be in use/i.test(error.message);
      if (!taken || attempt === limits.localStartAttemptsMax) throw error;
    }
  }
}

/** The same for one port. */
export function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  return onFreePorts(1, ([port]) => start(port!));
}
