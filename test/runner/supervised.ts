// One process of the local cluster under supervision: restarted with back-off when it ends, as in Kubernetes; stopped or killed on request.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../pipeline/runtime/options.ts';
import { packageRoot } from '../../pipeline/runtime/package-root.ts';
import { localLimits } from '../local/limits.ts';
import { type Program, startProgram } from '../local/program.ts';

export interface SupervisedOptions {
  readonly name: string;
  /** Default: the installed command. */
  readonly command?: string;
  readonly flags: readonly string[];
  readonly env: Environment;
  readonly logFile: string;
  /** Receives messages for the operator. */
  readonly print: (text: string) => void;
}

const squitter = join(packageRoot(), 'infra/cli/squitter.sh');

const BACK_OFF_MS_MIN = 500;
const BACK_OFF_MS_MAX = 10_000;
/** After a run of this length, the back-off starts at its minimum again. */
const STEADY_MS = 20_000;

export class Supervised {
  readonly name: string;
  restarts = 0;
  /** Unexpected ends. */
  failures = 0;
  private readonly options: SupervisedOptions;
  private readonly stopping = new AbortController();
  /** Null between an end and the next start. */
  private program: Program | null = null;
  /** The next end was requested and is no failure. */
  private killed = false;
  private readonly running: Promise<void>;

  constructor(options: SupervisedOptions) {
    this.options = options;
    this.name = options.name;
    this.running = this.run();
  }

  get pid(): number | null {
    return this.program?.pid ?? null;
  }

  /** Sends SIGKILL. The process is restarted. */
  async kill(): Promise<void> {
    this.killed = true;
    await this.program?.kill();
  }

  /** Sends SIGTERM without a restart. Resolves with the exit status or the name of the signal that ended the process. */
  async stop(): Promise<number | string> {
    this.stopping.abort();
    const { program } = this;
    const how = program === null ? 'not running' : await program.stop(localLimits.localServiceStopMsMax);
    await this.running;
    return how;
  }

  private async run(): Promise<void> {
    const { name, command = squitter, flags: args, env, logFile, print } = this.options;
    let backOffMs = BACK_OFF_MS_MIN;
    while (!this.stopping.signal.aborted) {
      const startMs = performance.now();
      this.program = startProgram({ name, command, args, env, logFile });
      const how = await this.program.ended;
      const pid = this.program.pid;
      if (this.stopping.signal.aborted) return;
      this.program = null;
      if (!this.killed) this.failures += 1;
      backOffMs = performance.now() - startMs > STEADY_MS || this.killed ? BACK_OFF_MS_MIN : Math.min(2 * backOffMs, BACK_OFF_MS_MAX);
      print(`${name} (process ${pid}) ended with ${how}${this.killed ? ', as requested' : ''}; restart in ${backOffMs / 1000} s`);
      this.killed = false;
      await sleep(backOffMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      this.restarts += 1;
    }
  }
}
