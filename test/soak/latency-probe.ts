// Measures frame-to-/v2 latency from outside: a probe aircraft sends a new call sign as Beast over TCP and requests /v2/hex until it appears.

import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BeastWriter } from '../../pipeline/ingest/beast-writer.ts';
import { encodeIdentification, PACKED_FLIGHT_BYTES, packFlight } from '../../pipeline/simulate/encode/squitter.ts';
import { createReceivedFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';

const POLL_MS = 10;
const SAMPLE_MS_MAX = 10_000;
const PROBES = 8;
export const FIRST_PROBE_ADDRESS = 0x3f_f000;

export interface ProbeTarget {
  readonly httpPort: number;
  readonly listenPort: number;
}

/** One aircraft that keeps changing its call sign. */
export class LatencyProbe {
  readonly samplesMs: number[] = [];
  lost = 0;
  private readonly target: ProbeTarget;
  private readonly address: number;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private socket: Socket | null = null;
  private count = 0;

  constructor(target: ProbeTarget, address: number) {
    this.target = target;
    this.address = address;
  }

  async open(): Promise<void> {
    this.socket = connect(this.target.listenPort, '127.0.0.1');
    this.socket.resume();
    // A service that ends is noticed by others; here its samples are lost.
    this.socket.on('error', () => {});
    await once(this.socket, 'connect');
  }

  /** Sends one change and waits for it; the time runs from the write to the response that contains it. */
  async sample(): Promise<void> {
    this.count += 1;
    const flight = `P${this.count.toString().padStart(7, '0')}`;
    const start = performance.now();
    this.socket!.write(callsignFrames(this.address, flight, this.count));
    while (performance.now() - start < SAMPLE_MS_MAX) {
      await sleep(POLL_MS);
      if ((await this.shownFlight()) !== flight) continue;
      this.samplesMs.push(performance.now() - start);
      return;
    }
    this.lost += 1;
  }

  close(): void {
    this.socket?.destroy();
    this.agent.destroy();
  }

  /** Undefined also without a response. */
  private shownFlight(): Promise<string | undefined> {
    const path = `/v2/hex/${this.address.toString(16).padStart(6, '0')}`;
    const to = { port: this.target.httpPort, host: '127.0.0.1', path, agent: this.agent, timeout: SAMPLE_MS_MAX };
    return new Promise((resolve) => {
      const request = get(to, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body = JSON.parse(Buffer.concat(chunks).toString()) as { ac?: { flight?: string }[] };
          resolve(body.ac?.[0]?.flight);
        });
        response.on('close', () => resolve(undefined));
      });
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(undefined));
    });
  }
}

/** Latencies of eight probes until it is over, ms. */
export async function probed(target: ProbeTarget, isOver: () => boolean): Promise<{ readonly samplesMs: number[]; readonly lost: number }> {
  const probes = Array.from({ length: PROBES }, (_, i) => new LatencyProbe(target, FIRST_PROBE_ADDRESS + i));
  for (const probe of probes) await probe.open();
  await Promise.all(
    probes.map(async (probe, i) => {
      // Spread out, at varying times within a tick.
      for (let turn = 0; !isOver(); turn += 1) {
        await sleep(100 + ((turn * 377 + i * 131) % 900));
        await probe.sample();
      }
    }),
  );
  for (const probe of probes) probe.close();
  return { samplesMs: probes.flatMap(({ samplesMs }) => samplesMs), lost: probes.reduce((sum, { lost }) => sum + lost, 0) };
}

/** A call sign as Beast in two identical frames: an aircraft is listed from its second message on. */
export function callsignFrames(address: number, flight: string, counter: number): Uint8Array {
  const packed = new Uint8Array(PACKED_FLIGHT_BYTES);
  packFlight(flight, packed, 0);
  const bytes = new Uint8Array(14);
  encodeIdentification(bytes, 0, { df: 17, capability: 5, address }, 0xa3, packed, 0);
  const frame: ReceivedFrame = { ...createReceivedFrame(bytes), counter, signal: 100 };
  const writer = new BeastWriter();
  writer.add(frame);
  writer.add(frame);
  return writer.takeBytes();
}
