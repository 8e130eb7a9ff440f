// The page of the streams: follows one in the chosen profile as a client should - with resume, new fulls and back-off - and shows its frames.
import { AircraftDecoder, readHeader } from './stream/decoder.js';
import { AircraftStreams } from './stream/model.js';

const ROWS_MAX = 50;
const SECONDS = 120;
const FRAME_CHARACTERS = 4000;
/** Requests of pages have a bucket of their own; a stream has no headers and says it in its query. */
const PAGE = { 'X-Squitter-Page': '1' };
const WAIT_MS_FIRST = 1000;
const WAIT_MS_MAX = 30_000;
/** A connection that lasted this long was no failure: the next wait is short again. */
const STEADY_MS = 10_000;
/** Close codes after which the same request is refused again. */
const FINAL_CODES = [1003, 1007, 1008, 1009, 4401, 4403];
const PROTOCOLS = { named: 'aircraft.v2.json', binary: 'aircraft.v2.bin' };
const PATHS = { named: 'v2/ws', binary: 'v2/ws', plain: 'ws/', events: 'v2/stream' };

const element = (id) => document.getElementById(id);
const utf8 = new TextEncoder();
const byteLength = (text) => utf8.encode(text).length;

/** The same request would be refused again. */
const isFinal = ({ ok, status }) => !ok && status < 500 && status !== 429;

/** One subscription, over as many connections as it takes. */
class Client {
  constructor(profile, filter) {
    this.profile = profile;
    this.filter = filter;
    this.forget();
    this.counts = { connections: 0, resumed: 0, gaps: 0 };
    this.state = 'connecting';
    this.intervalMs = null;
    this.lastClose = 'none';
    this.waitMs = WAIT_MS_FIRST;
    this.socket = null;
    this.isStopped = false;
    this.connect();
  }

  forget() {
    this.model = new AircraftStreams();
    /** By stream. */
    this.decoders = new Map();
  }

  stop() {
    this.isStopped = true;
    this.state = 'stopped';
    clearTimeout(this.timer);
    this.leave();
    showFacts();
  }

  /** As if the network had failed. */
  break() {
    this.leave();
    this.lastClose = 'broken here';
    this.again(0);
  }

  leave() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  async connect() {
    this.state = 'connecting';
    this.resumes = null;
    this.hasFrame = false;
    if (this.resumable() === null) this.forget();
    showFacts();
    try {
      // World fulls are large: the binary profile fetches them over HTTP, and the socket carries what changed since.
      if (this.profile === 'binary' && this.resumable() === null && !this.filter.has('zones')) await this.fetchFull();
    } catch (error) {
      if (this.isStopped) return;
      if (error.isFinal) this.fail(error.message);
      else this.again(this.nextWaitMs(), error.message);
      return;
    }
    if (this.isStopped) return;
    const query = new URLSearchParams(this.filter);
    query.set('page', '1');
    const from = this.resumable();
    if (from !== null) {
      this.resumes = from;
      query.set('stream', from.stream);
      query.set('seq', String(from.seq));
    }
    const url = new URL(`${PATHS[this.profile]}?${query}`, location.href);
    this.counts.connections += 1;
    this.openedMs = performance.now();
    if (this.profile === 'events') this.follow(new EventSource(url));
    else {
      url.protocol = url.protocol.replace('http', 'ws');
      this.talk(new WebSocket(url, PROTOCOLS[this.profile] ?? []));
    }
  }

  /** The newest frame of the only stream; null when only a full helps: without frames, in the default profile, and with several streams. */
  resumable() {
    if (this.profile === 'plain' || this.model.streams.size !== 1) return null;
    const [[stream, { seq }]] = this.model.streams;
    if (this.profile === 'binary' && this.decoders.get(stream)?.seq === null) return null;
    return { stream, seq };
  }

  async fetchFull() {
    const response = await fetch(`v2/stream/snapshot?${this.filter}`, { cache: 'no-store', headers: PAGE });
    if (!response.ok) throw Object.assign(new Error((await response.json()).detail), { isFinal: isFinal(response) });
    await this.takeBytes(new Uint8Array(await response.arrayBuffer()));
  }

  talk(socket) {
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      if (socket !== this.socket) return;
      this.setState('connected');
      // An empty query subscribes to nothing in the v2 profiles.
      if (this.profile !== 'plain' && this.resumes === null && this.filter.size === 0) this.say({ type: 'subscribe' });
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      if (typeof data === 'string') this.takeText(data);
      else this.takeBytes(new Uint8Array(data)).catch((error) => this.startAgain(error.message));
    };
    socket.onclose = ({ code, reason }) => {
      if (socket !== this.socket) return;
      this.socket = null;
      this.lastClose = `${code} ${reason}`;
      if (FINAL_CODES.includes(code)) this.fail(reason === '' ? `closed with ${code}` : reason);
      else if (!this.hasFrame) this.explain();
      else this.again(this.nextWaitMs());
    };
  }

  follow(source) {
    this.socket = source;
    source.onopen = () => source === this.socket && this.setState('connected');
    for (const type of ['full', 'delta'])
      source.addEventListener(type, ({ data, lastEventId }) => {
        if (source === this.socket) this.take(JSON.parse(data), byteLength(`event: ${type}\nid: ${lastEventId}\ndata: ${data}\n\n`));
      });
    // The browser reconnects by itself with Last-Event-ID, unless it was refused.
    source.onerror = () => {
      if (source !== this.socket) return;
      this.lastClose = 'ended';
      if (source.readyState === EventSource.CLOSED) {
        this.socket = null;
        this.explain();
      } else {
        this.counts.connections += 1;
        this.resumes = this.resumable();
        this.setState('reconnecting');
      }
    };
  }

  say(message) {
    this.socket.send(JSON.stringify(message));
  }

  takeText(text) {
    const message = JSON.parse(text);
    if (message.type === 'hello') this.intervalMs = message.interval_ms;
    else if (message.type === 'error' && message.code === 'not-resumable') this.subscribeAgain();
    else if (message.type === 'error') showProblem(`${message.code}: ${message.detail}`);
    else if (message.type === 'status') {
      this.intervalMs = message.interval_ms ?? this.intervalMs;
      showProblem(message.detail);
    } else this.take(message, byteLength(text));
    showFacts();
  }

  async takeBytes(bytes) {
    const { stream } = readHeader(bytes);
    if (!this.decoders.has(stream)) this.decoders.set(stream, new AircraftDecoder());
    try {
      const frame = await this.decoders.get(stream).decode(bytes);
      if (frame !== null) this.take(frame, bytes.length);
    } catch (error) {
      if (error.code !== 'gap') throw error;
      this.resume();
    }
  }

  take(frame, bytes) {
    if (this.isStopped) return;
    // The stream could not be resumed: this one is in its place.
    if (this.resumes !== null && frame.type === 'full' && frame.stream !== this.resumes.stream) this.model.forget(this.resumes.stream);
    const applied = this.model.apply(frame);
    if (applied === 'missed') {
      this.resume();
      return;
    }
    if (applied !== 'applied') return;
    if (this.resumes !== null && frame.type === 'delta' && frame.seq === this.resumes.seq + 1) this.counts.resumed += 1;
    this.resumes = null;
    this.hasFrame = true;
    showProblem('');
    note(frame, bytes);
    showFacts();
  }

  /** Frames are missing. */
  resume() {
    if (this.resumes !== null) return;
    this.counts.gaps += 1;
    const from = this.resumable();
    if (from === null || this.profile === 'events') this.startAgain();
    else {
      this.resumes = from;
      this.say({ type: 'resume', ...from });
    }
  }

  /** A second stream of this address may have another interval than its snapshot over HTTP: a full on the socket always fits. */
  subscribeAgain() {
    if (this.filter.size > 0) {
      this.startAgain();
      return;
    }
    this.forget();
    this.resumes = null;
    this.say({ type: 'subscribe' });
  }

  /** Only a new full helps. */
  startAgain(problem = '') {
    this.forget();
    this.again(this.nextWaitMs(), problem);
  }

  /** Browsers do not tell why a connection was refused; the same request over HTTP does. */
  async explain() {
    let problem = 'the service does not respond';
    let waitMs = this.nextWaitMs();
    const waiting = new AbortController();
    try {
      const { ok, status, detail, retryAfterMs } = await this.refusal(waiting.signal);
      if (this.isStopped) return;
      problem = ok ? 'the connection was refused' : detail;
      waitMs = Math.max(waitMs, retryAfterMs);
      if (isFinal({ ok, status })) {
        this.fail(problem);
        return;
      }
    } catch {
      // It does not respond.
    } finally {
      waiting.abort();
    }
    if (!this.isStopped) this.again(waitMs, problem);
  }

  async refusal(signal) {
    const response = await fetch(`v2/stream?${this.filter}`, { cache: 'no-store', headers: PAGE, signal });
    const { ok, status } = response;
    const retryAfterMs = status === 429 ? 1000 * Number(response.headers.get('retry-after')) : 0;
    return { ok, status, retryAfterMs, detail: ok ? '' : (await response.json()).detail };
  }

  /** Twice as long after each failure, and never at once for all clients of a service that started again. */
  nextWaitMs() {
    if (this.hasFrame && performance.now() - this.openedMs > STEADY_MS) this.waitMs = WAIT_MS_FIRST;
    const waitMs = this.waitMs * (0.5 + Math.random());
    this.waitMs = Math.min(2 * this.waitMs, WAIT_MS_MAX);
    return waitMs;
  }

  again(waitMs, problem = '') {
    this.leave();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), waitMs);
    if (problem !== '') showProblem(`${problem}; trying again in ${Math.ceil(waitMs / 1000)} s`);
    this.setState('reconnecting');
  }

  fail(problem) {
    this.stop();
    showProblem(problem);
  }

  setState(state) {
    this.state = state;
    showFacts();
  }
}

let client = null;
/** Bytes and frames of each of the last seconds, the newest last. */
const rates = { bytes: new Array(SECONDS).fill(0), frames: new Array(SECONDS).fill(0) };

function note(frame, bytes) {
  rates.bytes[SECONDS - 1] += bytes;
  rates.frames[SECONDS - 1] += 1;
  const isFull = frame.type === 'full';
  const { stream = '', seq, now } = frame;
  const aircraft = client.model.streams.get(stream)?.aircraft.size ?? 0;
  const changes = isFull ? ['', '', ''] : [frame.new.length, frame.update.length, frame.remove.length];
  const cells = [new Date(now * 1000).toISOString().slice(11, 21), frame.type, stream, seq, bytes, aircraft, ...changes];
  const row = element('rows').insertRow(0);
  cells.forEach((value, i) => {
    const cell = row.insertCell();
    cell.textContent = typeof value === 'number' && i > 3 ? value.toLocaleString() : value;
    if (i > 2) cell.className = 'number';
  });
  while (element('rows').rows.length > ROWS_MAX) element('rows').deleteRow(-1);
  element('frame').textContent = shortened(frame);
}

/** The beginning of a frame, without making all of its text. */
function shortened(frame) {
  const few = Object.fromEntries(Object.entries(frame).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 3) : value]));
  const text = JSON.stringify(few, null, 1);
  return text.length > FRAME_CHARACTERS ? `${text.slice(0, FRAME_CHARACTERS)}…` : text;
}

function showFacts() {
  if (client === null) return;
  const { state, model, counts, intervalMs, lastClose, isStopped } = client;
  const streams = [...model.streams.entries()];
  const aircraft = streams.reduce((sum, [, each]) => sum + each.aircraft.size, 0);
  element('state').textContent = state;
  element('aircraft').textContent = aircraft.toLocaleString();
  element('streams').textContent = streams.map(([name, { seq }]) => `${name === '' ? 'one' : name} at ${seq}`).join(', ') || 'none';
  element('interval').textContent = intervalMs === null ? 'unknown' : `${intervalMs / 1000} s`;
  element('connections').textContent = counts.connections;
  element('resumed').textContent = counts.resumed;
  element('gaps').textContent = counts.gaps;
  element('close').textContent = lastClose;
  element('break').disabled = isStopped;
  element('stop').disabled = isStopped;
  element('summary').textContent = `${state}, ${aircraft.toLocaleString()} aircraft`;
}

function showProblem(text) {
  element('problem').hidden = text === '';
  element('problem').textContent = text;
}

function bars(values) {
  const max = Math.max(1, ...values);
  return values.map((value, i) => (value === 0 ? '' : `M${i} 30h0.9v${((-29 * value) / max).toFixed(1)}h-0.9z`)).join('');
}

function showRates() {
  for (const name of ['bytes', 'frames']) element(`${name}-graph`).firstElementChild.setAttribute('d', bars(rates[name]));
  const minute = (values) => values.slice(-60).reduce((sum, value) => sum + value, 0);
  const bytes = minute(rates.bytes);
  element('bytes-rate').textContent =
    `${Math.round(bytes / 60).toLocaleString()} bytes/s in the last minute, at most ${Math.max(...rates.bytes).toLocaleString()} in a second`;
  element('frames-rate').textContent = `${minute(rates.frames)} frames in the last minute`;
  for (const values of Object.values(rates)) {
    values.shift();
    values.push(0);
  }
}

function start() {
  client?.stop();
  element('rows').replaceChildren();
  for (const values of Object.values(rates)) values.fill(0);
  showProblem('');
  client = new Client(element('profile').value, new URLSearchParams(element('filter').value.trim()));
}

element('settings').addEventListener('submit', (event) => {
  event.preventDefault();
  const settings = new URLSearchParams({ profile: element('profile').value, filter: element('filter').value.trim() });
  history.replaceState(null, '', `?${settings}`);
  start();
});
element('break').addEventListener('click', () => client.break());
element('stop').addEventListener('click', () => client.stop());
setInterval(showRates, 1000);

// The address of the page may say what to follow: ?profile=binary&filter=min_altitude%3D30000
const given = new URLSearchParams(location.search);
if (given.has('filter')) element('filter').value = given.get('filter');
if ([...element('profile').options].some(({ value }) => value === given.get('profile'))) element('profile').value = given.get('profile');
start();
