// An ACAS advisory as the member `acas_ra` of an aircraft object: the members of readsb, and the position of the threat.
import type { AcasAdvisory } from '../../schemas/avro/aircraft-state.ts';

/** `count` bits of the report's seven bytes from bit `first`, as digits: the form that readsb's maps show. */
function bits(bytes: string, first: number, count: number): string {
  const all = Array.from(Buffer.from(bytes, 'hex'), (byte) => byte.toString(2).padStart(8, '0')).join('');
  return all.slice(first - 1, first - 1 + count);
}

/** `2021-04-05 00:07:16.0` */
function utc(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('T', ' ').slice(0, 21);
}

export function advisoryObject(advisory: AcasAdvisory): Record<string, unknown> {
  const { timeMs, df, bytes, threatHex, threatAltitudeFt, threatRangeDeciNm, threatBearingDeg } = advisory;
  return {
    utc: utc(timeMs),
    unix_timestamp: Math.round(timeMs / 10) / 100,
    df_type: df,
    bytes,
    ARA: bits(bytes, 9, 7),
    RAT: bits(bytes, 27, 1),
    MTE: bits(bytes, 28, 1),
    RAC: bits(bytes, 23, 4),
    advisory_complement: advisory.complement,
    advisory: advisory.advisory,
    TTI: bits(bytes, 29, 2),
    ...(threatHex === null ? {} : { threat_id_hex: threatHex }),
    ...(threatAltitudeFt === null ? {} : { threat_altitude: threatAltitudeFt }),
    ...(threatRangeDeciNm === null ? {} : { threat_range: threatRangeDeciNm / 10 }),
    ...(threatBearingDeg === null ? {} : { threat_bearing: threatBearingDeg }),
  };
}
