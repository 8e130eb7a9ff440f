// What writing asks of brokers: each call is a request to the right broker, tried once; batches may share one.
import type { Broker } from 'kafkajs';
import { limits } from '../../../../schemas/limits.ts';
import { REQUEST_MS_MAX } from '../connection.ts';
import { GROUP_COORDINATOR, type KafkaRequests, TRANSACTION_COORDINATOR } from '../requests.ts';
import { type MemberIdentity, offsetRequest } from './offset-request.ts';
import { type PlacedBatch, type ProduceAnswer, produceRequest } from './produce-request.ts';
import { SharedProduce } from './shared-produce.ts';
import { sendWire } from './wire.ts';

/** A producer as brokers know it: whoever gets the next epoch of an id fences those before. */
export interface ProducerIdentity {
  /** null: it writes without transactions. */
  readonly transactionalId: string | null;
  readonly id: bigint;
  readonly epoch: number;
}

/** A partition, by the name of its topic on the brokers. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Where a group will stand. */
export interface GroupOffset extends TopicPartition {
  /** Name of the group on the brokers. */
  readonly group: string;
  readonly nextOffset: number;
}

/** Errors of all of them: those of kafkajs. */
export interface WriteRequests {
  /** A new producer; with a transactional id the one before is fenced and its transaction ended. */
  initProducer(transactionalId: string | null): Promise<ProducerIdentity>;
  /** Writes a record batch of the producer, those of the same turn in one request; gives the offset of its first record. */
  produce(producer: ProducerIdentity, place: TopicPartition, batch: Buffer): Promise<number>;
  /** Says which partitions the producer's transaction writes. */
  addPartitions(producer: ProducerIdentity, places: readonly TopicPartition[]): Promise<void>;
  /** Says that the transaction commits an offset of the group. */
  addGroup(producer: ProducerIdentity, group: string): Promise<void>;
  commitOffset(producer: ProducerIdentity, offset: GroupOffset, member: MemberIdentity): Promise<void>;
  /** Commits the transaction. */
  commit(producer: ProducerIdentity): Promise<void>;
  /** After an error: looks again who leads and who coordinates. Never fails. */
  recover(error: unknown): Promise<void>;
}

/** Requests of transactions: public methods of kafkajs's `Broker` that its types leave out. */
interface TransactionBroker extends Broker {
  initProducerId(request: {
    transactionalId: string | undefined;
    transactionTimeout: number;
  }): Promise<{ producerId: string; producerEpoch: number }>;
  addPartitionsToTxn(request: TransactionRequest & { topics: readonly { topic: string; partitions: number[] }[] }): Promise<unknown>;
  addOffsetsToTxn(request: TransactionRequest & { groupId: string }): Promise<unknown>;
  endTxn(request: TransactionRequest & { transactionResult: boolean }): Promise<unknown>;
}

interface TransactionRequest {
  readonly transactionalId: string;
  readonly producerId: string;
  readonly producerEpoch: number;
}

export class KafkaWriteRequests implements WriteRequests {
  private readonly requests: KafkaRequests;
  private readonly shared: SharedProduce;

  /** `requests` need not be open: brokers are asked when something is written. */
  constructor(requests: KafkaRequests) {
    this.requests = requests;
    this.shared = new SharedProduce((node, transactionalId, batches) => this.send(node, transactionalId, batches));
  }

  async initProducer(transactionalId: string | null): Promise<ProducerIdentity> {
    const { cluster } = this.requests;
    await cluster.connect();
    await cluster.refreshMetadataIfNecessary();
    // Any broker gives numbers to producers without transactions.
    const broker =
      transactionalId === null
        ? ((await cluster.findControllerBroker()) as TransactionBroker)
        : await this.transactionBroker(transactionalId);
    const { producerId, producerEpoch } = await broker.initProducerId({
      transactionalId: transactionalId ?? undefined,
      transactionTimeout: limits.kafkaTransactionMsMax,
    });
    return { transactionalId, id: BigInt(producerId), epoch: producerEpoch };
  }

  async produce({ transactionalId }: ProducerIdentity, { topic, partition }: TopicPartition, batch: Buffer): Promise<number> {
    const { cluster } = this.requests;
    await cluster.addMultipleTargetTopics([topic]);
    return this.shared.write(this.requests.leader(topic, partition), transactionalId, { topic, partition, batch });
  }

  async addPartitions(producer: ProducerIdentity, places: readonly TopicPartition[]): Promise<void> {
    const byTopic = new Map<string, number[]>();
    for (const { topic, partition } of places) byTopic.set(topic, [...(byTopic.get(topic) ?? []), partition]);
    const topics = [...byTopic].map(([topic, partitions]) => ({ topic, partitions }));
    const transaction = transactionOf(producer);
    const coordinator = await this.transactionBroker(transaction.transactionalId);
    await coordinator.addPartitionsToTxn({ ...transaction, topics });
  }

  async addGroup(producer: ProducerIdentity, groupId: string): Promise<void> {
    const transaction = transactionOf(producer);
    const coordinator = await this.transactionBroker(transaction.transactionalId);
    await coordinator.addOffsetsToTxn({ ...transaction, groupId });
  }

  async commitOffset(producer: ProducerIdentity, offset: GroupOffset, member: MemberIdentity): Promise<void> {
    const { transactionalId } = transactionOf(producer);
    const coordinator = await this.requests.coordinator(offset.group, GROUP_COORDINATOR);
    const request = offsetRequest({ ...offset, transactionalId, producerId: producer.id, producerEpoch: producer.epoch, member });
    await sendWire(coordinator, request);
  }

  async commit(producer: ProducerIdentity): Promise<void> {
    const transaction = transactionOf(producer);
    const coordinator = await this.transactionBroker(transaction.transactionalId);
    await coordinator.endTxn({ ...transaction, transactionResult: true });
  }

  recover(error: unknown): Promise<void> {
    return this.requests.recover(error);
  }

  private async send(nodeId: string, transactionalId: string | null, batches: readonly PlacedBatch[]): Promise<ProduceAnswer[]> {
    const leader = await this.requests.cluster.findBroker({ nodeId });
    return sendWire(leader, produceRequest({ batches, transactionalId, timeoutMs: REQUEST_MS_MAX }));
  }

  private async transactionBroker(transactionalId: string): Promise<TransactionBroker> {
    return (await this.requests.coordinator(transactionalId, TRANSACTION_COORDINATOR)) as TransactionBroker;
  }
}

function transactionOf({ transactionalId, id, epoch }: ProducerIdentity): TransactionRequest {
  return { transactionalId: transactionalId!, producerId: id.toString(), producerEpoch: epoch };
}
