// Texts of rows that rarely change, in one memory, in reading order: in any other order, nearly every text is on
// another memory page, and finding the page took longer than copying the text.
import { text, wordsOf } from './text.ts';

const FIRST_ROWS = 1024;
const FIRST_WORDS = 8 * FIRST_ROWS;
/** Texts are rearranged when one of this many is out of order. */
const BREAKS_SHARE = 16;
const NO_ROWS = new Int32Array(0);

export class TextPool {
  /** Padded to whole words, as `text` pads them. Replaced when full; a text in it never changes, because listings of earlier ticks read it. */
  words = new Float64Array(FIRST_WORDS);
  /** By row: the first word, and the length in bytes; 0 is no text. */
  starts = new Int32Array(FIRST_ROWS);
  lengths = new Int32Array(FIRST_ROWS);
  /** Words in use, and those of them with texts. */
  private end = 0;
  private used = 0;

  /** Replaces the row's text by an ASCII text. */
  put(row: number, ascii: string): void {
    while (row >= this.starts.length) this.growRows();
    const { words, length } = text(ascii);
    this.used += words.length - wordsOf(this.lengths[row]!);
    this.lengths[row] = 0;
    if (this.end + words.length > this.words.length) this.layOut(NO_ROWS, 0, words.length);
    this.words.set(words, this.end);
    this.starts[row] = this.end;
    this.lengths[row] = length;
    this.end += words.length;
  }

  /** Arranges the texts in the order of `rows`, if too many are out of order. */
  arrange(rows: Int32Array, count: number): void {
    const { starts } = this;
    let breaks = 0;
    for (let i = 1; i < count; i += 1) if (starts[rows[i]!]! < starts[rows[i - 1]!]!) breaks += 1;
    if (breaks * BREAKS_SHARE > count) this.layOut(rows, count, 0);
  }

  private growRows(): void {
    const rows = 2 * this.starts.length;
    const { starts, lengths } = this;
    this.starts = new Int32Array(rows);
    this.starts.set(starts);
    this.lengths = new Int32Array(rows);
    this.lengths.set(lengths);
  }

  /** The texts of these rows first, then all others; drops replaced texts, and leaves half of the memory free. */
  private layOut(rows: Int32Array, count: number, wordsMore: number): void {
    const from = this.words;
    this.words = new Float64Array(Math.max(FIRST_WORDS, 2 * (this.used + wordsMore)));
    this.end = 0;
    const isMoved = new Uint8Array(this.starts.length);
    const move = (row: number): void => {
      if (isMoved[row] === 1) return;
      isMoved[row] = 1;
      const start = this.starts[row]!;
      const length = wordsOf(this.lengths[row]!);
      this.words.set(from.subarray(start, start + length), this.end);
      this.starts[row] = this.end;
      this.end += length;
    };
    for (let i = 0; i < count; i += 1) move(rows[i]!);
    for (let row = 0; row < this.starts.length; row += 1) move(row);
  }
}
