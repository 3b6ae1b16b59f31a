/**
 * After a deployment, the old file names no longer exist, so a tab that is still open can't load further screens.
 * One reload gets the new files; if that does not help, it must not loop.
 */
const KEY = "millrace.reloaded";
const AGAIN_AFTER_MS = 60_000;

export function isMissingChunk(error: Error): boolean {
  return /dynamically imported module|Importing a module script failed|preload CSS/i.test(
    error.message,
  );
}

/** Reloads, unless the page was just reloaded. */
export function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(KEY) ?? 0);
  if (Date.now() - last < AGAIN_AFTER_MS) return false;
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
  return true;
}
