import { readPage } from "../data/page.ts";
import { writeTimes } from "./times.ts";

let isBusy = false;

/** Holds the page as it is, while somebody is in the middle of something. */
export function isHeld(): boolean {
  const { activeElement } = document;
  const isTyping =
    activeElement instanceof HTMLTextAreaElement || activeElement instanceof HTMLInputElement;
  return isBusy || isTyping || document.querySelector("[data-held]") !== null;
}

/** Draws the page anew where it has changed, unless somebody is in the middle of something. */
export async function refresh({ isForced = false } = {}): Promise<void> {
  if (!isForced && isHeld()) return;
  isBusy = true;
  try {
    const drawn = await readPage(location.href);
    // Meanwhile somebody may have begun to write.
    isBusy = false;
    if (drawn && (isForced || !isHeld())) replace(drawn, "#page");
  } catch {
    // It is tried again, and what is shown stays.
  } finally {
    isBusy = false;
  }
}

/** Replaces a part of the page by the same part of another, where they differ. */
export function replace(drawn: Document, selector: string): void {
  const [now, next] = [document.querySelector(selector), drawn.querySelector(selector)];
  if (!now || !next) return;
  writeTimes(next);
  if (now.innerHTML !== next.innerHTML) now.replaceChildren(...document.adoptNode(next).childNodes);
}
