// Tar archives for tests.

const BLOCK_BYTES = 512;

/** A POSIX archive; names over 100 characters as GNU tar writes them. */
export function tarOf(files: readonly (readonly [path: string, text: string])[]): Buffer {
  const entries = files.flatMap(([path, text]) => {
    const bytes = Buffer.from(text);
    const long = path.length > 100 ? [entry('././@LongLink', 'L', Buffer.from(`${path}\0`))] : [];
    return [...long, entry(path.slice(0, 100), '0', bytes)];
  });
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function entry(path: string, type: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(path, 0);
  header.write('0000644\0', 100);
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES)]);
}
