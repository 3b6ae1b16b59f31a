import { call } from "../../data/api.ts";
import { applyChange } from "../../data/change.ts";
import { useMe } from "../../data/people.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { type Ticket, UNWATCH, useWatchers, WATCH } from "../ticket-kind.ts";

export interface Watch {
  /** This person is told what happens to the ticket. */
  readonly isOn: boolean;
  readonly toggle: () => void;
}

/** Watching a ticket, and no longer. */
export function useWatch({ kind, id, number }: Pick<Ticket, "kind" | "id" | "number">): Watch {
  const meId = useMe()?.user.id ?? "";
  const watchers = useWatchers(kind, number);
  const isOn = (watchers.data?.data ?? []).some(({ userId }) => userId === meId);
  const set = async (isWatching: boolean): Promise<void> => {
    if (isWatching) await call(WATCH[kind], { params: { id } });
    else await call(UNWATCH[kind], { params: { id, userId: meId } });
    refreshTickets(kind);
  };
  return {
    isOn,
    toggle: () =>
      void applyChange({
        send: () => set(!isOn),
        said: isOn ? `You no longer watch ${number}` : `You watch ${number}`,
        undo: () => set(isOn),
      }),
  };
}
