/** Drafts in the browser's own database, one for each person and workflow: a reload loses nothing, leaving never asks. */
import { place } from "../../../data/place.ts";
import type { History } from "../../graph/history.ts";

export interface KeptDraft {
  readonly history: History;
  readonly keptAt: string;
}

const DATABASE = "millrace-drafts";
const STORE = "drafts";

export const nameDraft = (userId: string, workflowId: string): string =>
  `${place.workspace ?? ""}/${userId}/${workflowId}`;

export async function readDraft(name: string): Promise<KeptDraft | undefined> {
  const kept = await inStore("readonly", (store) => store.get(name) as IDBRequest<unknown>);
  return isDraft(kept) ? kept : undefined;
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
      const request = use(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("The draft was not kept."));
    });
  } catch {
    // A private window may refuse its database: then only saving keeps anything.
    return undefined;
  }
}
