/**
 * A stream that reports only that something changed. It is open only while the page is visible: browsers allow six
 * connections per origin, and hidden pages would occupy them.
 */
export interface SignalOptions {
  readonly url: string;
  readonly onChange: () => void;
  /** Reports whether changes are received; otherwise callers must poll. */
  readonly onState: (isLive: boolean) => void;
}

export function openSignal({ url, onChange, onState }: SignalOptions): void {
  let source: EventSource | undefined;
  const follow = (): void => {
    if (document.hidden) {
      source?.close();
      source = undefined;
      onState(false);
      return;
    }
    if (source && source.readyState !== EventSource.CLOSED) return;
    source = new EventSource(url);
    source.addEventListener("open", () => onState(true));
    // The browser reconnects automatically, except after an error response, which closes the stream.
    source.addEventListener("error", () => onState(false));
    source.addEventListener("changed", onChange);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}
