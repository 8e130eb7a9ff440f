// The dashboard of a feeder's owner. It draws /v2/feeders/me and posts what the owner decides; the session is in a cookie that scripts cannot read.
const REFRESH_MS = 60_000;
const RETRY_MS = 5000;
const WIDTH = 480;
const HEIGHT = 100;
const byId = (id) => document.getElementById(id);
let span = 'day';
let retry;

const number = (value) => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
const bytes = (value) =>
  value < 1e6 ? `${number(value / 1e3)} kB` : value < 1e9 ? `${number(value / 1e6)} MB` : `${number(value / 1e9)} GB`;
const time = (s) => new Date(s * 1000).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

function say(id, text) {
  byId(id).hidden = text === '';
  byId(id).textContent = text;
}

/** Sends a request; the response as JSON. Throws an error with the text of the problem. */
async function ask(path, act) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(act) };
  const response = await fetch(path, act === undefined ? {} : post);
  const body = response.status === 204 ? null : await response.json();
  if (!response.ok) throw Object.assign(new Error(body.detail), { status: response.status });
  return body;
}

function element(name, attributes, ...children) {
  const isDrawing = ['svg', 'path', 'circle', 'text', 'title'].includes(name);
  const made = isDrawing ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

function facts(id, rows) {
  const shown = rows.filter(([, value]) => value !== undefined);
  byId(id).replaceChildren(...shown.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))));
}

/** A line over the span. Where a step is missing, the line is, too. */
function graph({ from, to, step_seconds: step, points }, name, unit, pick) {
  const known = points.flatMap((point) => (pick(point) === undefined ? [] : [{ at: point.time, value: pick(point) }]));
  const values = known.map(({ value }) => value);
  const [low, high] = values.length === 0 ? [0, 1] : [Math.min(0, ...values), Math.max(...values)];
  // Levels in dBFS are below zero: their plot begins at the lowest.
  const floor = high < 0 ? Math.min(...values) - 1 : low;
  const scale = Math.max(high - floor, 1e-9);
  const xy = ({ at, value }) =>
    `${(((at - from) / (to - from)) * WIDTH).toFixed(1)},${(HEIGHT * (1 - (0.92 * (value - floor)) / scale) - 2).toFixed(1)}`;
  const line = known.map((point, i) => `${i > 0 && point.at - known[i - 1].at <= 1.5 * step ? 'L' : 'M'}${xy(point)}h0.1`).join('');
  const words =
    values.length === 0 ? 'nothing heard' : `${number(Math.min(...values))} to ${number(high)} ${unit}, last ${number(values.at(-1))}`;
  const drawing = element(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', class: 'graph', 'aria-label': `${name}: ${words}` },
    element('path', { class: 'line', d: line }),
  );
  return element('figure', {}, drawing, element('figcaption', {}, `${name}: ${words}`));
}

/** The greatest range in each direction, north at the top. */
function compass({ ranges_nm: ranges }) {
  const most = Math.max(...ranges);
  const ring = [10, 25, 50, 100, 150, 200, 250, 300].find((nm) => nm >= most) ?? 500;
  const corner = (nm, i) => {
    const angle = (i / ranges.length) * 2 * Math.PI;
    return `${((80 * nm * Math.sin(angle)) / ring).toFixed(1)},${((-80 * nm * Math.cos(angle)) / ring).toFixed(1)}`;
  };
  const words = most === 0 ? 'nothing heard' : `farthest ${number(most)} nm; the outer ring is at ${ring} nm`;
  const names = [
    ['N', 0, -87],
    ['E', 91, 3],
    ['S', 0, 95],
    ['W', -91, 3],
  ];
  const drawing = element(
    'svg',
    { viewBox: '-100 -100 200 200', role: 'img', class: 'compass', 'aria-label': `Range by direction: ${words}` },
    ...[40, 80].map((r) => element('circle', { class: 'ring', r })),
    element('path', { class: 'area', d: `M${ranges.map(corner).join('L')}Z` }),
    ...names.map(([name, x, y]) => element('text', { x, y }, name)),
  );
  return element('figure', {}, drawing, element('figcaption', {}, `Range by direction: ${words}`));
}

function showHistory({ history, history_problem: problem = '' }) {
  say('no-history', problem === '' ? '' : `No plots: ${problem}.`);
  const plots =
    history === undefined
      ? []
      : [
          graph(history, 'Messages', 'a second', (point) => point.messages_per_second),
          graph(history, 'Aircraft', 'at a time', (point) => point.aircraft),
          graph(history, 'Signal', 'dBFS', (point) => point.signal_dbfs),
          graph(history, 'Range', 'nm', (point) => point.range_nm || undefined),
          compass(history),
        ];
  byId('plots').replaceChildren(...plots);
}

function showLimits({ tier, tier_reason: why, limits, today, contributor_until: until, trial_ends: trialEnds }) {
  const ends = tier === 'trial' ? trialEnds : tier === 'contributor' ? until : undefined;
  byId('tier').textContent =
    tier === undefined
      ? 'There is no key: make a new one.'
      : `Tier: ${tier}. ${why}${ends === undefined ? '' : ` As of now, until ${time(ends)}.`}`;
  facts('limits', [
    ['Requests', limits && `${number(today.requests)} of ${number(limits.requests_a_day)}, one in ${limits.request_seconds} s`],
    ['Data', limits && `${bytes(today.bytes)} of ${bytes(limits.bytes_a_day)}`],
    ['Streams at a time', limits && String(limits.sockets)],
    ['Interval of streams', limits && `${limits.push_seconds} s`],
  ]);
}

function show(feeder) {
  byId('door').hidden = true;
  byId('board').hidden = false;
  byId('title').textContent = feeder.name === '' ? 'Your feeder' : feeder.name;
  const { state, text, troubles } = feeder.health;
  byId('health').textContent = text;
  byId('health').className = `notice ${state === 'trouble' ? 'problem' : 'good'}`;
  byId('troubles').hidden = troubles.length === 0;
  byId('troubles').replaceChildren(
    ...troubles.map(({ text: what, advice }) => element('li', {}, troubles.length > 1 ? `${what} ${advice}` : advice)),
  );
  facts('facts', [
    ['Connected since', feeder.connected_since && time(feeder.connected_since)],
    ['Last heard of', feeder.connected ? undefined : feeder.last_seen && time(feeder.last_seen)],
    ['Format', feeder.format],
    ['Messages a second', feeder.messages_per_second && number(feeder.messages_per_second)],
    ['Aircraft', number(feeder.aircraft)],
    ['Signal', feeder.signal_dbfs && `${number(feeder.signal_dbfs)} dBFS`],
    ['Late', feeder.late_seconds > 0 ? `${feeder.late_seconds} s` : undefined],
    ['Id', feeder.id],
  ]);
  showHistory(feeder);
  byId('key').value = feeder.key ?? 'revoked: make a new one';
  const { previous_key_ends: ends } = feeder;
  say('previous', ends === undefined ? '' : `The key before it is valid until ${time(ends)}.`);
  showLimits(feeder);
  // What is being edited stays.
  if (!byId('settings').contains(document.activeElement)) {
    byId('name').value = feeder.name;
    byId('show-range').checked = feeder.show_range;
  }
}

function showDoor() {
  byId('board').hidden = true;
  byId('door').hidden = false;
  byId('title').textContent = 'Your feeder';
}

/** Loads the feeder; without a session, the door is shown. */
async function load() {
  try {
    show(await ask(`v2/feeders/me?span=${span}`));
    say('problem', '');
  } catch (error) {
    if (error.status === 401) return showDoor();
    say('problem', error.message);
    // The service restarts, or was asked too often.
    clearTimeout(retry);
    retry = setTimeout(load, RETRY_MS);
  }
}

/** Posts an act, and says what it did. One at a time. */
let isActing = false;
async function act(name, body, done) {
  if (isActing) return;
  isActing = true;
  say('done', '');
  say('problem', '');
  try {
    const feeder = await ask(`feeders/${name}?span=${span}`, body);
    document.activeElement?.blur();
    if (feeder === null) showDoor();
    else show(feeder);
    say('done', done);
    // The keyboard and screen readers go on from the top, where it says what happened.
    byId('title').focus();
  } catch (error) {
    if (error.status === 401) showDoor();
    say('problem', error.message);
  } finally {
    isActing = false;
  }
}

byId('open').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { value } = byId('proof');
  await act('open', { proof: value }, 'You are the owner of this feeder.');
  if (byId('door').hidden) byId('proof').value = '';
});
byId('here').addEventListener('click', () => act('open', {}, 'You are the owner of this feeder.'));
byId('rotate').addEventListener('click', () => act('rotate', {}, 'Here is your new key. The one before it is valid for 7 more days.'));
byId('revoke').addEventListener('click', () => act('revoke', {}, 'Every key before this one is revoked.'));
byId('leave').addEventListener('click', () => act('leave', {}, 'You have left.'));
byId('settings').addEventListener('submit', (event) => {
  event.preventDefault();
  void act('change', { name: byId('name').value, show_range: byId('show-range').checked }, 'Saved.');
});
byId('key').addEventListener('focus', () => byId('key').select());
for (const button of document.querySelectorAll('[data-span]'))
  button.addEventListener('click', () => {
    span = button.dataset.span;
    for (const other of document.querySelectorAll('[data-span]')) other.setAttribute('aria-pressed', String(other === button));
    byId('span-name').textContent = span;
    void load();
  });
setInterval(() => {
  if (document.visibilityState === 'visible' && !byId('board').hidden) void load();
}, REFRESH_MS);
void load();
