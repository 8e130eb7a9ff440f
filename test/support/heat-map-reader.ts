// Reads heat map files of readsb by their documented format: docs/use/web-maps.md.

const ENTRY = 16;
const HEAD = 0x0e7f7c9d;
const NAME = 1 << 30;
const UPPER = 2 ** 32;

const hexOf = (word: number): string => `${(word & (1 << 24)) === 0 ? '' : '~'}${(word & 0xff_ffff).toString(16).padStart(6, '0')}`;

/** Errors: an index that does not lead to the heads of slices. */
export function readHeatMap(file: Buffer) {
  if (file.length % ENTRY !== 0) throw new Error(`${file.length} bytes are no entries`);
  const entries = file.length / ENTRY;
  const isHead = (entry: number): boolean => file.readUInt32LE(entry * ENTRY) === HEAD;
  const heads = Array.from({ length: entries }, (_, entry) => entry).filter(isHead);
  const index = Array.from({ length: heads[0] ?? 0 }, (_, entry) => file.readUInt32LE(entry * ENTRY));
  if (index.join() !== heads.join()) throw new Error('the index does not have the heads');
  return heads.map((head, slice) => {
    const at = head * ENTRY;
    const names: ReturnType<typeof nameAt>[] = [];
    const positions: ReturnType<typeof positionAt>[] = [];
    for (let entry = head + 1; entry < (heads[slice + 1] ?? entries); entry += 1) {
      const from = entry * ENTRY;
      if (file.readInt32LE(from + 4) >= NAME) names.push(nameAt(file, from));
      else positions.push(positionAt(file, from));
    }
    return {
      ...{ timeMs: file.readUInt32LE(at + 4) * UPPER + file.readUInt32LE(at + 8), lengthMs: file.readUInt16LE(at + 12) },
      ...{ names, positions },
    };
  });
}

function nameAt(file: Buffer, at: number) {
  const flight = file[at + 8] === 0 ? null : file.toString('latin1', at + 8, at + ENTRY);
  return { hex: hexOf(file.readUInt32LE(at)), flight, squawk: String(file.readInt32LE(at + 4) & 0xffff).padStart(4, '0') };
}

/** `source` is the number of its kind, the altitude is in ft. */
function positionAt(file: Buffer, at: number) {
  const steps = file.readInt16LE(at + 12);
  const speed = file.readInt16LE(at + 14);
  return {
    ...{ hex: hexOf(file.readUInt32LE(at)), source: file.readUInt32LE(at) >>> 27 },
    ...{ lat: file.readInt32LE(at + 4) / 1e6, lon: file.readInt32LE(at + 8) / 1e6 },
    ...{ altitude: steps === -123 ? ('ground' as const) : steps === -124 ? null : steps * 25, gs: speed === -1 ? null : speed / 10 },
  };
}
