// The log's requests as a broker reads them, for tests that play the broker.
import type { BrokerConnection, BrokerRequest } from '../../pipeline/log/kafka/transport.ts';
import { WireReader } from '../../pipeline/log/kafka/wire/wire.ts';

/** The topics, partitions and offsets of a Fetch request. */
export function fetchAsked({ body }: BrokerRequest<unknown>): { topic: string; partition: number; from: number }[] {
  const request = new WireReader(body);
  for (let fields = 0; fields < 4; fields += 1) request.int32();
  request.int8();
  request.int32();
  request.int32();
  const readPartition = () => {
    const partition = request.int32();
    request.int32();
    const from = Number(request.int64());
    request.int64();
    request.int32();
    return { partition, from };
  };
  return request
    .list(() => ({ topic: request.string(), partitions: request.list(readPartition) }))
    .flatMap(({ topic, partitions }) => partitions.map((each) => ({ topic, ...each })));
}

/** A broker whose decoded responses a test supplies. */
export function brokerThat(gives: (request: BrokerRequest<unknown>) => Promise<unknown>): BrokerConnection {
  return { isConnected: true, send: gives as BrokerConnection['send'] };
}
