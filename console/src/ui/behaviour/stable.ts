import { useEffect, useRef, useState } from "react";

type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Stable handlers that always call the newest versions, so that memoized components are not re-rendered. */
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

/** Runs after pending state is rendered: React renders updates from an editor in a separate task. */
export function afterRender(act: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    setTimeout(act);
  };
  port2.postMessage(undefined);
}
