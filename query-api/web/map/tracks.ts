// Tracks of the selected aircraft. What is older than a minute is a source of MapLibre, which is sent to its worker once; the newest part is drawn on a canvas
// of its own, up to where the aircraft is in this frame, so that a growing track costs no frame of the base map.
import type { Map as MapLibre } from 'maplibre-gl';
import { collectionOf, draw, lineFeature, NONE } from '../layers/sources.ts';
import { byId, element, getJson, ResponseError } from '../page/parts.ts';
import { type Aircraft, keyOf } from '../sky/picture.ts';
import { colourOf, cssColour } from './colours.ts';
import type { MapPage, OpenPart } from './map-page.ts';
import { xOf, yOf } from './mercator.ts';
import { grow, linesOf, POINTS_MAX, pointOf, type TrackPoint } from './track-points.ts';

/** Requests at a time, and tries of each. */
const LOADING_MAX = 3;
const TRIES_MAX = 3;
/** Points that are asked for: of one track, and of one among many. */
const POINTS_OF_ONE = 3000;
const POINTS_OF_MANY = 800;
const SETTLED_MS = 60_000;
const MINUTES = 1440;
/** Of the past so much is loaded around the moment. */
const BEFORE_MS = 14 * 3_600_000;
const AFTER_MS = 2 * 3_600_000;
const REDRAW_MS = 150;
const SOURCE = 'tracks';

interface Track {
  readonly hex: string;
  readonly stop: AbortController;
  state: 'waits' | 'loads' | 'ready';
  problem: string;
  points: TrackPoint[];
  /** What is loaded, ms. */
  readonly fromMs: number;
  readonly toMs: number;
}

class Tracks {
  private readonly page: MapPage;
  private tracks = new Map<string, Track>();
  private aircraft: readonly Aircraft[] = [];
  private nowMs = 0;
  /** Points up to this time are in the source. */
  private settledMs = 0;
  private running = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private base: MapLibre | null = null;
  private readonly canvas = element('canvas', { class: 'fill', id: 'tips', 'aria-hidden': 'true' });
  private readonly notice = element('p', { class: 'notice problem', hidden: true });

  constructor(page: MapPage) {
    this.page = page;
    byId('aircraft').before(this.canvas);
    byId('notices').append(this.notice);
  }

  /** One track for each selected aircraft, loaded for the present or around a moment. */
  select(isAnew: boolean): void {
    const { selected, atMs, pace } = this.page.store.view;
    const moment = pace > 0 ? this.nowMs : atMs;
    for (const track of this.tracks.values()) if (isAnew || !selected.includes(track.hex)) this.drop(track);
    for (const hex of selected) {
      if (this.tracks.has(hex)) continue;
      const span =
        moment === null ? { fromMs: 0, toMs: Number.POSITIVE_INFINITY } : { fromMs: moment - BEFORE_MS, toMs: moment + AFTER_MS };
      this.tracks.set(hex, { hex, stop: new AbortController(), state: 'waits', problem: '', points: [], ...span });
    }
    this.pump();
    this.settle();
  }

  private drop(track: Track): void {
    track.stop.abort();
    this.tracks.delete(track.hex);
  }

  private pump(): void {
    for (const track of this.tracks.values()) {
      if (this.running >= LOADING_MAX) return;
      if (track.state !== 'waits') continue;
      track.state = 'loads';
      this.running += 1;
      void this.load(track).then(() => {
        this.running -= 1;
        track.state = 'ready';
        this.settle();
        this.pump();
      });
    }
  }

  private async load(track: Track): Promise<void> {
    const { hex, stop, fromMs, toMs } = track;
    const limit = this.tracks.size > 5 ? POINTS_OF_MANY : POINTS_OF_ONE;
    const time = (ms: number): string => new Date(Math.min(ms, Date.now())).toISOString();
    // Without a history the service has the last hours in memory.
    const path =
      toMs === Number.POSITIVE_INFINITY || !(await this.page.settings).hasHistory
        ? `v2/aircraft/${hex}/track?minutes=${MINUTES}&limit=${limit}`
        : `v2/aircraft/${hex}/history?from=${time(fromMs)}&to=${time(toMs)}&limit=${limit}`;
    for (let tries = 1; tries <= TRIES_MAX && !stop.signal.aborted; tries += 1) {
      try {
        const { positions } = await getJson<{ positions: TrackPoint[] }>(path, stop.signal);
        const last = positions.at(-1)?.time ?? 0;
        track.points = [...positions, ...track.points.filter(({ time: later }) => later > last)].slice(-POINTS_MAX);
        track.problem = '';
        return;
      } catch (error) {
        if (stop.signal.aborted) return;
        const { status, retryAfterS } = error instanceof ResponseError ? error : { status: 0, retryAfterS: 0 };
        track.problem = error instanceof ResponseError ? error.message : 'the service cannot be reached';
        if (status >= 400 && status < 500 && status !== 429) return;
        await new Promise((resolve) => setTimeout(resolve, Math.max(1000 * retryAfterS, 1000 * 2 ** tries)));
      }
    }
  }

  /** A new picture: tracks of the present grow; those of the past end at its moment. */
  follow(aircraft: readonly Aircraft[], nowMs: number): void {
    const { atMs, pace, selected } = this.page.store.view;
    const isPast = atMs !== null;
    const moment = pace > 0 ? nowMs : (atMs ?? nowMs);
    [this.aircraft, this.nowMs] = [aircraft, nowMs];
    for (const each of aircraft) {
      const track = this.tracks.get(each.hex);
      const point = pointOf(each, nowMs);
      if (track === undefined || point === null) continue;
      if (isPast && (moment < track.fromMs || moment > track.toMs)) this.drop(track);
      if (isPast || track.state !== 'ready') continue;
      const silentS = point.time - (track.points.at(-1)?.time ?? point.time);
      grow(track.points, point);
      // A page that slept asks for what it missed.
      if (silentS > SETTLED_MS / 1000) track.state = 'waits';
    }
    if (this.tracks.size < selected.length) this.select(false);
    else this.pump();
    if (nowMs < this.settledMs || nowMs > this.settledMs + SETTLED_MS) this.settle();
  }

  /** Sends all points up to now to MapLibre, some time later: tracks that load together are one change. */
  settle(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.settledMs = this.nowMs;
      const { trackColour } = this.page.store.view;
      const lines = [...this.tracks.values()].flatMap(({ points }) =>
        linesOf(
          points.filter(({ time }) => 1000 * time <= this.nowMs),
          this.colour(trackColour),
        ),
      );
      const features = lines.map(({ line, ...properties }) => lineFeature(line, properties));
      if (this.base !== null) drawTracks(this.base, features);
      const problems = [...this.tracks.values()].filter(({ problem }) => problem !== '');
      this.notice.hidden = problems.length === 0;
      const whose = problems.length === 1 ? `The track of ${problems[0]!.hex}` : `${problems.length} tracks`;
      this.notice.textContent = problems.length === 0 ? '' : `${whose} cannot be loaded: ${problems[0]!.problem}.`;
      this.page.map.request();
    }, REDRAW_MS);
  }

  styled(map: MapLibre): void {
    this.base = map;
    drawTracks(map, []);
    this.settle();
  }

  private colour(kind: MapPage['store']['view']['trackColour']): (point: TrackPoint) => string {
    const isDark = this.page.isDark();
    return (point) => cssColour(colourOf(kind, point as unknown as Aircraft, isDark));
  }

  /** The newest part of each track, to where its aircraft is drawn. */
  drawTips(): void {
    const { camera, positions, nowMs } = this.page.map;
    if (this.tracks.size === 0) {
      if (this.canvas.width !== 1) this.canvas.width = 1;
      return;
    }
    const context = this.canvas.getContext('2d')!;
    const ratio = camera.resize(this.canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    [context.lineWidth, context.lineCap] = [LINE_PIXELS, 'round'];
    const colour = this.colour(this.page.store.view.trackColour);
    for (const each of this.aircraft) {
      const points = this.tracks.get(each.hex)?.points ?? [];
      const until = points.findLastIndex(({ time }) => 1000 * time <= this.nowMs);
      if (until < 0) continue;
      let from = points.findLastIndex(({ time }) => 1000 * time <= Math.min(this.settledMs, this.nowMs));
      if (from < 0) from = 0;
      context.strokeStyle = colour(points[until]!);
      context.beginPath();
      const tip = points.slice(from, until + 1).map(({ lat, lon }) => camera.screenOf(xOf(lon), yOf(lat)));
      const number = positions?.numberOf(keyOf(each.hex)) ?? -1;
      if (number >= 0) {
        positions!.locateOne(number, camera, nowMs());
        tip.push([positions!.screenX(number), positions!.screenY(number)]);
      }
      // The other side of the world begins half a world away from the middle of the screen.
      for (const [i, [x, y]] of tip.entries())
        context[i === 0 || Math.abs(x - tip[i - 1]![0]) > camera.worldPixels / 2 ? 'moveTo' : 'lineTo'](x, y);
      context.stroke();
    }
  }
}

const LINE_PIXELS = 2.5;
function drawTracks(map: MapLibre, features: GeoJSON.Feature[]): void {
  const paint = { 'line-color': ['get', 'colour'], 'line-width': LINE_PIXELS };
  const layout = { 'line-join': 'round', 'line-cap': 'round' };
  draw(map, SOURCE, features.length === 0 ? NONE : collectionOf(features), [
    { id: 'tracks', type: 'line', filter: ['!', ['get', 'isGap']], layout, paint },
    { id: 'track-gaps', type: 'line', filter: ['get', 'isGap'], paint: { ...paint, 'line-dasharray': [1.5, 2], 'line-opacity': 0.75 } },
  ]);
}

export const openTracks: OpenPart = (page) => {
  const tracks = new Tracks(page);
  page.store.listen((view, before) => {
    const wasPast = before.atMs !== null;
    if (view.selected !== before.selected || view === before || wasPast !== (view.atMs !== null))
      tracks.select(wasPast !== (view.atMs !== null));
    else if (view.trackColour !== before.trackColour) tracks.settle();
  });
  page.on('details', ({ selected, nowMs }) => tracks.follow(selected, nowMs));
  page.map.onStyle((map) => tracks.styled(map));
  page.map.onDraw(() => tracks.drawTips());
};
