// The API's documentation: made in the browser from the contract. Every operation has a form that asks the service, and shows what it answered.

const CHARACTERS_MAX = 50_000;
/** How far below an answer members of members are listed. */
const DEPTH_MAX = 4;

const byId = (id) => document.getElementById(id);
let contract;

/** An element with properties and children; text is text, whatever is in it. */
function make(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

/** The little of Markdown that the contract has: paragraphs, **strong** and `code`. */
function prose(text) {
  return text.split('\n\n').map((paragraph) => make('p', {}, ...inline(paragraph)));
}

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return make('code', {}, part.slice(1, -1));
    return part.startsWith('**') ? make('strong', {}, part.slice(2, -2)) : part;
  });
}

/** What a reference stands for. */
function resolve(node) {
  if (node?.$ref === undefined) return node;
  const keys = node.$ref.slice(2).split('/');
  return resolve(keys.reduce((value, key) => value[key.replaceAll('~1', '/').replaceAll('~0', '~')], contract));
}

function showContract() {
  byId('summary').textContent =
    `${contract.info.summary}. Version ${contract.info.version}; OpenAPI ${contract.openapi}. Open an operation and try it.`;
  byId('manners').append(...prose(contract.info.description));
  const operations = Object.entries(contract.paths).map(([path, { get }]) => ({ path, ...get }));
  for (const { name, description } of contract.tags) {
    const section = make('section', {}, make('h2', {}, name), make('p', { className: 'quiet' }, ...inline(description)));
    for (const operation of operations) if (operation.tags.includes(name)) section.append(operationDetails(operation));
    byId('operations').append(section);
  }
}

function operationDetails(operation) {
  const details = make('details', { className: 'operation', id: operation.operationId });
  details.append(make('summary', {}, make('code', {}, operation.path), operation.summary));
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(operationBody(operation));
  });
  return details;
}

function operationBody(operation) {
  const success = operation.responses[200];
  const contents = Object.entries(success.content ?? {});
  return make(
    'div',
    {},
    ...prose(operation.description ?? ''),
    tryForm(operation),
    ...contents.flatMap(([type, content]) => contentParts(type, content)),
    make('h3', {}, 'Other answers'),
    make('table', { className: 'members' }, make('tbody', {}, ...otherAnswers(operation))),
  );
}

function contentParts(type, { schema, example }) {
  const members = membersTable(schema, 0);
  const shown =
    example === undefined
      ? []
      : [make('details', {}, make('summary', {}, 'An answer that was given'), make('pre', { className: 'answer' }, pretty(example)))];
  return [make('h3', {}, `Answer: ${type}`), ...(members === null ? [] : [members]), ...shown];
}

function otherAnswers({ responses }) {
  return Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(([status, response]) =>
      make('tr', {}, make('td', {}, make('code', {}, status)), make('td', {}, ...inline(resolve(response).description))),
    );
}

/** Members of an object, or of what a list or a choice is made of; null where there are none. */
function membersTable(schema, depth) {
  const { properties, required = [] } = objectIn(schema);
  if (properties === undefined || depth >= DEPTH_MAX) return null;
  const rows = Object.entries(properties).map(([name, member]) => {
    const below = membersTable(member, depth + 1);
    const more = below === null ? [] : [make('details', {}, make('summary', {}, 'its members'), below)];
    const sure = required.includes(name) ? ' · always there' : '';
    const about = make(
      'td',
      {},
      ...inline(resolve(member).description ?? ''),
      make('small', { className: 'quiet' }, ` ${typeName(member)}${sure}`),
      ...more,
    );
    return make('tr', {}, make('td', {}, make('code', {}, name)), about);
  });
  return make('table', { className: 'members' }, make('tbody', {}, ...rows));
}

function objectIn(schema) {
  const node = resolve(schema) ?? {};
  if (node.type === 'array') return objectIn(node.items);
  if (node.anyOf !== undefined) return objectIn(node.anyOf[0]);
  return node;
}

function typeName(schema) {
  const node = resolve(schema) ?? {};
  if (node.enum !== undefined) return node.enum.join(' | ');
  if (node.const !== undefined) return `“${node.const}”`;
  if (node.type === 'array') return `list of ${typeName(node.items)}`;
  const choice = node.oneOf ?? node.anyOf;
  if (choice !== undefined) return [...new Set(choice.map(typeName))].join(' or ');
  const range = node.minimum === undefined && node.maximum === undefined ? '' : ` ${node.minimum ?? ''}…${node.maximum ?? ''}`;
  return `${node.type ?? 'anything'}${range}`;
}

function tryForm(operation) {
  const parameters = (operation.parameters ?? []).map(resolve);
  const fields = parameters.map((parameter) => ({ parameter, input: fieldOf(parameter) }));
  const address = make('code');
  const result = make('div', { ariaLive: 'polite' });
  const update = () => {
    address.textContent = addressOf(operation.path, fields);
  };
  const form = make(
    'form',
    {},
    ...fields.map(({ parameter, input }) =>
      make('label', { className: 'parameter' }, parameterName(parameter), input, make('small', {}, ...inline(parameter.description ?? ''))),
    ),
    make('p', {}, 'GET ', address),
    make('button', { className: 'send', type: 'submit' }, 'Send'),
  );
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    ask(addressOf(operation.path, fields), result);
  });
  update();
  return make('div', {}, form, result);
}

function parameterName({ name, required }) {
  return make('span', {}, make('code', {}, name), required ? ' (needed)' : '');
}

/** Needed parameters begin with the value of the example, others empty. */
function fieldOf({ name, schema, required, example }) {
  const values = schema.type === 'boolean' ? [true, false] : schema.enum;
  if (values !== undefined) {
    const options = ['', ...values].map((value) => make('option', { value: String(value) }, String(value)));
    return make('select', { name }, ...options);
  }
  return make('input', {
    name,
    value: required ? String(example) : '',
    placeholder: String(example ?? ''),
    autocomplete: 'off',
    spellcheck: false,
  });
}

function addressOf(path, fields) {
  const filled = fields
    .filter(({ input }) => input.value !== '')
    .map(({ parameter, input }) => ({ ...parameter, value: encodeURIComponent(input.value) }));
  const inPath = filled.filter((field) => field.in === 'path').reduce((text, { name, value }) => text.replace(`{${name}}`, value), path);
  const query = filled.filter((field) => field.in === 'query').map(({ name, value }) => `${name}=${value}`);
  return query.length === 0 ? inPath : `${inPath}?${query.join('&')}`;
}

async function ask(address, result) {
  result.replaceChildren(make('p', { className: 'quiet' }, 'Asking…'));
  const url = new URL(address.slice(1), document.baseURI);
  try {
    const start = performance.now();
    const response = await fetch(url, { cache: 'no-store' });
    const text = await response.text();
    const ms = Math.round(performance.now() - start);
    const line = `${response.status} ${response.statusText}, ${text.length.toLocaleString('en')} characters, ${ms} ms`;
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    result.replaceChildren(
      make('p', { className: response.ok ? 'status' : 'status notice problem' }, line),
      make('details', {}, make('summary', {}, 'Headers'), make('pre', { className: 'answer' }, headers)),
      make('pre', { className: 'answer' }, shownBody(text, response.headers.get('content-type') ?? '')),
      make('p', { className: 'quiet' }, make('code', {}, `curl '${url.href}'`)),
    );
  } catch (error) {
    result.replaceChildren(make('p', { className: 'notice problem' }, `The service did not answer: ${error.message}`));
  }
}

function shownBody(text, type) {
  const shown = /json/.test(type) ? pretty(JSON.parse(text)) : text;
  return shown.length > CHARACTERS_MAX ? `${shown.slice(0, CHARACTERS_MAX)}\n… ${shown.length - CHARACTERS_MAX} more characters` : shown;
}

function pretty(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Hides operations that do not have the words, and groups that have none left. */
function filterOperations() {
  const words = byId('filter').value.trim().toLowerCase();
  for (const section of document.querySelectorAll('section')) {
    const operations = [...section.querySelectorAll('.operation')];
    for (const operation of operations) operation.hidden = !operation.firstChild.textContent.toLowerCase().includes(words);
    section.hidden = operations.every(({ hidden }) => hidden);
  }
}

/** `/docs#hex` opens that operation. */
function openNamed() {
  const named = byId(location.hash.slice(1));
  if (!named?.classList.contains('operation')) return;
  named.open = true;
  named.scrollIntoView();
}

async function start() {
  try {
    const response = await fetch('openapi.json');
    if (!response.ok) throw new Error(`status ${response.status}`);
    contract = await response.json();
    showContract();
    openNamed();
  } catch (error) {
    byId('summary').textContent = '';
    byId('problem').hidden = false;
    byId('problem').textContent = `The contract cannot be loaded: ${error.message}`;
  }
}

byId('filter').addEventListener('input', filterOperations);
addEventListener('hashchange', openNamed);
start();
