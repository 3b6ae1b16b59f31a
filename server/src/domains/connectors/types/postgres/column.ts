import pg from "pg";

const INT8 = 20;
/** Booleans, numbers that fit, JSON, and lists of these and of texts. */
const MEANINGFUL = new Set([
  16, 21, 23, 26, 114, 700, 701, 3802, 199, 1000, 1005, 1007, 1009, 1014, 1015, 1021, 1022, 2951,
  3807,
]);

/** Values as JSON has them; what JSON has no form for is the text that PostgreSQL writes. */
export const columnParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === INT8) return safeInteger;
    return MEANINGFUL.has(oid) ? pg.types.getTypeParser(oid, format ?? "text") : asText;
  }) as typeof pg.types.getTypeParser,
};

/** A number that JSON readers would round stays a text. */
function safeInteger(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

function asText(value: string): string {
  return value;
}
