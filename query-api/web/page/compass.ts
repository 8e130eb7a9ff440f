// The range by direction, as a drawing that says in words what it shows.
import { drawn } from './drawing.ts';
import { element } from './parts.ts';
import { number } from './units.ts';

/** The greatest range in each direction, nm: north first and at the top, clockwise. */
export function compass(ranges: readonly number[]): HTMLElement {
  const most = Math.max(...ranges);
  const ring = [10, 25, 50, 100, 150, 200, 250, 300].find((nm) => nm >= most) ?? 500;
  const corner = (nm: number, i: number) => {
    const angle = (i / ranges.length) * 2 * Math.PI;
    return `${((80 * nm * Math.sin(angle)) / ring).toFixed(1)},${((-80 * nm * Math.cos(angle)) / ring).toFixed(1)}`;
  };
  const words = most === 0 ? 'nothing heard' : `farthest ${number(most)} nm; the outer ring is at ${ring} nm`;
  const names = [
    ['N', 0, -87],
    ['E', 91, 3],
    ['S', 0, 95],
    ['W', -91, 3],
  ] as const;
  const drawing = drawn(
    'svg',
    { viewBox: '-100 -100 200 200', role: 'img', class: 'compass', 'aria-label': `Range by direction: ${words}` },
    ...[40, 80].map((r) => drawn('circle', { class: 'ring', r })),
    drawn('path', { class: 'area', d: `M${ranges.map(corner).join('L')}Z` }),
    ...names.map(([name, x, y]) => drawn('text', { x, y }, name)),
  );
  return element('figure', {}, element('h3', {}, 'Range by direction'), drawing, element('figcaption', {}, words));
}
