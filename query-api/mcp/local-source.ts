// The tools over a read model of this process, for one caller.
import { SquitterError } from '../../schemas/errors.ts';
import type { Admission } from '../access/access.ts';
import type { ReadModel } from '../queries/read-model.ts';
import type { ToolName } from './definitions.ts';
import { type ResourceContents, readResource } from './resources.ts';
import { INTERNAL_ERROR, RpcError, toRpcError } from './rpc-error.ts';
import type { ToolSource } from './server.ts';
import { type Asker, callTool, errorResult, metaOf, type ToolArguments, type ToolResult } from './tools.ts';

/** Counts a call: `result` is `ok` or the code of the error. */
export type CountCall = (tool: ToolName | 'unknown', result: string) => void;

interface Observers {
  readonly countCall: CountCall;
  readonly onFault: (error: unknown) => void;
}

export class LocalSource implements ToolSource {
  private readonly model: ReadModel;
  private readonly asker: Asker;
  private readonly observers: Observers;
  /** Takes the caller's turn. Errors: those of `CallerAccess.admit`. */
  private readonly admit: () => Admission | Promise<Admission>;

  constructor(model: ReadModel, asker: Asker, observers: Observers, admit: () => Admission | Promise<Admission>) {
    this.model = model;
    this.asker = asker;
    this.observers = observers;
    this.admit = admit;
  }

  async callTool(name: ToolName, given: ToolArguments): Promise<ToolResult> {
    const { model, asker, observers } = this;
    const result = await this.counted(
      () => callTool(model, name, given, asker),
      (known) => errorResult(known, metaOf(model, asker)),
    );
    observers.countCall(name, result._meta.code ?? 'ok');
    return result;
  }

  readResource(uri: string): Promise<ResourceContents> {
    return this.counted<ResourceContents>(
      () => readResource(this.model, uri),
      (known) => {
        throw toRpcError(known, INTERNAL_ERROR);
      },
    );
  }

  /** The result of `make`, in the caller's turn; or that of `refuse` for an error of the catalogue. An error costs nothing. */
  private async counted<Made extends object>(make: () => Made, refuse: (known: SquitterError) => Made): Promise<Made> {
    let admission: Admission | null = null;
    try {
      admission = await this.admit();
      const made = make();
      if ('isError' in made) admission.giveBack();
      return made;
    } catch (error) {
      admission?.giveBack();
      if (error instanceof RpcError) throw error;
      if (error instanceof SquitterError) return refuse(error);
      this.observers.onFault(error);
      return refuse(new SquitterError('api.internal', {}, error));
    }
  }
}
