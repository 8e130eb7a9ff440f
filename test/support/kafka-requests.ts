// The log's requests as a broker reads them, for tests that play the broker.
import type { BrokerConnection, BrokerRequest } from '../../pipeline/log/kafka/transport.ts';
import { WireReader } from '../../pipeline/log/kafka/wire/wire.ts';

export interface OffsetAsked {
  readonly topic: string;
  readonly partition: number;
  /** The offset of a fetch; the timestamp of a request for offsets. */
  readonly from: number;
}

/** The content of a Fetch request. */
export function fetchAsked({ body }: BrokerRequest<unknown>): OffsetAsked[] {
  const request = new WireReader(body);
  for (let fields = 0; fields < 4; fields += 1) request.int32();
  request.int8();
  request.int32();
  request.int32();
  return topicsOf(request, () => {
    const partition = request.int32();
    request.int32();
    const from = Number(request.int64());
    request.int64();
    request.int32();
    return { partition, from };
  });
}

/** The content of a ListOffsets request. */
export function offsetsAsked({ body }: BrokerRequest<unknown>): OffsetAsked[] {
  const request = new WireReader(body);
  request.int32();
  request.int8();
  return topicsOf(request, () => ({ partition: request.int32(), from: Number(request.int64()) }));
}

function topicsOf(request: WireReader, read: () => { partition: number; from: number }): OffsetAsked[] {
  return request
    .list(() => ({ topic: request.string(), items: request.list(read) }))
    .flatMap(({ topic, items }) => items.map((item) => ({ topic, ...item })));
}

/** A broker whose decoded responses a test supplies. */
export function brokerThat(gives: (request: BrokerRequest<unknown>) => Promise<unknown>): BrokerConnection {
  return { isConnected: true, send: gives as BrokerConnection['send'] };
}
