// A program on this machine that can be killed, paused and restarted with the same address and data.
import type { Program } from './program.ts';

export class LocalProgram {
  /** Address for clients. */
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

  /** Sends SIGKILL. Stored data are kept. */
  kill(): Promise<void> {
    return this.#program.kill();
  }

  /** Stops the program if it runs, and starts it again. Resolves when it is ready. */
  async restart(): Promise<void> {
    await this.#program.stop();
    this.#program = await this.#launch();
  }

  /** Sends SIGSTOP: connections stay open without responses. */
  pause(): void {
    this.#program.pause();
  }

  /** SIGCONT. */
  resume(): void {
    this.#program.resume();
  }

  /** Sends SIGTERM, and SIGKILL if that takes too long. */
  async stop(): Promise<void> {
    await this.#program.stop();
    this.#afterStop();
  }
}
