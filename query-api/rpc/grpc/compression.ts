// Compressed responses. The library sends none, so their bytes mark themselves as compressed in the frame that it makes of them.
import { gzipSync } from 'node:zlib';
import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import { limits } from '../../../schemas/limits.ts';

/** Says behind the library, which removes the headers of compression, that the response may be compressed. */
const MARK = 'squitter-compress';
const LEVEL = 1;
const COMPRESSED = 1;

type RequestHeaders = Record<string, string | string[] | undefined>;

/** Marks a request whose client compresses its own messages and accepts gzip: it gets compressed responses, as from other implementations of gRPC. */
export function markRequest(headers: RequestHeaders): void {
  delete headers[MARK];
  const used = headers['grpc-encoding'];
  if (used === undefined || used === 'identity') return;
  if (/(^|[ ,])gzip($|[ ,])/.test(String(headers['grpc-accept-encoding'] ?? ''))) headers[MARK] = 'gzip';
}

type Call = Pick<ServerUnaryCall<Buffer, Buffer>, 'metadata' | 'sendMetadata'>;

/** True when the client asked for compressed responses. */
export function compresses({ metadata }: Pick<Call, 'metadata'>): boolean {
  return metadata.get(MARK).length > 0;
}

/** Announces compressed responses. */
export function announceCompression(call: Call): void {
  const headers = new Metadata();
  headers.set('grpc-encoding', 'gzip');
  call.sendMetadata(headers);
}

/** The message compressed, or as it is if it is small. */
export function compressed(message: Buffer): Buffer {
  return message.length < limits.recordCompressBytesMin ? message : marked(gzipSync(message, { level: LEVEL }));
}

/** The same for a message that many streams share, with what was made of such messages. */
export function compressedOnce(message: Buffer, made: WeakMap<Buffer, Buffer>): Buffer {
  let bytes = made.get(message);
  if (bytes === undefined) {
    bytes = compressed(message);
    made.set(message, bytes);
  }
  return bytes;
}

/** Bytes for a frame of gRPC: the library asks for their length and copies them behind the frame's flag, which is 0, and length. */
function marked(bytes: Buffer): Buffer {
  const copy = (target: Buffer, at: number): number => {
    target[0] = COMPRESSED;
    return Buffer.prototype.copy.call(bytes, target, at);
  };
  return Object.defineProperty(bytes, 'copy', { value: copy });
}
