// The head of a segment file: its log, topic and partition.
import { crc32 } from 'node:zlib';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import { olderFormat } from './rows.ts';

export interface SegmentHead {
  /** Id of the log that wrote the segment. */
  readonly log: string;
  readonly segment: number;
  readonly topic: TopicId;
  readonly partition: number;
}

// 0 "SQSG"   4 u16 LE version (3)   6 u16 LE bytes of the text   8 u32 LE checksum of the text   12 the head as JSON   up to 256 zeros
const MAGIC = Buffer.from('SQSG');
const VERSION = 3;
const TEXT_AT = 12;
export const SEGMENT_HEAD_BYTES = 256;

export function segmentHead(head: SegmentHead): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEAD_BYTES);
  const text = Buffer.from(JSON.stringify(head));
  MAGIC.copy(bytes);
  bytes.writeUInt16LE(VERSION, 4);
  bytes.writeUInt16LE(text.length, 6);
  bytes.writeUInt32LE(crc32(text), 8);
  if (text.copy(bytes, TEXT_AT) < text.length) throw new RangeError('a segment head is too long');
  return bytes;
}

/** Reads the head of a segment of the log in `path`; null if the bytes are not a head or are damaged. Error: `log.older_format`. */
export function readSegmentHead(path: string, bytes: Buffer): SegmentHead | null {
  if (bytes.length < SEGMENT_HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  const version = bytes.readUInt16LE(4);
  if (version < VERSION) throw olderFormat(path, version);
  if (version > VERSION) return null;
  const text = bytes.subarray(TEXT_AT, TEXT_AT + bytes.readUInt16LE(6));
  if (crc32(text) !== bytes.readUInt32LE(8)) return null;
  const head = JSON.parse(text.toString()) as SegmentHead;
  return topics[head.topic] === undefined ? null : head;
}
