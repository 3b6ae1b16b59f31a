/** Tool arguments: `$fromAI` marks values that the model fills in; the rest is computed from the item before. */
import { splitTemplate, toCode } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";

const FROM_AI =
  /\$fromAI\(\s*(["'`])([\w -]+)\1(?:\s*,\s*(["'`])((?:(?!\3)[^\\]|\\.)*)\3)?(?:\s*,\s*(["'`])(\w+)\5)?[^()]*\)/gis;
const TYPES: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

/** The name of an argument that the model fills in. */
export const argumentName = (name: string): string => name.trim().replaceAll(/\W+/g, "_");

/** The schema of the arguments in a text. */
export function schemaOfArguments(text: string): JsonObject {
  const properties: Record<string, JsonObject> = {};
  for (const [, , name = "", , description = "", , type = "string"] of text.matchAll(FROM_AI))
    properties[argumentName(name)] = describeArgument(description, type.toLowerCase());
  return { type: "object", properties, required: Object.keys(properties) };
}

function describeArgument(description: string, type: string): JsonObject {
  return {
    ...(type !== "json" && { type: TYPES.has(type) ? type : "string" }),
    ...(description !== "" && { description: description.slice(0, 1_000) }),
  };
}

/** Thrown for code that computes with an argument, which templates cannot express. */
export class ComputedArgument extends NotConvertible {}

/** Collects the arguments in parameters, and replaces them by templates. */
export class ToolArguments {
  readonly #properties: Record<string, JsonObject> = {};
  readonly #placeholders: ReadonlyMap<string, JsonObject>;
  readonly #given: Map<string, string>;

  constructor(ctx: { readonly given: Map<string, string> }, placeholders?: Json) {
    const values = toList(toObject(placeholders)["values"]).map(toObject);
    this.#placeholders = new Map(values.map((one) => [toText(one["name"]), one]));
    this.#given = ctx.given;
  }

  get schema(): JsonObject {
    const names = Object.keys(this.#properties);
    return { type: "object", properties: this.#properties, required: names };
  }

  /** The value with templates. */
  read(value: Json): Json {
    if (typeof value === "string") return this.#readText(value);
    if (Array.isArray(value)) return value.map((one: Json) => this.read(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.read(one)]));
  }

  #readText(text: string): string {
    const filled = text.startsWith("=")
      ? splitTemplate(text.slice(1))
          .map((part) =>
            "code" in part ? this.#readCode(part.code) : part.text.replaceAll("{{", "{ {"),
          )
          .join("")
      : text.replaceAll("{{", "{ {");
    return filled.replaceAll(/(?<!\{)\{([A-Za-z_]\w*)\}(?!\})/g, (all, name: string) => {
      const known = this.#placeholders.get(name);
      return known ? this.#add(name, toText(known["description"]), toText(known["type"])) : all;
    });
  }

  #readCode(code: string): string {
    const plain = code.replaceAll(/\/\*[\s\S]*?\*\//g, "").trim();
    const [found] = plain.matchAll(FROM_AI);
    if (!found) {
      const name = `e${this.#given.size}`;
      this.#given.set(name, toCode(`={{ ${code} }}`));
      return `{{ item.given.${name} }}`;
    }
    const [whole, , name = "", , description = "", , type = "string"] = found;
    if (whole !== plain) throw new ComputedArgument("calculates with an argument of the model");
    return this.#add(name, description, type.toLowerCase());
  }

  #add(name: string, description: string, type: string): string {
    const field = argumentName(name);
    this.#properties[field] = describeArgument(description, type);
    return `{{ call.arguments.${field} }}`;
  }
}
