// The live page: fetches the snapshot every second, with its ETag, and shows it as a sorted table.

const REFRESH_MS = 1000;
/** Large snapshots are fetched less often: they are megabytes. */
const REFRESH_LARGE_MS = 5000;
const LARGE_AIRCRAFT = 5000;
const ROWS_MAX = 500;
/** Requests of pages have a bucket of their own. */
const PAGE = { 'X-Squitter-Page': '1' };
/** Aircraft are kept while a next request must wait no longer than this. */
const KEPT_S = 60;

/** Columns with a class are left out on narrower screens (live.css). */
const columns = [
  { name: 'hex', title: 'Hex', value: (a) => a.hex, className: 'hex' },
  { name: 'flight', title: 'Call sign', value: (a) => a.flight?.trim() },
  { name: 'r', title: 'Registration', value: (a) => a.r, className: 'from-desk' },
  { name: 't', title: 'Type', value: (a) => a.t, className: 'from-tablet' },
  {
    name: 'route',
    title: 'Route',
    value: (a) => (a.route_origin ?? a.route_dest) && `${a.route_origin ?? '?'}–${a.route_dest ?? '?'}`,
    className: 'from-tablet',
  },
  { name: 'squawk', title: 'Squawk', value: (a) => a.squawk, className: 'from-desk' },
  { name: 'alt', title: 'Altitude ft', value: (a) => (a.alt_baro === 'ground' ? 0 : a.alt_baro), text: (a) => a.alt_baro, number: true },
  { name: 'gs', title: 'Speed kt', value: (a) => a.gs, digits: 0, number: true },
  { name: 'track', title: 'Track °', value: (a) => a.track ?? a.calc_track, digits: 0, number: true, className: 'from-tablet' },
  { name: 'rate', title: 'ft/min', value: (a) => a.baro_rate ?? a.geom_rate, number: true, className: 'from-desk' },
  { name: 'lat', title: 'Latitude', value: (a) => a.lat, digits: 4, number: true, className: 'from-desk' },
  { name: 'lon', title: 'Longitude', value: (a) => a.lon, digits: 4, number: true, className: 'from-desk' },
  { name: 'source', title: 'Source', value: (a) => a.source, className: 'from-wall' },
  { name: 'messages', title: 'Messages', value: (a) => a.messages, number: true, className: 'from-wall' },
  { name: 'rssi', title: 'dBFS', value: (a) => (a.rssi <= -49.4 ? undefined : a.rssi), digits: 1, number: true, className: 'from-wall' },
  { name: 'seen', title: 'Seen s', value: (a) => a.seen, digits: 1, number: true, className: 'from-tablet' },
];

const element = (id) => document.getElementById(id);
const state = { aircraft: [], envelope: null, tag: '', sort: 'hex', descending: false, filter: '' };

function makeHead() {
  for (const column of columns) {
    const head = document.createElement('th');
    head.scope = 'col';
    head.className = classOf(column);
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = column.title;
    button.addEventListener('click', () => {
      state.descending = state.sort === column.name ? !state.descending : false;
      state.sort = column.name;
      show();
    });
    head.append(button);
    element('head').append(head);
  }
}

function classOf(column) {
  return [column.className, column.number ? 'number' : ''].filter(Boolean).join(' ');
}

/** Aircraft without the value come last, whatever the direction. */
function compare(column) {
  const direction = state.descending ? -1 : 1;
  return (a, b) => {
    const left = column.value(a);
    const right = column.value(b);
    if (left === undefined || right === undefined) return (left === undefined) - (right === undefined) || (a.hex < b.hex ? -1 : 1);
    if (left === right) return a.hex < b.hex ? -1 : 1;
    return left < right ? -direction : direction;
  };
}

function matches(aircraft) {
  return [aircraft.hex, aircraft.flight, aircraft.squawk, aircraft.r, aircraft.t, aircraft.route_origin, aircraft.route_dest].some((text) =>
    text?.toLowerCase().includes(state.filter),
  );
}

function cellText(column, aircraft) {
  if (column.text) return column.text(aircraft) ?? '';
  const value = column.value(aircraft);
  if (value === undefined) return '';
  return column.digits === undefined ? value : value.toFixed(column.digits);
}

function show() {
  const column = columns.find(({ name }) => name === state.sort);
  const chosen = state.filter === '' ? [...state.aircraft] : state.aircraft.filter(matches);
  const rows = chosen.sort(compare(column)).slice(0, ROWS_MAX);
  const body = element('rows');
  while (body.rows.length > rows.length) body.deleteRow(-1);
  while (body.rows.length < rows.length) addRow(body);
  rows.forEach((aircraft, i) => {
    columns.forEach((cellColumn, j) => {
      const cell = body.rows[i].cells[j];
      const text = String(cellText(cellColumn, aircraft));
      if (cell.textContent !== text) cell.textContent = text;
    });
  });
  columns.forEach(({ name }, i) => {
    const head = element('head').cells[i];
    if (name === state.sort) head.setAttribute('aria-sort', state.descending ? 'descending' : 'ascending');
    else head.removeAttribute('aria-sort');
  });
  element('more').hidden = chosen.length <= ROWS_MAX;
  element('more').textContent = `${ROWS_MAX} of ${chosen.length.toLocaleString()} aircraft are shown: filter or sort to see others.`;
  showSummary();
}

function addRow(body) {
  const row = body.insertRow();
  for (const column of columns) row.insertCell().className = classOf(column);
}

function showSummary() {
  const { envelope, aircraft } = state;
  if (envelope === null) return;
  const located = aircraft.filter(({ lat }) => lat !== undefined).length;
  const time = new Date(envelope.now * 1000).toISOString().slice(11, 19);
  element('summary').textContent =
    `${envelope.total.toLocaleString()} aircraft, ${located.toLocaleString()} with a position, ${envelope.messages.toLocaleString()} messages, ${time} UTC`;
}

function showProblem(text) {
  element('problem').hidden = text === '';
  element('problem').textContent = text;
}

/** Old aircraft are worse than none. */
function showNone(text) {
  state.aircraft = [];
  state.tag = '';
  show();
  element('summary').textContent = '';
  showProblem(text);
}

async function refresh() {
  let retryAfterS = 0;
  try {
    const headers = state.tag === '' ? PAGE : { ...PAGE, 'If-None-Match': state.tag };
    const response = await fetch('v2/all', { headers, cache: 'no-store' });
    if (response.status === 200) {
      const body = await response.json();
      state.tag = response.headers.get('etag') ?? '';
      state.aircraft = body.ac;
      state.envelope = body;
      show();
      showProblem('');
    } else if (response.status === 304) showProblem('');
    else {
      const { detail } = await response.json();
      if (response.status === 429) retryAfterS = Number(response.headers.get('retry-after'));
      if (retryAfterS > 0 && retryAfterS <= KEPT_S) showProblem(detail);
      else showNone(detail);
    }
  } catch {
    showProblem('The service does not answer. Trying again…');
  }
  const waitMs = state.aircraft.length > LARGE_AIRCRAFT ? REFRESH_LARGE_MS : REFRESH_MS;
  setTimeout(refresh, Math.max(1000 * retryAfterS, document.hidden ? REFRESH_LARGE_MS : waitMs));
}

async function refreshNotice() {
  try {
    const stats = await (await fetch('v2/stats', { headers: PAGE })).json();
    element('simulated').hidden = stats.simulated !== true;
  } catch {
    // The other request shows the problem.
  }
  setTimeout(refreshNotice, REFRESH_LARGE_MS);
}

element('filter').addEventListener('input', (event) => {
  state.filter = event.target.value.trim().toLowerCase();
  show();
});
makeHead();
// Whether the traffic is real comes first.
refreshNotice().then(refresh);
