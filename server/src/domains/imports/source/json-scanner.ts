/** Parses items of a JSON text as a stream: of one list, or consecutive values such as JSON lines. */
import { isNestedDeeperThan } from "#kernel/schema/json-depth.ts";
import { JSON_DEPTH_MAX } from "#kernel/schema/json-value.ts";
import {
  CELLS_MAX,
  type Cell,
  detachText,
  ROW_CHARACTERS_MAX,
  SourceError,
  type SourceRow,
} from "./source-row.ts";

const NAME_CHARACTERS_MAX = 200;

/** Receives a text in parts. The columns are the members of its objects in order of first occurrence. */
export class JsonScanner {
  readonly columns: string[] = [];
  readonly #index = new Map<string, number>();
  #text = "";
  #depth = 0;
  #inString = false;
  #escaped = false;
  #isList = false;
  #started = false;
  #count = 0;

  push(text: string): SourceRow[] {
    const rows: SourceRow[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] ?? "";
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (character === "\\") this.#escaped = true;
        else if (character === '"') this.#inString = false;
        continue;
      }
      if (character === '"') {
        this.#inString = true;
        continue;
      }
      if (!this.#started && character === "[") {
        this.#started = true;
        this.#isList = true;
        from = at + 1;
        continue;
      }
      if (character === "{" || character === "[") {
        if (this.#depth === 0) from = this.#skipBefore(text, from, at);
        this.#started = true;
        this.#depth += 1;
      } else if (character === "}" || character === "]") {
        if (this.#depth === 0) {
          if (character === "]" && this.#isList) {
            this.#isList = false;
            from = at + 1;
            continue;
          }
          throw this.#error();
        }
        this.#depth -= 1;
        if (this.#depth > 0) continue;
        rows.push(this.#parse(this.#text + text.slice(from, at + 1)));
        this.#text = "";
        from = at + 1;
      }
    }
    this.#text +=
      this.#depth === 0 && !this.#inString ? this.#rest(text.slice(from)) : text.slice(from);
    if (this.#text.length > ROW_CHARACTERS_MAX) {
      throw new SourceError(
        `Item ${this.#count + 1} has more than ${ROW_CHARACTERS_MAX} characters.`,
      );
    }
    return rows;
  }

  end(): SourceRow[] {
    if (this.#text.trim() !== "" || this.#depth > 0 || this.#isList) throw this.#error();
    return [];
  }

  /** Only a comma and whitespace may be between two items. */
  #skipBefore(text: string, from: number, at: number): number {
    this.#text = this.#rest(this.#text + text.slice(from, at));
    if (this.#text !== "") throw this.#error();
    return at;
  }

  #rest(text: string): string {
    return text.replace(/[\s,\uFEFF]+/g, "");
  }

  #parse(text: string): SourceRow {
    this.#count += 1;
    if (isNestedDeeperThan(text, JSON_DEPTH_MAX)) {
      throw new SourceError(
        `Item ${this.#count} has more than ${JSON_DEPTH_MAX} levels of nesting.`,
      );
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new SourceError(`Item ${this.#count} is not valid JSON.`);
    }
    const cells: Cell[] = [];
    const members = Array.isArray(value)
      ? value.map((member, at) => [`column${at + 1}`, member])
      : Object.entries(value as object);
    for (const [name, member] of members) {
      cells[this.#columnOf(toColumnName(String(name)))] = toCell(member);
    }
    return { line: this.#count, cells: Array.from(cells, (cell) => cell ?? null) };
  }

  #columnOf(name: string): number {
    let index = this.#index.get(name);
    if (index === undefined) {
      index = this.columns.length;
      if (index >= CELLS_MAX)
        throw new SourceError(`The items have more than ${CELLS_MAX} members.`);
      const own = detachText(name);
      this.#index.set(own, index);
      this.columns.push(own);
    }
    return index;
  }

  #error(): SourceError {
    return new SourceError(`The text after item ${this.#count} is not a JSON object.`);
  }
}

/** Made well-formed before the look-up, so that the same name is found again. */
function toColumnName(name: string): string {
  return name.slice(0, NAME_CHARACTERS_MAX).toWellFormed();
}

function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "object") return JSON.stringify(value);
  return value as string | number | boolean;
}
