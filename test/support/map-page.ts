// The page of the map in tests: what its worker gave it, what MapLibre got of it, and how both are compared with the API.
import { expect } from 'vitest';
import type { Page } from './browser.ts';

/** For `init`: keeps the newest picture of the worker, and the number of features (or the address) of each source of MapLibre. Frames have them, too. */
export const WATCHED = `globalThis.sources = {};
globalThis.requested = new Set();
globalThis.Worker = class extends Worker {
  constructor(...of) {
    super(...of);
    this.addEventListener('message', ({ data }) => {
      if (data.kind === 'picture') globalThis.picture = data;
      if (data.type === '<response>') globalThis.requested.delete(data.id);
    });
  }
  postMessage(message, ...more) {
    if (typeof message?.id === 'string' && message.type !== '<response>') globalThis.requested.add(message.id);
    const { source, data, request } = message?.data ?? {};
    if (typeof source === 'string' && (data ?? request) !== undefined) globalThis.sources[source] = data?.features?.length ?? request?.url;
    super.postMessage(message, ...more);
  }
};`;

/** True when aircraft are there, and MapLibre has made all of the base map that it was asked for. */
export const DRAWN_BASE = 'globalThis.picture?.count > 0 && Object.keys(globalThis.sources).length > 4 && globalThis.requested.size === 0';

/** True when aircraft are counted. */
export const COUNTED = "/^\\d.* aircraft/.test(document.getElementById('counts')?.textContent)";

/** Drawn latitudes and longitudes, by address. The vertex shader adds nothing to a moment that stands still. */
const DRAWN = `(() => {
  const { keys, instances, count } = globalThis.picture;
  const floats = new Float32Array(instances);
  return Array.from({ length: count }, (_, i) => {
    const [x, y] = [floats[9 * i] + floats[9 * i + 2], floats[9 * i + 1] + floats[9 * i + 3]];
    const hex = (keys[i] >= 2 ** 24 ? '~' : '') + (keys[i] % 2 ** 24).toString(16).padStart(6, '0');
    return [hex, [(Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) * 360) / Math.PI - 90, x * 360 - 180]];
  });
})()`;

export const drawn = async (page: Page): Promise<Map<string, readonly [lat: number, lon: number]>> => new Map(await page.evaluate(DRAWN));

/** The value of a member of the address; null without it. */
export const query = (page: Page, name: string): Promise<string | null> =>
  page.evaluate(`new URLSearchParams(location.search).get('${name}')`);

interface Listed {
  readonly now: number;
  readonly from_history?: boolean;
  readonly ac: readonly {
    readonly hex: string;
    readonly lat?: number;
    readonly lon?: number;
    readonly lastPosition?: { readonly lat: number; readonly lon: number; readonly seen_pos: number };
  }[];
}

/** Waits until the moment of the address is shown, and compares it with the list of that second: the same aircraft at the same positions. */
export async function expectMoment(page: Page, get: (path: string) => Promise<Response>, positionsMin: number): Promise<Listed> {
  await page.until("document.getElementById('time').dataset.state === 'shown'");
  const list = (await (await get(`/v2/all?at=${await query(page, 'at')}`)).json()) as Listed;
  const listed = list.ac.flatMap(({ hex, lat, lon, lastPosition: last }) => {
    if (lat !== undefined) return [[hex, lat, lon!] as const];
    return last === undefined || last.seen_pos > 300 ? [] : [[hex, last.lat, last.lon] as const];
  });
  const shown = await drawn(page);
  expect([...shown.keys()].toSorted()).toEqual(listed.map(([hex]) => hex).toSorted());
  expect(listed.length).toBeGreaterThanOrEqual(positionsMin);
  for (const [hex, lat, lon] of listed) {
    expect(shown.get(hex)![0]).toBeCloseTo(lat, 5);
    expect(shown.get(hex)![1]).toBeCloseTo(lon, 5);
  }
  return list;
}

/** Titles and texts of the panel that is in front. */
export const facts = async (page: Page): Promise<Map<string, string>> =>
  new Map(
    await page.evaluate<[string, string][]>(
      "[...document.querySelectorAll('#side .panel:not([hidden]) .facts > div')].map((row) => [row.children[0].textContent, row.children[1].textContent])",
    ),
  );

/** Addresses that are not below `root`. */
export const elsewhere = (requests: readonly string[], root: string): string[] =>
  requests.filter((url) => !/^(data:|blob:|about:)/.test(url) && !url.startsWith(root));
