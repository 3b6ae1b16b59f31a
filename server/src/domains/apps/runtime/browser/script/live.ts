/// <reference lib="dom" />
/**
 * Says when the data of the page changed, while somebody looks: an origin has few connections, and a hidden page needs
 * none.
 */
const SETTLE_MS = 400;
/** An answer that is no stream, as of a server that starts or has too many, ends a source for good. */
const RETRY_MS = 20_000;

interface LiveUrls {
  readonly live: string;
  readonly firstLive: string;
}

export function followChanges({ live, firstLive }: LiveUrls, onChange: () => void): void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  /** Whether something may have changed that nobody told. */
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
    // Later ones are opened after a gap, and the page is read anew then.
    const opened = new EventSource(isLate || source ? live : firstLive);
    source = opened;
    opened.addEventListener("changed", changed);
    opened.addEventListener("open", () => {
      // Not before: what happens between a reading and the opening would be told by neither.
      if (isLate) changed();
      isLate = false;
    });
    opened.addEventListener("error", () => {
      if (opened !== source || opened.readyState !== EventSource.CLOSED) return;
      isLate = true;
      // Not all pages of a server that has come back at once.
      retry = setTimeout(follow, RETRY_MS * (1 + Math.random()));
    });
  };
  document.addEventListener("visibilitychange", () => {
    // Also where no stream is to be had.
    if (!document.hidden && isLate) changed();
    follow();
  });
  follow();
}
