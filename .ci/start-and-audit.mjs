// `npm start` in a folder: it comes up, answers /readyz and /v2/all with aircraft, ends in order; then `squitter audit` proves what it wrote.
import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const [data] = process.argv.slice(2);
const AIRCRAFT = 50;
const LIVE_MS_MAX = 180_000;

const flags = [
  '--data',
  data,
  '--http',
  '127.0.0.1:0',
  '--listen',
  '127.0.0.1:0',
  '--push',
  '127.0.0.1:0',
  '--grpc',
  '127.0.0.1:0',
  '--simulate',
  String(AIRCRAFT),
];
const service = spawn('npm', ['start', '--', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
let text = '';
for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => (text += chunk));
const ended = new Promise((resolve) => service.once('exit', (code, signal) => resolve(code ?? signal)));

const deadline = performance.now() + LIVE_MS_MAX;
async function until(what, read) {
  for (;;) {
    const value = await read();
    if (value) return value;
    if (service.exitCode !== null || performance.now() > deadline) fail(`${what}: not within ${LIVE_MS_MAX / 1000} s`);
    await sleep(200);
  }
}
function fail(reason) {
  process.stderr.write(`ci: ${reason}\n${text}\n`);
  service.kill('SIGKILL');
  process.exit(1);
}

const url = await until('the service is live', () => /Squitter is live at +(http:\/\/\S+)\//.exec(text)?.[1]);
const ready = await fetch(`${url}/readyz`);
if (ready.status !== 200) fail(`/readyz answers ${ready.status}`);
const aircraft = await until('aircraft with positions are listed', async () => {
  const { ac } = await (await fetch(`${url}/v2/all`)).json();
  return ac.filter(({ lat }) => lat !== undefined).length;
});
service.kill('SIGTERM');
const how = await ended;
if (how !== 0) fail(`the service ended with ${how}`);
const audit = spawnSync('npm', ['run', '-s', 'squitter', '--', 'audit', '--data', data], { encoding: 'utf8' });
if (audit.status !== 0 || !/^audit: equal/m.test(audit.stdout)) fail(`the audit failed: ${audit.stdout}${audit.stderr}`);
process.stdout.write(
  `ci: npm start: ready, ${aircraft} aircraft with positions, ended in order; ${/^audit: .*$/m.exec(audit.stdout)[0]}\n`,
);
