// Invalid and unusual requests: for every parameter of the contract, values that fit, that nearly fit, and that do not fit at all.
import fc from 'fast-check';
import type { Contract, Operation, Parameter } from '../support/contract.ts';

/** Texts that break parsers, invalid numbers, names in other formats. */
const nasty = [
  '',
  ' ',
  '%',
  '%00',
  '%zz',
  '%2F',
  '%2e%2e%2f',
  '%C0%80',
  '%F0%9F%9B%A9',
  '+',
  ',',
  ',,,,',
  'null',
  'undefined',
  'NaN',
  'nan',
  'Infinity',
  '-Infinity',
  '1e400',
  '-1e400',
  '1e-400',
  '0x10',
  '0b1',
  '1_000',
  '60,19',
  '1.5.2',
  '--1',
  '-0',
  '007',
  '9007199254740993',
  '99999999999999999999999999',
  '4.9e-324',
  'true',
  'TRUE',
  'yes',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '<script>alert(1)</script>',
  '"\'`;--',
  '{{7*7}}',
  '\\',
  '\r\nX-Injected: 1',
  '\u0000',
  '\ufeff',
  '\u202e',
  'ＫＬＭ１２３',
  'İı',
  'ß',
  '✈️',
  'a'.repeat(5000),
  'a,'.repeat(2500),
  '1,'.repeat(3000),
  '9'.repeat(400),
];

/** Text encoded for a URL. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'));
}

/** Sent unencoded: encoding would change it. */
const rawText = fc.constantFrom(...nasty.filter((text) => text.startsWith('%') || text === '+'));

const wildText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...nasty) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.integer().map(String) },
  { weight: 1, arbitrary: fc.stringMatching(/^[~A-Za-z0-9,.;:_-]{1,30}$/) },
);

/** Names of existing objects: aircraft, airports, operators, types. */
const known = ['DLH3', '400025', 'EHAM', 'AMS', 'VIE', 'DLH', 'B738', 'A320', '7700'];

/** Values that a schema allows, including its limits. */
function fitting({ schema, example }: Parameter): fc.Arbitrary<string> {
  const { type, minimum, maximum, enum: values } = schema as { type?: string; minimum?: number; maximum?: number; enum?: unknown[] };
  if (values !== undefined) return fc.constantFrom(...values.map(String));
  if (type === 'boolean') return fc.constantFrom('true', 'false');
  const [low, high] = [minimum ?? -1e6, maximum ?? 1e6];
  if (type === 'integer')
    return fc.oneof(fc.integer({ min: Math.ceil(low), max: Math.floor(high) }), fc.constantFrom(low, high)).map(String);
  if (type === 'number') return fc.oneof(fc.double({ min: low, max: high, noNaN: true }), fc.constantFrom(low, high, 0)).map(String);
  const shown = String(example);
  const texts = [shown, shown.toUpperCase(), shown.toLowerCase(), `${shown},${shown}`, `${shown},${'b738,'.repeat(20)}a320`, `${shown} `];
  return fc.oneof(fc.constantFrom(...texts), fc.constantFrom(...known));
}

/** Just outside the limits, and valid values in a wrong form. */
function nearlyFitting(parameter: Parameter): fc.Arbitrary<string> {
  const { minimum, maximum } = parameter.schema as { minimum?: number; maximum?: number };
  const shown = String(parameter.example);
  const texts = [
    `${shown}.5`,
    `${shown}e1`,
    `-${shown}`,
    ` ${shown}`,
    `${shown},`,
    `,${shown}`,
    `${shown};${shown}`,
    shown.replace('.', ','),
    `${shown}\u0000`,
  ];
  const numbers = [minimum === undefined ? [] : [minimum - 1, minimum - 1e-9], maximum === undefined ? [] : [maximum + 1, maximum + 1e-9]];
  return fc.constantFrom(...texts, ...numbers.flat().map(String));
}

/** A value in URL form. */
function encodedValue(parameter: Parameter): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 12, arbitrary: fitting(parameter).map(encode) },
    { weight: 2, arbitrary: nearlyFitting(parameter).map(encode) },
    { weight: 3, arbitrary: wildText.map(encode) },
    { weight: 1, arbitrary: rawText },
  );
}

const unknownPair = fc
  .tuple(
    fc.oneof(fc.constantFrom('limt', 'Limit', 'lat[]', 'a.b', '__proto__', 'constructor', '', '%00', '%zz'), fc.string({ maxLength: 8 })),
    wildText,
  )
  .map(([name, value]) => `${name.startsWith('%') ? name : encode(name)}=${encode(value)}`);

/** `name=value`, sometimes twice, as an array, or without a value. */
function pair(parameter: Parameter): fc.Arbitrary<string> {
  const { name } = parameter;
  const value = encodedValue(parameter);
  return fc.oneof(
    { weight: 12, arbitrary: value.map((text) => `${name}=${text}`) },
    { weight: 1, arbitrary: fc.tuple(value, value).map(([one, other]) => `${name}=${one}&${name}=${other}`) },
    { weight: 1, arbitrary: value.map((text) => `${name}[]=${text}&${name}[0]=${text}`) },
    { weight: 1, arbitrary: fc.constantFrom(name, `${name}=`, `${name}==`, `${name.toUpperCase()}=1`) },
  );
}

/** The URL of the contract's example. */
export function exampleUrl(contract: Contract, path: string, operation: Operation): string {
  const inPath = contract.parametersOf(operation).filter((parameter) => parameter.in === 'path');
  return inPath.reduce((text, { name, example }) => text.replace(`{${name}}`, encode(String(example))), path);
}

/** URLs of an operation. The socket tests cover what `url` normalises (`.`, `..`, tabs). */
export function wildUrls(contract: Contract, path: string, operation: Operation): fc.Arbitrary<string> {
  const parameters = contract.parametersOf(operation);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true);
  const optional = parameters.filter((parameter) => parameter.in === 'query' && parameter.required !== true);
  const pathText = fc
    .tuple(...inPath.map((parameter) => encodedValue(parameter).filter((text) => !/^(\.|%2e){1,2}$/i.test(text))))
    .map((values) => inPath.reduce((text, { name }, i) => text.replace(`{${name}}`, () => values[i]!), path));
  const usually = (parameter: Parameter) => fc.option(pair(parameter), { nil: '', freq: 9 });
  const some = optional.length === 0 ? fc.constant([]) : fc.subarray([...optional], { maxLength: Math.min(4, optional.length) });
  const query = fc
    .tuple(
      fc.tuple(...required.map(usually)),
      some.chain((chosen) => fc.tuple(...chosen.map(pair))),
      fc.option(unknownPair, { nil: '', freq: 1 }).chain((text) => fc.constantFrom('', '', '', '', text)),
    )
    .map(([first, second, unknown]) => [...first, ...second, unknown].filter((text) => text !== '').join('&'));
  const slash = fc.constantFrom('', '', '', '/', '//');
  return fc.tuple(pathText, slash, query).map(([text, end, asked]) => `${text}${end}${asked === '' ? '' : `?${asked}`}`);
}
