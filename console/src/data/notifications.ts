import { useOp } from "./api.ts";
import { useLiveState } from "./live/live.ts";
import { useMay } from "./people.ts";

const POLL_MS = 60_000;

/** The number of unread notifications. Events update it; users without access to the event log poll every minute. */
export function useUnreadCount(): number | undefined {
  const may = useMay();
  const isLive = useLiveState() === "live";
  const { data } = useOp("notifications.count_unread", undefined, {
    enabled: may("notifications.count_unread"),
    refetchInterval: isLive ? false : POLL_MS,
  });
  return data?.data.unread;
}
