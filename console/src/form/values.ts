/** Form values: initial values, the values to send, and missing required fields. */
import { escapeSegment, isFields } from "./pointer.ts";
import {
  followRef,
  isEmpty,
  kindOf,
  matchesSchema,
  type Schema,
  settleSchema,
  typeOf,
  variantsOf,
} from "./schema.ts";

export interface FieldError {
  /** A JSON pointer. */
  readonly path: string;
  readonly message: string;
}

/** Returns the initial value of a field. Objects are created, so that their own defaults are set. */
export function initialValue(schema: Schema, root: Schema = schema): unknown {
  const own = followRef(schema, root);
  if (own.default !== undefined) return own.default;
  if (own.const !== undefined) return own.const;
  if (typeOf(own) !== "object" || !own.properties) return undefined;
  const entries = Object.entries(own.properties).flatMap(([name, field]) => {
    const value = typeof field === "object" ? initialValue(field, root) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns the schema of a value: evaluates conditions, and selects the matching variant. */
function settleVariant(schema: Schema, value: unknown, root: Schema): Schema {
  const settled = settleSchema(schema, value, root);
  if (kindOf(settled) !== "variant") return settled;
  const variant = variantsOf(settled).find((one) => matchesSchema(one, value, root));
  return variant ? settleSchema(variant, value, root) : settled;
}

/** Removes empty fields and fields hidden by conditions: the server would reject values that the user can't see. */
export function toSendable(schema: Schema, value: unknown, root: Schema = schema): unknown {
  const settled = settleVariant(schema, value, root);
  const { items, properties } = settled;
  if (Array.isArray(value)) {
    const sent = value.map((item: unknown) => (items ? toSendable(items, item, root) : item));
    return sent.filter((item) => !isEmpty(item));
  }
  if (!isFields(value) || !properties) return value;
  const entries = Object.entries(value).flatMap(([name, field]) => {
    const own = properties[name];
    if (own === false) return [];
    const sent = typeof own === "object" ? toSendable(own, field, root) : field;
    return isEmpty(sent) ? [] : [[name, sent] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns the required fields that are empty. */
export function findMissing(schema: Schema, value: unknown, root: Schema = schema): FieldError[] {
  return findMissingAt({ schema, value, path: "" }, root);
}

interface Place {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: string;
}

function findMissingAt({ schema, value, path }: Place, root: Schema): FieldError[] {
  const { items, properties, required } = settleVariant(schema, value, root);
  if (Array.isArray(value)) {
    if (!items) return [];
    return value.flatMap((item: unknown, n) =>
      findMissingAt({ schema: items, value: item, path: `${path}/${n}` }, root),
    );
  }
  if (!isFields(value)) return [];
  return Object.entries(properties ?? {}).flatMap(([name, field]) => {
    if (typeof field === "boolean") return [];
    const at = `${path}/${escapeSegment(name)}`;
    const own = value[name];
    const isNeeded = required?.includes(name) ?? false;
    const kind = kindOf(settleSchema(field, own, root));
    if (isNeeded && kind === "object") {
      return findMissingAt({ schema: field, value: own ?? {}, path: at }, root);
    }
    if (isNeeded && isEmpty(own) && kind !== "yes" && kind !== "fixed") {
      return [{ path: at, message: "is required" }];
    }
    return isEmpty(own) ? [] : findMissingAt({ schema: field, value: own, path: at }, root);
  });
}
