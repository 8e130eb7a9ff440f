// `npm run bench -- NAME --against COMMIT`: this tree and another commit in turns, each with its own build and benches, so that the load of the machine falls
// on both. Prints the median of both and their ratio for every figure that both have.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../pipeline/runtime/package-root.ts';
import { type Figure, median, numberText, percentText } from './harness.ts';

type Side = ReturnType<typeof sideOf>;
const sideOf = (folder: string) => ({ folder, values: new Map<string, number[]>(), figures: new Map<string, Figure>() });

/** Errors: the commit is unknown, it cannot be built, or a bench fails. */
export async function compareWith(commit: string, names: readonly string[], turns: number): Promise<void> {
  const here = packageRoot();
  const parent = mkdtempSync(join(tmpdir(), 'squitter-against-'));
  const there = join(parent, 'tree');
  const git = (...words: string[]): string => execFileSync('git', ['-C', here, ...words], { encoding: 'utf8' });
  git('worktree', 'add', '--quiet', '--detach', there, commit);
  try {
    prepare(here, there);
    const [ours, theirs] = [sideOf(here), sideOf(there)];
    for (let turn = 1; turn <= turns; turn += 1)
      for (const name of names)
        for (const side of [ours, theirs]) {
          process.stderr.write(`turn ${turn} of ${turns}: ${name} of ${side === ours ? 'this tree' : commit}\n`);
          run(side, name);
        }
    for (const line of lines(ours, theirs, commit)) process.stdout.write(`${line}\n`);
  } finally {
    git('worktree', 'remove', '--force', there);
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Packages are those of this tree if the lock files are equal; then a build. */
function prepare(here: string, there: string): void {
  const lock = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const shared = lock(here) === lock(there);
  if (shared) symlinkSync(join(here, 'node_modules'), join(there, 'node_modules'));
  const [command, ...words] = shared ? [process.execPath, 'build.js'] : ['npm', 'ci'];
  execFileSync(command!, words, { cwd: there, stdio: ['ignore', 'inherit', 'inherit'] });
}

function run({ folder, values, figures }: Side, name: string): void {
  const program = join(folder, 'dist/modules/test/bench/run.js');
  if (!existsSync(program)) throw new Error(`${folder} has no benches`);
  const shared = process.env['SQUITTER_SHARED'] ?? join(packageRoot(), '../shared');
  const { status, stdout } = spawnSync(process.execPath, [program, name, '--json'], {
    cwd: folder,
    env: { ...process.env, SQUITTER_SHARED: shared },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  });
  if (status !== 0) throw new Error(`the bench ${name} in ${folder} ended with status ${status}`);
  for (const line of stdout.split('\n').filter((text) => text.startsWith('{'))) {
    const figure = JSON.parse(line) as Figure;
    figures.set(figure.name, figure);
    values.set(figure.name, [...(values.get(figure.name) ?? []), figure.value]);
  }
}

/** A line per figure. The factor is above 1 where this tree is better. */
function lines(ours: Side, theirs: Side, commit: string): string[] {
  return [...ours.figures.values()].map(({ name, unit, better }) => {
    const own = ours.values.get(name)!;
    const other = theirs.values.get(name);
    if (other === undefined) return `${name.padEnd(32)} ${numberText(median(own)).padStart(12)} ${unit.padEnd(16)} not in ${commit}`;
    const ratio = better === 'more' ? median(own) / median(other) : median(other) / median(own);
    const range = (values: readonly number[]): string => `${numberText(Math.min(...values))}-${numberText(Math.max(...values))}`;
    return (
      `${name.padEnd(32)} ${numberText(median(own)).padStart(12)} (${range(own)}) ${unit}, ` +
      `${commit}: ${numberText(median(other))} (${range(other)}), ratio ${ratio.toFixed(3)}, ${percentText(ratio)}`
    );
  });
}
