// Lines to cells after RFC 4180: a quoted cell may contain the delimiter, doubled quotes and line breaks.

/** Cells of a line; null if a quote is still open at its end, so that the row continues in the next line. */
export function csvCells(line: string): string[] | null {
  if (!line.includes('"')) return line.split(',');
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    if (line[at] !== '"') {
      const end = line.indexOf(',', at);
      cells.push(line.slice(at, end < 0 ? line.length : end));
      if (end < 0) return cells;
      at = end;
      continue;
    }
    const end = closingQuote(line, at + 1);
    if (end < 0) return null;
    const after = line.indexOf(',', end);
    cells.push(line.slice(at + 1, end).replaceAll('""', '"') + line.slice(end + 1, after < 0 ? line.length : after));
    if (after < 0) return cells;
    at = after;
  }
}

/** Index of the closing quote of a cell; doubled quotes are part of the cell. */
function closingQuote(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at >= 0 && line[at + 1] === '"') at = line.indexOf('"', at + 2);
  return at;
}
