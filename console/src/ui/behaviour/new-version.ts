/**
 * A console that was deployed while a tab is open has other files: the old names are gone, and a screen that is not
 * loaded yet can't be. A reload brings the new ones, once: were it not that, it would go on for ever.
 */
const KEY = "millrace.reloaded";
const AGAIN_AFTER_MS = 60_000;

export function isMissingChunk(error: Error): boolean {
  return /dynamically imported module|Importing a module script failed|preload CSS/i.test(
    error.message,
  );
}

/** Reloads, unless that was tried just now. */
export function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(KEY) ?? 0);
  if (Date.now() - last < AGAIN_AFTER_MS) return false;
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
  return true;
}
