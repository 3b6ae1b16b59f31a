/// <reference lib="dom" />
/**
 * Detects changes of the page's data while it is visible: browsers limit connections per origin, and a hidden page
 * needs none.
 */
const SETTLE_MS = 400;
/**
 * A response that is not a stream, such as from a starting or overloaded server, closes an EventSource permanently.
 */
const RETRY_MS = 20_000;

interface LiveUrls {
  readonly live: string;
  readonly firstLive: string;
}

export function followChanges({ live, firstLive }: LiveUrls, onChange: () => void): void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  /** Whether an unreported change is possible. */
  let isLate = false;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
  };
  const follow = (): void => {
    clearTimeout(retry);
    if (document.hidden) {
      source?.close();
      source = undefined;
      isLate = true;
      return;
    }
    if (source && source.readyState !== EventSource.CLOSED) return;
    // Later streams start after a gap, and the page is reloaded then.
    const opened = new EventSource(isLate || source ? live : firstLive);
    source = opened;
    opened.addEventListener("changed", changed);
    opened.addEventListener("open", () => {
      // Only after the stream has opened: a change between a reload and the opening would be missed.
      if (isLate) changed();
      isLate = false;
    });
    opened.addEventListener("error", () => {
      if (opened !== source || opened.readyState !== EventSource.CLOSED) return;
      isLate = true;
      // The random delay spreads the reconnects of all pages after a server restart.
      retry = setTimeout(follow, RETRY_MS * (1 + Math.random()));
    });
  };
  document.addEventListener("visibilitychange", () => {
    // Also if no stream is available.
    if (!document.hidden && isLate) changed();
    follow();
  });
  follow();
}
