// The attackers of `slow-readers.ts`, forked: each asks again and again for 8 long lists of its own, in one write, and reads little of them.
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
const [list] = process.argv.slice(4) as [string];
const LISTS = 8;
/** A client reads a piece, at most 64 KB, and rests: at most 320 KB a second. */
const REST_MS = 200;
const AGAIN_MS = 500;

function attack(client: number): void {
  const paths = Array.from({ length: LISTS }, (_, i) => `${list}?min_altitude=${LISTS * client + i}`);
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');
  const socket = connect(port, '127.0.0.1', () => socket.write(requests));
  let responses = 0;
  socket.on('data', (bytes) => {
    responses += bytes.toString('latin1').split('HTTP/1.1 ').length - 1;
    if (responses >= LISTS) {
      responses = 0;
      socket.write(requests);
    }
    socket.pause();
    setTimeout(() => socket.resume(), REST_MS);
  });
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(() => attack(client), AGAIN_MS));
}

for (let client = 0; client < count; client += 1) attack(client);
process.on('disconnect', () => process.exit());
