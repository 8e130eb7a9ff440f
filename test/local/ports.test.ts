// A start is repeated with other ports if one was taken meanwhile. Other failures are passed on at once.

import { describe, expect, it } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import { localLimits } from './limits.ts';
import { freePorts, onFreePorts } from './ports.ts';

const failure = (detail: string): SquitterError => new SquitterError('local.not_started', { program: 'Kafka', detail });

describe('ports', () => {
  it('are free, different and outside of the range of outgoing connections', async () => {
    const ports = await freePorts(20);
    expect(new Set(ports).size).toBe(20);
    for (const port of ports) expect(port).toBeLessThan(32_768);
  });

  it('are chosen again if a program reports that one was taken', async () => {
    const tried: number[] = [];
    const ports = await onFreePorts(2, async (chosen) => {
      tried.push(chosen[0]!);
      if (tried.length < 3) throw failure('Socket server failed to bind to 127.0.0.1:9092: Address already in use.');
      return chosen;
    });
    expect(tried).toHaveLength(3);
    expect(ports).toHaveLength(2);
  });

  it('are chosen a limited number of times', async () => {
    let tries = 0;
    const start = async (): Promise<never> => {
      tries += 1;
      throw failure('Port 9092 seems to be in use by another process.');
    };
    await expect(onFreePorts(1, start)).rejects.toThrow('seems to be in use');
    expect(tries).toBe(localLimits.localStartAttemptsMax);
  });

  it('are not chosen again after other failures', async () => {
    let tries = 0;
    const start = async (): Promise<never> => {
      tries += 1;
      throw failure('out of memory');
    };
    await expect(onFreePorts(1, start)).rejects.toThrow('out of memory');
    expect(tries).toBe(1);
  });
});
