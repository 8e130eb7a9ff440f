// Record batches written in the same turn go to a broker in one request: an ingest closes the batches of all partitions together, a transaction
// writes all its outputs together, and a broker processes the requests of a connection one after the other. Each batch has its own result.
import { limits } from '../../../../schemas/limits/index.ts';
import { protocolError } from '../kafkajs-transport.ts';
import type { PartitionBatch, ProduceResponse } from '../wire/produce-request.ts';

/** Kafka's code. */
const UNKNOWN_SERVER_ERROR = -1;

/** Sends batches of different partitions to the node that leads them. */
type SendBatches = (node: string, transactionalId: string | null, batches: readonly PartitionBatch[]) => Promise<ProduceResponse[]>;

interface Waiting extends PartitionBatch {
  resolve(baseOffset: number): void;
  reject(error: unknown): void;
}

interface Gathering {
  readonly node: string;
  readonly transactionalId: string | null;
  readonly waiting: Waiting[];
  bytes: number;
}

export class SharedProduce {
  private readonly send: SendBatches;
  /** By node and transactional id: a request has one of each. */
  private readonly gathering = new Map<string, Gathering>();

  constructor(send: SendBatches) {
    this.send = send;
  }

  /** Returns the offset of the first record. Errors: the broker's error for this batch, or that of the request. */
  write(node: string, transactionalId: string | null, written: PartitionBatch): Promise<number> {
    return new Promise((resolve, reject) => {
      const key = `${node} ${transactionalId ?? ''}`;
      let gathering = this.gathering.get(key);
      if (gathering !== undefined && !hasRoom(gathering, written)) {
        this.leave(key, gathering);
        gathering = undefined;
      }
      if (gathering === undefined) {
        const begun: Gathering = { node, transactionalId, waiting: [], bytes: 0 };
        gathering = begun;
        this.gathering.set(key, begun);
        setImmediate(() => {
          if (this.gathering.get(key) === begun) this.leave(key, begun);
        });
      }
      gathering.waiting.push({ ...written, resolve, reject });
      gathering.bytes += written.batch.length;
    });
  }

  private leave(key: string, gathering: Gathering): void {
    this.gathering.delete(key);
    void this.sendAll(gathering);
  }

  private async sendAll({ node, transactionalId, waiting }: Gathering): Promise<void> {
    try {
      const responses = await this.send(node, transactionalId, waiting);
      for (const { topic, partition, resolve, reject } of waiting) {
        const response = responses.find((given) => given.topic === topic && given.partition === partition);
        if (response?.code === 0) resolve(response.baseOffset);
        else reject(protocolError(response?.code ?? UNKNOWN_SERVER_ERROR));
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

/** True if the request has room. It may have each partition only once. */
function hasRoom({ waiting, bytes }: Gathering, { topic, partition, batch }: PartitionBatch): boolean {
  if (bytes + batch.length > limits.kafkaProduceBytesMax) return false;
  return !waiting.some((other) => other.topic === topic && other.partition === partition);
}
