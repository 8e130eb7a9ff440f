// A group member as a child process: copies every frames record to positions, some records per commit, and prints what it does.
// Argument: options of `openKafkaLog` as JSON. Ends with status 1 when its member fails, so that the parent can start another.
import type { GroupHandler } from '../../pipeline/log/event-log.ts';
import { type KafkaLogOptions, openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import type { SquitterError } from '../../schemas/errors.ts';

const RECORDS_PER_COMMIT = 10;
const GROUP = 'copiers';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const log = await openKafkaLog(JSON.parse(process.argv[2]!) as KafkaLogOptions);
const committedAt = new Map<number, number>();

const handler: GroupHandler = {
  async assigned(partition, committed) {
    const from = committed ?? (await log.bounds('frames', partition)).earliest;
    committedAt.set(partition, from);
    print(`assigned ${partition} ${from}`);
    return from;
  },
  async batch({ partition, records }) {
    for (let at = 0; at < records.length; at += RECORDS_PER_COMMIT) {
      const some = records.slice(at, at + RECORDS_PER_COMMIT);
      const nextOffset = some.at(-1)!.offset + 1;
      const outputs = [{ topic: 'positions' as const, partition, records: some }];
      await log.commit({ group: GROUP, topic: 'frames', partition, fromOffset: committedAt.get(partition)!, nextOffset, outputs });
      committedAt.set(partition, nextOffset);
      print(`committed ${partition} ${nextOffset}`);
    }
  },
  async revoked(partition) {
    print(`revoked ${partition}`);
  },
};

const member = await log.join(GROUP, 'frames', handler);
print('joined');
process.on('SIGTERM', () => void member.leave());
await member.done.then(
  () => print('left'),
  (error: SquitterError) => {
    print(`failed ${error.code} ${error.message}`);
    process.exitCode = 1;
  },
);
await log.close();
