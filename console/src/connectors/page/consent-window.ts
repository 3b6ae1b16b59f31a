/** The window of a consent, and what it tells the page that opened it. */
import { useEffect, useState } from "react";
import { perform } from "../../data/use-command.ts";

const CHANNEL = "millrace.consent";
const LOOK_MS = 500;

/** How a consent ended, by the connector that it was for. */
interface ConsentResult {
  readonly id: string;
  readonly refusal: string | undefined;
}

/** Where a consent is: not begun, asked for in another window, or left without one. */
export type ConsentProgress =
  | { readonly kind: "none" }
  | { readonly kind: "open"; readonly popup: Window }
  | { readonly kind: "left" }
  | { readonly kind: "refused"; readonly refusal: string };

/** Tells every page of this browser how a consent ended: other systems may cut the tie between the two windows. */
export function tellConsent(result: ConsentResult): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(result);
  channel.close();
}

/** Opens the other system's page, and follows its window until there is a consent, or none. */
export function useConsentWindow(id: string, isGiven: boolean) {
  const [progress, setProgress] = useState<ConsentProgress>({ kind: "none" });
  // A window that closes itself may do so before its message is out.
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
    // No event tells that a window of another system was closed.
    const timer = setInterval(() => {
      // The result may have come meanwhile, and not be drawn yet.
      if (progress.popup.closed) setProgress((now) => (now === progress ? { kind: "left" } : now));
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [progress]);
  const open = async (): Promise<void> => {
    // By the press itself, or browsers keep it shut.
    const popup = window.open("about:blank", "consent", "width=560,height=720");
    const reply = await perform("connectors.authorize", { params: { id } });
    if (!reply) return popup?.close();
    if (!popup) return window.location.assign(reply.data.url);
    popup.location.href = reply.data.url;
    setProgress({ kind: "open", popup });
  };
  return { progress, open };
}
