/**
 * Stores drafts in IndexedDB, one per person, workflow and open page: a reload loses nothing, leaving needs no
 * confirmation, and two tabs do not overwrite each other.
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
 * Two pages of one person never write the same draft. A reloaded page counts as a new one and takes over the draft
 * of the old one.
 */
const PAGE = crypto.getRandomValues(new Uint32Array(2)).join("-");

/**
 * The draft of an unloading page: its write to the database may be unfinished when the next page reads. This copy
 * is written synchronously on unload and read first.
 */
const PARTING = "millrace.draft.";
const NOTHING = "";
/** Session storage holds five megabytes in total; a larger draft is kept only in the database. */
const PARTING_CHARACTERS_MAX = 1_000_000;

/** The page that a reload replaced counts as closed, even if the browser has not yet cleaned it up. */
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
  /** True if another page has its own draft of this workflow open. */
  readonly isElsewhere: boolean;
}

/** Takes over the newest draft not open on another page. */
export async function takeDraft(name: string): Promise<TakenDraft> {
  const [prefix = name] = name.split("#");
  const parting = takeParting(name);
  // Session storage has the newest draft of this tab: the database write may not have finished.
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

/** Keeps a draft synchronously while the page unloads, for this tab only; null clears it. */
export function partWithDraft(name: string, draft: KeptDraft | null): void {
  try {
    const text = draft === null ? NOTHING : JSON.stringify(draft.history);
    if (text.length <= PARTING_CHARACTERS_MAX) sessionStorage.setItem(toParting(name), text);
  } catch {
    // Session storage is full or disabled: the draft is most likely in the database.
  }
}

/** Returns and removes the draft that this tab kept on unload. A page restored from the bfcache does not need it. */
export function takeParting(name: string): KeptDraft | null | undefined {
  const key = toParting(name);
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (text === null) return undefined;
  if (text === NOTHING) return null;
  return { history: parseHistory(text), keptAt: new Date().toISOString() };
}

/** The key in session storage; all pages of the tab share it. */
const toParting = (name: string): string => `${PARTING}${name.split("#")[0]}`;

export async function keepDraft(name: string, draft: KeptDraft): Promise<void> {
  await inStore("readwrite", (store) => store.put(draft, name));
}

export async function dropDraft(name: string): Promise<void> {
  await inStore("readwrite", (store) => store.delete(name));
}

/** Drafts kept by an older console may have another format; those are ignored. */
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
    request.onerror = () => reject(request.error ?? new Error("The browser can't store drafts."));
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
      // Commits immediately: an unloading page can't wait for the response.
      transaction.commit();
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("The draft could not be stored."));
    });
  } catch {
    // Private windows may deny access to IndexedDB: then unsaved changes are not kept.
    return undefined;
  }
}
