// A route's validators are compiled with its first request. Those of all routes at once take a tenth of what a service's start costs.
import { AjvCompiler } from '@fastify/ajv-compiler';
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify';

type Factories = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;
type BuildValidator = NonNullable<Factories['buildValidator']>;
type Compile = FastifySchemaCompiler<unknown>;
type Validate = ReturnType<Compile>;

/** Fastify's own compiler of validators, at work when a validator is first called. */
export function lazyValidators(): BuildValidator {
  const build = AjvCompiler() as (...schemas: unknown[]) => Compile;
  const buildLazily = (...schemas: unknown[]): Compile => {
    let compile: Compile | null = null;
    return (route) => {
      let compiled: Validate | null = null;
      const validate: Validate = (value) => {
        compile ??= build(...schemas);
        compiled ??= compile(route);
        const result = compiled(value);
        // Fastify reads them from the function that it has.
        validate.errors = compiled.errors ?? null;
        return result;
      };
      return validate;
    };
  };
  return buildLazily as unknown as BuildValidator;
}
