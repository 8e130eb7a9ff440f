// Tracks of the selected aircraft. What is older than a minute is a source of MapLibre, which is sent to its worker once; the newest part is drawn on a canvas
// of its own, up to where the aircraft is in this frame, so that a growing track costs no frame of the base map.

import { byId, element, getJson, isDark, setNotice } from '../page/parts.ts';
import { colourOf, cssColour } from '../sky/colours.ts';
import { xOf, yOf } from '../sky/mercator.ts';
import type { Aircraft } from '../sky/picture.ts';
import { Requests, reasonOf } from '../sky/requests.ts';
import type { MapPage, OpenPart } from './map-page.ts';
import { draw, lineFeature, setFeatures } from './sources.ts';
import { grow, linesOf, POINTS_MAX, pointOf, type TrackPoint } from './track-points.ts';

/** Points that are asked for: of one track, and of one among many. */
const POINTS_OF_ONE = 3000;
const POINTS_OF_MANY = 800;
const MANY = 5;
const SETTLED_MS = 60_000;
const MINUTES = 1440;
/** The span of the past that is loaded around the moment. */
const BEFORE_MS = 14 * 3_600_000;
const AFTER_MS = 2 * 3_600_000;
const REDRAW_MS = 150;
const LINE_PIXELS = 2.5;
const PAINT = { 'line-color': ['get', 'colour'], 'line-width': LINE_PIXELS };
const DRAWING = {
  source: 'tracks',
  layers: [
    {
      ...{ id: 'tracks', type: 'line', filter: ['!', ['get', 'isGap']], paint: PAINT },
      layout: { 'line-join': 'round', 'line-cap': 'round' },
    },
    {
      ...{ id: 'track-gaps', type: 'line', filter: ['get', 'isGap'] },
      paint: { ...PAINT, 'line-dasharray': [1.5, 2], 'line-opacity': 0.75 },
    },
  ],
};

interface Track {
  readonly hex: string;
  /** The moment around which it is loaded; null is the present. */
  readonly aroundMs: number | null;
  points: TrackPoint[];
  isLoaded: boolean;
}

class Tracks {
  private readonly page: MapPage;
  private readonly tracks = new Map<string, Track>();
  private readonly requests: Requests<string, TrackPoint[]>;
  private aircraft: readonly Aircraft[] = [];
  private nowMs = 0;
  /** Points up to this time are in the source. */
  private settledMs = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly canvas = element('canvas', { class: 'fill', id: 'tips', 'aria-hidden': 'true' });
  private readonly notice = element('p', { class: 'notice problem', hidden: true });

  constructor(page: MapPage) {
    this.page = page;
    byId('aircraft').before(this.canvas);
    byId('notices').append(this.notice);
    this.requests = new Requests({
      ...{ intervalMs: 0, ask: (hex, signal) => this.load(this.tracks.get(hex)!, signal) },
      done: (points, hex) => this.loaded(hex, points, ''),
      failed: (error, retryMs, hex) => {
        const problem = `The track of ${hex} cannot be loaded: ${reasonOf(error)}.`;
        if (retryMs === null) this.loaded(hex, [], problem);
        else this.notify(problem);
      },
    });
  }

  /** One track for each selected aircraft, loaded for the present or around a moment. */
  select(isAnew: boolean): void {
    const { selected, atMs, pace } = this.page.store.view;
    for (const hex of this.tracks.keys()) if (isAnew || !selected.includes(hex)) this.drop(hex);
    const aroundMs = pace > 0 ? this.nowMs : atMs;
    for (const hex of selected) if (!this.tracks.has(hex)) this.tracks.set(hex, { hex, aroundMs, points: [], isLoaded: false });
    this.loadNext();
    this.settle();
  }

  private drop(hex: string): void {
    this.tracks.delete(hex);
    this.requests.stop();
    this.notify('');
  }

  private loadNext(): void {
    this.requests.want([...this.tracks.values()].find(({ isLoaded }) => !isLoaded)?.hex ?? null);
  }

  private async load({ hex, aroundMs }: Track, signal: AbortSignal): Promise<TrackPoint[]> {
    const limit = this.tracks.size > MANY ? POINTS_OF_MANY : POINTS_OF_ONE;
    const time = (ms: number): string => new Date(Math.min(ms, Date.now())).toISOString();
    // Without a history the service has the last hours in memory.
    const path =
      aroundMs === null || !(await this.page.settings).hasHistory
        ? `v2/aircraft/${hex}/track?minutes=${MINUTES}&limit=${limit}`
        : `v2/aircraft/${hex}/history?from=${time(aroundMs - BEFORE_MS)}&to=${time(aroundMs + AFTER_MS)}&limit=${limit}`;
    return (await getJson<{ positions: TrackPoint[] }>(path, signal)).positions;
  }

  private loaded(hex: string, points: readonly TrackPoint[], problem: string): void {
    const track = this.tracks.get(hex);
    if (track === undefined) return;
    const last = points.at(-1)?.time ?? 0;
    track.points = [...points, ...track.points.filter(({ time }) => time > last)].slice(-POINTS_MAX);
    track.isLoaded = true;
    this.notify(problem);
    this.settle();
    this.loadNext();
  }

  private notify(problem: string): void {
    setNotice(this.notice, problem);
  }

  /** A new picture: tracks of the present grow; those of the past end at its moment. */
  follow(aircraft: readonly Aircraft[], nowMs: number): void {
    const { atMs, pace } = this.page.store.view;
    const moment = pace > 0 ? nowMs : (atMs ?? nowMs);
    [this.aircraft, this.nowMs] = [aircraft, nowMs];
    for (const { hex, aroundMs } of this.tracks.values())
      if (aroundMs !== null && (moment < aroundMs - BEFORE_MS || moment > aroundMs + AFTER_MS)) this.drop(hex);
    for (const each of atMs === null ? aircraft : []) {
      const track = this.tracks.get(each.hex);
      const point = pointOf(each, nowMs);
      if (!track?.isLoaded || point === null) continue;
      // A page that slept asks for what it missed.
      track.isLoaded = point.time - (track.points.at(-1)?.time ?? point.time) <= SETTLED_MS / 1000;
      grow(track.points, point);
    }
    if (this.tracks.size < this.page.store.view.selected.length) this.select(false);
    else this.loadNext();
    if (nowMs < this.settledMs || nowMs > this.settledMs + SETTLED_MS) this.settle();
  }

  /** Sends all points up to now to MapLibre, some time later: tracks that load together are one change. */
  settle(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.settledMs = this.nowMs;
      const lines = [...this.tracks.values()].flatMap(({ points }) =>
        linesOf(
          points.filter(({ time }) => 1000 * time <= this.nowMs),
          this.colour(),
        ),
      );
      const { base } = this.page.map;
      if (base !== null)
        setFeatures(
          base,
          DRAWING.source,
          lines.map(({ line, ...properties }) => lineFeature(line, properties)),
        );
      this.page.map.request();
    }, REDRAW_MS);
  }

  private colour(): (point: TrackPoint) => string {
    const [kind, dark] = [this.page.store.view.trackColour, isDark()];
    return (point) => cssColour(colourOf(kind, point, dark));
  }

  /** The newest part of each track, to where its aircraft is drawn. */
  drawTips(): void {
    const { map } = this.page;
    const { camera } = map;
    this.canvas.hidden = this.tracks.size === 0;
    if (this.canvas.hidden) return;
    const context = this.canvas.getContext('2d')!;
    const ratio = camera.resize(this.canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    [context.lineWidth, context.lineCap] = [LINE_PIXELS, 'round'];
    const colour = this.colour();
    for (const { hex } of this.aircraft) {
      const points = this.tracks.get(hex)?.points ?? [];
      const until = points.findLastIndex(({ time }) => 1000 * time <= this.nowMs);
      if (until < 0) continue;
      const from = points.findLastIndex(({ time }) => 1000 * time <= Math.min(this.settledMs, this.nowMs));
      const tip = points.slice(Math.max(0, from), until + 1).map(({ lat, lon }) => camera.screenOf(xOf(lon), yOf(lat)));
      context.strokeStyle = colour(points[until]!);
      context.beginPath();
      // The other side of the world begins half a world away from the middle of the screen.
      for (const [i, [x, y]] of [...tip, map.screenOf(hex) ?? tip.at(-1)!].entries())
        context[i === 0 || Math.abs(x - tip[i - 1]![0]) > camera.worldPixels / 2 ? 'moveTo' : 'lineTo'](x, y);
      context.stroke();
    }
  }
}

export const openTracks: OpenPart = (page) => {
  const tracks = new Tracks(page);
  page.store.listen((view, before) => {
    const isOther = (view.atMs === null) !== (before.atMs === null);
    if (view.selected !== before.selected || view === before || isOther) tracks.select(isOther);
    else if (view.trackColour !== before.trackColour) tracks.settle();
  });
  page.on('details', ({ selected, nowMs }) => tracks.follow(selected, nowMs));
  page.onTheme(() => tracks.settle());
  page.map.onBase((base) => {
    draw(base, DRAWING);
    tracks.settle();
  });
  page.map.onDraw(() => tracks.drawTips());
};
