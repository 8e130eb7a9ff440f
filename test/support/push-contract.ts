// Validates messages against the AsyncAPI contract of the streams.
import { Ajv } from 'ajv';
import type { JsonSchema } from '../../query-api/http/contract/schemas.ts';
import { closeObjects, schemaFaults, wholeRecords } from './contract.ts';

interface Refs {
  readonly $ref: string;
}
interface ChannelObject {
  readonly address: string | null;
  readonly messages: Readonly<Record<string, Refs>>;
  readonly bindings?: { readonly ws: { readonly query: JsonSchema } };
}
export interface PushDocument {
  readonly channels: Readonly<Record<string, ChannelObject>>;
  readonly operations: Readonly<
    Record<
      string,
      { readonly action: 'send' | 'receive'; readonly messages: readonly Refs[]; readonly reply?: { readonly messages: readonly Refs[] } }
    >
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly messages: Readonly<
      Record<string, { readonly payload: JsonSchema; readonly examples?: readonly { readonly payload: unknown }[] }>
    >;
  };
}

export type Records = 'whole' | 'some';

const nameOf = ({ $ref }: Refs): string => $ref.split('/').at(-1)!;

/** Members that the contract does not name are faults, although clients must tolerate them; with `whole` also aircraft that lack members. */
export class PushContract {
  readonly document: PushDocument;
  private readonly ajv = new Ajv({ strict: false, validateFormats: false });

  constructor(document: PushDocument) {
    this.document = document;
    const closed = closeObjects(document);
    this.ajv
      .addSchema(closed as object, 'some')
      .addSchema(wholeRecords(closed) as object, 'whole')
      .addSchema(document as object, 'open');
  }

  /** Names of the messages that the service sends in a channel, or receives. */
  messages(channel: string, action: 'send' | 'receive'): string[] {
    return Object.entries(this.document.operations)
      .filter(([id, operation]) => id.startsWith(`${channel}.`) && operation.action === action)
      .flatMap(([, { messages }]) => messages.map(nameOf));
  }

  /** Faults of a message that the service sent in a channel: it must be exactly one of the channel's messages. */
  faults(channel: string, value: unknown, records: Records): string[] {
    const names = this.messages(channel, 'send');
    const results = names.map((name) => this.schemaFaults(`${records}#/components/messages/${name}/payload`, value));
    const valid = results.filter((faults) => faults.length === 0).length;
    if (valid === 1) return [];
    return valid > 1 ? ['more than one message'] : results.reduce((least, faults) => (faults.length < least.length ? faults : least));
  }

  /** Faults of what a client sends, or of an example; the client may send further members. */
  payloadFaults(name: string, value: unknown, variant: 'open' | 'some' = 'open'): string[] {
    return this.schemaFaults(`${variant}#/components/messages/${name}/payload`, value);
  }

  schemaFaults(reference: string, value: unknown): string[] {
    return schemaFaults(this.ajv, reference, value);
  }
}
