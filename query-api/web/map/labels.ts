// Names beside aircraft on a 2D canvas. A label takes cells of a grid of 8 pixels, and one that finds them taken is left out: labels never overlap. Those of
// the last time come first, so that they do not flicker.

import { shown, type Units } from '../page/units.ts';
import type { LabelKind } from '../page/view.ts';
import { flags, GROUND, NONE } from '../sky/picture.ts';
import type { Camera } from './camera.ts';
import type { ScreenPositions } from './screen-positions.ts';

const CELL = 8;
const LINE = 14;
/** Pixels from the aircraft to its label. */
const ASIDE = 14;
const FONT = '600 11px system-ui, sans-serif';
/** From this zoom on labels have a second line, and below the other there are none, if the page decides. */
const SECOND_LINE_ZOOM = 7;
const LABELS_ZOOM = 4.5;
/** Labels that are drawn at most; more cannot be read. */
const LABELS_MAX = 400;

export interface LabelWishes {
  readonly labels: LabelKind;
  readonly units: Units;
  readonly isDark: boolean;
}

export class Labels {
  private readonly canvas: HTMLCanvasElement;
  private readonly widths = new Map<string, number>();
  private shownKeys = new Set<number>();

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
  }

  draw(camera: Camera, positions: ScreenPositions, names: ReadonlyMap<number, string>, { labels, units, isDark }: LabelWishes): void {
    const ratio = camera.resize(this.canvas);
    const context = this.canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    context.font = FONT;
    context.textBaseline = 'middle';
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.strokeStyle = isDark ? 'rgb(8 14 22 / 0.85)' : 'rgb(255 255 255 / 0.9)';
    const { keys } = positions.picture;
    const occupied = new Set<number>();
    const before = this.shownKeys;
    this.shownKeys = new Set();
    const isWanted = (number: number): boolean =>
      (positions.flags(number) & (flags.selected | flags.emergency)) !== 0 ||
      labels === 'all' ||
      (labels === 'auto' && camera.zoom >= LABELS_ZOOM);
    const inView = positions.inView.filter(isWanted);
    const rank = (number: number): number =>
      (positions.flags(number) & (flags.selected | flags.emergency)) !== 0 ? 0 : before.has(keys[number]!) ? 1 : 2;
    const ordered = inView.map((number) => ({ number, rank: rank(number) })).sort((a, b) => a.rank - b.rank);
    for (const { number } of ordered) {
      if (this.shownKeys.size >= LABELS_MAX) break;
      const lines = [names.get(keys[number]!) ?? ''];
      if (camera.zoom >= SECOND_LINE_ZOOM || (positions.flags(number) & flags.selected) !== 0)
        lines.push(secondLine(positions, number, units));
      const width = Math.max(...lines.map((line) => this.widthOf(context, line)));
      const [x, y] = [positions.screenX(number) + ASIDE, positions.screenY(number) - (lines.length * LINE) / 2];
      if (!reserve(occupied, x, y, width, lines.length * LINE)) continue;
      this.shownKeys.add(keys[number]!);
      context.fillStyle =
        (positions.flags(number) & flags.emergency) !== 0 ? (isDark ? '#ff8a94' : '#b00018') : isDark ? '#e8eef5' : '#14202b';
      for (const [i, line] of lines.entries()) {
        context.strokeText(line, x, y + (i + 0.5) * LINE);
        context.fillText(line, x, y + (i + 0.5) * LINE);
      }
    }
  }

  get count(): number {
    return this.shownKeys.size;
  }

  private widthOf(context: CanvasRenderingContext2D, text: string): number {
    let width = this.widths.get(text);
    if (width === undefined) {
      if (this.widths.size > 10_000) this.widths.clear();
      width = context.measureText(text).width;
      this.widths.set(text, width);
    }
    return width;
  }
}

function secondLine(positions: ScreenPositions, number: number, units: Units): string {
  const [altitude, speed] = [positions.picture.altitudes[number]!, positions.picture.speeds[number]!];
  const height = altitude === GROUND ? 'ground' : altitude === NONE ? '' : shown(altitude, 'altitude', units);
  return `${height}${speed === NONE ? '' : ` ${shown(speed, 'speed', units)}`}`.trim();
}

/** Takes the cells of a box; false if one is taken. */
function reserve(occupied: Set<number>, x: number, y: number, width: number, height: number): boolean {
  const cells: number[] = [];
  for (let row = Math.floor(y / CELL); row <= Math.floor((y + height) / CELL); row += 1)
    for (let column = Math.floor(x / CELL); column <= Math.floor((x + width) / CELL); column += 1) {
      const cell = (row + 512) * 4096 + column + 512;
      if (occupied.has(cell)) return false;
      cells.push(cell);
    }
  for (const cell of cells) occupied.add(cell);
  return true;
}
