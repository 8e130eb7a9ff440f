// The checks behind the house rules find violations.
import { expect, test } from 'vitest';
import { missingDetails } from './error-details.ts';
import { importCycles } from './import-cycles.ts';
import { moduleState } from './module-state.ts';

test('state in modules: variables, objects of own classes, data that functions change', () => {
  expect(moduleState('let a = 1; export let b: number; const c = new Map<string, number>(); const d = new Thing();')).toEqual([
    'a',
    'b',
    'd',
  ]);
  expect(moduleState('const m = new Map(); export function put(): void { m.set(1, 2); }')).toEqual(['m']);
  expect(moduleState('const v = { x: 0 }; const f = (): void => { v.x += 1; };')).toEqual(['v']);
  expect(moduleState('const t = new Int32Array(4); const f = (i: number): void => { t[i]! += 1; };')).toEqual(['t']);
  expect(moduleState('const o: { x?: 1 } = {}; class A { b(): void { delete o.x; } }')).toEqual(['o']);
});

test('no state: constants, tables filled at the top level, names that functions declare anew', () => {
  expect(moduleState('const t = new Int32Array(4); for (let i = 0; i < 4; i += 1) t[i] = i; export const LIMIT = 5;')).toEqual([]);
  expect(moduleState('const m = new Map(); function f(m: Set<number>): void { m.add(1); }')).toEqual([]);
  expect(moduleState('const m = [1]; function f(): number[] { const m: number[] = []; m.push(1); return m; }')).toEqual([]);
  expect(moduleState('const m = new Map(); function f(): unknown { return m.get(1); }')).toEqual([]);
});

test('cycles of imports: none, two files, a chain, two apart', () => {
  const cycles = (imports: Record<string, string[]>) => importCycles(new Map(Object.entries(imports)));
  expect(cycles({ a: ['b', 'c'], b: ['c'], c: ['outside'] })).toEqual([]);
  expect(cycles({ a: ['b'], b: ['a'], c: ['a'] })).toEqual([['a', 'b']]);
  expect(cycles({ a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['d'], f: ['f'] })).toEqual([['a', 'b', 'c'], ['d', 'e'], ['f']]);
});

test('details of errors: those that the message names and the code does not give', () => {
  expect(missingDetails("throw new SquitterError('connect.failed', { endpoint: 'here', detail: 'none' });")).toEqual([
    'connect.failed: {address}',
  ]);
  expect(missingDetails("throw new QueryError('api.not_found');")).toEqual(['api.not_found: {path}']);
  expect(
    missingDetails("new SquitterError('log.closed'); new SquitterError('log.not_found', { path }); new SquitterError(code, {});"),
  ).toEqual([]);
});
