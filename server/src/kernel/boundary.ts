import fastJsonStringify from "fast-json-stringify";
import type { Outcome, RawInput } from "./operation/invocation.ts";
import { Failure, type Fault, Invalid } from "./operation/failure.ts";
import type { Operation } from "./operation/operation.ts";
import type { Reply } from "./operation/response.ts";
import type { Settings } from "./settings.ts";
import { Shape } from "./schema/validator.ts";

interface Shapes {
  readonly params: Shape | undefined;
  readonly query: Shape | undefined;
  readonly body: Shape | undefined;
  readonly serialise: (value: unknown) => string;
}
const compiled = new WeakMap<Operation, Shapes>();

function shapesOf(op: Operation): Shapes {
  let shapes = compiled.get(op);
  if (!shapes) {
    shapes = {
      params: op.params && new Shape(op.params, "params"),
      query: op.query && new Shape(op.query, "query"),
      body: op.body && new Shape(op.body, "body"),
      serialise: op.reply.body ? fastJsonStringify(op.reply.body as object) : () => "",
    };
    compiled.set(op, shapes);
  }
  return shapes;
}

/** The input with its defaults, or a failure that lists every fault of it. */
export function validate(op: Operation, input: RawInput): RawInput {
  const shapes = shapesOf(op);
  const faults: Fault[] = [];
  const check = (part: keyof RawInput): unknown => {
    const shape = shapes[part];
    if (!shape) return surplus(part, input[part], faults);
    const absent = part === "body" && op.bodyOptional && input.body === undefined;
    const result = shape.check(absent ? {} : input[part]);
    if ("value" in result) return result.value;
    faults.push(...result.faults);
    return undefined;
  };
  const checked = { params: check("params"), query: check("query"), body: check("body") };
  if (faults.length > 0) {
    const [first] = faults;
    throw new Failure(Invalid, {
      detail: `${first?.path} ${first?.message}`,
      errors: faults,
    });
  }
  return checked;
}

/** A part that the operation does not take must be empty. */
function surplus(part: keyof RawInput, value: unknown, faults: Fault[]): unknown {
  if (part === "params" || value === undefined || value === null) return value;
  const names = typeof value === "object" ? Object.keys(value) : [""];
  const mark = part === "query" ? "?" : "/";
  faults.push(...names.map((name) => ({ path: mark + name, message: "is not a known field" })));
  return value;
}

/** What a handler returned, in its envelope and filtered by its schema. */
export function outcomeOf(op: Operation, value: unknown, settings: Settings): Outcome {
  const reply = op.reply as Reply;
  if (reply.shown) return { ...reply.shown(value), headers: reply.headers(value, settings) };
  const headers = reply.headers(value, settings);
  const { also } = reply;
  const status = also?.when(value) ? also.status : reply.status;
  if (reply.streamed) {
    return { status, headers, body: undefined, stream: reply.streamed(value) };
  }
  return {
    status,
    headers,
    body: reply.text?.(value) ?? (reply.body && shapesOf(op).serialise(reply.wrap(value))),
  };
}
