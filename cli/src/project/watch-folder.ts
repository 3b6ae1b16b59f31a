import { watch } from "node:fs";

/** Editors write a file in several steps. Changes within this time are handled together. */
const GATHER_MS = 150;

/** Runs the work once, and again after each change in a folder, until the signal. */
export async function watchFolder(
  folder: string,
  { signal, work }: { readonly signal: AbortSignal; readonly work: () => Promise<void> },
): Promise<void> {
  let wake: (() => void) | undefined;
  let changed = true;
  const watcher = watch(folder, { recursive: true, signal }, () => {
    changed = true;
    wake?.();
  });
  watcher.on("error", () => wake?.());
  signal.addEventListener("abort", () => wake?.(), { once: true });
  while (!signal.aborted) {
    if (!changed) await new Promise<void>((resolve) => (wake = resolve));
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    changed = false;
    await work();
  }
}
