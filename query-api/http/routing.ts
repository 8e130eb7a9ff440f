// How requests are routed and validated, the same for every application over the routes.
import { limits } from '../../schemas/limits.ts';
import { lazyValidators } from './lazy-validators.ts';

export const routing = {
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.urlBytesMax },
  // strictNumbers would exclude infinite numbers from `minimum` and `maximum`, and accept them.
  ajv: { customOptions: { removeAdditional: false as const, allErrors: true, strictNumbers: false } },
  schemaController: { compilersFactory: { buildValidator: lazyValidators() } },
};
