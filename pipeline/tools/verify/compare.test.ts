// The comparison rule: equal at their time, near within the slack, else a difference; cases, clocks, positions, aircraft.
import { describe, expect, it } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { createReceivedFrame, type ReceivedFrame } from '../../../schemas/packed-frame.ts';
import { encodeGroundVelocity } from '../../simulate/encode/motion.ts';
import { encodeAirbornePosition, type SquitterHeader } from '../../simulate/encode/squitter.ts';
import { Comparer, type ComparerOptions } from './compare.ts';
import { type OurPosition, Tracker } from './ours.ts';
import { reasonFor } from './reasons.ts';
import { buildReport, type FieldReport, type Report, reportText } from './report.ts';
import { readResponse } from './theirs.ts';

const HEX = '485020';
/** 159.2 kt towards 182.88 degrees, geometric rate -832 ft/min. */
const VELOCITY = '8d485020994409940838175b284f';
const T0_MS = 1_700_000_000_000;

function frame(hex: string, timeMs: number, receiver: number): ReceivedFrame {
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
  return { ...createReceivedFrame(bytes), timeUs: timeMs * 1000, receiver };
}

class Bench {
  readonly comparer: Comparer;
  private rows = 0;

  constructor(options: Partial<ComparerOptions> = {}) {
    this.comparer = new Comparer({ receiver: null, slackMs: 500, offsetMs: 0, settleMs: 0, fieldsIgnored: new Set(), ...options });
  }

  hear(hex: string, timeMs: number, receiver = 0): this {
    this.comparer.advanceTo(T0_MS + timeMs);
    this.comparer.frame(frame(hex, T0_MS + timeMs, receiver), this.rows);
    this.rows += 1;
    return this;
  }

  /** Airborne positions, even and odd in turn. */
  fly(count: number, { df = 17, capability = 5, from = 0, stepMs = 1000, latDeg = 52, north = 0, lonDeg = 4, east = 0.003 } = {}): this {
    const bytes = new Uint8Array(14);
    const header = { df, capability, address: 0x485020 } as SquitterHeader;
    const fixed = { typeCode: 11, surveillanceStatus: 0, nicB: 0, gillham: false, altitudeFt: 30_000 };
    for (let i = from; i < from + count; i += 1) {
      const position = { odd: i % 2 === 1, latDeg: latDeg + i * north, lonDeg: lonDeg + i * east };
      encodeAirbornePosition(bytes, header, { ...fixed, ...position });
      this.hear(Buffer.from(bytes).toString('hex'), i * stepMs);
    }
    return this;
  }

  /** A list of aircraft, or a line of one. */
  response(timeMs: number, ...aircraft: Record<string, unknown>[]): this {
    return this.offer(timeMs, { aircraft });
  }

  offer(timeMs: number, members: Record<string, unknown>): this {
    this.comparer.offer(readResponse(JSON.stringify({ now: (T0_MS + timeMs) / 1000, ...members }), 'test', 0));
    return this;
  }

  report(): Report {
    this.comparer.end();
    return buildReport({ comparer: this.comparer, frames: 'f', theirs: 't', program: null, slackMs: 500, failures: 0, shareMin: 1 });
  }
}

function field(report: Report, name: string): FieldReport {
  return report.fields.find(({ field }) => field === name)!;
}

describe('fields', () => {
  it('are equal when ours is theirs at their time', () => {
    const report = new Bench().hear(VELOCITY, 0).response(1000, { hex: HEX, gs: 159.2, track: 182.88, geom_rate: -832 }).report();
    expect(field(report, 'gs')).toMatchObject({ compared: 1, equal: 1 });
    expect(field(report, 'track')).toMatchObject({ equal: 1 });
    expect(field(report, 'geom_rate')).toMatchObject({ equal: 1 });
  });

  it('are near when ours came within the slack, before or after', () => {
    const report = new Bench().response(-400, { hex: HEX, gs: 159.2 }).hear(VELOCITY, 0).report();
    expect(field(report, 'gs')).toMatchObject({ equal: 0, near: 1, different: 0 });
  });

  it('are a difference otherwise: one case however often it is reported, with our frame', () => {
    const bench = new Bench().hear(VELOCITY, 0);
    for (let timeMs = 1000; timeMs < 5000; timeMs += 1000) bench.response(timeMs, { hex: HEX, gs: 170 });
    const report = bench.report();
    expect(field(report, 'gs')).toMatchObject({ different: 4, cases: 1 });
    expect(report.passed).toBe(false);
    expect(report.cases.find((item) => item.field === 'gs')).toMatchObject({
      hex: HEX,
      theirs: 170,
      ours: 159.2,
      timeMs: T0_MS + 1000,
      frame: { row: 0, hex: VELOCITY },
    });
    expect(reportText(report)).toMatch(/485020 {2}gs: theirs 170, ours 159.2\n.*by frame 0, 8d485020994409940838175b284f/);
  });

  it('expire on time, also without further frames', () => {
    const at = (timeMs: number): FieldReport =>
      field(new Bench().hear(VELOCITY, 0).response(30_000, { hex: HEX, gs: 159.2 }).response(timeMs, { hex: HEX }).report(), 'gs');
    expect(at(59_000)).toMatchObject({ equal: 1, onlyOurs: 1 });
    expect(at(62_000)).toMatchObject({ equal: 1, onlyOurs: 0, compared: 1 });
  });

  it('may be as old as their last message, by its age or by their count', () => {
    const bytes = new Uint8Array(14);
    const velocity = { eastKt: 100, northKt: 0, imf: 0, nacV: 1, rateFpm: 0, rateBaro: true, geomDeltaFt: Number.NaN };
    encodeGroundVelocity(bytes, { df: 17, capability: 5, address: 0x485020 }, velocity);
    const later = Buffer.from(bytes).toString('hex');
    const at = (aircraft: Record<string, unknown>): FieldReport =>
      field(
        new Bench()
          .hear(VELOCITY, 0)
          .hear(later, 1000)
          .response(2200, { hex: HEX, track: 182.88, ...aircraft })
          .report(),
        'track',
      );
    expect(new Bench().hear(VELOCITY, 0).hear(later, 1000).comparer.ours.trackers.get(HEX)!.messages).toBe(2);
    expect(at({ messages: 1 })).toMatchObject({ near: 1 });
    expect(at({ messages: 2 })).toMatchObject({ near: 0 });
    expect(at({ seen: 2 })).toMatchObject({ near: 1 });
  });

  it('that are those of the same frames from one receiver have a reason', () => {
    const report = new Bench()
      .hear(VELOCITY, 0)
      .hear(VELOCITY, 5, 1)
      .response(1000, { hex: HEX, messages: 2 })
      .response(2000, { hex: HEX, messages: 3 })
      .report();
    expect(field(report, 'messages')).toMatchObject({ different: 2, explained: 1 });
    expect(report.reasons).toEqual([{ reason: expect.stringMatching(/^ours drops what other receivers have passed on/), count: 1 }]);
  });

  it('that theirs never contains are named and not counted, and some can be ignored', () => {
    const report = new Bench({ fieldsIgnored: new Set(['track']) })
      .hear(VELOCITY, 0)
      .response(1000, { hex: HEX, gs: 159.2, track: 1, messages: 1 })
      .report();
    expect(report.neverGivenByTheirs).toContain('geom_rate');
    expect(report.fields.map(({ field }) => field)).toEqual(['gs', 'messages']);
    expect(report.passed).toBe(true);
  });
});

describe('aircraft', () => {
  it('on one side only are named', () => {
    const report = new Bench()
      .hear(VELOCITY, 0)
      .hear(VELOCITY, 900)
      .hear('8d4840d6202cc371c32ce0576098', 1000)
      .response(2000, { hex: '4840d6' }, { hex: 'abcdef' })
      .report();
    expect(report.aircraft).toMatchObject({ both: { names: ['4840d6'] }, onlyTheirs: { names: ['abcdef'] }, onlyOurs: { names: [HEX] } });
  });
});

describe('positions', () => {
  /** North at 240 kt: 62 m every half second. */
  const north = { stepMs: 500, latDeg: 50, north: 0.000555, lonDeg: 8, east: 0 };
  /** Lines with our positions, as `change` changes them; null: without it. */
  const lines = (bench: Bench, change: (position: OurPosition, i: number) => object | null = () => ({})): Bench => {
    bench.fly(16, north);
    [...bench.comparer.ours.trackers.get(HEX)!.positions].forEach((position, i) => {
      const { timeMs, lat, lon } = position;
      const changed = change(position, i);
      if (changed !== null) bench.offer(timeMs - T0_MS, { hex: HEX, lat, lon, seen_pos: 0, ...changed });
    });
    return bench;
  };

  it('match one by one, with distances', () => {
    const report = lines(new Bench()).report();
    expect(report.positions).toMatchObject({ far: 0, onlyTheirs: 0, onlyOurs: 0, metres: { largest: 0 } });
    expect(report.positions.matched).toBeGreaterThan(8);
  });

  it('that are far apart, or on one side only, are differences', () => {
    const bench = lines(new Bench(), ({ lat }, i) => (i === 2 ? null : i === 4 ? { lat: lat + 0.01 } : {}));
    const { positions, cases } = bench.report();
    expect(positions).toMatchObject({ far: 1, onlyTheirs: 0, onlyOurs: 1 });
    expect(positions.metres.largest).toBeCloseTo(1112, 0);
    expect(cases.filter(({ field }) => field === 'lat,lon').map(({ outcome }) => outcome)).toEqual(['different', 'onlyOurs']);
  });

  it('give the clock difference when --offset is absent', () => {
    const bench = lines(new Bench({ offsetMs: null }), ({ timeMs }) => ({ now: (timeMs + 3200) / 1000 }));
    bench.comparer.advanceTo(T0_MS + 8000);
    expect(bench.comparer.offsetMs).toBe(3200);
    expect(bench.report().positions).toMatchObject({ far: 0, onlyTheirs: 0, onlyOurs: 0 });
  });
});

describe('reasons', () => {
  it('of an unproven position also explain its accuracy and the kind of the aircraft', () => {
    const bench = new Bench().fly(2);
    const { lat, lon } = bench.comparer.ours.trackers.get(HEX)!.refused[0]!;
    const report = bench.response(1200, { hex: HEX, lat, lon, nic: 8, rc: 186, type: 'adsr_icao', seen_pos: 0.2 }).report();
    for (const name of ['nic', 'rc', 'type']) expect(field(report, name), name).toMatchObject({ explained: 1 });
    expect(report.passed).toBe(true);
  });

  it('of TIS-B: no accuracy is inferred from type codes', () => {
    const reported = { hex: HEX, nac_p: 8, sil: 2, sil_type: 'unknown' };
    const report = new Bench().fly(6, { df: 18, capability: 2 }).response(5200, reported).report();
    for (const name of ['nac_p', 'sil', 'sil_type']) expect(field(report, name), name).toMatchObject({ explained: 1 });
    expect(report.passed).toBe(true);
    expect(
      new Bench()
        .fly(6)
        .response(5200, { ...reported, nac_p: 3 })
        .report().passed,
    ).toBe(false);
  });

  it('of an aircraft out of the range of readsb: what a position changes, and nothing else', () => {
    const far = { receiver: { lat: 40.5, lon: -3.5 } };
    const reported = { hex: HEX, type: 'mode_s', messages: 0 };
    const report = (options: Partial<ComparerOptions>, more = {}): Report =>
      new Bench(options)
        .fly(6)
        .response(5200, { ...reported, ...more })
        .report();
    for (const name of ['type', 'messages']) expect(field(report(far), name), name).toMatchObject({ explained: 1 });
    expect(report(far).passed).toBe(true);
    expect(report(far, { squawk: '1000' }).passed).toBe(false);
    expect(report({ receiver: { lat: 50, lon: 4 } }).passed).toBe(false);
  });

  it('of a receiver with six impossible positions: what theirs had before, and nothing newer', () => {
    const bench = new Bench().fly(6).fly(8, { from: 6, latDeg: 53, lonDeg: 4.1 });
    bench.hear(VELOCITY, 14_000);
    const report = bench.response(15_000, { hex: HEX, messages: 3 }).response(16_000, { hex: HEX, messages: 3, gs: 100 }).report();
    expect(field(report, 'messages')).toMatchObject({ different: 2, explained: 2 });
    expect(field(report, 'gs')).toMatchObject({ onlyOurs: 1, different: 1, explained: 1 });
  });

  it('of a computed value is looked for in few combinations, however many values came', () => {
    const tracker = new Tracker(HEX, 0);
    for (const name of ['tas', 'gs', 'track', 'true_heading'])
      for (let i = 0; i < limits.verifyHistoryMax; i += 1) tracker.timeline(name).add({ timeMs: i, value: 100 + i, frame: null }, 0);
    const aircraft = readResponse(JSON.stringify({ now: 1, aircraft: [{ hex: HEX }] }), 'test', 0).aircraft[0]!;
    const found = { field: 'wind', outcome: 'different', theirs: '1° 249 kt', ours: '180° 3 kt', aircraft, tracker } as const;
    expect(reasonFor({ ...found, asOne: null, timeMs: 500, slackMs: 500, receiver: null, impossible: [] })).toBeNull();
  });

  it('of a calculated track: the bearing from 0 N 0 E alone', () => {
    const track = (calc_track: number): Report => new Bench().fly(6).response(5200, { hex: HEX, calc_track }).report();
    expect(field(track(2), 'calc_track')).toMatchObject({ explained: 1 });
    expect(field(track(20), 'calc_track')).toMatchObject({ explained: 0 });
  });
});

it('refuses more responses than the queue can hold', () => {
  const { comparer } = new Bench();
  const response = readResponse('{"now":2e9,"aircraft":[]}', 'test', 0);
  for (let i = 0; i < limits.verifyResponsesWaitingMax; i += 1) comparer.offer(response);
  expect(() => comparer.offer(response)).toThrow(/--offset/);
});

it('reports why nothing could be compared', () => {
  expect(() => new Bench().hear(VELOCITY, 0).response(1000, { hex: 'abcdef' }).report()).toThrow(/same frames/);
});
