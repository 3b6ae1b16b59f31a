import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { isTextual, textFrom } from "./to-text.ts";
import type { ColumnType } from "./column-type.ts";
import { checkRange, isBounded, rangeSql, withinRange } from "./number-range.ts";

/** So many digits survive the way through a JSON number, whichever they are. */
const DIGITS_MAX = 15;
const SCALE_MAX = 10;
/** Before and after the point: beyond them nobody means what they say. */
const PLACES_MAX = 30;

const NUMERIC = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,3}))?$/;

export const decimal: ColumnType = {
  summary: "A decimal number of up to 15 significant digits, kept exactly",
  options: object({
    scale: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: SCALE_MAX,
        description: "Digits after the point; a number with more is refused",
      }),
    ),
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
  }),
  check: checkRange,
  sqlType: () => "numeric",
  parameterType: "numeric",
  constraint: (column, quoted) =>
    [
      // What is not a number, or not finite, is greater than all that are.
      `abs(${quoted}) < 1e${PLACES_MAX}`,
      `length(btrim(replace(abs(${quoted})::text, '.', ''), '0')) <= ${DIGITS_MAX}`,
      `scale(trim_scale(${quoted})) <= ${scaleOf(column.options["scale"])}`,
      ...rangeSql(column, quoted),
    ].join(" and "),
  guarded: (column) => isBounded(column) || column.options["scale"] !== undefined,
  read(value, column) {
    if (typeof value !== "number" && typeof value !== "string") return { fault: NOT_A_NUMBER };
    const parts = partsOf(String(value).trim());
    if (!parts) return { fault: NOT_A_NUMBER };
    if (parts.digits > DIGITS_MAX) {
      return { fault: `must have at most ${DIGITS_MAX} significant digits` };
    }
    if (parts.before > PLACES_MAX || parts.after > PLACES_MAX) {
      return { fault: `must have at most ${PLACES_MAX} places before and after the point` };
    }
    const scale = scaleOf(column.options["scale"]);
    if (parts.after > scale) return { fault: `must have at most ${scale} digits after the point` };
    return withinRange(Number(value), column);
  },
  store: (value) => value,
  show: Number,
  kind: "number",
  parse: (cell) => cell,
  format: String,
  convertFrom(from, _, quoted) {
    if (from.type === "decimal") return quoted;
    if (from.type === "integer" || from.type === "autonumber") return `${quoted}::numeric`;
    return isTextual(from) ? `${textFrom(from, quoted)}::numeric` : undefined;
  },
};

const NOT_A_NUMBER = "must be a number, or a text that is one";

function scaleOf(scale: unknown): number {
  return typeof scale === "number" ? scale : PLACES_MAX;
}

/** How many digits count, and how many places there are before and after the point. */
function partsOf(text: string) {
  const [, , whole = "", fraction = "", exponent = "0"] = NUMERIC.exec(text) ?? [];
  const all = whole + fraction;
  if (all === "") return undefined;
  const leading = /^0*/.exec(all)?.[0].length ?? 0;
  const trailing = leading === all.length ? 0 : (/0*$/.exec(all)?.[0].length ?? 0);
  const digits = all.length - leading - trailing;
  if (digits === 0) return { digits, before: 0, after: 0 };
  const point = whole.length + Number(exponent);
  return { digits, before: point - leading, after: all.length - trailing - point };
}
