// Lines to cells: RFC 4180, where a cell between quotes may hold the delimiter, doubled quotes and ends of lines.

/** Cells of a line; null where a quote is still open at its end: its row goes on in the next line. */
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

/** Where a quoted cell ends; doubled quotes are part of it. */
function closingQuote(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at >= 0 && line[at + 1] === '"') at = line.indexOf('"', at + 2);
  return at;
}
