// A third-party program as a child process: output to a file, stop, kill and pause, and no leftovers when our process ends.
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SquitterError } from '../../schemas/errors.ts';
import { localLimits } from './limits.ts';
import { atOurEnd } from './watchdog.ts';

export interface ProgramOptions {
  /** Name for error messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Environment; default: that of this process. */
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
  /** Its output so far. */
  log(): string;
  /** Sends SIGTERM, then SIGKILL after `msMax` (default `localStopMsMax`). Resolves with the exit status or signal. */
  stop(msMax?: number): Promise<number | string>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Sends SIGSTOP: the program stays alive and keeps its ports, but does nothing. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
}

const TAIL_LINES = 15;
const POLL_MS = 25;

/**
 * Starts a program in its own process group, so that a Ctrl-C for our process does not end it too early.
 * A watchdog kills the group when our process ends.
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
      // It has just ended.
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
    async stop(msMax = localLimits.localStopMsMax) {
      signal('SIGTERM');
      signal('SIGCONT');
      await Promise.race([ended, sleep(msMax, undefined, { ref: false })]);
      await kill();
      return ended;
    },
  };
}

/** Waits until `ready` resolves to true. Kills a program that takes too long. Error: `local.not_started` with the end of its log. */
export async function untilReady(program: Program, ready: () => Promise<boolean>): Promise<Program> {
  const deadline = Date.now() + localLimits.localStartMsMax;
  while (!(await ready())) {
    if (!program.running()) throw notStarted(program, `the program ended with ${await program.ended}`);
    if (Date.now() > deadline) {
      await program.kill();
      throw notStarted(program, `the program was not ready after ${localLimits.localStartMsMax} ms`);
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
  return new SquitterError('local.not_started', { program: program.name, detail: `${what}. The end of the log:\n${logTail(program)}` });
}
