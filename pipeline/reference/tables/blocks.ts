// Blocks of 24-bit addresses: their states, and which are military. Blocks may be nested; the smallest block around an address counts.
import type { ColumnTable, PackedTable } from '../store/column-file.ts';
import { TableReader, TableWriter, type Texts } from '../store/columns.ts';
import { firstNotBelow } from '../store/sorted.ts';

export const BLOCKS = 'blocks';

export interface Block {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  /** ISO 3166-1 alpha-2; '' if the block is unassigned or its state unknown. */
  readonly country: string;
  readonly military: boolean;
}

/** Non-overlapping runs of addresses, each with its deciding block. Look-ups use binary search. */
export class BlockTable {
  private readonly starts: Uint32Array;
  private readonly countries: Texts;
  private readonly military: Uint8Array;

  constructor(table: ColumnTable) {
    const reader = new TableReader(table);
    this.starts = reader.numbers('start', 'u32');
    this.countries = reader.sharedTexts('country');
    this.military = reader.numbers('military', 'u8');
  }

  get size(): number {
    return this.starts.length;
  }

  /** '' if an address is in no state's block. */
  countryOf(key: number): string {
    const run = this.runOf(key);
    return run < 0 ? '' : this.countries.at(run);
  }

  isMilitary(key: number): boolean {
    return this.military[this.runOf(key)] === 1;
  }

  private runOf(key: number): number {
    return firstNotBelow(this.starts, key + 1) - 1;
  }
}

/** Turns nested blocks into runs. */
export function packBlocks(blocks: readonly Block[]): PackedTable {
  const smallestFirst = [...blocks].sort((a, b) => a.last - a.first - (b.last - b.first));
  const starts = Uint32Array.from(new Set(blocks.flatMap(({ first, last }) => [first, last + 1]))).sort();
  const deciding = Array.from(starts, (start) => smallestFirst.find(({ first, last }) => first <= start && start <= last));
  const countries = deciding.map((block) => block?.country ?? '');
  const military = Uint8Array.from(deciding.map((block) => Number(block?.military ?? false)));
  return new TableWriter(BLOCKS, starts.length)
    .numbers('start', starts)
    .sharedTexts('country', countries)
    .numbers('military', military)
    .pack();
}
