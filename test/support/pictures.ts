// Pictures of pages, compared with those of the repository. Fonts differ a little between machines, and names on the map find other room: cells of 8 by 8
// pixels are compared by their mean colour, and those that are coloured, as aircraft are and names are not, more strictly by their hue.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Page } from './browser.ts';
import { until } from './until.ts';

/** A cell of pixels of a page, a side. */
const CELL = 8;
/** Pictures are reference at half of the size of the page, which is enough for the cells. */
const SMALLER = 2;
const BYTES_MAX = 150_000;
/** Mean distance of all cells, and the part of cells that may be further than `CELL_DISTANCE` apart: of 255, the largest of red, green and blue. */
const MEAN_MAX = 2.5;
const CELL_DISTANCE = 24;
const OTHER_PART_MAX = 0.012;
/** A cell is coloured when its red, green and blue are so far apart. This share of the coloured cells may have another hue. */
const COLOURED = 36;
const HUE_DISTANCE = 24;
const LOST_PART_MAX = 0.1;
/** A page is drawn in some steps; pictures of it are taken until it is as it should be. */
const DRAWN_MS_MAX = 20_000;

export interface Difference {
  readonly mean: number;
  readonly otherPart: number;
  /** The coloured cells alone. */
  readonly lostPart: number;
}

/** Runs in an empty page: mean colours of the cells of two pictures, compared. */
const COMPARE = `async (shot, reference) => {
  const cells = async (png, cell) => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
    const [width, height] = [Math.floor(image.width / cell), Math.floor(image.height / cell)];
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const sums = new Float64Array(3 * width * height);
    for (let y = 0; y < height * cell; y += 1)
      for (let x = 0; x < width * cell; x += 1) {
        const [at, from] = [3 * (Math.floor(y / cell) * width + Math.floor(x / cell)), 4 * (y * image.width + x)];
        for (let c = 0; c < 3; c += 1) sums[at + c] += data[from + c] / cell ** 2;
      }
    return { width, height, sums };
  };
  const [a, b] = [await cells(shot, ${CELL}), await cells(reference, ${CELL / SMALLER})];
  if (a.width !== b.width || a.height !== b.height) return { mean: 255, otherPart: 1, lostPart: 1 };
  const count = a.width * a.height;
  let [sum, other, coloured, lost] = [0, 0, 0, 0];
  for (let i = 0; i < count; i += 1) {
    const [reds, greens, blues] = [0, 1, 2].map((c) => a.sums[3 * i + c] - b.sums[3 * i + c]);
    const distance = Math.max(Math.abs(reds), Math.abs(greens), Math.abs(blues));
    sum += distance;
    if (distance > ${CELL_DISTANCE}) other += 1;
    const colours = b.sums.subarray(3 * i, 3 * i + 3);
    if (Math.max(...colours) - Math.min(...colours) <= ${COLOURED}) continue;
    coloured += 1;
    if (Math.max(Math.abs(reds - greens), Math.abs(greens - blues), Math.abs(blues - reds)) > ${HUE_DISTANCE}) lost += 1;
  }
  return { mean: sum / count, otherPart: other / count, lostPart: lost / Math.max(1, coloured) };
}`;

/** Runs in an empty page: a picture at half of its size. */
const HALVE = `async (shot) => {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + shot)).blob());
  const small = new OffscreenCanvas(image.width / ${SMALLER}, image.height / ${SMALLER});
  small.getContext('2d').drawImage(image, 0, 0, small.width, small.height);
  const bytes = new Uint8Array(await (await small.convertToBlob()).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}`;

export class Pictures {
  private readonly folder: string;
  private readonly blank: Page;
  private readonly isRenewed = process.env['RENEW_PICTURES'] === '1';
  /** How far each picture is from the reference one. */
  readonly differences: Record<string, Difference> = {};

  /** `blank`: an empty page, in which pictures are compared. With `RENEW_PICTURES=1` pictures are written to `folder` instead. */
  constructor(folder: string, blank: Page) {
    [this.folder, this.blank] = [folder, blank];
  }

  /** The page looks as the reference picture of that name. The error says where the picture is that differs. */
  async expect(name: string, page: Page): Promise<void> {
    const file = join(this.folder, `${name}.png`);
    if (this.isRenewed) {
      const small = await this.halved(await this.still(page));
      expect([name, small.length < BYTES_MAX]).toEqual([name, true]);
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(file, small);
      return;
    }
    if (!existsSync(file)) throw new Error(`${file} is missing: run the test with RENEW_PICTURES=1`);
    const reference = readFileSync(file).toString('base64');
    let shot = '';
    const isSame = async (): Promise<boolean> => {
      shot = await shotOf(page);
      const found = await this.blank.evaluate<Difference>(`(${COMPARE})(${JSON.stringify(shot)}, ${JSON.stringify(reference)})`);
      this.differences[name] = found;
      const { mean, otherPart, lostPart } = found;
      return mean <= MEAN_MAX && otherPart <= OTHER_PART_MAX && lostPart <= LOST_PART_MAX;
    };
    await until(isSame, name, DRAWN_MS_MAX).catch(async () => {
      const other = join(tmpdir(), `squitter-${name}.png`);
      writeFileSync(other, await this.halved(shot));
      const found = Object.entries(this.differences[name]!).map(([what, value]) => `${what} ${value.toFixed(3)}`);
      throw new Error(`${name} differs (${found.join(', ')}): compare ${other} with ${file}`);
    });
  }

  private async halved(shot: string): Promise<Buffer> {
    return Buffer.from(await this.blank.evaluate<string>(`(${HALVE})(${JSON.stringify(shot)})`), 'base64');
  }

  /** A picture that two seconds do not change. */
  private async still(page: Page): Promise<string> {
    let last = '';
    let sinceMs = 0;
    return until(
      async () => {
        const shot = await shotOf(page);
        if (shot !== last) [last, sinceMs] = [shot, performance.now()];
        return performance.now() - sinceMs > STILL_MS && shot;
      },
      'a page that stands still',
      3 * DRAWN_MS_MAX,
    );
  }
}
const STILL_MS = 2000;

const shotOf = async ({ tab }: Page): Promise<string> => (await tab.screenshot()).toString('base64');
