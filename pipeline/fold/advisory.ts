// The last ACAS advisory of an aircraft: its seven bytes and the format it came in, shown for 15 s.
import type { AcasAdvisory } from '../../schemas/avro/aircraft-state.ts';
import { advisoryText, complementText, decodeAdvisory, isAdvisory } from '../decode/advisory.ts';
import { ABSENT, Advisory } from '../decode/message.ts';
import type { Aircraft } from './aircraft.ts';
import { X_ADVISORY, X_ADVISORY_TIME } from './layout.ts';

/** How long an advisory is shown. Reports come every second while it lasts, and for 18 s after its end. */
export const ADVISORY_MS = 15_000;

const REPORT_BYTES = 7;
const DF_AIR_AIR = 16;

/** Takes the report of this frame. A report without an advisory is ignored. */
export function foldAdvisory(aircraft: Aircraft, report: Uint8Array, df: number): void {
  const { words, bytes, at, byte, now } = aircraft;
  if (now < words[at + X_ADVISORY_TIME]! || !isAdvisory(report, 0)) return;
  words[at + X_ADVISORY_TIME] = now;
  const to = byte + 4 * X_ADVISORY;
  for (let i = 0; i < REPORT_BYTES; i += 1) bytes[to + i] = report[i]!;
  bytes[to + REPORT_BYTES] = df;
}

export function isAdvisoryValid(aircraft: Aircraft): boolean {
  return aircraft.now - aircraft.words[aircraft.at + X_ADVISORY_TIME]! <= ADVISORY_MS;
}

/** The advisory as it is in the state; null when there is none. */
export function advisoryOf(aircraft: Aircraft): AcasAdvisory | null {
  if (!isAdvisoryValid(aircraft)) return null;
  const { words, bytes, at, byte } = aircraft;
  const from = byte + 4 * X_ADVISORY;
  const report = bytes.subarray(from, from + REPORT_BYTES);
  const df = bytes[from + REPORT_BYTES]!;
  const advisory = new Advisory();
  decodeAdvisory(report, 0, df !== DF_AIR_AIR, advisory);
  const { threatAddress, threatAltitudeFt, threatRangeDeciNm, threatBearingDeg } = advisory;
  return {
    timeMs: aircraft.timeBaseMs + words[at + X_ADVISORY_TIME]!,
    df,
    bytes: Buffer.from(report).toString('hex').toUpperCase(),
    advisory: advisoryText(advisory),
    complement: complementText(advisory),
    threatHex: threatAddress === ABSENT ? null : threatAddress.toString(16).padStart(6, '0'),
    threatAltitudeFt: orNull(threatAltitudeFt),
    threatRangeDeciNm: orNull(threatRangeDeciNm),
    threatBearingDeg: orNull(threatBearingDeg),
  };
}

function orNull(value: number): number | null {
  return value === ABSENT ? null : value;
}
