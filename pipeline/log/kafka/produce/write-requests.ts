// Requests of writers: each call is one request to the right broker, without retries; batches may share a request.
import { limits } from '../../../../schemas/limits/index.ts';
import type { KafkaRequests } from '../requests.ts';
import { type BrokerConnection, type BrokerRequest, GROUP_COORDINATOR, TRANSACTION_COORDINATOR } from '../transport.ts';
import { type GroupOffset, type MemberIdentity, offsetCommitRequest } from '../wire/offset-commit-request.ts';
import { type PartitionBatch, type ProduceResponse, produceRequest } from '../wire/produce-request.ts';
import {
  addOffsetsRequest,
  addPartitionsRequest,
  commitRequest,
  initProducerRequest,
  type TransactionalProducer,
} from '../wire/transaction-requests.ts';
import { SharedProduce } from './shared-produce.ts';

/** Producer id and epoch. A newer epoch for the same id fences this producer. */
export interface ProducerIdentity {
  /** null to write without transactions. */
  readonly transactionalId: string | null;
  readonly id: bigint;
  readonly epoch: number;
}

/** A partition, by the name of its topic on the brokers. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export type WriteRequests = Pick<KafkaWriteRequests, keyof KafkaWriteRequests>;

/** Every method may throw kafkajs's errors. */
export class KafkaWriteRequests {
  private readonly requests: KafkaRequests;
  private readonly shared: SharedProduce;

  /** `requests` need not be open: it connects at the first write. */
  constructor(requests: KafkaRequests) {
    this.requests = requests;
    this.shared = new SharedProduce((node, transactionalId, batches) => this.send(node, transactionalId, batches));
  }

  /** Creates a producer. With a transactional id, fences the previous producer and ends its transaction. */
  async initProducer(transactionalId: string | null): Promise<ProducerIdentity> {
    const { transport } = this.requests;
    await transport.connect();
    await transport.refreshIfOld();
    const broker = transactionalId === null ? await transport.anyBroker() : await this.transactionBroker(transactionalId);
    return { transactionalId, ...(await broker.send(initProducerRequest(transactionalId, limits.kafkaTransactionMsMax))) };
  }

  /** Writes a record batch; batches of the same turn share a request. Returns the offset of its first record. */
  async produce({ transactionalId }: ProducerIdentity, { topic, partition }: TopicPartition, batch: Buffer): Promise<number> {
    await this.requests.transport.addTopics([topic]);
    return this.shared.write(this.requests.leader(topic, partition), transactionalId, { topic, partition, batch });
  }

  /** Adds partitions to the producer's transaction. */
  async addPartitions(producer: ProducerIdentity, partitions: readonly TopicPartition[]): Promise<void> {
    await this.inTransaction(producer, (own) => addPartitionsRequest(own, partitions));
  }

  /** Adds an offset commit of the group to the transaction. */
  async addGroup(producer: ProducerIdentity, group: string): Promise<void> {
    await this.inTransaction(producer, (own) => addOffsetsRequest(own, group));
  }

  async commitOffset(producer: ProducerIdentity, offset: GroupOffset, member: MemberIdentity): Promise<void> {
    const coordinator = await this.requests.coordinator(offset.group, GROUP_COORDINATOR);
    await coordinator.send(offsetCommitRequest(transactional(producer), offset, member));
  }

  /** Commits the transaction. */
  async commit(producer: ProducerIdentity): Promise<void> {
    await this.inTransaction(producer, commitRequest);
  }

  /** After an error: looks up leaders and coordinators again. Never fails. */
  recover(error: unknown): Promise<void> {
    return this.requests.recover(error);
  }

  private async send(node: string, transactionalId: string | null, batches: readonly PartitionBatch[]): Promise<ProduceResponse[]> {
    const leader = await this.requests.transport.broker(node);
    return leader.send(produceRequest(transactionalId, batches));
  }

  private async inTransaction(producer: ProducerIdentity, request: (own: TransactionalProducer) => BrokerRequest<void>): Promise<void> {
    const own = transactional(producer);
    await (await this.transactionBroker(own.transactionalId)).send(request(own));
  }

  private transactionBroker(transactionalId: string): Promise<BrokerConnection> {
    return this.requests.coordinator(transactionalId, TRANSACTION_COORDINATOR);
  }
}

/** The identity of a producer with a transactional id. */
function transactional({ transactionalId, id, epoch }: ProducerIdentity): TransactionalProducer {
  return { transactionalId: transactionalId!, id, epoch };
}
