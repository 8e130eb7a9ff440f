// Measures frame-to-/v2 latency from outside: a probe aircraft sends a new call sign as Beast over TCP and requests /v2/hex until it appears.
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BeastWriter } from '../../pipeline/ingest/beast-writer.ts';
import { encodeIdentification, PACKED_FLIGHT_BYTES, packFlight } from '../../pipeline/simulate/encode/squitter.ts';
import { createReceivedFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import { monotonicMs } from '../bench/push/clock.ts';

const POLL_MS = 10;
const SAMPLE_MS_MAX = 10_000;
export const PROBES = 8;
const RESPONSE_SHOWN = 200;
export const FIRST_PROBE_ADDRESS = 0x3f_f000;

/** When a change was shown, by `monotonicMs`; until then a text that says what is there instead. */
export type Shown = (hex: string, flight: string) => Promise<number | string> | number | string;

export interface Latencies {
  /** A change that is lost counts with the time after which it is given up. */
  readonly samplesMs: number[];
  readonly lost: number;
  /** What was there instead of the lost ones. */
  readonly instead: string;
}

/** One aircraft that keeps changing its call sign. */
class LatencyProbe implements Latencies {
  readonly samplesMs: number[] = [];
  lost = 0;
  instead = '';
  private readonly hex: string;
  private readonly address: number;
  private readonly socket: Socket;
  private readonly shown: Shown;

  constructor(port: number, address: number, shown: Shown) {
    this.address = address;
    this.hex = address.toString(16).padStart(6, '0');
    this.shown = shown;
    this.socket = connect(port, '127.0.0.1').resume();
    // A service that ends is noticed by others; here its samples are lost.
    this.socket.on('error', () => {});
  }

  /** Sends one change and waits for it; the time runs from the write until it is shown. */
  async sample(count: number): Promise<void> {
    const flight = `P${count.toString().padStart(7, '0')}`;
    const start = monotonicMs();
    let found: number | string = '';
    this.socket.write(callsignFrames(this.address, flight, count));
    while (monotonicMs() - start < SAMPLE_MS_MAX) {
      await sleep(POLL_MS);
      found = await this.shown(this.hex, flight);
      if (typeof found === 'number') break;
    }
    this.samplesMs.push(typeof found === 'number' ? found - start : SAMPLE_MS_MAX);
    if (typeof found === 'number') return;
    this.lost += 1;
    this.instead = this.socket.destroyed ? 'the service closed the connection to its feeder' : found;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** `/v2/hex` shows it. */
export function shownByHttp(port: number): Shown {
  const agent = new Agent({ keepAlive: true, maxSockets: PROBES });
  return (hex, flight) =>
    new Promise((resolve) => {
      const request = get({ port, host: '127.0.0.1', path: `/v2/hex/${hex}`, agent, timeout: SAMPLE_MS_MAX }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isShown = response.statusCode === 200 && text.includes(`"flight":"${flight}"`);
          resolve(isShown ? monotonicMs() : `/v2/hex responds with ${response.statusCode} ${text.slice(0, RESPONSE_SHOWN)}`);
        });
        response.on('close', () => resolve('a response of /v2/hex broke off'));
      });
      request.on('timeout', () => request.destroy());
      request.on('error', ({ message }) => resolve(`no response of /v2/hex: ${message}`));
    });
}

/** Latencies of some probes until it is over. */
export async function probed(
  listenPort: number,
  shown: Shown,
  isOver: () => boolean,
  { first = 0, count = PROBES } = {},
): Promise<Latencies> {
  const probes = Array.from({ length: count }, (_, i) => new LatencyProbe(listenPort, FIRST_PROBE_ADDRESS + first + i, shown));
  await Promise.all(
    probes.map(async (probe, i) => {
      // Spread out, at varying times within a tick.
      for (let turn = 1; !isOver(); turn += 1) {
        await sleep(100 + ((turn * 377 + i * 131) % 900));
        await probe.sample(turn);
      }
    }),
  );
  for (const probe of probes) probe.close();
  return {
    samplesMs: probes.flatMap(({ samplesMs }) => samplesMs),
    lost: probes.reduce((sum, { lost }) => sum + lost, 0),
    instead: probes.map(({ instead }) => instead).join(''),
  };
}

/** A call sign as Beast in two identical frames: an aircraft is listed from its second message on. */
function callsignFrames(address: number, flight: string, counter: number): Uint8Array {
  const packed = new Uint8Array(PACKED_FLIGHT_BYTES);
  packFlight(flight, packed, 0);
  const bytes = new Uint8Array(14);
  encodeIdentification(bytes, { df: 17, capability: 5, address }, 0xa3, packed, 0);
  const frame: ReceivedFrame = { ...createReceivedFrame(bytes), counter, signal: 100 };
  const writer = new BeastWriter();
  writer.add(frame);
  writer.add(frame);
  return writer.takeBytes();
}
