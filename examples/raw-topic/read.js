// Prints the raw frames of a Squitter cluster, oldest first: partition,offset,index,time in µs,receiver,frame.
//   npm install kafkajs @kafkajs/confluent-schema-registry
//   node read.js localhost:9092 http://localhost:8085/apis/ccompat/v7
import { createRequire } from 'node:module';
import zlib from 'node:zlib';
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import kafkajs from 'kafkajs';

const [brokers = 'localhost:9092', host = 'http://localhost:8085/apis/ccompat/v7'] = process.argv.slice(2);
// Node has zstd from 22.15 on; older versions need a package.
const addon = zlib.zstdDecompressSync ? null : createRequire(import.meta.url)('@toondepauw/node-zstd-linux-x64-gnu');
const decompress = async (bytes) => (addon === null ? zlib.zstdDecompressSync(bytes) : new addon.Decoder().decodeSync(bytes));
kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({ decompress });

const registry = new SchemaRegistry({ host });
// logLevel 1: errors only, on standard error.
const consumer = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: 1 }).consumer({ groupId: `raw-${Date.now()}` });

async function eachMessage({ partition, message: { offset, value } }) {
  const { baseTimeUs, receivers, count, frames } = await registry.decode(value);
  for (let i = 0, at = 0; i < count; i += 1, at += 28) {
    const frame = frames.toString('hex', at + 14, at + ((frames[at + 11] & 1) === 1 ? 28 : 21));
    console.log([partition, offset, i, baseTimeUs + frames.readUInt32LE(at), receivers[frames.readUInt16LE(at + 12)], frame].join());
  }
}

await consumer.connect();
await consumer.subscribe({ topic: 'adsb.frames.v1', fromBeginning: true });
await consumer.run({ eachMessage });
