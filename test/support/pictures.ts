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

/** Runs in an empty page: mean colours of the cells of two pictures, and the first one at half of its size. */
const COMPARE = `async (shot, reference) => {
  const read = async (png) => createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
  const cells = (image, cell) => {
    const [width, height] = [Math.floor(image.width / cell), Math.floor(image.height / cell)];
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const sums = new Float64Array(3 * width * height);
    for (let y = 0; y < height * cell; y += 1)
      for (let x = 0; x < width * cell; x += 1)
        for (let c = 0; c < 3; c += 1)
          sums[3 * (Math.floor(y / cell) * width + Math.floor(x / cell)) + c] += data[4 * (y * image.width + x) + c] / cell ** 2;
    return { width, height, sums };
  };
  const image = await read(shot);
  const small = new OffscreenCanvas(image.width / ${SMALLER}, image.height / ${SMALLER});
  small.getContext('2d').drawImage(image, 0, 0, small.width, small.height);
  const bytes = new Uint8Array(await (await small.convertToBlob()).arrayBuffer());
  const smaller = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  if (reference === null) return { smaller, mean: 0, otherPart: 0, lostPart: 0 };
  const [a, b] = [cells(image, ${CELL}), cells(await read(reference), ${CELL / SMALLER})];
  if (a.width !== b.width || a.height !== b.height) return { smaller, mean: 255, otherPart: 1, lostPart: 1 };
  const numbers = Array.from({ length: a.width * a.height }, (_, i) => i);
  const of = ({ sums }, i) => [...sums.slice(3 * i, 3 * i + 3)];
  const distance = (i) => Math.max(...[0, 1, 2].map((c) => Math.abs(of(a, i)[c] - of(b, i)[c])));
  const hue = ([red, green, blue]) => [red - green, green - blue, blue - red];
  const hueDistance = (i) => Math.max(...[0, 1, 2].map((c) => Math.abs(hue(of(a, i))[c] - hue(of(b, i))[c])));
  const coloured = numbers.filter((i) => Math.max(...of(b, i)) - Math.min(...of(b, i)) > ${COLOURED});
  return {
    smaller,
    mean: numbers.reduce((sum, i) => sum + distance(i), 0) / numbers.length,
    otherPart: numbers.filter((i) => distance(i) > ${CELL_DISTANCE}).length / numbers.length,
    lostPart: coloured.filter((i) => hueDistance(i) > ${HUE_DISTANCE}).length / Math.max(1, coloured.length),
  };
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
      const small = Buffer.from((await this.compare(await this.still(page), null)).smaller, 'base64');
      expect([name, small.length < BYTES_MAX]).toEqual([name, true]);
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(file, small);
      return;
    }
    if (!existsSync(file)) throw new Error(`${file} is missing: run the test with RENEW_PICTURES=1`);
    const reference = readFileSync(file).toString('base64');
    let smaller = '';
    const isSame = async (): Promise<boolean> => {
      const found = await this.compare(await shotOf(page), reference);
      const { mean, otherPart, lostPart } = found;
      smaller = found.smaller;
      this.differences[name] = { mean, otherPart, lostPart };
      return mean <= MEAN_MAX && otherPart <= OTHER_PART_MAX && lostPart <= LOST_PART_MAX;
    };
    await until(isSame, name, DRAWN_MS_MAX).catch(() => {
      const other = join(tmpdir(), `squitter-${name}.png`);
      writeFileSync(other, Buffer.from(smaller, 'base64'));
      const found = Object.entries(this.differences[name]!).map(([what, value]) => `${what} ${value.toFixed(3)}`);
      throw new Error(`${name} differs (${found.join(', ')}): compare ${other} with ${file}`);
    });
  }

  private compare(shot: string, reference: string | null): Promise<Difference & { readonly smaller: string }> {
    return this.blank.evaluate(`(${COMPARE})(${JSON.stringify(shot)}, ${JSON.stringify(reference)})`);
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
