import { ApiError } from "../../data/api.ts";
import type { CodeMark } from "../../code/index.ts";

/** Marks the positions of an error; errors without a position are not marked. */
export function toMarks(error: unknown, sql: string): readonly CodeMark[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors.flatMap((one): CodeMark[] => {
    const { position } = one as { readonly position?: number };
    if (one.path !== "/sql" || position === undefined) return [];
    const from = toOffset(sql, position);
    const [word = ""] = /^(?:"[^"]*"|\w+|\S)?/.exec(sql.slice(from)) ?? [];
    const message = one.message.replace(/^line \d+, column \d+: /, "");
    return [{ from, to: Math.min(sql.length, from + Math.max(1, word.length)), message }];
  });
}

/** The server counts characters, the editor UTF-16 code units. */
export function toOffset(text: string, position: number): number {
  let [at, left] = [0, position];
  while (left > 0 && at < text.length) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    left -= 1;
  }
  return at;
}
