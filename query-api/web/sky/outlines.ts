// Outlines of aircraft by class, each with its real span: drawn once into a texture, which the graphics card scales and turns.
import type { Aircraft } from './picture.ts';

/**
 * Name, wing span or rotor, m, to which aircraft are drawn as one zooms in, pixels before, and the shape: a path, nose up, in a square of −50 to 50, or the
 * corners of its right half.
 */
// biome-ignore format: a table
const outlines = [
  ['unknown', 20, 22, '0,-36 26,34 0,20'],
  ['airliner', 36, 28, '0,-46 3,-42 4.5,-34 5,-14 46,14 47,19 5.5,7 4.5,27 17,38 17,43 2,38 0,42'],
  ['heavy', 61, 34, '0,-48 3.5,-44 5.5,-36 6,-16 20,-4 20,-9 25,-9 25.5,0 48,17 49,23 25,14 6.5,10 5.5,28 20,39 20,44 2,40 0,45'],
  ['four engines', 65, 36, '0,-48 4,-44 6,-36 6.5,-18 16,-9 16,-14 20,-14 20.5,-6 32,3 32,-2 36,-2 36.5,6 49,16 49,22 24,12 7,9 6,28 21,39 21,44 2,40 0,45'],
  ['business jet', 18, 22, '0,-46 3,-40 4,-30 4.5,-8 42,16 42,21 8,16 9,17 9,29 4.5,29 4,32 17,40 17,44 0,42'],
  ['turboprop', 27, 25, '0,-44 4,-38 4.5,-16 15,-16 15,-24 19,-24 19.5,-16 48,-12 48,-5 5,2 4,30 18,34 18,40 0,41'],
  ['light', 11, 20, '0,-34 4,-32 5,-18 46,-18 47,-6 5,-4 3,26 16,28 16,35 0,36'],
  ['fighter', 11, 20, '0,-48 3,-38 4.5,-18 8,-8 34,20 34,26 10,24 9,30 20,40 20,44 3,42 0,44'],
  ['glider', 18, 24, '0,-30 2.5,-26 3,-12 49,-8 49,-4 3,-2 1.8,28 11,30 11,34 0,34'],
  ['helicopter', 13, 22,
    'M-5,-20C-9,-12 -9,2 -4,10L-2,12L-2,36L-9,38L-9,42L9,42L9,38L2,36L2,12L4,10C9,2 9,-12 5,-20C3,-25 -3,-25 -5,-20ZM-42,-36L-38,-40L2,-2L40,-40L44,-36L6,4L44,42L40,46L0,8L-38,46L-42,42L-4,2Z'],
  ['balloon', 18, 20, 'M0,-42C38,-42 34,2 10,20L8,28L8,38L-8,38L-8,28L-10,20C-34,2 -38,-42 0,-42Z'],
  ['drone', 8, 18, 'M0,-14L30,-36L36,-30L14,0L36,30L30,36L0,14L-30,36L-36,30L-14,0L-36,-30L-30,-36Z'],
  ['vehicle', 8, 12, 'M-20,-30L20,-30L24,-20L24,32L-24,32L-24,-20Z'],
  ['obstacle', 10, 12, 'M0,-40L24,36L-24,36Z'],
] as const;
type Name = (typeof outlines)[number][0];
export const CELLS = 16;
/** All outlines, in their order. */
export const spansM = outlines.map(([, spanM]) => spanM);
export const pixels = outlines.map(([, , size]) => size);

/** Emitter categories (DO-260B, 2.2.3.2.5.2). */
// biome-ignore format: a table
const categories: Readonly<Record<string, Name>> = {
  A1: 'light', A2: 'business jet', A3: 'airliner', A4: 'airliner', A5: 'heavy', A6: 'fighter', A7: 'helicopter',
  B1: 'glider', B2: 'balloon', B3: 'light', B4: 'light', B6: 'drone',
  C1: 'vehicle', C2: 'vehicle', C3: 'obstacle', C4: 'obstacle', C5: 'obstacle',
};
/** First characters of type designators (ICAO Doc 8643) that tell more than the category. */
const designators: readonly (readonly [start: RegExp, name: Name])[] = [
  [/^(A38|A34|B74|A124|A225|B52|C17|C5M|IL76|IL96|K35|E3|E6|BLCF)/, 'four engines'],
  [
    /^(AT4|AT7|DH8|DHC|SF34|SB20|C130|C30J|AN2|AN12|F50|JS|E120|D328|L410|B190|BE20|BE30|BE9|PC12|C208|P180|SW4|A400|P3|C295|CN35)/,
    'turboprop',
  ],
  [/^(A3[0135]|B7[678]|MD11|DC10|L101|B78)/, 'heavy'],
  [/^(A1[89]|A2\d|B73|B75|B3\dM|BCS|E1[79]|E29|E7|MD[89]|CRJ|F70|F100|RJ|SU9|BA11|T134|T154)/, 'airliner'],
  [/^(C25|C5[0-9]|C6[0-9]|C7[05]|CL[356]|GL|G[2-7]|GA|FA|F2T|F900|LJ|E5[05]|H25|HDJT|BE40|PRM1|SF50|E35|ASTR|PC24)/, 'business jet'],
  [/^(F1[45-8]|F22|F35|F4|EUFI|RFAL|TOR|HAWK|T38|A10|MIG|SU[23]|MIR|GRIP|AV8|HUNT)/, 'fighter'],
  [
    /^(EC|H1|H2[05]|H4|H5|H6|R22|R44|R66|AS[356]|A1[0-6]9|B06|B4[0-3]|S[67]|UH|AH|CH|NH90|MI|KA|EH10|LYNX|G2CA|BK17|GAZL|ALO|PUMA|TIGR|EXPL|B505|B212|B222|B230)/,
    'helicopter',
  ],
  [/^(GLID|DG|LS|AS[GHKW]|DISC|VENT|NIMB|JANU|ARCU)/, 'glider'],
  [/^(BALL|SHIP)/, 'balloon'],
  [/^(Q[149]|DRON|HRON|RQ|MQ)/, 'drone'],
  [/^(C1[0-9]|C2[01]|C3[0-9]|P28|P32|PA|SR2|DA|DR|DV20|AA|BE[2356]|M20|RV|TB|G115|PIVI|ULAC|JAB|GY|TAMP|SR20)/, 'light'],
];

/** Number of the outline of an aircraft. The type of an airliner says more than its category; without a type the category decides. */
export function outlineOf({ t, category }: Aircraft): number {
  const byType = typeof t === 'string' ? designators.find((each) => each[0].test(t))?.[1] : undefined;
  const name = byType ?? categories[String(category)] ?? 'unknown';
  return outlines.findIndex((each) => each[0] === name);
}

/** The path of an outline for SVG and canvases. */
export function outlinePath(name: Name): string {
  const [, , , shape] = outlines.find((each) => each[0] === name)!;
  if (shape.startsWith('M')) return shape;
  const left = shape
    .split(' ')
    .reverse()
    .map((point) => point.replace(/^-?/, (sign) => (sign === '' ? '-' : '')));
  return `M${shape.replaceAll(' ', 'L')}L${left.join('L')}Z`;
}

/** Draws all outlines, one per cell of a row: the fill in red, the edge in green, both where they meet. */
export function drawOutlines(cellPixels: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [CELLS * cellPixels, cellPixels];
  const context = canvas.getContext('2d')!;
  [context.fillStyle, context.strokeStyle, context.lineWidth, context.lineJoin] = ['#f00', '#0f0', 5, 'round'];
  context.globalCompositeOperation = 'lighter';
  for (const [i, [name]] of outlines.entries()) {
    const path = new Path2D(outlinePath(name));
    // A margin for the edge.
    const scale = cellPixels / 112;
    context.setTransform(scale, 0, 0, scale, (i + 0.5) * cellPixels, cellPixels / 2);
    context.fill(path);
    context.stroke(path);
  }
  return canvas;
}
