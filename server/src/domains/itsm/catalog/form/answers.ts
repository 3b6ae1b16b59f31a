/** Formats form answers as readable text: by title, in form order. Pure functions. */
import type { Form } from "./form.ts";
import type { FormValues } from "./check-values.ts";

export interface FormAnswer {
  readonly name: string;
  readonly title: string;
  /** Empty for file answers. */
  readonly text: string;
  readonly fileIds: readonly string[];
}

const PARTS_DEPTH_MAX = 4;

/** Empty answers are omitted. Answers to removed questions come last. */
export function listAnswers(form: Form, values: FormValues): readonly FormAnswer[] {
  const properties = propertiesOf(form);
  const order = Array.isArray(form["x-order"]) ? form["x-order"].map(String) : [];
  const names = new Set([...order, ...Object.keys(properties), ...Object.keys(values)]);
  return [...names].flatMap((name): readonly FormAnswer[] => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (isEmpty(value)) return [];
    const schema = properties[name];
    const title = toTitle(name, schema);
    if (takesFiles(schema)) return [{ name, title, text: "", fileIds: [value].flat().map(String) }];
    return [{ name, title, text: toText(schema, value, 0), fileIds: [] }];
  });
}

/** One line per answer, for mails. Files appear by name. */
export function describeAnswers(
  answers: readonly (Pick<FormAnswer, "title" | "text"> & {
    readonly files: readonly { readonly name: string }[];
  })[],
): string {
  return answers
    .map(
      ({ title, text, files }) =>
        `${title}: ${files.length > 0 ? files.map(({ name }) => name).join(", ") : text}`,
    )
    .join("\n");
}

/** Returns the field title, or words derived from the name. */
function toTitle(name: string, schema: unknown): string {
  const title = isMap(schema) ? schema["title"] : undefined;
  if (typeof title === "string" && title !== "") return title;
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[_-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

function toText(schema: unknown, value: unknown, depth: number): string {
  const label = labelOfChoice(schema, value);
  if (label !== undefined) return label;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (Array.isArray(value)) {
    const items = isMap(schema) ? schema["items"] : undefined;
    return value.map((item) => toText(items, item, depth + 1)).join(", ");
  }
  if (!isMap(value) || depth >= PARTS_DEPTH_MAX) {
    return typeof value === "string" ? value : JSON.stringify(value);
  }
  const properties = propertiesOf(schema);
  const names = new Set([...Object.keys(properties), ...Object.keys(value)]);
  return [...names]
    .filter((name) => !isEmpty(value[name]))
    .map((name) => {
      const part = properties[name];
      return `${toTitle(name, part)}: ${toText(part, value[name], depth + 1)}`;
    })
    .join("; ");
}

/** The title of the selected choice. */
function labelOfChoice(schema: unknown, value: unknown): string | undefined {
  if (!isMap(schema)) return undefined;
  const choices = [schema["oneOf"], schema["anyOf"]].find(Array.isArray) ?? [];
  const chosen = choices.find((choice: unknown) => isMap(choice) && choice["const"] === value);
  const title = isMap(chosen) ? chosen["title"] : undefined;
  return typeof title === "string" ? title : undefined;
}

function takesFiles(schema: unknown): boolean {
  if (!isMap(schema)) return false;
  const { items } = schema;
  return schema["x-file"] === true || (isMap(items) && items["x-file"] === true);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === "";
}

function propertiesOf(schema: unknown): Form {
  const properties = isMap(schema) ? schema["properties"] : undefined;
  return isMap(properties) ? properties : {};
}

function isMap(value: unknown): value is Form {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
