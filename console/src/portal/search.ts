import { readPage } from "../data/page.ts";
import { replace } from "./refresh.ts";

const PAUSE_MS = 120;

/** Searches while somebody types: the server draws the answers of each word. */
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
      } catch {
        // The next key asks again.
      }
    }, PAUSE_MS);
  });
}
