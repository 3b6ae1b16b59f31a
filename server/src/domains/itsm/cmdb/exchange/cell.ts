/** Attributes in CSV cells. `parseCell` reads what `formatCell` writes. */
import { typesOf } from "../classes/check-attributes.ts";
import type { AttributeSchema } from "../classes/schema.ts";

/** Texts that can be JSON. */
const JSON_LIKE = /^(-?\d|["[{]|true$|false$)/;

/**
 * Parses a cell. A string attribute is used literally. Others are parsed as JSON if they are a number, a literal, a
 * list, an object or a quoted string.
 */
export function parseCell(cell: string, schema: AttributeSchema | undefined): unknown {
  const types = schema ? typesOf(schema) : [];
  const isText = types.length > 0 && types.every((type) => type === "string" || type === "null");
  if (isText || !JSON_LIKE.test(cell)) return cell;
  try {
    const value: unknown = JSON.parse(cell);
    // Long numbers and numbers with extra zeros stay text, because they would not be restored exactly.
    return typeof value === "number" && String(value) !== cell ? cell : value;
  } catch {
    return cell;
  }
}

export function formatCell(value: unknown, schema: AttributeSchema | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") {
    return parseCell(value, schema) === value ? value : JSON.stringify(value);
  }
  return JSON.stringify(value);
}
