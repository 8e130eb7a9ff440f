// Traffic with every format: each format occurs, and each frame is decoded. test/sim/truth.test.ts compares its values with what was flown.
import { describe, expect, test } from 'vitest';
import { decodeFrame } from '../../../pipeline/decode/decode.ts';
import { KIND_ADVISORY, KIND_COARSE_POSITION, Message, REJECT_NONE } from '../../../pipeline/decode/message.ts';
import { createTraffic } from '../../../pipeline/simulate/traffic.ts';
import { rareFormats } from './rare.ts';

const START_US = 1_700_000_000_000_000;
const message = new Message();

/** The formats of the message by name; `controlField` is its CF, if it has one. */
function formatsOf(controlField: number): string[] {
  const { df, kind, typeCode, subtype, addressNonIcao } = message;
  const squitter = df === 17 || df === 18;
  return [
    `DF ${df}`,
    ...(df === 18 ? [`CF ${controlField}${addressNonIcao ? ' other address' : ''}`] : []),
    ...(squitter && kind !== KIND_COARSE_POSITION ? [`TC ${typeCode}${typeCode >= 23 ? `/${subtype}` : ''}`] : []),
    ...(typeCode === 31 ? [`version ${message.operationalStatus.version}`] : []),
    ...(kind === KIND_ADVISORY ? [`advisory in DF ${df}`] : []),
  ];
}

describe('traffic with every format', () => {
  test('is decoded; every downlink format, control field and type code occurs', () => {
    const traffic = createTraffic({ aircraft: 240, seed: 7, startUs: START_US, everyFormat: rareFormats });
    const wrong = new Set<string>();
    const formats = new Set<string>();
    traffic.advance(START_US + 40e6, (frame, i) => {
      decodeFrame(frame.bytes, frame.at, frame.byteLength, message);
      if (message.reject !== REJECT_NONE) wrong.add(`rejected ${message.reject}`);
      if (message.address !== traffic.fleet[i]!.address) wrong.add('address');
      for (const format of formatsOf(frame.bytes[frame.at]! & 7)) formats.add(format);
    });
    expect([...wrong]).toEqual([]);
    const expected = [
      ...['DF 0', 'DF 4', 'DF 5', 'DF 11', 'DF 16', 'DF 17', 'DF 18', 'DF 20', 'DF 21', 'DF 24'],
      ...['CF 0', 'CF 1 other address', 'CF 2', 'CF 2 other address', 'CF 3', 'CF 3 other address', 'CF 5 other address'],
      ...['CF 6', 'CF 6 other address', 'TC 0', 'TC 4', 'TC 11', 'TC 19', 'TC 20', 'TC 21', 'TC 23/7', 'TC 28/1', 'TC 28/2', 'TC 29/0'],
      ...['TC 29/1', 'TC 31/0', 'TC 31/1', 'version 1', 'version 2', 'advisory in DF 16', 'advisory in DF 17'],
    ];
    expect(expected.filter((format) => !formats.has(format))).toEqual([]);
  });
});
