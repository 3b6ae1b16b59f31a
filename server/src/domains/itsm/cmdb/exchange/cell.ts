/** Attributes in the cells of CSV files: what is written by one function is read by the other. */
import { typesOf } from "../classes/check-attributes.ts";
import type { AttributeSchema } from "../classes/schema.ts";

/** Texts that may stand for something else. */
const JSON_LIKE = /^(-?\d|["[{]|true$|false$)/;

/**
 * What a cell says. An attribute that is declared as a text is taken to the letter; of any other, what
 * is a number, a word of JSON, a list, an object or a text in quotes is that.
 */
export function valueOfCell(cell: string, schema: AttributeSchema | undefined): unknown {
  const types = schema ? typesOf(schema) : [];
  const isText = types.length > 0 && types.every((type) => type === "string" || type === "null");
  if (isText || !JSON_LIKE.test(cell)) return cell;
  try {
    const value: unknown = JSON.parse(cell);
    // A long number, or one with a zero in front or behind, is rather a text that someone will want back.
    return typeof value === "number" && String(value) !== cell ? cell : value;
  } catch {
    return cell;
  }
}

/** The cell for a value. */
export function cellOfValue(value: unknown, schema: AttributeSchema | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") {
    return valueOfCell(value, schema) === value ? value : JSON.stringify(value);
  }
  return JSON.stringify(value);
}
