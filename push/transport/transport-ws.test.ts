// The transport on node:http and `ws` keeps the contract.
import type { Subject } from './contract/stand.contract.ts';
import { transportContract } from './transport.contract.ts';
import { openWsTransport } from './ws-transport.ts';

const subject: Subject = {
  open: openWsTransport,
  differences: { endsWithoutCloseFrame: false, takesUnmaskedFrames: false, losesEarlyMessages: false, closesMalformedRequests: false },
};
transportContract('the transport on ws', subject);
