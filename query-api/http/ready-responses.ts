// Lists that several clients ask for in one tick: until the next tick equal requests get equal bytes, so the first client's work, above all its
// compression, serves all others. Plain bytes are kept from the second time on, as most places are asked for once.
import type { Encoding } from '../../pipeline/view/compress.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits.ts';

export interface ReadyResponse {
  readonly body: Buffer;
  readonly encoding: Encoding | null;
  readonly contentType: string | undefined;
}

export class ReadyResponses {
  private snapshot: Snapshot | null = null;
  /** By encoding and URL. Null: asked for once. */
  private readonly responses = new Map<string, ReadyResponse | Promise<ReadyResponse> | null>();
  private bytes = 0;

  /** The response to this request, where it is ready or under way. */
  find(snapshot: Snapshot, key: string): ReadyResponse | Promise<ReadyResponse> | undefined {
    if (snapshot !== this.snapshot) this.turnTo(snapshot);
    return this.responses.get(key) ?? undefined;
  }

  /** Keeps a response that is asked for again in this tick; `copy` is called only then. */
  offer(snapshot: Snapshot, key: string, copy: () => ReadyResponse): void {
    if (snapshot !== this.snapshot) return;
    if (this.responses.has(key)) this.keep(key, copy());
    else if (this.responses.size < limits.readyResponsesMax) this.responses.set(key, null);
  }

  /** Lets a response that is being made serve whoever asks meanwhile, and afterwards. */
  share(snapshot: Snapshot, key: string, making: Promise<ReadyResponse>): void {
    if (snapshot !== this.snapshot || this.responses.size >= limits.readyResponsesMax) return;
    this.responses.set(key, making);
    making.then(
      (response) => {
        if (snapshot === this.snapshot) this.keep(key, response);
      },
      () => {
        if (snapshot === this.snapshot) this.responses.delete(key);
      },
    );
  }

  private keep(key: string, response: ReadyResponse): void {
    if (this.bytes + response.body.length > limits.readyResponsesBytesMax) {
      this.responses.delete(key);
      return;
    }
    this.bytes += response.body.length;
    this.responses.set(key, response);
  }

  private turnTo(snapshot: Snapshot): void {
    this.snapshot = snapshot;
    this.responses.clear();
    this.bytes = 0;
  }
}
