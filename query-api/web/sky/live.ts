// The present: the stream for pages. It sleeps while the page is hidden, and shows the last picture that was kept while there is no network.

import { StreamClient } from '../page/stream-client.ts';
import { type Aircraft, type Clock, LIVE, type Status } from './picture.ts';
import type { Seen } from './sky.ts';

export interface SourceEvents {
  sky(nowMs: number, seen: readonly Seen[], clock: Clock): void;
  status(status: Omit<Status, 'kind'>): void;
}

/** The last aircraft that were seen are in the browser's cache of this page, at an address that no server has. */
const CACHE = 'last-picture';
/** A hidden page stays connected for a while: people change tabs and come back. */
const SLEEP_MS = 20_000;
const KEEP_MS = 60_000;
const LEFT_S = 5;

export class LiveSource {
  private cells: readonly string[] | null;
  private readonly base: URL;
  private readonly events: SourceEvents;
  private client: StreamClient;
  private problem = '';
  private nowMs = 0;
  private keptMs = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `cells`: those in view; null for the world. */
  constructor(base: URL, events: SourceEvents, cells: readonly string[] | null = null) {
    [this.base, this.events, this.cells] = [base, events, cells];
    this.client = this.open();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.client.stop();
  }

  setCells(cells: readonly string[] | null): void {
    if (cells?.join() === this.cells?.join()) return;
    const isFollowed = cells !== null && this.cells !== null && !this.client.isStopped;
    this.cells = cells;
    if (isFollowed) this.client.follow(cells);
    else if (!this.client.isStopped) {
      this.client.stop();
      this.client = this.open();
    }
  }

  setHidden(isHidden: boolean): void {
    clearTimeout(this.timer);
    if (isHidden) this.timer = setTimeout(() => this.client.stop(), SLEEP_MS);
    else if (this.client.isStopped) this.client = this.open();
  }

  private open(): StreamClient {
    const filter = new URLSearchParams(this.cells === null ? {} : { zones: this.cells.join(';') });
    return new StreamClient({
      ...{ baseUrl: this.base, profile: 'binary', filter },
      onFrame: () => this.show(),
      onState: () => this.report(),
      onProblem: (text) => {
        this.problem = text;
        this.report();
        if (text !== '' && this.nowMs === 0) void this.showKept();
      },
    });
  }

  private report(): void {
    const states = { connecting: 'connecting', connected: 'live', reconnecting: 'waiting', stopped: 'failed' } as const;
    // The client calls while it is made.
    const client = this.client as StreamClient | undefined;
    this.events.status({ state: states[client?.state ?? 'connecting'], problem: this.problem, intervalMs: client?.intervalMs ?? null });
  }

  private show(): void {
    const seen: Seen[] = [];
    const streams = [...this.client.model.streams.values()];
    this.nowMs = 1000 * Math.max(...streams.map(({ now }) => now));
    // Cells that the view left get no frames any more.
    const oldestS = this.nowMs / 1000 - Math.max(LEFT_S, (3 * (this.client.intervalMs ?? 0)) / 1000);
    for (const { aircraft, updated, now } of streams) {
      if (now < oldestS) continue;
      for (const each of aircraft.values()) seen.push({ aircraft: each as Aircraft, updatedMs: 1000 * (updated.get(each.hex) ?? now) });
    }
    this.events.sky(this.nowMs, seen, LIVE);
    if (performance.now() - this.keptMs < KEEP_MS && this.keptMs > 0) return;
    this.keptMs = performance.now();
    // A full cache only means that the next start without a network is empty.
    void keepPicture(this.base, { nowMs: this.nowMs, seen }).catch(() => undefined);
  }

  private async showKept(): Promise<void> {
    const stored = await keptPicture(this.base).catch(() => null);
    if (stored !== null && this.nowMs === 0) this.events.sky(stored.nowMs, stored.seen, LIVE);
  }
}

interface KeptPicture {
  readonly nowMs: number;
  readonly seen: readonly Seen[];
}

/** Keeps a picture in the place of the one before. Without a cache, as on plain http, nothing is kept. */
async function keepPicture(base: URL, picture: KeptPicture): Promise<void> {
  if (!('caches' in self)) return;
  const cache = await caches.open(CACHE);
  await cache.put(new URL(CACHE, base), new Response(JSON.stringify(picture)));
}

async function keptPicture(base: URL): Promise<KeptPicture | null> {
  if (!('caches' in self)) return null;
  const found = await (await caches.open(CACHE)).match(new URL(CACHE, base));
  return found === undefined ? null : ((await found.json()) as KeptPicture);
}
