import { escapeFormula, formatCsvLine } from "#kernel/csv/csv-line.ts";
import { DocumentError, type WriteOptions, type WriteTask } from "../work/task.ts";
import { type Row, toTable } from "./rows.ts";
import { writeWorkbook } from "./workbook.ts";

const LINES_AT_ONCE = 500;

/** Writes data as a document, part by part. */
export async function* writeDocument(task: WriteTask): AsyncGenerator<Uint8Array> {
  const { format, data, options } = task;
  switch (format) {
    case "csv":
      return yield* writeCsv(data, options);
    case "xlsx":
      return yield* writeWorkbook(toTable(data, options), options.sheet ?? "Sheet1");
    case "json":
      return yield Buffer.from(`${JSON.stringify(data, null, 2)}\n`);
    case "html":
      return yield* writeHtml(data, options);
    case "text":
      return yield Buffer.from(typeof data === "string" ? data : JSON.stringify(data, null, 2));
    case "base64":
      return yield decodeBase64(data);
  }
}

function* writeCsv(data: unknown, options: WriteOptions): Generator<Uint8Array> {
  const { columns, rows } = toTable(data, options);
  const isRaw = options.formulas === "raw";
  // Numbers are never formulas and need no escaping.
  const toCell = (cell: unknown): string | null => {
    if (cell === null || cell === undefined) return null;
    const text = toText(cell);
    return isRaw || typeof cell === "number" ? text : escapeFormula(text);
  };
  const hasHeader = options.header !== false && columns.length > 0;
  if (hasHeader) yield Buffer.from(formatCsvLine(columns.map(toCell)));
  for (let at = 0; at < rows.length; at += LINES_AT_ONCE) {
    const lines = rows.slice(at, at + LINES_AT_ONCE).map((row) => formatCsvLine(row.map(toCell)));
    yield Buffer.from(lines.join(""));
  }
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function* writeHtml(data: unknown, options: WriteOptions): Generator<Uint8Array> {
  if (typeof data === "string") return yield Buffer.from(data);
  const { columns, rows } = toTable(data, options);
  const cells = (row: Row, tag: string): string =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(toText(cell ?? ""))}</${tag}>`).join("")}</tr>\n`;
  yield Buffer.from(
    `<!doctype html>\n<meta charset="utf-8">\n<table>\n${columns.length > 0 ? cells(columns, "th") : ""}`,
  );
  for (const row of rows) yield Buffer.from(cells(row, "td"));
  yield Buffer.from("</table>\n");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function decodeBase64(data: unknown): Uint8Array {
  if (typeof data !== "string") throw new DocumentError("The data must be a base64 string.");
  const text = data.replace(/^data:[^,]{0,200},/, "").replaceAll(/\s+/g, "");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw new DocumentError("The data is not base64.");
  return Buffer.from(text, "base64");
}
