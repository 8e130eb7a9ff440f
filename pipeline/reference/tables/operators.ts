// Operators by ICAO and IATA code. A few thousand, so they are kept as objects in maps.
import type { Operator } from '../reference.ts';
import type { ColumnTable, PackedTable } from '../store/column-file.ts';
import { type FieldColumns, rowReader, TableWriter, writeRows } from '../store/columns.ts';
import { CodeHolders } from './code-holders.ts';

export const OPERATORS = 'operators';
const fields: FieldColumns<Operator> = { icao: 'texts', iata: 'texts?', name: 'texts', callsign: 'texts?', country: 'sharedTexts?' };

export class OperatorTable {
  private readonly byIcao = new Map<string, Operator>();
  /** IATA codes are reassigned; if several operators have one, the first gets it. */
  private readonly byIata = new Map<string, Operator>();

  constructor(operators: Iterable<Operator>) {
    for (const operator of operators) {
      this.byIcao.set(operator.icao, operator);
      if (operator.iata !== undefined && !this.byIata.has(operator.iata)) this.byIata.set(operator.iata, operator);
    }
  }

  get size(): number {
    return this.byIcao.size;
  }

  values(): Iterable<Operator> {
    return this.byIcao.values();
  }

  /** By ICAO code, else IATA code, in either case. */
  find(code: string): Operator | undefined {
    const upper = code.toUpperCase();
    return this.byIcao.get(upper) ?? this.byIata.get(upper);
  }
}

export function operatorsIn(table: ColumnTable): OperatorTable {
  return new OperatorTable(Array.from({ length: table.rows }, (_, row) => row).map(rowReader(table, fields)));
}

/** Creates an operator; '' means unknown. */
export function operatorOf(icao: string, iata: string, name: string, callsign: string, country: string): Operator {
  const operator: { -readonly [Name in keyof Operator]: Operator[Name] } = { icao, name };
  if (iata !== '') operator.iata = iata;
  if (callsign !== '') operator.callsign = callsign;
  if (country !== '') operator.country = country;
  return operator;
}

/**
 * Operators during an import, in their original order. A later `put` wins, except that absent values never replace others. If an import gives an
 * IATA code to an operator, other operators lose that code unless the import gives it to them too.
 */
export class OperatorSet {
  private readonly operators = new Map<string, Operator>();
  private readonly iataCodes: CodeHolders;

  constructor(before: Iterable<Operator>) {
    for (const operator of before) this.operators.set(operator.icao, operator);
    this.iataCodes = new CodeHolders([...this.operators.values()].map(({ icao, iata }) => [iata, icao]));
  }

  values(): Iterable<Operator> {
    return this.operators.values();
  }

  put(operator: Operator): void {
    for (const loser of this.iataCodes.give(operator.iata, operator.icao)) {
      const { iata: _, ...others } = this.operators.get(loser)!;
      this.operators.set(loser, others);
    }
    const known = this.operators.get(operator.icao);
    this.operators.set(operator.icao, known === undefined ? operator : { ...known, ...operator });
  }

  pack(): PackedTable {
    return writeRows(new TableWriter(OPERATORS, this.operators.size), fields, [...this.operators.values()]).pack();
  }
}
