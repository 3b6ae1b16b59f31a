import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Value } from "typebox/value";
import type { FieldError } from "../operation/failure.ts";
import { jsonPointer } from "./json-pointer.ts";

export type RequestPart = "params" | "query" | "body";

/** Checks one part of a request. Compiled at first use: a start should not wait for all of them. */
export class Validator {
  readonly #schema: TSchema;
  readonly #part: RequestPart;
  readonly #hasDefaults: boolean;
  #compiled: ReturnType<typeof Compile> | undefined;

  constructor(schema: TSchema, part: RequestPart) {
    this.#schema = schema;
    this.#part = part;
    this.#hasDefaults = JSON.stringify(schema).includes('"default":');
  }

  /** The value with its defaults, or its faults. Texts of a query become what the schema wants. */
  check(value: unknown): { readonly value: unknown } | { readonly faults: readonly FieldError[] } {
    this.#compiled ??= Compile(this.#schema);
    let subject = value;
    if (this.#part === "query" && hasFields(value)) subject = this.#converted(value as object);
    if (this.#hasDefaults) subject = Value.Default(this.#schema, subject);
    if (this.#compiled.Check(subject)) return { value: subject };
    return { faults: this.#faultsOf(subject) };
  }

  /** A number is only what is written as that one: TypeBox cuts 1.5 down to 1, and takes no text for 0. */
  #converted(query: object): unknown {
    const texts = Object.entries(query);
    const values = Value.Convert(this.#schema, query) as Record<string, unknown>;
    for (const [name, text] of texts) {
      if (typeof values[name] === "number" && !isWritten(text, values[name])) values[name] = text;
    }
    return values;
  }

  #faultsOf(subject: unknown): FieldError[] {
    const faults = fieldErrors(this.#compiled?.Errors(subject) ?? []);
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

function isWritten(text: unknown, number: number): boolean {
  return typeof text === "string" && text.trim() !== "" && Number(text) === number;
}

/**
 * TypeBox's errors as faults in plain words, the first for each place. Where there are errors there is a fault: what
 * has none counts as valid.
 */
export function fieldErrors(errors: Iterable<SchemaError>): FieldError[] {
  const all = [...errors];
  const faults = new Map<string, FieldError>();
  for (const fault of withoutOtherTypes(all).flatMap(readable)) {
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
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/**
 * Of what may be one of several types only the faults of the one that it is count; when it is none of them, all are
 * named together.
 */
function withoutOtherTypes(errors: readonly SchemaError[]): SchemaError[] {
  const isOther = ({ keyword, schemaPath }: SchemaError) =>
    keyword === "type" && IN_UNION.test(schemaPath);
  const within = (union: string, place: string) =>
    errors.filter(
      ({ schemaPath, instancePath }) =>
        schemaPath.startsWith(`${union}/anyOf/`) && `${instancePath}/`.startsWith(`${place}/`),
    );
  return errors.flatMap((error) => {
    const { keyword, schemaPath, instancePath: place } = error;
    // It says that something is wrong, and they say what.
    if (keyword === "anyOf" && within(schemaPath, place).length > 0) return [];
    if (!isOther(error)) return [error];
    const beside = within(schemaPath.replace(IN_UNION, ""), place);
    const others = beside.filter((one) => isOther(one) && one.instancePath === place);
    if (beside.some((one) => one.keyword !== "anyOf" && !others.includes(one))) return [];
    const types = others.map(({ message }) => message.replace(/^must be (either )?/, ""));
    return [{ ...error, message: `must be ${[...new Set(types)].join(" or ")}` }];
  });
}

const IN_UNION = /(\/anyOf\/\d+)+$/;

function readable({ keyword, instancePath, params, message }: SchemaError): FieldError[] {
  const names = (key: string): string[] => {
    const list = (params as Readonly<Record<string, unknown>>)[key];
    return Array.isArray(list) ? list.map(String) : [];
  };
  switch (keyword) {
    case "required":
      return names("requiredProperties").map((name) => ({
        path: jsonPointer(instancePath, name),
        message: "is required",
      }));
    case "additionalProperties":
      return names("additionalProperties").map((name) => ({
        path: jsonPointer(instancePath, name),
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
