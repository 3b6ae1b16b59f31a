import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Value } from "typebox/value";
import type { Fault } from "./failure.ts";
import { below } from "./pointer.ts";

export type Part = "params" | "query" | "body";

/** Checks one part of a request. Compiled at first use: a start should not wait for all of them. */
export class Shape {
  readonly #schema: TSchema;
  readonly #part: Part;
  readonly #hasDefaults: boolean;
  #compiled: ReturnType<typeof Compile> | undefined;

  constructor(schema: TSchema, part: Part) {
    this.#schema = schema;
    this.#part = part;
    this.#hasDefaults = JSON.stringify(schema).includes('"default":');
  }

  /** The value with its defaults, or its faults. Texts of a query become what the schema wants. */
  check(value: unknown): { readonly value: unknown } | { readonly faults: readonly Fault[] } {
    this.#compiled ??= Compile(this.#schema);
    let subject = value;
    if (this.#part === "query" && hasFields(value)) subject = Value.Convert(this.#schema, value);
    if (this.#hasDefaults) subject = Value.Default(this.#schema, subject);
    if (this.#compiled.Check(subject)) return { value: subject };
    return { faults: this.#faultsOf(subject) };
  }

  #faultsOf(subject: unknown): Fault[] {
    const faults = faultsOf(this.#compiled?.Errors(subject) ?? []);
    const part = this.#part;
    if (part === "body") return faults;
    return faults.map(({ path, message }) => ({ path: pathOf(part, path), message }));
  }
}

/** Most queries are empty, and to find that there is nothing to convert takes longer than all the checks. */
function hasFields(value: unknown): boolean {
  for (const _ in value as object) return true;
  return false;
}

/**
 * TypeBox's errors as faults in plain words, the first for each place. Where there are errors there is a fault: what
 * has none counts as valid.
 */
export function faultsOf(errors: Iterable<SchemaError>): Fault[] {
  const all = [...errors];
  const faults = new Map<string, Fault>();
  for (const fault of all.flatMap(readable)) {
    if (!faults.has(fault.path)) faults.set(fault.path, fault);
  }
  if (faults.size > 0 || all.length === 0) return [...faults.values()];
  // Only so many errors are told, and many unknown fields leave no room for the one that names them all.
  return all.map(({ instancePath }) => ({ path: instancePath, message: "is not a known field" }));
}

/** `/title` is a field of the body, `?limit` of the query, `:id` of the path. */
function pathOf(part: "params" | "query", path: string): string {
  return `${part === "query" ? "?" : ":"}${path.slice(1)}`;
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

function readable({ keyword, instancePath, params, message }: SchemaError): Fault[] {
  const names = (key: string): string[] => {
    const list = (params as Readonly<Record<string, unknown>>)[key];
    return Array.isArray(list) ? list.map(String) : [];
  };
  switch (keyword) {
    case "required":
      return names("requiredProperties").map((name) => ({
        path: below(instancePath, name),
        message: "is required",
      }));
    case "additionalProperties":
      return names("additionalProperties").map((name) => ({
        path: below(instancePath, name),
        message: "is not a known field",
      }));
    case "enum":
      return [
        { path: instancePath, message: `must be one of ${names("allowedValues").join(", ")}` },
      ];
    case "pattern":
      return [{ path: instancePath, message: "does not have the right form" }];
    case "minProperties":
      return [{ path: instancePath, message: "must name at least one field" }];
    case "boolean":
      return [];
    default:
      return [{ path: instancePath, message }];
  }
}
