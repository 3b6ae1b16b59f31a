import { WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useLiveState } from "../../data/live/live.ts";
import { useMay } from "../../data/people.ts";
import { useWaitingWrites } from "../../data/outbox.ts";
import { count } from "../../ui/words.ts";

const subscribe = (watcher: () => void): (() => void) => {
  addEventListener("online", watcher);
  addEventListener("offline", watcher);
  return () => {
    removeEventListener("online", watcher);
    removeEventListener("offline", watcher);
  };
};

export function ConnectionBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const live = useLiveState();
  const waiting = useWaitingWrites();
  if (isOnline && live !== "lost") return null;
  return (
    <div className="offline" role="status">
      <WifiOff className="ico" />
      <span className="grow">
        {isOnline ? "Can't reach the server." : "You are offline."} The data on this page may be
        outdated
        {waiting > 0
          ? `. ${count(waiting, "change")} will be saved when you are online again.`
          : isOnline
            ? ". You can't save changes until the server is available."
            : ". Your changes will be saved when you are online again."}
      </span>
    </div>
  );
}

const LIVE = {
  connecting: ["idle", "Connecting", "Connecting to live updates."],
  live: ["ok", "Live", "Changes by other users appear automatically."],
  lost: ["bad", "Offline", "Can't reach the server. Reconnecting."],
  unavailable: [
    "idle",
    "Not live",
    "You don’t have permission to receive live updates. Reload to see the changes of other users.",
  ],
} as const;

export function LiveTag() {
  const live = useLiveState();
  const may = useMay();
  // Users without permission to read events have no stream, and they can't change that.
  if (live === "unavailable" && !may("events.recent")) return null;
  const [tone, label, help] = LIVE[live];
  return (
    <span className={`tag live-tag ${tone}`} title={help} role="status">
      <span className="live-label">{label}</span>
    </span>
  );
}
