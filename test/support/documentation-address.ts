// An address of a documentation network on the loopback interface. It counts as one of the internet, which feeders and their owners have; 127.0.0.1 does not.
import { execFileSync } from 'node:child_process';
import { type Requirement, requirement } from './requirements.ts';

export interface DocumentationAddress extends Requirement {
  readonly address: string;
  remove(): void;
}

/** 192.0.2.`last`: each test file takes its own. Needs Linux and the right to change interfaces. */
export function documentationAddress(last: number): DocumentationAddress {
  const address = `192.0.2.${last}`;
  const change = (act: 'replace' | 'del'): boolean => {
    try {
      execFileSync('ip', ['address', act, `${address}/32`, 'dev', 'lo'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  const { met, reason } = requirement(change('replace'), `skipped: ${address} cannot be added to the loopback interface`);
  return { met, reason: met ? '' : reason, address, remove: () => void change('del') };
}
