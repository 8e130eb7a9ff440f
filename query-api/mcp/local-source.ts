// The tools over a read model of this process, for one caller.
import { SquitterError } from '../../schemas/errors.ts';
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

  constructor(model: ReadModel, asker: Asker, observers: Observers) {
    this.model = model;
    this.asker = asker;
    this.observers = observers;
  }

  callTool(name: ToolName, given: ToolArguments): ToolResult {
    const { model, asker, observers } = this;
    let result: ToolResult;
    try {
      result = callTool(model, name, given, asker);
    } catch (error) {
      observers.onFault(error);
      result = errorResult(new SquitterError('api.internal', {}, error), metaOf(model, asker));
    }
    observers.countCall(name, result._meta.code ?? 'ok');
    return result;
  }

  readResource(uri: string): ResourceContents {
    try {
      return readResource(this.model, uri);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      this.observers.onFault(error);
      throw toRpcError(new SquitterError('api.internal', {}, error), INTERNAL_ERROR);
    }
  }
}
