// The transport on node:http and `ws` keeps the contract.

import { transportContract } from '../../test/contract/transport.contract.ts';
import type { Subject } from '../../test/contract/transport-stand.ts';
import { openWsTransport } from './ws-transport.ts';

const subject: Subject = {
  open: openWsTransport,
  differences: { endsWithoutCloseFrame: false, takesUnmaskedFrames: false, losesEarlyMessages: false, closesMalformedRequests: false },
};
transportContract('the transport on ws', subject);
