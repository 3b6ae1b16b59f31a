/// <reference lib="dom" />
/** Says when the data of the page changed, while somebody looks: an origin has few connections, and a hidden page needs none. */
const SETTLE_MS = 400;

export function followChanges(url: string, onChange: () => void): void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLate = false;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
  };
  const follow = (): void => {
    if (document.hidden) {
      source?.close();
      source = undefined;
      isLate = true;
      return;
    }
    if (isLate) changed();
    isLate = false;
    if (source && source.readyState !== EventSource.CLOSED) return;
    source = new EventSource(url);
    source.addEventListener("changed", changed);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}
