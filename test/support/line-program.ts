// A program for tests of `squitter verify` that reads Beast and sends a JSON line per position, as readsb does with --net-json-port. It dates frames by
// their counters, which have the time of sending: on a busy machine it reads them late, in bursts.
import { createServer, type Server, type Socket } from 'node:net';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { BEAST_TICKS_PER_US } from '../../pipeline/ingest/beast-writer.ts';
import { createParser } from '../../pipeline/ingest/detect.ts';
import { createEventClock } from '../../pipeline/ingest/event-clock.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { COUNTED_US } from '../../pipeline/tools/verify/run.ts';
import { aircraftObject } from '../../pipeline/view/plain.ts';

type Line = Record<string, unknown>;

export interface LineProgram {
  readonly beastPort: number;
  readonly linesPort: number;
  close(): void;
}

/** `spoil` changes a line before it is sent; null leaves it out. */
export async function startLineProgram(spoil: (line: Line) => Line | null = (line) => line): Promise<LineProgram> {
  const { nowUs } = createEventClock();
  const fold = new PartitionFold({ tickMs: 1000, receiver: null });
  const outcome = createFrameOutcome();
  const sockets = new Set<Socket>();
  const readers = new Set<Socket>();
  const parser = createParser('beast', { counters: new Counters() });
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => readers.delete(socket));
  };
  const beast = createServer((socket) => {
    keep(socket);
    socket.on('data', (chunk: Buffer) =>
      parser.push(chunk, nowUs(), {
        frame({ bytes, at, byteLength, timeUs: arrivalUs, counter, signal, flags }) {
          const countedUs = counter / BEAST_TICKS_PER_US;
          const timeUs = countedUs + COUNTED_US * Math.round((arrivalUs - countedUs) / COUNTED_US);
          fold.advance(timeUs, null);
          fold.applyFrame({ bytes, at, byteLength, timeUs, signal, flags }, fold.receiverNumber('here'), outcome);
          if (!outcome.positionAccepted) return;
          const nowMs = Math.floor(timeUs / 1000);
          const line = spoil({ now: nowMs / 1000, ...aircraftObject(fold.state(outcome.slot, nowMs), nowMs, 'readsb') });
          if (line !== null) for (const reader of readers) reader.write(`${JSON.stringify(line)}\n`);
        },
      }),
    );
  });
  const lines = createServer((socket) => {
    keep(socket);
    socket.resume();
    readers.add(socket);
  });
  return {
    beastPort: await portOf(beast),
    linesPort: await portOf(lines),
    close() {
      for (const socket of sockets) socket.destroy();
      beast.close();
      lines.close();
    },
  };
}

function portOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)));
}
