/**
 * A stream that says only that something changed. It is open while somebody looks: an origin has six connections, and
 * every page that is hidden would hold one of them.
 */
export interface SignalOptions {
  readonly url: string;
  readonly onChange: () => void;
  /** Says whether changes are heard; while they are not, somebody must look for them. */
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
    // The browser tries again by itself, unless it was refused: then it is closed for good.
    source.addEventListener("error", () => onState(false));
    source.addEventListener("changed", onChange);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}
