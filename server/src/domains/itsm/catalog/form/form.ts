/**
 * Forms are JSON Schemas that people write, so nothing of one is believed: it is read word by word when
 * it is saved, and what is not among the words below is refused. What comes out has no references and
 * a bounded size, so that a check takes a time that is known beforehand. It is interpreted and never
 * compiled: nothing that somebody wrote becomes code.
 */
import type { FieldError } from "#kernel/operation/failure.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { faultOfPattern, guarded } from "./pattern.ts";

/** A form as somebody wrote it. */
export type Form = Readonly<Record<string, unknown>>;

const CHARACTERS_MAX = 65_536;
const DEPTH_MAX = 16;
/** With what is referred to in the place of each reference. */
const PARTS_MAX = 2_000;
const FAULTS_MAX = 20;

/** What a word of the vocabulary may say. */
type Word = (value: unknown) => string | undefined;

const said = (wanted: string, is: (value: unknown) => boolean): Word => {
  return (value) => (is(value) ? undefined : `must be ${wanted}`);
};
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
const FORMATS = [
  "date",
  "date-time",
  "time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "url",
  "uuid",
];

const text = said("a text", (value) => typeof value === "string");
const flag = said("true or false", (value) => typeof value === "boolean");
const count = said("a whole number from 0", isCount);
const number = said("a number", Number.isFinite);
const anything: Word = () => undefined;

/** The words of a schema that hold no further schemas. */
const WORDS: Readonly<Record<string, Word>> = {
  type: said(`one of ${TYPES.join(", ")}, or a list of them`, (value) =>
    [value].flat().every((name) => TYPES.includes(name as string)),
  ),
  title: text,
  description: text,
  default: anything,
  examples: anything,
  const: anything,
  enum: said("a list of values", (value) => Array.isArray(value) && value.length > 0),
  readOnly: flag,
  writeOnly: flag,
  deprecated: flag,
  $schema: text,
  $comment: text,
  required: said("a list of names", isNames),
  minProperties: count,
  maxProperties: count,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minLength: count,
  maxLength: count,
  pattern: (value) => (typeof value === "string" ? faultOfPattern(value) : "must be a text"),
  format: said(`one of ${FORMATS.join(", ")}`, (value) => FORMATS.includes(value as string)),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: said("a number above 0", (value) => Number.isFinite(value) && Number(value) > 0),
};

const SCHEMA_WORDS = ["items", "additionalProperties", "contains", "not", "if", "then", "else"];
const LIST_WORDS = ["allOf", "anyOf", "oneOf"];
const MAP_WORDS = ["properties", "dependentSchemas"];
/** Where what is referred to is kept. */
const DEFINITIONS = ["$defs", "definitions"];
const REFERENCE = /^#\/(\$defs|definitions)\/([^/~%]+)$/;

/** A form that was found sound, without references; or everything that is wrong with it. */
export function readForm(
  form: Form,
): { readonly schema: Form } | { readonly faults: FieldError[] } {
  if (JSON.stringify(form).length > CHARACTERS_MAX) {
    return { faults: [{ path: "", message: `must have at most ${CHARACTERS_MAX} characters` }] };
  }
  const reading = new Reading(form);
  const schema = reading.schema(form, "", []);
  if (form["type"] !== "object") {
    reading.faults.push({ path: "/type", message: "must be object" });
  }
  return reading.faults.length > 0 ? { faults: reading.faults } : { schema: schema as Form };
}

class Reading {
  readonly faults: FieldError[] = [];
  readonly #root: Form;
  #parts = 0;

  constructor(root: Form) {
    this.#root = root;
  }

  /** `within` are the references on the way here: one that leads back to itself has no end. */
  schema(value: unknown, path: string, within: readonly string[], depth = 0): unknown {
    this.#parts += 1;
    if (typeof value === "boolean") return value;
    if (!isMap(value)) return this.#fault(path, "must be a schema");
    if (depth > DEPTH_MAX) return this.#fault(path, `is nested more than ${DEPTH_MAX} deep`);
    if (this.#parts > PARTS_MAX) return this.#fault(path, `has more than ${PARTS_MAX} parts`);
    if (this.faults.length >= FAULTS_MAX) return undefined;
    if ("$ref" in value) return this.#reference(value, path, within, depth);
    const next = (part: unknown, name: string | number): unknown =>
      this.schema(part, jsonPointer(path, String(name)), within, depth + 1);
    const read: Record<string, unknown> = {};
    for (const [word, said] of Object.entries(value)) {
      const place = jsonPointer(path, word);
      if (DEFINITIONS.includes(word) && depth === 0) this.#definitions(said, place);
      else if (SCHEMA_WORDS.includes(word)) read[word] = next(said, word);
      else if (LIST_WORDS.includes(word)) read[word] = this.#list(said, place, within, depth);
      else if (MAP_WORDS.includes(word)) read[word] = this.#map(said, place, within, depth);
      else read[word] = this.#word(word, said, place);
    }
    return read;
  }

  #word(word: string, said: unknown, path: string): unknown {
    // Hints for whoever draws the form.
    if (word.startsWith("x-")) return undefined;
    const check = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    const message = check ? check(said) : "is not a word that a form may have";
    if (message !== undefined) return this.#fault(path, message);
    return word === "pattern" ? guarded(String(said)) : said;
  }

  #list(said: unknown, path: string, within: readonly string[], depth: number): unknown {
    if (!Array.isArray(said) || said.length === 0) {
      return this.#fault(path, "must be a list of schemas");
    }
    return said.map((part, index) => this.schema(part, `${path}/${index}`, within, depth + 1));
  }

  #map(said: unknown, path: string, within: readonly string[], depth: number): unknown {
    if (!isMap(said)) return this.#fault(path, "must be a map from names to schemas");
    return Object.fromEntries(
      Object.entries(said).map(([name, part]) => [
        name,
        this.schema(part, jsonPointer(path, name), within, depth + 1),
      ]),
    );
  }

  /** Read where they are referred to. */
  #definitions(said: unknown, path: string): void {
    if (!isMap(said)) this.#fault(path, "must be a map from names to schemas");
  }

  #reference(schema: Form, path: string, within: readonly string[], depth: number): unknown {
    const { $ref: to } = schema;
    const [, home = "", name = ""] = (typeof to === "string" && REFERENCE.exec(to)) || [];
    const definitions = this.#root[home];
    const place = `${path}/$ref`;
    if (!isMap(definitions) || !Object.hasOwn(definitions, name)) {
      return this.#fault(place, "must be #/$defs/ and the name of a schema there");
    }
    if (within.includes(name)) return this.#fault(place, "leads back to itself");
    return this.schema(definitions[name], place, [...within, name], depth + 1);
  }

  #fault(path: string, message: string): undefined {
    if (this.faults.length < FAULTS_MAX) this.faults.push({ path, message });
  }
}

function isMap(value: unknown): value is Form {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
