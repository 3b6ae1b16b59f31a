/**
 * Drafts in the browser's own database, one for each person, workflow and open page: a reload loses nothing, leaving
 * never asks, and two tabs don't overwrite each other.
 */
import { place } from "../../../data/place.ts";
import { type History, parseHistory } from "../../graph/history.ts";
import { listHeld } from "./draft-roll.ts";

export interface KeptDraft {
  readonly history: History;
  readonly keptAt: string;
}

const DATABASE = "millrace-drafts";
const STORE = "drafts";

/**
 * Two pages of one person never write the same draft. A reload is a new page, and takes over what the last one left.
 */
const PAGE = crypto.getRandomValues(new Uint32Array(2)).join("-");

/**
 * A draft that a page left with: its write to the database may still be under way, or never have begun, when the next
 * page reads. This is written before the page is gone, and read before anything else.
 */
const PARTING = "millrace.draft.";
const NOTHING = "";
/** A tab has five megabytes for all of this; a larger draft is in the database alone. */
const PARTING_CHARACTERS_MAX = 1_000_000;

/** The page that a reload replaced is gone, even while the browser still tidies up after it. */
const REPLACED = readReplaced();

function readReplaced(): string | undefined {
  const former = sessionStorage.getItem("millrace.page");
  sessionStorage.setItem("millrace.page", PAGE);
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return entry?.type === "reload" && former !== null ? former : undefined;
}

export const nameDraft = (userId: string, workflowId: string): string =>
  `${place.workspace ?? ""}/${userId}/${workflowId}#${PAGE}`;

export interface TakenDraft {
  readonly kept: KeptDraft | undefined;
  /** Another page is open with a draft of its own. */
  readonly isElsewhere: boolean;
}

/** The newest draft that no open page has; it is this page's from now on. */
export async function takeDraft(name: string): Promise<TakenDraft> {
  const [prefix = name] = name.split("#");
  const parting = takeParting(name);
  // What this tab was left with is its own newest word, whatever the database had time for.
  if (parting !== undefined) await dropDraft(`${prefix}#${REPLACED}`);
  if (parting) await keepDraft(name, parting);
  const taken = await takeStored(name, prefix);
  return { ...taken, kept: taken.kept ?? parting ?? undefined };
}

async function takeStored(name: string, prefix: string): Promise<TakenDraft> {
  const range = IDBKeyRange.bound(prefix, `${prefix}#\uffff`);
  const found = await inStore("readonly", (store) => store.getAllKeys(range));
  const names = (found ?? []).map(String);
  if (names.length === 0) return { kept: undefined, isElsewhere: false };
  const held = await listHeld(prefix);
  const isOthers = (one: string): boolean =>
    one !== name && one !== `${prefix}#${REPLACED}` && held.has(one);
  let newest: { readonly name: string; readonly draft: KeptDraft } | undefined;
  for (const one of names.filter((other) => !isOthers(other))) {
    const draft = await inStore("readonly", (store) => store.get(one) as IDBRequest<unknown>);
    if (isDraft(draft) && (!newest || newest.draft.keptAt < draft.keptAt)) {
      newest = { name: one, draft };
    }
  }
  if (newest && newest.name !== name) {
    await keepDraft(name, newest.draft);
    await dropDraft(newest.name);
  }
  return { kept: newest?.draft, isElsewhere: names.some(isOthers) };
}

/** Keeps a draft as the page is left, at once and for this tab alone; null where nothing is left to keep. */
export function partWithDraft(name: string, draft: KeptDraft | null): void {
  try {
    const text = draft === null ? NOTHING : JSON.stringify(draft.history);
    if (text.length <= PARTING_CHARACTERS_MAX) sessionStorage.setItem(toParting(name), text);
  } catch {
    // A tab that is full, or keeps nothing: the database has it, most likely.
  }
}

/** The draft that this tab was left with, if any; it is read once. A page that comes back as it was needs none. */
export function takeParting(name: string): KeptDraft | null | undefined {
  const key = toParting(name);
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (text === null) return undefined;
  if (text === NOTHING) return null;
  return { history: parseHistory(text), keptAt: new Date().toISOString() };
}

/** A place in the tab: each page of it finds it. */
const toParting = (name: string): string => `${PARTING}${name.split("#")[0]}`;

export async function keepDraft(name: string, draft: KeptDraft): Promise<void> {
  await inStore("readwrite", (store) => store.put(draft, name));
}

export async function dropDraft(name: string): Promise<void> {
  await inStore("readwrite", (store) => store.delete(name));
}

/** What an older console kept may have another form: it is not taken for a draft. */
function isDraft(kept: unknown): kept is KeptDraft {
  const { history } = (kept ?? {}) as Partial<KeptDraft>;
  return Array.isArray(history?.edits) && history.base !== undefined;
}

let opened: Promise<IDBDatabase> | undefined;

function openDatabase(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser keeps no drafts."));
  });
  return opened;
}

async function inStore<T>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  try {
    const database = await openDatabase();
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = use(transaction.objectStore(STORE));
      // At once: a page that is left has no time to wait for the answer.
      transaction.commit();
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("The draft was not kept."));
    });
  } catch {
    // A private window may refuse its database: then only saving keeps anything.
    return undefined;
  }
}
