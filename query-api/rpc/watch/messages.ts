// Messages WatchAircraftResponse of one tick, in pieces of bounded size: `complete` is in the first piece of a state.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { limits } from '../../../schemas/limits.ts';

// Field numbers; a test compares them with the .proto file.
const AIRCRAFT = 1;
const REMOVED = 2;
const SOURCE_TIME = 3;
const COMPLETE = 4;
/** Tag and length of a record. */
const HEAD_BYTES = 3;

export class MessagePieces {
  private readonly sourceTimeS: number;
  private isComplete: boolean;
  private writer = new BinaryWriter();
  private bytes = 0;
  private readonly pieces: Buffer[] = [];

  /** With `isComplete` the pieces are a whole state. */
  constructor(sourceTimeS: number, isComplete: boolean) {
    this.sourceTimeS = sourceTimeS;
    this.isComplete = isComplete;
  }

  add(record: Uint8Array): void {
    this.writer.tag(AIRCRAFT, WireType.LengthDelimited).bytes(record);
    this.grow(record.length + HEAD_BYTES);
  }

  remove(hex: string): void {
    this.writer.tag(REMOVED, WireType.LengthDelimited).string(hex);
    this.grow(hex.length + HEAD_BYTES);
  }

  /** All pieces; at least one, so that a client sees that time goes on. */
  finish(): readonly Buffer[] {
    if (this.bytes > 0 || this.pieces.length === 0) this.close();
    return this.pieces;
  }

  private grow(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes >= limits.recordWatchPieceBytes) this.close();
  }

  private close(): void {
    this.writer.tag(SOURCE_TIME, WireType.Bit64).double(this.sourceTimeS);
    if (this.isComplete) this.writer.tag(COMPLETE, WireType.Varint).bool(true);
    this.isComplete = false;
    const { buffer, byteOffset, length } = this.writer.finish();
    this.pieces.push(Buffer.from(buffer, byteOffset, length));
    this.writer = new BinaryWriter();
    this.bytes = 0;
  }
}
