// Lists that several clients ask for in one tick: until the next tick equal requests get equal bytes, so the first client's work, above all its
// compression, serves all others. Plain bytes are kept from the second time on, as most places are asked for once.
import type { Encoding } from '../../pipeline/view/compress.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits.ts';

export interface ReadyAnswer {
  readonly body: Buffer;
  readonly encoding: Encoding | null;
  readonly contentType: string | undefined;
}

export class ReadyAnswers {
  private snapshot: Snapshot | null = null;
  /** By encoding and URL. Null: asked for once. */
  private readonly answers = new Map<string, ReadyAnswer | Promise<ReadyAnswer> | null>();
  private bytes = 0;

  /** The answer to this request, where it is ready or under way. */
  find(snapshot: Snapshot, key: string): ReadyAnswer | Promise<ReadyAnswer> | undefined {
    if (snapshot !== this.snapshot) this.turnTo(snapshot);
    return this.answers.get(key) ?? undefined;
  }

  /** Keeps an answer that is asked for again in this tick; `copy` is called only then. */
  offer(snapshot: Snapshot, key: string, copy: () => ReadyAnswer): void {
    if (snapshot !== this.snapshot) return;
    if (this.answers.has(key)) this.keep(key, copy());
    else if (this.answers.size < limits.readyAnswersMax) this.answers.set(key, null);
  }

  /** Lets an answer that is being made serve whoever asks meanwhile, and afterwards. */
  share(snapshot: Snapshot, key: string, making: Promise<ReadyAnswer>): void {
    if (snapshot !== this.snapshot || this.answers.size >= limits.readyAnswersMax) return;
    this.answers.set(key, making);
    making.then(
      (answer) => {
        if (snapshot === this.snapshot) this.keep(key, answer);
      },
      () => {
        if (snapshot === this.snapshot) this.answers.delete(key);
      },
    );
  }

  private keep(key: string, answer: ReadyAnswer): void {
    if (this.bytes + answer.body.length > limits.readyAnswersBytesMax) {
      this.answers.delete(key);
      return;
    }
    this.bytes += answer.body.length;
    this.answers.set(key, answer);
  }

  private turnTo(snapshot: Snapshot): void {
    this.snapshot = snapshot;
    this.answers.clear();
    this.bytes = 0;
  }
}
