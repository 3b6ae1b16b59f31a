/** The input of a call as shown to people: without write-only fields, and fields with names of secrets. */
import type { Operation } from "#kernel/contract.ts";
import { toInputSchema } from "../tool-input.ts";

const SECRET_NAME =
  /secret|pass(?:w|phrase|code)|token|credential|authorization|cookie|signature|(?:private|api|access|signing)[_-]?key/i;
const HIDDEN = "•••";

/** The parts of a JSON Schema that contain values. */
interface Schema {
  readonly writeOnly?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Masks an input according to the schema of its operation; the entire input of the vault is secret. */
export function maskInput(op: Operation, input: unknown): unknown {
  const schema = toInputSchema(op) as Schema;
  if (!op.id.startsWith("secrets.")) return mask(input, [schema]);
  return mask(input, [schema, { properties: { value: { writeOnly: true } } }]);
}

/** Masks a value without a schema. */
export function maskSecrets(value: unknown): unknown {
  return mask(value, []);
}

function mask(value: unknown, schemas: readonly Schema[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const all = schemas.flatMap(spread);
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items: one }) => one ?? []);
    return value.map((part) => maskPart(part, items));
  }
  const entries = Object.entries(value).map(([name, part]) => {
    const masked = SECRET_NAME.test(name) ? hide(part) : maskPart(part, findSchemas(all, name));
    return [name, masked] as const;
  });
  return Object.fromEntries(entries);
}

function maskPart(value: unknown, schemas: readonly Schema[]): unknown {
  return schemas.flatMap(spread).some(({ writeOnly }) => writeOnly === true)
    ? hide(value)
    : mask(value, schemas);
}

/**
 * Numbers, booleans and null are not masked: they reveal no secret, and many fields with such names contain them.
 */
function hide(value: unknown): unknown {
  return typeof value === "string" || (typeof value === "object" && value !== null)
    ? HIDDEN
    : value;
}

/** A schema and those that it combines. */
function spread(schema: Schema): Schema[] {
  const { anyOf = [], allOf = [], oneOf = [] } = schema;
  return [schema, ...[...anyOf, ...allOf, ...oneOf].flatMap(spread)];
}

function findSchemas(schemas: readonly Schema[], name: string): Schema[] {
  return schemas.flatMap(({ properties, patternProperties = {}, additionalProperties }) => {
    const own = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own) return [own];
    const further = typeof additionalProperties === "object" ? [additionalProperties] : [];
    return [...Object.values(patternProperties), ...further];
  });
}
