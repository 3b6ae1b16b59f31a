/// <reference lib="dom" />
/** A user's choices in an app, stored in this browser: inputs, the sort order of tables, the open tab. */
const CHARACTERS_MAX = 20_000;

export interface Remembered {
  readonly inputs?: Readonly<Record<string, string | number | boolean | null>>;
  readonly sorts?: Readonly<Record<string, string>>;
  readonly tabs?: Readonly<Record<string, number>>;
}

/** Reads the saved choices for a page; empty if browser storage is unavailable. */
export function recall(name: string, page: string): Remembered {
  try {
    const found = Object(JSON.parse(localStorage.getItem(keyOf(name, page)) ?? "{}")) as Remembered;
    return found;
  } catch {
    return {};
  }
}

export function remember(name: string, page: string, what: Remembered): void {
  const text = JSON.stringify(what);
  if (text.length > CHARACTERS_MAX) return;
  try {
    localStorage.setItem(keyOf(name, page), text);
  } catch {
    // Without browser storage, the page uses its defaults.
  }
}

const keyOf = (name: string, page: string): string => `millrace.app ${name} ${page}`;
