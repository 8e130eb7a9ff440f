// Bytes to lines to cells, and archives to files, in pieces of any size. import.test.ts has long lines, open quotes and archives that are cut off.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tarOf } from '../../../test/support/tar.ts';
import { LineReader } from '../../runtime/lines.ts';
import { csvCells } from './csv.ts';

import { isTar, tarFiles } from './tar.ts';

/** Bytes in pieces that end anywhere. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
}

async function* streamed(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* parts;
}

describe('lines', () => {
  const read = (parts: readonly Buffer[]): [number, string][] => {
    const lines: [number, string][] = [];
    const reader = new LineReader({ line: (text, number) => lines.push([number, text]), tooLong: () => {} }, 65_536);
    for (const part of parts) reader.push(part);
    reader.end();
    return lines;
  };

  it('are the same for pieces of any size', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\ufeff]/g, ''));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.array(fc.nat()), fc.constantFrom('\n', '\r\n'), (lines, cuts, end) => {
        const bytes = Buffer.from(lines.map((text) => text + end).join(''));
        expect(read(pieces(bytes, cuts))).toEqual(lines.map((text, i) => [i + 1, text]));
      }),
    );
  });
});

describe('cells', () => {
  it('are read as written', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (cells) => {
        const quoted = cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
        expect(csvCells(quoted)).toEqual(cells);
        const bare = cells.map((text) => text.replace(/["\n]/g, '')).map((text) => text.replaceAll(',', ''));
        expect(csvCells(bare.join(','))).toEqual(bare);
      }),
    );
  });
});

describe('an archive', () => {
  const read = async (parts: readonly Buffer[]): Promise<[string, string][]> => {
    const files: [string, string][] = [];
    for await (const file of tarFiles(streamed(parts), 'some.tar')) {
      const bytes: Uint8Array[] = [];
      for await (const piece of file.bytes) bytes.push(Buffer.from(piece));
      files.push([file.path, Buffer.concat(bytes).toString()]);
    }
    return files;
  };
  const files: [string, string][] = [
    ['a.csv', ''],
    ['folder/b.csv', 'x'.repeat(512)],
    [`${'long/'.repeat(40)}c.csv`, 'y'.repeat(1000)],
  ];

  it('gives its files for pieces of any size', async () => {
    const archive = tarOf(files);
    expect(isTar(archive.subarray(0, 512))).toBe(true);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), async (cuts) => {
        expect(await read(pieces(archive, cuts))).toEqual(files);
      }),
      { numRuns: 30 },
    );
  });

  it('with a damaged header is an error', async () => {
    const damaged = tarOf(files);
    damaged[0]! ^= 1;
    await expect(read([damaged])).rejects.toThrow(/checksum of a header/);
  });
});
