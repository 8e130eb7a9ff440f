// Imports one file: the first line determines the format, the format imports the rows, and refused rows are counted by reason.
import { limits } from '../../../schemas/limits/index.ts';
import { LineReader, type LineSink } from '../../runtime/lines.ts';
import { csvCells } from './csv.ts';
import type { TakeRow } from './format.ts';
import { formatOf } from './formats.ts';
import type { Gathering } from './gathering.ts';
import { type FormatReport, type InputReport, refuse } from './report.ts';
import type { InputFile } from './tar.ts';

const UNKNOWN = 'no known format';

/** Reads a file to its end. Calls `onPiece` after each piece; it may throw to stop the import. */
export async function readFile(file: InputFile, into: Gathering, report: InputReport, onPiece: (rows: number) => void): Promise<void> {
  const rows = new FileRows(file.path, into, report);
  const reader = new LineReader(rows, limits.referenceLineBytesMax);
  let reported = 0;
  for await (const bytes of file.bytes) {
    if (!rows.leftOut) reader.push(bytes);
    onPiece(rows.imported - reported);
    reported = rows.imported;
  }
  if (!rows.leftOut) reader.end();
  onPiece(rows.imported - reported);
  rows.end();
}

class FileRows implements LineSink {
  imported = 0;
  /** The file is skipped. */
  leftOut = false;
  private readonly path: string;
  private readonly into: Gathering;
  private readonly report: InputReport;
  private cellsOf: (line: string) => string[] | null = csvCells;
  private importRow: TakeRow | null = null;
  private format: FormatReport | null = null;
  private columns = 0;
  /** Lines of an unfinished row: a quote is open. */
  private open = '';
  private openFrom = 0;

  constructor(path: string, into: Gathering, report: InputReport) {
    this.path = path;
    this.into = into;
    this.report = report;
  }

  line(text: string, number: number): void {
    if (this.leftOut) return;
    if (this.format === null) this.begin(text, number);
    else this.next(text, number);
  }

  tooLong(number: number): void {
    if (this.leftOut) return;
    if (this.format === null) this.leaveOut(UNKNOWN);
    else this.refuse(`a line over ${limits.referenceLineBytesMax} bytes`, number);
  }

  end(): void {
    if (this.format === null && !this.leftOut) this.leaveOut('empty');
    if (this.open !== '') this.refuse('an unclosed quote', this.openFrom);
  }

  private begin(first: string, number: number): void {
    const format = formatOf(first);
    if (format?.delimiter === ';') this.cellsOf = (line) => line.split(';');
    const header = this.cellsOf(first)?.map((name) => name.trim());
    if (format === undefined || header === undefined) {
      this.leaveOut(UNKNOWN);
      return;
    }
    const importRow = format.begin(header, this.into);
    if (typeof importRow === 'string') {
      this.leaveOut(`${format.name}: ${importRow}`);
      return;
    }
    this.importRow = importRow;
    this.columns = header.length;
    this.format = this.report.format(format.name);
    this.format.files += 1;
    if (!format.headed) this.next(first, number);
  }

  private next(text: string, number: number): void {
    if (text === '' && this.open === '') return;
    if (this.open === '') this.openFrom = number;
    const line = this.open === '' ? text : `${this.open}\n${text}`;
    const cells = this.cellsOf(line);
    if (cells === null && line.length <= limits.referenceLineBytesMax) {
      this.open = line;
      return;
    }
    this.open = '';
    const wrong = cells === null ? 'an unclosed quote' : this.wrongWith(cells);
    if (wrong !== null) this.refuse(wrong, this.openFrom);
    else {
      this.imported += 1;
      this.format!.rows += 1;
    }
  }

  private wrongWith(cells: readonly string[]): string | null {
    // Empty last columns may be missing, as in readsb's file.
    if (cells.length > this.columns + 1 || cells.length < 2) return 'another number of columns';
    for (const text of cells)
      if (text.length > limits.referenceTextCharactersMax) return `a text over ${limits.referenceTextCharactersMax} characters`;
    return this.importRow!(cells);
  }

  private refuse(reason: string, number: number): void {
    refuse(this.format!.refused, reason, this.path === '' ? `line ${number}` : `${this.path}:${number}`);
  }

  private leaveOut(reason: string): void {
    this.leftOut = true;
    refuse(this.report.leftOut, reason, this.path === '' ? 'all of it' : this.path);
  }
}
