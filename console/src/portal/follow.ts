/** Updates pages live: with an event stream, or by polling. */
import { openSignal } from "../data/live/signal.ts";
import { refresh } from "./refresh.ts";
import { start } from "./start.ts";

const PAUSE_MS = 250;
/** The polling interval without a stream. */
const LOOK_MS = 20_000;
/** The interval with a stream, for changes without an event, such as a breached SLA target. */
const CALM_MS = 120_000;

export function followPage(): void {
  const { prefix, workspace, environment } = start;
  let isLive = false;
  let lookedAtMs = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    lookedAtMs = Date.now();
    void refresh();
  };
  openSignal({
    url: `${prefix}/api/v1/portal/stream?${new URLSearchParams({ workspace, environment })}`,
    onChange: () => {
      clearTimeout(timer);
      // Delayed, because one action causes several events.
      timer = setTimeout(look, PAUSE_MS);
    },
    onState: (next) => {
      isLive = next;
    },
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) look();
  });
  setInterval(() => {
    const isDue = Date.now() - lookedAtMs >= (isLive ? CALM_MS : LOOK_MS);
    if (isDue && !document.hidden) look();
  }, LOOK_MS);
}
