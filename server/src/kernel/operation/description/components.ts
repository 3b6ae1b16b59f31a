import type { TSchema } from "typebox";

export type DescriptionPart = Record<string, unknown>;

/** Shared parts of an OpenAPI description, each written once under its name. */
export class Components {
  readonly schemas: DescriptionPart = {};
  readonly requestBodies: DescriptionPart = {};
  readonly responses: DescriptionPart = {};
  readonly #schemasAt: string;
  readonly #texts = new Map<string, string>();

  constructor(schemasAt = "#/components/schemas") {
    this.#schemasAt = schemasAt;
  }

  /** References a schema by its title. A schema without a title is inlined. */
  ref(schema: TSchema): DescriptionPart {
    const { title } = schema as { title?: string };
    if (title === undefined) return this.resolve(schema);
    const text = JSON.stringify(schema);
    const registered = this.#texts.get(title);
    // Clients would confuse the two.
    if (registered !== undefined && registered !== text)
      throw new Error(`Two schemas are called ${title}.`);
    if (registered === undefined) {
      this.#texts.set(title, text);
      this.schemas[title] = {};
      this.schemas[title] = this.#parts(toPlainSchema(schema));
    }
    return { $ref: `${this.#schemasAt}/${title}` };
  }

  resolve(schema: TSchema): DescriptionPart {
    return "title" in schema
      ? this.ref(schema)
      : (this.#parts(toPlainSchema(schema)) as DescriptionPart);
  }

  /** References a body or a response by name. */
  share(kind: "requestBodies" | "responses", name: string, part: DescriptionPart): DescriptionPart {
    const known = (this[kind][name] ??= part);
    if (JSON.stringify(known) !== JSON.stringify(part))
      throw new Error(`Two ${kind} are called ${name}.`);
    return { $ref: `#/components/${kind}/${name}` };
  }

  #parts(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((part) => this.#nested(part));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, this.#nested(part)]),
    );
  }

  #nested(value: unknown): unknown {
    return isTitled(value) ? this.ref(value) : this.#parts(value);
  }
}

/** True for a schema with a title, but not for an object that has a field of that name. */
function isTitled(value: unknown): value is TSchema {
  const { title, type, anyOf } = (value ?? {}) as DescriptionPart;
  return typeof title === "string" && (typeof type === "string" || Array.isArray(anyOf));
}

/** The JSON Schema without TypeBox's internal keys. */
export function toPlainSchema(schema: TSchema): DescriptionPart {
  return JSON.parse(JSON.stringify(schema)) as DescriptionPart;
}
