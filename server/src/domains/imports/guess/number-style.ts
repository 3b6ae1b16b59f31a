/** Parses numbers in the formats of different countries. */

/** The decimal separator: `1,234.5` or `1.234,5`. */
export const DECIMAL_MARKS = ["point", "comma"] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

const GROUP = "[ '’\u00a0\u202f]";
const PATTERNS: Readonly<Record<DecimalMark, RegExp>> = {
  point: new RegExp(
    `^[+-]?(?:\\d{1,3}(?:(?:,|${GROUP})\\d{3})+|\\d{1,2}(?:,\\d{2})+,\\d{3}|\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d{1,3})?$`,
  ),
  comma: new RegExp(`^[+-]?(?:\\d{1,3}(?:(?:\\.|${GROUP})\\d{3})+|\\d*)(?:,\\d+)?$`),
};
/** Currency codes only, because `ORD-00001` is an order and not an amount. */
const CODES = Intl.supportedValuesOf("currency").join("|");
const CURRENCY = `(?:[€$£¥₹₽₺₩]|R\\$|${CODES}|kr\\.?|zł|Kč|Fr\\.?)`;
const WITH_CURRENCY = new RegExp(
  `^([+-]?)(?:${CURRENCY})?\\s*([^\\sA-Za-z€$£].*?|\\d)\\s*(?:${CURRENCY})?$`,
);
const CHARACTERS_MAX = 60;

/** A number in the format of columns, such as `-1234.56`. Undefined for any other text. */
export function parseNumber(text: string, mark: DecimalMark): string | undefined {
  if (text.length > CHARACTERS_MAX || !/\d/.test(text)) return undefined;
  let rest = text.trim().replaceAll("\u2212", "-");
  let isNegative = false;
  if (/^\(.*\)$/.test(rest)) [rest, isNegative] = [rest.slice(1, -1).trim(), true];
  else if (/\d\s*-$/.test(rest)) [rest, isNegative] = [rest.slice(0, -1).trim(), true];
  const parts = WITH_CURRENCY.exec(rest);
  if (!parts) return undefined;
  const [, sign = "", figure = ""] = parts;
  const number = sign + figure;
  if (!PATTERNS[mark].test(number)) return undefined;
  const plain = number.replace(/[ '’\u00a0\u202f]/g, "").replace(/^\+/, "");
  const canonical =
    mark === "point" ? plain.replaceAll(",", "") : plain.replaceAll(".", "").replace(",", ".");
  const signed = isNegative ? `-${canonical}` : canonical;
  return Number.isFinite(Number(signed)) && !signed.startsWith("--") ? signed : undefined;
}

/** True for digits that are not a plain number, such as a postal code. */
export function hasLeadingZero(text: string): boolean {
  return /^\D*0\d/.test(text);
}

/** The currency of an amount. Undefined if it has none. */
export function currencyOf(text: string): string | undefined {
  return CURRENCY_NAME.exec(text)?.[0];
}

const CURRENCY_NAME = new RegExp(CURRENCY);
