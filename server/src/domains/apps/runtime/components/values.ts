/** Converts values of rows and expressions for display. An expression may return any type. */
import type { BindingScope } from "../evaluate-binding.ts";
import type { ButtonProps, Option } from "../browser/page-state.ts";

/** For components without named fields. */
const FIELDS_MAX = 50;
/** System fields that are not shown in lists. */
const SYSTEM_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "createdAt",
  "updatedAt",
  "createdBy",
  "revision",
]);
/** The fields that may contain the name of an object, best first. */
const NAMES = ["name", "title", "label", "number", "email", "id"];

export interface DisplayField {
  readonly field: string;
  readonly label: string;
  readonly format: string;
}

/** The fields that a component names; if none, the fields of the rows. */
export function displayFields(
  named: unknown,
  rows: readonly unknown[],
  labelOf: (field: string) => string = toLabel,
): DisplayField[] {
  const fields = named === undefined ? inferFields(rows) : toList(named);
  return fields.map((entry) => {
    const { field, label, format } = entry as Readonly<Record<string, unknown>>;
    const name = toText(field);
    return { field: name, label: toText(label ?? labelOf(name)), format: toText(format ?? "text") };
  });
}

/** Omits names with a dot, which would be read as paths, and system fields. */
function inferFields(rows: readonly unknown[]) {
  const names = new Set(rows.flatMap((row) => Object.keys(Object(row) as object)));
  const readable = [...names].filter((name) => !name.includes("."));
  const own = readable.filter((name) => !SYSTEM_FIELDS.has(name));
  return (own.length > 0 ? own : readable).slice(0, FIELDS_MAX).map((field) => ({ field }));
}

/** `due_on` is "Due on", `customer.name` is "Customer". */
export function toLabel(field: string): string {
  const names = field.split(".");
  const [first = ""] = NAMES.includes(names.at(-1) ?? "") ? names.slice(-2) : names.slice(-1);
  const words = first
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The displayed value of a field: the name for a reference, the link for a file. */
export function cellValue(row: unknown, field: string): unknown {
  return toShown(valueAt(row, field)) ?? null;
}

function toShown(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(toShown);
    return items.some((one) => typeof one === "object") ? items : items.map(toText).join(", ");
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  if (typeof fields["url"] === "string" && typeof fields["mediaType"] === "string") {
    const { name, url, thumbnailUrl, mediaType } = fields;
    return { name, url, thumbnailUrl, mediaType };
  }
  const text = Object.values(fields).find((one) => typeof one === "string" && !isId(one));
  const named = NAMES.map((name) => fields[name]).find(
    (one) => typeof one === "string" && !isId(one),
  );
  return named ?? (isId(fields["id"]) ? (text ?? fields["id"]) : value);
}

const isId = (value: unknown): boolean =>
  typeof value === "string" && /^[a-z]{2,4}_[0-9a-z]{26}$/.test(value);

export function toButton({
  label,
  style,
  confirm,
}: Readonly<Record<string, unknown>>): ButtonProps {
  return {
    label: toText(label),
    style: toText(style ?? "secondary"),
    confirm: confirm === undefined ? undefined : toText(confirm),
  };
}

export function toOptions(options: unknown): Option[] {
  return toList(options).map((entry) => {
    if (typeof entry !== "object" || entry === null)
      return { value: toText(entry), label: toText(entry) };
    const { value, label = value } = entry as Readonly<Record<string, unknown>>;
    return { value: toText(value), label: toText(label) };
  });
}

/** The entered value of an input; own properties only, since an input may be named `constructor`. */
export function inputValue({ inputs }: BindingScope, name: string): unknown {
  return (Object.hasOwn(inputs, name) ? inputs[name] : undefined) ?? "";
}

/** Reads own properties on a path such as `a.b.c`. */
export function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

export function toNumber(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

export function toList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null || value === "" ? [] : [value];
}

/** Converts any value to text for display. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object"
    ? JSON.stringify(value)
    : String(value as string | number | boolean);
}
