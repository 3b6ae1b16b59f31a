import { useEffect, useRef, useState } from "react";

type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * Handlers that stay the same for a component's life and do what the newest ones do: whatever is drawn with them rests.
 */
export function useStableHandlers<T extends Handlers>(handlers: T): T {
  const newest = useRef(handlers);
  useEffect(() => {
    newest.current = handlers;
  });
  const [stable] = useState(() => {
    const names = Object.keys(handlers);
    const entries = names.map((name) => [
      name,
      (...args: never[]): unknown => newest.current[name]?.(...args),
    ]);
    return Object.fromEntries(entries) as T;
  });
  return stable;
}

/** Acts when what was set before is drawn: React draws what an editor reports in a task of its own. */
export function afterRender(act: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    setTimeout(act);
  };
  port2.postMessage(undefined);
}
