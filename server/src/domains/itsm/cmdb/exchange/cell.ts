/** Attributes in the cells of CSV files: `parseCell` reads back what `formatCell` writes. */
import { typesOf } from "../classes/check-attributes.ts";
import type { AttributeSchema } from "../classes/schema.ts";

/** Texts that may be JSON. */
const JSON_LIKE = /^(-?\d|["[{]|true$|false$)/;

/**
 * Parses a cell. An attribute declared as a text is taken literally; any other is parsed as JSON where it
 * is a number, a literal, a list, an object or a text in quotes.
 */
export function parseCell(cell: string, schema: AttributeSchema | undefined): unknown {
  const types = schema ? typesOf(schema) : [];
  const isText = types.length > 0 && types.every((type) => type === "string" || type === "null");
  if (isText || !JSON_LIKE.test(cell)) return cell;
  try {
    const value: unknown = JSON.parse(cell);
    // A long number, or one with a zero in front or behind, stays a text so that it can be read back.
    return typeof value === "number" && String(value) !== cell ? cell : value;
  } catch {
    return cell;
  }
}

/** Formats a value as a cell. */
export function formatCell(value: unknown, schema: AttributeSchema | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") {
    return parseCell(value, schema) === value ? value : JSON.stringify(value);
  }
  return JSON.stringify(value);
}
