import type { Operation } from "../../contract.ts";
import { compileSerialiser } from "../../schema/serialise.ts";
import { Validator } from "../../schema/validator.ts";
import type { Settings } from "../../settings.ts";
import { assertNoErrors, Failure, type FieldError, NotFound } from "../failure.ts";
import type { InvocationResult, RawInput } from "../invocation.ts";
import type { ResponseType } from "../response.ts";

interface CompiledOperation {
  readonly params: Validator | undefined;
  readonly query: Validator | undefined;
  readonly body: Validator | undefined;
  readonly serialise: (value: unknown) => string;
}
const compiledOperations = new WeakMap<Operation, CompiledOperation>();

/** The validators and the serialiser of an operation, compiled at its first call. */
function compiledOf(op: Operation): CompiledOperation {
  let compiled = compiledOperations.get(op);
  if (!compiled) {
    compiled = {
      params: op.params && new Validator(op.params, "params"),
      query: op.query && new Validator(op.query, "query"),
      body: op.body && new Validator(op.body, "body"),
      serialise: op.response.body ? compileSerialiser(op.response.body) : () => "",
    };
    compiledOperations.set(op, compiled);
  }
  return compiled;
}

/** The input with defaults. Throws a failure with all errors. */
export function validateInput(op: Operation, input: RawInput): RawInput {
  const compiled = compiledOf(op);
  const errors: FieldError[] = [];
  const check = (part: keyof RawInput): unknown => {
    const validator = compiled[part];
    if (!validator) return rejectUndeclared(part, input[part], errors);
    const absent = part === "body" && input.body === undefined;
    if (absent && !op.bodyOptional) {
      errors.push({ path: "", message: "is required" });
      return undefined;
    }
    const result = validator.check(absent ? {} : input[part]);
    if ("value" in result) return result.value;
    errors.push(...result.errors);
    return undefined;
  };
  const params = check("params");
  // An id with an invalid format cannot exist.
  if (errors.length > 0) throw new Failure(NotFound, { errors });
  const checked = { params, query: check("query"), body: check("body") };
  assertNoErrors(errors);
  return checked;
}

/** A part that the operation does not declare must be empty. */
function rejectUndeclared(part: keyof RawInput, value: unknown, errors: FieldError[]): unknown {
  if (part === "params" || value === undefined || value === null) return value;
  const names = typeof value === "object" ? Object.keys(value) : [""];
  const mark = part === "query" ? "?" : "/";
  errors.push(...names.map((name) => ({ path: mark + name, message: "is not a known field" })));
  return value;
}

/** The response for a handler's value, in its envelope and filtered by its schema. */
export function toResponse(op: Operation, value: unknown, settings: Settings): InvocationResult {
  const response = op.response as ResponseType;
  if (response.raw) return { ...response.raw(value), headers: response.headers(value, settings) };
  const headers = response.headers(value, settings);
  const { alternative } = response;
  const status = alternative?.when(value) ? alternative.status : response.status;
  if (response.stream) {
    return { status, headers, body: undefined, stream: response.stream(value) };
  }
  return {
    status,
    headers,
    body:
      response.text?.(value) ?? (response.body && compiledOf(op).serialise(response.wrap(value))),
  };
}
