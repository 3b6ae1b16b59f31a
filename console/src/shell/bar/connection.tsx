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
        {isOnline ? "The server can't be reached." : "You are offline."} What you see may be old
        {waiting > 0
          ? `; ${count(waiting, "change")} will be sent when you are back.`
          : isOnline
            ? ", and changes can't be saved until it is back."
            : ". What you change will be sent when you are back."}
      </span>
    </div>
  );
}

const LIVE = {
  connecting: ["idle", "Connecting", "The stream of changes is being opened."],
  live: ["ok", "Live", "Changes of others appear by themselves."],
  lost: ["bad", "Offline", "The server can't be reached; it is tried again."],
  unavailable: ["idle", "Not live", "You may not follow the log: reload to see others' changes."],
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
