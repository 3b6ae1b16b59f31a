/** Builds tool inputs from operations: path, query and body in one object, as agents write them. */
import type { TObject, TSchema } from "typebox";
import type { Operation } from "#kernel/contract.ts";

type Members = Readonly<Record<string, unknown>>;

/** A JSON Schema of an object. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
}

/** The parts of a call. */
export interface CallParts {
  readonly params: Members;
  readonly query: Members;
  readonly body: Members | undefined;
}

/** The schema of an operation's input. */
export function toInputSchema(op: Operation): ObjectSchema {
  const parts = [op.params, op.query, bodyOf(op)].filter((part) => part !== undefined);
  return {
    type: "object",
    properties: Object.assign(
      {},
      ...parts.map(({ properties }) => properties),
    ) as ObjectSchema["properties"],
    required: [...new Set(parts.flatMap((part) => requiredOf(part)))],
  };
}

/** Splits an input into path, query and body. */
export function splitInput(op: Operation, input: Members): CallParts {
  const body = bodyOf(op);
  const names = Object.keys(input);
  const isIn = (schema: TObject | undefined, name: string): boolean =>
    schema !== undefined && Object.hasOwn(schema.properties, name);
  const pick = (isPicked: (name: string) => boolean): Members =>
    Object.fromEntries(names.filter(isPicked).map((name) => [name, input[name]]));
  const params = pick((name) => isIn(op.params, name));
  const query = pick((name) => !isIn(op.params, name) && isIn(op.query, name));
  // An unknown field goes to the body, where it is rejected with its name.
  const rest = pick((name) => !isIn(op.params, name) && !isIn(op.query, name));
  const hasBody = body !== undefined || Object.keys(rest).length > 0;
  return { params, query, body: hasBody ? rest : undefined };
}

function bodyOf({ body }: Operation): TObject | undefined {
  const schema = body as (TSchema & { readonly properties?: unknown }) | undefined;
  return schema?.properties === undefined ? undefined : (schema as TObject);
}

/** Fields with a default need not be sent. */
function requiredOf({ required, properties }: TObject): string[] {
  const names: readonly string[] | undefined = required;
  const hasDefault = (name: string): boolean =>
    (properties[name] as { default?: unknown }).default !== undefined;
  return (names ?? []).filter((name) => !hasDefault(name));
}
