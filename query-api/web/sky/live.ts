// The present: the stream for pages, decoded.
import { AircraftDecoder, readHeader } from '../../../push/codec/decoder.ts';
import { AircraftStreams } from '../../../push/codec/model.ts';
import { PAGE_HEADERS } from '../page/parts.ts';
import { type Aircraft, type Clock, LIVE, type Status } from './picture.ts';
import type { Seen } from './sky.ts';

export interface SourceEvents {
  sky(nowMs: number, seen: readonly Seen[], clock: Clock): void;
  status(status: Omit<Status, 'kind'>): void;
}

export class LiveSource {
  private readonly base: URL;
  private readonly events: SourceEvents;
  private streams = new AircraftStreams();
  private decoder = new AircraftDecoder();
  private socket: WebSocket | null = null;

  constructor(base: URL, events: SourceEvents) {
    [this.base, this.events] = [base, events];
    void this.connect();
  }

  setHidden(_isHidden: boolean): void {}

  private async connect(): Promise<void> {
    const response = await fetch(new URL('v2/stream/snapshot', this.base), { headers: PAGE_HEADERS, cache: 'no-store' });
    await this.take(new Uint8Array(await response.arrayBuffer()));
    const url = new URL(`v2/ws?page=1&stream=${encodeURIComponent(this.decoder.stream)}&seq=${this.decoder.seq}`, this.base);
    url.protocol = url.protocol.replace('http', 'ws');
    this.socket = new WebSocket(url, 'aircraft.v2.bin');
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.events.status({ state: 'live', problem: '', intervalMs: JSON.parse(data).interval_ms ?? null });
      else void this.take(new Uint8Array(data));
    };
  }

  private async take(bytes: Uint8Array): Promise<void> {
    readHeader(bytes);
    const frame = await this.decoder.decode(bytes);
    if (frame === null || this.streams.apply(frame) !== 'applied') return;
    const seen = [...this.streams.streams.values()].flatMap(({ aircraft, updated }) =>
      [...aircraft.values()].map((each) => ({ aircraft: each as Aircraft, updatedMs: 1000 * (updated.get(each.hex) ?? frame.now) })),
    );
    this.events.sky(frame.now * 1000, seen, LIVE);
  }
}
