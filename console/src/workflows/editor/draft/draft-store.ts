/**
 * Drafts in the browser's own database, one for each person, workflow and open page: a reload loses nothing, leaving
 * never asks, and two tabs don't overwrite each other.
 */
import { place } from "../../../data/place.ts";
import type { History } from "../../graph/history.ts";
import { listHeld } from "./draft-roll.ts";

export interface KeptDraft {
  readonly history: History;
  readonly keptAt: string;
}

const DATABASE = "millrace-drafts";
const STORE = "drafts";

/** Two pages of one person never write the same draft. A reload is a new page, and takes over what the last one left. */
const PAGE = crypto.getRandomValues(new Uint32Array(2)).join("-");

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
