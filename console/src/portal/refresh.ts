import { readPage } from "../data/page.ts";
import { writeTimes } from "./times.ts";

let isBusy = false;

/** Returns whether the page must not be refreshed, because the user is entering something. */
export function isHeld(): boolean {
  const { activeElement } = document;
  const isTyping =
    activeElement instanceof HTMLTextAreaElement || activeElement instanceof HTMLInputElement;
  return isBusy || isTyping || document.querySelector("[data-held]") !== null;
}

/** Updates the changed parts of the page, unless the user is entering something. */
export async function refresh({ isForced = false } = {}): Promise<void> {
  if (!isForced && isHeld()) return;
  isBusy = true;
  try {
    const drawn = await readPage(location.href);
    // The user may have started to type in the meantime.
    isBusy = false;
    if (drawn && (isForced || !isHeld())) replace(drawn, "#page");
  } catch {
    // Errors are ignored: the content stays, and the refresh is retried later.
  } finally {
    isBusy = false;
  }
}

/** Replaces a part of the page with the same part of another document if they differ. */
export function replace(drawn: Document, selector: string): void {
  const [now, next] = [document.querySelector(selector), drawn.querySelector(selector)];
  if (!now || !next) return;
  writeTimes(next);
  if (now.innerHTML !== next.innerHTML) now.replaceChildren(...document.adoptNode(next).childNodes);
}
