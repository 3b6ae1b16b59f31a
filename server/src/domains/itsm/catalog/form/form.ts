/**
 * The form of a catalog item is an untrusted JSON Schema written by users. It is parsed keyword by keyword when it is
 * saved, and unlisted keywords are rejected. The result has no references and a bounded size, so validation takes
 * bounded time. It is interpreted and never compiled, so user input never becomes code.
 */
import type { FieldError } from "#kernel/operation/failure.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { checkPattern, limitSubject } from "./pattern.ts";

/** An unparsed form. */
export type Form = Readonly<Record<string, unknown>>;

const CHARACTERS_MAX = 65_536;
const DEPTH_MAX = 16;
/** Counted after references are resolved. */
const PARTS_MAX = 2_000;
const ERRORS_MAX = 20;

/** Checks the value of a keyword; returns the error. */
type KeywordCheck = (value: unknown) => string | undefined;

const mustBe = (expected: string, matches: (value: unknown) => boolean): KeywordCheck => {
  return (value) => (matches(value) ? undefined : `must be ${expected}`);
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

const text = mustBe("a text", (value) => typeof value === "string");
const flag = mustBe("true or false", (value) => typeof value === "boolean");
const count = mustBe("a whole number of at least 0", isCount);
const number = mustBe("a number", Number.isFinite);
const anything: KeywordCheck = () => undefined;

/** Keywords without nested schemas. */
const KEYWORDS: Readonly<Record<string, KeywordCheck>> = {
  type: mustBe(`one of ${TYPES.join(", ")}, or a list of them`, (value) =>
    [value].flat().every((name) => TYPES.includes(name as string)),
  ),
  title: text,
  description: text,
  default: anything,
  examples: anything,
  const: anything,
  enum: mustBe("a list of values", (value) => Array.isArray(value) && value.length > 0),
  readOnly: flag,
  writeOnly: flag,
  deprecated: flag,
  $schema: text,
  $comment: text,
  required: mustBe("a list of names", isNames),
  minProperties: count,
  maxProperties: count,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minLength: count,
  maxLength: count,
  pattern: (value) =>
    typeof value === "string" ? checkPattern(value) : "pattern|must be a string",
  format: mustBe(`one of ${FORMATS.join(", ")}`, (value) => FORMATS.includes(value as string)),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: mustBe(
    "a number greater than 0",
    (value) => Number.isFinite(value) && Number(value) > 0,
  ),
};

/** Keywords of file fields, see `file-fields.ts`. */
const FILE_KEYWORDS: ReadonlyMap<string, KeywordCheck> = new Map([
  ["x-file", flag],
  [
    "x-accept",
    mustBe("a list of media types such as image/*", (value) => isNames(value) && isTypes(value)),
  ],
  ["x-max-bytes", count],
]);
const isTypes = (value: unknown): boolean =>
  (value as string[]).every((type) => /^[a-z]+\/(\*|[\w.+-]{1,100})$/.test(type));

const SCHEMA_KEYWORDS = ["items", "additionalProperties", "contains", "not", "if", "then", "else"];
const LIST_KEYWORDS = ["allOf", "anyOf", "oneOf"];
const MAP_KEYWORDS = ["properties", "dependentSchemas"];
/** Keywords with referenced schemas. */
const DEFINITIONS = ["$defs", "definitions"];
const REFERENCE = /^#\/(\$defs|definitions)\/([^/~%]+)$/;

/** Parses a form. Returns a valid schema without references, or its errors. */
export function parseForm(
  form: Form,
): { readonly schema: Form } | { readonly errors: FieldError[] } {
  if (JSON.stringify(form).length > CHARACTERS_MAX) {
    return { errors: [{ path: "", message: `must have at most ${CHARACTERS_MAX} characters` }] };
  }
  const parser = new FormParser(form);
  const schema = parser.schema(form, "", []);
  if (form["type"] !== "object") {
    parser.errors.push({ path: "/type", message: "must be object" });
  }
  return parser.errors.length > 0 ? { errors: parser.errors } : { schema: schema as Form };
}

class FormParser {
  readonly errors: FieldError[] = [];
  readonly #root: Form;
  #parts = 0;

  constructor(root: Form) {
    this.#root = root;
  }

  /** `references` lists the references followed so far, to detect cycles. */
  schema(value: unknown, path: string, references: readonly string[], depth = 0): unknown {
    this.#parts += 1;
    if (typeof value === "boolean") return value;
    if (!isMap(value)) return this.#addError(path, "must be a schema");
    if (depth > DEPTH_MAX)
      return this.#addError(path, `must have at most ${DEPTH_MAX} levels of nesting`);
    if (this.#parts > PARTS_MAX)
      return this.#addError(path, `must have at most ${PARTS_MAX} parts`);
    if (this.errors.length >= ERRORS_MAX) return undefined;
    if ("$ref" in value) return this.#reference(value, path, references, depth);
    const next = (part: unknown, name: string | number): unknown =>
      this.schema(part, jsonPointer(path, String(name)), references, depth + 1);
    const parsed: Record<string, unknown> = {};
    for (const [keyword, part] of Object.entries(value)) {
      const pointer = jsonPointer(path, keyword);
      if (DEFINITIONS.includes(keyword) && depth === 0) this.#definitions(part, pointer);
      else if (SCHEMA_KEYWORDS.includes(keyword)) parsed[keyword] = next(part, keyword);
      else if (LIST_KEYWORDS.includes(keyword))
        parsed[keyword] = this.#list(part, pointer, references, depth);
      else if (MAP_KEYWORDS.includes(keyword))
        parsed[keyword] = this.#map(part, pointer, references, depth);
      else parsed[keyword] = this.#keyword(keyword, part, pointer);
    }
    return parsed;
  }

  #keyword(keyword: string, value: unknown, path: string): unknown {
    // Unknown rendering hints are allowed, except for file hints: a misspelt one would allow any file.
    if (keyword.startsWith("x-")) {
      const message = FILE_KEYWORDS.get(keyword)?.(value);
      return message === undefined ? undefined : this.#addError(path, message);
    }
    const check = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    const message = check ? check(value) : "is not a keyword that forms support";
    if (message !== undefined) return this.#addError(path, message);
    return keyword === "pattern" ? limitSubject(String(value)) : value;
  }

  #list(value: unknown, path: string, references: readonly string[], depth: number): unknown {
    if (!Array.isArray(value) || value.length === 0) {
      return this.#addError(path, "must be a list of schemas");
    }
    return value.map((part, index) => this.schema(part, `${path}/${index}`, references, depth + 1));
  }

  #map(value: unknown, path: string, references: readonly string[], depth: number): unknown {
    if (!isMap(value)) return this.#addError(path, "must be an object of names and schemas");
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        name,
        this.schema(part, jsonPointer(path, name), references, depth + 1),
      ]),
    );
  }

  /** Definitions are parsed at their references. */
  #definitions(value: unknown, path: string): void {
    if (!isMap(value)) this.#addError(path, "must be an object of names and schemas");
  }

  #reference(schema: Form, path: string, references: readonly string[], depth: number): unknown {
    const { $ref: ref } = schema;
    const [, keyword = "", name = ""] = (typeof ref === "string" && REFERENCE.exec(ref)) || [];
    const definitions = this.#root[keyword];
    const pointer = `${path}/$ref`;
    if (!isMap(definitions) || !Object.hasOwn(definitions, name)) {
      return this.#addError(pointer, "must be #/$defs/ followed by the name of a schema in $defs");
    }
    if (references.includes(name)) return this.#addError(pointer, "must not refer to itself");
    return this.schema(definitions[name], pointer, [...references, name], depth + 1);
  }

  #addError(path: string, message: string): undefined {
    if (this.errors.length < ERRORS_MAX) this.errors.push({ path, message });
  }
}

function isMap(value: unknown): value is Form {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
