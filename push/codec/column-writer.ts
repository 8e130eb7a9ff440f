// One column of a frame: which aircraft changed, a code for each, and what some kinds have besides.
import { Writer } from './writer.ts';

export class ColumnWriter {
  readonly codes = new Writer();
  /** Latitudes, or the bytes of texts. */
  readonly first = new Writer();
  /** Longitudes. */
  readonly second = new Writer();
  private readonly gaps = new Writer();
  private count = 0;
  private next = 0;

  clear(): void {
    for (const writer of [this.gaps, this.codes, this.first, this.second]) writer.clear();
    [this.count, this.next] = [0, 0];
  }

  /** The aircraft that the next code is for. */
  mark(n: number): void {
    this.gaps.unsigned(n - this.next);
    this.next = n + 1;
    this.count += 1;
  }

  text(text: string | null): void {
    const bytes = text === null ? null : Buffer.from(text);
    this.codes.unsigned(bytes === null ? 0 : bytes.length + 1);
    if (bytes !== null) this.first.put(bytes);
  }

  /** Appends the column to a body, unless nothing changed. Adds the offsets of its parts to `sections`. */
  writeTo(body: Writer, field: number, sections: number[]): void {
    if (this.count === 0) return;
    const head = new Writer(16);
    head.unsigned(this.count);
    const parts = [head, this.gaps, this.codes, this.first, this.second];
    body.unsigned(field);
    body.unsigned(parts.reduce((sum, { length }) => sum + length, 0));
    for (const part of parts) {
      body.put(part.written());
      sections.push(body.length);
    }
  }
}
