/** Abbreviates values and lists them as rows of a tree. */
const BRIEF_CHARACTERS = 34;
const BRIEF_NAMES = 3;
/** More rows are not rendered; users can search for the rest. */
const ROWS_MAX = 50_000;

const isPlainName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

/** Joins a path: `orders[0].customer.name`; special names in backticks, as JSONata requires. */
export function joinPath(path: string, name: string | number): string {
  if (typeof name === "number") return `${path}[${name}]`;
  const written = isPlainName(name) ? name : `\`${name}\``;
  return path === "" ? written : `${path}.${written}`;
}

/** Abbreviates a value: `3 items`, `{ id, name, … }`, `"Lisbon"`. */
export function summarizeValue(value: unknown, charactersMax = BRIEF_CHARACTERS): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 1 ? "1 item" : `${value.length} items`;
  if (typeof value === "object" && value !== null) {
    const names = Object.keys(value);
    if (names.length === 0) return "{ }";
    return `{ ${names.slice(0, BRIEF_NAMES).join(", ")}${names.length > BRIEF_NAMES ? ", …" : ""} }`;
  }
  const text = JSON.stringify(value);
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text;
}

export interface TreeRow {
  readonly path: string;
  readonly name: string | number;
  readonly value: unknown;
  readonly depth: number;
  readonly hasChildren: boolean;
}

type Children = readonly (readonly [string | number, unknown])[];

function childrenOf(value: unknown): Children {
  if (Array.isArray(value)) return value.map((item: unknown, n) => [n, item] as const);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Returns the visible rows: children of `root` and of all expanded nodes. */
export function listRows(value: unknown, root: string, open: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (parent: unknown, path: string, depth: number): void => {
    for (const [name, own] of childrenOf(parent)) {
      if (rows.length >= ROWS_MAX) return;
      const at = joinPath(path, name);
      const hasChildren = childrenOf(own).length > 0;
      rows.push({ path: at, name, value: own, depth, hasChildren });
      if (hasChildren && open.has(at)) add(own, at, depth + 1);
    }
  };
  add(value, root, 0);
  return rows;
}

/** Finds rows with matching names or plain values at any depth, with full paths. */
export function searchRows(value: unknown, root: string, words: string): TreeRow[] {
  const wanted = words.toLowerCase();
  const rows: TreeRow[] = [];
  const visit = (parent: unknown, path: string): void => {
    for (const [name, own] of childrenOf(parent)) {
      if (rows.length >= ROWS_MAX) return;
      const at = joinPath(path, name);
      const hasChildren = childrenOf(own).length > 0;
      const text = hasChildren ? String(name) : `${name} ${JSON.stringify(own)}`;
      if (text.toLowerCase().includes(wanted)) {
        rows.push({ path: at, name, value: own, depth: 0, hasChildren: false });
      }
      visit(own, at);
    }
  };
  visit(value, root);
  return rows;
}
