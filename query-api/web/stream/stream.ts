// The page of the streams: follows one in the chosen profile and shows its frames.
import type { AircraftFrame } from '../../../push/codec/model.ts';
import { byId, serviceUrl, setNotice } from '../page/parts.ts';
import { StreamClient, type StreamProfile } from '../page/stream-client.ts';

const ROWS_MAX = 50;
const SECONDS = 120;
const FRAME_CHARACTERS = 4000;

/** The beginning of a frame, without making all of its text. */
function shortened(frame: AircraftFrame): string {
  const few = Object.fromEntries(Object.entries(frame).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 3) : value]));
  const text = JSON.stringify(few, null, 1);
  return text.length > FRAME_CHARACTERS ? `${text.slice(0, FRAME_CHARACTERS)}…` : text;
}

function bars(values: readonly number[]): string {
  const max = Math.max(1, ...values);
  return values.map((value, i) => (value === 0 ? '' : `M${i} 30h0.8v${((-29 * value) / max).toFixed(1)}h-0.8z`)).join('');
}

const showProblem = (text: string): void => setNotice(byId('problem'), text);

class StreamPage {
  private client: StreamClient | null = null;
  /** Bytes and frames of each of the last seconds, the newest last. */
  private readonly rates = { bytes: new Array<number>(SECONDS).fill(0), frames: new Array<number>(SECONDS).fill(0) };
  private readonly profile = byId<HTMLSelectElement>('profile');
  private readonly filter = byId<HTMLInputElement>('filter');

  constructor() {
    byId('settings').addEventListener('submit', (event) => {
      event.preventDefault();
      const settings = new URLSearchParams({ profile: this.profile.value, filter: this.filter.value.trim() });
      history.replaceState(null, '', `?${settings}`);
      this.start();
    });
    byId('break').addEventListener('click', () => this.client?.break());
    byId('stop').addEventListener('click', () => this.client?.stop());
    setInterval(() => this.showRates(), 1000);
    // The address of the page may say what to follow: ?profile=binary&filter=min_altitude%3D30000
    const given = new URLSearchParams(location.search);
    this.filter.value = given.get('filter') ?? this.filter.value;
    const profile = given.get('profile');
    if (profile !== null && [...this.profile.options].some(({ value }) => value === profile)) this.profile.value = profile;
    this.start();
  }

  private start(): void {
    this.client?.stop();
    byId('rows').replaceChildren();
    for (const values of Object.values(this.rates)) values.fill(0);
    showProblem('');
    this.client = new StreamClient({
      baseUrl: serviceUrl('.'),
      profile: this.profile.value as StreamProfile,
      filter: new URLSearchParams(this.filter.value.trim()),
      onFrame: (frame, bytes) => this.note(frame, bytes),
      onState: () => this.showFacts(),
      onProblem: showProblem,
    });
    this.showFacts();
  }

  private note(frame: AircraftFrame, bytes: number): void {
    this.rates.bytes[SECONDS - 1]! += bytes;
    this.rates.frames[SECONDS - 1]! += 1;
    const { type, stream = '', seq = 0, now = 0 } = frame;
    const aircraft = this.client?.model.streams.get(stream)?.aircraft.size ?? 0;
    const changes = type === 'full' ? ['', '', ''] : [frame.new, frame.update, frame.remove].map((list) => list?.length ?? 0);
    const cells = [new Date(now * 1000).toISOString().slice(11, 21), type, stream, seq, bytes, aircraft, ...changes];
    const rows = byId<HTMLTableSectionElement>('rows');
    const row = rows.insertRow(0);
    cells.forEach((value, i) => {
      const cell = row.insertCell();
      cell.textContent = typeof value === 'number' && i > 3 ? value.toLocaleString() : String(value);
      if (i > 2) cell.className = 'number';
      if (i === 2) cell.className = 'hex';
    });
    while (rows.rows.length > ROWS_MAX) rows.deleteRow(-1);
    byId('frame').textContent = shortened(frame);
  }

  private showFacts(): void {
    if (this.client === null) return;
    const { state, model, counts, intervalMs, lastClose, isStopped } = this.client;
    const streams = [...model.streams.entries()];
    const aircraft = streams.reduce((sum, [, each]) => sum + each.aircraft.size, 0);
    const facts = {
      state,
      aircraft: aircraft.toLocaleString(),
      streams: streams.map(([name, { seq }]) => `${name === '' ? 'one' : name} at ${seq}`).join(', ') || 'none',
      interval: intervalMs === null ? 'unknown' : `${intervalMs / 1000} s`,
      ...counts,
      close: lastClose,
    };
    for (const [id, value] of Object.entries(facts)) byId(id).textContent = String(value);
    byId('state').className = `chip ${state === 'connected' ? 'good' : state === 'stopped' ? '' : 'caution'}`;
    for (const id of ['break', 'stop']) byId<HTMLButtonElement>(id).disabled = isStopped;
  }

  private showRates(): void {
    for (const [name, values] of Object.entries(this.rates)) byId(`${name}-graph`).firstElementChild!.setAttribute('d', bars(values));
    const minute = (values: readonly number[]) => values.slice(-60).reduce((sum, value) => sum + value, 0);
    const most = Math.max(...this.rates.bytes).toLocaleString();
    byId('bytes-rate').textContent =
      `${Math.round(minute(this.rates.bytes) / 60).toLocaleString()} bytes/s in the last minute, at most ${most} in a second`;
    byId('frames-rate').textContent = `${minute(this.rates.frames)} frames in the last minute`;
    for (const values of Object.values(this.rates)) {
      values.shift();
      values.push(0);
    }
  }
}

new StreamPage();
