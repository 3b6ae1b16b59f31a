/** Opens the consent popup and receives its messages. */
import { useEffect, useState } from "react";
import { perform } from "../../data/use-command.ts";

const CHANNEL = "millrace.consent";
const LOOK_MS = 500;

/** The consent result for a connector. */
interface ConsentResult {
  readonly id: string;
  readonly refusal: string | undefined;
}

/** The state of a consent: not started, open in another window, or closed without consent. */
export type ConsentProgress =
  | { readonly kind: "none" }
  | { readonly kind: "open"; readonly popup: Window }
  | { readonly kind: "left" }
  | { readonly kind: "refused"; readonly refusal: string };

/** Broadcasts the result to all pages of this browser: other sites may remove the link between the two windows. */
export function tellConsent(result: ConsentResult): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(result);
  channel.close();
}

/** Opens the consent popup and waits for the result or until closed. */
export function useConsentWindow(id: string, isGiven: boolean) {
  const [progress, setProgress] = useState<ConsentProgress>({ kind: "none" });
  // The window may close itself before its message arrives.
  useEffect(() => {
    if (isGiven) setProgress({ kind: "none" });
  }, [isGiven]);
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener("message", ({ data }: MessageEvent<ConsentResult>) => {
      if (data.id !== id) return;
      const { refusal } = data;
      setProgress(refusal === undefined ? { kind: "none" } : { kind: "refused", refusal });
    });
    return () => channel.close();
  }, [id]);
  useEffect(() => {
    if (progress.kind !== "open") return undefined;
    // No event reports that a cross-origin window was closed, so it is polled.
    const timer = setInterval(() => {
      // The result may have arrived without being rendered yet.
      if (progress.popup.closed) setProgress((now) => (now === progress ? { kind: "left" } : now));
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [progress]);
  const open = async (): Promise<void> => {
    // Opened directly in the click handler: otherwise browsers block the popup.
    const popup = window.open("about:blank", "consent", "width=560,height=720");
    const reply = await perform("connectors.authorize", { params: { id } });
    if (!reply) return popup?.close();
    if (!popup) return window.location.assign(reply.data.url);
    popup.location.href = reply.data.url;
    setProgress({ kind: "open", popup });
  };
  return { progress, open };
}
