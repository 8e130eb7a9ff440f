// The table of address blocks: complete, without overlaps, and in agreement with independent reference data.
import { describe, expect, it } from 'vitest';
import { filesOf, standingData } from '../../../test/support/golden-archives.ts';
import { csvCells } from '../import/csv.ts';
import { unpackTable } from '../store/column-file.ts';
import { BlockTable, packBlocks } from '../tables/blocks.ts';
import { countryNames } from './country-names.ts';
import { militaryBlocks } from './military.ts';
import { stateBlocks } from './states.ts';

const table = new BlockTable(unpackTable(packBlocks([...stateBlocks, ...militaryBlocks])));

describe('address blocks', () => {
  it('of states do not overlap, start at a multiple of their size and have a name', () => {
    const sorted = [...stateBlocks].sort((a, b) => a.first - b.first);
    for (const [i, { first, last, country }] of sorted.entries()) {
      if (i > 0) expect(first).toBeGreaterThan(sorted[i - 1]!.last);
      expect(first % (last - first + 1)).toBe(0);
      expect(countryNames.get(country), country).toBeDefined();
    }
    expect(new Set(sorted.map(({ country }) => country)).size).toBe(sorted.length);
    expect(sorted).toHaveLength(194);
  });

  it('that are military are within the block of their state', () => {
    for (const { first, last, country } of militaryBlocks)
      expect(
        stateBlocks.some((state) => state.country === country && state.first <= first && last <= state.last),
        country,
      ).toBe(true);
  });

  it.each([
    [0x48_4444, 'NL', false],
    [0x48_0123, 'NL', true],
    [0xae_1234, 'US', true],
    [0xad_f7c7, 'US', false],
    [0xad_f7c8, 'US', true],
    [0x3f_7fff, 'DE', true],
    [0x00_0001, '', false],
    [0xff_ffff, '', false],
  ])('%#: %i', (address, country, military) => {
    expect(table.countryOf(address)).toBe(country);
    expect(table.isMilitary(address)).toBe(military);
  });

  it('are those of the standing data', async () => {
    const [blocks] = (await filesOf(standingData, (path) => path.endsWith('code-blocks.csv'))).values();
    const rows = blocks!
      .toString()
      .split('\n')
      .slice(1)
      .map((line) => csvCells(line.trim())!)
      .filter((cells) => cells.length === 7);
    expect(rows.length).toBeGreaterThan(800);
    // Whole blocks of states; smaller blocks are parts that the standard does not list.
    const theirs = rows.filter(
      ([, , count, , , military, country]) => military === '0' && Number(count) >= 1024 && !/^(ZZ|X.)$/.test(country!),
    );
    for (const [start, , , , , , country] of theirs)
      expect(table.countryOf(Number.parseInt(start!, 16)), `${start} ${country}`).toBe(country);
    const listed = new Set(theirs.map((cells) => cells[6]));
    // Added by later amendments.
    expect(stateBlocks.filter(({ country }) => !listed.has(country)).map(({ country }) => country)).toEqual([
      'AD',
      'DM',
      'KN',
      'SS',
      'TL',
      'TV',
    ]);
  });
});
