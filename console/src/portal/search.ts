import { readPage } from "../data/page.ts";
import { lastClient } from "./client.ts";
import { replace } from "./refresh.ts";

const PAUSE_MS = 120;
/** After this pause in typing, the user has read the results. */
const READ_MS = 4_000;
const ARTICLE = /\/articles\/((?:kb_|KB)\w+)/;

/** Searches while the user types; the server renders the results. */
export function listenToSearch(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== "search") return;
    const { form } = target;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      running?.abort();
      running = new AbortController();
      const address = new URL(form?.action ?? location.href);
      address.search = "";
      for (const [name, value] of form ? new FormData(form) : []) {
        if (typeof value === "string" && value.trim() !== "") address.searchParams.set(name, value);
      }
      try {
        const drawn = await readPage(address.href, running.signal);
        if (!drawn) return;
        replace(drawn, "#answers");
        history.replaceState(null, "", address);
        noteLater(target.value.trim());
      } catch {
        // The next key press searches again.
      }
    }, PAUSE_MS);
  });
}

let reading: { readonly q: string; readonly timer: ReturnType<typeof setTimeout> } | undefined;

/**
 * Reports the result of each search once, for authors of articles: a result was opened, or the user left the
 * results.
 */
function noteLater(q: string): void {
  clearTimeout(reading?.timer);
  reading = q === "" ? undefined : { q, timer: setTimeout(() => note(q), READ_MS) };
}

function note(q: string, openedId?: string): void {
  clearTimeout(reading?.timer);
  reading = undefined;
  const found = document.querySelectorAll("#answers li a").length;
  const body = { q, found, ...(openedId !== undefined && { openedId }) };
  // Optional: the search does not depend on it.
  lastClient.call("knowledge.note_search", { body }).catch(() => undefined);
}

document.addEventListener("click", ({ target }) => {
  const link = target instanceof Element ? target.closest("#answers a") : null;
  if (link && reading) note(reading.q, ARTICLE.exec(link.getAttribute("href") ?? "")?.[1]);
});
