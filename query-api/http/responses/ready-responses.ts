// Cache of a tick's lists: until the next tick equal requests get equal bytes, so the first client's work, above all its
// compression, serves all others. Plain bytes are cached from the second request, because most lists are requested once.
import type { Encoding } from '../../../pipeline/view/compress.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';

export interface ReadyResponse {
  readonly body: Buffer;
  readonly encoding: Encoding | null;
  readonly contentType: string | undefined;
}

export class ReadyResponses {
  private snapshot: Snapshot | null = null;
  /** By encoding and URL. Null: requested once. */
  private readonly responses = new Map<string, ReadyResponse | Promise<ReadyResponse> | null>();
  private bytes = 0;

  /** The response for this request, if it is ready or in progress. */
  find(snapshot: Snapshot, key: string): ReadyResponse | Promise<ReadyResponse> | undefined {
    if (snapshot !== this.snapshot) this.turnTo(snapshot);
    return this.responses.get(key) ?? undefined;
  }

  /** Stores a response that is requested again in this tick; only then `copy` is called. */
  offer(snapshot: Snapshot, key: string, copy: () => ReadyResponse): void {
    if (snapshot !== this.snapshot) return;
    if (this.responses.has(key)) this.keep(key, copy());
    else if (this.responses.size < limits.readyResponsesMax) this.responses.set(key, null);
  }

  /** Registers a response in progress: it serves equal requests meanwhile and afterwards. */
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
