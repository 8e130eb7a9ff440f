// Plain English as a test: comments, READMEs, docs and the CHANGELOG hold next to none of the turns that make a newcomer read a sentence twice.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { projectFiles } from './support/project-files.ts';

/** A fragment that leaves its subject to the code below it, or to the reader. */
const FRAGMENT =
  /^(?:(?:Of|Whether|Who|Nobody|Told|Than|Nor|Neither)\b|Not (?!to be|only)|As (?:in|on|of|many|much|long|often|large)\b|(?:What|That|Which) [^,;:.]{0,40}\.$)/;
/** Turns that are not the plain word for the thing. */
const TURN =
  /\b(?:nobody|nothing of (?:it|them|this)|(?:is|are|was|were|been|be) told|tells? (?:it|them|us) apart|who (?:reads|asks|comes|looks|waits|writes)|whoever|goes on|go on|went on|what (?:came|comes|went|is behind)|(?:looks|look|looked) at it again|knows of|is as old as|takes? (?:it|them|that) for|taken for|at the latest then|(?:so much|so many|so long) (?:of|at|behind|after))\b/i;

const prose = projectFiles('*.ts', '*.js', '*.css', '*.md', '*.py', '*.sh', '*.sql', '*.avsc').filter(
  (file) => !/_pb\.ts$|^test\/golden\/sets\//.test(file),
);

/** Comments of code, paragraphs of a document: each with its first line's number. */
function* paragraphs(file: string): Generator<{ line: number; text: string; lines: number }> {
  const isDocument = file.endsWith('.md');
  let begun = 0;
  let text: string[] = [];
  const ended = () => ({ line: begun, text: text.join(' '), lines: text.length });
  let isFence = false;
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (isDocument && line.startsWith('```')) isFence = !isFence;
    const words = isDocument
      ? isFence || line.startsWith('```')
        ? undefined
        : /^\s*(?:[-*>|#]+\s*|\d+\.\s+)?(?:\*\*)?(.*)$/.exec(line)?.[1]
      : (/^\s*(?:\/\/|#(?!!)|\*(?!\/)|\/\*\*?|--)\s*(.*?)\s*(?:\*\/)?$/.exec(line)?.[1] ??
        /\s(?:\/\/|\/\*\*)\s+(.*?)\s*(?:\*\/)?$/.exec(line)?.[1]);
    const isNew = isDocument ? /^\s*([-*>|#]|\d+\.)/.test(line) : /^\s*(\/\*|\S.*\S\s+\/\/)/.test(line);
    if ((words === undefined || words === '' || isNew) && text.length > 0) {
      yield ended();
      text = [];
    }
    if (words === undefined || words === '') continue;
    if (text.length === 0) begun = i + 1;
    text.push(words);
  }
  if (text.length > 0) yield ended();
}

/** A room: its lines of prose, and the sentences that are fragments or odd turns. */
interface RoomProse {
  lines: number;
  readonly turns: string[];
}

const roomOf = (file: string): string => file.split('/').slice(0, -1).slice(0, 2).join('/') || 'root';

/** Rooms by their folder. */
function proseByRoom(): Map<string, RoomProse> {
  const rooms = new Map<string, RoomProse>();
  for (const file of prose) {
    const room = rooms.get(roomOf(file)) ?? { lines: 0, turns: [] };
    rooms.set(roomOf(file), room);
    for (const { line, text, lines } of paragraphs(file)) {
      room.lines += lines;
      const sentences = text.replace(/`[^`]*`/g, '`x`').split(/(?<=[.!?:;])\s+(?=[A-Z])/);
      for (const sentence of sentences)
        if ((FRAGMENT.test(sentence) && !sentence.endsWith('?')) || TURN.test(sentence)) room.turns.push(`${file}:${line}: ${sentence}`);
    }
  }
  return rooms;
}

/** Turns that are tolerated in a room, for each thousand lines of its prose. */
const TURNS_PER_THOUSAND_MAX = 3;

it.each([...proseByRoom()].sort(([a], [b]) => (a < b ? -1 : 1)))('the prose of %s is plain', (_, { lines, turns }) => {
  expect(turns.length > Math.max(1, (lines * TURNS_PER_THOUSAND_MAX) / 1000) ? turns.join('\n') : '').toBe('');
});
