// A program on this machine that can be killed, paused and started again as it was: same address, same data.
import type { Program } from './program.ts';

export class LocalProgram {
  /** Where clients reach it. */
  readonly url: string;
  readonly #launch: () => Promise<Program>;
  readonly #afterStop: () => void;
  #program: Program;

  private constructor(url: string, launch: () => Promise<Program>, afterStop: () => void, program: Program) {
    this.url = url;
    this.#launch = launch;
    this.#afterStop = afterStop;
    this.#program = program;
  }

  /** `launch` starts the program and resolves when it is ready. */
  static async start(url: string, launch: () => Promise<Program>, afterStop: () => void = () => {}): Promise<LocalProgram> {
    return new LocalProgram(url, launch, afterStop, await launch());
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** SIGKILL; what it had stored stays. */
  kill(): Promise<void> {
    return this.#program.kill();
  }

  /** Starts it again, after stopping it where it runs. Resolves when it is ready. */
  async restart(): Promise<void> {
    await this.#program.stop();
    this.#program = await this.#launch();
  }

  /** SIGSTOP: its connections stay open and nobody answers. */
  pause(): void {
    this.#program.pause();
  }

  /** SIGCONT. */
  resume(): void {
    this.#program.resume();
  }

  /** SIGTERM, and SIGKILL when that takes too long. */
  async stop(): Promise<void> {
    await this.#program.stop();
    this.#afterStop();
  }
}
