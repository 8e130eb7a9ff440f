// Golden frames of the binary profile, raw and deflated: what this version's decoder makes of them never changes. Encoders may change their
// bytes; `GOLDEN=write npx vitest run test/golden/push` adds frames of a new version and is refused for a released one.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AircraftDecoder, VERSION } from '../../push/codec/decoder.ts';
import { AircraftEncoder } from '../../push/codec/encoder.ts';
import { AircraftStreams } from '../../push/codec/model.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { bareState, CLIMB_ADVISORY, fullState, NOW_MS } from '../support/full-state.ts';
import { projectDir } from '../support/requirements.ts';
import { differences, everyIndex, listingOf } from '../support/wire-objects.ts';

const folder = join(projectDir, 'test/golden/push');
const STREAM = 'golden.world';
const encodings = ['raw', 'deflated'] as const;

/** The frames' content, by file. */
interface Expected {
  readonly file: string;
  readonly frame: unknown;
  /** All aircraft after the frame, by hex. */
  readonly aircraft: readonly unknown[];
}

/** Aircraft come and go, move, land, lose their position and their members; a tick without aircraft is between. */
function ticks(): { nowMs: number; states: AircraftState[] }[] {
  const moving = (i: number, nowMs: number, more: Partial<AircraftState> = {}): AircraftState => ({
    ...fullState(i),
    ...{
      seenMs: nowMs - 40,
      positionMs: nowMs - 100 * i,
      positionValid: true,
      groundSpeedDeciKt: i === 2 ? 4502 : 4501,
      trackCentideg: 8873,
    },
    ...more,
  });
  const at = (second: number): number => NOW_MS + 1000 * second;
  const bare = bareState('~3c6586', { seenMs: at(0), flight: 'ÄÖ "\\\u0001é' });
  const across = (longitudeMicrodeg: number): Partial<AircraftState> => ({
    hex: '4b1234',
    latitudeMicrodeg: 60_000_004,
    longitudeMicrodeg,
  });
  return [
    { nowMs: at(1), states: [moving(1, at(1)), moving(2, at(1)), moving(3, at(1), across(179_999_000)), bare] },
    {
      nowMs: at(2),
      states: [
        moving(1, at(2), { altitudeBaroFt: -75, onGround: true, groundSpeedDeciKt: 125, trackCentideg: 281 }),
        { ...moving(2, at(2)), positionValid: false, positionMs: at(-70), squawk: null, navModes: null },
        moving(3, at(2), { ...across(-179_998_400), acasRa: CLIMB_ADVISORY }),
        moving(4, at(2), { hex: 'ffffff', groundSpeedDeciKt: null, trackCentideg: null }),
      ],
    },
    { nowMs: at(2) + 1, states: [] },
    { nowMs: at(12), states: [moving(2, at(12), { latitudeMicrodeg: -90_000_000 }), moving(5, at(12), { mlatFields: 2 ** 31 + 5 })] },
  ];
}

function write(encoding: (typeof encodings)[number]): void {
  const encoder = new AircraftEncoder({ stream: STREAM, mayDeflate: encoding === 'deflated' });
  ticks().forEach(({ nowMs, states }, i) => {
    const { listing } = listingOf(states, nowMs);
    const delta = encoder.delta(41 + i, nowMs, listing, everyIndex(listing));
    writeFileSync(join(folder, `v${VERSION}-${encoding}-${i + 1}.bin`), i === 0 ? encoder.full() : delta);
  });
}

async function read(encoding: (typeof encodings)[number]): Promise<Expected[]> {
  const decoder = new AircraftDecoder();
  const model = new AircraftStreams();
  const found: Expected[] = [];
  for (let i = 1; existsSync(join(folder, `v${VERSION}-${encoding}-${i}.bin`)); i += 1) {
    const file = `v${VERSION}-${encoding}-${i}.bin`;
    const frame = (await decoder.decode(readFileSync(join(folder, file))))!;
    model.apply(frame);
    const aircraft = [...model.streams.get(STREAM)!.aircraft.values()].sort((a, b) => (a.hex < b.hex ? -1 : 1));
    found.push(structuredClone({ file, frame, aircraft }));
  }
  return found;
}

const expectedFile = join(folder, `v${VERSION}.json`);
if (process.env['GOLDEN'] === 'write') {
  if (existsSync(expectedFile)) throw new Error(`${expectedFile} exists: golden frames do not change`);
  for (const encoding of encodings) write(encoding);
  writeFileSync(expectedFile, `${JSON.stringify((await Promise.all(encodings.map(read))).flat(), null, 1)}\n`);
}

test.each(encodings)('golden frames, %s', async (encoding) => {
  const expected = (JSON.parse(readFileSync(expectedFile, 'utf8')) as Expected[]).filter(({ file }) => file.includes(`-${encoding}-`));
  expect(expected.length).toBe(ticks().length);
  // JSON has no undefined.
  expect(JSON.parse(JSON.stringify(await read(encoding)))).toEqual(expected);
});

test('the golden aircraft are those of /v2', async () => {
  for (const [i, { aircraft }] of (await read('raw')).entries()) {
    const { nowMs, states } = ticks()[i]!;
    const byHex = new Map((aircraft as { hex: string }[]).map((one) => [one.hex, one]));
    expect(differences(byHex, listingOf(states, nowMs).objects)).toEqual([]);
  }
});
