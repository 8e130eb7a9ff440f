// The tools over a read model of this process, for one caller.
import { SquitterError } from '../../schemas/errors.ts';
import type { Admission } from '../access/access.ts';
import type { ReadModel } from '../queries/read-model.ts';
import type { ToolName } from './definitions.ts';
import { readResource } from './resources.ts';
import { INTERNAL_ERROR, RpcError, toRpcError } from './rpc-error.ts';
import type { ToolSource } from './server.ts';
import { type Asker, callTool, errorResult, metaOf } from './tools.ts';

/** Counts a call: `result` is `ok` or the code of the error. */
export type CountCall = (tool: ToolName | 'unknown', result: string) => void;

interface Observers {
  readonly countCall: CountCall;
  readonly onFault: (error: unknown) => void;
}

/** `admit` takes the caller's turn. Errors: those of `CallerAccess.admit`. */
export function localSource(
  model: ReadModel,
  asker: Asker,
  { countCall, onFault }: Observers,
  admit: () => Admission | Promise<Admission>,
): ToolSource {
  /** The result of `make`, in the caller's turn; or that of `refuse` for an error of the catalogue. An error costs nothing. */
  const counted = async <Made extends object>(make: () => Made, refuse: (known: SquitterError) => Made): Promise<Made> => {
    let admission: Admission | null = null;
    try {
      admission = await admit();
      const made = make();
      if ('isError' in made) admission.giveBack();
      return made;
    } catch (error) {
      admission?.giveBack();
      if (error instanceof RpcError) throw error;
      if (error instanceof SquitterError) return refuse(error);
      onFault(error);
      return refuse(new SquitterError('api.internal', {}, error));
    }
  };
  const refused = (known: SquitterError): never => {
    throw toRpcError(known, INTERNAL_ERROR);
  };
  return {
    async callTool(name, given) {
      const result = await counted(
        () => callTool(model, name, given, asker),
        (known) => errorResult(known, metaOf(model, asker)),
      );
      countCall(name, result._meta.code ?? 'ok');
      return result;
    },
    readResource: (uri) => counted(() => readResource(model, uri), refused),
  };
}
