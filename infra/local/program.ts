// One program of another maker as a child process: its output in a file, stop, kill, pause, and nothing left behind when we end.
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';
import { atOurEnd } from './watchdog.ts';

export interface ProgramOptions {
  /** What errors call it. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its environment; ours where it is not given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Standard output and error are appended here. */
  readonly logFile: string;
}

export interface Program {
  readonly name: string;
  readonly pid: number;
  running(): boolean;
  /** Exit status, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** What it has printed so far. */
  log(): string;
  /** SIGTERM, and SIGKILL when that takes too long (`localStopMsMax`); how it ended. */
  stop(msMax?: number): Promise<number | string>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGSTOP: it lives and keeps its ports, but does nothing. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
}

const TAIL_LINES = 15;
const POLL_MS = 25;

/**
 * Starts a program in a process group of its own, so that a Ctrl-C meant for us does not end it before we are done with it.
 * A watchdog kills the group when we end.
 */
export function startProgram({ name, command, args, env, logFile }: ProgramOptions): Program {
  const output = openSync(logFile, 'a');
  const logStart = fstatSync(output).size;
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', output, output],
    ...(env === undefined ? {} : { env: { ...env } }),
  });
  closeSync(output);
  const pid = child.pid;
  let end: number | string | null = null;
  const ended = new Promise<number | string>((resolve) => {
    const settle = (how: number | string): void => {
      end = how;
      resolve(how);
    };
    child.once('error', (error) => settle(error.message));
    child.once('exit', (code, signal) => settle(code ?? signal ?? 'an unknown end'));
  });
  if (pid === undefined) throw new SquitterError('local.not_started', { program: name, detail: `${command} cannot be run` });
  void ended.then(atOurEnd('kill -s KILL -- "-$1"', String(pid)));

  const signal = (what: NodeJS.Signals): void => {
    try {
      if (end === null) process.kill(-pid, what);
    } catch {
      // It ended by itself just now.
    }
  };
  const kill = async (): Promise<void> => {
    signal('SIGKILL');
    await ended;
  };
  return {
    name,
    pid,
    ended,
    kill,
    running: () => end === null,
    log: () => readFileSync(logFile).toString('utf8', logStart),
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async stop(msMax = limits.localStopMsMax) {
      signal('SIGTERM');
      signal('SIGCONT');
      await Promise.race([ended, sleep(msMax, undefined, { ref: false })]);
      await kill();
      return ended;
    },
  };
}

/** Waits until `ready` says true. A program that ends first, or takes too long, is killed. Errors: `local.not_started` with the end of its log. */
export async function untilReady(program: Program, ready: () => Promise<boolean>): Promise<Program> {
  const deadline = Date.now() + limits.localStartMsMax;
  while (!(await ready())) {
    if (!program.running()) throw notStarted(program, `it ended with ${await program.ended}`);
    if (Date.now() > deadline) {
      await program.kill();
      throw notStarted(program, `it was not ready after ${limits.localStartMsMax} ms`);
    }
    await sleep(POLL_MS);
  }
  return program;
}

/** The last lines of its output, for an error message. */
export function logTail(program: Program): string {
  return program.log().trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

function notStarted(program: Program, what: string): SquitterError {
  return new SquitterError('local.not_started', { program: program.name, detail: `${what}. The end of its log:\n${logTail(program)}` });
}
